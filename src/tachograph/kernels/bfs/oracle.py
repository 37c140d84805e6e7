"""A breadth-first search that times both directions at every level: the oracle.

From the same state each level is pushed and pulled several times, in turns, and taken back after each;
the changes of the frontier's form are timed, too. Whatever is chosen, a level's state is the same, so
one such walk tells what any policy would have met, and what each choice would have cost.

Bounds: those of ``bfs``. A level that is taken back frees its part of the queue before the next try.
"""

from __future__ import annotations

import numpy as np

from ..runtime.atomics import ld, ld_acquire, nanoseconds, st, st_release
from ..runtime.launch import inline, kernel, threads_available
from ..runtime.team import SUM, SUM2, TAIL, barrier, cell, grown, next_phase, run_team, share
from .ends import prepare, start
from .search import FEW, NEVER, SMALL
from .steps import BUFFER, pull, push, to_bitmap, to_queue

__all__ = ["COLUMNS", "both"]

COLUMNS = (
    "frontier_vertices", "frontier_edges", "unvisited", "unseen_edges", "hubs", "scanned",
    "push_nanoseconds", "pull_nanoseconds", "to_bitmap_nanoseconds", "to_queue_nanoseconds",
)  # fmt: skip
HOPELESS = 256  # a pull looks at every vertex: it is not timed for fewer arcs than n over this


@kernel
def together(control, workers, box):
    """The time, read when nobody is still at work and before anybody begins anew."""
    barrier(control, workers)
    now = nanoseconds(box)
    barrier(control, workers)
    return now


@inline
def take_back(v, indptr, parent, level):
    """Make a vertex unvisited again."""
    limit = np.int64(np.iinfo(parent.dtype).max) - 1
    st(parent, v, -min(ld(indptr, v + 1) - ld(indptr, v), limit) - 1)
    st(level, v, -1)


@kernel
def take_back_bitmap(me, workers, n, indptr, after, parent, level):
    """Make the vertices of a bitmap unvisited again."""
    first, last = share((n + 63) >> 6, me, workers)
    for w in range(first, last):
        bits = ld(after, w)
        if bits:
            for v in range(w << 6, min((w + 1) << 6, n)):
                if (bits >> np.uint64(v & 63)) & np.uint64(1):
                    take_back(v, indptr, parent, level)


@kernel
def look(me, workers, n, indptr, back_indptr, back_indices, queue, lo, hi, front, parent, hub):
    """A worker's share of the hubs in the frontier, and of the arcs that a pull would look at."""
    hubs = np.int64(0)
    scanned = np.int64(0)
    first, last = share(hi - lo, me, workers)
    for i in range(lo + first, lo + last):
        u = ld(queue, i)
        hubs += ld(indptr, u + 1) - ld(indptr, u) > hub
    first, last = share(n, me, workers)
    for v in range(first, last):
        if ld(parent, v) < 0:
            for k in range(ld(back_indptr, v), ld(back_indptr, v + 1)):
                u = ld(back_indices, k)
                scanned += 1
                if (ld(front, u >> 6) >> np.uint64(u & 63)) & np.uint64(1):
                    break
    return hubs, scanned


@kernel
def walk_both(
    team, n, indptr, indices, back_indptr, back_indices, sources, cutoff, hub,
    repeats, parent, level, queue, front, after, board,
):  # fmt: skip
    """What each worker does; worker 0 returns the rows."""
    control, me, workers = team
    words = (n + 63) >> 6
    rows = np.empty((64 if me == 0 else 0, 10), np.int64)
    buffer = np.empty(BUFFER, queue.dtype)
    box = np.empty(2, np.int64)
    best = np.empty(4, np.int64)
    used = np.int64(0)
    prepare(me, workers, n, indptr, parent, level)
    edges = start(control, me, workers, indptr, sources, parent, level, queue)
    if edges < 0:
        return rows[:0]
    lo, hi = np.int64(0), np.int64(sources.size)
    unvisited = n - hi
    unseen = indices.size - edges
    depth = 0
    phase = np.int64(0)
    while lo < hi and depth != cutoff:
        depth += 1
        for k in range(4):
            best[k] = 1 << 62
        even = edges <= 16 * (hi - lo)
        pulls = edges > n // HOPELESS
        hubs = np.int64(0)
        scanned = np.int64(0)
        if pulls:
            for _ in range(repeats):  # the frontier in its other form, and back
                begin = together(control, workers, box)
                if not to_bitmap(control, me, workers, queue, lo, hi, front, words):
                    return rows[:0]
                best[2] = min(best[2], nanoseconds(box) - begin)
                if me == 0:
                    st_release(control, TAIL, lo)
                begin = together(control, workers, box)
                if not to_queue(control, me, workers, front, words, queue, buffer):
                    return rows[:0]
                best[3] = min(best[3], nanoseconds(box) - begin)
            hubs, scanned = look(
                me, workers, n, indptr, back_indptr, back_indices, queue, lo, hi, front, parent, hub
            )
            st(board, 2 * me, hubs)
            st(board, 2 * me + 1, scanned)
            if not barrier(control, workers):
                return rows[:0]
            hubs = np.int64(0)
            scanned = np.int64(0)
            for w in range(workers):
                hubs += ld(board, 2 * w)
                scanned += ld(board, 2 * w + 1)
        found = np.int64(0)
        arcs = np.int64(0)
        for r in range(repeats if pulls else 1):
            if pulls:
                next_phase(control, me, phase)
                begin = together(control, workers, box)
                pull(
                    control, phase, back_indptr, back_indices, front, after, n, depth, parent, level,
                    NEVER,
                )  # fmt: skip
                if not barrier(control, workers):
                    return rows[:0]
                best[1] = min(best[1], nanoseconds(box) - begin)
                phase += 1
                take_back_bitmap(me, workers, n, indptr, after, parent, level)
            next_phase(control, me, phase)
            begin = together(control, workers, box)
            push(
                control, me, workers, even, phase, indptr, indices, queue, lo, hi, depth, parent,
                level, buffer,
            )  # fmt: skip
            if not barrier(control, workers):
                return rows[:0]
            best[0] = min(best[0], nanoseconds(box) - begin)
            found = ld_acquire(control, cell(SUM, phase))
            arcs = ld_acquire(control, cell(SUM2, phase))
            phase += 1
            if pulls and r < repeats - 1:
                first, last = share(found, me, workers)
                for i in range(hi + first, hi + last):
                    take_back(ld(queue, i), indptr, parent, level)
                if not barrier(control, workers):
                    return rows[:0]
                if me == 0:
                    st_release(control, TAIL, hi)
        if me == 0:
            rows = grown(rows, used)
            rows[used, 0] = hi - lo
            rows[used, 1] = edges
            rows[used, 2] = unvisited
            rows[used, 3] = unseen
            rows[used, 4] = hubs
            rows[used, 5] = scanned
            rows[used, 6] = best[0]
            for k in range(1, 4):
                rows[used, 6 + k] = best[k] if pulls else -1
            used += 1
        edges = arcs
        lo, hi = hi, hi + found
        unvisited -= found
        unseen -= arcs
    return rows[:used]


def both(
    indptr: np.ndarray,
    indices: np.ndarray,
    back_indptr: np.ndarray,
    back_indices: np.ndarray,
    sources: np.ndarray,
    *,
    cutoff: int = -1,
    repeats: int = 3,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """Levels, parents, a row for each level (``COLUMNS``), and the number of workers.

    ``repeats`` is how often each direction of a level runs; rows have the least times. A pull is not
    timed, and its times are -1, where the frontier has fewer arcs than a vertex in ``HOPELESS``.
    ``hubs`` counts vertices of the frontier of more than the mean degree, ``scanned`` the arcs that a
    pull looks at.
    """
    n = indptr.size - 1
    small = n + indices.size < SMALL or n <= FEW
    workers = 1 if small else threads_available()
    parent = np.empty(n, indices.dtype)
    level = np.empty(n, np.int32)
    queue = np.empty(n, indices.dtype)
    front = np.zeros((n + 63) >> 6, np.uint64)
    hub = indices.size / n if n else 0.0
    rows = run_team(
        walk_both, workers, n, indptr, indices, back_indptr, back_indices, sources, cutoff, hub,
        repeats, parent, level, queue, front, np.zeros_like(front), np.zeros(2 * workers, np.int64),
    )  # fmt: skip
    parent[parent < 0] = -1
    return level, parent, rows[0], workers
