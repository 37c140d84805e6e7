"""Breadth-first search that changes direction.

Method: S. Beamer, K. Asanovic, D. Patterson, "Direction-Optimizing Breadth-First Search", SC 2012. A
team walks through the levels. *Push*: each vertex of the frontier claims its unvisited targets.
*Pull*: each unvisited vertex looks for any source in the frontier. The direction is decided inside
the loop, at every level.

Encoding: ``parent[v]`` is the parent, or, while v is unvisited, -(out-degree + 1), so that the arcs
out of the next frontier are summed without another look at the offsets. The frontier is a stretch of
``queue`` (push) or a bitmap (pull); it is converted when the direction changes.

Bounds: a vertex enters the queue once, when a push claims it or when a pulled frontier is turned into
a queue, so n slots are enough; a bitmap has a bit for every vertex, rounded up to words of 64.
"""

from __future__ import annotations

import numpy as np

from .bfs_steps import BUFFER, pull, push, to_bitmap, to_queue
from .machine import (
    fetch_add,
    ld,
    ld_acquire,
    nanoseconds,
    st,
    st_release,
    stopped,
)
from .rows import over_rows
from .runtime import inline, kernel, threads_available
from .team import SUM, SUM2, TAIL, barrier, cell, grown, next_phase, run_team, share

# fmt: off
__all__ = ["COLUMNS", "PULL", "PUSH", "smallest_parents", "traverse"]

PUSH, PULL = 0, 1
# what a row of the trace holds
COLUMNS = ("direction", "frontier_vertices", "frontier_edges", "unvisited", "nanoseconds")
# fmt: on
EVEN = 16  # arcs per vertex up to which a frontier is cut into equal parts
ALONE = 256  # arcs out of a frontier up to which one worker goes on alone
LO, HI, EDGES, DEPTH, UNVISITED, UNSEEN, BEFORE = range(7)  # what it leaves behind
SMALL = 1 << 18  # arcs below which one worker is faster than several
ALPHA, BETA = 15, 18  # thresholds of GAPBS
SCAN = 64  # a pull looks at every vertex: fewer arcs than one for so many vertices are pushed


@kernel
def prepare(me, workers, n, indptr, parent, level):
    """Mark every vertex unvisited."""
    limit = np.int64(np.iinfo(parent.dtype).max) - 1
    first, last = share(n, me, workers)
    for v in range(first, last):
        st(parent, v, -min(ld(indptr, v + 1) - ld(indptr, v), limit) - 1)
        st(level, v, -1)


@inline
def reached(level, target, depth):
    """Whether the target's level is known, at most ``depth``.

    A faster worker may have found it in the next level already; that must not count, or the team
    would part.
    """
    return target >= 0 and 0 <= ld_acquire(level, target) <= depth


@inline
def row(rows, used, direction, count, edges, unvisited, elapsed):
    """``rows`` with one more."""
    rows = grown(rows, used)
    rows[used, 0] = direction
    rows[used, 1] = count
    rows[used, 2] = edges
    rows[used, 3] = unvisited
    rows[used, 4] = elapsed
    return rows


@kernel
def alone(
    control, n, indptr, indices, cutoff, target, alpha, scan, parent, level, queue, state, traced,
    rows, used, begin,
):  # fmt: skip
    """Levels of few arcs, pushed by one worker while the others wait once for all of them."""
    box = np.empty(2, np.int64)
    lo, hi, edges, depth = state[LO], state[HI], state[EDGES], state[DEPTH]
    unvisited, unseen = state[UNVISITED], state[UNSEEN]
    count = hi - lo
    while (
        lo < hi and edges <= min(ALONE, max(unseen // alpha, n // scan)) and depth != cutoff
        and not reached(level, target, depth)
    ):  # fmt: skip
        if depth % BUFFER == 0 and stopped(control):
            break
        depth += 1
        count = hi - lo
        tail = hi
        arcs = np.int64(0)
        for i in range(lo, hi):
            u = ld(queue, i)
            for k in range(ld(indptr, u), ld(indptr, u + 1)):
                v = ld(indices, k)
                mark = ld(parent, v)
                if mark < 0:
                    st(parent, v, u)
                    st(level, v, depth)
                    arcs -= mark + 1
                    st(queue, tail, v)
                    tail += 1
        if traced:
            now = nanoseconds(box)
            rows = row(rows, used, PUSH, count, edges, unvisited, now - begin)
            used += 1
            begin = now
        lo, hi = hi, tail
        edges = arcs
        unvisited -= hi - lo
        unseen -= arcs
    st_release(control, TAIL, hi)
    state[LO], state[HI], state[EDGES], state[DEPTH] = lo, hi, edges, depth
    state[UNVISITED], state[UNSEEN], state[BEFORE] = unvisited, unseen, count
    return rows, used, begin


@kernel
def walk(
    control, me, workers, n, indptr, indices, back_indptr, back_indices, sources, cutoff, target,
    alpha, beta, scan, parent, level, queue, front, after, state, traced,
):  # fmt: skip
    """What each worker does; worker 0 keeps the trace and returns it."""
    words = (n + 63) >> 6
    rows = np.empty((64 if traced and me == 0 else 0, 5), np.int64)
    buffer = np.empty(BUFFER, queue.dtype)
    box = np.empty(2, np.int64)
    used = np.int64(0)
    prepare(me, workers, n, indptr, parent, level)
    if not barrier(control, workers):
        return rows[:0]
    count = sources.size
    edges = np.int64(0)
    for i in range(count):  # every worker sums, one stores
        s = ld(sources, i)
        edges += ld(indptr, s + 1) - ld(indptr, s)
    if not barrier(control, workers):
        return rows[:0]
    if me == 0:
        for i in range(count):
            s = ld(sources, i)
            st(parent, s, s)
            st(level, s, 0)
            st(queue, i, s)
        fetch_add(control, TAIL, count)
    begin = nanoseconds(box)  # before the others are let go
    if not barrier(control, workers):
        return rows[:0]
    lo, hi = np.int64(0), np.int64(count)
    unvisited = n - count
    unseen = indices.size - edges
    before = 0
    direction = PUSH
    depth = 0
    phase = np.int64(0)
    while count and depth != cutoff and not reached(level, target, depth):
        if direction == PUSH and edges <= min(ALONE, max(unseen // alpha, n // scan)):
            if me == 0:
                state[LO], state[HI], state[EDGES], state[DEPTH] = lo, hi, edges, depth
                state[UNVISITED], state[UNSEEN] = unvisited, unseen
                rows, used, begin = alone(
                    control, n, indptr, indices, cutoff, target, alpha, scan, parent, level, queue,
                    state, traced, rows, used, begin,
                )  # fmt: skip
            if not barrier(control, workers):
                break
            lo, hi, edges, depth = state[LO], state[HI], state[EDGES], state[DEPTH]
            unvisited, unseen, before = state[UNVISITED], state[UNSEEN], state[BEFORE]
            count = hi - lo
            continue
        depth += 1
        last = direction
        if direction == PUSH:
            if edges > max(unseen // alpha, n // scan):
                direction = PULL
        elif count < before and count <= n // beta:
            direction = PUSH
        if direction == PULL and last == PUSH:
            if not to_bitmap(control, me, workers, queue, lo, hi, front, words):
                break
        elif direction == PUSH and last == PULL:
            lo = ld_acquire(control, TAIL)
            if not barrier(control, workers):
                break
            if not to_queue(control, me, workers, front, words, queue, buffer):
                break
            hi = lo + count
        next_phase(control, me, phase)
        if direction == PUSH:
            even = edges <= EVEN * count
            push(
                control, me, workers, even, phase, indptr, indices, queue, lo, hi, depth,
                parent, level, buffer,
            )  # fmt: skip
        else:
            pull(control, phase, back_indptr, back_indices, front, after, n, depth, parent, level)
        if not barrier(control, workers):
            break
        found = ld_acquire(control, cell(SUM, phase))
        if me == 0 and traced:
            now = nanoseconds(box)
            rows = row(rows, used, direction, count, edges, unvisited, now - begin)
            used += 1
            begin = now
        edges = ld_acquire(control, cell(SUM2, phase))
        if direction == PUSH:
            lo, hi = hi, hi + found
        else:
            front, after = after, front
        before = count
        count = found
        unvisited -= found
        unseen -= edges
        phase += 1
    first, last_vertex = share(n, me, workers)
    barrier(control, workers)
    for v in range(first, last_vertex):
        if ld(parent, v) < 0:
            st(parent, v, -1)
    return rows[:used]


def traverse(
    indptr: np.ndarray,
    indices: np.ndarray,
    back_indptr: np.ndarray,
    back_indices: np.ndarray,
    sources: np.ndarray,
    *,
    cutoff: int = -1,
    target: int = -1,
    traced: bool = True,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """Levels, parents, trace and number of workers of a search along arcs from distinct ``sources``.

    ``back_*`` are the rows of the transpose (the same arrays if undirected). A cutoff or target of
    -1 means none. Levels do not depend on the number of threads; a parent is any neighbour one level
    up. The trace has a row for each level with the columns ``COLUMNS``.
    """
    n = indptr.size - 1
    brief = n + indices.size < SMALL
    workers = 1 if brief else threads_available()
    parent = np.empty(n, indices.dtype)
    level = np.empty(n, np.int32)
    queue = np.empty(n, indices.dtype)
    front = np.empty((n + 63) >> 6, np.uint64)
    rows = run_team(
        walk, workers, n, indptr, indices, back_indptr, back_indices, sources, cutoff, target,
        ALPHA, BETA, SCAN, parent, level, queue, front, np.empty_like(front),
        np.zeros(7, np.int64), traced,
        brief=brief,
    )  # fmt: skip
    return level, parent, rows[0], workers


@kernel
def choose_smallest(stop, lo, hi, back_indptr, back_indices, level, parent):
    """Replace the parents of ``lo:hi`` by the smallest neighbours one level up."""
    for v in range(lo, hi):
        if v % BUFFER == 0 and stopped(stop):
            return
        if ld(level, v) > 0:
            best = ld(parent, v)
            for k in range(ld(back_indptr, v), ld(back_indptr, v + 1)):
                u = ld(back_indices, k)
                if u < best and ld(level, u) == ld(level, v) - 1:
                    best = u
            st(parent, v, best)


def smallest_parents(
    back_indptr: np.ndarray, back_indices: np.ndarray, level: np.ndarray, parent: np.ndarray
) -> None:
    """Make parents independent of threads: of all possible ones, the smallest id (in place)."""
    over_rows(choose_smallest, back_indptr, back_indices, level, parent)
