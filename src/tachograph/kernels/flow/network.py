"""The residual network of a flow problem: rows in which every arc knows the place of its reverse.

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

from ..runtime.atomics import ld, st, stopped
from ..runtime.launch import kernel, run
from ..runtime.nouns import Rows, WeightedRows

__all__ = ["BRIEF_BELOW_ARCS", "Network", "Residual", "flow_of_arcs", "network"]

ROWS_BETWEEN_STOPS = 1 << 14  # looks at the stop flag, in one pass over the rows
VERTICES_BETWEEN_STOPS = 1 << 10  # the same, where more is done for each
BRIEF_BELOW_ARCS = 1 << 20  # Ctrl-C can wait for one pass over so few


class Residual(NamedTuple):
    """Rows, the place of each arc's reverse, and what can still be sent along each arc."""

    begins: np.ndarray
    target: np.ndarray
    back: np.ndarray
    room: np.ndarray


class Network(NamedTuple):
    """A residual network in which nothing flows yet."""

    begins: np.ndarray
    target: np.ndarray
    back: np.ndarray
    room: np.ndarray
    turned: bool  # whether all arcs were turned round

    def residual(self, room: np.ndarray) -> Residual:
        """The network when ``room`` is left."""
        return Residual(self.begins, self.target, self.back, room)


@kernel
def count_both(stop, rows, begins):
    """Slots of each row of a directed graph's network, summed: ``begins``, which begins as zeros."""
    indptr, indices = rows
    n = indptr.size - 1
    for v in range(n):
        if v % ROWS_BETWEEN_STOPS == 0 and stopped(stop):
            return
        for k in range(ld(indptr, v), ld(indptr, v + 1)):
            u = ld(indices, k)
            if u != v:
                st(begins, v + 1, ld(begins, v + 1) + 1)
                st(begins, u + 1, ld(begins, u + 1) + 1)
    for v in range(n):
        st(begins, v + 1, ld(begins, v + 1) + ld(begins, v))


@kernel
def fill_both(stop, rows, turned, free, net):
    """Both arcs of every arc of a directed graph; ``free`` has the first free slot of each row.

    Weights are the capacities; with ``turned`` the second arc has them.
    """
    indptr, indices, capacity = rows
    _, target, back, room = net
    for v in range(indptr.size - 1):
        if v % ROWS_BETWEEN_STOPS == 0 and stopped(stop):
            return
        for k in range(ld(indptr, v), ld(indptr, v + 1)):
            u = ld(indices, k)
            if u != v:
                here = ld(free, v)
                there = ld(free, u)
                st(free, v, here + 1)
                st(free, u, there + 1)
                st(target, here, u)
                st(target, there, v)
                st(back, here, there)
                st(back, there, here)
                if turned:
                    here, there = there, here
                st(room, here, ld(capacity, k))
                st(room, there, 0)


@kernel
def sent_both(stop, rows, turned, free, net, flow):
    """The flow of each arc, found in the slots that ``fill_both`` gave it: what came to its reverse."""
    indptr, indices = rows
    _, _, back, room = net
    for v in range(indptr.size - 1):
        if v % ROWS_BETWEEN_STOPS == 0 and stopped(stop):
            return
        for k in range(ld(indptr, v), ld(indptr, v + 1)):
            u = ld(indices, k)
            if u != v:
                here = ld(free, v)
                st(free, v, here + 1)
                st(free, u, ld(free, u) + 1)
                st(flow, k, ld(room, here if turned else np.int64(ld(back, here))))


@kernel
def pair(stop, rows, free, back):
    """The places of the reverse arcs of an undirected graph with sorted rows; how many are loops."""
    indptr, indices = rows
    loops = np.int64(0)
    for v in range(indptr.size - 1):
        if v % ROWS_BETWEEN_STOPS == 0 and stopped(stop):
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


def network(rows: Rows, capacity: np.ndarray, directed: bool, turned: bool = False) -> Network:
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
        return Network(indptr, indices, back, room, turned)
    begins = np.zeros(indptr.size, np.int64)
    run(count_both, [(rows, begins)], brief=brief)
    empty = np.empty(slots, indices.dtype), back, np.empty(slots, capacity.dtype)
    made = Network(begins, *empty, turned)
    call = (WeightedRows(*rows, capacity), turned, begins[:-1].copy(), made.residual(made.room))
    run(fill_both, [call], brief=brief)
    return made


def flow_of_arcs(made: Network, room: np.ndarray, rows: Rows, directed: bool) -> np.ndarray:
    """What flows along each arc of the graph, if ``room`` is left in its network; uses that up."""
    if not directed:
        ends = (room, made.room) if made.turned else (made.room, room)
        return np.maximum(np.subtract(*ends, out=room), 0, out=room)
    arcs = rows.indices.size
    flow = np.zeros(arcs, room.dtype)
    call = (rows, made.turned, made.begins[:-1].copy(), made.residual(room), flow)
    run(sent_both, [call], brief=arcs < BRIEF_BELOW_ARCS)
    return flow
