"""Error budgets: one meaning for all algorithms that take ``max_error`` and ``confidence``.

A *budget* says how much error is allowed. The *bound* is what the error stays below, in the stated
share of such calls. A bound that is *certain* was proved for this very answer and cannot be broken.
What the error is of (a mean over vertices, a count) is said by the algorithm. An *audit*, where there
is one, compares the answer with the exact one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from ..decisions.approximation.rules import check_budget

__all__ = ["Budget", "check_budget"]


@dataclass(frozen=True)
class Budget:
    """What was allowed, and what became of it.

    ``bound`` is what the error stays below with the ``confidence`` that was asked for, 0 if the answer
    is exact; ``certain`` is what it stays below in any case, None if nothing is sure. ``how`` says
    where that comes from, ``seen`` has what the check looked at, and ``repaired`` says that a first
    answer was not good enough and was improved.

    >>> print(Budget(0.05, 0.9, 0.031, 0.046, "a certificate"))
    error at most 3.10% with 90% confidence, certainly 4.60% (5.00% allowed): a certificate
    """

    max_error: float
    confidence: float
    bound: float
    certain: float | None
    how: str
    repaired: bool = False
    seen: Mapping[str, float] = field(default_factory=dict)

    @property
    def exact(self) -> bool:
        """Whether the answer is exact."""
        return self.certain == 0

    @property
    def brief(self) -> str:
        """The most that the error is, in a word or two."""
        return "exact" if self.exact else f"at most {self.bound:.2%}"

    def __str__(self) -> str:
        allowed = f"({self.max_error:.2%} allowed): {self.how}"
        if self.exact:
            return f"exact {allowed}"
        sure = "" if self.certain is None else f", certainly {self.certain:.2%}"
        return (
            f"error at most {self.bound:.2%} with {self.confidence:.0%} confidence{sure} {allowed}"
        )

    def to_dict(self) -> dict[str, object]:
        """Return the fields for JSON."""
        return asdict(self)
