"""Excess that cannot get to the sink goes back to the source: the last step of ``push_relabel``."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..runtime.atomics import ld, st, stopped
from ..runtime.launch import inline, kernel
from .network import VERTICES_BETWEEN_STOPS

__all__ = ["Walk", "unwind"]

NEW, ON_PATH, FINISHED = 0, 1, 2  # marks of vertices


class Walk(NamedTuple):
    """A search against the flow: marks, the arc at which each vertex is, the order in which they
    were finished, and the way back along the path.
    """

    mark: np.ndarray
    now: np.ndarray
    order: np.ndarray
    link: np.ndarray


@kernel
def unwind(stop, net, origin, source, excess, walk):
    """Send excess back along the arcs on which flow came, so that it ends at the source.

    A search against the flow from every vertex with excess cancels the cycles it meets and puts the
    vertices in an order in which flow comes from later ones only; in that order each gives its excess
    back. ``order`` has room for all vertices, each enters it once; ``link`` leads back along the path
    of the search, to vertices that are on it.
    """
    begins, target, back, room = net
    mark, now, order, link = walk
    n = mark.size
    for v in range(n):
        st(mark, v, NEW)
        st(now, v, ld(begins, v))
    st(mark, source, FINISHED)
    done = np.int64(0)
    for start in range(n):
        if start % VERTICES_BETWEEN_STOPS == 0 and stopped(stop):
            return
        if ld(mark, start) or ld(excess, start) == 0:
            continue
        v = np.int64(start)
        st(mark, v, ON_PATH)
        st(link, v, -1)
        while v >= 0:
            k = ld(now, v)
            if k == ld(begins, v + 1):
                st(mark, v, FINISHED)
                st(order, done, v)
                done += 1
                v = np.int64(ld(link, v))
                if v >= 0:
                    st(now, v, ld(now, v) + 1)
                continue
            u = np.int64(ld(target, k))
            if came(net, origin, k) <= 0 or ld(mark, u) == FINISHED:
                st(now, v, k + 1)
            elif ld(mark, u) == NEW:
                st(mark, u, ON_PATH)
                st(link, u, v)
                v = u
            else:
                v = cancel(net, origin, walk, v, u)
    for i in range(done - 1, -1, -1):
        v = ld(order, i)
        have = ld(excess, v)
        k = ld(begins, v)
        while have > 0 and k < ld(begins, v + 1):
            most = ld(room, k) - ld(origin, k)
            if most > 0:
                amount = min(most, have)
                st(room, k, ld(room, k) - amount)
                st(room, ld(back, k), ld(room, ld(back, k)) + amount)
                u = ld(target, k)
                if u != source:
                    st(excess, u, ld(excess, u) + amount)
                have -= amount
            k += 1
        st(excess, v, 0)


@inline
def came(net, origin, k):
    """What flows against arc ``k``; nothing if rounding has left more room on both sides."""
    _, _, back, room = net
    other = ld(back, k)
    return min(ld(room, k) - ld(origin, k), ld(origin, other) - ld(room, other))


@inline
def cancel(net, origin, walk, last, first):
    """Take the least flow of the cycle that the path closes from all of it.

    Gives the vertex nearest to the beginning of the path whose arc is empty now; those behind it are no
    longer on the path.
    """
    _, _, back, room = net
    mark, now, _, link = walk
    least = came(net, origin, ld(now, last))
    v = last
    while v != first:
        v = np.int64(ld(link, v))
        least = min(least, came(net, origin, ld(now, v)))
    again = last
    v = last
    while True:
        k = ld(now, v)
        other = ld(back, k)
        if came(net, origin, k) <= least:  # exactly empty, whatever rounding would make of it
            st(room, k, ld(origin, k))
            st(room, other, ld(origin, other))
            again = v
        else:
            st(room, k, ld(room, k) - least)
            st(room, other, ld(room, other) + least)
        if v == first:
            break
        v = np.int64(ld(link, v))
    v = last
    while v != again:
        st(mark, v, NEW)
        v = np.int64(ld(link, v))
    return again
