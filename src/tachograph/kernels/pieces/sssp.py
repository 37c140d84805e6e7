"""Shortest paths in a part of a graph, and what parts tell each other of them.

``pending`` says what is to be done with a vertex: nothing, its arcs must be relaxed, it waits in the
queue for that, or its new distance must be told to its owner.
"""

from __future__ import annotations

import numpy as np

from ..runtime.atomics import ld, st, stopped
from ..runtime.launch import kernel
from . import VERTICES_PER_LOOK

__all__ = ["hear_distances", "relax_below", "tell_distances", "what_is_left"]

SETTLED, PENDING, QUEUED, NEWS = range(4)


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
        if taken % VERTICES_PER_LOOK == 0 and stopped(stop):
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
        if k % VERTICES_PER_LOOK == 0 and stopped(stop):
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
        if v % VERTICES_PER_LOOK == 0 and stopped(stop):
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
        if v % VERTICES_PER_LOOK == 0 and stopped(stop):
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
