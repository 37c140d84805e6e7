"""Numbers as people read them in charts and tables, and the columns of a trace as numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from ..util.printed import three_digits

__all__ = ["Columns", "count", "factor", "floats", "percent", "seconds", "short"]

Columns = Mapping[str, Sequence[str | float | None]]  #: the columns of a trace, as lists

TIME_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))


def seconds(value: float | None) -> str:
    """Write three digits and a unit; a question mark for what is not known.

    >>> seconds(0.01234), seconds(2.5e-6), seconds(75), seconds(0), seconds(None)
    ('12.3 ms', '2.5 µs', '75 s', '0 s', '?')
    """
    if value is None:
        return "?"
    if not math.isfinite(value):
        return "–"
    if value == 0:
        return "0 s"
    size, unit = next((u for u in TIME_UNITS if abs(value) >= 0.9995 * u[0]), TIME_UNITS[-1])
    return f"{three_digits(value / size)} {unit}"


def count(value: float) -> str:
    """Write whole numbers with separators.

    >>> count(1234567), count(12.5), count(12345.678)
    ('1,234,567', '12.5', '12,346')
    """
    return f"{value:,.0f}" if float(value).is_integer() else three_digits(value)


def short(value: float) -> str:
    """Write a number as short as an axis needs it.

    >>> short(20000), short(3.5e6), short(0.25)
    ('20k', '3.5M', '0.25')
    """
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:.3g}{letter}"
    return f"{value:.3g}"


def percent(value: float) -> str:
    """Write a share.

    >>> percent(0.1234), percent(0.00071), percent(1), percent(14.06)
    ('12.3 %', '0.071 %', '100 %', '1,406 %')
    """
    return f"{three_digits(value * 100)} %"


def factor(value: float) -> str:
    """Write a factor.

    >>> factor(3.14159)
    '3.14×'
    """
    return f"{three_digits(value)}×"


def floats(column: Sequence[str | float | None]) -> list[float]:
    """Return a column as numbers; a missing value is not a number.

    >>> floats([1, None])
    [1.0, nan]
    """
    return [math.nan if value is None else float(value) for value in column]
