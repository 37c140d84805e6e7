"""The maximal independent set that a greedy search in a fixed random order finds, by a team.

Method: every vertex has a place in an order; going through the order, a vertex joins the set unless a
neighbour did before it. A vertex can be decided as soon as those of its neighbours that come before it
are, so workers decide vertices in any sequence, without meeting, and the set is always the same (G.
Blelloch, J. Fineman, J. Shun, "Greedy Sequential Maximal Independent Set and Matching are Parallel on
Average", 2012). Vertices with few neighbours come first, which makes sets larger (M. Burtscher and
others, "A High-Quality and Fast Maximal Independent Set Implementation for GPUs", 2018).

Encoding: one byte for each vertex: IN, OUT, or its level, which is its place in the order as far as
a byte can tell: a class of degrees, then three random bits. Vertices of one level are ordered by all 64
bits that the counter-based generator draws for their ids; no two ids have the same 64 bits. Arcs of the
transpose, ``back``, join vertices like those of ``rows``; ``back`` is empty if ``rows`` holds every arc
both ways. Loops join nothing.

Bounds: rows are those of a graph with ``state.size`` vertices. A vertex is in one chunk, so it enters
one worker's list, once: n slots are enough for each.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..runtime.atomics import fetch_add, ld, ld_acquire, let_others_run, st, st_release, stopped
from ..runtime.launch import inline, kernel, threads_available
from ..runtime.nouns import Rows
from ..runtime.random import draw
from ..runtime.team import TICKET, meet, part, run_team

OUT, IN = 0, 1
LOWEST_LEVEL = 2
CLASSES = 31  # of degrees: two for each doubling
VERTICES_PER_TICKET = 1024  # vertices that a worker takes at a time
BRIEF_BELOW_SIZE = 1 << 20  # vertices and arcs: with fewer, Ctrl-C can wait
SERIAL_BELOW_SIZE = 1 << 21  # vertices and arcs: with fewer, one worker is faster than several


class Order(NamedTuple):
    """What decides ties: the generator's key, and the ids it draws for (None: the vertices' own)."""

    key: np.uint64
    ids: np.ndarray | None


@inline
def id_of(ids, v):
    """The id that decides ties of ``v``."""
    if ids is None:
        return v
    return ld(ids, v)


@inline
def level_of(key, vertex, degree):
    """The level of a vertex: the higher, the earlier it is in the order."""
    rest = np.int64(degree + 1)
    doublings = np.int64(0)
    while rest > 3:
        rest >>= 1
        doublings += 2
    steps = min(doublings + rest - 1, np.int64(CLASSES - 1))
    random = np.int64(draw(key, vertex) >> np.uint64(61))
    return np.uint8(LOWEST_LEVEL + 8 * (CLASSES - 1 - steps) + random)


@inline
def before(key, level, vertex, other_level, other):
    """Whether ``vertex`` comes before ``other`` in the order."""
    if level != other_level:
        return level > other_level
    return draw(key, vertex) > draw(key, other)


@inline
def look(order, v, own, rows, state):
    """IN if ``v`` comes before all undecided neighbours, OUT if one has joined, else its level."""
    for k in range(ld(rows.indptr, v), ld(rows.indptr, v + 1)):
        u = ld(rows.indices, k)
        theirs = ld_acquire(state, u)
        if theirs == OUT or u == v:
            continue
        if theirs == IN:
            return np.uint8(OUT)
        if before(order.key, theirs, id_of(order.ids, u), own, id_of(order.ids, v)):
            return own
    return np.uint8(IN)


@inline
def rule_out(v, rows, state):
    """Take the neighbours of ``v`` out."""
    for k in range(ld(rows.indptr, v), ld(rows.indptr, v + 1)):
        u = ld(rows.indices, k)
        if u != v:
            st_release(state, u, OUT)


@inline
def decide(order, v, rows, back, state):
    """Decide ``v`` if that is possible; whether it is decided now."""
    own = ld_acquire(state, v)
    if own <= IN:
        return True
    both = back.indptr.size > 0
    found = look(order, v, own, rows, state)
    if both and found == IN:
        found = look(order, v, own, back, state)
    if found == OUT:
        st_release(state, v, OUT)
    elif found == IN:
        st_release(state, v, IN)
        rule_out(v, rows, state)
        if both:
            rule_out(v, back, state)
    return found <= IN


@inline
def degree_of(v, rows):
    """The length of the row of ``v``."""
    return ld(rows.indptr, v + 1) - ld(rows.indptr, v)


@kernel
def walk(team, rows, back, key, state):
    """What each worker does: chunks of vertices, then again those that had to wait for others."""
    control = team.control
    order = Order(key, None)
    n = state.size
    first, last = part(team, n)
    for v in range(first, last):
        degree = degree_of(v, rows)
        if back.indptr.size > 0:
            degree += degree_of(v, back)
        st(state, v, level_of(key, v, degree))
    if not meet(team):
        return
    waiting = np.empty(n, rows.indices.dtype)
    held = np.int64(0)
    while True:
        begin = fetch_add(control, TICKET, VERTICES_PER_TICKET)
        if begin >= n or stopped(control):
            break
        for v in range(begin, min(begin + VERTICES_PER_TICKET, n)):
            if not decide(order, v, rows, back, state):
                st(waiting, held, v)
                held += 1
    while held and not stopped(control):
        kept = np.int64(0)
        for i in range(held):
            v = ld(waiting, i)
            if not decide(order, v, rows, back, state):
                st(waiting, kept, v)
                kept += 1
        if kept == held:  # all wait for vertices of other workers
            let_others_run()
        held = kept


@kernel
def first_levels(stop, lo, hi, order, degrees, state):
    """Write the levels of vertices ``lo:hi`` of a part of a graph."""
    key, ids = order
    for v in range(lo, hi):
        if v % VERTICES_PER_TICKET == 0 and stopped(stop):
            return
        st(state, v, level_of(key, ld(ids, v), ld(degrees, v)))


@kernel
def decide_rows(stop, lo, hi, indptr, indices, back, own, order, state):
    """Decide the own vertices (``own``: the first and the end) of rows ``lo:hi`` as far as that can be
    known; how many were decided.

    Goes over them until it decides no more; those that wait for vertices of others are left.
    """
    rows = Rows(indptr, indices)
    begin, end = own
    decided = np.int64(0)
    progress = True
    while progress and not stopped(stop):
        progress = False
        for v in range(max(lo, begin), min(hi, end)):
            if ld_acquire(state, v) > IN and decide(order, v, rows, back, state):
                decided += 1
                progress = True
    return decided


def greedy(rows: Rows, back: Rows, key: np.uint64) -> tuple[np.ndarray, int]:
    """For each vertex IN or OUT, and the number of workers."""
    n = rows.indptr.size - 1
    size = n + rows.indices.size
    workers = 1 if size < SERIAL_BELOW_SIZE else threads_available()
    state = np.empty(n, np.uint8)
    run_team(walk, workers, rows, back, key, state, brief=size < BRIEF_BELOW_SIZE)
    return state, workers
