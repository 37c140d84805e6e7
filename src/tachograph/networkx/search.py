"""Searches in NetworkX's order, and the dicts that its shortest-path functions make from them.

A search takes the graph to search in and the places of its sources; if no ``paths`` are wanted, large
graphs are searched by all threads.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Iterable
from typing import Literal, NamedTuple, TypeAlias

import networkx as nx
import numpy as np
import numpy.typing as npt

import tachograph as tg

from ..graph.graph import Graph
from ..kernels.paths.ordered import breadth_first, nearest_first, settle
from ..kernels.runtime.nouns import WeightedRows
from ..util.errors import NegativeCycleError
from .graph import BackendGraph, Node, Query

__all__ = ["Found", "Paths", "as_sources", "hops", "near", "pred_lists", "relaxed"]

ORDERED_BELOW_ARCS = 1 << 17  # one thread is faster than several, and keeps NetworkX's order
EXACT_BELOW = 2.0**53  # whole numbers up to here are float64 numbers
UNBOUNDED = "Negative cycle detected."
Paths: TypeAlias = dict[Node, list[Node]]


class Found(NamedTuple):
    """The result of a search: vertices in order of distance, their distances and parents."""

    graph: BackendGraph
    order: np.ndarray
    distances: np.ndarray  # of the vertices in ``order``
    parent: np.ndarray  # of all vertices; empty if only distances were asked for

    def lengths(self) -> dict[Node, float]:
        return self.graph.labelled(self.order, self.distances.tolist())

    def paths(self) -> Paths:
        """Return a path to each node, both ends included."""
        nodes = self.graph.named(self.order)
        parents = self.graph.named(self.parent[self.order])
        made: Paths = {}
        for node, parent in zip(nodes, parents, strict=True):
            made[node] = [*made[parent], node] if parent in made else [node]
        return made

    def both(self) -> tuple[dict[Node, float], Paths]:
        return self.lengths(), self.paths()

    def path(self, target: int) -> list[Node]:
        """Return the path to a vertex that was reached."""
        places = [target]
        while (before := int(self.parent[places[-1]])) != places[-1]:
            places.append(before)
        return self.graph.named(np.array(places[::-1]))


def as_sources(graph: Graph, places: Iterable[int]) -> np.ndarray:
    """Return sources as an array of the type that searches are compiled for."""
    return np.array(list(places), graph.indices.dtype)


def hops(q: Query, g: Graph, sources: list[int], paths: bool = True) -> Found:
    """Search breadth-first from one source, up to ``cutoff``; paths in the order of a queue."""
    limit = math.inf
    if q.cutoff is not None and q.cutoff < math.inf:
        limit = math.ceil(q.cutoff) if q.cutoff > 0 else 0
    if paths or (g.arcs < ORDERED_BELOW_ARCS and q.direction is None and q.threads is None):
        order, parent, ends = breadth_first(g.rows, as_sources(g, sources), limit)
        return Found(q.G, order, np.repeat(np.arange(ends.size), np.diff(ends, prepend=0)), parent)
    most, way = None if limit >= g.n else int(limit), q.direction or "auto"
    result = tg.bfs(g, sources[0], direction=way, cutoff=most, threads=q.threads, trace=False)
    levels = result.levels
    short = levels.astype(np.int16) if g.n < 2**15 or levels.max() < 2**15 else levels
    order = np.argsort(short, kind="stable")[int(np.count_nonzero(levels < 0)) :]
    return Found(q.G, order, levels[order], np.empty(0, g.indices.dtype))


def as_numbers(graph: Graph, distances: np.ndarray) -> np.ndarray:
    """Return distances as integers if all weights are integers."""
    if graph.weights is not None and graph.weights.dtype.kind == "f":
        return distances
    if distances.size and abs(distances).max() >= EXACT_BELOW:
        raise NotImplementedError("whole distances beyond 2**53 are left to NetworkX")
    return distances.astype(np.int64)


_doubles: weakref.WeakKeyDictionary[Graph, np.ndarray] = weakref.WeakKeyDictionary()


def weighted_rows(graph: Graph) -> WeightedRows:
    """Return rows with weights of the type that ordered searches are compiled for, which are kept."""
    if graph not in _doubles:
        weights = np.ones(graph.arcs) if graph.weights is None else graph.weights
        _doubles[graph] = weights.astype(np.float64)
        _doubles[graph].flags.writeable = False
    return WeightedRows(*graph.rows, _doubles[graph])


def near(
    q: Query, g: Graph, sources: list[int], paths: bool = True, target: int | None = None
) -> Found:
    """Search by Dijkstra's algorithm up to ``cutoff`` or a target, in the order of NetworkX's heap."""
    starts = as_sources(g, sources)
    bounded = target is not None or q.cutoff is not None
    small = g.arcs < ORDERED_BELOW_ARCS and (paths or q.max_error is None)
    if small or (paths and bounded):
        limit = math.inf if q.cutoff is None else float(q.cutoff)
        to = -1 if target is None else target
        order, parent, key = nearest_first(weighted_rows(g), starts, to, limit)
        return Found(q.G, order, as_numbers(g, key[order]), parent)
    found = tg.sssp(g, starts, max_error=q.max_error, threads=q.threads, trace=False).distances
    if not paths:
        return _by_distance(q, g, found)
    order, parent = settle(weighted_rows(g), starts, found)
    return Found(q.G, order, as_numbers(g, found[order]), parent)


def _by_distance(q: Query, g: Graph, distances: np.ndarray) -> Found:
    """Return what was reached within ``cutoff``, without parents."""
    order = np.argsort(distances, kind="stable")
    far = math.inf if q.cutoff is None else max(float(q.cutoff), 0.0)
    side: Literal["left", "right"] = "right" if far < math.inf else "left"
    order = order[: np.searchsorted(distances[order], far, side)]
    return Found(q.G, order, as_numbers(g, distances[order]), np.empty(0, g.indices.dtype))


def negative(g: Graph) -> bool:
    """Whether some weight is negative."""
    known = g.features.weights
    return known is not None and bool(known["min"] < 0)


def any_distances(g: Graph, sources: npt.ArrayLike, threads: int | None) -> tg.SsspResult:
    """Search in a graph that may have a negative cycle."""
    try:
        return tg.sssp(g, sources, threads=threads, trace=False)
    except NegativeCycleError:
        raise nx.NetworkXUnbounded(UNBOUNDED) from None


def relaxed(q: Query, g: Graph, sources: list[int], paths: bool = True) -> Found:
    """Search from one source with weights that may be negative; a parent comes before its children."""
    if not negative(g):
        return near(q, g, sources, paths)
    result = any_distances(g, sources[0], q.threads)
    if not paths:
        return _by_distance(q, g, result.distances)
    parents = result.predecessors
    children = np.flatnonzero((parents >= 0) & (parents != np.arange(g.n)))
    tree = Graph.from_edges(parents[children], children, n=g.n)
    order, parent, _ = breadth_first(tree.rows, as_sources(tree, sources), g.n)
    return Found(q.G, order, as_numbers(g, result.distances[order]), parent)


def pred_lists(found: Found, g: Graph) -> Paths:
    """Return, for each node reached, all neighbours that come before it on a shortest path."""
    distances, rank = np.full(g.n, np.inf), np.zeros(g.n, np.int64)
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
