"""A maximal independent set in rounds of three kernels: Randomize, Select, Deactivate.

Method: M. Luby, "A Simple Parallel Algorithm for the Maximal Independent Set Problem" (1986), as C.
Eryilmaz, "Fine-Grain Acceleration of Graph Algorithms on a Heterogeneous Chip" (2017) cuts it into
kernels. In each round every vertex of the work list gets its place in the order, those that come before
all their undecided neighbours are selected, and their neighbours are deactivated. Luby draws new
numbers in every round; here a vertex always draws the same ones, so that the set is that of
``independent_set.greedy`` and a kernel can be run twice without harm.

Overlapping: what Randomize produces is one word for each vertex: the round, and below it eight bits for
the level. So the word itself tells whether it is full or empty. A consumer that is ahead of the
producer waits, but once a word took too many looks nothing is waited for any more; a vertex that it has
to leave goes to the list ``left`` and is decided by another call. The producer, when it has produced
all, helps: host and device take the work list from its two ends until they meet. Where both take the
same vertices no harm is done, since both find the same. ``opencl/independent_set.cl`` has the same
kernels.

Bounds: the work list holds vertices of the graph, each once.
"""

from __future__ import annotations

import numpy as np

from ..runtime.atomics import bit_length, fetch_add, ld, ld_acquire, pause, st, st_release, stopped
from ..runtime.launch import inline, kernel
from .greedy import IN, OUT, before, level_of

# fmt: off
__all__ = ["ACTIVE", "ARCS", "COUNT", "FRONT", "LEFT", "POLLS", "REAR", "SHARE", "TALLY", "UNKNOWN",
           "compact", "deactivate", "front", "randomize", "remaining", "select", "select_shared"]
# fmt: on

ACTIVE = 2  # neither IN nor OUT yet
UNKNOWN = 2  # neither selected (1) nor not (0)
# what ``tally`` counts: looks that found nothing; vertices left; vertices kept and, modulo 2**32, arcs;
# whether a consumer has lost patience; how far the work list is taken from its two ends, each in a
# cache line of its own
POLLS, LEFT, COUNT, ARCS, QUIT, FRONT, REAR, TALLY = 0, 1, 2, 3, 4, 16, 32, 48
SHARE = 1 << 9  # vertices taken at a time while host and device share the list
BLOCK = 1 << 12
SAMPLE = 1 << 14  # degrees looked at to find which are high


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


@inline
def full(v, turn, word, patience, tally):
    """The word of ``v``, and looks at it while it was empty; waits while nobody has lost patience."""
    found = ld_acquire(word, v)
    polls = np.int64(0)
    while found >> 8 != turn and patience > 0:
        polls += 1
        if ld_acquire(tally, QUIT):
            break
        if polls > patience:
            st_release(tally, QUIT, 1)
            break
        rest()
        found = ld_acquire(word, v)
    return found, polls


@inline
def choice(v, key, indptr, indices, state, turn, word, patience, tally):
    """1 if ``v`` comes before all undecided neighbours, else 0; UNKNOWN if a word was not there.

    Second: looks at empty words.
    """
    own, polls = full(v, turn, word, patience, tally)
    if own >> 8 != turn:
        return np.uint8(UNKNOWN), polls
    for k in range(ld(indptr, v), ld(indptr, v + 1)):
        u = ld(indices, k)
        if u == v or ld(state, u) != ACTIVE:
            continue
        theirs, more = full(u, turn, word, patience, tally)
        polls += more
        if theirs >> 8 != turn:
            return np.uint8(UNKNOWN), polls
        if before(key, theirs, u, own, v):
            return np.uint8(0), polls
    return np.uint8(1), polls


@kernel
def select(stop, lo, hi, work, key, indptr, indices, state, turn, word, chosen):
    """Select those of ``work[lo:hi]`` that come before all undecided neighbours; no word is empty."""
    for i in range(lo, hi):
        if i % BLOCK == 0 and stopped(stop):
            return
        v = ld(work, i)
        found, _ = choice(v, key, indptr, indices, state, turn, word, np.int64(0), word)
        st(chosen, v, found)


@kernel
def select_shared(
    stop, count, helps, patience, work, key, indptr, indices, state, turn, word, chosen, left,
    tally,
):  # fmt: skip
    """Select from one end of ``work[:count]`` while the device does from the other, until they meet.

    With ``helps`` from the end, when all words are there. Without, from the front: a word that is empty
    is waited for, ``patience`` looks; after that nothing is, and a vertex that is left enters ``left``,
    once, so that a list of ``count`` suffices. What was taken is done: the device passes over it.
    """
    polls = np.int64(0)
    while ld_acquire(tally, FRONT) < ld_acquire(tally, REAR):
        if stopped(stop):
            return
        if helps:
            hi = np.int64(fetch_add(tally, REAR, -SHARE))
            lo = max(hi - SHARE, np.int64(0))
        else:
            lo = np.int64(fetch_add(tally, FRONT, SHARE))
            hi = min(lo + SHARE, np.int64(count))
        for i in range(lo, hi):
            v = ld(work, i)
            found, more = choice(v, key, indptr, indices, state, turn, word, patience, tally)
            polls += more
            st(chosen, v, found)
            if found == UNKNOWN:
                st(left, fetch_add(tally, LEFT, 1), v)
    fetch_add(tally, POLLS, polls)


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
def front(stop, degree, hot):
    """The vertices of the highest degrees to ``hot``, no more than it holds; gives how many.

    The bound on the degree is the smallest power of two that, in a sample, no larger share reaches: so
    the selection is approximate. Nothing is hot where degrees are much the same.
    """
    n = degree.size
    reach = np.zeros(65, np.int64)
    step = max(n // SAMPLE, 1)
    seen = np.int64(0)
    for v in range(0, n, step):
        reach[bit_length(np.int64(ld(degree, v)))] += 1
        seen += 1
    bits = np.int64(63)
    above = np.int64(0)
    while bits > 0 and (above + reach[bits]) * n <= hot.size * seen:
        above += reach[bits]
        bits -= 1
    found = np.int64(0)
    if above == 0:
        return found
    for v in range(n):
        if ld(degree, v) >> bits > 0:
            if found == hot.size:
                break
            st(hot, found, v)
            found += 1
    return found


@kernel
def remaining(stop, count, hot, state):
    """Keep the undecided ones of ``hot[:count]``, in their order; gives how many."""
    kept = np.int64(0)
    for i in range(count):
        v = ld(hot, i)
        if ld(state, v) == ACTIVE:
            st(hot, kept, v)
            kept += 1
    return kept
