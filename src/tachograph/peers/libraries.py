"""NetworKit, igraph, SciPy and python-graphblas as peers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..algorithms.verify import check_independent_set
from ..graph.graph import Graph
from ..util.errors import VerificationError
from . import facts
from .facts import Facts
from .peer import DAMPING, MAX_ITER, TOL, Case, Job, Peer

__all__ = ["GraphBlas", "Igraph", "NetworKit", "SciPy"]

Theirs = Any  # an object of another library


class NetworKit(Peer):
    """C++ with OpenMP."""

    name, package, module = "NetworKit", "networkit", "networkit"

    def __init__(self, job: Job) -> None:
        import networkit

        super().__init__(job)
        self.nk = networkit
        networkit.setNumberOfThreads(job.threads)
        self.graph: Theirs = self._from(job.graph)

    def _from(self, graph: Graph) -> Theirs:
        source, target, weights = graph.to_edges()
        data: Theirs = source.astype(np.uint64), target.astype(np.uint64)
        if weights is not None:
            data = weights.astype(np.float64), data
        kind = {"weighted": weights is not None, "directed": graph.directed}
        return self.nk.GraphFromCoo(data, n=graph.n, **kind)

    def bfs(self) -> Case:
        def levels(found: Theirs) -> Facts:
            steps = np.array(found.getDistances())
            return facts.levels(np.where(steps < self.job.graph.n, steps, -1))

        search = self.nk.distance.BFS
        return Case(lambda: search(self.graph, self.job.source, storePaths=False).run(), levels)

    def sssp(self) -> Case:
        graph, search = self._from(self.job.lengths), self.nk.distance.Dijkstra
        return Case(
            lambda: search(graph, self.job.source, storePaths=False).run(),
            lambda found: facts.distances(found.getDistances()),
        )

    def connected_components(self) -> Case:
        kinds = self.nk.components
        if not self.job.graph.directed:
            return Case(
                lambda: kinds.ParallelConnectedComponents(self.graph).run(),
                lambda found: facts.components(found.getPartition().getVector()),
            )

        def weak(found: Theirs) -> Facts:
            labels = np.empty(self.job.graph.n, np.int64)
            for number, part in enumerate(found.getComponents()):
                labels[part] = number
            return facts.components(labels)

        return Case(lambda: kinds.WeaklyConnectedComponents(self.graph).run(), weak)

    def pagerank(self) -> Case:
        places = self.nk.centrality

        def rank() -> Theirs:
            ranking = places.PageRank(self.graph, DAMPING, TOL)
            ranking.norm = places.Norm.L1_NORM
            ranking.maxIterations = MAX_ITER
            return ranking.run()

        return Case(rank, lambda found: facts.scores(found.scores()))

    def maximal_independent_set(self) -> Case:
        def is_one(found: Theirs) -> Facts:
            """Check the set: some of NetworKit's were seen not to be maximal."""
            try:
                check_independent_set(self.job.graph, np.array(found, bool))
            except VerificationError:
                return {"sets": 0}
            return {"sets": 1}

        return Case(lambda: self.nk.independentset.Luby().run(self.graph), is_one)

    def triangles(self) -> Case:
        self.graph.indexEdges()
        count = self.nk.sparsification.TriangleEdgeScore
        return Case(
            lambda: count(self.graph).run(),
            lambda found: {"count": int(np.sum(found.scores())) // 3},
        )


class Igraph(Peer):
    """C, one thread. Its PageRank has no tolerance to set, so it is left out."""

    name, package, module = "igraph", "igraph", "igraph"

    def __init__(self, job: Job) -> None:
        super().__init__(job)
        self.graph: Theirs = self._from(job.graph)[0]

    def _from(self, graph: Graph) -> tuple[Theirs, list[float]]:
        """Return the graph with its edges in our order, and their weights."""
        import igraph

        source, target, weights = graph.to_edges()
        edges = np.column_stack((source, target))
        made = igraph.Graph(n=graph.n, edges=edges, directed=graph.directed)
        return made, [] if weights is None else np.asarray(weights).tolist()

    def bfs(self) -> Case:
        def levels(found: Theirs) -> Facts:
            order, starts, _ = found
            level = np.full(self.job.graph.n, -1)
            level[order] = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
            return facts.levels(level)

        return Case(lambda: self.graph.bfs(self.job.source, mode="out"), levels)

    def sssp(self) -> Case:
        graph, lengths = self._from(self.job.lengths)
        return Case(
            lambda: graph.distances(self.job.source, weights=lengths),
            lambda found: facts.distances(found[0]),
        )

    def connected_components(self) -> Case:
        return Case(
            lambda: self.graph.connected_components(mode="weak"),
            lambda found: facts.components(found.membership),
        )

    def triangles(self) -> Case:
        degrees = self.job.graph.degrees
        pairs = int((degrees * (degrees - 1) // 2).sum())  # of neighbours of a vertex
        return Case(
            lambda: self.graph.transitivity_undirected(mode="zero"),
            lambda share: {"count": round(share * pairs / 3)},
        )

    def maximum_flow(self) -> Case:
        graph, capacity = self._from(self.job.lengths)
        return Case(
            lambda: graph.maxflow_value(*self.job.ends, capacity=capacity),
            lambda found: {"value": found},
        )


class SciPy(Peer):
    """C++ and Cython, one thread."""

    name, package, module = "SciPy", "scipy", "scipy"

    def __init__(self, job: Job) -> None:
        super().__init__(job)
        self.matrix: Any = job.graph.to_scipy().astype(np.float64)

    def bfs(self) -> Case:
        from scipy.sparse.csgraph import breadth_first_order

        def levels(found: Theirs) -> Facts:
            order, above = found
            above[self.job.source] = self.job.source
            level = np.full(above.size, -1)
            level[order] = 0
            up = np.where(above < 0, np.arange(above.size), above)
            steps = (up != np.arange(above.size)).astype(np.int64)
            while (up[up] != up).any():  # twice as far up every time
                steps += steps[up]
                up = up[up]
            return facts.levels(level + np.where(level == 0, steps, 0))

        return Case(lambda: breadth_first_order(self.matrix, self.job.source), levels)

    def sssp(self) -> Case:
        from scipy.sparse.csgraph import dijkstra

        matrix = self.job.lengths.to_scipy().astype(np.float64)
        return Case(lambda: dijkstra(matrix, indices=self.job.source), facts.distances)

    def connected_components(self) -> Case:
        from scipy.sparse.csgraph import connected_components

        return Case(
            lambda: connected_components(self.matrix, connection="weak"),
            lambda found: facts.components(found[1]),
        )

    def maximum_flow(self) -> Case:
        from scipy.sparse.csgraph import maximum_flow

        matrix = self.job.lengths.to_scipy().astype(np.int32)
        return Case(
            lambda: maximum_flow(matrix, *self.job.ends),
            lambda found: {"value": int(found.flow_value)},
        )

    def spmv(self) -> Case:
        matrix, ones = self.job.weighted.to_scipy().astype(np.float64), np.ones(self.job.graph.n)
        return Case(lambda: matrix @ ones, lambda found: {"values": found})


class GraphBlas(Peer):
    """SuiteSparse:GraphBLAS, with OpenMP: linear algebra over semirings, as LAGraph does it."""

    name, package, module = "GraphBLAS", "python-graphblas", "graphblas"

    def __init__(self, job: Job) -> None:
        import graphblas

        super().__init__(job)
        self.gb: Theirs = graphblas
        graphblas.ss.config["nthreads"] = job.threads
        self.matrix: Theirs = self._from(job.graph)

    def _from(self, graph: Graph) -> Theirs:
        values = 1.0 if graph.weights is None else graph.weights.astype(np.float64)
        return self.gb.Matrix.from_csr(graph.indptr, graph.indices, values, ncols=graph.n)

    def _dense(self, found: Theirs, missing: float) -> np.ndarray:
        """Return a vector with this value where it has none."""
        whole = np.full(self.job.graph.n, missing)
        places, values = found.to_coo()
        whole[places] = values
        return whole

    def sssp(self) -> Case:
        matrix = self._from(self.job.lengths)
        shorter = self.gb.semiring.min_plus

        def bellman_ford() -> Theirs:
            distance = self.gb.Vector(float, self.job.graph.n)
            distance[self.job.source] = 0.0
            while True:
                after = distance.dup()
                after(self.gb.binary.min) << shorter(distance @ matrix)
                if after.isequal(distance):
                    return after
                distance = after

        return Case(bellman_ford, lambda found: facts.distances(self._dense(found, np.inf)))

    def bfs(self) -> Case:
        semiring, n = self.gb.semiring.any_pair, self.job.graph.n

        def search() -> Theirs:
            level = self.gb.Vector(int, n)
            front = self.gb.Vector(bool, n)
            front[self.job.source] = True
            depth = 0
            while front.nvals:
                level(front.S) << depth
                front(~level.S, replace=True) << semiring(front @ self.matrix)
                depth += 1
            return level

        return Case(search, lambda found: facts.levels(self._dense(found, -1)))

    def pagerank(self) -> Case:
        gb, n = self.gb, self.job.graph.n
        back = self.matrix.T.new()
        out = self.matrix.reduce_rowwise(gb.monoid.plus).new()  # nothing where there are no arcs

        def rank() -> Theirs:
            scores = gb.Vector.from_scalar(1 / n, n, float)
            for _ in range(MAX_ITER):
                share = (scores / out).new()
                kept = gb.binary.first(scores & out).reduce().new().value or 0.0
                new = gb.Vector.from_scalar((1 - DAMPING * kept) / n, n, float)
                new(gb.binary.plus) << gb.semiring.plus_second(back @ share) * DAMPING
                change = gb.unary.abs(new - scores).new().reduce().new().value
                scores = new
                if change < TOL:
                    break
            return scores

        return Case(rank, lambda found: facts.scores(found.to_coo()[1]))

    def triangles(self) -> Case:
        gb = self.gb
        lower = gb.select.tril(self.matrix, -1).new()
        upper = gb.select.triu(self.matrix, 1).new()

        def count() -> int:
            paths = gb.semiring.plus_pair(lower @ upper.T).new(mask=lower.S)
            return int(paths.reduce_scalar().new().value or 0)

        return Case(count, lambda found: {"count": found})

    def spmv(self) -> Case:
        matrix = self._from(self.job.weighted)
        ones = self.gb.Vector.from_scalar(1.0, self.job.graph.n, float)
        product = self.gb.semiring.plus_times
        return Case(
            lambda: product(matrix @ ones).new(),
            lambda found: {"values": self._dense(found, 0.0)},
        )
