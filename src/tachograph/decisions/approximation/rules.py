"""How much of a shortest-path search may be left out: the methods, their parameters, candidates.

Method: B. Aktılav, I. Öz, "Performance and accuracy predictions of approximation methods for
shortest-path algorithms on GPUs", 2022, section 3.2. The paper's Table 3 also lists an unexplained
signal sAtomicBlock; relaxing without atomics is our reading of it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields

import numpy as np
from numpy.typing import NDArray

from ...util.errors import InputError

__all__ = ["EXACT", "METHODS", "RULES", "Approximation", "degree_thresholds"]

#: Methods by the field that switches them on, in the order of the paper.
METHODS = {
    "iterations": "reduced execution",
    "min_degree": "minimum edge number",
    "max_degree": "maximum edge number",
    "fraction": "partial queue",
    "atomic": "without atomics",
}
RULES = tuple(METHODS)


@dataclass(frozen=True)
class Approximation:
    """What a shortest-path search leaves out; any combination. As it is by default, nothing: exact.

    Parameters
    ----------
    iterations
        Stop after so many rounds; that of the sources does not count. In delta-stepping on graphs with
        hubs, rounds count from the first with 1/256 of all arcs on, and a pull follows, in which
        every vertex looks at its neighbours.
    min_degree, max_degree
        Do not go on from vertices with fewer, or more, arcs. Sources are exempt.
    fraction
        Go on from this share of the vertices of each round, chosen at random.
    atomic
        False relaxes arcs without atomic instructions: faster, but what two threads write at once is
        lost. Not for delta-stepping.
    seed
        Of the random choice.

    Examples
    --------
    >>> import tachograph as tg
    >>> tg.Approximation(iterations=4, min_degree=3)
    Approximation(iterations=4, min_degree=3)
    >>> tg.Approximation().exact
    True
    """

    iterations: int | None = None
    min_degree: int = 0
    max_degree: int | None = None
    fraction: float = 1.0
    atomic: bool = True
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("iterations", "min_degree", "max_degree", "seed"):
            value = getattr(self, name)
            if value is None and name in ("iterations", "max_degree"):
                continue
            if isinstance(value, bool) or not isinstance(value, int | np.integer):
                raise InputError(f"{name} = {value!r} must be a whole number")
            least = 1 if name in ("iterations", "max_degree") else 0
            if not least <= value < 2**31:
                raise InputError(f"{name} = {value} must be from {least} to 2**31 - 1")
        if self.max_degree is not None and self.max_degree < self.min_degree:
            raise InputError(
                f"min_degree = {self.min_degree} and max_degree = {self.max_degree} leave no vertex: "
                "the first must not be above the second"
            )
        if not (isinstance(self.fraction, int | float | np.floating) and 0 < self.fraction <= 1):
            raise InputError(
                f"fraction = {self.fraction} is the share that is kept: above 0, at most 1"
            )

    @property
    def exact(self) -> bool:
        """Whether nothing is left out."""
        return not self.methods

    @property
    def methods(self) -> tuple[str, ...]:
        """The fields that leave something out."""
        usual = {f.name: f.default for f in fields(self)}
        return tuple(name for name in METHODS if getattr(self, name) != usual[name])

    @property
    def keep(self) -> int:
        """The share that is kept, of 2**32; at least one of them."""
        return max(1, round(self.fraction * 2**32))

    def to_dict(self) -> dict[str, int | float | bool | None]:
        """All fields by name, for JSON."""
        return asdict(self)

    def __repr__(self) -> str:
        shown = [f"{name}={getattr(self, name)!r}" for name in self.methods]
        if self.seed:
            shown.append(f"seed={self.seed}")
        return f"Approximation({', '.join(shown)})"

    def __str__(self) -> str:
        return ", ".join(f"{name}={getattr(self, name)}" for name in self.methods) or "exact"


EXACT = Approximation()


def degree_thresholds(counts: NDArray[np.int64]) -> tuple[list[int], list[int]]:
    """Candidates for ``min_degree`` and ``max_degree``, by the paper's rule.

    Vertices with arcs are put in order of their degree and cut into tenths, the last tenth again: where
    these begin are candidates for the minimum. For the maximum the last of them is cut a third time,
    and only those cuts count.

    Parameters
    ----------
    counts
        How many vertices have degree 0, 1, 2, ...

    Examples
    --------
    >>> degree_thresholds(np.array([5, 90, 5, 4, 1]))
    ([2, 3, 4], [4])
    """
    upto = np.cumsum(counts[1:])  # vertices of degree 1..d
    total = int(upto[-1]) if upto.size else 0
    if total == 0:
        return [], []

    def degree_at(thousandths: int) -> int:
        return int(np.searchsorted(upto, thousandths * total // 1000, "right")) + 1

    tenths = [*range(100, 1000, 100), *range(910, 1000, 10)]
    least = sorted({degree_at(place) for place in tenths} - {1})
    return least, sorted({degree_at(place) for place in range(990, 1000)})
