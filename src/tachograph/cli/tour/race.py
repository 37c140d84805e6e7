"""Ways to do the same thing, timed in turns."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ...algorithms.result import Result
from ...plots import numbers as show
from ...plots.tables import Table

__all__ = ["Lap", "race", "saving", "times_table"]

ROUNDS = 7
PATIENCE = 3.0  # seconds that the turns of a race should take
LONG = 12.0  # seconds of a turn that is not repeated


@dataclass
class Lap:
    """The runs of one way."""

    runs: list[Result] = field(default_factory=list)

    @property
    def median(self) -> float:
        """Seconds."""
        return statistics.median(run.seconds for run in self.runs)

    @property
    def result(self) -> Result:
        """The run whose time is nearest to the median."""
        return min(self.runs, key=lambda run: abs(run.seconds - self.median))


def race(ways: Mapping[str, Callable[[], Result]]) -> dict[str, Lap]:
    """Run every way once to have it ready, then all in turns while there is time.

    The seconds are the results' own, which leave out compiling and checks. Ways that take long have the
    first run counted instead.
    """
    laps = {name: Lap([run()]) for name, run in ways.items()}
    if sum(lap.median for lap in laps.values()) > LONG:
        return laps
    begin, turns = time.perf_counter(), 0
    while turns < ROUNDS and (time.perf_counter() - begin) * (turns + 1) <= PATIENCE * max(
        1, turns
    ):
        for name, run in ways.items():
            laps[name].runs = [*(laps[name].runs if turns else ()), run()]
        turns += 1
    return laps


def times_table(laps: Mapping[str, Lap], chosen: str, predicted: Mapping[str, float]) -> Table:
    """The ways with their predicted and median times, what was decided first."""
    best = laps[chosen].median
    others = sorted((name for name in laps if name != chosen), key=lambda name: laps[name].median)
    rows = [
        (name, show.seconds(predicted[name]) if name in predicted else "–",
         show.seconds(laps[name].median),
         show.factor(laps[name].median / best) if best else "–", f"{len(laps[name].runs)}")
        for name in (chosen, *others)
    ]  # fmt: skip
    columns = ("way", "predicted", "measured", "of decided", "runs")
    return Table("What was decided, then the others; run in turns", columns, rows, first=True)


def saving(chosen: float, naive: float, what: str) -> str:
    """What the decision saved, or cost, in words.

    >>> saving(0.002, 0.008, "always pushing")
    'Saved 6 ms, 75 %, against always pushing (8 ms).'
    >>> saving(0.010, 0.008, "the host alone")
    'Cost 2 ms, 25 %, against the host alone (8 ms).'
    >>> saving(0.0101, 0.0100, "the host alone")
    'As fast as the host alone (10 ms).'
    """
    if not naive or abs(chosen - naive) < 0.03 * naive:
        return f"As fast as {what} ({show.seconds(naive)})."
    word = "Saved" if chosen < naive else "Cost"
    part = abs(naive - chosen) / naive
    return f"{word} {show.seconds(abs(naive - chosen))}, {part:.0%}".replace("%", " %") + (
        f", against {what} ({show.seconds(naive)})."
    )
