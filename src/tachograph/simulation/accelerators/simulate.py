"""A graph task on a simulated accelerator, and what the simulation tells."""

from __future__ import annotations

import importlib
import os
from collections import Counter
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, TypedDict, cast

import numpy as np
from numpy.typing import NDArray

from ...algorithms.result import Trace
from ...graph.graph import Graph
from ...kernels.runtime.launch import clock
from ...util.errors import InputError
from ...util.names import canonical
from ..dram import Memory, MemoryResult
from ..dram.statistics import Timeline, collect
from ..streams.engine import Engine
from .accugraph import AccuGraph
from .base import Accelerator, Layout
from .hitgraph import HitGraph
from .problem import ANSWERS, Question

if TYPE_CHECKING:
    from ...plots.drawing import Drawing

__all__ = ["ACCELERATORS", "Job", "Numbers", "Simulation", "accelerator_named", "simulate"]

ACCELERATORS: dict[str, type[Accelerator]] = {"hitgraph": HitGraph, "accugraph": AccuGraph}
# Mean error against hardware that the paper reports, in per cent (of SSSP: from its Table 5).
ERROR_PERCENT = {"connected_components": 9.0, "sssp": 64.3}
OTHER_ERROR_PERCENT = 14.3
OWN = ("seconds", "iterations", "requests", "reps", "teps", "parameters", "rate", "provenance")
OF_MEMORY = ("bytes", "gbps", "peak_share", "row_hit_rate", "memory")
OF_PHASES = ("reads", "writes", "row_hits", "row_misses", "row_conflicts")


class Numbers(TypedDict):
    """The numbers of a simulation as plain data, for the journal and JSON."""

    seconds: float
    expected_error: float
    iterations: int
    requests: dict[str, int]
    reps: float
    teps: float
    bytes: int
    gbps: float
    peak_share: float
    row_hit_rate: float
    memory: str
    parameters: dict[str, object]
    phases: dict[str, object]
    series: Timeline
    rate: float
    provenance: str
    run: int | None


@dataclass(frozen=True, repr=False)
class Simulation:
    """What an accelerator would have done. All of it is simulated.

    ``seconds`` are the accelerator's; ``reps`` are edges read in all iterations per second, as the
    paper defines them, ``teps`` the graph's edges per second; ``expected_error`` is the mean error of
    the method against hardware in per cent. ``requests`` counts by kind, ``memory`` has the statistics
    of the DRAM, ``memory_used`` the bytes of all arrays, ``trace`` the statistics of each phase;
    ``rate`` is how many requests this machine simulated in a second. ``answer`` has the value of every
    vertex, which is also called what the task's own result calls it, such as ``levels``.
    """

    task: str
    accelerator: str
    seconds: float
    iterations: int
    requests: dict[str, int]
    memory: MemoryResult
    memory_used: int
    parameters: dict[str, object]
    expected_error: float
    reps: float
    teps: float
    rate: float
    trace: Trace
    answer: np.ndarray
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
        made = {name: getattr(self, name) for name in (*OWN, "expected_error")}
        made |= {name: getattr(self.memory, name) for name in OF_MEMORY}
        made |= {"phases": self.trace.summary(), "series": self.memory.timeline(), "run": None}
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
        return (
            f"Simulation({self.task} on {self.accelerator}, {self.seconds * 1e3:.4g} ms "
            f"± {self.expected_error:.0f} % simulated, {self.iterations} iterations, "
            f"{self.memory.requests:,} requests, {self.memory.gbps:.2f} GB/s)"
        )


def accelerator_named(name: str) -> type[Accelerator]:
    """Return an accelerator by its name, or by its path ``package.module:Class``."""
    known = ", ".join(ACCELERATORS)
    if ":" not in name:
        if name.lower() not in ACCELERATORS:
            raise InputError(
                f"unknown accelerator {name!r}; known: {known}, or your own as package.module:Class"
            )
        return ACCELERATORS[name.lower()]
    module, _, attribute = name.partition(":")
    try:
        found = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise InputError(f"accelerator {name!r}: {error}") from None
    if not (isinstance(found, type) and issubclass(found, Accelerator)):
        raise InputError(f"accelerator {name!r} is not a subclass of Accelerator")
    return found


@dataclass(frozen=True)
class Job:
    """One simulation: a question for an accelerator with a memory (None: its own)."""

    question: Question
    accelerator: Accelerator
    memory: Memory | None = None

    @property
    def name(self) -> str:
        """The accelerator's name, or the path of its class."""
        own = type(self.accelerator)
        return next((n for n, kind in ACCELERATORS.items() if kind is own), own.path())

    def to_dict(self) -> dict[str, object]:
        """Return what was asked, as plain data."""
        return {
            "task": self.question.task,
            "accelerator": self.name,
            "settings": self.accelerator.given,
            "memory": None if self.memory is None else self.memory.name,
            "memory_settings": {} if self.memory is None else self.memory.given,
            "options": self.question.options,
        }

    def __str__(self) -> str:
        """Return what tells this job from others: all settings, defaults included."""
        memory = self.memory or self.accelerator.memory()
        machine = f"{self.accelerator.path()} {self.accelerator.settings}"
        return f"{self.question} on {machine} with {memory}"

    def run(self, graph: Graph) -> Simulation:
        """Simulate it; see :func:`simulate`."""
        accelerator, task, begin = self.accelerator, self.question.task, clock()
        name, tasks = type(accelerator).__name__, [canonical(t) for t in accelerator.tasks]
        if task not in tasks:
            raise InputError(f"{name} does not run {task!r}; it runs {', '.join(tasks)}")
        if graph.weighted and not accelerator.weights:
            raise InputError(
                f"{name} reads edges without weights, but the graph has some: drop them, as with "
                "tg.Graph.from_csr(g.indptr, g.indices, directed=g.directed), or use another "
                "accelerator"
            )
        memory = self.memory or accelerator.memory()
        work, labels = _permuted(graph, accelerator.permute_ids)
        problem, layout = self.question.on(work, labels), Layout(memory)
        engine = Engine(memory, accelerator.clock_mhz, accelerator.banks)
        done = [engine.run(phase) for phase in accelerator.phases(problem, layout)]
        stats = collect(memory, engine.state, max(1, engine.finish()))
        answer = np.empty_like(problem.values)
        answer[labels] = problem.values
        requests, tick = Counter[str](), stats.seconds / stats.cycles
        for phase in done:
            requests.update(phase.requests)
        columns: dict[str, list[object]] = {"phase": [p.name for p in done]}
        columns["seconds"] = [(p.end - p.begin) * tick for p in done]
        columns |= {word: [getattr(p, word) for p in done] for word in OF_PHASES}
        return Simulation(
            task=task,
            accelerator=name,
            seconds=stats.seconds,
            iterations=problem.done,
            requests=dict(requests),
            memory=stats,
            memory_used=layout.bytes,
            parameters=accelerator.settings,
            expected_error=ERROR_PERCENT.get(task, OTHER_ERROR_PERCENT),
            reps=graph.arcs * problem.done / stats.seconds,
            teps=graph.arcs / stats.seconds,
            rate=stats.requests / (clock() - begin),
            trace=Trace({"iteration": [p.iteration for p in done], **columns}),
            answer=_exact(task, answer, accelerator.width(task)),
        )


def simulate(
    task: str,
    graph: Graph,
    accelerator: Accelerator | str,
    memory: Memory | str | None = None,
    *,
    source: int | None = None,
    iterations: int | None = None,
    along_arcs: bool = False,
    damping: float = 0.85,
) -> Simulation:
    """Run a task on a simulated accelerator, by its memory requests.

    Parameters
    ----------
    task
        ``"bfs"``, ``"sssp"``, ``"connected_components"`` (or ``"wcc"``), ``"pagerank"`` or ``"spmv"``
        (of ones, along the edges).
    graph
        An undirected graph has two edges for each of its own; without weights all are 1.
    accelerator
        Such as ``tg.AccuGraph(partition_size=1_000_000)``; or its name, ``"hitgraph"`` or
        ``"accugraph"``, or a class of your own as ``"package.module:Class"``.
    memory
        A :class:`tachograph.Memory`, or the name of one; None means the accelerator's own.
    source
        Where ``bfs`` and ``sssp`` start.
    iterations
        How many ``pagerank`` and ``spmv`` do (default 1); at most how many the others do.
    along_arcs
        Let ``connected_components`` pass labels along the arcs of a directed graph; the result is then
        not the components, but for each vertex the smallest id that has a path to it.
    damping
        Of ``pagerank``.

    Returns
    -------
    Simulation
        ``seconds``, ``iterations``, ``requests``, ``memory`` (statistics of the DRAM), the values
        (``levels``, ``distances``, ``labels``, ``scores`` or ``values``, as the exact algorithms return
        them), ``reps``, ``teps``, ``parameters``, ``expected_error`` and a trace of the phases.

    Raises
    ------
    InputError
        If the accelerator cannot run that, its on-chip memory is too small for a partition, or the
        simulated memory is too small for the graph.

    Examples
    --------
    >>> import tachograph as tg
    >>> g = tg.kronecker(scale=8, rng=1)
    >>> result = tg.simulate("wcc", g, "accugraph", memory="DDR4-2400R")
    >>> bool((result.labels == tg.connected_components(g).labels).all())
    True
    >>> result.task, result.provenance
    ('connected_components', 'simulated')
    >>> sorted(result.requests)
    ['neighbours', 'pointers', 'prefetch', 'values', 'writes']
    """
    if isinstance(accelerator, str):
        accelerator = accelerator_named(accelerator)()
    if not isinstance(accelerator, Accelerator):
        raise InputError(
            f"{accelerator!r} is not an accelerator: use one such as tg.AccuGraph(), or a name"
        )
    chosen = Memory(memory) if isinstance(memory, str) else memory
    question = Question(canonical(task), source, iterations, along_arcs, damping)
    return Job(question, accelerator, chosen).run(graph)


def _permuted(graph: Graph, seed: int | None) -> tuple[Graph, np.ndarray]:
    """Renumber the vertices; return the graph and what each vertex was called before."""
    if seed is None or not graph.n:
        return graph, np.arange(graph.n)
    labels = np.random.default_rng(seed).permutation(graph.n)
    new = np.empty_like(labels)
    new[labels] = np.arange(graph.n)
    edges = (new[np.repeat(np.arange(graph.n), graph.degrees)], new[graph.indices], graph.weights)
    return Graph.from_edges(*edges, n=graph.n, directed=graph.directed, symmetrize=False), labels


def _exact(task: str, values: np.ndarray, width: int) -> np.ndarray:
    """Return the values as the exact algorithm does, not to be written."""
    if task == "bfs":
        if values[np.isfinite(values)].max(initial=0) >= 256**width - 1:
            raise InputError(
                f"levels above {256**width - 2} do not fit the {8 * width} bits of a value: set "
                "value_bits=32"
            )
        values = np.where(np.isfinite(values), values, -1).astype(np.int32)
    elif task == "connected_components":
        values = values.astype(np.int64 if values.size > 2**31 - 1 else np.int32)
    values.flags.writeable = False
    return values
