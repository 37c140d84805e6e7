"""The maximal independent set that a greedy search in a fixed random order finds, by many at once.

Method: every vertex has a place in an order; going through the order, a vertex joins the set unless a
neighbour did before it. A vertex can be decided as soon as those of its neighbours that come before it
are, so workers decide vertices in any sequence, without meeting, and the set is always the same (G.
Blelloch, J. Fineman, J. Shun, "Greedy Sequential Maximal Independent Set and Matching are Parallel on
Average", 2012). Vertices with few neighbours come first, which makes sets larger (M. Burtscher and
others, "A High-Quality and Fast Maximal Independent Set Implementation for GPUs", 2018).

Encoding: one byte for each vertex: IN, OUT, or its level, which is its place in the order as far as
a byte can tell: a class of degrees, then three random bits. Vertices of one level are ordered by all 64
bits that the counter-based generator draws for them; no two vertices have the same 64 bits.

Bounds: rows are those of a graph with ``state.size`` vertices. A vertex is in one chunk, so it enters
one worker's list, once: n slots are enough for each.
"""

from __future__ import annotations

import numpy as np

from ..runtime.atomics import (
    fetch_add,
    ld,
    ld_acquire,
    let_others_run,
    st,
    st_release,
    stopped,
)
from ..runtime.launch import inline, kernel, threads_available
from ..runtime.random import draw
from ..runtime.team import TICKET, barrier, run_team, share

__all__ = ["CLASSES", "IN", "OUT", "before", "greedy", "level_of", "rule_out"]

OUT, IN = 0, 1
FIRST = 2  # the lowest level
CLASSES = 31  # of degrees: two for each doubling
CHUNK = 1024
BRIEF = 1 << 20  # vertices and arcs below which Ctrl-C can wait
SMALL = 1 << 21  # vertices and arcs below which one worker is faster than several


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
    return np.uint8(FIRST + 8 * (CLASSES - 1 - steps) + random)


@inline
def before(key, level, vertex, other_level, other):
    """Whether ``vertex`` comes before ``other`` in the order."""
    if level != other_level:
        return level > other_level
    return draw(key, vertex) > draw(key, other)


@inline
def look(key, v, own, indptr, indices, state):
    """IN if ``v`` comes before all undecided neighbours, OUT if one has joined, else its level."""
    for k in range(ld(indptr, v), ld(indptr, v + 1)):
        u = ld(indices, k)
        theirs = ld_acquire(state, u)
        if theirs == OUT or u == v:
            continue
        if theirs == IN:
            return np.uint8(OUT)
        if before(key, theirs, u, own, v):
            return own
    return np.uint8(IN)


@inline
def rule_out(v, indptr, indices, state):
    """Take the neighbours of ``v`` out."""
    for k in range(ld(indptr, v), ld(indptr, v + 1)):
        u = ld(indices, k)
        if u != v:
            st_release(state, u, OUT)


@inline
def decide(key, v, indptr, indices, back_indptr, back_indices, both, state):
    """Decide ``v`` if that is possible; whether it is decided now."""
    own = ld_acquire(state, v)
    if own <= IN:
        return True
    found = look(key, v, own, indptr, indices, state)
    if both and found == IN:
        found = look(key, v, own, back_indptr, back_indices, state)
    if found == OUT:
        st_release(state, v, OUT)
    elif found == IN:
        st_release(state, v, IN)
        rule_out(v, indptr, indices, state)
        if both:
            rule_out(v, back_indptr, back_indices, state)
    return found <= IN


@kernel
def walk(team, indptr, indices, back_indptr, back_indices, both, key, state):
    """What each worker does: chunks of vertices, then again those that had to wait for others."""
    control, me, workers = team
    n = state.size
    first, last = share(n, me, workers)
    for v in range(first, last):
        degree = ld(indptr, v + 1) - ld(indptr, v)
        if both:
            degree += ld(back_indptr, v + 1) - ld(back_indptr, v)
        st(state, v, level_of(key, v, degree))
    if not barrier(control, workers):
        return
    waiting = np.empty(n, indices.dtype)
    held = np.int64(0)
    while True:
        begin = fetch_add(control, TICKET, CHUNK)
        if begin >= n or stopped(control):
            break
        for v in range(begin, min(begin + CHUNK, n)):
            if not decide(key, v, indptr, indices, back_indptr, back_indices, both, state):
                st(waiting, held, v)
                held += 1
    while held and not stopped(control):
        kept = np.int64(0)
        for i in range(held):
            v = ld(waiting, i)
            if not decide(key, v, indptr, indices, back_indptr, back_indices, both, state):
                st(waiting, kept, v)
                kept += 1
        if kept == held:  # all wait for vertices of other workers
            let_others_run()
        held = kept


def greedy(
    indptr: np.ndarray,
    indices: np.ndarray,
    back_indptr: np.ndarray,
    back_indices: np.ndarray,
    both: bool,
    key: np.uint64,
) -> tuple[np.ndarray, int]:
    """For each vertex IN or OUT; the number of workers.

    With ``both``, arcs of the transpose (``back_*``) join vertices, too. Loops join nothing.
    """
    n = indptr.size - 1
    size = n + indices.size
    brief = size < BRIEF
    workers = 1 if size < SMALL else threads_available()
    state = np.empty(n, np.uint8)
    rows = indptr, indices, back_indptr, back_indices
    run_team(walk, workers, *rows, both, key, state, brief=brief)
    return state, workers
