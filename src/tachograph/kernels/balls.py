"""Small breadth-first searches around a few vertices: how fast does a graph open up?

A search ends when it has seen ``LIMIT`` vertices or looked at ``MOST`` arcs, so that its cost does not
depend on the graph's size. What was seen is kept in a table with open addressing.
"""

from __future__ import annotations

import numpy as np

from .runtime import kernel, read_only, run

__all__ = ["BALL", "LIMIT", "balls"]

LIMIT = 1024  # vertices
MOST = 1 << 15  # arcs
TABLE = 4 * LIMIT  # a power of two: at most a quarter is used
#: Numbers about a search: vertices and arcs seen, levels until an eighth of ``LIMIT`` was seen and in
#: all, arcs that led to vertices seen before, the sum of the bits of the distances between ids that
#: arcs join, and whether everything that can be reached was.
BALL = ("vertices", "arcs", "early", "levels", "closing", "bits", "whole")


@kernel
def grow(stop, indptr, indices, starts, table, queue, found):
    """Fill a row of ``found`` for each of ``starts``.

    ``table`` has TABLE entries, ``queue`` LIMIT: a vertex is queued only while ``tail < LIMIT``, and
    the table holds what the queue does, so that a search for a free place ends.
    """
    for i in range(starts.size):
        table[:] = -1
        queue[0] = starts[i]
        table[starts[i] & (TABLE - 1)] = starts[i]
        head = np.int64(0)
        tail = np.int64(1)
        begin = np.int64(0)  # of the level
        end = np.int64(1)
        levels = np.int64(0)
        early = np.int64(-1)
        arcs = np.int64(0)
        closing = np.int64(0)
        bits = 0.0
        while head < tail and tail < LIMIT and arcs < MOST:
            if head == end:
                levels += 1
                begin = end
                end = tail
            v = queue[head]
            head += 1
            for k in range(indptr[v], min(indptr[v + 1], indptr[v] + MOST)):
                t = np.int64(indices[k])
                arcs += 1
                bits += np.log2(1.0 + abs(t - v))
                place = t & (TABLE - 1)
                while table[place] >= 0 and table[place] != t:
                    place = (place + 1) & (TABLE - 1)
                if table[place] == t:
                    closing += 1
                elif tail < LIMIT:
                    table[place] = t
                    queue[tail] = t
                    tail += 1
            if early < 0 and tail * 8 >= LIMIT:
                early = levels + 1
        whole = head == tail and tail < LIMIT
        found[i, 0] = tail
        found[i, 1] = arcs
        found[i, 2] = early if early >= 0 else levels + 1
        found[i, 3] = levels + (head - begin) / (end - begin)  # the last level counts in part
        found[i, 4] = closing
        found[i, 5] = bits
        found[i, 6] = whole
    return 0


def balls(indptr: np.ndarray, indices: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """A row of ``BALL`` for a search from each of ``starts``."""
    found = np.zeros((starts.size, len(BALL)))
    arguments = (read_only(indptr), read_only(indices), starts.astype(np.int64),
                 np.empty(TABLE, np.int64), np.empty(LIMIT, np.int64), found)  # fmt: skip
    run(grow, [arguments], brief=True)
    return found
