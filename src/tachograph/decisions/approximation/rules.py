"""How much of a shortest-path search may be left out, by which methods, and what error that makes.

Method: B. Aktılav, I. Öz, "Performance and accuracy predictions of approximation methods for
shortest-path algorithms on GPUs", 2022, section 3.2. The paper's Table 3 also lists an unexplained
signal sAtomicBlock; relaxing without atomics is our reading of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from ...util.errors import InputError

__all__ = ["EXACT", "METHODS", "RULES", "Approximation", "Inaccuracy", "degree_thresholds"]
__all__ += ["check_budget", "inaccuracy", "relative_errors"]

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
        for name, least in (("iterations", 1), ("min_degree", 0), ("max_degree", 1), ("seed", 0)):
            value = getattr(self, name)
            if value is None and least:
                continue
            if isinstance(value, bool) or not isinstance(value, int | np.integer):
                raise InputError(f"{name} = {value!r} must be a whole number")
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
    def brief(self) -> str:
        """What is left out, in a few words; nothing if the search is exact."""
        return "" if self.exact else repr(self)

    @property
    def methods(self) -> tuple[str, ...]:
        """The fields that leave something out."""
        usual = type(self)  # has the defaults as its attributes
        return tuple(name for name in METHODS if getattr(self, name) != getattr(usual, name))

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


@dataclass(frozen=True)
class Inaccuracy:
    """Relative errors of the vertices that can be reached, without sources.

    Error budgets limit ``mean``. ``wrong`` is the share of vertices with any error, ``lost`` the share
    of those that were not reached (each an error of 1). ``median``, ``p95`` and ``maximum`` describe
    the errors of single vertices.
    """

    mean: float
    wrong: float
    lost: float
    median: float
    p95: float
    maximum: float


def relative_errors(exact: np.ndarray, approximate: np.ndarray) -> np.ndarray:
    """Return min(1, |d' - d| / |d|) for each vertex; 1 if it is lost, or wrong where d is 0."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        error: np.ndarray = np.abs(approximate - exact) / np.abs(exact)
    error[approximate == exact] = 0.0
    error[~(error < 1)] = 1.0
    return error


def inaccuracy(
    exact: np.ndarray, approximate: np.ndarray, sources: int | Sequence[int] | np.ndarray
) -> Inaccuracy:
    """Compare approximate distances with exact ones.

    The error of a vertex is the difference relative to the exact distance, at most 1. A vertex that was
    not reached counts as 1. Vertices that the exact search does not reach, and sources, do not count.

    Parameters
    ----------
    exact, approximate
        Distances of all vertices, inf if not reached.
    sources
        The vertices at which paths begin.

    Raises
    ------
    InputError
        If the two are not distances of the same vertices.

    Examples
    --------
    >>> import numpy as np
    >>> found = inaccuracy(np.array([0, 4, 5, np.inf]), np.array([0, 5, np.inf, np.inf]), 0)
    >>> found.mean, found.wrong, found.lost
    (0.625, 1.0, 0.5)
    """
    if exact.shape != approximate.shape:
        raise InputError(
            f"exact has {exact.size} distances, approximate {approximate.size}: "
            "both must be of the same graph"
        )
    counted = np.isfinite(exact)
    counted[np.asarray(sources)] = False
    error = relative_errors(exact[counted], approximate[counted])
    if not error.size:
        return Inaccuracy(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    shares = error.mean(), (error > 0).mean(), np.isinf(approximate[counted]).mean()
    return Inaccuracy(*map(float, (*shares, *np.quantile(error, [0.5, 0.95]), error.max())))


def check_budget(max_error: float, confidence: float) -> None:
    """Refuse what is not a share."""
    for name, value in (("max_error", max_error), ("confidence", confidence)):
        if not isinstance(value, int | float | np.floating) or not 0 < value < 1:
            raise InputError(f"{name} = {value!r} is a share: above 0 and below 1, as in 0.05")
