"""A level of a breadth-first search in a part of a graph: ``kernels/bfs/steps.py`` has push and pull.

Bounds: a queue has n slots, and every vertex enters it once; bitmaps have a bit for each vertex.
"""

from __future__ import annotations

import numpy as np

from ..bfs.steps import BUFFER, UNLIMITED, pull, push
from ..runtime.atomics import ld, ld_acquire, st, st_release, stopped
from ..runtime.launch import kernel
from ..runtime.team import SUM, SUM2, TAIL, barrier, cell, next_phase

__all__ = ["expand", "mark"]

WORDS_PER_LOOK = 4096  # words of 64 vertices between two looks at the stop flag


@kernel
def mark(stop, begin, end, depth, indptr, ghost_degrees, tree, front):
    """Prepare a part for the level after ``depth``; ``ghost_degrees`` has all but own vertices.

    The parent of a vertex becomes negative where nobody was yet, as ``kernels/bfs`` wants it. ``front``
    gets a bit for every vertex at ``depth``, the queue the own ones of them. Returns their number and
    arcs, and the number and arcs of all own vertices that were visited.
    """
    parent, level, queue = tree
    n = level.size
    limit = np.int64(np.iinfo(parent.dtype).max) - 1
    count = np.int64(0)
    edges = np.int64(0)
    visited = np.int64(0)
    arcs = np.int64(0)
    for w in range((n + 63) >> 6):
        if w % WORDS_PER_LOOK == 0 and stopped(stop):
            break
        bits = np.uint64(0)
        for v in range(w << 6, min((w + 1) << 6, n)):
            at = ld(level, v)
            own = begin <= v < end
            if own:
                degree = ld(indptr, v + 1) - ld(indptr, v)
            else:
                degree = ld(ghost_degrees, v if v < begin else v - (end - begin))
            st(parent, v, v if at >= 0 else -min(degree, limit) - 1)
            if at < 0:
                continue
            visited += own
            arcs += degree if own else 0
            if at == depth:
                bits |= np.uint64(1) << np.uint64(v & 63)
                if own:
                    st(queue, count, v)
                    count += 1
                    edges += degree
        st(front, w, bits)
    return count, edges, visited, arcs


@kernel
def expand(team, pulls, rows, depth, count, edges, tree, bitmaps):
    """One level of a search by a team: vertices found, and arcs out of them.

    The frontier has ``count`` vertices and ``edges`` arcs. A push appends to the queue of ``tree``; a
    pull reads one of the ``bitmaps`` and fills the other.
    """
    control, me, workers = team
    buffer = np.empty(BUFFER, tree.queue.dtype)
    if me == 0:
        st_release(control, TAIL, count)
    if not barrier(control, workers):
        return np.int64(0), np.int64(0)
    phase = np.int64(0)
    next_phase(control, me, phase)
    if pulls:
        pull(team, phase, rows, tree, bitmaps, depth, np.int64(UNLIMITED))
    else:
        push(team, phase, rows, tree, buffer, (np.int64(0), count), edges, depth)
    barrier(control, workers)
    return ld_acquire(control, cell(SUM, phase)), ld_acquire(control, cell(SUM2, phase))
