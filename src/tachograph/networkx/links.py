"""NetworkX's link predictions: pairs of nodes by the neighbours they have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import islice
from typing import Any

import networkx as nx
import numpy as np

from ..algorithms.similarity import overlap
from ..algorithms.simple import simple
from .graph import BackendGraph

Triples = Iterator[tuple[Any, Any, float]]
CHUNK = 1 << 18  # pairs that are computed at a time


class Neighbours:
    """Sizes that predictions are made of. Loops make a node its own neighbour, as in NetworkX."""

    def __init__(self, graph: BackendGraph) -> None:
        self.graph = graph
        self.simple = simple(graph.rows)
        tails = np.repeat(np.arange(graph.rows.n), graph.rows.degrees)
        self.loops = np.zeros(graph.rows.n, np.int64)
        self.loops[tails[tails == graph.rows.indices]] = 1

    @cached_property
    def arcs(self) -> np.ndarray:
        """Every arc as one number, sorted."""
        g = self.simple
        tails = np.repeat(np.arange(g.n), g.degrees)
        numbers: np.ndarray = tails * np.int64(g.n) + g.indices
        return numbers

    def joined(self, u: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Whether pairs are edges."""
        wanted = u * np.int64(self.simple.n) + v
        at = np.searchsorted(self.arcs, wanted)
        found: np.ndarray = self.arcs[np.minimum(at, self.arcs.size - 1)] == wanted
        return found

    def common(self, u: np.ndarray, v: np.ndarray) -> np.ndarray:
        """How many neighbours pairs share, themselves left out."""
        degrees = self.simple.degrees
        ratio = overlap(self.simple, np.column_stack([u, v]), device="host").values
        counts: np.ndarray = np.rint(ratio * np.minimum(degrees[u], degrees[v])).astype(np.int64)
        return counts

    def jaccard(self, u: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Common neighbours by all neighbours."""
        degrees = self.simple.degrees
        common = self.common(u, v)
        every = degrees[u] + degrees[v] - common
        if self.loops.any():
            apart = (u != v) & ~self.joined(u, v) if self.arcs.size else u != v
            every += np.where(apart, self.loops[u] + self.loops[v], 0)
            every += np.where(u == v, self.loops[u], 0)
        ratio: np.ndarray = np.divide(common, every, out=np.zeros(u.size), where=every > 0)
        return ratio

    def attachment(self, u: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Products of degrees; a loop counts twice."""
        degrees = self.simple.degrees + 2 * self.loops
        product: np.ndarray = degrees[u] * degrees[v]
        return product


def _predict(
    G: BackendGraph, ebunch: Iterable[tuple[Any, Any]] | None, score: str, threads: int | None
) -> Triples:
    """Triples of two nodes and their score; pairs are checked at once, scores computed in chunks."""
    neighbours = Neighbours(G)
    function: Callable[..., np.ndarray] = getattr(neighbours, score)
    if ebunch is None:
        return _triples(G, _non_edges(G), function, threads)
    pairs = list(ebunch)
    ends = [list(side) for side in zip(*pairs, strict=True)] or [[], []]
    places = [G.find_all(side) for side in ends]
    for side, at in zip(ends, places, strict=True):
        if (at < 0).any():
            raise nx.NodeNotFound(f"Node {side[int(np.argmax(at < 0))]} not in G.")
    chunks = (
        (*(side[i : i + CHUNK] for side in ends), *(at[i : i + CHUNK] for at in places))
        for i in range(0, len(pairs), CHUNK)
    )
    return _triples(G, chunks, function, threads)


def _triples(
    G: BackendGraph, chunks: Iterable[Any], function: Callable[..., np.ndarray], threads: int | None
) -> Triples:
    from ..kernels.runtime.launch import threads as using

    for us, vs, u, v in chunks:
        with using(threads):
            scores = function(u, v).tolist()
        yield from zip(us, vs, scores, strict=True)


def _non_edges(G: BackendGraph) -> Iterator[Any]:
    """Pairs that are not edges, in chunks, in the order of ``nx.non_edges``."""
    pairs = _every_non_edge(G)
    while chunk := list(islice(pairs, CHUNK)):
        us, vs = zip(*chunk, strict=True)
        yield us, vs, G.find_all(us), G.find_all(vs)


def _every_non_edge(G: BackendGraph) -> Iterator[tuple[Any, Any]]:
    rest = set(G)
    while rest:
        u = rest.pop()
        for v in rest - set(G.named(G.rows.neighbors(G.find(u)))):
            yield u, v


def jaccard_coefficient(
    G: BackendGraph, ebunch: Iterable[tuple[Any, Any]] | None = None, *, threads: int | None = None
) -> Triples:
    return _predict(G, ebunch, "jaccard", threads)


def preferential_attachment(
    G: BackendGraph, ebunch: Iterable[tuple[Any, Any]] | None = None, *, threads: int | None = None
) -> Triples:
    return _predict(G, ebunch, "attachment", threads)
