"""The steps of a breadth-first search: its beginning, a push, a pull, the frontier's change of form,
and at the end a choice of parents that does not depend on the number of threads.

``search`` explains the encoding and the bounds.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..rows.passes import over_rows
from ..runtime.atomics import (
    compare_exchange,
    fetch_add,
    fetch_or,
    ld,
    prefetch,
    st,
    stop_at,
    stopped,
    trailing_zeros,
)
from ..runtime.launch import inline, kernel
from ..runtime.nouns import Rows
from ..runtime.team import (
    TAIL,
    TICKET,
    add_to_sums,
    cell,
    far_apart,
    flush,
    give_up,
    is_given_up,
    meet,
    part,
)
from .hubs import NO_HUB, hub_in, in_bitmap

BUFFER = 4096  # vertices a worker collects before it takes room in the queue
AHEAD = 8  # places in the queue that rows are fetched ahead
PUSHED_CHUNK = 64  # vertices of many arcs that a worker takes at a time
PULLED_CHUNK = 16  # words of 64 vertices that a worker takes at a time
EVEN_UP_TO_DEGREE = 16  # mean arcs of a frontier's vertices up to which it is cut into equal parts
#: A frontier of fewer arcs than n over this is thin: a pull of it, which sees every vertex, is a waste.
VERTICES_PER_CERTAIN_ARC = 256
#: Levels of so many vertices are read in the time that a bit of a shared bitmap takes to be set: 0.044
#: and 2.45 ns with two workers.
VERTICES_PER_SET_BIT = 48
#: Vertices up to which one worker pushes alone if cores are far apart: beyond, memory is as far.
PUSHED_ALONE_UP_TO_VERTICES = 1 << 19
UNLIMITED = 1 << 62  # arcs: more than a pull can look at


class Tree(NamedTuple):
    """Who was reached: parents, levels, and the vertices that pushes have found, in that order."""

    parents: np.ndarray
    levels: np.ndarray
    queue: np.ndarray


class Bitmaps(NamedTuple):
    """A bit for each vertex: the frontier that a pull looks for, and the one that it finds."""

    front: np.ndarray
    after: np.ndarray


@inline
def make_unvisited(v, indptr, parents, levels):
    """Mark a vertex as one that nobody has reached."""
    limit = np.int64(np.iinfo(parents.dtype).max) - 1
    st(parents, v, -min(ld(indptr, v + 1) - ld(indptr, v), limit) - 1)
    st(levels, v, -1)


@inline
def arcs_out(indptr, sources):
    """The arcs of the sources."""
    edges = np.int64(0)
    for i in range(sources.size):
        s = ld(sources, i)
        edges += ld(indptr, s + 1) - ld(indptr, s)
    return edges


@kernel
def begin(team, indptr, sources, tree, together):
    """Mark every vertex unvisited and queue the sources; False if the run is to end.

    If not ``together``, worker 0 does all of it, and nobody waits for anybody.
    """
    control, me, _ = team
    parents, levels, queue = tree
    first, last = part(team, parents.size)
    if not together:
        first = np.int64(0)
        last = parents.size if me == 0 else 0
    for v in range(first, last):
        make_unvisited(v, indptr, parents, levels)
    if together and not meet(team):
        return False
    if me == 0:
        for i in range(sources.size):
            s = ld(sources, i)
            st(parents, s, s)
            st(levels, s, 0)
            st(queue, i, s)
        fetch_add(control, TAIL, sources.size)
    return meet(team) if together else True


@inline
def pushers(team, n, box):
    """How many workers push: all, or worker 0 alone if it is far from the others."""
    alone = far_apart(team, n, PUSHED_ALONE_UP_TO_VERTICES, box)
    return np.int64(1 if alone else team.workers)


@kernel
def push(team, phase, rows, tree, buffer, span, edges, depth):
    """Claim the unvisited targets of a ``span`` of the queue; adds their number and arcs to the sums.

    If the frontier has few ``edges`` for each vertex, workers take equal parts of it, which keeps
    neighbourhoods with the worker that found them. Otherwise chunks are handed out, because hubs make
    parts unequal. The ``buffer`` of a worker has room for ``BUFFER`` vertices. Nobody else claims
    what a single worker has found unvisited, as ``pushers`` may want it.
    """
    control = team.control
    if team.me >= team.workers:
        return
    indptr, indices = rows
    parents, levels, queue = tree
    lo, hi = span
    ticket = cell(TICKET, phase)
    single = team.workers == 1
    even = edges <= EVEN_UP_TO_DEGREE * (hi - lo)
    held = 0
    found = 0
    arcs = 0
    first, last = part(team, hi - lo)
    first += lo
    last += lo
    while True:
        if not even:
            first = lo + fetch_add(control, ticket, PUSHED_CHUNK)
            last = min(first + PUSHED_CHUNK, hi)
        if first >= last or stopped(control):
            break
        for i in range(first, last):
            prefetch(indptr, ld(queue, min(i + AHEAD, hi - 1)))
            prefetch(indices, ld(indptr, ld(queue, min(i + AHEAD // 2, hi - 1))))
            u = ld(queue, i)
            for k in range(ld(indptr, u), ld(indptr, u + 1)):
                v = ld(indices, k)
                mark = ld(parents, v)
                if mark < 0 and (single or compare_exchange(parents, v, mark, u)):
                    if single:
                        st(parents, v, u)
                    st(levels, v, depth)
                    arcs -= mark + 1
                    if held == BUFFER:
                        flush(control, TAIL, queue, buffer, held)
                        found += held
                        held = 0
                    st(buffer, held, v)
                    held += 1
        if even:
            break
    if held:
        flush(control, TAIL, queue, buffer, held)
    add_to_sums(control, phase, found + held, arcs)


@kernel
def pull(team, phase, rows, hubs, tree, bitmaps, depth, limit):
    """Let each unvisited vertex look for a parent in ``front``; those that find one make ``after``.

    It looks at its ``hubs`` first, if there are any (see ``hubs``), and then at its row.

    A worker that has looked at more than ``limit`` arcs makes all of them stop; then only words of
    ``after`` whose tickets were taken are written.
    """
    control = team.control
    indptr, indices = rows
    parents, levels, _ = tree
    front, after = bitmaps
    ticket = cell(TICKET, phase)
    n = parents.size
    words = (n + 63) >> 6
    found = 0
    arcs = 0
    looked = 0
    while True:
        if looked > limit:
            give_up(control, phase)
        if is_given_up(control, phase):
            break
        first = fetch_add(control, ticket, PULLED_CHUNK)
        if first >= words or stopped(control):
            break
        for w in range(first, min(first + PULLED_CHUNK, words)):
            bits = np.uint64(0)
            for v in range(w << 6, min((w + 1) << 6, n) if looked <= limit else 0):
                mark = ld(parents, v)
                if mark < 0:
                    parent = hub_in(hubs, v, front)
                    if parent == NO_HUB:
                        begin_row = ld(indptr, v)
                        end_row = ld(indptr, v + 1)
                        looked += end_row - begin_row
                        for k in range(begin_row, end_row):
                            u = ld(indices, k)
                            if in_bitmap(front, u):
                                parent = np.int64(u)
                                looked -= end_row - k - 1
                                break
                    if parent >= 0:
                        st(parents, v, parent)
                        st(levels, v, depth)
                        found += 1
                        arcs -= mark + 1
                        bits |= np.uint64(1) << np.uint64(v & 63)
            st(after, w, bits)
    add_to_sums(control, phase, found, arcs)


@kernel
def to_bitmap(team, queue, lo, hi, levels, depth, front):
    """Turn ``queue[lo:hi]``, which are level ``depth``, into a bitmap; False if the run is to end."""
    n = levels.size
    first, last = part(team, front.size)
    if n < VERTICES_PER_SET_BIT * (hi - lo):
        for w in range(first, last):
            bits = np.uint64(0)
            for v in range(w << 6, min((w + 1) << 6, n)):
                bits |= np.uint64(ld(levels, v) == depth) << np.uint64(v & 63)
            st(front, w, bits)
        return meet(team)
    for w in range(first, last):
        st(front, w, 0)
    if not meet(team):
        return False
    first, last = part(team, hi - lo)
    for i in range(lo + first, lo + last):
        u = np.int64(ld(queue, i))
        fetch_or(front, u >> 6, np.uint64(1) << np.uint64(u & 63))
    return meet(team)


@kernel
def to_queue(team, front, words, queue, buffer):
    """Append the vertices in ``front[:words]`` to the queue; False if the run is to end."""
    control = team.control
    first, last = part(team, words)
    held = 0
    for w in range(first, last):
        bits = ld(front, w)
        while bits:
            if held == BUFFER:
                flush(control, TAIL, queue, buffer, held)
                held = 0
            st(buffer, held, (w << 6) + np.int64(trailing_zeros(bits)))
            held += 1
            bits &= bits - np.uint64(1)
    if held:
        flush(control, TAIL, queue, buffer, held)
    return meet(team)


@kernel
def choose_smallest(stop, lo, hi, indptr, indices, levels, parents):
    """Replace the parents of ``lo:hi`` by the smallest neighbours one level up."""
    for v in range(lo, hi):
        if stop_at(stop, v):
            return
        if ld(levels, v) > 0:
            best = ld(parents, v)
            for k in range(ld(indptr, v), ld(indptr, v + 1)):
                u = ld(indices, k)
                if u < best and ld(levels, u) == ld(levels, v) - 1:
                    best = u
            st(parents, v, best)


def smallest_parents(back: Rows, levels: np.ndarray, parents: np.ndarray) -> None:
    """Give every vertex the smallest id among its possible parents, in place."""
    over_rows(choose_smallest, back.indptr, back.indices, levels, parents)
