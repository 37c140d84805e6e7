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
from typing import TYPE_CHECKING, Any, NamedTuple

from ...graph.graph import Graph
from ...util.errors import InputError
from ...util.executor import Executor
from ...util.names import canonical
from ..dram import Memory
from .activity import activity
from .analytical import Modelled, modelled
from .base import Accelerator, Layout, Size
from .problem import Numbers, Question
from .simulate import Job, accelerator_named, compare, permuted

if TYPE_CHECKING:
    from ...plots.drawing import Drawing

__all__ = ["Exploration", "Limits", "Point", "candidates", "explore", "modelled_run"]

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
        """What a front compares; where energy is not known, it does not count."""
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
    """Return whether a point is at least as good in everything, and better in something."""
    better = all(a <= b for a, b in zip(one.cost, other.cost, strict=True))
    return better and one.cost != other.cost


def candidates(
    question: Question,
    graph: Graph,
    designs: Sequence[str],
    memories: Sequence[Memory | None],
    limits: Limits,
) -> list[Point]:
    """Return all combinations within the limits, those that take least by formulas first."""
    made: dict[str, Point] = {}
    active = activity(graph, question)
    for name in designs:
        kind = accelerator_named(name)
        if question.task not in (canonical(t) for t in kind.tasks):
            continue
        rounds: int | None = None
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
            if rounds is None:
                rounds = iterations(job, graph)
            size = Size(graph.n, graph.arcs, question.task, rounds, used, graph.indptr, active)
            guess = modelled(job.accelerator, size)
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
    rounds = iterations(job, graph)
    active = activity(graph, job.question)
    size = Size(graph.n, graph.arcs, job.question.task, rounds, chosen, graph.indptr, active)
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
            made += [_with(p, done[i], cap) for i, p in enumerate(part) if i in done]
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
    allowed = [p for p in found if limits.joules is None or (p.joules or 0.0) <= limits.joules]
    if not allowed:
        raise InputError(
            f"{len(found)} candidates were simulated, and all take more than {limits.joules} J"
        )
    whole = len(found) == len(chosen) and time.monotonic() <= begin + budget
    return Exploration(asked, tuple(every), tuple(allowed), whole)


def _with(point: Point, numbers: Numbers, cap: int | None) -> Point:
    """Return a candidate with what its simulation gave, for one iteration if it was cut short."""
    share = 1 / numbers["iterations"] if cap is not None and numbers["iterations"] else 1.0
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
    return ", ".join(told) or "as published"
