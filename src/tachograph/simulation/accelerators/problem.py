"""What an accelerator computes: the algorithms, their first values and what an edge does.

Two kinds: ``min`` keeps the smallest of its own value and those that arrive (a neighbour's value plus
the edge's length), until nothing changes; ``sum`` adds what arrives (a neighbour's value times the
edge's weight), for a number of iterations.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ...algorithms.bfs import vertices
from ...graph.graph import Graph
from ...util.errors import InputError

__all__ = ["ALGORITHMS", "Problem", "problem"]

ALGORITHMS = ("bfs", "sssp", "wcc", "pagerank", "spmv")


@dataclass
class Problem:
    """An algorithm on a graph, and its values as far as they are computed.

    ``values`` are 64-bit floats, one for each vertex; ``step`` is the length of an edge without
    weights; ``weighted`` whether lengths or factors are the graph's weights.
    """

    algorithm: str
    graph: Graph
    values: np.ndarray
    step: float = 0.0
    weighted: bool = False
    additive: bool = False
    iterations: int | None = None
    damping: float = 0.85
    done: int = 0
    start: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))

    @property
    def active(self) -> np.ndarray:
        """Which values are new before the first iteration (bool)."""
        made = np.zeros(self.graph.n, np.bool_)
        made[self.start if self.start.size else slice(None)] = True
        return made

    @cached_property
    def out(self) -> np.ndarray:
        """What PageRank divides a value by: the number, or the weight, of its vertex's edges."""
        if not self.weighted:
            return self.graph.degrees.astype(np.float64)
        sources = np.repeat(np.arange(self.graph.n), self.graph.degrees)
        made: np.ndarray = np.bincount(sources, self.graph.weights, self.graph.n)
        return made

    def sent(self) -> np.ndarray:
        """What each vertex sends along its edges: its value, in PageRank divided by its degree."""
        if self.algorithm != "pagerank":
            return self.values
        shares: np.ndarray = np.zeros(self.graph.n)
        np.divide(self.values, self.out, out=shares, where=self.out > 0)
        return shares

    def summed(self, arrived: np.ndarray) -> None:
        """End of an iteration of ``sum``: the new values from what arrived at each vertex."""
        if self.algorithm == "pagerank":  # from a vertex without edges the reader jumps
            jumps = 1 - self.damping + self.damping * float(self.values[self.out == 0].sum())
            arrived = jumps / self.graph.n + self.damping * arrived
        self.values = arrived

    def again(self, changed: bool) -> bool:
        """Count an iteration; whether there is another one."""
        self.done += 1
        if self.additive:
            return self.iterations is not None and self.done < self.iterations
        return changed and (self.iterations is None or self.done < self.iterations)


def problem(
    algorithm: str,
    graph: Graph,
    source: int | None,
    iterations: int | None,
    along_arcs: bool,
    damping: float,
    labels: np.ndarray,
) -> Problem:
    """The problem at its start; ``labels`` are the ids that vertices had before a permutation.

    Raises
    ------
    InputError
        For an unknown algorithm, a missing or useless source, ``wcc`` on a directed graph, or
        weights that the algorithm cannot use.
    """
    if algorithm not in ALGORITHMS:
        raise InputError(
            f"{algorithm!r} cannot be simulated; algorithms are {', '.join(ALGORITHMS)}"
        )
    if iterations is not None and iterations < 1:
        raise InputError(f"iterations = {iterations}: at least one is needed")
    if algorithm in ("bfs", "sssp"):
        return _search(algorithm, graph, source, iterations, labels)
    if source is not None:
        raise InputError(f"{algorithm} has no source")
    if algorithm == "wcc":
        if graph.directed and not along_arcs:
            raise InputError(
                "wcc finds weakly connected components of undirected graphs only: on a directed "
                "graph these accelerators pass labels along the arcs and never against them. Make "
                "the graph undirected, or say along_arcs=True to do that all the same (as the paper "
                "did)"
            )
        return Problem("wcc", graph, labels.astype(np.float64), iterations=iterations)
    if algorithm == "pagerank":
        if graph.weights is not None and graph.weights.min(initial=0) < 0:
            raise InputError("PageRank needs weights that are not negative")
        if not 0 <= damping <= 1:
            raise InputError(f"damping = {damping} is a probability: from 0 to 1")
        values = np.full(graph.n, 1 / max(1, graph.n))
    else:
        values = np.ones(graph.n)
    return Problem(algorithm, graph, values, weighted=graph.weighted, additive=True,
                   iterations=iterations or 1, damping=damping)  # fmt: skip


def _search(
    algorithm: str, graph: Graph, source: int | None, iterations: int | None, labels: np.ndarray
) -> Problem:
    if source is None:
        raise InputError(f"{algorithm} needs a source")
    first = vertices(graph, source, "source")
    if first.size != 1:
        raise InputError(f"source = {source!r}: accelerators start from one vertex")
    where = np.flatnonzero(labels == first[0])
    values = np.full(graph.n, np.inf)
    values[where] = 0
    weighted = algorithm == "sssp" and graph.weights is not None
    if weighted and graph.weights is not None and graph.weights.min(initial=0) < 0:
        raise InputError("shortest paths on an accelerator need weights that are not negative")
    return Problem(algorithm, graph, values, 1.0, weighted, iterations=iterations, start=where)
