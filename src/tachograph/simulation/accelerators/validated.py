"""How far simulations of this code are off: its own numbers beside published ones, ``validated.csv``.

A row has a design, the family of its memory, a task and a graph, our number, the one that the design's
authors published, what kind of graph ours is (the same, or generated alike), and what was chosen by
looking at that cell. ``python benchmarks/validated.py`` writes the table; a test simulates it again.
"""

from __future__ import annotations

import csv
from functools import lru_cache
from importlib.resources import files
from statistics import mean
from typing import NamedTuple

__all__ = ["Cell", "cells", "error_band", "expected_error", "graphs_validated"]


class Cell(NamedTuple):
    """A row of the table; numbers are seconds or rates, as they were published."""

    accelerator: str
    memory: str
    task: str
    graph: str
    kind: str
    here: float
    published: float
    chosen_on_it: str

    @property
    def error(self) -> float:
        """The error in per cent of the published number."""
        return 100 * abs(self.here - self.published) / self.published

    @property
    def smaller(self) -> bool:
        """Whether the graph is a smaller one than that of the published number."""
        return ", 1/" in self.graph


@lru_cache(1)
def cells() -> tuple[Cell, ...]:
    """Return the rows of the table."""
    text = files(__package__).joinpath("validated.csv").read_text(encoding="utf-8")
    return tuple(
        Cell(**row | {name: float(row[name]) for name in ("here", "published")})  # type: ignore[arg-type]
        for row in csv.DictReader(text.splitlines())
    )


def expected_error(accelerator: str, memory: str, task: str) -> float | None:
    """Return the mean error of a design (its class), a memory such as DDR4-2400R and a task, in %.

    None means that nothing was validated: no error of another design, memory or task is taken instead,
    nor one of a smaller graph, whose parallel edges distort it.

    >>> expected_error("AccuGraph", "HBM-1Gbps", "bfs") is None
    True
    >>> expected_error("HitGraph", "DDR3-1600K", "sssp") is None
    True
    """
    errors = _errors(accelerator, memory, task)
    return mean(errors) if errors else None


def error_band(accelerator: str, memory: str, task: str) -> str:
    """Say how far a simulated time may be off, and on how many graphs that was found.

    >>> error_band("AccuGraph", "HBM-1Gbps", "bfs")
    'not validated'
    >>> error_band("AccuGraph", "DDR4-2400R", "connected_components")
    'validated on 1 graph, 11 % off'
    """
    errors = _errors(accelerator, memory, task)
    if not errors:
        return "not validated"
    if len(errors) == 1:
        return f"validated on 1 graph, {errors[0]:.0f} % off"
    return f"validated on {len(errors)} graphs, mean error {mean(errors):.0f} %"


def graphs_validated(accelerator: str, memory: str, task: str) -> int:
    """Return on how many graphs that error was found.

    >>> graphs_validated("AccuGraph", "DDR4-2400R", "connected_components")
    1
    """
    return len(_errors(accelerator, memory, task))


def _errors(accelerator: str, memory: str, task: str) -> list[float]:
    """Return the errors of full-size graphs on that design, family of memory and task."""
    asked = (accelerator, memory.partition("-")[0].upper(), task)
    return [cell.error for cell in cells() if cell[:3] == asked and not cell.smaller]
