"""The residual network of a flow problem: rows in which every arc knows the place of its reverse; and
how excess that cannot get to the sink goes back to the source, the last step of ``push_relabel``.

An arc of a directed graph becomes two, the second without capacity. The two arcs of an undirected edge
are each other's reverse already, if rows are sorted: going through the vertices in ascending order, the
arcs of a row that lead to smaller vertices are met in the order in which they lie there. Loops carry
nothing: they are left out, or point to themselves.

Bounds: a row has a slot for each arc out of the vertex and each into it (counted first), and each is
filled once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..runtime.atomics import ld, st, stop_at
from ..runtime.launch import inline, kernel, run
from ..runtime.nouns import Rows, WeightedRows

__all__ = ["BRIEF_BELOW_ARCS", "Residual", "Walk", "flow_of_arcs", "network", "unwind"]

BRIEF_BELOW_ARCS = 1 << 20  # Ctrl-C can wait for one pass over so few
NEW, ON_PATH, FINISHED = 0, 1, 2  # marks of vertices


class Residual(NamedTuple):
    """Rows, the place of each arc's reverse, and what can still be sent along each arc."""

    begins: np.ndarray
    target: np.ndarray
    back: np.ndarray
    room: np.ndarray


class Walk(NamedTuple):
    """A search against the flow: marks, the arc at which each vertex is, the order in which they
    were finished, and the way back along the path.
    """

    mark: np.ndarray
    now: np.ndarray
    order: np.ndarray
    link: np.ndarray


@kernel
def count_both(stop, rows, begins):
    """Slots of each row of a directed graph's network, summed: ``begins``, which begins as zeros."""
    indptr, indices = rows
    n = indptr.size - 1
    for v in range(n):
        if stop_at(stop, v):
            return
        for k in range(ld(indptr, v), ld(indptr, v + 1)):
            u = ld(indices, k)
            if u != v:
                st(begins, v + 1, ld(begins, v + 1) + 1)
                st(begins, u + 1, ld(begins, u + 1) + 1)
    for v in range(n):
        st(begins, v + 1, ld(begins, v + 1) + ld(begins, v))


@kernel
def both(stop, rows, turned, free, net, flow):
    """Go over both arcs of every arc of a directed graph; ``free`` has the first free slot of each row.

    Without ``flow`` make them: weights are the capacities, which the second arc has if ``turned``.
    Otherwise find the flow of each arc in their slots: what came to its reverse.
    """
    indptr, indices, capacity = rows
    _, target, back, room = net
    for v in range(indptr.size - 1):
        if stop_at(stop, v):
            return
        for k in range(ld(indptr, v), ld(indptr, v + 1)):
            u = ld(indices, k)
            if u != v:
                here = ld(free, v)
                there = ld(free, u)
                st(free, v, here + 1)
                st(free, u, there + 1)
                if flow.size:
                    st(flow, k, ld(room, here if turned else there))
                    continue
                st(target, here, u)
                st(target, there, v)
                st(back, here, there)
                st(back, there, here)
                if turned:
                    here, there = there, here
                st(room, here, ld(capacity, k))
                st(room, there, 0)


@kernel
def pair(stop, rows, free, back):
    """The places of the reverse arcs of an undirected graph with sorted rows; how many are loops."""
    indptr, indices = rows
    loops = np.int64(0)
    for v in range(indptr.size - 1):
        if stop_at(stop, v):
            return loops
        for k in range(ld(indptr, v), ld(indptr, v + 1)):
            u = ld(indices, k)
            if u > v:
                there = ld(free, u)
                st(free, u, there + 1)
                st(back, k, there)
                st(back, there, k)
            elif u == v:
                st(back, k, k)
                loops += 1
    return loops


def network(rows: Rows, capacity: np.ndarray, directed: bool, turned: bool = False) -> Residual:
    """The network of a graph whose arcs have these capacities; undirected rows must be sorted.

    With ``turned`` all arcs are turned round.
    """
    indptr, indices = rows
    slots = 2 * indices.size if directed else indices.size
    back = np.empty(slots, np.int32 if slots < 2**31 else np.int64)
    brief = slots < BRIEF_BELOW_ARCS
    if not directed:
        loops = run(pair, [(rows, indptr[:-1].copy(), back)], brief=brief)[0]
        room = capacity[back] if turned else capacity
        if loops:
            room = np.where(back == np.arange(slots), 0, room)
        return Residual(indptr, indices, back, room)
    begins = np.zeros(indptr.size, np.int64)
    run(count_both, [(rows, begins)], brief=brief)
    made = Residual(begins, np.empty(slots, indices.dtype), back, np.empty(slots, capacity.dtype))
    free, no_flow = begins[:-1].copy(), np.empty(0, capacity.dtype)
    call = (WeightedRows(*rows, capacity), turned, free, made, no_flow)
    run(both, [call], brief=brief)
    return made


def flow_of_arcs(
    made: Residual, room: np.ndarray, rows: Rows, directed: bool, turned: bool
) -> np.ndarray:
    """What flows along each arc of the graph, if ``room`` is left in its network; uses that up."""
    if not directed:
        ends = (room, made.room) if turned else (made.room, room)
        return np.maximum(np.subtract(*ends, out=room), 0, out=room)
    flow = np.zeros(rows.indices.size, room.dtype)
    net, free = made._replace(room=room), made.begins[:-1].copy()
    call = (WeightedRows(*rows, room), turned, free, net, flow)
    run(both, [call], brief=flow.size < BRIEF_BELOW_ARCS)
    return flow


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
        if stop_at(stop, start):
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
