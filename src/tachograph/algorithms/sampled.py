"""How many random sources are enough: sums over all of them, estimated from some, with a bound.

Values are means over sources. From ``k`` of ``n`` sources, drawn without replacement, each has an
estimate and a standard deviation; its width is ``z * deviation * sqrt((1 - k / n) / k)``. The *error*
of all values together is the sum of their differences over the sum of the exact values. The differences
depend on each other in ways that nobody knows, so ``z`` is not the quantile of a normal deviation for
the confidence, but the mean of what lies beyond it: quantiles of a sum are never above the sum of those
(expected shortfall). The exact sum is at least that of the estimates without the widths.

Where the largest difference is asked for instead, the risks of all values are added up: a width is
exceeded by one of them at most as often as the sum of the tails of their normal distributions says
(:func:`largest_width`). What no source of the sample has shown is added: a value that a share ``p`` of
the sources has is missed by ``k`` of them with a probability below ``exp(-p * k)``.

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

__all__ = ["Growing", "deviations", "largest_width", "relative", "rounds", "shortfall", "widths"]

FEWEST_SOURCES = 256  # drawn first: fewer seldom meet what is rare (and are not faster, together)
GROWTH = 4.0  # of the number of sources between two looks, at most
AIMED_PART = 0.9  # of the budget, when the next number of sources is chosen
#: At least: a value that one source in many has is off by twice its mean on average, and its deviation,
#: where that source was drawn, is its mean.
RARE_DEVIATIONS = 2.0
#: From this part of all sources on, all of them are as quick: they need no random order.
EXACT_FROM_PART = 0.5
HALVINGS = 50  # of the interval in which a width is looked for

Numbers = NDArray[np.float64]


class Growing(NamedTuple):
    """A sample that grows: the sources to add, and how many there are then."""

    sources: NDArray[np.int64]
    total: int


def deviations(confidence: float) -> float:
    """Return how many standard deviations an interval of this confidence has on each side.

    >>> round(deviations(0.9), 3)
    1.645
    """
    return NormalDist().inv_cdf((1 + confidence) / 2)


def shortfall(confidence: float) -> float:
    """Return how many standard deviations what is beyond such an interval is off, on average.

    >>> round(shortfall(0.9), 3)
    2.063
    """
    beyond = 2 * NormalDist().pdf(deviations(confidence)) / (1 - confidence)
    return max(beyond, RARE_DEVIATIONS)


def widths(sums: Numbers, squares: Numbers, k: int, n: int, confidence: float) -> Numbers:
    """Return how far each mean of ``k`` of ``n`` values may be off, to be added up."""
    if not k:
        return np.zeros(sums.size)
    return shortfall(confidence) * _deviations_of_means(sums, squares, k, n)


def _deviations_of_means(sums: Numbers, squares: Numbers, k: int, n: int) -> Numbers:
    mean = sums / k
    variance = np.maximum(squares / k - mean * mean, 0.0) * (k / max(k - 1, 1))
    return np.asarray(np.sqrt(variance * (1 - k / n) / k))


def largest_width(
    sums: Numbers, squares: Numbers, k: int, n: int, most: float, risk: float
) -> float:
    """Return what no mean of ``k`` of ``n`` values is off by, except with this risk.

    Values are between 0 and ``most``.

    >>> same = np.full(3, 50.0)  # a hundred values of 0.5 each
    >>> round(largest_width(same, same / 2, 100, 1000, 1.0, 0.1), 4)  # only what was not seen
    0.0207
    """
    if k in (0, n):
        return 0.0 if k else most
    from scipy.special import ndtr

    deviation = _deviations_of_means(sums, squares, k, n)
    deviation = deviation[deviation > 0]
    low, high = 0.0, float(deviation.max(initial=0.0)) * deviations(1 - risk / (sums.size + 1))
    for _ in range(HALVINGS if deviation.size else 0):
        middle = (low + high) / 2
        if 2 * float(ndtr(-middle / deviation).sum()) > risk:
            low = middle
        else:
            high = middle
    return high + (1 - k / n) * most * math.log(1 / risk) / k


def relative(width: float, estimate: float) -> float:
    """Return the largest error relative to the exact value, which is at least estimate - width.

    >>> relative(0.1, 1.1), relative(2.0, 1.0)
    (0.1, 1.0)
    """
    least = estimate - width
    return min(width / least, 1.0) if least > 0 else 1.0


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
