"""Search for a good accelerator: formulas for all candidates, simulations for the promising ones.

Candidates are all combinations of the values that designs declare to be tried (``Parameter.search``)
and of the memories that are given, within limits. The analytical model ranks them. The best are
simulated for a part of their iterations, and the better half of these to the end (successive halving).
Every simulation is in the journal, so a search that was stopped goes on where it was.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from ...graph.graph import Graph
from ...util.errors import InputError
from ...util.executor import Executor
from ...util.names import canonical
from ..dram import Memory
from .activity import Activity, activity
from .analytical import Modelled, modelled
from .base import Accelerator, Layout, Size
from .problem import Numbers, Question
from .simulate import Job, accelerator_named, compare, permuted

if TYPE_CHECKING:
    from ...plots.drawing import Drawing

__all__ = ["Exploration", "Formulas", "Limits", "Point", "candidates", "explore", "modelled_run"]

FIRST_RUNG = 32  # candidates that are simulated for a part of their iterations
PART = 4  # of the iterations: a fourth
FEWEST_ITERATIONS = 8  # below, candidates are simulated to the end at once
IN_ONE_GO = 4  # simulations between two looks at the budget


@dataclass(frozen=True)
class Limits:
    """What a design may use: bytes on the chip, channels of memory, joules of the memory."""

    on_chip: int | None = None
    channels: int | None = None
    joules: float | None = None


class Point(NamedTuple):
    """A candidate: by formulas (None: there are none), and simulated (None: it was not)."""

    job: Job
    on_chip: int
    guess: float | None
    seconds: float | None = None
    joules: float | None = None

    @property
    def cost(self) -> tuple[float, float, int]:
        """Time, energy (0 if it is not known) and on-chip memory."""
        return self.seconds or 0.0, self.joules or 0.0, self.on_chip


@dataclass(frozen=True)
class Exploration:
    """What was found: all candidates, those that were simulated to the end, and their front."""

    question: Question
    tried: tuple[Point, ...]
    found: tuple[Point, ...]
    finished: bool  # whether the budget was enough

    @property
    def front(self) -> list[Point]:
        """Those that no other beats in time, energy and on-chip memory, the fastest first."""
        kept = [p for p in self.found if not any(_beats(q, p) for q in self.found)]
        return sorted(kept, key=lambda p: p.cost)

    @property
    def best(self) -> Point:
        """The fastest."""
        return min(self.found, key=lambda p: p.cost)

    def plot(self) -> Drawing:
        """Draw time and on-chip memory of what was simulated; the front is a line."""
        from ...plots import numbers as form
        from ...plots.axes import Axis
        from ...plots.charts import Series, front, xy

        places = [(p.seconds or 0.0, float(p.on_chip)) for p in self.found]
        series = [Series("", front(places), "curve", role="s1")]
        for name in dict.fromkeys(p.job.name for p in self.found):
            own = [p for p in self.found if p.job.name == name]
            spots = [(p.seconds or 0.0, float(p.on_chip)) for p in own]
            series.append(Series(name, spots, "dots", [str(p.job.accelerator) for p in own]))
        axes = (Axis("run time", form.seconds, "log"), Axis("bytes on the chip", form.short))
        return xy(f"{self.question.task}, simulated: time and on-chip memory", series, axes)


def _beats(one: Point, other: Point) -> bool:
    """Return whether a point is at least as good in everything that is known of both, and better in
    something.
    """
    ours, theirs = one.cost, other.cost
    if one.joules is None or other.joules is None:
        ours, theirs = (ours[0], 0.0, ours[2]), (theirs[0], 0.0, theirs[2])
    return ours != theirs and all(a <= b for a, b in zip(ours, theirs, strict=True))


def candidates(
    question: Question,
    graph: Graph,
    designs: Sequence[str],
    memories: Sequence[Memory | None],
    limits: Limits,
) -> list[Point]:
    """Return all combinations within the limits, those that take least by formulas first."""
    made: dict[str, Point] = {}
    formulas = Formulas(question, graph)
    for name in designs:
        kind = accelerator_named(name)
        if question.task not in (canonical(t) for t in kind.tasks):
            continue
        tried = {k: p.search for k, p in kind.declared().items() if p.search}
        for values, memory in itertools.product(itertools.product(*tried.values()), memories):
            given = dict(zip(tried, values, strict=True))
            job = Job(question, kind(**given), memory)
            used = memory or job.accelerator.memory()
            on_chip = job.accelerator.on_chip(graph.n, question.task, used.channels)
            if on_chip > (limits.on_chip or job.accelerator.bram_bytes):
                continue
            if limits.channels is not None and used.channels > limits.channels:
                continue
            guess = formulas(job.accelerator, memory)
            point = Point(job, on_chip, None if guess is None else guess.seconds)
            chosen = given.get("partition_size")
            if not isinstance(chosen, int) or chosen >= graph.n:
                given.pop(
                    "partition_size", None
                )  # partitions as large as the graph are all the same
            made.setdefault(f"{name} {given} {used} {on_chip}", point)
    if not made:
        raise InputError(
            f"no design for {question.task} is within the limits: allow more on-chip memory or "
            "channels, or name other designs"
        )
    return sorted(made.values(), key=lambda p: float("inf") if p.guess is None else p.guess)


def iterations(job: Job, graph: Graph) -> int:
    """Return how many iterations a design needs: its values are computed, no request is played."""
    memory = job.memory or job.accelerator.memory()
    work, labels = permuted(graph, job.accelerator.permute_ids)
    problem = job.question.on(work, labels)
    for _ in job.accelerator.phases(problem, Layout(memory)):
        pass
    return max(1, problem.done)


def modelled_run(
    task: str, graph: Graph, accelerator: str, memory: str | None = None, **told: Any
) -> Modelled | None:
    """Return how long a run takes by formulas, or None if the design has none; see ``simulate``.

    Its values are computed, to count the iterations, but no request is played.
    """
    design = accelerator_named(accelerator)()
    chosen = design.memory() if memory is None else Memory(memory)
    job = Job(Question(canonical(task), **told), design, chosen)
    if job.question.task not in (canonical(t) for t in design.tasks):
        return None
    return Formulas(job.question, graph)(design, chosen)


class Formulas:
    """How long machines take for a question by formulas: what these need of the graph is found once.

    All machines of a design are thought to need as many iterations as the first one.

    >>> import tachograph as tg
    >>> formulas = Formulas(Question("wcc"), tg.kronecker(7, rng=1))
    >>> slow, fast = (formulas(tg.AccuGraph(edge_pipelines=k)) for k in (1, 16))
    >>> slow.seconds > fast.seconds
    True
    """

    def __init__(self, question: Question, graph: Graph) -> None:
        self.question = replace(question, task=canonical(question.task))
        self.graph = graph
        self._rounds: dict[type[Accelerator], int] = {}

    @cached_property
    def _active(self) -> Activity | None:
        return activity(self.graph, self.question)

    def __call__(self, design: Accelerator, memory: Memory | None = None) -> Modelled | None:
        """Return the seconds of a machine, or None if its design has no formulas."""
        task, graph, kind = self.question.task, self.graph, type(design)
        if kind not in self._rounds:
            self._rounds[kind] = iterations(Job(self.question, design, memory), graph)
        used, rounds = memory or design.memory(), self._rounds[kind]
        size = Size(graph.n, graph.arcs, task, rounds, used, graph.indptr, self._active)
        return modelled(design, size)


def explore(
    question: Question,
    graph: Graph,
    designs: Sequence[str],
    memories: Sequence[Memory | None] = (None,),
    *,
    limits: Limits = Limits(),
    budget: float = float("inf"),
    executor: Executor | None = None,
) -> Exploration:
    """Search the designs' parameters and the memories for what runs a task fast.

    ``budget`` are seconds after which no more simulations begin. A rerun takes what is known from the
    journal, so it goes further.

    >>> import tachograph as tg
    >>> g = tg.kronecker(7, rng=1)
    >>> found = explore(Question("wcc"), g, ["accugraph"])
    >>> given = found.best.job.accelerator.given
    >>> given["prefetch_skipping"]
    True
    """
    asked, begin = replace(question, task=canonical(question.task)), time.monotonic()
    every = candidates(asked, graph, designs, memories, limits)

    def simulated(points: list[Point], cap: int | None) -> list[Point]:
        made: list[Point] = []
        for at in range(0, len(points), IN_ONE_GO):
            if made and time.monotonic() > begin + budget:
                break
            part = points[at : at + IN_ONE_GO]
            jobs = [replace(p.job, question=replace(asked, iterations=cap)) for p in part]
            done = dict(compare(graph, jobs, executor))
            each = cap != asked.iterations  # cut short: what counts is one iteration
            made += [_with(p, done[i], each) for i, p in enumerate(part) if i in done]
        return made

    chosen = _spread(every, FIRST_RUNG)
    rounds = iterations(chosen[0].job, graph)
    if rounds >= FEWEST_ITERATIONS and not asked.iterations:
        first = simulated(chosen, max(1, rounds // PART))
        order = sorted(first, key=lambda p: p.cost)
        front = [p for p in order if not any(_beats(q, p) for q in order)]
        kept = [*front, *(p for p in order if p not in front)][: max(1, len(order) // 2)]
        known = {id(p.job): p for p in every}
        chosen = [known[id(p.job)] for p in kept]
    found = simulated(chosen, asked.iterations)
    allowed = found
    if limits.joules is not None:
        allowed = [p for p in found if p.joules is not None and p.joules <= limits.joules]
    if not allowed:
        raise InputError(
            f"{len(found)} candidates were simulated, and none is known to take at most "
            f"{limits.joules} J: allow more, or use a memory whose energy is known"
        )
    whole = len(found) == len(chosen) and time.monotonic() <= begin + budget
    return Exploration(asked, tuple(every), tuple(allowed), whole)


def _with(point: Point, numbers: Numbers, each: bool) -> Point:
    """Return a candidate with what its simulation gave, all in all or for ``each`` iteration."""
    share = 1 / numbers["iterations"] if each and numbers["iterations"] else 1.0
    joules = numbers["joules"]
    return point._replace(
        seconds=numbers["seconds"] * share, joules=None if joules is None else joules * share
    )


def _spread(points: list[Point], count: int) -> list[Point]:
    """Return those that formulas put first, and at least some of every design."""
    designs = dict.fromkeys(p.job.name for p in points)
    each = max(1, count // (2 * len(designs)))
    kept = [p for name in designs for p in [q for q in points if q.job.name == name][:each]]
    kept += [p for p in points if p not in kept][: max(0, count - len(kept))]
    return sorted(kept, key=lambda p: float("inf") if p.guess is None else p.guess)


def describe(accelerator: Accelerator) -> str:
    """Return what a search chose for a design, in a few words."""
    usual = {name: p.default for name, p in accelerator.declared().items()}
    told = [f"{k}={v}" for k, v in accelerator.given.items() if v != usual[k]]
    return ", ".join(told) or "its defaults"
