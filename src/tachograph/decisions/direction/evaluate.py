"""How good a policy is: SURF's two measures, and time against the best that was possible.

*Accuracy* is the share of levels at which the faster direction was taken. *Saved* is SURF's reduced
execution time: of all the time that lies between the two directions of every level, the share that the
policy did not lose. Both are means over graphs, because long thin graphs have thousands of levels.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .levels import Levels
from .policies import Policy

__all__ = ["Score", "chosen_unseen", "score"]


@dataclass(frozen=True)
class Score:
    """A policy on several graphs: arrays with a number for each of ``graphs``."""

    graphs: list[str]
    accuracy: np.ndarray
    saved: np.ndarray
    slowdown: np.ndarray  # time over the best possible

    def summary(self) -> dict[str, float]:
        """Means over graphs (geometric of the slowdown), spread, and the worst graph."""
        return {
            "accuracy": float(self.accuracy.mean()),
            "saved": float(self.saved.mean()),
            "saved_spread": float(self.saved.std()),
            "slowdown": float(np.exp(np.log(self.slowdown).mean())),
            "worst": float(self.slowdown.max()),
        }


def score(levels: Levels, chosen: np.ndarray) -> Score:
    """Judge directions by the measured times."""
    names, at = np.unique(levels.graph, return_inverse=True)
    gap = np.where(levels.timed, np.abs(levels.push - levels.pull), 0.0)
    right = chosen == (levels.pull < levels.push)
    count = len(names)
    whole = np.bincount(at, gap, count)
    kept = np.bincount(at, gap * right, count)
    return Score(
        names.tolist(),
        np.bincount(at, right, count) / np.bincount(at, minlength=count),
        np.where(whole > 0, kept / np.maximum(whole, 1e-9), 1.0),
        np.bincount(at, levels.spent(chosen), count)
        / np.bincount(at, levels.spent(levels.best()), count),
    )


def chosen_unseen(levels: Levels, fit: Callable[[Levels], Policy], by: np.ndarray) -> np.ndarray:
    """Directions by policies that were fitted without the graph (or family) that they choose for."""
    chosen = np.zeros(len(levels), np.int64)
    for left_out in np.unique(by):
        mine = by == left_out
        chosen[mine] = levels.where(mine).chosen_by(fit(levels.where(~mine)))
    return chosen
