"""Random graphs of all kinds, and what SciPy, NetworkX and, if installed, igraph say about them."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from functools import cached_property

import networkx as nx
import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

import tachograph as tg

HAS_IGRAPH = importlib.util.find_spec("igraph") is not None


def _gnm(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.integers(0, n, (int(rng.integers(0, 4 * n)), 2))


def _hubs(rng: np.random.Generator, n: int) -> np.ndarray:
    ends = rng.integers(0, n, (2 * n, 2))
    ends[:, 0] = np.minimum(ends[:, 0], rng.integers(1, 3))
    return rng.permuted(ends, axis=1)


def _grid(rng: np.random.Generator, n: int) -> np.ndarray:
    ids = np.arange(n)
    width = int(rng.integers(2, 9))
    right = ids[(ids % width < width - 1) & (ids + 1 < n)]
    below = ids[ids + width < n]
    both = np.concatenate([np.c_[right, right + 1], np.c_[below, below + width]])
    return both[rng.random(len(both)) < 0.9]


def _line(rng: np.random.Generator, n: int) -> np.ndarray:
    order = rng.permutation(n)
    return np.c_[order[:-1], order[1:]]


def _dense(rng: np.random.Generator, n: int) -> np.ndarray:
    k = min(n, 16)
    return np.argwhere(rng.random((k, k)) < 0.7)


def _halves(rng: np.random.Generator, n: int) -> np.ndarray:
    half = n // 2
    ends = np.concatenate([_gnm(rng, max(half, 1)), _gnm(rng, max(n - half, 1)) + half])
    return ends[(ends < n).all(axis=1)]


def _tree(rng: np.random.Generator, n: int) -> np.ndarray:
    return np.array([(rng.integers(0, v), v) for v in range(1, n)], np.int64).reshape(-1, 2)


def _skewed(rng: np.random.Generator, n: int) -> np.ndarray:
    return (n * rng.random((3 * n, 2)) ** 3).astype(np.int64)


def _none(rng: np.random.Generator, n: int) -> np.ndarray:
    return np.empty((0, 2), np.int64)


SHAPES = [_gnm, _hubs, _grid, _line, _dense, _halves, _tree, _skewed, _gnm, _none]
#: Weights: none, whole, whole with zeros, real (in eighths, so that sums are exact), float32.
WEIGHTS = [
    lambda rng, m: None,
    lambda rng, m: rng.integers(1, 100, m),
    lambda rng, m: rng.integers(0, 3, m),
    lambda rng, m: rng.integers(1, 800, m) / 8,
    lambda rng, m: (rng.integers(1, 80, m) / 8).astype(np.float32),
]


class Case:
    """A random graph and what others say about it; ``edges`` is where all of them begin."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.seed = seed
        self.n = n = int(rng.integers(1, 70))
        self.directed = bool(rng.integers(2))
        self.edges = SHAPES[seed % len(SHAPES)](rng, n)
        self.weights = WEIGHTS[seed // len(SHAPES) % len(WEIGHTS)](rng, len(self.edges))
        self.source, self.sink = (int(v) for v in rng.integers(0, n, 2))
        self.graph = tg.Graph.from_edges(*self.edges.T, self.weights, n=n, directed=self.directed)

    def arcs(self) -> Iterator[tuple[int, int, float]]:
        """Every arc with its weight or 1; an undirected edge in both directions."""
        weights = np.ones(len(self.edges)) if self.weights is None else self.weights
        for (u, v), w in zip(self.edges.tolist(), weights.tolist(), strict=True):
            yield u, v, w
            if not self.directed and u != v:
                yield v, u, w

    @cached_property
    def nx(self) -> nx.MultiDiGraph:
        made = nx.MultiDiGraph()
        made.add_nodes_from(range(self.n))
        made.add_weighted_edges_from(self.arcs())
        return made

    @cached_property
    def simple(self) -> nx.Graph:
        """Undirected, without loops and parallel edges."""
        made = nx.Graph((u, v) for u, v in self.edges.tolist() if u != v)
        made.add_nodes_from(range(self.n))
        return made

    @cached_property
    def simple_arcs(self) -> nx.Graph:
        """Without loops and parallel edges, directed if the graph is."""
        if not self.directed:
            return self.simple
        made = nx.DiGraph(np.argwhere(self.neighbours).tolist())
        made.add_nodes_from(range(self.n))
        return made

    @cached_property
    def igraph(self) -> object:
        import igraph

        arcs = list(self.arcs())
        made = igraph.Graph(n=self.n, edges=[a[:2] for a in arcs], directed=True)
        made.es["weight"] = [a[2] for a in arcs]
        return made

    @cached_property
    def igraph_simple(self) -> object:
        """Each pair of neighbours once, without loops."""
        import igraph

        pairs = np.argwhere(self.neighbours if self.directed else np.triu(self.neighbours))
        return igraph.Graph(n=self.n, edges=pairs.tolist(), directed=self.directed)

    @cached_property
    def neighbours(self) -> np.ndarray:
        """Whether an arc leads from one vertex to another, which is not itself; dense."""
        made = np.zeros((self.n, self.n), bool)
        for u, v, _ in self.arcs():
            made[u, v] = u != v
        return made

    def _sparse(self, least: bool) -> sparse.csr_array:
        """The matrix of least or of summed weights."""
        made: dict[tuple[int, int], float] = {}
        for u, v, w in self.arcs():
            both = (made[u, v], w) if (u, v) in made else (w,)
            made[u, v] = min(both) if least else sum(both)
        rows, columns = np.array(list(made), np.int64).reshape(-1, 2).T
        return sparse.csr_array((list(made.values()), (rows, columns)), shape=(self.n, self.n))

    @cached_property
    def levels(self) -> list[dict[int, float]]:
        matrix = self._sparse(least=True)
        matrix.data[:] = 1
        found = csgraph.dijkstra(matrix, indices=self.source, unweighted=True)
        answers = [{v: x for v, x in enumerate(found.tolist()) if x < np.inf}]
        answers.append(dict(nx.single_source_shortest_path_length(self.nx, self.source)))
        if HAS_IGRAPH:
            found = self.igraph.distances(self.source)[0]
            answers.append({v: x for v, x in enumerate(found) if x < np.inf})
        return answers

    @cached_property
    def distances(self) -> list[dict[int, float]]:
        answers = [dict(nx.single_source_dijkstra_path_length(self.nx, self.source))]
        if self.weights is None or not len(self.edges) or self.weights.min() > 0:
            found = csgraph.dijkstra(self._sparse(least=True), indices=self.source)
            answers.append({v: x for v, x in enumerate(found.tolist()) if x < np.inf})
        if HAS_IGRAPH:
            found = self.igraph.distances(self.source, weights="weight")[0]
            answers.append({v: x for v, x in enumerate(found) if x < np.inf})
        return answers

    @cached_property
    def components(self) -> list[list[int]]:
        """The smallest id of each vertex's component."""
        _, marks = csgraph.connected_components(self._sparse(least=False), connection="weak")
        answers = [[int(np.flatnonzero(marks == mark)[0]) for mark in marks]]
        labels = {v: min(part) for part in nx.weakly_connected_components(self.nx) for v in part}
        answers.append([labels[v] for v in range(self.n)])
        if HAS_IGRAPH:
            member = np.array(self.igraph.connected_components("weak").membership)
            answers.append([int(np.flatnonzero(member == mark)[0]) for mark in member])
        return answers

    @cached_property
    def strong_components(self) -> list[list[int]]:
        """The smallest id of each vertex's strong component."""
        reach = self.neighbours | np.eye(self.n, dtype=bool)
        for _ in range(self.n.bit_length()):
            reach = reach @ reach
        answers = [(reach & reach.T).argmax(axis=1).tolist()]
        _, marks = csgraph.connected_components(self._sparse(least=False), connection="strong")
        found = [marks.tolist()]
        if HAS_IGRAPH:
            found.append(self.igraph.connected_components("strong").membership)
        return answers + [[list(each).index(mark) for mark in each] for each in found]

    @cached_property
    def pageranks(self) -> list[list[float]]:
        found = nx.pagerank(self.nx, tol=1e-14, max_iter=2000)
        answers = [[found[v] for v in range(self.n)]]
        whole = all(self.nx.out_degree(v, "weight") or not self.nx.out_degree(v) for v in self.nx)
        if HAS_IGRAPH and whole:  # igraph refuses arcs that cannot be followed
            answers.append(self.igraph.pagerank(weights="weight"))
        return answers

    @cached_property
    def triangles(self) -> list[list[int]]:
        found = nx.triangles(self.simple)
        dense = self.neighbours.astype(int)
        square = np.einsum("ij,jk,ki->i", dense, dense, dense) // 2
        answers = [[found[v] for v in range(self.n)], square.tolist()]
        if HAS_IGRAPH:
            corners = np.array(self.igraph_simple.list_triangles(), np.int64).ravel()
            answers.append(np.bincount(corners, minlength=self.n).tolist())
        return answers

    @cached_property
    def flows(self) -> list[float]:
        net = nx.DiGraph()
        net.add_nodes_from(range(self.n))
        summed = self._sparse(least=False).tocoo()
        for u, v, w in zip(
            summed.row.tolist(), summed.col.tolist(), summed.data.tolist(), strict=True
        ):
            if u != v:
                net.add_edge(u, v, capacity=w)
        answers = [nx.maximum_flow_value(net, self.source, self.sink)]
        if self.weights is None or self.weights.dtype.kind == "i":
            matrix = sparse.csr_array(summed.astype(np.int32))
            answers.append(csgraph.maximum_flow(matrix, self.source, self.sink).flow_value)
        if HAS_IGRAPH:
            answers.append(self.igraph.maxflow_value(self.source, self.sink, capacity="weight"))
        return answers

    @cached_property
    def jaccards(self) -> list[np.ndarray]:
        """The Jaccard similarity of all pairs by igraph; other similarities are not in other libraries."""
        if not HAS_IGRAPH:
            return []
        return [np.array(self.igraph_simple.similarity_jaccard(mode="out", loops=False))]

    def similarities(self, task: str) -> np.ndarray:
        """The similarity of all pairs, by the definitions."""
        common = self.neighbours.astype(np.float64) @ self.neighbours.T
        sizes = self.neighbours.sum(axis=1, dtype=np.float64)
        one, other = sizes[:, None], sizes[None, :]
        divisor = {
            "jaccard": one + other - common,
            "overlap": np.minimum(one, other),
            "sorensen": (one + other) / 2,
            "cosine": np.sqrt(one * other),
        }[task]
        return np.divide(common, divisor, out=np.zeros_like(common), where=common > 0)

    def product(self, vector: np.ndarray) -> np.ndarray:
        return self._sparse(least=False) @ vector
