"""Ways to run the same task, timed alternately."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...plots import numbers as show
from ...plots.tables import Table

__all__ = ["Found", "Lap", "Ways", "race", "saving", "times_table"]

RACE_ROUNDS = 7  # at most
RACE_SECONDS = 3.0  # that the rounds of a race should take
ONCE_SECONDS = 12.0  # a race whose first round takes longer has no other
ALIKE = 0.03  # times that differ by a smaller part are the same

Found = Any  # the result of a task, each of a type of its own
Ways = Mapping[str, Callable[..., Found]]


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
