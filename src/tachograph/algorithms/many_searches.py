"""Searches from some or all vertices of a graph, and what is summed over them: for centralities."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..graph.graph import Graph
from ..util.errors import InputError

__all__ = ["Distances", "Paths", "Searches"]

Numbers = NDArray[np.float64]
OfLevels = Callable[[NDArray[np.int64]], NDArray[np.int64]]


class Searches:
    """Searches from some or all vertices of a graph, and the sums over them."""

    def __init__(self, graph: Graph) -> None:
        self.graph, self.back = graph, graph.transpose
        self.sources = np.empty(0, np.int64)

    def clear(self) -> None:
        """Forget what was summed."""
        raise NotImplementedError

    def every(self) -> NDArray[np.int64]:
        """Return all vertices, in the order that is quickest."""
        return np.arange(self.graph.n)

    def add(self, sources: NDArray[np.int64]) -> int:
        """Search from some more; return the number of workers."""
        raise NotImplementedError


class Distances(Searches):
    """Sums of functions of the distance to every vertex, given for levels from 1 on."""

    def __init__(self, graph: Graph, worth: OfLevels, square: OfLevels) -> None:
        super().__init__(graph)
        levels = np.arange(1, graph.n + 2)
        self.worth, self.square = (np.insert(f(levels), 0, 0) for f in (worth, square))
        self.clear()

    def clear(self) -> None:
        from ..kernels.centrality.together import Sums

        self.sums, self.sources = Sums(self.graph.n), np.empty(0, np.int64)

    def every(self) -> NDArray[np.int64]:
        from ..kernels.centrality.together import balls

        return np.asarray(balls(self.graph.rows))

    def add(self, sources: NDArray[np.int64]) -> int:
        from ..kernels.centrality.together import summed

        self.sources = np.concatenate([self.sources, sources])
        rows, back = self.graph.rows, self.back.rows
        return summed(rows, back, sources, self.worth, self.square, self.sums)

    def closeness(
        self, k: int, z: float, wf_improved: bool, reachable: NDArray[np.int64] | None
    ) -> tuple[Numbers, Numbers]:
        """Return scores from ``k`` sources, and how far each may be off, ``z`` deviations."""
        n = self.graph.n
        seen = self.sums.reached
        others = np.full(n, k, np.int64)
        others[self.sources] -= 1  # the sources of the sample that could reach a vertex
        found = np.maximum(seen, 1)
        mean = self.sums.worth / found
        share = seen / np.maximum(others, 1)
        if k < n and reachable is not None:
            share = reachable / max(n - 1, 1)
        near = np.divide(1.0, mean, out=np.zeros(n), where=mean > 0)
        scores = near * share if wf_improved else near
        unsure = np.zeros(n)
        if k < n and reachable is None:
            part = (seen + 1) / (k + 2)
            unsure = scores * z * np.sqrt((1 - part) / (part * (k + 2)))
        spread = np.maximum(self.sums.squares / found - mean * mean, 0.0)
        off = z * np.sqrt(spread * (1 - k / max(n, 1)) / np.maximum(seen - 1, 1))
        # 1 / mean, if the mean is as small as it may be; no mean is below 1
        most = share / np.maximum(mean - off, 1.0)
        wide = np.where(seen > 1, most - scores, most)
        return scores, np.asarray(np.maximum(wide, 0.0) + unsure)


class Paths(Searches):
    """Sums of the shares of shortest paths through every vertex."""

    def __init__(self, graph: Graph) -> None:
        from ..kernels.centrality.betweenness import dependencies

        super().__init__(graph)
        self.dependencies = dependencies
        self.clear()

    def clear(self) -> None:
        self.total, self.squares = np.zeros(self.graph.n), np.zeros(self.graph.n)
        self.sources = np.empty(0, np.int64)

    def add(self, sources: NDArray[np.int64]) -> int:
        self.sources = np.concatenate([self.sources, sources])
        back = self.back.rows
        workers = self.dependencies(self.graph.rows, back, sources, self.total, self.squares)
        if np.isnan(self.total).any():
            raise InputError(
                "the numbers of shortest paths to two vertices differ by more than float64 can hold, "
                "so shares of paths cannot be computed: use closeness_centrality or harmonic_centrality"
            )
        return workers
