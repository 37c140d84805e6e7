"""A step of the tour: plan a task, run the chosen way and others alternately, tell what came out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import tachograph as tg

from ...graph.graph import Graph
from ...plots import numbers as show
from ...plots.report.page import Figure, Section
from ...tasks.plan import Plan
from .race import Found, Lap, Ways, race, saving, times_table
from .setting import Outcome, Setting

__all__ = ["Asked", "Raced", "Step", "Told"]


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

    ``ways`` are the beginnings of the names of candidates that run beside the chosen one, ``naive``
    that of the naive one, which ``naive_words`` describe.
    """

    title: str
    task: str
    ask: Callable[[Setting], Asked]
    tell: Callable[[Raced], Told]
    naive: str
    naive_words: str
    ways: tuple[str, ...] = ()

    def __call__(self, setting: Setting) -> Outcome:
        """Run the step."""
        asked = self.ask(setting)
        _ = setting.device  # is calibrated when it is first asked for
        plan = tg.plan(self.task, asked.graph, **asked.arguments)
        names = [c.name for c in plan.candidates]
        wanted = [k for k, name in enumerate(names) if not k or name.startswith(self.ways)]
        ways: dict[str, Callable[..., Found]] = {names[k]: partial(plan.run, k) for k in wanted}
        raced = Raced(setting, asked, plan, race({**ways, **asked.extra}))
        told = self.tell(raced)
        naive = raced.way(self.naive)
        seconds, rival = raced.chosen.median, raced.laps[naive].median
        compared = saving(seconds, rival, self.naive_words)
        if naive == plan.chosen.name:
            compared = f"{self.naive_words.capitalize()} is what was chosen."
        predicted = {c.name: c.seconds for c in plan.candidates if c.seconds is not None}
        text = [asked.intro, _decision(plan), compared, *told.text]
        facts = [("time", f"{show.seconds(seconds)}, measured"), *told.facts]
        times = times_table(raced.laps, plan.chosen.name, predicted)
        section = Section(self.title, text, facts, [*told.figures, Figure(table=times)])
        decided, expected = told.decided or plan.chosen.name, predicted.get(plan.chosen.name)
        return Outcome(section, decided, seconds, self.naive_words, rival, expected)


def _decision(plan: Plan) -> str:
    """Say what was decided and why."""
    first, between = plan.chosen, ""
    if first.estimate.low is not None and first.estimate.high is not None:
        low, high = show.seconds(first.estimate.low), show.seconds(first.estimate.high)
        between = f" Predicted: {show.seconds(first.seconds or 0)}, between {low} and {high}."
    return f"Decided: {first.name}; {plan.reason}.{between}"
