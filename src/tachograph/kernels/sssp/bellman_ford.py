"""Shortest paths by Bellman-Ford, the two-kernel Dijkstra and the hybrid: the loops around
``relaxation``, and what happens if distances do not settle.

The *faithful* variants do what the paper's code does, which takes longer. Dijkstra has a mask instead
of a queue, so that every iteration looks at all vertices, and a least number of edges has to be
exceeded. Hybrid repeats whole such scans until nothing changes: two. Bellman-Ford never takes vertices
without arcs.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...util.limits import was_cut
from ..runtime.launch import threads_available
from ..runtime.nouns import WeightedRows
from ..runtime.team import new_board, run_team
from .cycles import negative_cycle
from .problem import CORRECT, RELAX, Limits, one_is_enough
from .relaxation import ALL, NEGATIVE, OTHERS, UNREACHED, Labels, Leg, walk

TURNS_BEFORE_LOOK = 8  # iterations (or rounds of the hybrid) before a negative cycle is looked for

Cycle = tuple[list[int], float]
#: distances (float64), trace (``problem.COLUMNS``), workers, and the negative cycle if there is one
Outcome = tuple[np.ndarray, np.ndarray, int, Cycle | None]


class _TooFar(Exception):
    """A distance is too large for packed labels."""


class _Cut(Exception):
    """The deadline has passed."""


class _Search:
    """The state of a search between two calls of the kernel; ``largest`` is the largest weight."""

    def __init__(
        self,
        rows: WeightedRows,
        sources: np.ndarray,
        largest: float,
        packed: bool,
        two_steps: bool,
        limits: Limits,
        traced: bool,
    ) -> None:
        n = rows.indptr.size - 1
        self.rows = rows
        self.brief = one_is_enough(n, rows.indices.size)
        self.workers = 1 if self.brief else threads_available()
        self.unreached: float = UNREACHED if packed else np.inf
        label = np.full(n, self.unreached)
        label[sources] = 0
        self.labels = Labels(
            label,
            np.zeros(0 if packed else n, np.int32),
            label.copy() if two_steps else label,
            2**31 - 2 - int(largest) if packed else np.inf,
        )
        self.two_steps = two_steps
        self.limits = limits
        slots = n if limits.atomic else n * self.workers
        self.fronts = tuple(np.empty(slots, rows.indices.dtype) for _ in range(2))
        self.start(sources)
        self.turn = 1
        self.traced = traced
        self.trace: list[np.ndarray] = []

    def start(self, vertices: np.ndarray) -> None:
        """Make these the frontier."""
        self.count = vertices.size
        self.fronts[0][: self.count] = vertices

    def go_on(self, limit: int, arcs: int = ALL, stage: int = RELAX) -> None:
        """Relax at most ``limit`` frontiers."""
        end = self.turn + limit
        while self.count and self.turn < end:
            unvisited = int((self.labels.label == self.unreached).sum())
            now = (self.count, self.turn, end - self.turn, unvisited)
            leg = Leg(arcs, stage, *now, self.two_steps, self.traced)
            given = (self.rows, self.labels, self.limits, leg, self.fronts)
            board = new_board(self.workers)
            found = run_team(walk, self.workers, *given, board, brief=self.brief, partial=True)
            rows, self.count, swapped, self.turn, too_far = found[0]
            if swapped:
                self.fronts = self.fronts[::-1]
            self.trace.append(rows)
            if was_cut():
                raise _Cut
            if too_far:
                raise _TooFar
            if self.count and self.turn < end:
                self.workers = 1  # too little to do for a team

    @property
    def distances(self) -> np.ndarray:
        """Distances as they are now, float64."""
        label = self.labels.label
        if label.dtype.kind == "f":
            return label
        return np.where(label == UNREACHED, np.inf, label >> 32)

    def outcome(self, cycle: Cycle | None = None) -> Outcome:
        return self.distances, np.concatenate(self.trace), self.workers, cycle


def relaxed_distances(
    method: str,
    rows: WeightedRows,
    sources: np.ndarray,
    lightest: float,
    heaviest: float,
    traced: bool,
    limits: Limits,
    faithful: bool = False,
) -> Outcome:
    """Shortest paths by a method of ``METHODS``, with packed labels if those are wide enough.

    ``limits`` make them approximate: of rounds, at most so many after that of the sources are done.
    """
    two_steps, finish = (FAITHFUL if faithful else METHODS)[method]
    if faithful:
        least = limits.least_degree
        limits = limits._replace(least_degree=least + 1 if two_steps and least else max(least, 1))
    largest = max(heaviest, -lightest)
    packed = rows.weights.dtype.kind == "i" and largest < 2**30
    while True:
        search = _Search(rows, sources, largest, packed, two_steps, limits, traced)
        try:
            return finish(search, lightest < 0)
        except _Cut:  # labels are those of paths that exist
            return search.outcome()
        except _TooFar:
            packed = False


def _until_settled(search: _Search, negative: bool) -> Outcome:
    n = search.labels.label.size
    limit = TURNS_BEFORE_LOOK if negative else n + 1
    end = search.turn + 1 + search.limits.rounds
    while search.count and search.turn < end:
        search.go_on(min(limit, end - search.turn))
        if search.count and negative and search.turn < end:
            # more than n iterations mean a cycle, or floats that do not settle for rounding
            last = search.turn > n
            cycle = negative_cycle(search.rows, search.distances, certain=last)
            if cycle or last:
                return search.outcome(cycle)
            limit = min(2 * limit, n + 1)
    return search.outcome()


def _in_rounds(search: _Search, negative: bool) -> Outcome:
    indptr, _, weights = search.rows
    n = search.labels.label.size
    arcs = np.flatnonzero(weights < 0)
    tails = np.unique(np.searchsorted(indptr, arcs, "right") - 1)
    before = np.full(tails.size, np.inf)
    rounds, look = 0, TURNS_BEFORE_LOOK
    while search.count:
        end = search.turn + 1 + search.limits.rounds
        while search.count and search.turn < end:
            search.go_on(min(n + 1, end - search.turn), OTHERS)
        now = search.distances[tails]
        search.start(tails[now < before])
        before = now
        search.go_on(1, NEGATIVE, CORRECT)
        rounds += 1
        if search.count and (rounds == look or rounds > tails.size):
            last = rounds > tails.size
            cycle = negative_cycle(search.rows, search.distances, certain=last)
            if cycle or last:
                return search.outcome(cycle)
            look *= 2
    return search.outcome()


def _by_mask(search: _Search, negative: bool) -> Outcome:
    """Look for the vertices that changed among all of them, in every iteration."""
    n = search.labels.label.size
    mask = np.zeros(n, np.bool_)
    end = search.turn + 1 + search.limits.rounds
    while search.count and search.turn < end:
        search.go_on(1)
        mask[search.fronts[0][: search.count]] = True
        search.start(np.flatnonzero(mask))
        mask[:] = False
        if search.count and negative and search.turn > n:
            return search.outcome(negative_cycle(search.rows, search.distances, certain=True))
    return search.outcome()


def _in_scans(search: _Search, negative: bool) -> Outcome:
    """Repeat whole scans from the sources until one finds the same distances as the one before."""
    label, stamp, seen, _ = search.labels
    sources = search.fronts[0][: search.count].copy()
    beginning = label.copy()
    before = np.empty(0)
    while True:
        outcome = _by_mask(search, negative)
        if outcome[-1] is not None or np.array_equal(before, outcome[0]):
            return outcome
        before = outcome[0].copy()
        label[:] = seen[:] = beginning
        stamp[:] = 0
        search.turn = 1
        search.start(sources)


#: Whether each iteration sees only the distances of the one before, and what goes on until the end.
METHODS: dict[str, tuple[bool, Callable[[_Search, bool], Outcome]]] = {
    "bellman-ford": (False, _until_settled),
    "dijkstra": (True, _until_settled),
    "hybrid": (True, _in_rounds),
}
#: The same as the paper's code does it.
FAITHFUL: dict[str, tuple[bool, Callable[[_Search, bool], Outcome]]] = {
    "bellman-ford": (False, _until_settled),
    "dijkstra": (True, _by_mask),
    "hybrid": (True, _in_scans),
}
