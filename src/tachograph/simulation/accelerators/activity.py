"""When vertices are active: what an analytical model has to know of a graph besides its sizes."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from ...algorithms.bfs import bfs
from ...graph.graph import Graph
from .problem import Question

__all__ = ["Activity", "activity"]

MOST_ITEMS = 1 << 16  # sources of arcs that are looked at to tell how often they meet in a bank


class Steps(NamedTuple):
    """The vertices that are active in each iteration, all in one array, and the iteration of each."""

    vertex: np.ndarray
    step: np.ndarray


class Activity:
    """Which vertices have new values before each iteration of a synchronous run (None: all)."""

    graph: Graph
    steps: Steps | None
    rows: np.ndarray
    n: int
    edges: int
    iterations: int

    def __init__(self, graph: Graph, steps: Steps | None) -> None:
        self.graph, self.steps, self.rows = graph, steps, graph.indptr
        self.n, self.edges = graph.n, graph.arcs
        self.iterations = 1 if steps is None else int(steps.step.max(initial=0)) + 1
        self._shares: dict[int, float] = {}
        self._pairs: dict[int, int] = {}
        self._fullest: dict[tuple[int, int], float] = {}

    @cached_property
    def active_shares(self) -> np.ndarray | None:
        """Which share of the edges active vertices have in each iteration, None if all of them."""
        if self.steps is None:
            return None
        degrees = np.diff(self.rows)[self.steps.vertex]
        made: np.ndarray = np.bincount(self.steps.step, degrees, self.iterations)
        return made / max(1, self.edges)

    def pairs(self, partition: int) -> int:
        """Return how many pairs of a partition of sources and a target have an edge."""
        if partition not in self._pairs:
            parts = -(-self.n // partition)
            keys = np.repeat(np.arange(self.n, dtype=np.int64) // partition, self.graph.degrees)
            keys += self.graph.indices.astype(np.int64) * parts
            self._pairs[partition] = int(np.unique(keys).size)
        return self._pairs[partition]

    def fullest(self, items: int, banks: int) -> float:
        """Return the share of the fullest bank, in the mean over groups of ``items`` sources of arcs.

        Arcs are in the order of their targets, which pull; source v is in bank v mod ``banks``. Some
        groups of the graph are looked at, evenly spread.
        """
        items = min(items, self.edges)
        if items == 0:
            return 1 / banks
        if (items, banks) not in self._fullest:
            groups = min(self.edges // items, -(-MOST_ITEMS // items))
            first = np.linspace(0, self.edges - items, groups).astype(np.int64)
            ids = self.graph.transpose.indices[first[:, None] + np.arange(items)] % banks
            keys = ids + np.arange(groups)[:, None] * banks
            loads = np.bincount(keys.ravel(), minlength=groups * banks)
            fullest = loads.reshape(-1, banks).max(axis=1).mean()
            self._fullest[items, banks] = float(fullest / items)
        return self._fullest[items, banks]

    def share(self, partition: int) -> float:
        """Return which share of the edges is in partitions with an active vertex, in the mean."""
        if self.steps is None:
            return 1.0
        if partition not in self._shares:
            parts = -(-self.n // partition)
            cuts = np.minimum(np.arange(parts + 1) * partition, self.n)
            own = np.diff(self.rows[cuts]) / max(1, self.edges)
            pairs = np.unique(
                self.steps.step.astype(np.int64) * parts + self.steps.vertex // partition
            )
            self._shares[partition] = float(own[pairs % parts].sum() / self.iterations)
        return self._shares[partition]


def activity(graph: Graph, question: Question) -> Activity:
    """Return when vertices are active.

    >>> import tachograph as tg
    >>> found = activity(tg.path(8), Question("bfs", source=0))
    >>> found.iterations, found.share(2)
    (8, 0.25)
    """
    if question.task in ("pagerank", "spmv") or not graph.n:
        return Activity(graph, None)
    if question.task != "connected_components":
        levels = bfs(graph, question.source or 0).levels
        reached = np.flatnonzero(levels >= 0)
        return Activity(graph, Steps(reached, levels[reached]))
    labels, active = np.arange(graph.n), np.arange(graph.n)
    sources = np.repeat(np.arange(graph.n), graph.degrees)
    found: list[np.ndarray] = []
    while active.size and len(found) < (question.iterations or graph.n + 1):
        found.append(active)
        new, mine = labels.copy(), np.zeros(graph.n, bool)
        mine[active] = True
        edges = np.flatnonzero(mine[sources])
        np.minimum.at(new, graph.indices[edges], labels[sources[edges]])
        active = np.flatnonzero(new < labels)
        labels = new
    steps = np.repeat(np.arange(len(found)), [a.size for a in found])
    return Activity(graph, Steps(np.concatenate(found), steps))
