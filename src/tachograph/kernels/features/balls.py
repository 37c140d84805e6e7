"""Small breadth-first searches around a few vertices, to see how fast a graph opens up.

A search ends when it has seen ``limit`` vertices or looked at 32 times as many arcs, so that its cost
does not depend on the graph's size. What was seen is kept in a table with open addressing.
"""

from __future__ import annotations

import numpy as np

from ..runtime.launch import kernel, read_only, run

__all__ = ["BALL", "LIMIT", "balls"]

LIMIT = 1024  # vertices that a search sees at most, by default
SLOTS_PER_VERTEX = 4  # of the table
ARCS_PER_VERTEX = 32  # that a search looks at, at most
#: Numbers about a search: vertices and arcs seen, levels until an eighth of ``limit`` was seen and in
#: all, arcs that led to vertices seen before, the sum of the bits of the distances between ids that
#: arcs join, and whether everything that can be reached was.
BALL = ("vertices", "arcs", "early", "levels", "closing", "bits", "whole")


@kernel
def grow(stop, indptr, indices, starts, table, queue, found):
    """Fill a row of ``found`` for each of ``starts``.

    A vertex is queued only while ``tail < queue.size``. The size of ``table`` is a power of two and
    larger: it holds what the queue does, so that a search for a free place ends.
    """
    limit = queue.size
    most = ARCS_PER_VERTEX * limit
    mask = table.size - 1
    for i in range(starts.size):
        table[:] = -1
        queue[0] = starts[i]
        table[starts[i] & mask] = starts[i]
        head = np.int64(0)
        tail = np.int64(1)
        begin = np.int64(0)  # of the level
        end = np.int64(1)
        levels = np.int64(0)
        early = np.int64(-1)
        arcs = np.int64(0)
        closing = np.int64(0)
        bits = 0.0
        while head < tail and tail < limit and arcs < most:
            if head == end:
                levels += 1
                begin = end
                end = tail
            v = queue[head]
            head += 1
            for k in range(indptr[v], min(indptr[v + 1], indptr[v] + most)):
                t = np.int64(indices[k])
                arcs += 1
                bits += np.log2(1.0 + abs(t - v))
                place = t & mask
                while table[place] >= 0 and table[place] != t:
                    place = (place + 1) & mask
                if table[place] == t:
                    closing += 1
                elif tail < limit:
                    table[place] = t
                    queue[tail] = t
                    tail += 1
            if early < 0 and tail * 8 >= limit:
                early = levels + 1
        whole = head == tail and tail < limit
        found[i, 0] = tail
        found[i, 1] = arcs
        found[i, 2] = early if early >= 0 else levels + 1
        found[i, 3] = levels + (head - begin) / (end - begin)  # the last level counts in part
        found[i, 4] = closing
        found[i, 5] = bits
        found[i, 6] = whole
    return 0


def balls(
    indptr: np.ndarray, indices: np.ndarray, starts: np.ndarray, limit: int = LIMIT
) -> np.ndarray:
    """A row of ``BALL`` for a search from each of ``starts``; ``limit`` is a power of two."""
    found = np.zeros((starts.size, len(BALL)))
    table, queue = np.empty(SLOTS_PER_VERTEX * limit, np.int64), np.empty(limit, np.int64)
    rows = read_only(indptr), read_only(indices)
    run(grow, [(*rows, starts.astype(np.int64), table, queue, found)], brief=True)
    return found
