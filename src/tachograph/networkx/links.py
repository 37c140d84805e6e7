"""NetworkX's PageRank, and its predictions of links by the neighbours that nodes have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import islice
from typing import cast

import networkx as nx
import numpy as np
from numpy.typing import NDArray

import tachograph as tg

from ..algorithms.simple import RARITY, simple
from ..kernels.pagerank.pull import multiply
from ..kernels.similarity.edges import COMMON
from ..kernels.similarity.pairs import pair_similarities
from .graph import BackendGraph, Node, Query

Triples = Iterator[tuple[Node, Node, float]]
#: Nodes of the pairs (first, second), and their places.
Chunk = tuple[Sequence[Node], Sequence[Node], np.ndarray, np.ndarray]
Score = Callable[[np.ndarray, np.ndarray], np.ndarray]
PAIRS_AT_ONCE = 1 << 18


class Neighbours:
    """Sizes that predictions are made of. Loops make a node its own neighbour, as in NetworkX."""

    def __init__(self, graph: BackendGraph) -> None:
        self.simple: tg.Graph = simple(graph.rows)
        tails = graph.rows.arc_sources()
        self.loops: NDArray[np.int64] = np.zeros(graph.rows.n, np.int64)
        self.loops[tails[tails == graph.rows.indices]] = 1

    @cached_property
    def arcs(self) -> np.ndarray:
        """Every arc as one number, sorted, and a larger one."""
        g = self.simple
        return np.append(g.arc_sources() * np.int64(g.n) + g.indices, np.iinfo(np.int64).max)

    def joined(self, u: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Return whether pairs are edges."""
        wanted = u * np.int64(self.simple.n) + v
        found: np.ndarray = self.arcs[np.searchsorted(self.arcs, wanted)] == wanted
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
            apart = (u != v) & ~self.joined(u, v)
            every += np.where(apart, self.loops[u] + self.loops[v], 0)
            every += np.where(u == v, self.loops[u], 0)
        ratio: np.ndarray = np.divide(common, every, out=np.zeros(u.size), where=every > 0)
        return ratio

    def rarity(self, task: str, u: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Return sums over common neighbours, by their degrees; a loop counts twice."""
        g, degrees = self.simple, self.simple.degrees + 2 * self.loops
        if task == "adamic_adar":  # a neighbour of only one node is common to that and itself
            single = np.bincount(g.arc_sources()[degrees[g.indices] == 1], minlength=g.n) > 0
            if single[u[u == v]].any():
                raise ZeroDivisionError
        worth = RARITY[task](degrees.astype(np.float64))[g.indices]
        return pair_similarities(g.rows, worth, u, v, COMMON)[0]

    def adamic_adar(self, u: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Return the index of Adamic and Adar."""
        return self.rarity("adamic_adar", u, v)

    def resource_allocation(self, u: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Return the index of resource allocation."""
        return self.rarity("resource_allocation", u, v)

    def attachment(self, u: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Return the products of degrees; a loop counts twice."""
        degrees = self.simple.degrees + 2 * self.loops
        product: np.ndarray = degrees[u] * degrees[v]
        return product


def _predict(
    score: Callable[[Neighbours, np.ndarray, np.ndarray], np.ndarray], q: Query
) -> Triples:
    """Return triples of two nodes and their score; pairs are checked first, then scored in chunks."""
    function = partial(score, Neighbours(q.G))
    if q.ebunch is None:
        return _triples(_non_edges(q.G), function, q.threads)
    pairs = list(q.ebunch)
    ends = [list(side) for side in zip(*pairs, strict=True)] or [[], []]
    places = [q.G.find_all(side) for side in ends]
    for side, at in zip(ends, places, strict=True):
        if (at < 0).any():
            raise nx.NodeNotFound(f"Node {side[int(np.argmax(at < 0))]} not in G.")
    every: list[Sequence[Node] | np.ndarray] = [*ends, *places]
    parts = (slice(i, i + PAIRS_AT_ONCE) for i in range(0, len(pairs), PAIRS_AT_ONCE))
    chunks = (tuple(side[part] for side in every) for part in parts)
    return _triples(cast(Iterator[Chunk], chunks), function, q.threads)


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
        for v in rest - set(G.named(G.rows.row(G.find(u)))):
            yield u, v


adamic_adar_index: Callable[[Query], object] = partial(_predict, Neighbours.adamic_adar)
resource_allocation_index: Callable[[Query], object] = partial(
    _predict, Neighbours.resource_allocation
)
jaccard_coefficient: Callable[[Query], object] = partial(_predict, Neighbours.jaccard)
preferential_attachment: Callable[[Query], object] = partial(_predict, Neighbours.attachment)


def _shares(G: BackendGraph, given: Mapping[Node, float] | None, default: np.ndarray) -> np.ndarray:
    """Return a share for each node, from a dict that may lack some; ``default`` without a dict."""
    if given is None:
        return default
    values = np.array([given.get(node, 0) for node in G], float)
    values /= values.sum()
    return values


def pagerank(q: Query) -> dict[Node, float]:
    """Iterate exactly as NetworkX does, because the result depends on every step."""
    G, n = q.G, len(q.G)
    if n == 0:
        return {}
    g = G.weighted(q.weight, "sum")
    if q.weight is None and G.parallel is not None:
        g = g._replace(weights=G.parallel.astype(np.int32))
    back = g.transpose
    with tg.threads(q.threads):
        out = multiply(g.rows, g.weights, np.ones(n))
        inverse = np.divide(1.0, out, out=np.zeros(n), where=out != 0)
        lost = np.flatnonzero(inverse == 0)
        uniform = np.full(n, 1 / n)
        if q.personalization is not None and sum(q.personalization.get(v, 0) for v in G) == 0:
            raise ZeroDivisionError
        x = _shares(G, q.nstart, uniform)
        jump = _shares(G, q.personalization, uniform)
        spread = _shares(G, q.dangling, jump)
        for _ in range(q.max_iter):
            last = x
            followed = multiply(back.rows, back.weights, x * inverse)
            x = q.alpha * (followed + x[lost].sum() * spread) + (1 - q.alpha) * jump
            if np.absolute(x - last).sum() < n * q.tol:
                return G.by_node(x)
    raise nx.PowerIterationFailedConvergence(q.max_iter)
