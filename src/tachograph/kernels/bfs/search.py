"""Breadth-first search that changes direction.

Method: S. Beamer, K. Asanovic, D. Patterson, "Direction-Optimizing Breadth-First Search", SC 2012. A
team walks through the levels. *Push*: each vertex of the frontier claims its unvisited targets.
*Pull*: each unvisited vertex looks for any source in the frontier. The direction is decided inside
the loop, at every level, by a compiled policy that is given by its address: a function of the state
(``STATE``) and of its own parameters. All workers ask it and get the same answer.

Encoding: ``parent[v]`` is the parent, or, while v is unvisited, -(out-degree + 1), so that the arcs
out of the next frontier are summed without another look at the offsets. The frontier is a stretch of
``queue`` (push) or a bitmap (pull); it is converted when the direction changes.

Bounds: a vertex enters the queue once, when a push claims it or when a pulled frontier is turned into
a queue, so n slots are enough; a bitmap has a bit for every vertex, rounded up to words of 64.
"""

from __future__ import annotations

import numpy as np

from ..runtime.atomics import (
    ld,
    ld_acquire,
    nanoseconds,
    st,
    st_release,
    stopped,
)
from ..runtime.launch import inline, inline_maker, kernel, read_only, threads_available
from ..runtime.team import (
    GIVEN_UP,
    SUM,
    SUM2,
    TAIL,
    TICKET,
    barrier,
    cell,
    grown,
    next_phase,
    run_team,
    share,
)
from .ends import prepare, start
from .state import (
    ALL_HUBS,
    DIRECTED,
    HUB_SHARE,
    HUBS,
    PULL,
    PULLED,
    PUSH,
    SIZE,
    THREADS,
    count_hubs,
    decide,
    hubs_among,
)
from .steps import BUFFER, pull, push, to_bitmap, to_queue

# fmt: off
__all__ = ["COLUMNS", "traverse"]

# what a row of the trace holds
COLUMNS = ("direction", "frontier_vertices", "frontier_edges", "unvisited", "nanoseconds")
# fmt: on
EVEN = 16  # arcs per vertex up to which a frontier is cut into equal parts
ALONE = 256  # arcs out of a frontier up to which one worker goes on alone
LO, HI, EDGES, DEPTH, UNVISITED, UNSEEN, BEFORE, SLOPE, ARCS_BEFORE = range(
    9
)  # what it leaves behind
PATIENCE = 2  # times the arcs of a push that a pull may look at
ONCE_MORE = 4  # times the arcs of a pull that was given up, until another one is tried
NEVER = 1 << 62  # arcs: more than a pull can look at
SMALL = 1 << 18  # vertices and arcs below which one worker is faster than several
FEW = 1 << 15  # vertices up to which it is, too: pulling looks at little more than each once


@inline
def reached(level, target, depth):
    """Whether the target's level is known, at most ``depth``.

    A faster worker may have found it in the next level already; that must not count, or the team
    would part.
    """
    return target >= 0 and 0 <= ld_acquire(level, target) <= depth


@inline_maker
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
    control, n, indptr, indices, cutoff, target, policy, parameters, certain, hub, parent, level,
    queue, state, left, traced, rows, used, begin,
):  # fmt: skip
    """Levels of few arcs, pushed by one worker while the others wait once for all of them.

    It was decided to push the first of them.
    """
    box = np.empty(2, np.int64)
    lo, hi, edges, depth = left[LO], left[HI], left[EDGES], left[DEPTH]
    unvisited, unseen, before, slope = left[UNVISITED], left[UNSEEN], left[BEFORE], left[SLOPE]
    arcs_before = left[ARCS_BEFORE]
    while True:
        depth += 1
        count = hi - lo
        slope = count - before
        before = count
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
        arcs_before = edges
        edges = arcs
        unvisited -= hi - lo
        unseen -= arcs
        if lo == hi or edges > ALONE or depth == cutoff or reached(level, target, depth):
            break
        if depth % BUFFER == 0 and stopped(control):
            break
        if edges > certain:
            if hub >= 0:
                st(state, HUBS, hubs_among(queue, lo, hi, indptr, hub))
            direction = decide(
                policy, parameters, state, hi - lo, edges, unvisited, unseen, before, arcs_before,
                slope, PUSH, depth,
            )  # fmt: skip
            if direction != PUSH:
                break
    st_release(control, TAIL, hi)
    left[LO], left[HI], left[EDGES], left[DEPTH] = lo, hi, edges, depth
    left[UNVISITED], left[UNSEEN], left[BEFORE], left[SLOPE] = unvisited, unseen, before, slope
    left[ARCS_BEFORE] = arcs_before
    return rows, used, begin


@kernel
def walk(
    team, n, indptr, indices, back_indptr, back_indices, sources, cutoff, target,
    policy, parameters, certain, bounded, hub, p_h, directed, parent, level, queue, front, after, left,
    traced,
):  # fmt: skip
    """What each worker does; worker 0 keeps the trace and returns it."""
    control, me, workers = team
    words = (n + 63) >> 6
    rows = np.empty((64 if traced and me == 0 else 0, 5), np.int64)
    buffer = np.empty(BUFFER, queue.dtype)
    box = np.empty(2, np.int64)
    state = np.zeros(SIZE, np.float64)
    used = np.int64(0)
    prepare(me, workers, n, indptr, parent, level)
    edges = start(control, me, workers, indptr, sources, parent, level, queue)
    if edges < 0:
        return rows[:0]
    begin = nanoseconds(box)
    count = np.int64(sources.size)
    lo, hi = np.int64(0), count
    unvisited = n - count
    unseen = indices.size - edges
    before = np.int64(0)
    slope = np.int64(0)
    arcs_before = np.int64(0)
    kept = np.int64(0)  # vertices and arcs that a pull found before it was given up
    kept_arcs = np.int64(0)
    direction = PUSH
    depth = np.int64(0)
    phase = np.int64(0)
    st(state, 0, n)
    st(state, 1, indices.size)
    st(state, HUB_SHARE, p_h)
    st(state, THREADS, workers)
    st(state, DIRECTED, directed)
    if hub >= 0:
        hubs = np.int64(0)
        for v in range(n):  # each worker by itself: a part of the price of counting hubs
            hubs += ld(indptr, v + 1) - ld(indptr, v) > hub
        st(state, ALL_HUBS, hubs)
    while count and depth != cutoff and not reached(level, target, depth):
        last = direction
        if edges <= certain:
            direction = PUSH
        else:
            if hub >= 0:
                hubs = count_hubs(
                    control, me, workers, phase, direction, n, indptr, queue, lo, hi, front, hub
                )
                if hubs < 0:
                    break
                phase += 1
                st(state, HUBS, hubs)
            direction = decide(
                policy, parameters, state, count, edges, unvisited, unseen, before, arcs_before,
                slope, last, depth,
            )  # fmt: skip
        if direction == PUSH and last == PUSH and edges <= ALONE and kept == 0:
            if me == 0:
                left[LO], left[HI], left[EDGES], left[DEPTH] = lo, hi, edges, depth
                left[UNVISITED], left[UNSEEN] = unvisited, unseen
                left[BEFORE], left[SLOPE], left[ARCS_BEFORE] = before, slope, arcs_before
                rows, used, begin = alone(
                    control, n, indptr, indices, cutoff, target, policy, parameters, certain, hub,
                    parent, level, queue, state, left, traced, rows, used, begin,
                )  # fmt: skip
            if not barrier(control, workers):
                break
            lo, hi, edges, depth = left[LO], left[HI], left[EDGES], left[DEPTH]
            unvisited, unseen = left[UNVISITED], left[UNSEEN]
            before, slope, arcs_before = left[BEFORE], left[SLOPE], left[ARCS_BEFORE]
            count = hi - lo
            continue
        depth += 1
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
            st(state, PULLED, ld(state, PULLED) + 1)
            limit = PATIENCE * (edges + unvisited) // workers if bounded else NEVER
            pull(
                control,
                phase,
                back_indptr,
                back_indices,
                front,
                after,
                n,
                depth,
                parent,
                level,
                limit,
            )
        if not barrier(control, workers):
            break
        found = ld_acquire(control, cell(SUM, phase))
        arcs = ld_acquire(control, cell(SUM2, phase))
        if direction == PULL and ld_acquire(control, GIVEN_UP):
            done = min(ld_acquire(control, cell(TICKET, phase)), words)
            if last == PULL:
                lo = ld_acquire(control, TAIL)
                hi = lo + count
            if not barrier(control, workers):  # all have read the tail
                break
            if last == PULL and not to_queue(control, me, workers, front, words, queue, buffer):
                break
            if not to_queue(control, me, workers, after, done, queue, buffer):
                break
            if me == 0:
                st_release(control, GIVEN_UP, 0)
            kept, kept_arcs = found, arcs  # they lie behind the frontier, which is pushed now
            certain = max(certain, ONCE_MORE * edges)
            direction = PUSH
            depth -= 1
            phase += 1
            continue
        found += kept
        arcs += kept_arcs
        kept, kept_arcs = np.int64(0), np.int64(0)
        if me == 0 and traced:
            now = nanoseconds(box)
            rows = row(rows, used, direction, count, edges, unvisited, now - begin)
            used += 1
            begin = now
        arcs_before = edges
        edges = arcs
        if direction == PUSH:
            lo, hi = hi, hi + found
        else:
            front, after = after, front
        slope = count - before
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
    policy: int,
    parameters: np.ndarray,
    *,
    certain: int = 0,
    bounded: bool = False,
    hub: float = -1.0,
    p_h: float = 0.0,
    directed: bool = False,
    cutoff: int = -1,
    target: int = -1,
    traced: bool = True,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """Levels, parents, trace and number of workers of a search along arcs from distinct ``sources``.

    ``back_*`` are the rows of the transpose (the same arrays if undirected). ``policy`` is the address
    of a compiled function of two arrays of float64, the state and ``parameters``, that returns PUSH or
    PULL. Frontiers of at most ``certain`` arcs are pushed without asking it. If ``bounded``,
    a pull that looks at many more arcs than a push would is given up and the rest pushed, and the next
    one must be worth more, which bounds what wrong choices cost. Vertices of more than ``hub``
    arcs are counted for it, unless that is negative; ``p_h`` and ``directed`` are for it, too.
    A cutoff or target of -1 means none.
    Levels do not depend on the number of threads; a parent is any neighbour one level up. The trace
    has a row for each level with the columns ``COLUMNS``.
    """
    n = indptr.size - 1
    brief = n + indices.size < SMALL
    workers = 1 if brief or n <= FEW else threads_available()
    parent = np.empty(n, indices.dtype)
    level = np.empty(n, np.int32)
    queue = np.empty(n, indices.dtype)
    front = np.empty((n + 63) >> 6, np.uint64)
    rows = run_team(
        walk, workers, n, indptr, indices, back_indptr, back_indices, sources, cutoff, target,
        policy, read_only(parameters), certain, bounded, float(hub), float(p_h),
        float(directed), parent, level, queue, front, np.empty_like(front), np.zeros(9, np.int64),
        traced,
        brief=brief,
    )  # fmt: skip
    return level, parent, rows[0], workers
