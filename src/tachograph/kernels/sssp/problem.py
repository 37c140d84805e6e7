"""What all shortest-path searches share: what they are given, what they leave out on purpose, what they
note in each round, and how they can end.

What is left out makes a search approximate. Method: section 3.2 of B. Aktılav, I. Öz, "Performance and
accuracy predictions of approximation methods for shortest-path algorithms on GPUs", 2022. A vertex that
is left out keeps its distance, but its arcs are not relaxed. Whether the random choice takes a vertex
depends only on the seed, the vertex and the round, so a larger share takes every vertex that a smaller
one takes, on any number of threads.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..runtime.atomics import ld, st
from ..runtime.launch import SERIAL_BELOW, inline, inline_maker
from ..runtime.nouns import WeightedRows
from ..runtime.team import new_log, recorded, total
from .buckets import LATER, Scale

# how delta-stepping can end: distances get too large for their type, or a team has too little to do
DONE, TOO_FAR, TOO_NARROW = 0, 1, 2
UNLIMITED = 1 << 62
ALL_OF_THEM = 1 << 32  # the value of ``keep`` that leaves nothing to chance
# notes: the lowest bucket that has entries, vertices taken, arcs looked at, vertices reached first; of
# a certificate also the errors, and vertices reached first and not reached
LOW, POPPED, SCANNED, REACHED, WRONG, FIRST_REACHED, MISSED, NOTES = range(8)
# a row of the trace, and the stages it can name
COLUMNS = ("phase", "frontier_vertices", "frontier_edges", "unvisited", "nanoseconds")
PUSH, BOUNDED, PULL, SETTLE, RELAX, UPDATE, CORRECT, CERTIFY = range(8)
PHASES = np.array(
    ["push", "bounded push", "pull", "settle", "relax", "update", "correct", "certify"]
)

TRIAL_ROUNDS, TEAM_VERTICES = 1000, 16  # a team that takes fewer in each of so many rounds gives up


class Limits(NamedTuple):
    """Vertices whose degree is within bounds are taken, ``keep`` of 2**32 of them by a random choice.

    Without ``atomic``, two workers may lower the same distance, and the later store counts. At most
    ``rounds`` are done after the round of the sources.
    """

    least_degree: int = 0
    most_degree: int = UNLIMITED
    keep: int = ALL_OF_THEM
    seed: int = 0
    atomic: bool = True
    rounds: int = UNLIMITED


class Problem(NamedTuple):
    """A graph, where to begin, where distances go, and what each worker reports to the others.

    The search may end as soon as the distance of ``target``, if there is one, is known.
    """

    rows: WeightedRows
    sources: np.ndarray
    dist: np.ndarray
    scale: Scale
    largest_degree: int
    limits: Limits
    board: np.ndarray
    traced: bool
    target: int = -1


def one_is_enough(n: int, arcs: int) -> bool:
    """Whether a graph is so small that one worker is faster than several."""
    return n + arcs < SERIAL_BELOW["sssp"]


@inline
def picky(limits):
    """Whether any vertex may be left out."""
    return limits.least_degree > 0 or limits.most_degree < UNLIMITED or limits.keep < ALL_OF_THEM


@inline
def left_out(limits, vertex, degree, turn):
    """Whether the arcs of a vertex are not to be relaxed in this turn."""
    if degree < limits.least_degree or degree > limits.most_degree:
        return True
    if limits.keep == ALL_OF_THEM:
        return False
    mixed = np.uint64(vertex) + np.uint64(turn) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= np.uint64(limits.seed) * np.uint64(0xD1342543DE82EF95)
    mixed ^= mixed >> np.uint64(30)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(27)
    mixed *= np.uint64(0x94D049BB133111EB)
    return np.int64(mixed >> np.uint64(32)) >= limits.keep


@inline
def too_narrow(rounds, taken):
    """Whether a team that took ``taken`` vertices in all its rounds has too little to do."""
    return rounds >= TRIAL_ROUNDS and taken < rounds * TEAM_VERTICES


@inline
def outcome_of(team, delta, ceiling, current, phase, taken):
    """How a search must end before the next bucket, after ``taken`` vertices; DONE if it goes on."""
    if (current + 1) * delta > ceiling:
        return TOO_FAR
    if team.workers > 1 and too_narrow(phase, taken):
        return TOO_NARROW
    return DONE


@inline
def is_there(problem, nearest, delta, limit):
    """Whether nothing from bucket ``nearest`` on or beyond ``limit`` can lead nearer to the target."""
    if problem.target < 0:
        return False
    far = ld(problem.dist, problem.target)
    return far < limit and (nearest == LATER or far < nearest * delta)


@inline
def note(notes, popped, scanned, reached):
    """Add to what a worker has done in this round."""
    st(notes, POPPED, ld(notes, POPPED) + popped)
    st(notes, SCANNED, ld(notes, SCANNED) + scanned)
    st(notes, REACHED, ld(notes, REACHED) + reached)


@inline_maker
def new_trace(team, traced):
    """An empty log for a row of each round, if this worker is the one that keeps it."""
    return new_log(team, traced and team.me == 0, len(COLUMNS))


@inline_maker
def logged(log, stage, team, board, phase, unvisited):
    """``log`` with a row for a round; how many vertices were taken, and reached for the first time."""
    popped = total(board, phase, team.workers, POPPED)
    scanned = total(board, phase, team.workers, SCANNED)
    log = recorded(log, (np.int64(stage), popped, scanned, np.int64(unvisited)))
    return log, popped, total(board, phase, team.workers, REACHED)
