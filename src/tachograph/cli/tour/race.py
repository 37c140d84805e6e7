"""A step of the tour: plan a task, run the chosen way and others alternately, tell what came out."""

from __future__ import annotations

import functools
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

import tachograph as tg

from ...devices.opencl import OpenCL
from ...graph.graph import Graph
from ...plots import numbers as show
from ...plots.report.page import Figure, Section
from ...plots.tables import Table
from ...tasks.plan import Plan
from ...util.errors import TachographError

__all__ = ["Asked", "Found", "Lap", "Outcome", "Raced", "Setting", "Skip", "Step", "Told", "Ways"]
__all__ += ["nearest", "race", "saving", "times_table", "weighted"]

RACE_ROUNDS = 7  # at most
RACE_SECONDS = 3.0  # that the rounds of a race should take
ONCE_SECONDS = 12.0  # a race whose first round takes longer has no other
ALIKE = 0.03  # times that differ by a smaller part are the same
HEAVIEST = 255  # random weights are from 1 to this

Found = Any  # the result of a task, each of a type of its own
Ways = Mapping[str, Callable[..., Found]]


class Skip(Exception):
    """A step that says nothing about this graph, and why."""


@dataclass(frozen=True)
class Outcome:
    """A step of the tour: what it shows; what was decided, its time, and that of the naive way."""

    section: Section
    decided: str = ""
    seconds: float | None = None
    naive: str = ""
    naive_seconds: float | None = None
    predicted: float | None = None


@dataclass
class Setting:
    """The graph of the tour."""

    graph: Graph
    name: str
    notes: list[str] = field(default_factory=list)

    @functools.cached_property
    def source(self) -> int:
        """The vertex of highest degree."""
        if not self.graph.arcs:
            raise Skip("the graph has no edges")
        return int(self.graph.degrees.argmax())

    def called(self, vertex: int) -> str:
        """Return a vertex as the user knows it."""
        names = self.graph.names
        return str(vertex if names is None else names[vertex])

    @functools.cached_property
    def undirected(self) -> Graph:
        """The graph without directions, names and weights."""
        source, target, _ = self.graph.to_edges()
        return Graph.from_edges(
            source, target, n=self.graph.n, directed=False, dedupe="first", drop_self_loops=True
        )

    @functools.cached_property
    def device(self) -> OpenCL | None:
        """An OpenCL device with its calibration, or None."""
        from ...devices.calibrate import calibrate, calibration
        from ...devices.host import Host
        from ...devices.opencl import open_device
        from ...kernels.runtime.launch import threads_available

        try:
            found = open_device()
            for one in (Host(threads_available()), found):
                if calibration(one) is None:
                    calibrate(one)
        except TachographError as problem:
            self.notes.append(f"No second device: {problem}")
            return None
        return found


def nearest(graph: Graph, source: int, arcs: int) -> tuple[Graph, str]:
    """Return the graph, or its part of at most ``arcs`` arcs nearest to ``source``; and what it is."""
    if graph.arcs <= arcs:
        return graph, "the whole graph"
    levels = tg.bfs(graph, source, trace=False).levels
    reached = np.flatnonzero(levels >= 0)
    order = reached[np.argsort(levels[reached], kind="stable")]
    kept = order[: max(2, int(np.searchsorted(np.cumsum(graph.degrees[order]), arcs)))]
    new = np.full(graph.n, -1, np.int64)
    new[kept] = np.arange(kept.size)
    ends = [new[end] for end in graph.to_edges()[:2]]
    inside = (ends[0] >= 0) & (ends[1] >= 0)
    all_weights = graph.to_edges()[2]
    weights = None if all_weights is None else all_weights[inside]
    tails, heads = (end[inside] for end in ends)
    part = Graph.from_edges(tails, heads, weights, n=kept.size, directed=graph.directed)
    return part, f"the {kept.size:,} vertices nearest to the source, {part.m:,} edges"


def weighted(graph: Graph) -> tuple[Graph, str]:
    """Return the graph, with random weights if it has none, and a sentence that says so."""
    if graph.weights is not None:
        return graph, ""
    source, target, _ = graph.to_edges()
    weights = np.random.default_rng(1).integers(1, HEAVIEST + 1, source.size, np.int32)
    made = Graph.from_edges(source, target, weights, n=graph.n, directed=graph.directed)
    return made, f"The graph has no weights: random ones from 1 to {HEAVIEST} were drawn."


@dataclass
class Lap:
    """The runs of one way."""

    runs: list[Found] = field(default_factory=list)

    @property
    def median(self) -> float:
        """The median of the runs' seconds."""
        return float(statistics.median(run.seconds for run in self.runs))

    @property
    def result(self) -> Found:
        """The run whose time is nearest to the median."""
        return min(self.runs, key=lambda run: abs(run.seconds - self.median))


def race(ways: Ways) -> dict[str, Lap]:
    """Run every way once to have it ready, then all alternately while there is time.

    The seconds are the results' own, which leave out compiling and checks. If the first round takes
    long, it counts and is the only one.
    """
    laps = {name: Lap([run()]) for name, run in ways.items()}
    if sum(lap.median for lap in laps.values()) > ONCE_SECONDS:
        return laps
    begin = time.perf_counter()
    for turn in range(RACE_ROUNDS):
        spent = time.perf_counter() - begin
        if spent * (turn + 1) > RACE_SECONDS * max(1, turn):
            break
        for name, run in ways.items():
            laps[name].runs = [*(laps[name].runs if turn else ()), run()]
    return laps


def times_table(laps: Mapping[str, Lap], chosen: str, predicted: Mapping[str, float]) -> Table:
    """Return the ways with their predicted and median times, the chosen one first."""
    best = laps[chosen].median
    others = sorted((name for name in laps if name != chosen), key=lambda name: laps[name].median)
    rows = []
    for name in (chosen, *others):
        told = show.seconds(predicted[name]) if name in predicted else "–"
        taken, ratio = laps[name].median, "–"
        if best:
            ratio = show.factor(taken / best)
        rows.append((name, told, show.seconds(taken), ratio, f"{len(laps[name].runs)}"))
    columns = ("way", "predicted", "measured", "of chosen", "runs")
    return Table("Chosen way first; all ways timed alternately", columns, rows, first=True)


def saving(chosen: float, naive: float, what: str) -> str:
    """Say what the decision saved, or cost.

    >>> saving(0.002, 0.008, "always pushing")
    'Saved 6 ms, 75 %, against always pushing (8 ms).'
    >>> saving(0.010, 0.008, "the host alone")
    'Cost 2 ms, 25 %, against the host alone (8 ms).'
    >>> saving(0.0101, 0.0100, "the host alone")
    'As fast as the host alone (10 ms).'
    """
    rival = f"{what} ({show.seconds(naive)})."
    if not naive or abs(chosen - naive) < ALIKE * naive:
        return f"As fast as {rival}"
    word, less = "Saved" if chosen < naive else "Cost", abs(naive - chosen)
    return f"{word} {show.seconds(less)}, {100 * less / naive:.0f} %, against {rival}"


@dataclass(frozen=True)
class Asked:
    """What a step asks: on which graph, with which arguments; ``intro`` says so to the reader."""

    graph: Graph
    arguments: dict[str, Any]
    intro: str
    extra: Ways = field(default_factory=dict)  # ways to run it beside those of the plan


@dataclass(frozen=True)
class Raced:
    """What a step measured."""

    setting: Setting
    asked: Asked
    plan: Plan
    laps: dict[str, Lap]

    @property
    def chosen(self) -> Lap:
        """The runs of the chosen way."""
        return self.laps[self.plan.chosen.name]

    def way(self, start: str) -> str:
        """Return the raced way whose name begins so, or the chosen one if there is none."""
        return next((name for name in self.laps if name.startswith(start)), self.plan.chosen.name)


@dataclass(frozen=True)
class Told:
    """What a step shows beside what all steps do; ``decided`` if the way's name does not say it."""

    facts: list[tuple[str, str]]
    figures: list[Figure] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    decided: str = ""


@dataclass(frozen=True)
class Step:
    """A row of the tour: calling it plans, races and tells.

    ``ask`` and ``tell`` are ``does``. ``ways`` are the beginnings of the names of candidates that run
    beside the chosen one, ``naive`` is that of the naive one and what to call it.
    """

    title: str
    task: str
    does: tuple[Callable[[Setting], Asked], Callable[[Raced], Told]]
    naive: tuple[str, str]
    ways: tuple[str, ...] = ()

    def __call__(self, setting: Setting) -> Outcome:
        """Run the step."""
        (ask, tell), (rival, words) = self.does, self.naive
        asked = ask(setting)
        _ = setting.device  # is calibrated when it is first asked for
        plan = tg.plan(self.task, asked.graph, **asked.arguments)
        names = [c.name for c in plan.candidates]
        wanted = [k for k, name in enumerate(names) if not k or name.startswith(self.ways)]
        ways: dict[str, Callable[..., Found]] = {names[k]: partial(plan.run, k) for k in wanted}
        raced = Raced(setting, asked, plan, race({**ways, **asked.extra}))
        told, naive = tell(raced), raced.way(rival)
        seconds, naive_seconds = raced.chosen.median, raced.laps[naive].median
        compared = saving(seconds, naive_seconds, words)
        if naive == plan.chosen.name:
            compared = f"{words.capitalize()} is what was chosen."
        predicted = {c.name: c.seconds for c in plan.candidates if c.seconds is not None}
        text = [asked.intro, _decision(plan), compared, *told.text]
        facts = [("time", f"{show.seconds(seconds)}, measured"), *told.facts]
        times = times_table(raced.laps, plan.chosen.name, predicted)
        section = Section(self.title, text, facts, [*told.figures, Figure(table=times)])
        decided, expected = told.decided or plan.chosen.name, predicted.get(plan.chosen.name)
        return Outcome(section, decided, seconds, words, naive_seconds, expected)


def _decision(plan: Plan) -> str:
    """Say what was decided and why."""
    first, between = plan.chosen, ""
    if first.estimate.low is not None and first.estimate.high is not None:
        low, high = show.seconds(first.estimate.low), show.seconds(first.estimate.high)
        between = f" Predicted: {show.seconds(first.seconds or 0)}, between {low} and {high}."
    return f"Decided: {first.name}; {plan.reason}.{between}"
