"""Columns of a trace as numbers, and rows put together where a chart has too little room."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from .scales import Scale

__all__ = ["BAR_PIXELS", "Bar", "Columns", "bars_of", "bins", "numbers", "span", "total", "whole"]

BAR_PIXELS = 4.0  # least distance of the left edges of two bars
Columns = Mapping[str, Sequence[str | float | None]]  #: the columns of a trace, as lists


def bins(rows: int, most: int) -> list[range]:
    """Return at most ``most`` ranges of equal length that hold all rows.

    >>> bins(5, 3), bins(2, 100)
    ([range(0, 2), range(2, 4), range(4, 5)], [range(0, 1), range(1, 2)])
    """
    each = max(1, math.ceil(rows / most))
    return [range(at, min(rows, at + each)) for at in range(0, rows, each)]


@dataclass(frozen=True)
class Bar:
    """A bar that stands for one row or for several: which rows, and its edges in pixels."""

    rows: range
    left: float
    right: float

    @property
    def middle(self) -> float:
        return (self.left + self.right) / 2

    def box(self, top: float, bottom: float) -> tuple[float, float, float, float]:
        """Return left edge, top, width and height."""
        return self.left, top, self.right - self.left, bottom - top


def bars_of(cells: Iterable[range], over: Scale, widest: float = 46.0) -> list[Bar]:
    """Return a bar for each cell; a few cells make thin bars, not blocks."""
    made = []
    for cell in cells:
        left, right = over(cell[0] - 0.5), over(cell[-1] + 0.5)
        middle, wide = (left + right) / 2, min((right - left) * 0.85, widest)
        made.append(Bar(cell, middle - wide / 2, middle + wide / 2))
    return made


def span(these: range) -> str:
    """Say which rows a bin holds.

    >>> span(range(3, 4)), span(range(4, 8))
    ('3', '4–7')
    """
    return f"{these[0]}" if len(these) == 1 else f"{these[0]}–{these[-1]}"


def numbers(column: Sequence[str | float | None]) -> list[float]:
    """Return a column as numbers; a missing value is not a number.

    >>> numbers([1, None])
    [1.0, nan]
    """
    return [math.nan if value is None else float(value) for value in column]


def total(values: Sequence[float], labels: Sequence[str], wanted: str) -> float:
    """Sum the values that have this label.

    >>> total([1, 2, 4], ["push", "pull", "push"], "push")
    5
    """
    return sum(value for value, label in zip(values, labels, strict=True) if label == wanted)


def whole(value: float) -> str:
    """Write whole numbers only, for axes of levels and iterations."""
    return f"{value:.0f}" if float(value).is_integer() else ""
