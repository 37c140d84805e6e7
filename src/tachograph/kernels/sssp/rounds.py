"""What all shortest-path searches share: their number of workers, and what they note in each round."""

from __future__ import annotations

import numpy as np

from ..runtime.launch import SERIAL_BELOW, inline, inline_maker
from ..runtime.team import recorded, total

# notes: the lowest bucket that has entries, vertices taken, arcs looked at, vertices reached first
LOW, POPPED, SCANNED, REACHED, NOTES = 0, 1, 2, 3, 4
# a row of the trace, and the stages it can name
COLUMNS = ("phase", "frontier_vertices", "frontier_edges", "unvisited", "nanoseconds")
PUSH, BOUNDED, PULL, SETTLE, RELAX, UPDATE, CORRECT = range(7)
PHASES = np.array(["push", "bounded push", "pull", "settle", "relax", "update", "correct"])

TRIAL_ROUNDS, TEAM_VERTICES = 1000, 16  # a team that takes fewer in each of so many rounds gives up


def one_is_enough(n: int, arcs: int) -> bool:
    """Whether a graph is so small that one worker is faster than several."""
    return n + arcs < SERIAL_BELOW["sssp"]


@inline
def too_narrow(rounds, taken):
    """Whether a team that took ``taken`` vertices in all its rounds has too little to do."""
    return rounds >= TRIAL_ROUNDS and taken < rounds * TEAM_VERTICES


@inline_maker
def logged(log, stage, team, board, phase, unvisited):
    """``log`` with a row for the round ``phase``, whose notes are on the board."""
    popped = total(board, phase, team.workers, POPPED)
    scanned = total(board, phase, team.workers, SCANNED)
    return recorded(log, (np.int64(stage), popped, scanned, np.int64(unvisited)))
