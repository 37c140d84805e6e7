"""Records of searches as arrays: a row for each level."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from .policies import CERTAIN, Policy
from .rules import State

__all__ = ["Levels", "levels_of"]

UNTIMED = 5.0  # a pull that was not timed is taken to cost so many pushes


@dataclass(frozen=True)
class Levels:
    """Times are in nanoseconds. ``timed`` is False where only the push was worth timing."""

    graph: np.ndarray
    family: np.ndarray
    first: np.ndarray
    timed: np.ndarray
    states: np.ndarray
    push: np.ndarray
    pull: np.ndarray
    to_bitmap: np.ndarray
    to_queue: np.ndarray

    def __len__(self) -> int:
        return len(self.graph)

    def where(self, chosen: np.ndarray) -> Levels:
        """Those of some graphs: ``chosen`` must keep searches whole."""
        return Levels(**{f.name: getattr(self, f.name)[chosen] for f in fields(self)})

    def _times(self) -> tuple[np.ndarray, ...]:
        return self.first, self.push, self.pull, self.to_bitmap, self.to_queue

    def chosen_by(self, policy: Policy) -> np.ndarray:
        """The directions that a policy would have taken."""
        from ...kernels.bfs.replay import choices
        from ...kernels.runtime.launch import run

        chosen = np.zeros(len(self), np.int64)
        certain = CERTAIN if policy.learned else 0
        arguments = (policy.address, policy.parameters, certain, self.states, self.first, chosen)
        run(choices, [arguments], brief=True)
        return chosen

    def best(self) -> np.ndarray:
        """The directions that would have taken the least time."""
        from ...kernels.bfs.replay import best
        from ...kernels.runtime.launch import run

        chosen = np.zeros(len(self), np.int64)
        run(best, [(*self._times(), chosen)], brief=True)
        return chosen

    def spent(self, chosen: np.ndarray) -> np.ndarray:
        """Nanoseconds of each level with these directions."""
        from ...kernels.bfs.replay import spent
        from ...kernels.runtime.launch import run

        times = np.zeros(len(self))
        run(spent, [(*self._times(), chosen, times)], brief=True)
        return times


def levels_of(records: Iterable[dict[str, Any]]) -> Levels:
    """One table of all records."""
    parts = [_one(record) for record in records]
    names = [f.name for f in fields(Levels)]
    return Levels(**{name: np.concatenate([part[name] for part in parts]) for name in names})


def _one(record: dict[str, Any]) -> dict[str, np.ndarray]:
    at = {name: np.array(column, float) for name, column in record["levels"].items()}
    n_f, m_f = at["frontier_vertices"], at["frontier_edges"]
    rows = n_f.size
    before = np.concatenate([[0.0], n_f[:-1]])[:rows]
    variation = n_f - before
    push, pull = at["push_nanoseconds"], at["pull_nanoseconds"]
    timed = pull >= 0
    values = {
        "n": record["n"], "arcs": record["arcs"], "n_f": n_f, "m_f": m_f, "n_u": at["unvisited"],
        "m_u": at["unseen_edges"], "s_f": variation,
        "c_f": variation - np.concatenate([[0.0], variation[:-1]])[:rows], "before": before,
        "m_before": np.concatenate([[0.0], m_f[:-1]])[:rows], "depth": np.arange(rows),
        "hubs_f": at["hubs"], "hubs": record["hubs"], "p_h": record["p_h"],
        "threads": record["threads"], "directed": float(record["directed"]),
    }  # fmt: skip
    states = np.zeros((rows, len(State._fields)))
    for name, value in values.items():
        states[:, State._fields.index(name)] = value
    first = np.zeros(rows, np.bool_)
    first[:1] = True
    return {
        "graph": np.full(rows, record["graph"]),
        "family": np.full(rows, record["family"]),
        "first": first,
        "timed": timed,
        "states": states,
        "push": push,
        "pull": np.where(timed, pull, UNTIMED * push),
        "to_bitmap": np.where(timed, at["to_bitmap_nanoseconds"], 0.0),
        "to_queue": np.where(timed, at["to_queue_nanoseconds"], 0.01 * record["n"]),
    }
