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
flows are the same on every device. ``flow.cl`` has the same kernels.

Bounds: ``mark`` lets a vertex enter a list once; lists have room for all vertices.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..runtime.atomics import compare_exchange, fetch_add, ld, st, stop_at
from ..runtime.launch import inline, kernel

__all__ = ["Lists", "Sent", "Vertices", "adjust", "bfs", "preflow"]

LISTED, LOOKED = 0, 1  # what a tally counts: entries of the list that is made; arcs looked at


class Vertices(NamedTuple):
    """What belongs to each vertex."""

    height: np.ndarray
    next_height: np.ndarray
    excess: np.ndarray


class Sent(NamedTuple):
    """What was sent along each arc in this round, and a mark for each vertex that is listed."""

    amount: np.ndarray
    mark: np.ndarray


class Lists(NamedTuple):
    """The vertices to work on, those that come next, and a tally."""

    work: np.ndarray
    out: np.ndarray
    tally: np.ndarray


@inline
def enter(v, mark, lists):
    """Put a vertex in the list that is made, unless it is there."""
    if ld(mark, v) == 0 and compare_exchange(mark, v, 0, 1):
        st(lists.out, fetch_add(lists.tally, LISTED, 1), v)


@kernel
def preflow(stop, lo, hi, net, vertices, sent, lists):
    """Push from the vertices ``work[lo:hi]``, all of which have excess and a height below n."""
    begins, target, _, room = net
    height, next_height, excess = vertices
    amount_sent, mark = sent
    work, _, tally = lists
    n = height.size
    seen = np.int64(0)
    for i in range(lo, hi):
        if stop_at(stop, i):
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
                    st(amount_sent, k, amount)
                    have -= amount
                    can -= amount
                    enter(u, mark, lists)
                if can > 0:
                    lowest = min(lowest, h)
        seen += ld(begins, v + 1) - ld(begins, v)
        st(excess, v, have)
        if have > 0:
            st(next_height, v, min(lowest + 1, np.int64(n)))
            enter(v, mark, lists)
    fetch_add(tally, LOOKED, seen)


@kernel
def adjust(stop, lo, hi, net, vertices, sent, lists, ends):
    """Collect at the vertices ``work[lo:hi]``; those with excess that may push make ``out``.

    ``ends`` are where excess is to go, and the other end. A vertex leaves ``mark`` as it takes its
    turn; nobody else looks at it in this kernel.
    """
    begins, _, back, room = net
    height, next_height, excess = vertices
    amount_sent, mark = sent
    work, out, tally = lists
    root, other = ends
    n = height.size
    seen = np.int64(0)
    for i in range(lo, hi):
        if stop_at(stop, i):
            return
        v = ld(work, i)
        st(mark, v, 0)
        have = ld(excess, v)
        for k in range(ld(begins, v), ld(begins, v + 1)):
            reverse = ld(back, k)
            came = ld(amount_sent, reverse)
            if came > 0:
                st(amount_sent, reverse, 0)
                st(room, k, ld(room, k) + came)
                have += came
        seen += ld(begins, v + 1) - ld(begins, v)
        st(excess, v, have)
        st(height, v, ld(next_height, v))
        if have > 0 and ld(height, v) < n and v != root and v != other:
            st(out, fetch_add(tally, LISTED, 1), v)
    fetch_add(tally, LOOKED, seen)


@kernel
def bfs(stop, net, vertices, lists, ends):
    """Exact heights over the first of ``ends``; those with excess that can reach it make ``out``.

    The work list is used as a queue.
    """
    begins, target, back, room = net
    height, next_height, excess = vertices
    queue, out, tally = lists
    root, other = ends
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
        if stop_at(stop, head):
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
    tally[LISTED] = found
