"""Other libraries, each with the algorithms that it has, as candidates for ``tacho bench``.

A peer is made from a :class:`Job`, which converts the graph (not timed). For each algorithm it has, a
method of that name gives a :class:`Case`: how to run it once, and what of the outcome must agree with
ours. Where a library can do less than we do (levels but no parents), the lesser work is what is timed.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from time import perf_counter
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..graph.graph import Graph
from ..util.errors import VerificationError

# fmt: off
__all__ = [
    "DAMPING", "ITERATIONS", "TOLERANCE", "Case", "Facts", "Igraph", "Job", "NetworKit",
    "Peer", "SciPy", "components_facts", "distances_facts", "levels_facts", "scores_facts", "timed",
]
# fmt: on

DAMPING, TOLERANCE, ITERATIONS = 0.85, 1e-4, 100  # of PageRank, for all
Facts = dict[str, Any]


@dataclass(frozen=True)
class Job:
    """What all candidates are given."""

    graph: Graph  # without weights
    weighted: Graph  # with the weights it has, if any
    source: int
    threads: int
    directory: Path  # for files

    @cached_property
    def lengths(self) -> Graph:
        """The graph for shortest paths: its own weights if they are fit for all, else from 1 to 255,
        the same both ways, as the GAP benchmark has them.
        """
        own = self.weighted.weights
        if own is not None and own.dtype.kind == "i" and own.min(initial=1) > 0:
            return self.weighted
        g = self.graph
        ends = np.repeat(np.arange(g.n), g.degrees), g.indices.astype(np.int64)
        mixed = np.minimum(*ends) * 2_654_435_761 + np.maximum(*ends) * 40_503
        weights = ((mixed >> 8) % 255 + 1).astype(np.int32)
        return Graph(g.indptr, g.indices, weights, directed=g.directed)

    @property
    def ends(self) -> tuple[int, int]:
        """Source and sink of a flow: the vertex of highest degree and, if there is one, the tenth."""
        order = np.argsort(-self.graph.degrees, kind="stable")
        return int(order[0]), int(order[min(9, order.size - 1)])


class Case(NamedTuple):
    """One run, as (seconds, outcome); and the facts about the outcome that must agree with ours."""

    run: Callable[[], tuple[float, Any]]
    facts: Callable[[Any], Facts]
    trials: int = 3  # runs of a turn, of which the median counts


def timed(call: Callable[[], Any]) -> Callable[[], tuple[float, Any]]:
    """A run that is timed from outside."""

    def run() -> tuple[float, Any]:
        begin = perf_counter()
        outcome = call()
        return perf_counter() - begin, outcome

    return run


def levels_facts(levels: np.ndarray) -> Facts:
    """Levels of a search, -1 where it did not come."""
    return {"reached": int((levels >= 0).sum()), "levels": levels.astype(np.int64)}


def distances_facts(distances: Any) -> Facts:
    """Distances of shortest paths, -1 where there is none."""
    found = np.asarray(distances, np.float64)
    reached = found < 1e300  # some libraries have a largest number for infinity
    return {"reached": int(reached.sum()), "distances": np.where(reached, found, -1)}


def components_facts(labels: Any) -> Facts:
    """Components, whatever labels they have: each vertex gets the smallest id of its own."""
    _, first, which = np.unique(np.asarray(labels), return_index=True, return_inverse=True)
    return {"count": first.size, "labels": first[which]}


class Peer:
    """A library that may be installed."""

    name: ClassVar[str]
    package: ClassVar[str]  # what pip calls it
    module: ClassVar[str]

    @classmethod
    def installed(cls) -> bool:
        """Whether it can be used here."""
        return importlib.util.find_spec(cls.module) is not None

    @classmethod
    def version(cls) -> str:
        """Its version."""
        return importlib.metadata.version(cls.package)

    def __init__(self, job: Job) -> None:
        self.job = job


class NetworKit(Peer):
    """C++ with OpenMP."""

    name, package, module = "NetworKit", "networkit", "networkit"

    def __init__(self, job: Job) -> None:
        import networkit

        super().__init__(job)
        self.nk = networkit
        networkit.setNumberOfThreads(job.threads)
        ends = tuple(ids.astype(np.uint64) for ids in job.graph.to_edges()[:2])
        self.graph = networkit.GraphFromCoo(ends, n=job.graph.n, directed=job.graph.directed)

    def bfs(self) -> Case:
        def levels(search: Any) -> Facts:
            steps = np.array(search.getDistances())
            return levels_facts(np.where(steps < self.job.graph.n, steps, -1))

        search = self.nk.distance.BFS
        return Case(
            timed(lambda: search(self.graph, self.job.source, storePaths=False).run()), levels
        )

    def sssp(self) -> Case:
        source, target, weights = (np.asarray(a) for a in self.job.lengths.to_edges())
        ends = source.astype(np.uint64), target.astype(np.uint64)
        graph = self.nk.GraphFromCoo((weights.astype(np.float64), ends), n=self.job.graph.n,
                                     weighted=True, directed=self.job.graph.directed)  # fmt: skip
        search = self.nk.distance.Dijkstra
        return Case(
            timed(lambda: search(graph, self.job.source, storePaths=False).run()),
            lambda found: distances_facts(found.getDistances()),
        )

    def components(self) -> Case:
        kinds = self.nk.components
        directed = self.job.graph.directed
        kind = kinds.WeaklyConnectedComponents if directed else kinds.ParallelConnectedComponents
        return Case(
            timed(lambda: kind(self.graph).run()),
            lambda found: components_facts(
                found.getPartition().getVector() if not directed else _labels(found)
            ),
        )

    def pagerank(self) -> Case:
        places = self.nk.centrality

        def rank() -> Any:
            ranking = places.PageRank(self.graph, DAMPING, TOLERANCE)
            ranking.norm = places.Norm.L1_NORM
            ranking.maxIterations = ITERATIONS
            return ranking.run()

        return Case(timed(rank), lambda found: scores_facts(np.array(found.scores())))

    def mis(self) -> Case:
        search = self.nk.independentset.Luby
        return Case(
            timed(lambda: search().run(self.graph)),
            lambda found: is_independent(self.job.graph, np.array(found, bool)),
        )

    def triangles(self) -> Case:
        self.graph.indexEdges()
        count = self.nk.sparsification.TriangleEdgeScore
        return Case(
            timed(lambda: count(self.graph).run()),
            lambda found: {"count": int(np.sum(found.scores())) // 3},
        )


def is_independent(graph: Graph, mask: np.ndarray) -> Facts:
    """One set, if it is a maximal independent one: NetworKit's was seen not to be."""
    from ..algorithms.verify import check_independent_set

    try:
        check_independent_set(graph, mask)
    except VerificationError:
        return {"sets": 0}
    return {"sets": 1}


def _labels(found: Any) -> np.ndarray:
    """Labels of weakly connected components of NetworKit."""
    parts = found.getComponents()
    labels = np.empty(sum(len(part) for part in parts), np.int64)
    for number, part in enumerate(parts):
        labels[part] = number
    return labels


def scores_facts(scores: np.ndarray) -> Facts:
    """PageRank: the scores as shares, and the highest five beside the first.

    Libraries that forget the scores of vertices without arcs get the same shares: all scores grow by
    the same factor when those are spread over all vertices.
    """
    shares = scores / scores.sum()
    highest = np.sort(shares)[::-1][:5]
    return {"scores": shares, "top": highest / highest[0]}


class Igraph(Peer):
    """C, one thread. Its PageRank has no tolerance to set, so it is left out."""

    name, package, module = "igraph", "igraph", "igraph"

    def __init__(self, job: Job) -> None:
        import igraph

        super().__init__(job)
        ends = np.column_stack(job.graph.to_edges()[:2])
        self.graph = igraph.Graph(n=job.graph.n, edges=ends, directed=job.graph.directed)

    def bfs(self) -> Case:
        def levels(found: Any) -> Facts:
            order, starts, _ = found
            level = np.full(self.job.graph.n, -1)
            level[order] = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
            return levels_facts(level)

        return Case(timed(lambda: self.graph.bfs(self.job.source, mode="out")), levels)

    def _with_lengths(self) -> tuple[Any, list[float]]:
        """The graph with its edges in our order, and their lengths."""
        import igraph

        source, target, weights = (np.asarray(a) for a in self.job.lengths.to_edges())
        graph = igraph.Graph(
            n=self.job.graph.n, edges=np.column_stack((source, target)),
            directed=self.job.graph.directed,
        )  # fmt: skip
        return graph, weights.tolist()

    def sssp(self) -> Case:
        graph, lengths = self._with_lengths()
        return Case(
            timed(lambda: graph.distances(self.job.source, weights=lengths)),
            lambda found: distances_facts(found[0]),
        )

    def components(self) -> Case:
        return Case(
            timed(lambda: self.graph.connected_components(mode="weak")),
            lambda found: components_facts(found.membership),
        )

    def triangles(self) -> Case:
        degrees = self.job.graph.degrees
        pairs = int((degrees * (degrees - 1) // 2).sum())  # of neighbours of a vertex
        return Case(
            timed(lambda: self.graph.transitivity_undirected(mode="zero")),
            lambda share: {"count": round(share * pairs / 3)},
        )

    def maxflow(self) -> Case:
        graph, capacity = self._with_lengths()
        return Case(
            timed(lambda: graph.maxflow_value(*self.job.ends, capacity=capacity)),
            lambda found: {"value": found},
        )


class SciPy(Peer):
    """C++ and Cython, one thread."""

    name, package, module = "SciPy", "scipy", "scipy"

    def __init__(self, job: Job) -> None:
        super().__init__(job)
        self.matrix = job.graph.to_scipy().astype(np.float64)
        self.weighted = job.weighted.to_scipy().astype(np.float64)

    def bfs(self) -> Case:
        from scipy.sparse.csgraph import breadth_first_order

        def levels(found: Any) -> Facts:
            order, above = found
            above[self.job.source] = self.job.source
            level = np.full(above.size, -1)
            level[order] = 0
            up = np.where(above < 0, np.arange(above.size), above)
            steps = (up != np.arange(above.size)).astype(np.int64)
            while (up[up] != up).any():  # twice as far up every time
                steps += steps[up]
                up = up[up]
            return levels_facts(level + np.where(level == 0, steps, 0))

        return Case(timed(lambda: breadth_first_order(self.matrix, self.job.source)), levels)

    def sssp(self) -> Case:
        from scipy.sparse.csgraph import dijkstra

        matrix = self.job.lengths.to_scipy().astype(np.float64)
        return Case(timed(lambda: dijkstra(matrix, indices=self.job.source)), distances_facts)

    def components(self) -> Case:
        from scipy.sparse.csgraph import connected_components

        return Case(
            timed(lambda: connected_components(self.matrix, connection="weak")),
            lambda found: components_facts(found[1]),
        )

    def maxflow(self) -> Case:
        from scipy.sparse.csgraph import maximum_flow

        matrix = self.job.lengths.to_scipy().astype(np.int32)
        return Case(
            timed(lambda: maximum_flow(matrix, *self.job.ends)),
            lambda found: {"value": int(found.flow_value)},
        )

    def spmv(self) -> Case:
        ones = np.ones(self.job.graph.n)
        return Case(timed(lambda: self.weighted @ ones), lambda found: {"values": found})
