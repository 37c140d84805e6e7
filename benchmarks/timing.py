"""How candidates are timed: alternately, in one run. And the tables that show it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Table:
    """What was measured. A cell that is a list has a number for each round."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    notes: Sequence[str] = ()


def seconds(call: Callable[[], object]) -> float:
    """Time one call; a float that it returns, or the ``seconds`` of its result, are its own time."""
    begin = time.perf_counter()
    outcome = call()
    taken = time.perf_counter() - begin
    return float(outcome if isinstance(outcome, float) else getattr(outcome, "seconds", taken))


def in_turns(
    candidates: Mapping[str, Callable[[], object]], rounds: int, once: float = float("inf")
) -> dict[str, list[float]]:
    """Time candidates alternately, each round beginning with another one; the first round warms up.

    A candidate that takes longer than ``once`` seconds runs once.
    """
    names = list(candidates)
    first = {name: seconds(candidates[name]) for name in names}
    times = {name: [first[name]] if first[name] > once else [] for name in names}
    again = [name for name in names if first[name] <= once]
    for turn in range(rounds):
        for at in range(len(again)):
            name = again[(at + turn) % len(again)]
            times[name].append(seconds(candidates[name]))
    return times


def rounded(values: Sequence[float]) -> list[float]:
    """Round to four digits, which are more than a timing has."""
    return [float(f"{value:.4g}") for value in values]
