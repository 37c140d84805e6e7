"""Scales: from numbers to places on an axis, and where its ticks are."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["Scale", "exact", "linear", "logarithmic", "near"]

LOG_FLOOR = 1e-20  # part of the largest value below which a logarithmic axis does not go
ROOM = 0.06  # part of a linear axis that is left free beyond the largest value


@dataclass(frozen=True)
class Scale:
    """Maps ``low`` to ``begin`` and ``high`` to ``end``."""

    low: float
    high: float
    begin: float
    end: float
    log: bool = False

    def __call__(self, value: float) -> float:
        """Return the place of a value; values outside are put at the nearer end.

        >>> Scale(0, 10, 100, 200)(5), Scale(1, 100, 0, 2, log=True)(10), Scale(0, 1, 0, 9)(7)
        (150.0, 1.0, 9.0)
        """
        value = min(max(value, self.low), self.high)
        if self.log:
            part = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            part = (value - self.low) / (self.high - self.low)
        return self.begin + part * (self.end - self.begin)

    def ticks(self, many: int = 5) -> list[float]:
        """Return about ``many`` round numbers inside.

        >>> Scale(0, 9.7, 0, 1).ticks()
        [0.0, 2.0, 4.0, 6.0, 8.0]
        >>> Scale(1, 20000, 0, 1, log=True).ticks()
        [1.0, 10.0, 100.0, 1000.0, 10000.0]
        """
        return self._powers(many) if self.log else self._steps(many)

    def _steps(self, many: int) -> list[float]:
        rough = max((self.high - self.low) / max(1, many), 1e-300)  # tiny ranges round to 0
        size = 10.0 ** math.floor(math.log10(rough))
        step = next(s * size for s in (1, 2, 5, 10) if s * size >= rough * 0.999)
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [round(k * step, 12) for k in range(first, last + 1)]

    def _powers(self, many: int) -> list[float]:
        first = math.ceil(math.log10(self.low) - 1e-9)
        last = math.floor(math.log10(self.high) + 1e-9)
        if last - first < 2:  # too narrow for powers of ten
            within = [m * 10.0**k for k in range(first - 1, last + 1) for m in (1, 2, 5)]
            return [x for x in within if self.low * (1 - 1e-9) <= x <= self.high * (1 + 1e-9)]
        skip = max(1, math.ceil((last - first + 1) / max(1, many)))
        return [10.0**k for k in range(first, last + 1, skip)]


def linear(values: Iterable[float], begin: float, end: float) -> Scale:
    """Return a scale that holds all values and zero, with some room beyond them."""
    known = _finite(values)
    low, high = min(*known, 0.0), max(*known, 0.0)
    room = (high - low) * ROOM or 1.0
    return Scale(low if low == 0 else low - room, high + room, begin, end)


def near(values: Iterable[float], begin: float, end: float) -> Scale:
    """Return a scale that holds all values, with some room at both ends."""
    known = _finite(values)
    low, high = min(known), max(known)
    room = (high - low) * ROOM or abs(high) * 0.5 or 1.0
    return Scale(low - room, high + room, begin, end)


def exact(values: Iterable[float], begin: float, end: float) -> Scale:
    """Return a scale from the smallest to the largest value."""
    known = _finite(values)
    low, high = min(known), max(known)
    return Scale(low, high if high > low else low + 1, begin, end)


def logarithmic(values: Iterable[float], begin: float, end: float) -> Scale:
    """Return a scale for the values above zero, with some room at both ends."""
    known = [v for v in _finite(values) if v > 0] or [1.0]
    high = max(known)
    low = max(min(known), high * LOG_FLOOR)
    if high / low < 4:
        low, high = low / 2, high * 2
    return Scale(low / 1.25, high * 1.25, begin, end, log=True)


def _finite(values: Iterable[float]) -> list[float]:
    return [v for v in values if math.isfinite(v)] or [1.0]
