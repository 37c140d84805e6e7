"""A breadth-first search that times both directions at every level: the oracle.

From the same state each level is pushed and pulled several times, in turns, and taken back after each;
the changes of the frontier's form are timed, too. Whatever is chosen, a level's state is the same, so
one such walk tells what any policy would have met, and what each choice would have cost.

Bounds: those of ``search``. A level that is taken back frees its part of the queue before the next try.
"""

from __future__ import annotations

import numpy as np

from ..runtime.atomics import ld, ld_acquire, nanoseconds, st, st_release
from ..runtime.launch import kernel
from ..runtime.nouns import Rows
from ..runtime.team import (
    SUM,
    SUM2,
    TAIL,
    appended,
    cell,
    meet,
    new_board,
    next_phase,
    part,
    report,
    run_team,
    total,
)
from .search import Query, new_bitmaps, new_tree, search_workers
from .state import first_level, hubs_in_queue, next_level
from .steps import (
    BUFFER,
    UNLIMITED,
    begin,
    in_bitmap,
    make_unvisited,
    pull,
    push,
    to_bitmap,
    to_queue,
)

__all__ = ["COLUMNS", "both"]

COLUMNS = (
    *("frontier_vertices", "frontier_edges", "unvisited", "unseen_edges", "hubs", "scanned"),
    *("push_nanoseconds", "pull_nanoseconds", "to_bitmap_nanoseconds", "to_queue_nanoseconds"),
)
WIDTH = len(COLUMNS)
PUSHING, PULLING, MAPPING, QUEUING = 0, 1, 2, 3  # what is timed
PULL_FROM_SHARE = (
    256  # a pull looks at every vertex: it is not timed for fewer arcs than n over this
)


@kernel
def together(team, box):
    """The time, read when nobody is still at work and before anybody begins anew."""
    meet(team)
    now = nanoseconds(box)
    meet(team)
    return now


@kernel
def take_back_bitmap(team, indptr, after, tree):
    """Make the vertices of a bitmap unvisited again."""
    parents, levels, _ = tree
    first, last = part(team, after.size)
    for w in range(first, last):
        bits = ld(after, w)
        if bits:
            for v in range(w << 6, min((w + 1) << 6, parents.size)):
                if (bits >> np.uint64(v & 63)) & np.uint64(1):
                    make_unvisited(v, indptr, parents, levels)


@kernel
def arcs_of_pull(team, back, parents, front):
    """A worker's part of the arcs that a pull would look at."""
    indptr, indices = back
    scanned = np.int64(0)
    first, last = part(team, parents.size)
    for v in range(first, last):
        if ld(parents, v) < 0:
            for k in range(ld(indptr, v), ld(indptr, v + 1)):
                scanned += 1
                if in_bitmap(front, ld(indices, k)):
                    break
    return scanned


@kernel
def walk_both(team, rows, back, query, tree, bitmaps, board, repeats):
    """What each worker does; worker 0 returns the rows."""
    control, me, workers = team
    indptr, indices = rows
    parents, levels, queue = tree
    front, after = bitmaps
    n = parents.size
    words = front.size
    hub = indices.size / n if n else 0.0
    lines = np.empty((64 if me == 0 else 0, WIDTH), np.int64)
    buffer = np.empty(BUFFER, queue.dtype)
    box = np.empty(2, np.int64)
    best = np.empty(4, np.int64)
    notes = np.zeros(2, np.int64)
    used = np.int64(0)
    edges = begin(team, indptr, query.sources, tree)
    if edges < 0:
        return lines[:0]
    lo, hi = np.int64(0), np.int64(query.sources.size)
    level = first_level(n, indices.size, hi, edges)
    phase = np.int64(0)
    while lo < hi and level.depth != query.cutoff:
        depth = level.depth + 1
        for k in range(4):
            best[k] = UNLIMITED
        pulls = level.edges > n // PULL_FROM_SHARE
        hubs = np.int64(0)
        scanned = np.int64(0)
        if pulls:
            for _ in range(repeats):  # the frontier in its other form, and back
                start = together(team, box)
                if not to_bitmap(team, queue, lo, hi, front):
                    return lines[:0]
                best[MAPPING] = min(best[MAPPING], nanoseconds(box) - start)
                if me == 0:
                    st_release(control, TAIL, lo)
                start = together(team, box)
                if not to_queue(team, front, words, queue, buffer):
                    return lines[:0]
                best[QUEUING] = min(best[QUEUING], nanoseconds(box) - start)
            first, last = part(team, hi - lo)
            st(notes, 0, hubs_in_queue(queue, lo + first, lo + last, indptr, hub))
            st(notes, 1, arcs_of_pull(team, back, parents, front))
            if not report(team, board, phase, notes):
                return lines[:0]
            hubs = total(board, phase, workers, 0)
            scanned = total(board, phase, workers, 1)
        found = np.int64(0)
        arcs = np.int64(0)
        for r in range(repeats if pulls else 1):
            if pulls:
                next_phase(control, me, phase)
                start = together(team, box)
                pull(team, phase, back, tree, bitmaps, depth, np.int64(UNLIMITED))
                if not meet(team):
                    return lines[:0]
                best[PULLING] = min(best[PULLING], nanoseconds(box) - start)
                phase += 1
                take_back_bitmap(team, indptr, after, tree)
            next_phase(control, me, phase)
            start = together(team, box)
            push(team, phase, rows, tree, buffer, (lo, hi), level.edges, depth)
            if not meet(team):
                return lines[:0]
            best[PUSHING] = min(best[PUSHING], nanoseconds(box) - start)
            found = ld_acquire(control, cell(SUM, phase))
            arcs = ld_acquire(control, cell(SUM2, phase))
            phase += 1
            if pulls and r < repeats - 1:
                first, last = part(team, found)
                for i in range(hi + first, hi + last):
                    make_unvisited(ld(queue, i), indptr, parents, levels)
                if not meet(team):
                    return lines[:0]
                if me == 0:
                    st_release(control, TAIL, hi)
        if me == 0:
            if not pulls:
                best[PULLING] = best[MAPPING] = best[QUEUING] = -1
            state = (level.vertices, level.edges, level.unvisited, level.unseen, hubs, scanned)
            times = (best[PUSHING], best[PULLING], best[MAPPING], best[QUEUING])
            lines = appended(lines, used, state + times)
            used += 1
        lo, hi = hi, hi + found
        level = next_level(level, found, arcs)
    return lines[:used]


def both(
    rows: Rows, back: Rows, sources: np.ndarray, *, cutoff: int = -1, repeats: int = 3
) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """Levels, parents, a row for each level (``COLUMNS``), and the number of workers.

    ``repeats`` is how often each direction of a level runs; rows have the least times. A pull is not
    timed, and its times are -1, where the frontier has fewer arcs than n / ``PULL_FROM_SHARE``.
    ``hubs`` counts vertices of the frontier of more than the mean degree, ``scanned`` the arcs that a
    pull looks at.
    """
    n = rows.indptr.size - 1
    workers, _ = search_workers(n, rows.indices.size)
    query = Query(sources, cutoff, -1, 0.0, True)
    tree = new_tree(n, rows.indices.dtype)
    shared = (rows, back, query, tree, new_bitmaps(n), new_board(workers), repeats)
    lines = run_team(walk_both, workers, *shared)
    tree.parents[tree.parents < 0] = -1
    return tree.levels, tree.parents, lines[0], workers
