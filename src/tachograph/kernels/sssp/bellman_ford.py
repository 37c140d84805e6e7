"""Shortest paths by Bellman-Ford, the two-kernel Dijkstra and the hybrid: the loops around
``relaxation``, and what happens if distances do not settle.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..runtime.launch import threads_available
from ..runtime.team import new_board, run_team
from .cycles import negative_cycle
from .limits import EVERYTHING, UNLIMITED, Limits
from .relaxation import ALL, CORRECT, NEGATIVE, OTHERS, RELAX, UNREACHED, walk

__all__ = ["METHODS", "relaxed_distances"]

SMALL = 1 << 17  # arcs below which one worker is faster than several
LOOK = 8  # iterations (or rounds of the hybrid) before the first look for a negative cycle

Cycle = tuple[list[int], float]
#: distances (float64), trace (``rounds.COLUMNS``), workers, and the negative cycle if there is one
Outcome = tuple[np.ndarray, np.ndarray, int, Cycle | None]


class _TooFar(Exception):
    """A distance is too large for packed labels."""


class _Search:
    """The state of a search between two calls of the kernel."""

    def __init__(
        self, indptr: np.ndarray, indices: np.ndarray, weights: np.ndarray, sources: np.ndarray,
        heaviest: float, packed: bool, two_steps: bool, limits: Limits, traced: bool,
    ) -> None:  # fmt: skip
        n = indptr.size - 1
        self.rows = (indptr, indices, weights)
        self.brief = n + indices.size < SMALL
        self.workers = 1 if self.brief else threads_available()
        self.label = np.full(n, UNREACHED) if packed else np.full(n, np.inf)
        self.label[sources] = 0
        self.stamp = np.zeros(0 if packed else n, np.int32)
        self.settled = self.label.copy() if two_steps else self.label[:0]
        self.two_steps = two_steps
        self.ceiling = 2**31 - 2 - int(heaviest) if packed else np.inf
        self.limits = limits
        slots = n if limits.atomic else n * self.workers
        self.front = np.empty(slots, indices.dtype)
        self.after = np.empty(slots, indices.dtype)
        self.start(sources)
        self.turn = 1
        self.traced = traced
        self.trace: list[np.ndarray] = []

    def start(self, vertices: np.ndarray) -> None:
        """Make these the frontier."""
        self.count = vertices.size
        self.front[: self.count] = vertices

    def go_on(self, limit: int, which: int = ALL, phase: int = RELAX) -> None:
        """Relax at most ``limit`` frontiers."""
        end = self.turn + limit
        while self.count and self.turn < end:
            self._team(end - self.turn, which, phase)
            if self.count and self.turn < end:
                self.workers = 1  # too little to do for a team

    def _team(self, limit: int, which: int, phase: int) -> None:
        unvisited = int((self.label == (UNREACHED if self.stamp.size == 0 else np.inf)).sum())
        rows, self.count, swapped, self.turn, too_far = run_team(
            walk, self.workers, *self.rows, which, self.label, self.stamp, self.settled,
            self.two_steps, self.front, self.after, self.count, self.turn, limit, self.ceiling,
            self.limits, unvisited, phase, new_board(self.workers), self.traced, brief=self.brief,
        )[0]  # fmt: skip
        if swapped:
            self.front, self.after = self.after, self.front
        self.trace.append(rows)
        if too_far:
            raise _TooFar

    @property
    def distances(self) -> np.ndarray:
        """Distances as they are now, float64."""
        if self.label.dtype.kind == "f":
            return self.label
        exact = (self.label >> 32).astype(np.float64)
        exact[self.label == UNREACHED] = np.inf
        return exact

    def outcome(self, cycle: Cycle | None = None) -> Outcome:
        return self.distances, np.concatenate(self.trace), self.workers, cycle

    def look_for_cycle(self, certain: bool) -> Cycle | None:
        return negative_cycle(*self.rows, self.distances, certain=certain)


def relaxed_distances(
    method: str,
    indptr: np.ndarray,
    indices: np.ndarray,
    weights: np.ndarray,
    sources: np.ndarray,
    lightest: float,
    heaviest: float,
    traced: bool,
    limits: Limits = EVERYTHING,
    iterations: int = UNLIMITED,
) -> Outcome:
    """Shortest paths by a method of ``METHODS``, with packed labels if those are wide enough.

    ``limits`` and at most ``iterations`` frontiers after that of the sources make them approximate.
    """
    two_steps, finish = METHODS[method]
    largest = max(heaviest, -lightest)
    packed = weights.dtype.kind == "i" and largest < 2**30
    while True:
        search = _Search(indptr, indices, weights, sources, largest, packed, two_steps, limits,
                         traced)  # fmt: skip
        try:
            return finish(search, lightest < 0, iterations)
        except _TooFar:
            packed = False


def _until_settled(search: _Search, negative: bool, iterations: int) -> Outcome:
    n = search.label.size
    limit = LOOK if negative else n + 1
    end = search.turn + 1 + iterations
    while search.count and search.turn < end:
        search.go_on(min(limit, end - search.turn))
        if search.count and negative and search.turn < end:
            # more than n iterations mean a cycle, or floats that do not settle for rounding
            last = search.turn > n
            cycle = search.look_for_cycle(certain=last)
            if cycle or last:
                return search.outcome(cycle)
            limit = min(2 * limit, n + 1)
    return search.outcome()


def _in_rounds(search: _Search, negative: bool, iterations: int) -> Outcome:
    indptr, _, weights = search.rows
    n = search.label.size
    arcs = np.flatnonzero(weights < 0)
    tails = np.unique(np.searchsorted(indptr, arcs, "right") - 1)
    before = np.full(tails.size, np.inf)
    rounds, look = 0, LOOK
    while search.count:
        end = search.turn + 1 + iterations
        while search.count and search.turn < end:
            search.go_on(min(n + 1, end - search.turn), OTHERS)
        now = search.distances[tails]
        search.start(tails[now < before])
        before = now
        search.go_on(1, NEGATIVE, CORRECT)
        rounds += 1
        if search.count and (rounds == look or rounds > tails.size):
            last = rounds > tails.size
            cycle = search.look_for_cycle(certain=last)
            if cycle or last:
                return search.outcome(cycle)
            look *= 2
    return search.outcome()


#: Whether each iteration sees only the distances of the one before, and what goes on until the end.
METHODS: dict[str, tuple[bool, Callable[[_Search, bool, int], Outcome]]] = {
    "bellman-ford": (False, _until_settled),
    "dijkstra": (True, _until_settled),
    "hybrid": (True, _in_rounds),
}
