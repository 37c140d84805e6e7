"""NetworkX's link predictions: pairs of nodes by the neighbours they have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from itertools import islice
from typing import cast

import networkx as nx
import numpy as np

import tachograph as tg

from ..algorithms.simple import simple
from .graph import BackendGraph, Node

Pairs = Iterable[tuple[Node, Node]]
Triples = Iterator[tuple[Node, Node, float]]
#: Nodes of the pairs (first, second), and their places.
Chunk = tuple[Sequence[Node], Sequence[Node], np.ndarray, np.ndarray]
Score = Callable[[np.ndarray, np.ndarray], np.ndarray]
PAIRS_AT_ONCE = 1 << 18


class Neighbours:
    """Sizes that predictions are made of. Loops make a node its own neighbour, as in NetworkX."""

    def __init__(self, graph: BackendGraph) -> None:
        self.graph = graph
        self.simple = simple(graph.rows)
        tails = graph.rows.arc_sources()
        self.loops = np.zeros(graph.rows.n, np.int64)
        self.loops[tails[tails == graph.rows.indices]] = 1

    @cached_property
    def arcs(self) -> np.ndarray:
        """Every arc as one number, sorted."""
        g = self.simple
        numbers: np.ndarray = g.arc_sources() * np.int64(g.n) + g.indices
        return numbers

    def joined(self, u: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Return whether pairs are edges."""
        wanted = u * np.int64(self.simple.n) + v
        at = np.searchsorted(self.arcs, wanted)
        found: np.ndarray = self.arcs[np.minimum(at, self.arcs.size - 1)] == wanted
        return found

    def common(self, u: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Return how many neighbours pairs share, themselves left out."""
        degrees = self.simple.degrees
        ratio = tg.overlap(self.simple, np.column_stack([u, v]), device="host").values
        counts: np.ndarray = np.rint(ratio * np.minimum(degrees[u], degrees[v])).astype(np.int64)
        return counts

    def jaccard(self, u: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Return the ratio of common neighbours to all neighbours."""
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
        """Return the products of degrees; a loop counts twice."""
        degrees = self.simple.degrees + 2 * self.loops
        product: np.ndarray = degrees[u] * degrees[v]
        return product


def _predict(
    G: BackendGraph, ebunch: Pairs | None, score: Callable[..., np.ndarray], threads: int | None
) -> Triples:
    """Return triples of two nodes and their score; pairs are checked first, then scored in chunks."""
    function = partial(score, Neighbours(G))
    if ebunch is None:
        return _triples(_non_edges(G), function, threads)
    pairs = list(ebunch)
    ends = [list(side) for side in zip(*pairs, strict=True)] or [[], []]
    places = [G.find_all(side) for side in ends]
    for side, at in zip(ends, places, strict=True):
        if (at < 0).any():
            raise nx.NodeNotFound(f"Node {side[int(np.argmax(at < 0))]} not in G.")
    every: list[Sequence[Node] | np.ndarray] = [*ends, *places]
    parts = (slice(i, i + PAIRS_AT_ONCE) for i in range(0, len(pairs), PAIRS_AT_ONCE))
    chunks = (tuple(side[part] for side in every) for part in parts)
    return _triples(cast(Iterator[Chunk], chunks), function, threads)


def _triples(chunks: Iterable[Chunk], function: Score, threads: int | None) -> Triples:
    for us, vs, u, v in chunks:
        with tg.threads(threads):
            scores = function(u, v).tolist()
        yield from zip(us, vs, scores, strict=True)


def _non_edges(G: BackendGraph) -> Iterator[Chunk]:
    """Yield pairs that are not edges, in chunks, in the order of ``nx.non_edges``."""
    pairs = _every_non_edge(G)
    while chunk := list(islice(pairs, PAIRS_AT_ONCE)):
        us, vs = zip(*chunk, strict=True)
        yield us, vs, G.find_all(us), G.find_all(vs)


def _every_non_edge(G: BackendGraph) -> Iterator[tuple[Node, Node]]:
    rest = set(G)
    while rest:
        u = rest.pop()
        for v in rest - set(G.named(G.rows.neighbors(G.find(u)))):
            yield u, v


def jaccard_coefficient(
    G: BackendGraph, ebunch: Pairs | None = None, *, threads: int | None = None
) -> Triples:
    return _predict(G, ebunch, Neighbours.jaccard, threads)


def preferential_attachment(
    G: BackendGraph, ebunch: Pairs | None = None, *, threads: int | None = None
) -> Triples:
    return _predict(G, ebunch, Neighbours.attachment, threads)
