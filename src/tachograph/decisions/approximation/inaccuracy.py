"""How far approximate distances are from the exact ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...util.errors import InputError

__all__ = ["Inaccuracy", "inaccuracy", "relative_errors"]


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
    median, p95 = np.quantile(error, [0.5, 0.95])
    return Inaccuracy(
        mean=float(error.mean()),
        wrong=float((error > 0).mean()),
        lost=float(np.isinf(approximate[counted]).mean()),
        median=float(median),
        p95=float(p95),
        maximum=float(error.max()),
    )
