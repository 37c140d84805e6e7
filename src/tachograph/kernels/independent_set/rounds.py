"""A maximal independent set in rounds of three kernels: Randomize, Select, Deactivate.

Method: M. Luby, "A Simple Parallel Algorithm for the Maximal Independent Set Problem" (1986), as C.
Eryilmaz, "Fine-Grain Acceleration of Graph Algorithms on a Heterogeneous Chip" (2017) cuts it into
kernels. In each round every vertex of the work list gets its place in the order, those that come before
all their undecided neighbours are selected, and their neighbours are deactivated. Luby draws new
numbers in every round; here a vertex always draws the same ones, so that the set is that of
``greedy.py`` and a kernel can be run twice without harm. ``independent_set.cl`` has the same kernels.

Overlapping: Randomize produces one word for each vertex: the round, and below it eight bits for the
level. So the word itself tells whether it is full or empty. A consumer that is ahead of the producer
waits, but once a word took too many looks it waits no more; a vertex that it has to leave goes to the
list ``left``, and another call decides it. When the producer has produced everything, it helps unless
it was told not to, as in the paper: host and device take the work list from its two ends until they
meet. Where both take the same vertices no harm is done, since both find the same.

Bounds: the work list holds vertices of the graph, each once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..runtime.atomics import fetch_add, ld, ld_acquire, pause, st, st_release, stopped
from ..runtime.launch import inline, kernel
from .greedy import IN, OUT, before, level_of

ACTIVE = 2  # neither IN nor OUT yet
UNKNOWN = 2  # neither selected (1) nor not (0)
# What ``tally`` counts: looks that found nothing; vertices left; vertices kept and, modulo 2**32, their
# arcs; whether a consumer has lost patience; how far the work list is taken from its two ends, each in
# a cache line of its own. The device's twin has the same numbers.
POLLS, LEFT, KEPT, KEPT_ARCS, QUIT, FRONT, REAR, TALLY = 0, 1, 2, 3, 4, 16, 32, 48
VERTICES_PER_TAKE = 1 << 9  # vertices taken at a time while host and device share the list
DEGREE_BITS = 64  # classes that a device sorts degrees into: by their numbers of bits
PAUSES_PER_POLL = 64  # instructions that a consumer pauses before it looks at an empty word again


class Words(NamedTuple):
    """What Randomize produces in a round: its number, a word for each vertex, the generator's key."""

    key: np.uint64
    turn: int
    word: np.ndarray


class Sharing(NamedTuple):
    """How the host selects while the device does: from which end of the list, how long it waits for a
    word, and where it notes what it has left and counted.
    """

    helps: bool
    patience: int
    left: np.ndarray
    tally: np.ndarray


@kernel
def randomize(stop, lo, hi, work, degree, words):
    """Give the vertices ``work[lo:hi]`` their words of this round."""
    key, turn, word = words
    for i in range(lo, hi):
        if i % VERTICES_PER_TAKE == 0 and stopped(stop):
            return
        v = ld(work, i)
        st_release(word, v, turn << 8 | np.int64(level_of(key, v, ld(degree, v))))


@inline
def full(v, words, patience, tally):
    """The word of ``v``, and looks at it while it was empty; waits while nobody has lost patience."""
    found = ld_acquire(words.word, v)
    polls = np.int64(0)
    while found >> 8 != words.turn and patience > 0:
        polls += 1
        if ld_acquire(tally, QUIT):
            break
        if polls > patience:
            st_release(tally, QUIT, 1)
            break
        for _ in range(PAUSES_PER_POLL):  # leave the cache line to its writer
            pause()
        found = ld_acquire(words.word, v)
    return found, polls


@inline
def choice(v, rows, words, state, patience, tally):
    """1 if ``v`` comes before all undecided neighbours, else 0; UNKNOWN if a word was not there.

    Second: looks at empty words.
    """
    own, polls = full(v, words, patience, tally)
    if own >> 8 != words.turn:
        return np.uint8(UNKNOWN), polls
    for k in range(ld(rows.indptr, v), ld(rows.indptr, v + 1)):
        u = ld(rows.indices, k)
        if u == v or ld(state, u) != ACTIVE:
            continue
        theirs, more = full(u, words, patience, tally)
        polls += more
        if theirs >> 8 != words.turn:
            return np.uint8(UNKNOWN), polls
        if before(words.key, theirs, u, own, v):
            return np.uint8(0), polls
    return np.uint8(1), polls


@kernel
def select(stop, lo, hi, work, rows, words, state, chosen):
    """Select those of ``work[lo:hi]`` that come before all undecided neighbours; no word is empty."""
    for i in range(lo, hi):
        if i % VERTICES_PER_TAKE == 0 and stopped(stop):
            return
        v = ld(work, i)
        found, _ = choice(v, rows, words, state, np.int64(0), words.word)
        st(chosen, v, found)


@kernel
def select_shared(stop, work, rows, words, state, chosen, sharing):
    """Select from one end of ``work`` while the device does from the other, until they meet.

    With ``helps`` from the end, when all words are there. Without, from the front: a word that is empty
    is waited for, ``patience`` looks; after that nothing is, and a vertex that is left enters ``left``,
    once, so that a list as long as ``work`` is enough. The device passes over what the host has taken.
    """
    helps, patience, left, tally = sharing
    polls = np.int64(0)
    while ld_acquire(tally, FRONT) < ld_acquire(tally, REAR):
        if stopped(stop):
            return
        if helps:
            hi = np.int64(fetch_add(tally, REAR, -VERTICES_PER_TAKE))
            lo = max(hi - VERTICES_PER_TAKE, np.int64(0))
        else:
            lo = np.int64(fetch_add(tally, FRONT, VERTICES_PER_TAKE))
            hi = min(lo + VERTICES_PER_TAKE, np.int64(work.size))
        for i in range(lo, hi):
            v = ld(work, i)
            found, more = choice(v, rows, words, state, patience, tally)
            polls += more
            st(chosen, v, found)
            if found == UNKNOWN:
                st(left, fetch_add(tally, LEFT, 1), v)
    fetch_add(tally, POLLS, polls)


@kernel
def deactivate(stop, lo, hi, work, rows, chosen, state):
    """Put the selected vertices of ``work[lo:hi]`` in the set, and take their neighbours out.

    No two selected vertices are neighbours, so nobody else writes a selected vertex's state.
    """
    indptr, indices = rows
    for i in range(lo, hi):
        if i % VERTICES_PER_TAKE == 0 and stopped(stop):
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
    """Write the undecided of ``work[:count]`` to ``kept``, in order; count them and their arcs."""
    at = np.int64(0)
    arcs = np.int64(0)
    for i in range(count):
        v = ld(work, i)
        if ld(state, v) == ACTIVE:
            st(kept, at, v)
            at += 1
            arcs += ld(degree, v)
    tally[KEPT] = at
    tally[KEPT_ARCS] = np.int32(arcs & 0xFFFFFFFF)


@kernel
def remaining(stop, count, hot, state):
    """Keep the undecided ones of ``hot[:count]``, in their order; return how many."""
    kept = np.int64(0)
    for i in range(count):
        v = ld(hot, i)
        if ld(state, v) == ACTIVE:
            st(hot, kept, v)
            kept += 1
    return kept
