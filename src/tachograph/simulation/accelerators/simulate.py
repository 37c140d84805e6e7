"""Graph tasks on simulated accelerators: one, or many side by side, which the journal keeps."""

from __future__ import annotations

import hashlib
import importlib
import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

import numpy as np

from ...algorithms.result import Trace
from ...graph.graph import Graph
from ...journal import Run, journal
from ...journal.campaign import Campaign, Executor, Record, code_hash
from ...kernels.runtime.launch import clock, threads_available
from ...util.errors import InputError
from ...util.executor import Local
from ...util.names import canonical
from ...util.text import did_you_mean
from ..dram import Memory, MemoryResult
from ..dram.statistics import collect
from ..streams.engine import Engine
from .accugraph import AccuGraph
from .base import Accelerator, Layout
from .foregraph import ForeGraph
from .hitgraph import HitGraph
from .problem import Numbers, Question, Simulation
from .scalabfs import ScalaBFS
from .thundergp import ThunderGP
from .validated import error_band, expected_error, graphs_validated
from .verify import check_answer

__all__ = ["ACCELERATORS", "Job", "accelerator_named", "compare", "jobs", "simulate"]

ACCELERATORS: dict[str, type[Accelerator]] = {
    "hitgraph": HitGraph,
    "accugraph": AccuGraph,
    "thundergp": ThunderGP,
    "foregraph": ForeGraph,
    "scalabfs": ScalaBFS,
}
ONE_PROCESS_BELOW_EDGES = 1 << 22  # of all jobs together: starting processes would take longer
WITHOUT_WEIGHTS = ("bfs", "connected_components")  # tasks that do not look at them
BUSY_PORT = 0.95  # of its turns used: then the port is what a run waits for
OF_PHASES = ("reads", "writes", "row_hits", "row_misses", "row_conflicts")


def accelerator_named(name: str) -> type[Accelerator]:
    """Return an accelerator by its name, or by its path ``package.module:Class``."""
    known = ", ".join(ACCELERATORS)
    if ":" not in name:
        if name.lower() not in ACCELERATORS:
            raise InputError(
                f"unknown accelerator {name!r}; known: {known}, or your own as package.module:Class"
                f"{did_you_mean(name.lower(), ACCELERATORS)}"
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

    def __repr__(self) -> str:
        """Return it as messages name it."""
        where = "" if self.memory is None else f" with {self.memory.name}"
        chosen = "".join(f" {name}={value}" for name, value in self.accelerator.given.items())
        return f"{self.question.task} on {self.name}{chosen}{where}"

    def __str__(self) -> str:
        """Return what tells this job from others: all settings, defaults included."""
        memory = self.memory or self.accelerator.memory()
        machine = f"{self.accelerator.path()} {self.accelerator.settings}"
        return f"{self.question} on {machine} with {memory}"

    def run(self, graph: Graph) -> Simulation:
        """Simulate it; see :func:`simulate`."""
        accelerator, task, begin = self.accelerator, self.question.task, clock()
        notes = []
        if graph.weighted and task in WITHOUT_WEIGHTS:
            graph = graph.without_weights()
            notes.append(f"{task} does not look at the weights")
        name, tasks = type(accelerator).__name__, [canonical(t) for t in accelerator.tasks]
        if task not in tasks:
            raise InputError(f"{name} does not run {task!r}; it runs {', '.join(tasks)}")
        if graph.weighted and not accelerator.weights:
            raise InputError(
                f"{name} reads edges without weights, but the graph has some: drop them with "
                "graph.without_weights(), or use another accelerator"
            )
        memory = self.memory or accelerator.memory()
        work, labels = permuted(graph, accelerator.permute_ids)
        problem, layout = self.question.on(work, labels), Layout(memory)
        engine = Engine(memory, accelerator.clock(task), accelerator.banks)
        done, ports = [], 1
        for asked in accelerator.phases(problem, layout):
            ports = max(ports, len(asked.ports))
            done.append(engine.run(asked))
        stats = collect(memory, engine.state, max(1, engine.finish()))
        notes += limits_of(
            stats, accelerator, stats.seconds * accelerator.clock(task) * 1e6 * ports
        )
        answer = np.empty_like(problem.values)
        answer[labels] = problem.values
        requests, tick = Counter[str](), stats.seconds / stats.cycles
        for phase in done:
            requests.update(phase.requests)
        columns: dict[str, list[object]] = {"phase": [p.name for p in done]}
        columns["seconds"] = [(p.end - p.begin) * tick for p in done]
        columns |= {word: [getattr(p, word) for p in done] for word in OF_PHASES}
        trace = Trace({"iteration": [p.iteration for p in done], **columns})
        judged = (name, memory.standard.name, accelerator.bitstream(task))
        return Simulation(
            task=task,
            accelerator=name,
            seconds=stats.seconds,
            iterations=problem.done,
            requests=dict(requests),
            memory=stats,
            memory_used=layout.bytes,
            parameters=accelerator.settings,
            expected_error=expected_error(*judged),
            error_band=error_band(*judged),
            graphs_validated=graphs_validated(*judged),
            reps=graph.arcs * problem.done / stats.seconds,
            teps=graph.arcs / stats.seconds,
            rate=stats.requests / (clock() - begin),
            trace=trace,
            answer=_exact(task, answer, accelerator.width(task)),
            measures=accelerator.measures(graph.arcs, trace),
            sources={k: f"{p.about} ({p.source})" for k, p in accelerator.declared().items()},
            notes=tuple(notes),
        )


def limits_of(stats: MemoryResult, accelerator: Accelerator, turns: float) -> list[str]:
    """Return what held a run back: channels without work, ports that were always busy.

    ``turns`` are the cycles of all ports together.
    """
    idle = sum(not channel["requests"] for channel in stats.channels)
    notes = []
    if idle:
        more = "; smaller partitions would use more" if "pes" in accelerator.settings else ""
        notes.append(f"{idle} of {len(stats.channels)} channels had no requests{more}")
    if accelerator.inject is not None and stats.requests > BUSY_PORT * accelerator.inject * turns:
        notes.append(f"bound by its ports, which send {accelerator.inject} requests in a cycle")
    return notes


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
    verify: bool = False,
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
        Such as ``tg.AccuGraph(partition_size=1_000_000)``; or its name, ``"hitgraph"``,
        ``"accugraph"``, ``"thundergp"``, ``"foregraph"`` or ``"scalabfs"``, or a class of your own
        as ``"package.module:Class"``.
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
    verify
        Compare the values with those of the exact algorithm; ``VerificationError`` if they differ.

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
    found = Job(question, accelerator, chosen).run(graph)
    if verify:
        check_answer(question, graph, found.answer)
    return found


def permuted(graph: Graph, seed: int | None) -> tuple[Graph, np.ndarray]:
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


def jobs(
    question: Question,
    accelerators: Sequence[str],
    memories: Sequence[Memory | None] = (None,),
    *,
    settings: Mapping[str, Sequence[object]] | None = None,
    sources: Sequence[int] = (),
) -> list[Job]:
    """Return every combination of accelerators, values of their settings, memories and sources.

    A setting goes to those accelerators that declare it; one that none declares is an error.

    >>> len(jobs(Question("wcc"), ["hitgraph", "accugraph"], settings={"pipelines": [8, 16]}))
    3
    """
    wanted = dict(settings or {})
    classes = [accelerator_named(name) for name in accelerators]
    known = sorted({name for kind in classes for name in kind.declared()})
    for name in wanted:
        if name not in known:
            near = f"{', '.join(known)}{did_you_mean(name, known)}"
            raise InputError(f"no accelerator here has a parameter {name!r}; known: {near}")
    asked = replace(question, task=canonical(question.task))
    questions = [replace(asked, source=source) for source in sources] or [asked]
    machines = []
    for kind in classes:
        own = {name: values for name, values in wanted.items() if name in kind.declared()}
        for values in itertools.product(*own.values()):
            machines.append(kind(**dict(zip(own, values, strict=True))))
    every = itertools.product(machines, memories, questions)
    return [Job(asked, machine, memory) for machine, memory, asked in every]


@dataclass(frozen=True)
class Simulations(Campaign):
    """Jobs as a campaign; ``graph`` describes what they run on."""

    graph: Record = field(default_factory=dict)

    def known(self, key: str) -> Record | None:
        """Return the numbers of the run with this key."""
        run = journal().run_with_key(key)
        return None if run is None else {**run.facts, "run": run.id}

    def keep(self, task: Mapping[str, object], key: str, record: Record) -> None:
        """Record a run."""
        job = cast(Job, task["job"])
        run = Run(
            f"{job.question.task} on {job.name}",
            self.graph,
            record["seconds"],
            options={**job.accelerator.given, **job.question.options},
            provenance="simulated",
            facts=record,
            key=key,
        )
        record["run"] = journal().record(run)


def work(graph: Graph, job: Job) -> Numbers:
    """Return the numbers of one job: a task of the campaign."""
    return job.run(graph).numbers()


def compare(
    graph: Graph, todo: Sequence[Job], executor: Executor | None = None, name: str | None = None
) -> Iterator[tuple[int, Numbers]]:
    """Run jobs, or take their results from the journal; yield (number of the job, numbers) as they end.

    A result is in the journal when it is yielded, so that a comparison that was interrupted goes on
    where it was. By default jobs run side by side on all cores, if that pays. ``name`` is the graph's
    in the journal.

    >>> import tachograph as tg
    >>> g = tg.kronecker(7, rng=1)
    >>> found = dict(compare(g, jobs(Question("wcc"), ["hitgraph", "accugraph"])))
    >>> found[1]["seconds"] < found[0]["seconds"], found[0]["provenance"]
    (True, 'simulated')
    """
    if executor is None:
        small = graph.arcs * len(todo) < ONE_PROCESS_BELOW_EDGES
        executor = Local(1 if small else min(threads_available(), len(todo)))
    about = _about(graph, name)
    campaign = Simulations(
        "simulation",
        f"{__name__}:work",
        [{"job": job} for job in todo],
        mark=f"{code_hash('simulation')} {about['mark']}",
        shared=graph,
        label="simulating",
        graph=about,
    )
    return cast(Iterator[tuple[int, Numbers]], campaign.results(executor))


def _about(graph: Graph, name: str | None) -> dict[str, str | int]:
    """Return a graph's name and sizes, and a hash of its contents."""
    contents = hashlib.sha256(str((graph.n, graph.directed, graph.weighted)).encode())
    for array in (graph.indptr, graph.indices, graph.weights):
        if array is not None:
            contents.update(array.data)
    sizes = {k: getattr(graph, k) for k in ("n", "m", "arcs", "directed", "weighted")}
    return {"name": name or repr(graph), **sizes, "mark": contents.hexdigest()[:16]}
