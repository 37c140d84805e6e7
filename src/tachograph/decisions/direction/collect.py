"""What both directions cost at every level of many searches: measured, and as a table of levels."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import cast

import numpy as np
from numpy.typing import NDArray

from ...graph.graph import Graph
from ...journal.campaign import Record
from ..graphs import family, graph_named, hash_of
from .model import VERTICES_PER_CERTAIN_ARC, Policy
from .state import State

__all__ = ["SEARCHES", "Levels", "levels_of", "measure", "measure_graph", "sources_of"]

SEARCHES = 4  # of each graph
REPEATS = 5  # times that each direction of a level runs
UNTIMED_PUSHES = 5.0  # a pull that was not timed is taken to cost so many pushes


def sources_of(graph: Graph, count: int = SEARCHES, seed: int = 1) -> NDArray[np.int64]:
    """Distinct vertices with arcs, chosen by ``seed``: all of them if there are few."""
    candidates = np.flatnonzero(graph.degrees)
    chosen = np.random.default_rng(seed).permutation(candidates.size)[:count]
    return candidates[chosen]


def measure(graph: Graph, name: str, source: int, repeats: int = REPEATS) -> Record:
    """A record: the graph's numbers, and what each level of a search was and took."""
    from ...kernels.bfs import oracle as bfs_both

    sides = graph.rows, graph.transpose.rows
    start = np.array([source], graph.indices.dtype)
    _, _, rows, workers = bfs_both.both(*sides, start, repeats=repeats)
    return {
        "graph": name, "family": family(name), "source": int(source), "threads": workers,
        "directed": graph.directed, "n": graph.n, "arcs": graph.arcs,
        "p_h": graph.features.hub_probability_sampled,
        "hubs": round(graph.features.hub_probability * graph.n),
        "levels": dict(zip(bfs_both.COLUMNS, rows.T.tolist(), strict=True)),
    }  # fmt: skip


def measure_graph(name: str, sources: int, seed: int, repeats: int) -> Record:
    """The records of a graph: a task of the campaign."""
    graph = graph_named(name)
    chosen = sources_of(graph, sources, seed)
    found = [measure(graph, name, int(source), repeats) for source in chosen]
    return {"records": [{**record, "hash": hash_of(graph)} for record in found]}


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

    def chosen_by(self, policy: Policy) -> NDArray[np.int64]:
        """The directions that a policy would have taken."""
        certain = VERTICES_PER_CERTAIN_ARC if policy.learned else 0
        asked = (policy.address, policy.parameters, certain, self.states, self.first)
        return self._replayed("choices", *asked, np.zeros(len(self), np.int64))

    def best(self) -> NDArray[np.int64]:
        """The directions that would have taken the least time."""
        return self._replayed("best", *self._times(), np.zeros(len(self), np.int64))

    def spent(self, chosen: NDArray[np.int64]) -> NDArray[np.float64]:
        """Nanoseconds of each level with these directions."""
        return self._replayed("spent", *self._times(), chosen, np.zeros(len(self)))

    def _times(self) -> tuple[np.ndarray, ...]:
        return self.first, self.push, self.pull, self.to_bitmap, self.to_queue

    def _replayed(self, kernel: str, *arguments: object) -> np.ndarray:
        """What a kernel of ``kernels.bfs.replay`` writes into its last argument."""
        from ...kernels.bfs import replay
        from ...kernels.runtime.launch import run

        run(getattr(replay, kernel), [arguments], brief=True)
        return cast(np.ndarray, arguments[-1])


def levels_of(records: Iterable[Record]) -> Levels:
    """One table of all records."""
    parts = [_one(record) for record in records]
    names = [f.name for f in fields(Levels)]
    return Levels(**{name: np.concatenate([part[name] for part in parts]) for name in names})


def _one(record: Record) -> dict[str, np.ndarray]:
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
    return {
        "graph": np.full(rows, record["graph"]),
        "family": np.full(rows, record["family"]),
        "first": np.arange(rows) == 0,
        "timed": timed,
        "states": states,
        "push": push,
        "pull": np.where(timed, pull, UNTIMED_PUSHES * push),
        "to_bitmap": np.where(timed, at["to_bitmap_nanoseconds"], 0.0),
        "to_queue": np.where(timed, at["to_queue_nanoseconds"], 0.01 * record["n"]),
    }
