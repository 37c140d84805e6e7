"""Train the direction: collect levels, fit the cost model and the network, leave families out.

SURF's two measures judge a policy, and its time against the best that was possible. *Accuracy* is the
share of levels at which the faster direction was taken. *Saved* is SURF's reduced execution time: of
all the time that lies between the two directions of every level, the share that the policy did not
lose. Both are means over graphs, because long thin graphs have thousands of levels.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...journal.campaign import Record
from ...util.errors import InputError
from ..trainer import Quality
from ..trainer import Trainer as Base
from .state import State

if TYPE_CHECKING:
    from .collect import Levels
    from .model import Model, Policy

__all__ = ["Score", "Trainer", "chosen_unseen", "score"]


@dataclass(frozen=True)
class Score:
    """A policy on several graphs: arrays with a number for each of ``graphs``."""

    graphs: list[str]
    accuracy: NDArray[np.float64]
    saved: NDArray[np.float64]
    slowdown: NDArray[np.float64]  # time over the best possible

    def summary(self) -> dict[str, float]:
        """Means over graphs (geometric of the slowdown), spread, and the worst graph."""
        return {
            "accuracy": float(self.accuracy.mean()),
            "saved": float(self.saved.mean()),
            "saved_spread": float(self.saved.std()),
            "slowdown": float(np.exp(np.log(self.slowdown).mean())),
            "worst": float(self.slowdown.max()),
        }


def score(levels: Levels, chosen: NDArray[np.int64]) -> Score:
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


def chosen_unseen(
    levels: Levels, fit: Callable[[Levels], Policy], by: NDArray[np.str_]
) -> NDArray[np.int64]:
    """Directions by policies that were fitted without the graph (or family) that they choose for."""
    chosen = np.zeros(len(levels), np.int64)
    for left_out in np.unique(by):
        mine = by == left_out
        chosen[mine] = levels.where(mine).chosen_by(fit(levels.where(~mine)))
    return chosen


@dataclass(frozen=True)
class Trainer(Base["Model"]):
    """Learn when to push and when to pull in breadth-first search, on this machine.

    Measures both directions at every level of searches on many graphs (what the journal has is not
    measured again), fits, and says how well it does on families of graphs that were left out.

    [bold]Examples[/bold]

    tacho train direction --budget 10m

    tacho train direction --graphs 'kronecker 16 16,road 300 300,uniform 60000 8,soc-Slashdot0902'
    """

    name = "direction"
    state = State._fields

    def collect(
        self, names: Sequence[str], searches: int | None = None, seed: int = 1
    ) -> list[Record]:
        """Return a record for each search; graphs in the journal are not measured again."""
        from .collect import REPEATS, SEARCHES, measure_graph

        count = SEARCHES if searches is None else searches
        tasks = [{"name": n, "sources": count, "seed": seed, "repeats": REPEATS} for n in names]
        function = f"{measure_graph.__module__}:measure_graph"
        found = self.measured("direction", function, tasks)
        return [record for graph in found for record in graph["records"]]

    def fit(self, records: list[Record]) -> Model:
        """Fit both; at least four graphs of two families are needed to carry over to others."""
        from .collect import levels_of
        from .fit import fit_cost, fit_surf
        from .model import Model

        graphs, families = ({record[key] for record in records} for key in ("graph", "family"))
        if len(graphs) < 4 or len(families) < 2:
            raise InputError(
                f"{len(graphs)} graphs of {len(families)} families were measured: at least 4 graphs "
                "of 2 families are needed; name more graphs, or allow a larger --budget"
            )
        levels = levels_of(records)
        return Model(fit_surf(levels), fit_cost(levels))

    def evaluate(self, model: Model, records: list[Record]) -> Quality:
        """Return scores on families that the model was fitted without."""
        from .collect import levels_of
        from .fit import fit_cost, fit_surf
        from .model import cost_policy, surf_policy

        levels = levels_of(records)
        fits: dict[str, Callable[[Levels], Policy]] = {
            "cost": lambda rest: cost_policy(fit_cost(rest)),
            "surf": lambda rest: surf_policy(fit_surf(rest)),
        }
        return [
            {"policy": name} | score(levels, chosen_unseen(levels, fit, levels.family)).summary()
            for name, fit in fits.items()
        ]
