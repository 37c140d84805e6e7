"""Searches in a part of a graph, and what parts tell each other of them.

A level of a breadth-first search takes a push or a pull of ``kernels/bfs/steps.py``. For shortest
paths, ``pending`` says what is to be done with a vertex: nothing, its arcs must be relaxed, it waits in
the queue for that, or its new distance must be told to its owner.

Bounds: a queue has n slots, and every vertex is in it once at most; bitmaps have a bit for each vertex.
"""

from __future__ import annotations

import numpy as np

from ..bfs.steps import BUFFER, UNLIMITED, pull, push
from ..runtime.atomics import ld, ld_acquire, st, st_release, stop_at
from ..runtime.launch import kernel
from ..runtime.team import SUM, SUM2, TAIL, cell, meet, next_phase

SETTLED, PENDING, QUEUED, NEWS = range(4)


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
        if stop_at(stop, w):
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
    control, me, _ = team
    buffer = np.empty(BUFFER, tree.queue.dtype)
    if me == 0:
        st_release(control, TAIL, count)
    if not meet(team):
        return np.int64(0), np.int64(0)
    phase = np.int64(0)
    next_phase(control, me, phase)
    if pulls:
        pull(team, phase, rows, tree.queue[:0], tree, bitmaps, depth, np.int64(UNLIMITED))
    else:
        push(team, phase, rows, tree, buffer, (np.int64(0), count), edges, depth)
    meet(team)
    return ld_acquire(control, cell(SUM, phase)), ld_acquire(control, cell(SUM2, phase))


@kernel
def relax_below(stop, limit, enough, rows, distance, pending, queue):
    """Relax the arcs of pending vertices nearer than ``limit`` until there are none, or ``enough`` arcs
    were looked at; how many were.

    A vertex waits in the queue at most once, so a ring of n slots is enough. Those that are not near
    enough stay pending. Vertices without arcs, as ghosts, never are: they become news instead.
    """
    indptr, indices, weights = rows
    n = indptr.size - 1
    held = np.int64(0)
    head = np.int64(0)
    scanned = np.int64(0)
    for v in range(n):
        if ld(pending, v) == PENDING and ld(distance, v) < limit:
            st(queue, held, v)
            st(pending, v, QUEUED)
            held += 1
    taken = np.int64(0)
    while held and scanned < enough:
        taken += 1
        if stop_at(stop, taken):
            break
        u = ld(queue, head)
        head = head + 1 if head + 1 < n else np.int64(0)
        held -= 1
        st(pending, u, SETTLED)
        d = ld(distance, u)
        first = ld(indptr, u)
        last = ld(indptr, u + 1)
        scanned += last - first
        for k in range(first, last):
            v = ld(indices, k)
            new = d + np.float64(ld(weights, k))
            if new < ld(distance, v):
                st(distance, v, new)
                if ld(indptr, v) == ld(indptr, v + 1):
                    st(pending, v, NEWS)
                    continue
                if ld(pending, v) == QUEUED:
                    continue
                if new < limit:
                    tail = head + held
                    st(queue, tail if tail < n else tail - n, v)
                    held += 1
                    st(pending, v, QUEUED)
                else:
                    st(pending, v, PENDING)
    for k in range(head, head + held):
        st(pending, ld(queue, k if k < n else k - n), PENDING)
    return scanned


@kernel
def hear_distances(stop, vertices, at, values, indptr, distance, pending):
    """Take over shorter distances of ``vertices[at]``, own ones, which are pending then."""
    for k in range(at.size):
        if stop_at(stop, k):
            return
        v = np.int64(ld(vertices, ld(at, k)))
        if ld(values, k) < ld(distance, v):
            st(distance, v, ld(values, k))
            st(pending, v, PENDING if ld(indptr, v + 1) > ld(indptr, v) else SETTLED)


@kernel
def tell_distances(stop, first, last, distance, pending, at, values):
    """Take the news of ghosts ``first:last``: their places and distances, which have room for all.

    Returns how many there are, and the smallest distance.
    """
    count = np.int64(0)
    nearest = np.inf
    for v in range(first, last):
        if stop_at(stop, v):
            break
        if ld(pending, v) == NEWS:
            st(pending, v, SETTLED)
            st(at, count, v - first)
            st(values, count, ld(distance, v))
            nearest = min(nearest, ld(distance, v))
            count += 1
    return count, nearest


@kernel
def what_is_left(stop, begin, end, distance, pending):
    """The smallest distance of a pending own vertex, and the largest of all that were reached."""
    nearest = np.inf
    furthest = 0.0
    for v in range(begin, end):
        if stop_at(stop, v):
            break
        d = ld(distance, v)
        state = ld(pending, v)
        if state == PENDING:
            nearest = min(nearest, d)
        elif state == NEWS:
            st(pending, v, SETTLED)
        if d < np.inf:
            furthest = max(furthest, d)
    return nearest, furthest
