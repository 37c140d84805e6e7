"""Consecutive rows put together where there are more than a chart has room for."""

from __future__ import annotations

import math
from collections.abc import Sequence

__all__ = ["bins", "numbers", "span"]


def bins(rows: int, most: int) -> list[range]:
    """Ranges of equal length, at most so many, that hold all rows.

    >>> bins(5, 3), bins(2, 100)
    ([range(0, 2), range(2, 4), range(4, 5)], [range(0, 1), range(1, 2)])
    """
    each = max(1, math.ceil(rows / most))
    return [range(at, min(rows, at + each)) for at in range(0, rows, each)]


def span(these: range) -> str:
    """What a bin holds.

    >>> span(range(3, 4)), span(range(4, 8))
    ('3', '4–7')
    """
    return f"{these[0]}" if len(these) == 1 else f"{these[0]}–{these[-1]}"


def numbers(column: Sequence[float | None]) -> list[float]:
    """A column as numbers; what is missing is not a number.

    >>> numbers([1, None])
    [1.0, nan]
    """
    return [math.nan if value is None else float(value) for value in column]
