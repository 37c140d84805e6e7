"""Searches in NetworkX's order, and the dicts that its shortest-path functions make from them."""

from __future__ import annotations

import math
import weakref
from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

import numpy as np

import tachograph as tg

from ..graph.graph import Graph
from .graph import BackendGraph, Node

__all__ = ["Found", "Paths", "hops", "hops_tree", "near", "near_tree", "pred_lists", "steps"]

ORDERED_BELOW_ARCS = 1 << 17  # one thread is faster than several, and keeps NetworkX's order
EXACT_BELOW = 2.0**53  # whole numbers up to here are float64 numbers
Paths: TypeAlias = dict[Node, list[Node]]


class Found(NamedTuple):
    """The result of a search: vertices in order of distance, their distances and parents."""

    graph: BackendGraph
    order: np.ndarray
    distances: np.ndarray  # of the vertices in ``order``
    parent: np.ndarray  # of all vertices; empty if only distances were asked for

    def lengths(self) -> dict[Node, float]:
        """Return the distances by node."""
        return self.graph.labelled(self.order, self.distances.tolist())

    def paths(self) -> Paths:
        """Return a path to each node, both ends included."""
        nodes = self.graph.named(self.order)
        parents = self.graph.named(self.parent[self.order])
        made: Paths = {}
        for node, parent in zip(nodes, parents, strict=True):
            made[node] = [*made[parent], node] if parent in made else [node]
        return made

    def path(self, target: int) -> list[Node]:
        """Return the path to a vertex that was reached."""
        places = [target]
        while (before := int(self.parent[places[-1]])) != places[-1]:
            places.append(before)
        return self.graph.named(np.array(places[::-1]))


def steps(cutoff: float | None) -> float:
    """Return the number of levels that a search with NetworkX's ``cutoff`` goes through."""
    if cutoff is None or cutoff == math.inf:
        return math.inf
    return math.ceil(cutoff) if cutoff > 0 else 0


def as_sources(graph: Graph, places: Iterable[int]) -> np.ndarray:
    """Return sources as an array of the type that searches are compiled for."""
    return np.array(list(places), graph.indices.dtype)


def hops_tree(graph: BackendGraph, source: int, limit: float, rows: Graph | None = None) -> Found:
    """Return levels and parents of a breadth-first search, in the order of a queue."""
    from ..kernels.paths.ordered import breadth_first

    g = graph.rows if rows is None else rows
    order, parent, ends = breadth_first(g.rows, as_sources(g, [source]), limit)
    levels = np.repeat(np.arange(ends.size), np.diff(ends, prepend=0))
    return Found(graph, order, levels, parent)


def hops(
    graph: BackendGraph,
    source: int,
    limit: float,
    rows: Graph | None = None,
    direction: str | None = None,
    threads: int | None = None,
) -> Found:
    """Return levels of a breadth-first search, with all threads if the graph is large."""
    g = graph.rows if rows is None else rows
    if g.arcs < ORDERED_BELOW_ARCS and direction is None and threads is None:
        return hops_tree(graph, source, limit, g)
    most = None if limit >= g.n else int(limit)
    way = direction or "auto"
    levels = tg.bfs(g, source, direction=way, cutoff=most, threads=threads, trace=False).levels
    short = levels.astype(np.int16) if g.n < 2**15 or levels.max() < 2**15 else levels
    order = np.argsort(short, kind="stable")[int(np.count_nonzero(levels < 0)) :]
    return Found(graph, order, levels[order], np.empty(0, g.indices.dtype))


def checked(graph: Graph) -> Graph:
    """Return the graph if its weights allow Dijkstra's algorithm."""
    known = graph.features.weights
    if known is not None and known["min"] < 0:
        raise NotImplementedError("Dijkstra's algorithm with negative weights is left to NetworkX")
    return graph


def as_numbers(graph: Graph, distances: np.ndarray) -> np.ndarray:
    """Return distances as integers if all weights are integers."""
    if graph.weights is not None and graph.weights.dtype.kind == "f":
        return distances
    if distances.size and abs(distances).max() >= EXACT_BELOW:
        raise NotImplementedError("whole distances beyond 2**53 are left to NetworkX")
    return distances.astype(np.int64)


_doubles: weakref.WeakKeyDictionary[Graph, np.ndarray] = weakref.WeakKeyDictionary()


def float_weights(graph: Graph) -> np.ndarray:
    """Return weights of the type that ordered searches are compiled for; kept with the graph."""
    if graph not in _doubles:
        weights = np.ones(graph.arcs) if graph.weights is None else graph.weights
        _doubles[graph] = weights.astype(np.float64)
        _doubles[graph].flags.writeable = False
    return _doubles[graph]


def near_tree(
    graph: BackendGraph,
    g: Graph,
    sources: Iterable[int],
    target: int = -1,
    cutoff: float | None = None,
    threads: int | None = None,
) -> Found:
    """Return distances and parents of Dijkstra's algorithm, in the order of NetworkX's heap."""
    from ..kernels.paths.ordered import nearest_first, settle
    from ..kernels.runtime.nouns import WeightedRows

    starts = as_sources(g, sources)
    rows = WeightedRows(*g.rows, float_weights(g))
    if target >= 0 or cutoff is not None or g.arcs < ORDERED_BELOW_ARCS:
        limit = math.inf if cutoff is None else float(cutoff)
        order, parent, key = nearest_first(rows, starts, target, limit)
        return Found(graph, order, as_numbers(g, key[order]), parent)
    distances = tg.sssp(g, starts, threads=threads, trace=False).distances
    order, parent = settle(rows, starts, distances)
    return Found(graph, order, as_numbers(g, distances[order]), parent)


def near(
    graph: BackendGraph,
    g: Graph,
    sources: Iterable[int],
    cutoff: float | None = None,
    max_error: float | None = None,
    threads: int | None = None,
) -> Found:
    """Return distances only, with all threads if the graph is large."""
    if g.arcs < ORDERED_BELOW_ARCS and max_error is None:
        return near_tree(graph, g, sources, cutoff=cutoff)
    starts = as_sources(g, sources)
    distances = tg.sssp(g, starts, max_error=max_error, threads=threads, trace=False).distances
    order = np.argsort(distances, kind="stable")
    far = math.inf if cutoff is None else float(cutoff)
    last = distances[order]
    order = order[: np.searchsorted(last, max(far, 0.0), "right" if far < math.inf else "left")]
    return Found(graph, order, as_numbers(g, distances[order]), np.empty(0, g.indices.dtype))


def pred_lists(found: Found, g: Graph) -> Paths:
    """Return, for each node reached, all neighbours that come before it on a shortest path."""
    n = g.n
    distances, rank = np.full(n, np.inf), np.zeros(n, np.int64)
    distances[found.order] = found.distances
    rank[found.order] = np.arange(found.order.size)
    tails = g.arc_sources()
    weights = 1 if g.weights is None else g.weights
    tight = distances[tails] + weights == distances[g.indices]
    tight &= np.isfinite(distances[tails])
    tails, heads = tails[tight], g.indices[tight]
    by_head = np.lexsort((rank[tails], rank[heads]))
    before = found.graph.named(tails[by_head])
    ends = np.cumsum(np.bincount(rank[heads], minlength=found.order.size)).tolist()
    lists = (before[a:b] for a, b in zip([0, *ends], ends, strict=False))
    return found.graph.labelled(found.order, lists)
