"""What an accelerator computes: the tasks, their first values and what an edge does.

There are two kinds. ``min`` keeps the smallest of its own value and those that arrive (a neighbour's
value plus the edge's length), until nothing changes; ``sum`` adds what arrives (a neighbour's value
times the edge's weight), for a number of iterations.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from functools import cached_property

import numpy as np

from ...algorithms.bfs import vertices
from ...graph.graph import Graph
from ...util.errors import InputError

__all__ = ["ANSWERS", "Problem", "Question"]

#: The tasks that accelerators run, and what the values are called in the task's own result.
ANSWERS = {
    "bfs": "levels",
    "sssp": "distances",
    "connected_components": "labels",
    "pagerank": "scores",
    "spmv": "values",
}


@dataclass(frozen=True)
class Question:
    """A task and what it is told; see :func:`~tachograph.simulation.accelerators.simulate`."""

    task: str
    source: int | None = None
    iterations: int | None = None
    along_arcs: bool = False
    damping: float = 0.85

    @property
    def options(self) -> dict[str, int | float | bool | None]:
        """What the task was told, without defaults."""
        usual = {f.name: f.default for f in fields(self)}
        return {k: v for k, v in asdict(self).items() if v != usual[k] and k != "task"}

    def on(self, graph: Graph, labels: np.ndarray) -> Problem:
        """Return the problem at its start; ``labels`` are the ids before a permutation.

        Raises
        ------
        InputError
            For a missing or useless source, ``connected_components`` on a directed graph, or weights
            that the task cannot use.
        """
        task, graph_is_negative = self.task, False
        if self.iterations is not None and self.iterations < 1:
            raise InputError(f"iterations = {self.iterations} must be 1 or more")
        if graph.weights is not None:
            graph_is_negative = bool(graph.weights.min(initial=0) < 0)
        if task in ("sssp", "pagerank") and graph_is_negative:
            raise InputError(f"{task} on an accelerator needs weights that are not negative")
        if task in ("bfs", "sssp"):
            return self._search(graph, labels)
        if self.source is not None:
            raise InputError(f"{task} has no source")
        if task == "connected_components":
            if graph.directed and not self.along_arcs:
                raise InputError(
                    "connected_components finds weakly connected components of undirected graphs only: "
                    "on a directed graph these accelerators pass labels along the arcs and never "
                    "against them. Make the graph undirected, or set along_arcs=True to pass them "
                    "along the arcs anyway, as the paper did"
                )
            return Problem(task, graph, labels.astype(np.float64), iterations=self.iterations)
        if not 0 <= self.damping <= 1:
            raise InputError(f"damping = {self.damping} must be a probability, from 0 to 1")
        values = np.ones(graph.n)
        return Problem(
            task,
            graph,
            values / max(1, graph.n) if task == "pagerank" else values,
            weighted=graph.weighted,
            additive=True,
            iterations=self.iterations or 1,
            damping=self.damping,
        )

    def _search(self, graph: Graph, labels: np.ndarray) -> Problem:
        if self.source is None:
            raise InputError(f"{self.task} needs a source")
        first = vertices(graph, self.source, "source")
        if first.size != 1:
            raise InputError(f"source = {self.source!r}: accelerators start from one vertex")
        start = np.flatnonzero(labels == first[0])
        values = np.full(graph.n, np.inf)
        values[start] = 0
        weighted = self.task == "sssp" and graph.weighted
        return Problem(
            self.task, graph, values, 1.0, weighted, iterations=self.iterations, start=start
        )


@dataclass
class Problem:
    """A task on a graph, and its values as far as they are computed.

    ``values`` are 64-bit floats, one for each vertex; ``step`` is the length of an edge without
    weights; ``weighted`` says whether lengths or factors are the graph's weights.
    """

    task: str
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
        """Return what each vertex sends along its edges: its value, in PageRank by its degree."""
        if self.task != "pagerank":
            return self.values
        shares: np.ndarray = np.zeros(self.graph.n)
        np.divide(self.values, self.out, out=shares, where=self.out > 0)
        return shares

    def summed(self, arrived: np.ndarray) -> None:
        """End an iteration of ``sum``: make the new values from what arrived at each vertex."""
        if self.task == "pagerank":  # from a vertex without edges the reader jumps anywhere
            jumps = 1 - self.damping + self.damping * float(self.values[self.out == 0].sum())
            arrived = jumps / self.graph.n + self.damping * arrived
        self.values = arrived

    def again(self, changed: bool) -> bool:
        """Count an iteration and return whether another one follows."""
        self.done += 1
        more = self.iterations is None or self.done < self.iterations
        return more and (changed or self.additive)
