"""What the split of edges between host and device looks at: the degrees of a graph."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...graph.graph import Graph

__all__ = ["DEGREE_FEATURES", "State"]

DEGREE_FEATURES = (
    "one",
    "log mean degree",
    "gini",
    "log least degree",
    "log greatest degree",
    "log size",
)
STEPS_PER_EDGE, STEPS_PER_VERTEX = 12, 10.0  # beside those of the loops over neighbours


@dataclass(frozen=True)
class State:
    """Sizes and degrees of a graph, and what must be copied to the device first."""

    n: int
    edges: int
    mean: float
    gini: float
    least: int
    greatest: int
    work: float  # mean over the edges of the smaller degree
    transfer: int  # bytes

    @classmethod
    def of(cls, graph: Graph, transfer: int) -> State:
        """Measure a graph; ``transfer`` is 0 if the device has it."""
        from ...kernels.similarity.edges import sampled_work

        f = graph.features
        degrees = (f.mean_degree, f.gini, f.min_degree, f.max_degree)
        work = sampled_work(graph.indptr, graph.indices)
        return cls(graph.n, graph.arcs // 2, *degrees, work, transfer)

    @property
    def steps(self) -> float:
        """Steps of the loops over all edges."""
        return self.edges * (self.work + STEPS_PER_EDGE) + STEPS_PER_VERTEX * self.n

    @property
    def features(self) -> NDArray[np.float64]:
        """The values of ``DEGREE_FEATURES``."""
        logs = [math.log1p(x) for x in (self.mean, self.least, self.greatest, self.n)]
        return np.array([1.0, logs[0], self.gini, *logs[1:]])
