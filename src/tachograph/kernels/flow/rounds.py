"""Maximum flow in rounds of three kernels: Preflow, Push-Adjust and BFS.

Method: the kernels of C. Eryilmaz, "Fine-Grain Acceleration of Graph Algorithms on a Heterogeneous
Chip" (2017), made correct. As printed there, threads add to the excess of the same vertex without
synchronisation, two neighbours can push to each other at once, and the last case of Push-Adjust
subtracts what has just been set to zero. Here a vertex only writes what belongs to it:

Preflow      every vertex with excess pushes to neighbours one step lower, by the heights at the
             beginning of the round; it notes what it sent along each of its arcs. If excess is left, it
             notes its next height. Who was sent something, or is lifted, goes to a list.
Push-Adjust  every vertex of that list collects what its neighbours noted, in the order of its row, and
             takes its next height. Those that have excess now make the next work list.
BFS          exact heights, from the sink, after so much work that a search is worth it.

(Rounds with heights from the beginning: N. Baumstark, G. Blelloch, J. Shun, "Efficient Implementation
of a Synchronous Parallel Push-Relabel Algorithm", 2015.) Nothing depends on the order of the lists, so
flows are the same on every device. ``opencl/flow.cl`` has the same kernels.

Bounds: ``mark`` lets a vertex enter a list once; lists have room for all vertices.
"""

from __future__ import annotations

import numpy as np

from ..runtime.atomics import compare_exchange, fetch_add, ld, st, stopped
from ..runtime.launch import inline, kernel

__all__ = ["ARCS", "COUNT", "adjust", "bfs", "preflow"]

COUNT, ARCS = 0, 1  # what ``tally`` counts: entries of the list that is made; arcs looked at
BLOCK = 1 << 10


@inline
def enter(v, mark, out, tally):
    """Put a vertex in a list, unless it is there."""
    if ld(mark, v) == 0 and compare_exchange(mark, v, 0, 1):
        st(out, fetch_add(tally, COUNT, 1), v)


@kernel
def preflow(
    stop, lo, hi, work, begins, target, room, height, excess, sent, next_height, mark, out, tally
):
    """Push from the vertices ``work[lo:hi]``, all of which have excess and a height below n."""
    n = height.size
    seen = np.int64(0)
    for i in range(lo, hi):
        if i % BLOCK == 0 and stopped(stop):
            return
        v = ld(work, i)
        have = ld(excess, v)
        own = ld(height, v)
        lowest = np.int64(n)
        for k in range(ld(begins, v), ld(begins, v + 1)):
            can = ld(room, k)
            if can > 0:
                u = ld(target, k)
                h = np.int64(ld(height, u))
                if h == own - 1 and have > 0:
                    amount = min(can, have)
                    st(room, k, can - amount)
                    st(sent, k, amount)
                    have -= amount
                    can -= amount
                    enter(u, mark, out, tally)
                if can > 0:
                    lowest = min(lowest, h)
        seen += ld(begins, v + 1) - ld(begins, v)
        st(excess, v, have)
        if have > 0:
            st(next_height, v, min(lowest + 1, np.int64(n)))
            enter(v, mark, out, tally)
    fetch_add(tally, ARCS, seen)


@kernel
def adjust(
    stop, lo, hi, work, root, other, begins, back, room, height, excess, sent, next_height, mark,
    out, tally,
):  # fmt: skip
    """Collect at the vertices ``work[lo:hi]``; those with excess that may push make ``out``.

    A vertex leaves ``mark`` as it takes its turn; nobody else looks at it in this kernel.
    """
    n = height.size
    seen = np.int64(0)
    for i in range(lo, hi):
        if i % BLOCK == 0 and stopped(stop):
            return
        v = ld(work, i)
        st(mark, v, 0)
        have = ld(excess, v)
        for k in range(ld(begins, v), ld(begins, v + 1)):
            reverse = ld(back, k)
            came = ld(sent, reverse)
            if came > 0:
                st(sent, reverse, 0)
                st(room, k, ld(room, k) + came)
                have += came
        seen += ld(begins, v + 1) - ld(begins, v)
        st(excess, v, have)
        st(height, v, ld(next_height, v))
        if have > 0 and ld(height, v) < n and v != root and v != other:
            st(out, fetch_add(tally, COUNT, 1), v)
    fetch_add(tally, ARCS, seen)


@kernel
def bfs(
    stop, root, other, begins, target, back, room, height, excess, next_height, queue, out, tally
):
    """Exact heights over ``root``; those with excess that can reach it make ``out``."""
    n = height.size
    for v in range(n):
        st(height, v, n)
        st(next_height, v, n)
    st(height, root, 0)
    st(next_height, root, 0)
    st(queue, 0, root)
    head = np.int64(0)
    tail = np.int64(1)
    found = np.int64(0)
    while head < tail:
        if head % BLOCK == 0 and stopped(stop):
            break
        v = ld(queue, head)
        head += 1
        above = ld(height, v) + 1
        for k in range(ld(begins, v), ld(begins, v + 1)):
            u = ld(target, k)
            if ld(height, u) == n and u != other and ld(room, ld(back, k)) > 0:
                st(height, u, above)
                st(next_height, u, above)
                st(queue, tail, u)
                tail += 1
                if ld(excess, u) > 0:
                    st(out, found, u)
                    found += 1
    tally[COUNT] = found
