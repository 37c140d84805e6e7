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

__all__ = ["Cell", "cells", "expected_error", "in_words"]


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

    None means that nothing was validated: no error of another design, memory or task is taken instead.

    >>> expected_error("AccuGraph", "HBM-1Gbps", "bfs") is None
    True
    """
    asked = (accelerator, memory.partition("-")[0].upper(), task)
    errors = [cell.error for cell in cells() if cell[:3] == asked]
    return mean(errors) if errors else None


def in_words(error: float | None) -> str:
    """Say how far a simulated time may be off.

    >>> in_words(None), in_words(11.06)
    ('not validated', 'mean error 11 % where it was validated')
    """
    return "not validated" if error is None else f"mean error {error:.0f} % where it was validated"
