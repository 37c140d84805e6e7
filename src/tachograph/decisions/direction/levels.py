"""Levels of searches that were timed in both directions, and how they judge a policy.

SURF's two measures judge a policy, and its time against the best that was possible. *Accuracy* is the
share of levels at which the faster direction was taken. *Saved* is SURF's reduced execution time: of
the time that lies between the two directions of the levels, the share that the policy did not lose.
Both are means over graphs, because long thin graphs have thousands of levels. All levels count: of
those of few arcs (``VERTICES_PER_CERTAIN_ARC``), a timed one stands for those after it that were not.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from ...journal.campaign import Record
from ...util.tables import write_table
from .state import State

if TYPE_CHECKING:
    from .model import Policy

__all__ = ["Levels", "Score", "export", "features_of", "levels_of", "score"]

#: A record of the paper's data module: six features, and 1 if the pull was faster in the mean.
RECORD = ("m_d", "p_h", "s_f", "c_f", "r_f", "r_u", "L")
Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Levels:
    """Times are in nanoseconds: the least of several, and means.

    Only some thin levels were pulled, too (``timed``); the others have the pull times of the thin one
    before them. ``weight`` is how many levels a timed one stands for, with itself, and 0 for others.
    """

    graph: np.ndarray
    family: np.ndarray
    first: np.ndarray
    timed: np.ndarray
    thin: np.ndarray
    weight: np.ndarray
    states: np.ndarray
    push: np.ndarray
    pull: np.ndarray
    to_bitmap: np.ndarray
    to_queue: np.ndarray
    push_mean: np.ndarray
    pull_mean: np.ndarray

    def __len__(self) -> int:
        return len(self.graph)

    def where(self, chosen: np.ndarray) -> Levels:
        """Those of some graphs: ``chosen`` must keep searches whole."""
        return Levels(**{f.name: getattr(self, f.name)[chosen] for f in fields(self)})

    def column(self, name: str) -> np.ndarray:
        """A number of the state at all levels."""
        return self.states[:, State._fields.index(name)]

    @property
    def walked(self) -> np.ndarray:
        """Whether a search on the host walks a level: it can find somebody."""
        left = np.where(self.column("directed") > 0, self.column("n_u"), self.column("m_u"))
        return cast(np.ndarray, left > 0)

    def chosen_by(self, policy: Policy) -> NDArray[np.int64]:
        """The directions that a policy would have taken."""
        from ...kernels.bfs.steps import VERTICES_PER_CERTAIN_ARC

        certain = VERTICES_PER_CERTAIN_ARC if policy.guarded else 0
        asked = (policy.address, policy.parameters, certain, self.states, self.first)
        return self._replayed("choices", *asked, np.zeros(len(self), np.int64))

    def best(self) -> NDArray[np.int64]:
        """The directions that would have taken the least time."""
        return self._replayed("best", *self._times(), np.zeros(len(self), np.int64))

    def spent(self, chosen: NDArray[np.int64]) -> Numbers:
        """Nanoseconds of each level with these directions."""
        return self._replayed("spent", *self._times(), chosen, np.zeros(len(self)))

    def _times(self) -> tuple[np.ndarray, ...]:
        return self.first, self.push, self.pull, self.to_bitmap, self.to_queue

    def _replayed(self, kernel: str, *arguments: object) -> np.ndarray:
        """What a kernel of ``kernels.bfs.oracle`` writes into its last argument."""
        from ...kernels.bfs import oracle
        from ...kernels.runtime.launch import run

        run(getattr(oracle, kernel), [arguments], brief=True)
        return cast(np.ndarray, arguments[-1])


def levels_of(records: Iterable[Record]) -> Levels:
    """One table of all records."""
    parts = [_one(record) for record in records]
    names = [f.name for f in fields(Levels)]
    return Levels(**{name: np.concatenate([part[name] for part in parts]) for name in names})


def _one(record: Record) -> dict[str, np.ndarray]:
    from ...kernels.bfs.steps import VERTICES_PER_CERTAIN_ARC

    at = {name: np.array(column, float) for name, column in record["levels"].items()}
    n_f, m_f = at["frontier_vertices"], at["frontier_edges"]
    rows = n_f.size

    def before(values: Numbers) -> Numbers:
        return np.concatenate([[0.0], values[:-1]])[:rows]

    variation = n_f - before(n_f)
    values = {
        "n": record["n"], "arcs": record["arcs"], "n_f": n_f, "m_f": m_f, "n_u": at["unvisited"],
        "m_u": at["unseen_edges"], "s_f": variation, "c_f": variation - before(variation),
        "before": before(n_f), "m_before": before(m_f), "depth": np.arange(rows),
        "hubs_f": at["hubs"], "hubs": record["hubs"], "p_h": record["p_h"],
        "threads": record["threads"], "directed": float(record["directed"]),
        "alone": float(record.get("alone", False)), "near": float(record.get("near", False)),
    }  # fmt: skip
    states = np.zeros((rows, len(State._fields)))
    for name, value in values.items():
        states[:, State._fields.index(name)] = value
    timed = at["pull_nanoseconds"] >= 0
    thin = m_f <= record["n"] // VERTICES_PER_CERTAIN_ARC
    # a level that was not timed is thin, and so is the last timed thin one before it: its stand-in
    stand_in = np.maximum.accumulate(np.where(timed & thin, np.arange(rows), 0))
    stand_in = np.where(timed, np.arange(rows), stand_in)
    times = {k.removesuffix("_nanoseconds"): at[k] for k in at if k.endswith("_nanoseconds")}
    of_pulls = ("pull", "to_bitmap", "to_queue", "pull_mean")
    return {
        "graph": np.full(rows, record["graph"]),
        "family": np.full(rows, record["family"]),
        "first": np.arange(rows) == 0,
        "timed": timed,
        "thin": thin,
        "weight": np.bincount(stand_in, minlength=rows).astype(float),
        "states": states,
        **{k: v[stand_in] if k in of_pulls else v for k, v in times.items()},
    }


def features_of(levels: Levels, kind: str) -> Numbers:
    """Return ``raw_features`` or ``surf_features`` of all levels."""
    from . import rules

    made = [getattr(rules, kind).py_func(State(*row)) for row in levels.states]
    return np.array(made).reshape(len(levels), -1)


@dataclass(frozen=True)
class Score:
    """A policy on several graphs: arrays with a number for each of ``graphs``."""

    graphs: list[str]
    accuracy: Numbers
    saved: Numbers
    slowdown: Numbers  # time over the best possible

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
    """Judge directions by the measured times of the timed levels and of those they stand for."""
    names, at = np.unique(levels.graph, return_inverse=True)

    def totals(values: np.ndarray) -> Numbers:
        return np.bincount(at, levels.weight * values, len(names)).astype(float)

    gap = np.abs(levels.push - levels.pull)
    right = chosen == (levels.pull < levels.push)
    spent, least = (levels.spent(directions) for directions in (chosen, levels.best()))
    of = (right, gap * right, spent), (np.ones(len(levels)), np.maximum(gap, 1e-9), least)
    accuracy, saved, slowdown = (totals(a) / totals(b) for a, b in zip(*of, strict=True))
    return Score(names.tolist(), accuracy, saved, slowdown)


def export(levels: Levels, path: Path) -> None:
    """Write the timed levels in the paper's format (``RECORD``), and which graph each is of.

    ``weight`` is how many levels of the search a row stands for.
    """
    import pyarrow as pa

    levels = levels.where(levels.timed)
    label = (levels.pull_mean < levels.push_mean).astype(np.int64)
    features = features_of(levels, "raw_features")
    columns = dict(zip(RECORD, (*features.T, label), strict=True))
    write_table(pa.table({**columns, "graph": levels.graph, "weight": levels.weight}), path)
