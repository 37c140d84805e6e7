"""Runs of the lab, and what is kept of them.

A run is recorded in the journal when it ends, so what had finished is kept if the server is killed.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..algorithms.result import Result
from ..plots import numbers as show
from ..simulation.gpus.result import GpuSimulation
from ..tasks.decide import Candidate
from ..tasks.elsewhere import COPIED
from ..tasks.estimate import Estimate
from ..tasks.watch import watching
from ..util.text import plain
from .asking import Asked, copied
from .jobs import Jobs, Queued

__all__ = ["Job", "Outcome", "Runs", "outcome_of"]

PAGE_SECONDS = 1.0  # how long a run waits for the page that watches it


class Outcome(NamedTuple):
    """What is kept of a result: how it came about, not its values, which may be large."""

    task: str
    seconds: float
    predicted: float | None
    low: float | None
    high: float | None
    way: str
    why: str
    device: str
    provenance: str
    number: int | None
    facts: dict[str, Any]
    trace: dict[str, list[Any]]
    stopped: str = ""  # at a deadline: what the values are then


def outcome_of(result: Result | GpuSimulation, candidate: Candidate | None = None) -> Outcome:
    """Return what is kept of a result; ``candidate`` is the one of a plan that was run."""
    if isinstance(result, GpuSimulation):
        return _simulated(result, candidate)
    run = result.run
    guess = Estimate(run.predicted) if candidate is None else candidate.estimate
    words = (plain(run.way), plain(run.reason), plain(run.device), result.provenance)
    times = (result.seconds, guess.seconds, guess.low, guess.high)
    kept = (run.number, result.facts(), result.trace.to_dict(), plain(run.stopped))
    return Outcome(result.task, *times, *words, *kept)


def _simulated(result: GpuSimulation, candidate: Candidate | None) -> Outcome:
    """Return what is kept of a simulation; the copies count if the candidate has them."""
    copied = candidate is not None and candidate.name.endswith(COPIED)
    seconds = result.seconds + (result.copy_seconds if copied else 0.0)
    guess = Estimate() if candidate is None else candidate.estimate
    words = (f"{result.gpu} (simulated){COPIED if copied else ''}", str(result.band), result.gpu)
    times = (seconds, guess.seconds, guess.low, guess.high)
    shown = {k: show.seconds(v) for k, v in result.shares().items() if k != "overlapped"}
    kept = (None, shown, result.trace.to_dict())
    return Outcome(result.task, *times, *words, result.provenance, *kept)


@dataclass
class Job(Queued):
    """A run that was asked for."""

    asked: Asked | None  # until it is over, because it holds the graph
    way: str  # the name of a candidate; "" is the first of the plan, until it runs
    watched: bool = False  # then it begins when the page has drawn itself, which would disturb it
    drawn: threading.Event = field(default_factory=threading.Event)
    outcome: Outcome | None = None
    copied: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        assert self.asked is not None
        self.task, self.question = self.asked.task.name, _question(self.asked)
        self.graph, self.vertices = self.asked.opened.name, max(self.asked.opened.graph.n, 1)

    def perform(self) -> None:
        """Run the candidate that was chosen."""
        assert self.asked is not None
        plan = self.asked.plan()
        self.copied = copied(self.asked, plan.candidates, self.way)
        chosen = plan.candidates[plan.place_of(self.way or 0)]
        self.way = chosen.name
        latest = time.monotonic() + (PAGE_SECONDS if self.watched else 0.0)
        while time.monotonic() < latest and not self.drawn.wait(0.02):
            pass
        self.began = time.monotonic()
        with watching() as self.watch:
            result = plan.run(self.way)
        self.outcome = outcome_of(result, chosen)

    def let_go(self) -> None:
        """Forget the graph."""
        self.asked = None


def _question(asked: Asked) -> tuple[str, str, str]:
    """Return what tells a question from others: the graph, the task, and its arguments."""
    told = {k: v for k, v in asked.arguments.items() if k != "vector"}
    return asked.opened.source, asked.task.name, repr(sorted(told.items()))


class Runs(Jobs[Job]):
    """The runs of a lab."""

    what = "run"

    def start(self, asked: Asked, way: str = "", watched: bool = False) -> Job:
        """Add a run; it begins when those before it have ended."""
        return self.add(lambda number: Job(asked, way, watched, number=number))

    def of_question(self, asked: Asked) -> dict[str, Job]:
        """Return the last run of each way that answered the same question."""
        wanted = _question(asked)
        return {j.way: j for j in self.jobs.values() if j.question == wanted}
