"""A check of approximate distances on a random sample of vertices."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass

import numpy as np

from ..decisions.approximation.rules import relative_errors
from ..util.rng import Rng

__all__ = ["Audit", "audit"]

SAMPLED_VERTICES = 10_000
RISK = 0.05  # the probability that the interval misses the mean error of all vertices


@dataclass(frozen=True)
class Audit:
    """The mean relative error of all vertices, estimated from a sample: an estimate, and an interval
    that contains the true mean in 95 of 100 such samples.
    """

    error: float
    low: float
    high: float
    sample: int  # vertices that were compared
    vertices: int  # vertices that they stand for

    def __str__(self) -> str:
        if self.sample == self.vertices:
            return f"error {self.error:.2%} (all {self.vertices:,} vertices compared)"
        return (
            f"error {self.error:.2%}, between {self.low:.2%} and {self.high:.2%} with 95 % confidence "
            f"({self.sample:,} random vertices of {self.vertices:,} compared with exact distances)"
        )

    def to_dict(self) -> dict[str, float]:
        """Return the fields for JSON."""
        return asdict(self)


def audit(
    exact: np.ndarray,
    approximate: np.ndarray,
    sources: np.ndarray,
    *,
    sample: int = SAMPLED_VERTICES,
    rng: Rng = 0,
) -> Audit:
    """Compare the distances of a random sample of the vertices that can be reached, without sources.

    The interval is the empirical Bernstein bound for errors between 0 and 1.

    Examples
    --------
    >>> import numpy as np
    >>> exact = np.arange(100_000.0)
    >>> print(audit(exact, exact * 1.25, np.array([0])))
    error 25.00%, between 24.90% and 25.10% with 95 % confidence (10,000 random vertices of 99,999
    compared with exact distances)
    """
    counted = np.isfinite(exact)
    counted[sources] = False
    targets = np.flatnonzero(counted)
    total = targets.size
    if total > sample:
        targets = np.random.default_rng(rng).choice(targets, sample, replace=False)
    error = relative_errors(exact[targets], approximate[targets])
    if not error.size:
        return Audit(0.0, 0.0, 0.0, 0, 0)
    mean = float(error.mean())
    if total <= sample:
        return Audit(mean, mean, mean, total, total)
    logarithm = math.log(4 / RISK)
    room = math.sqrt(2 * float(error.var(ddof=1)) * logarithm / sample)
    room += 7 * logarithm / (3 * (sample - 1))
    return Audit(mean, max(0.0, mean - room), min(1.0, mean + room), sample, total)
