"""Shortest paths by delta-stepping: chooses the kernel and the width of its buckets, and runs it.

Graphs with few arcs per vertex and no hubs (roads) go to ``delta_owned``, as does everything small
enough for one worker; others to ``delta_shared``. Integer distances are computed as int32 and, if
they turn out too large for that, again as float64, which is exact up to 2**53. A team that finds too
little to do in each round is replaced by one worker.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..runtime.atomics import ld, st, stopped
from ..runtime.launch import kernel, over_parts, threads_available
from ..runtime.team import new_board, run_team
from . import delta_owned, delta_shared
from .buckets import ring_size
from .limits import EVERYTHING, UNLIMITED, Limits

__all__ = ["shortest_distances"]

SMALL = 1 << 17  # arcs below which one worker is faster than several
ROAD_DEGREE, ROAD_LARGEST = 8, 64  # mean and largest degree up to which vertices are owned
OWNED_BITS = 14  # vertices in a block of one owner
OWNED_WIDTH = 6400  # delta of roads in mean weights, times the root of n
FINEST = 1 << 15  # buckets in the mean weight at most: the far list is sorted again and again
SHARE = 256  # a bucket with this part of all arcs sets the limit for the pull
REACH = 7  # from there to the limit, in units of 2 * mean weight / mean degree


def power_of_two(value: float, whole: bool) -> float:
    """The power of two at or below a positive number, for whole numbers at least 1."""
    if not value > 0:
        return 1 if whole else 1.0
    exponent = math.floor(math.log2(min(value, 2.0**1000)))
    return 2 ** max(exponent, 0) if whole else 2.0 ** max(min(exponent, 900), -900)


@dataclass(frozen=True)
class _Problem:
    """What both kernels are given."""

    indptr: np.ndarray
    indices: np.ndarray
    weights: np.ndarray
    back: tuple[np.ndarray, np.ndarray, np.ndarray] | None
    sources: np.ndarray
    mean_weight: float
    heaviest: float
    largest_degree: int
    traced: bool
    brief: bool
    limits: Limits
    rounds: int

    @property
    def n(self) -> int:
        return self.indptr.size - 1

    def scale(self, step: float, narrow: bool) -> tuple[float, float, float, type]:
        """Width, infinity and ceiling of distances, and their type (see ``buckets``)."""
        if narrow:
            infinity = 2**31 - 1
            return int(step).bit_length() - 1, infinity, infinity - int(self.heaviest) - 1, np.int32
        return 1.0 / step, math.inf, math.inf, np.float64


def shortest_distances(
    indptr: np.ndarray,
    indices: np.ndarray,
    weights: np.ndarray,
    back: tuple[np.ndarray, np.ndarray, np.ndarray] | None,
    sources: np.ndarray,
    *,
    mean_weight: float,
    heaviest: float,
    largest_degree: int,
    delta: float | None = None,
    traced: bool = True,
    limits: Limits = EVERYTHING,
    iterations: int = UNLIMITED,
) -> tuple[np.ndarray, np.ndarray, int]:
    """Distances (float64), trace (``rounds.COLUMNS``) and workers, from distinct ``sources``.

    ``back`` are offsets, targets and weights of the transpose: the same arrays if undirected, None if
    there are none; then nothing is pulled. Weights must not be negative. Distances do not depend on
    the number of threads, unless ``limits`` or at most ``iterations`` rounds make them approximate:
    after that of the sources or, if something is pulled, from the first with many arcs on.
    """
    n, arcs = indptr.size - 1, indices.size
    brief = n + arcs < SMALL
    mean_weight = min(mean_weight, heaviest)  # a sum of floats may overflow
    problem = _Problem(indptr, indices, weights, back, sources, mean_weight, heaviest,
                       largest_degree, traced, brief, limits, iterations)  # fmt: skip
    workers = 1 if brief else threads_available()
    narrow = weights.dtype.kind == "i" and heaviest < 2**30
    while True:
        owned = workers == 1 or (arcs <= ROAD_DEGREE * n and largest_degree <= ROAD_LARGEST)
        if owned:
            workers = 1 << (workers.bit_length() - 1)
        spread = OWNED_WIDTH / math.sqrt(n) if owned else 2 * n / max(arcs, 1)
        step = spread * mean_weight if delta is None else max(delta, mean_weight / FINEST)
        # one bucket must not reach beyond what int32 distances may be
        step = power_of_two(min(step, 2**28) if narrow else step, narrow)
        run = _run_owned if owned else _run_shared
        distances, rows, outcome = run(problem, workers, step, narrow)
        if outcome == delta_owned.TOO_FAR:
            narrow = False
        elif outcome == delta_owned.TOO_NARROW:
            workers = 1
        else:
            break
    if narrow:
        exact = np.empty(n)
        over_parts(widen, n, distances, exact)
        distances = exact
    return distances, rows, workers


def _run_owned(
    given: _Problem, workers: int, step: float, narrow: bool
) -> tuple[np.ndarray, np.ndarray, int]:
    width, infinity, ceiling, kind = given.scale(step, narrow)
    largest = max(given.largest_degree, 1)
    room = max(largest, min(given.indices.size, (1 << 19) // workers**2))
    places = 2 * workers * workers
    slots = places * room if workers > 1 else 0
    dist: np.ndarray = np.empty(given.n, kind)
    found = run_team(
        delta_owned.walk, workers, given.n, given.indptr, given.indices, given.weights,
        given.sources, width, int(step) if narrow else step, ring_size(given.heaviest, step),
        OWNED_BITS, ceiling, infinity, dist, np.empty(slots, given.indices.dtype),
        np.empty(slots, kind), room, largest, np.zeros(places, np.int64), given.limits, given.rounds,
        new_board(workers), given.traced, brief=given.brief,
    )  # fmt: skip
    return dist, *found[0]


def _run_shared(
    given: _Problem, workers: int, step: float, narrow: bool
) -> tuple[np.ndarray, np.ndarray, int]:
    n, arcs = given.n, given.indices.size
    width, infinity, ceiling, kind = given.scale(step, narrow)
    wider = width + 4 if narrow else width / delta_shared.WIDER
    behind = (given.indptr, given.indices, given.weights) if given.back is None else given.back
    trigger = 0 if given.back is None else max(arcs // SHARE, 1)
    reach = max(1, math.ceil(min(REACH * 2 * given.mean_weight * (n / arcs / step), 2**40)))
    dist: np.ndarray = np.empty(n, kind)
    found = run_team(
        delta_shared.walk, workers, n, given.indptr, given.indices, given.weights, *behind,
        behind[0] is given.indptr, given.sources, width, wider, int(step) if narrow else step,
        ring_size(given.heaviest, step), trigger, reach, ceiling, infinity, dist,
        np.empty(n, given.indices.dtype), np.empty(n, kind), given.limits, given.rounds,
        new_board(workers), given.largest_degree, given.traced,
    )  # fmt: skip
    return dist, *found[0]


@kernel
def widen(stop, lo, hi, distances, exact):
    """int32 distances as float64, the largest as infinity."""
    if stopped(stop):
        return
    for v in range(lo, hi):
        d = ld(distances, v)
        st(exact, v, np.inf if d == 2147483647 else np.float64(d))
