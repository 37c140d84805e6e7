"""What the workers of a shortest-path search note in each round, and the trace made of it."""

from __future__ import annotations

import numpy as np

from ..runtime.launch import inline_maker
from ..runtime.team import grown, total

# fmt: off
__all__ = ["COLUMNS", "LOW", "NOTES", "PHASES", "POPPED", "REACHED", "SCANNED", "record"]

# lowest bucket that has entries; vertices taken; arcs looked at; vertices reached for the first time
LOW, POPPED, SCANNED, REACHED, NOTES = 0, 1, 2, 3, 4
# what a row of the trace holds, and its phases
COLUMNS = ("phase", "frontier_vertices", "frontier_edges", "unvisited", "nanoseconds")
PHASES = np.array(["push", "bounded push", "pull", "settle", "relax", "update", "correct"])
# fmt: on


@inline_maker
def record(rows, used, phase, board, turn, workers, unvisited, elapsed):
    """``rows`` with one more, from the board of round ``turn``."""
    rows = grown(rows, used)
    rows[used, 0] = phase
    rows[used, 1] = total(board, turn, workers, POPPED)
    rows[used, 2] = total(board, turn, workers, SCANNED)
    rows[used, 3] = unvisited
    rows[used, 4] = elapsed
    return rows
