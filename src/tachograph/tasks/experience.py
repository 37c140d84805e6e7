"""What earlier runs say about predictions: by how much they were off, and if intervals were kept.

Runs of this machine correct a prediction step by step: all runs of the task, then those of the same
way, then those of the same way on the same graph. Each step moves it by ``n / (n + HALF)`` of what the
step's ``n`` runs were still off, in the median, so that few runs say little and many say everything.
What runs on the graph are off after that takes the place of the model's margin.

Intervals keep their promise whatever the machine (adaptive conformal inference; I. Gibbs and E. Candes,
NeurIPS 2021, with the quantile itself as what is adapted): in logarithms, each interval that a run has
missed makes the next ones of its task wider by ``0.9 * STEP``, and each that was kept makes them
narrower by ``0.1 * STEP``. Both balance when nine of ten are kept.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from ..decisions.times.model import CONFIDENCE
from ..journal import Run, journal, machine

__all__ = ["Correction", "Experience", "Seen", "experience", "learn", "seen"]

RECENT_RUNS = 200  # of a task
TASK_HALF_RUNS, WAY_HALF_RUNS, GRAPH_HALF_RUNS = 6, 3, 0.5  # that move a prediction half of the way
LARGEST_CORRECTION = 4.0  # times, by runs on other graphs
INFORMATIVE_SECONDS = 2e-3  # a shorter run says little about other graphs
MARGIN_HALF_RUNS = {
    True: 2.0,
    False: 20.0,
}  # on the graph, and elsewhere: that set half of the margin
LEAST_MARGIN = math.log(1.05)  # no two runs are alike
STEP = 0.15  # of the logarithm of a margin
WIDEST, NARROWEST = math.log(10.0), math.log(0.1)  # what hits and misses make of a margin
FRESH_SECONDS = 5.0  # what the journal says is kept for so long


class Seen(NamedTuple):
    """A run: its way, the mark of its graph, the logarithm of actual by predicted, and the interval."""

    way: str
    graph: str
    seconds: float
    off: float  # the prediction without corrections
    kept: bool | None  # whether the time was in the interval; None if there was none
    alone: bool  # whether nothing else kept the machine busy, as far as is known
    stretch: float = 1.0  # of the interval


class Correction(NamedTuple):
    """What to multiply a prediction by, the margin (of its logarithm; None: the model's) with a weight,
    and the number of runs in this way on this graph.
    """

    factor: float
    margin: float | None
    weight: float
    runs: int


@dataclass(frozen=True)
class Experience:
    """The runs of a task on this machine, oldest first."""

    seen: tuple[Seen, ...] = ()

    def correct(self, way: str, graph: str) -> Correction:
        """Return what runs say about a way on a graph.

        >>> runs = [Seen("auto", "a", 1.0, math.log(2.0), True, True)] * 20
        >>> made = Experience(tuple(runs)).correct("auto", "a")
        >>> round(made.factor, 1), made.runs
        (2.0, 20)
        """
        useful = [s for s in self.seen if s.alone] or list(self.seen)
        others = [s for s in useful if s.seconds >= INFORMATIVE_SECONDS]
        same_way = [s for s in others if s.way == way]
        here = [s for s in useful if (s.way, s.graph) == (way, graph)]
        off, most = 0.0, math.log(LARGEST_CORRECTION)
        for runs, half in ((others, TASK_HALF_RUNS), (same_way, WAY_HALF_RUNS)):
            off = min(max(_moved(off, runs, half), -most), most)
        off = _moved(off, here, GRAPH_HALF_RUNS)
        about = here or same_way
        left = sorted(abs(s.off - off) for s in about)
        if not left:
            return Correction(math.exp(off), None, 0.0, 0)
        place = min(math.ceil((len(left) + 1) * CONFIDENCE), len(left))
        weight = len(left) / (len(left) + MARGIN_HALF_RUNS[bool(here)])
        margin = max(left[place - 1], LEAST_MARGIN)
        return Correction(math.exp(off), margin, weight, len(here))

    @property
    def promised(self) -> list[bool]:
        """Whether intervals were kept, oldest first."""
        return [s.kept for s in self.seen if s.kept is not None]

    @property
    def stretch(self) -> float:
        """What hits and misses make of a margin: a factor.

        >>> hit, miss = (Seen("auto", "a", 1.0, 0.0, kept, True) for kept in (True, False))
        >>> round(Experience((miss,) + (hit,) * 9).stretch, 6)
        1.0
        """
        stretch = math.log(self.seen[0].stretch) if self.seen else 0.0  # what older runs have made
        for kept in self.promised:
            stretch += STEP * ((not kept) - (1 - CONFIDENCE))
            stretch = min(max(stretch, NARROWEST), WIDEST)
        return math.exp(stretch)


def _moved(off: float, runs: list[Seen], half: float) -> float:
    if not runs:
        return off
    rest = statistics.median(s.off - off for s in runs)
    return off + rest * len(runs) / (len(runs) + half)


def seen(runs: Iterable[Run]) -> tuple[Seen, ...]:
    """Return what can be learned from runs: those that were predicted, and not stopped."""
    return tuple(
        Seen(
            str(run.plan.get("way")).partition(" (")[0],  # on whichever device
            str(run.graph.get("mark")),
            run.seconds,
            math.log(run.seconds / run.plan["base"]),
            None if low is None or high is None else low <= run.seconds <= high,
            not run.plan.get("busy"),
            float(run.plan.get("stretch") or 1.0),
        )
        for run in runs
        if run.plan and run.plan.get("base") and run.seconds > 0 and not run.plan.get("stopped")
        if run.provenance == "measured"
        for low, high in [(run.plan.get("low"), run.plan.get("high"))]
    )


_known: dict[tuple[str, str], tuple[float, Experience]] = {}


def experience(task: str, clock: Callable[[], float] = time.monotonic) -> Experience:
    """Return the experience with a task, from the journal; it is read again after some seconds."""
    kept = journal()
    if kept.path is None:
        return Experience()
    when, known = _known.get((task, str(kept.path)), (-math.inf, Experience()))
    if clock() - when < FRESH_SECONDS:
        return known
    mine = machine()[0]
    known = Experience(seen(r for r in kept.runs(task, last=RECENT_RUNS) if r.machine == mine))
    _known[task, str(kept.path)] = clock(), known
    return known


def learn(run: Run) -> None:
    """Add a run that was just recorded, so that the next plan knows of it."""
    key = run.task, str(journal().path)
    if key in _known:
        when, known = _known[key]
        _known[key] = when, Experience((*known.seen, *seen([run]))[-RECENT_RUNS:])
