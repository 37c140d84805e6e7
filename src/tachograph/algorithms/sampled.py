"""How many random sources are enough: sums over all of them, estimated from some, with a bound.

Values are means over sources. From ``k`` of ``n`` sources, drawn without replacement, each has an
estimate and a standard deviation; its interval is ``z * deviation * sqrt((1 - k / n) / k)`` wide. The
*error* of all values together is the sum of their differences over the sum of the exact values. With
the confidence of each interval, it is below the sum of the widths over the sum of the estimates: if all
differences come and go together, as often as a single interval holds; if they do not, more often.
Sources are added until that keeps the budget, or until all are taken, and the answer is exact.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .budget import Budget, check_budget

__all__ = ["Growing", "deviations", "rounds", "widths"]

FEWEST_SOURCES = 64  # drawn first: a spread that is estimated from fewer says little
GROWTH = 4.0  # of the number of sources between two looks, at most
AIMED_PART = 0.9  # of the budget, when the next number of sources is chosen
#: From this part of all sources on, all of them are as quick: they need no random order.
EXACT_FROM_PART = 0.5

Numbers = NDArray[np.float64]


class Growing(NamedTuple):
    """A sample that grows: the sources to add, and how many there are then."""

    sources: NDArray[np.int64]
    total: int


def deviations(confidence: float) -> float:
    """Return how many standard deviations an interval of this confidence has on each side."""
    return NormalDist().inv_cdf((1 + confidence) / 2)


def widths(sums: Numbers, squares: Numbers, k: int, n: int, confidence: float) -> Numbers:
    """Return how far each mean of ``k`` of ``n`` values may be off."""
    if not k:
        return np.zeros(sums.size)
    mean = sums / k
    variance = np.maximum(squares / k - mean * mean, 0.0) * (k / max(k - 1, 1))
    return np.asarray(deviations(confidence) * np.sqrt(variance * (1 - k / n) / k))


def rounds(
    n: int,
    max_error: float,
    confidence: float,
    rng: int | np.random.Generator | None,
    bound: Callable[[int], float],
) -> Iterator[Growing | Budget]:
    """Yield sources to add; last, what became of the budget. The caller adds them before the next.

    ``bound(k)`` is the error that is possible after ``k`` sources. A budget that says ``exact`` asks
    the caller to take all sources instead, none of which has to be random.
    """
    check_budget(max_error, confidence)
    order = np.random.default_rng(rng).permutation(n)
    done, wanted = 0, min(FEWEST_SOURCES, n)
    while wanted < EXACT_FROM_PART * n:
        yield Growing(order[done:wanted], wanted)
        done, found = wanted, bound(wanted)
        if found <= max_error:
            how = f"intervals of the values from {done:,} of {n:,} sources, added up"
            yield Budget(max_error, confidence, found, None, how, seen={"sources": done})
            return
        # intervals shrink with the square root of the number of sources
        enough = done * (found / (AIMED_PART * max_error)) ** 2
        if enough >= n:
            break
        wanted = math.ceil(min(max(enough, done + 1), GROWTH * done))
    yield Budget(max_error, confidence, 0.0, 0.0, f"all {n:,} sources were needed", bool(done))
