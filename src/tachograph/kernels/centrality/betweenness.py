"""How many shortest paths lead through each vertex.

Method: U. Brandes, "A faster algorithm for betweenness centrality", J. Math. Sociology 25 (2001), for
paths without weights. From every source a breadth-first search counts shortest paths (``paths``), level
by level; then the levels are gone through backwards, and every vertex gets the part of the paths behind
it. Both ways, a level is done by looking at its own arcs or at those of the other side, whichever are
fewer: forwards the frontier pushes, or vertices that were not seen pull; backwards a vertex pulls from
its successors, or they push to their predecessors. In graphs with hubs that saves most arcs.

Numbers of paths can be larger than any float (a grid of 1000 by 1000 has 2**1990 between two corners).
Only ratios between neighbours count, so a level whose numbers get large is divided by a power of
two, which the way back multiplies by again. If the smallest of the level would then be too small, the
source's own score becomes nan, and the caller refuses.

A worker takes a chunk of sources at a time, adds up their dependencies in their order, and adds the sum
to the common one when it is the chunk's turn; so rounding does not depend on the number of workers.

Bounds: every vertex is in ``order`` at most once; levels begin at places of ``order``, and there are at
most n of them.
"""

from __future__ import annotations

import numpy as np

from ..runtime.atomics import ld, ld_acquire, let_others_run, st, st_release, stopped
from ..runtime.launch import inline, kernel, workers_for
from ..runtime.nouns import Rows
from ..runtime.team import TAIL, run_team, take

__all__ = ["dependencies"]

CHUNK_SOURCES = 16  # that a worker takes at a time
NOT_SEEN = -1
LOOK_FROM_BITS, KEPT_BITS, LEAST_BITS = 900, 800, -1000  # of numbers of paths, as powers of two


@inline
def seen_by_push(rows, level, paths, order, first, last, depth):
    """Count the paths to the next level, from ``order[first:last]``; where that ends in ``order``."""
    indptr, indices = rows
    end = last
    for i in range(first, last):
        v = ld(order, i)
        count = ld(paths, v)
        for k in range(ld(indptr, v), ld(indptr, v + 1)):
            u = ld(indices, k)
            if ld(level, u) == NOT_SEEN:
                st(level, u, depth)
                st(order, end, u)
                end += 1
                st(paths, u, count)
            elif ld(level, u) == depth:
                st(paths, u, ld(paths, u) + count)
    return end


@inline
def seen_by_pull(back, level, paths, order, last, depth):
    """The same from the other side: vertices that were not seen look for the level before."""
    indptr, indices = back
    end = last
    for u in range(indptr.size - 1):
        if ld(level, u) != NOT_SEEN:
            continue
        count = 0.0
        for k in range(ld(indptr, u), ld(indptr, u + 1)):
            v = ld(indices, k)
            if ld(level, v) == depth - 1:
                count += ld(paths, v)
        if count > 0:
            st(level, u, depth)
            st(paths, u, count)
            st(order, end, u)
            end += 1
    return end


@inline
def arcs_of(indptr, order, first, last):
    """The number of arcs of some vertices."""
    found = np.int64(0)
    for i in range(first, last):
        v = ld(order, i)
        found += ld(indptr, v + 1) - ld(indptr, v)
    return found


@inline
def range_of(paths, order, first, last):
    """The smallest and the largest number of paths to some vertices."""
    least = most = ld(paths, ld(order, first))
    for i in range(first + 1, last):
        count = ld(paths, ld(order, i))
        least = min(least, count)
        most = max(most, count)
    return least, most


@kernel
def walk(team, rows, back, sources, total, squares):
    """What each worker does. ``total`` and ``squares`` get the sums over all sources."""
    control = team.control
    n, arcs = rows.indptr.size - 1, rows.indices.size
    level = np.full(n, NOT_SEEN, np.int32)
    paths = np.zeros(n)
    part = np.zeros(n)
    order = np.empty(n, rows.indices.dtype)
    begins = np.empty(n + 2, np.int64)
    scale = np.ones(n + 2)  # what the numbers of paths to a level were multiplied by
    own = np.zeros(n)
    own2 = np.zeros(n)
    while True:
        begin, end = take(control, 0, CHUNK_SOURCES, sources.size)
        if begin >= end:
            break
        for k in range(begin, end):
            if stopped(control):
                return
            s = ld(sources, k)
            st(level, s, 0)
            st(paths, s, 1.0)
            st(order, 0, s)
            st(begins, 0, 0)
            st(begins, 1, 1)
            depth = 1
            bits = 0.0  # of the numbers of paths, at most
            ahead = ld(rows.indptr, s + 1) - ld(rows.indptr, s)
            left = arcs - (ld(back.indptr, s + 1) - ld(back.indptr, s))
            while ld(begins, depth) > ld(begins, depth - 1):
                first, last = ld(begins, depth - 1), ld(begins, depth)
                if ahead > left + n:
                    stop = seen_by_pull(back, level, paths, order, last, depth)
                else:
                    stop = seen_by_push(rows, level, paths, order, first, last, depth)
                bits += np.log2(max(ahead, 1))
                st(scale, depth, 1.0)
                if bits > LOOK_FROM_BITS and stop > last:
                    least, most = range_of(paths, order, last, stop)
                    bits = np.ceil(np.log2(most))
                    if bits > KEPT_BITS:
                        st(scale, depth, 2.0 ** (KEPT_BITS - bits))
                        if np.log2(least) + KEPT_BITS - bits < LEAST_BITS:
                            st(own, s, np.nan)
                        for i in range(last, stop):
                            v = ld(order, i)
                            st(paths, v, ld(paths, v) * ld(scale, depth))
                        bits = np.float64(KEPT_BITS)
                ahead = arcs_of(rows.indptr, order, last, stop)
                left -= arcs_of(back.indptr, order, last, stop)
                depth += 1
                st(begins, depth, stop)
            for d in range(depth - 2, 0, -1):  # levels that have one behind them, and the last
                first, last, stop = ld(begins, d), ld(begins, d + 1), ld(begins, d + 2)
                near = arcs_of(rows.indptr, order, first, last)
                far = arcs_of(back.indptr, order, last, stop)
                if far < near:
                    for i in range(last, stop):
                        u = ld(order, i)
                        for k2 in range(ld(back.indptr, u), ld(back.indptr, u + 1)):
                            v = ld(back.indices, k2)
                            if ld(level, v) == d:
                                st(part, v, ld(part, v) + ld(part, u))
                else:
                    for i in range(first, last):
                        v = ld(order, i)
                        more = 0.0
                        for k2 in range(ld(rows.indptr, v), ld(rows.indptr, v + 1)):
                            u = ld(rows.indices, k2)
                            if ld(level, u) == d + 1:
                                more += ld(part, u)
                        st(part, v, more)
                for i in range(first, last):  # from shares of paths to what the level before adds
                    v = ld(order, i)
                    through = ld(part, v) * ld(paths, v) * ld(scale, d + 1)
                    st(own, v, ld(own, v) + through)
                    st(own2, v, ld(own2, v) + through * through)
                    st(part, v, (1.0 + through) / ld(paths, v))
            for i in range(ld(begins, depth)):
                v = ld(order, i)
                st(level, v, NOT_SEEN)
                st(part, v, 0.0)
        while ld_acquire(control, TAIL) != begin:  # chunks are added in their order
            if stopped(control):
                return
            let_others_run()
        for v in range(n):
            st(total, v, ld(total, v) + ld(own, v))
            st(squares, v, ld(squares, v) + ld(own2, v))
            st(own, v, 0.0)
            st(own2, v, 0.0)
        st_release(control, TAIL, end)


def dependencies(
    rows: Rows, back: Rows, sources: np.ndarray, total: np.ndarray, squares: np.ndarray
) -> int:
    """Add the dependencies of all sources, and their squares; return the number of workers."""
    n, arcs = rows.indptr.size - 1, rows.indices.size
    chunks = -(-sources.size // CHUNK_SOURCES)
    workers = min(workers_for("bfs", sources.size * (n + arcs))[0], max(chunks, 1))
    if sources.size:
        run_team(walk, workers, rows, back, sources, total, squares)
    return workers
