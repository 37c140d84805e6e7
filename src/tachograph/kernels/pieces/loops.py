"""Loops over a part of a graph, whose vertices are its own and its ghosts (``scale/piece.py``).

Rows of ghosts are empty. ``own`` vertices have the ids ``begin <= v < end``. All arrays that have
an entry for each vertex have ``indptr.size - 1`` entries, and all targets in ``indices`` are below
that, which bounds every access by vertex.
"""

from __future__ import annotations

import numpy as np

from ..bfs.steps import BUFFER, UNLIMITED, Bitmaps, Tree, pull, push
from ..independent_set.greedy import IN, OUT, before, level_of, rule_out
from ..runtime.atomics import ld, ld_acquire, st, st_release, stopped
from ..runtime.launch import inline, kernel
from ..runtime.nouns import Rows
from ..runtime.team import SUM, SUM2, TAIL, barrier, cell, next_phase

__all__ = ["decide_rows", "expand", "first_levels", "mark"]

LOOK = 4096  # vertices between two looks at the stop flag


@kernel
def mark(stop, begin, end, depth, indptr, ghost_degrees, level, parent, front, queue):
    """Prepare a part for the level after ``depth``; ``ghost_degrees`` has all but own vertices.

    ``parent`` gets what ``bfs.steps`` wants: a mark below zero where nobody was yet. ``front`` has
    a bit for everyone at ``depth``, ``queue`` the own ones of them, at most n. Returns their number
    and arcs, and number and arcs of all own vertices that were visited.
    """
    n = level.size
    limit = np.int64(np.iinfo(parent.dtype).max) - 1
    count = np.int64(0)
    edges = np.int64(0)
    visited = np.int64(0)
    arcs = np.int64(0)
    for w in range((n + 63) >> 6):
        if w % LOOK == 0 and stopped(stop):
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
def expand(team, pulls, n, indptr, indices, depth, count, edges, parent, level,
           queue, front, after):  # fmt: skip
    """One level of a breadth-first search by a team; vertices found and arcs out of them.

    A push takes ``queue[:count]`` and appends what it finds; every vertex is found once, so n slots are
    enough. A pull takes the bitmap ``front`` and fills ``after``.
    """
    control, me, workers = team
    rows, tree = Rows(indptr, indices), Tree(parent, level, queue)
    buffer = np.empty(BUFFER, queue.dtype)
    if me == 0:
        st_release(control, TAIL, count)
    if not barrier(control, workers):
        return np.int64(0), np.int64(0)
    phase = np.int64(0)
    next_phase(control, me, phase)
    if pulls:
        pull(team, phase, rows, tree, Bitmaps(front, after), depth, np.int64(UNLIMITED))
    else:
        push(team, phase, rows, tree, buffer, (np.int64(0), count), edges, depth)
    barrier(control, workers)
    return ld_acquire(control, cell(SUM, phase)), ld_acquire(control, cell(SUM2, phase))


@kernel
def first_levels(stop, lo, hi, key, ids, degrees, state):
    """The place of vertices ``lo:hi`` in the order of ``independent_set``."""
    for v in range(lo, hi):
        if v % LOOK == 0 and stopped(stop):
            return
        st(state, v, level_of(key, ld(ids, v), ld(degrees, v)))


@inline
def look(key, ids, v, own, indptr, indices, state):
    """As ``independent_set.look``, with ``ids`` of the whole graph."""
    for k in range(ld(indptr, v), ld(indptr, v + 1)):
        u = ld(indices, k)
        theirs = ld_acquire(state, u)
        if theirs == OUT or u == v:
            continue
        if theirs == IN:
            return np.uint8(OUT)
        if before(key, theirs, ld(ids, u), own, ld(ids, v)):
            return own
    return np.uint8(IN)


@kernel
def decide_rows(
    stop, lo, hi, indptr, indices, back_indptr, back_indices, both, begin, end, key, ids, state
):
    """Decide own vertices of rows ``lo:hi`` as far as that can be known; how many were.

    Goes over them until it decides no more; those that wait for vertices of others are left.
    """
    decided = np.int64(0)
    progress = True
    while progress and not stopped(stop):
        progress = False
        for v in range(max(lo, begin), min(hi, end)):
            own = ld_acquire(state, v)
            if own <= IN:
                continue
            found = look(key, ids, v, own, indptr, indices, state)
            if both and found == IN:
                found = look(key, ids, v, own, back_indptr, back_indices, state)
            if found > IN:
                continue
            st_release(state, v, found)
            decided += 1
            progress = True
            if found == IN:
                rule_out(v, indptr, indices, state)
                if both:
                    rule_out(v, back_indptr, back_indices, state)
    return decided
