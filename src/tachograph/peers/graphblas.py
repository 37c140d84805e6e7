"""python-graphblas as a peer: linear algebra over semirings, in the manner of LAGraph."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph.graph import Graph
from .libraries import (
    DAMPING,
    ITERATIONS,
    TOLERANCE,
    Case,
    Facts,
    Job,
    Peer,
    distances_facts,
    levels_facts,
    scores_facts,
    timed,
)

__all__ = ["GraphBlas"]


class GraphBlas(Peer):
    """SuiteSparse:GraphBLAS, with OpenMP."""

    name, package, module = "GraphBLAS", "python-graphblas", "graphblas"

    def __init__(self, job: Job) -> None:
        import graphblas

        super().__init__(job)
        self.gb: Any = graphblas
        graphblas.ss.config["nthreads"] = job.threads
        self.matrix = self._from(job.graph)

    def _from(self, graph: Graph) -> Any:
        values = 1.0 if graph.weights is None else graph.weights.astype(np.float64)
        return self.gb.Matrix.from_csr(graph.indptr, graph.indices, values, ncols=graph.n)

    def sssp(self) -> Case:
        matrix, n = self._from(self.job.lengths), self.job.graph.n
        shorter = self.gb.semiring.min_plus

        def search() -> Any:
            """Bellman-Ford."""
            distance = self.gb.Vector(float, n)
            distance[self.job.source] = 0.0
            while True:
                after = distance.dup()
                after(self.gb.binary.min) << shorter(distance @ matrix)
                if after.isequal(distance):
                    return after
                distance = after

        def distances(found: Any) -> Facts:
            reached, values = found.to_coo()
            lengths = np.full(n, np.inf)
            lengths[reached] = values
            return distances_facts(lengths)

        return Case(timed(search), distances)

    def bfs(self) -> Case:
        semiring, n = self.gb.semiring.any_pair, self.job.graph.n

        def search() -> Any:
            level = self.gb.Vector(int, n)
            front = self.gb.Vector(bool, n)
            front[self.job.source] = True
            depth = 0
            while front.nvals:
                level(front.S) << depth
                front(~level.S, replace=True) << semiring(front @ self.matrix)
                depth += 1
            return level

        def levels(found: Any) -> Facts:
            level = np.full(n, -1)
            reached, steps = found.to_coo()
            level[reached] = steps
            return levels_facts(level)

        return Case(timed(search), levels)

    def pagerank(self) -> Case:
        gb, n = self.gb, self.job.graph.n
        back = self.matrix.T.new()
        out = self.matrix.reduce_rowwise(gb.monoid.plus).new()  # nothing where there are no arcs

        def rank() -> Any:
            scores = gb.Vector.from_scalar(1 / n, n, float)
            for _ in range(ITERATIONS):
                share = (scores / out).new()
                kept = gb.binary.first(scores & out).reduce().new().value or 0.0
                new = gb.Vector.from_scalar((1 - DAMPING * kept) / n, n, float)
                new(gb.binary.plus) << gb.semiring.plus_second(back @ share) * DAMPING
                change = gb.unary.abs(new - scores).new().reduce().new().value
                scores = new
                if change < TOLERANCE:
                    break
            return scores

        return Case(timed(rank), lambda found: scores_facts(found.to_coo()[1]))

    def triangles(self) -> Case:
        gb = self.gb
        lower = gb.select.tril(self.matrix, -1).new()
        upper = gb.select.triu(self.matrix, 1).new()

        def count() -> int:
            paths = gb.semiring.plus_pair(lower @ upper.T).new(mask=lower.S)
            return int(paths.reduce_scalar().new().value or 0)

        return Case(timed(count), lambda found: {"count": found})

    def spmv(self) -> Case:
        matrix = self._from(self.job.weighted)
        ones = self.gb.Vector.from_scalar(1.0, self.job.graph.n, float)

        def values(found: Any) -> Facts:
            whole = np.zeros(self.job.graph.n)
            rows, sums = found.to_coo()
            whole[rows] = sums
            return {"values": whole}

        return Case(timed(lambda: self.gb.semiring.plus_times(matrix @ ones).new()), values)
