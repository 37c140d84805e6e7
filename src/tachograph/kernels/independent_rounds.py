"""A maximal independent set in rounds of three kernels: Randomize, Select, Deactivate.

Method: M. Luby, "A Simple Parallel Algorithm for the Maximal Independent Set Problem" (1986), as C.
Eryilmaz, "Fine-Grain Acceleration of Graph Algorithms on a Heterogeneous Chip" (2017) cuts it into
kernels. In each round every vertex of the work list gets its place in the order, those that come before
all their undecided neighbours are selected, and their neighbours are deactivated. Luby draws new
numbers in every round; here a vertex always draws the same ones, so that the set is that of
``independent_set.greedy`` and a kernel can be run twice without harm.

Overlapping: what Randomize produces is one word for each vertex: the round, and below it eight bits for
the level. So the word itself tells whether it is full or empty, and Select waits for the words of the
neighbours it looks at, for a limited number of looks in all; vertices it has to leave are UNKNOWN and
decided by another call. ``opencl/independent_set.cl`` has the same kernels.

Bounds: the work list holds vertices of the graph, each once.
"""

from __future__ import annotations

import numpy as np

from .independent_set import IN, OUT, before, level_of
from .machine import fetch_add, ld, ld_acquire, pause, st, st_release, stopped
from .runtime import inline, kernel

# fmt: off
__all__ = ["ACTIVE", "ARCS", "COUNT", "LEFT", "POLLS", "UNKNOWN", "compact", "deactivate", "front",
           "randomize", "select"]
# fmt: on

ACTIVE = 2  # neither IN nor OUT yet
UNKNOWN = 2  # neither selected (1) nor not (0)
# what ``tally`` counts: looks that found nothing; vertices left; vertices kept and, modulo 2**32, arcs
POLLS, LEFT, COUNT, ARCS = 0, 1, 2, 3
BLOCK = 1 << 12


@kernel
def randomize(stop, lo, hi, work, key, degree, turn, word):
    """Give the vertices ``work[lo:hi]`` their words of this turn."""
    for i in range(lo, hi):
        if i % BLOCK == 0 and stopped(stop):
            return
        v = ld(work, i)
        st_release(word, v, turn << 8 | np.int64(level_of(key, v, ld(degree, v))))


@inline
def rest():
    """Leave a cache line to its writer for a while."""
    for _ in range(64):
        pause()


@kernel
def select(stop, lo, hi, work, key, indptr, indices, state, turn, word, patience, chosen, tally):
    """Select those of ``work[lo:hi]`` that come before all undecided neighbours.

    A ``patience`` above 0: a word that is empty is waited for, that many looks in all; then the vertex
    is left UNKNOWN. At 0 all words must be there. Below: so they must, and vertices that are not
    UNKNOWN are passed over.
    """
    polls = np.int64(0)
    left = np.int64(0)
    for i in range(lo, hi):
        if i % BLOCK == 0 and stopped(stop):
            return
        v = ld(work, i)
        if patience < 0 and ld(chosen, v) != UNKNOWN:
            continue
        own = ld_acquire(word, v)
        while own >> 8 != turn and polls < patience:
            polls += 1
            rest()
            own = ld_acquire(word, v)
        if own >> 8 != turn:
            st(chosen, v, UNKNOWN)
            left += 1
            continue
        found = np.uint8(1)
        for k in range(ld(indptr, v), ld(indptr, v + 1)):
            u = ld(indices, k)
            if u == v or ld(state, u) != ACTIVE:
                continue
            theirs = ld_acquire(word, u)
            while theirs >> 8 != turn and polls < patience:
                polls += 1
                rest()
                theirs = ld_acquire(word, u)
            if theirs >> 8 != turn:
                found = np.uint8(UNKNOWN)
                left += 1
                break
            if before(key, theirs, u, own, v):
                found = np.uint8(0)
                break
        st(chosen, v, found)
    fetch_add(tally, POLLS, polls)
    fetch_add(tally, LEFT, left)


@kernel
def deactivate(stop, lo, hi, work, indptr, indices, chosen, state):
    """Put the selected vertices of ``work[lo:hi]`` in the set, and take their neighbours out.

    No two selected vertices are neighbours, so nobody else writes a selected vertex's state.
    """
    for i in range(lo, hi):
        if i % BLOCK == 0 and stopped(stop):
            return
        v = ld(work, i)
        if ld(chosen, v) == 1:
            st(state, v, IN)
            for k in range(ld(indptr, v), ld(indptr, v + 1)):
                u = ld(indices, k)
                if u != v:
                    st(state, u, OUT)


@kernel
def compact(stop, count, work, state, degree, kept, tally):
    """The undecided vertices of ``work[:count]``, in their order, to ``kept``; counts them and arcs."""
    at = np.int64(0)
    arcs = np.int64(0)
    for i in range(count):
        v = ld(work, i)
        if ld(state, v) == ACTIVE:
            st(kept, at, v)
            at += 1
            arcs += ld(degree, v)
    tally[COUNT] = at
    tally[ARCS] = np.int32(arcs & 0xFFFFFFFF)


@kernel
def front(stop, degree, share, work):
    """All vertices to ``work``, first those of the highest degrees: about ``share`` of them.

    The bound on the degree is the smallest power of two that no more than so many reach, so the
    selection is approximate and takes two passes. Returns how many are in front.
    """
    reach = np.zeros(65, np.int64)
    n = degree.size
    for v in range(n):
        bits = 0
        rest = np.int64(ld(degree, v))
        while rest > 0:
            rest >>= 1
            bits += 1
        reach[bits] += 1
    bits = 64
    found = np.int64(0)
    while bits > 0 and found + reach[bits] <= share * n:
        found += reach[bits]
        bits -= 1
    least = (
        np.int64(1) << bits if bits < 62 else np.int64(2**62)
    )  # degrees of more than ``bits`` bits
    hot = np.int64(0)
    cold = found
    for v in range(n):
        if ld(degree, v) >= least:
            st(work, hot, v)
            hot += 1
        else:
            st(work, cold, v)
            cold += 1
    return found
