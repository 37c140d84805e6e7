"""The steps of a breadth-first search: a push, a pull, and the frontier's change of form.

``bfs`` explains the encoding and the bounds.
"""

from __future__ import annotations

import numpy as np

from ..runtime.atomics import (
    compare_exchange,
    fetch_add,
    fetch_or,
    ld,
    ld_acquire,
    prefetch,
    st,
    st_release,
    trailing_zeros,
)
from ..runtime.launch import inline, kernel
from ..runtime.team import GIVEN_UP, SUM, SUM2, TAIL, TICKET, barrier, cell, share

__all__ = ["BUFFER", "pull", "push", "to_bitmap", "to_queue"]

BUFFER = 4096  # vertices a worker collects before it takes room in the queue
AHEAD = 8  # places in the queue that rows are fetched ahead


@inline
def flush(control, queue, buffer, held):
    """Move a worker's buffer to the queue."""
    at = fetch_add(control, TAIL, held)
    for i in range(held):
        st(queue, at + i, ld(buffer, i))


@kernel
def push(
    control, me, workers, even, phase, indptr, indices, queue, lo, hi, depth, parent, level, buffer
):
    """Claim the unvisited targets of ``queue[lo:hi]``; adds their number and arcs to the sums.

    With ``even`` each worker takes an equal part, which keeps neighbourhoods with the worker that found
    them; otherwise chunks are handed out, because hubs make parts unequal.
    """
    ticket = cell(TICKET, phase)
    held = 0
    found = 0
    arcs = 0
    begin, end = share(hi - lo, me, workers)
    begin += lo
    end += lo
    while True:
        if not even:
            begin = lo + fetch_add(control, ticket, 64)
            end = min(begin + 64, hi)
        if begin >= end:
            break
        for i in range(begin, end):
            prefetch(indptr, ld(queue, min(i + AHEAD, hi - 1)))
            prefetch(indices, ld(indptr, ld(queue, min(i + AHEAD // 2, hi - 1))))
            u = ld(queue, i)
            for k in range(ld(indptr, u), ld(indptr, u + 1)):
                v = ld(indices, k)
                mark = ld(parent, v)
                if mark < 0 and compare_exchange(parent, v, mark, u):
                    st(level, v, depth)
                    arcs -= mark + 1
                    if held == BUFFER:
                        flush(control, queue, buffer, held)
                        found += held
                        held = 0
                    st(buffer, held, v)
                    held += 1
        if even:
            break
    if held:
        flush(control, queue, buffer, held)
    fetch_add(control, cell(SUM, phase), found + held)
    fetch_add(control, cell(SUM2, phase), arcs)


@kernel
def pull(control, phase, indptr, indices, front, after, n, depth, parent, level, limit):
    """Let each unvisited vertex look for a parent in ``front``; those that find one make ``after``.

    A worker that has looked at more than ``limit`` arcs makes all of them stop; then only words of
    ``after`` whose tickets were taken are written.
    """
    ticket = cell(TICKET, phase)
    words = (n + 63) >> 6
    found = 0
    arcs = 0
    looked = 0
    while True:
        if looked > limit:
            st_release(control, GIVEN_UP, 1)
        if ld_acquire(control, GIVEN_UP):
            break
        begin = fetch_add(control, ticket, 16)
        if begin >= words:
            break
        for w in range(begin, min(begin + 16, words)):
            bits = np.uint64(0)
            for v in range(w << 6, min((w + 1) << 6, n) if looked <= limit else 0):
                mark = ld(parent, v)
                if mark < 0:
                    first = ld(indptr, v)
                    last = ld(indptr, v + 1)
                    looked += last - first
                    for k in range(first, last):
                        u = ld(indices, k)
                        if (ld(front, u >> 6) >> np.uint64(u & 63)) & np.uint64(1):
                            st(parent, v, u)
                            st(level, v, depth)
                            looked -= last - k - 1
                            found += 1
                            arcs -= mark + 1
                            bits |= np.uint64(1) << np.uint64(v & 63)
                            break
            st(after, w, bits)
    fetch_add(control, cell(SUM, phase), found)
    fetch_add(control, cell(SUM2, phase), arcs)


@kernel
def to_bitmap(control, me, workers, queue, lo, hi, front, words):
    """Turn ``queue[lo:hi]`` into a bitmap."""
    first, last = share(words, me, workers)
    for w in range(first, last):
        st(front, w, 0)
    if not barrier(control, workers):
        return False
    first, last = share(hi - lo, me, workers)
    for i in range(lo + first, lo + last):
        u = np.int64(ld(queue, i))
        fetch_or(front, u >> 6, np.uint64(1) << np.uint64(u & 63))
    return barrier(control, workers)


@kernel
def to_queue(control, me, workers, front, words, queue, buffer):
    """Append the vertices of a bitmap to the queue."""
    first, last = share(words, me, workers)
    held = 0
    for w in range(first, last):
        bits = ld(front, w)
        while bits:
            if held == BUFFER:
                flush(control, queue, buffer, held)
                held = 0
            st(buffer, held, (w << 6) + np.int64(trailing_zeros(bits)))
            held += 1
            bits &= bits - np.uint64(1)
    if held:
        flush(control, queue, buffer, held)
    return barrier(control, workers)
