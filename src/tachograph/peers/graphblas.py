"""python-graphblas as a peer: linear algebra over semirings, in the manner of LAGraph."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph.graph import Graph
from . import facts
from .peer import DAMPING, MAX_ITER, TOL, Case, Job, Peer

__all__ = ["GraphBlas"]

Theirs = Any  # a vector, matrix or scalar of GraphBLAS


class GraphBlas(Peer):
    """SuiteSparse:GraphBLAS, with OpenMP."""

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
