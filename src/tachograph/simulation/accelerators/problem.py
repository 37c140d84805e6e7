"""What an accelerator is asked, computes and tells: tasks, their values, and the result.

There are two kinds. ``min`` keeps the smallest of its own value and those that arrive (a neighbour's
value plus the edge's length), until nothing changes; ``sum`` adds what arrives (a neighbour's value
times the edge's weight), for a number of iterations.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, TypedDict, cast

import numpy as np
from numpy.typing import NDArray

from ...algorithms.bfs import vertices
from ...algorithms.result import Trace
from ...graph.graph import Graph
from ...util.errors import InputError
from ..dram import MemoryResult
from ..dram.statistics import Timeline

if TYPE_CHECKING:
    from ...plots.drawing import Drawing

__all__ = ["ANSWERS", "Numbers", "Problem", "Question", "Simulation", "roots", "variation"]

PAPER_SEED, PAPER_ROOTS = 3483584297, 20
#: The tasks that accelerators run, and what the values are called in the task's own result.
ANSWERS = {
    "bfs": "levels",
    "sssp": "distances",
    "connected_components": "labels",
    "pagerank": "scores",
    "spmv": "values",
}
OWN = (
    *("seconds", "iterations", "requests", "reps", "teps", "measures", "parameters", "rate"),
    *("sources", "provenance"),
)
OF_MEMORY = ("bytes", "gbps", "peak_share", "row_hit_rate", "memory", "standard")


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
        """Return the problem at its start; ``labels`` are the ids before a permutation."""
        task, source, weights = self.task, self.source, graph.weights
        if self.iterations is not None and self.iterations < 1:
            raise InputError(f"iterations = {self.iterations} must be 1 or more")
        if task in ("sssp", "pagerank") and weights is not None and weights.min(initial=0) < 0:
            raise InputError(f"{task} on an accelerator needs weights that are not negative")
        if task in ("bfs", "sssp"):
            if source is None:
                raise InputError(f"{task} needs a source, such as source=0")
            first = vertices(graph, source, "source")
            if first.size != 1:
                raise InputError(f"source = {source!r}: accelerators start from one vertex")
            start = labels == first[0]
            weighted, values = task == "sssp" and graph.weighted, np.where(start, 0.0, np.inf)
            return Problem(task, graph, values, start, 1.0, weighted, iterations=self.iterations)
        if source is not None:
            raise InputError(f"{task} has no source")
        every, values = np.ones(graph.n, np.bool_), np.ones(graph.n)
        if task == "connected_components":
            if graph.directed and not self.along_arcs:
                raise InputError(
                    "connected_components finds weakly connected components of undirected graphs only: "
                    "on a directed graph these accelerators pass labels along the arcs and never "
                    "against them; graph.to_undirected() makes one, or set along_arcs=True to pass "
                    "them along the arcs anyway, as the paper did"
                )
            values = labels.astype(np.float64)
            return Problem(task, graph, values, every, iterations=self.iterations)
        if not 0 <= self.damping <= 1:
            raise InputError(f"damping = {self.damping} must be a probability, from 0 to 1")
        if task == "pagerank":
            values /= max(1, graph.n)
        rounds, damping = self.iterations or 1, self.damping
        return Problem(task, graph, values, every, 0.0, graph.weighted, True, rounds, damping)


@dataclass
class Problem:
    """A task on a graph, and its values as far as they are computed.

    ``values`` are 64-bit floats, one for each vertex; ``active`` says which are new before the first
    iteration; ``step`` is the length of an edge without weights; ``weighted`` says whether lengths or
    factors are the graph's weights.
    """

    task: str
    graph: Graph
    values: np.ndarray
    active: np.ndarray
    step: float = 0.0
    weighted: bool = False
    additive: bool = False
    iterations: int | None = None
    damping: float = 0.85
    done: int = 0

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


class Numbers(TypedDict):
    """The numbers of a simulation as plain data, for the journal and JSON."""

    seconds: float
    expected_error: float | None
    iterations: int
    requests: dict[str, int]
    reps: float
    teps: float
    measures: dict[str, float]
    joules: float | None
    bytes: int
    gbps: float
    peak_share: float
    row_hit_rate: float
    memory: str
    standard: str
    parameters: dict[str, object]
    phases: dict[str, object]
    series: Timeline
    rate: float
    error_band: str
    graphs_validated: int
    sources: dict[str, str]
    notes: list[str]
    provenance: str
    run: int | None


@dataclass(frozen=True, repr=False)
class Simulation:
    """What an accelerator would have done. All of it is simulated.

    ``seconds`` are the accelerator's; ``reps`` are edges read in all iterations per second, as the
    paper defines them, ``teps`` the graph's edges per second; ``expected_error`` is the mean
    error in per cent of this design, memory family and task against the numbers that the design's
    authors published, None where nothing was validated; ``error_band`` says it in words, with
    the number of graphs, ``graphs_validated``. ``requests`` counts by kind, ``memory`` has
    the statistics of the DRAM, ``memory_used`` the bytes of all arrays, ``trace`` the statistics of
    each phase; ``rate`` is how many requests this machine simulated in a second. ``answer`` has the
    value of every vertex, which is also called what the task's own result calls it, such as ``levels``.
    ``sources`` say what each of the ``parameters`` is, and where its default comes from.
    ``measures`` is what the design's authors report, by name, such as the MTEPS of ThunderGP;
    ``notes`` say what limits the run or what it did not look at.
    """

    task: str
    accelerator: str
    seconds: float
    iterations: int
    requests: dict[str, int]
    memory: MemoryResult
    memory_used: int
    parameters: dict[str, object]
    expected_error: float | None
    error_band: str
    graphs_validated: int
    reps: float
    teps: float
    rate: float
    trace: Trace
    answer: np.ndarray
    measures: dict[str, float]
    sources: dict[str, str]
    notes: tuple[str, ...] = ()
    provenance: str = "simulated"

    @property
    def levels(self) -> NDArray[np.int32]:
        """Levels of ``bfs``, -1 where the search did not come."""
        return self._called("levels")

    @property
    def distances(self) -> NDArray[np.float64]:
        """Distances of ``sssp``, infinite where there is no path."""
        return self._called("distances")

    @property
    def labels(self) -> NDArray[np.integer]:
        """Labels of ``connected_components``: the smallest id of each component."""
        return self._called("labels")

    @property
    def scores(self) -> NDArray[np.float64]:
        """Scores of ``pagerank``."""
        return self._called("scores")

    @property
    def values(self) -> NDArray[np.float64]:
        """Values of ``spmv``."""
        return self._called("values")

    def _called(self, name: str) -> np.ndarray:
        if ANSWERS[self.task] != name:
            raise AttributeError(f"{self.task} has no {name!r}, but {ANSWERS[self.task]!r}")
        return self.answer

    def numbers(self) -> Numbers:
        """Return what can be told in numbers, without the values of the vertices."""
        judged = "expected_error", "error_band", "graphs_validated"
        made = {name: getattr(self, name) for name in (*OWN, *judged)}
        made |= {name: getattr(self.memory, name) for name in OF_MEMORY}
        made["joules"] = None if self.memory.energy is None else self.memory.energy["joules"]
        made |= {"phases": self.trace.summary(), "series": self.memory.timeline(), "run": None}
        made["notes"] = list(self.notes)
        return cast(Numbers, made)

    def to_dict(self) -> dict[str, object]:
        """Return all fields by name, the values by the name of the task's own result."""
        made = {f.name: getattr(self, f.name) for f in fields(self)}
        return {**made, ANSWERS[self.task]: made.pop("answer")}

    def plot(self, path: str | os.PathLike[str] | None = None) -> Drawing:
        """Draw bandwidth, row hits and banks of the memory; see :meth:`MemoryResult.plot`."""
        return self.memory.plot(path)

    def _repr_html_(self) -> str:
        from ...plots.tables import result_html

        shown = {k: f"{v:,.6g}" for k, v in self.to_dict().items() if isinstance(v, int | float)}
        return result_html(f"{self.task} on {self.accelerator}", shown, self.trace.to_dict())

    def __repr__(self) -> str:
        from ...plots.numbers import seconds

        notes = "".join(f"; {note}" for note in self.notes)
        return (
            f"Simulation({self.task} on {self.accelerator}, {seconds(self.seconds)} "
            f"simulated ({self.error_band}), {self.iterations} iterations, "
            f"{self.memory.requests:,} requests, {self.memory.gbps:.2f} GB/s{notes})"
        )


def roots(n: int, count: int = PAPER_ROOTS, rng: int = PAPER_SEED) -> list[int]:
    """Draw start vertices with C++'s mt19937, as ``uniform_int_distribution`` maps its numbers.

    The paper names generator and seed, not the mapping; this is that of today's libstdc++.

    >>> len(roots(1000)), roots(1000) == roots(1000)
    (20, True)
    """
    if n < 1 or count < 1:
        raise InputError(
            f"{count} roots of a graph with {n} vertices: at least one of each is needed"
        )
    twister = np.random.MT19937()
    twister._legacy_seeding(rng % 2**32)  # as C++ seeds it
    found: list[int] = []
    while len(found) < count:
        product = int(twister.random_raw()) * n
        if product % 2**32 >= 2**32 % n:  # the few that would make some vertices more likely
            found.append(product >> 32)
    return found


def variation(seconds: Sequence[float]) -> dict[str, float]:
    """Return mean, standard deviation and coefficient of variation (figure 10).

    >>> variation([1.0, 3.0])
    {'mean': 2.0, 'deviation': 1.0, 'coefficient': 0.5}
    """
    mean, deviation = float(np.mean(seconds)), float(np.std(seconds))
    return {"mean": mean, "deviation": deviation, "coefficient": deviation / mean if mean else 0.0}
