"""Breadth-first searches from many sources at once, a bit for each: distances, or their sums.

Method: M. Then et al., "The More the Merrier: Efficient Multi-Source Graph Traversal", PVLDB 8 (2014).
A batch has 256 sources, and every vertex four words of bits: which of the searches have seen it, which
see it on this level. A level is a push (the frontier's bits are added to those of its neighbours) or a
pull (a vertex gathers the bits of its neighbours until all searches have seen it), whichever looks at
fewer arcs. Searches that begin near each other see the same vertices on nearly the same levels, so
batches are balls: vertices that a search from one of them meets first.

What is summed: for every level that has new bits at a vertex, their number times ``worth[level]``, and
times ``squares[level]``. These are whole numbers, so sums do not depend on who has added them. Sums go
to the vertex that is reached: of a directed graph these are distances *to* it, as centralities need.
What is kept: the level of every search at some vertices, if a table asks for them.

Bounds: words of vertex v are at ``v * WORDS``; a list of vertices holds each once (its ``next`` words
were 0 before it was added), so n slots are enough. ``worth`` has an entry for each level below n + 1.
A table has a row with an entry for each source, for every vertex with a row.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..runtime.atomics import ld, st, stop_at, stopped
from ..runtime.launch import inline, kernel, run, workers_for
from ..runtime.nouns import Rows
from ..runtime.team import run_team, take

__all__ = ["LANES", "Kept", "Sums", "balls", "hops", "search_together", "summed"]

WORDS = 4  # of 64 bits
LANES = 64 * WORDS
PULL_FROM_PART = 6  # a frontier with this part of all arcs is pulled


class Kept(NamedTuple):
    """The row of each vertex in a table, -1 for none, and the table. No rows: nothing is kept."""

    row: np.ndarray
    table: np.ndarray


class Sums:
    """For each vertex: how many sources reach it, and the sums of worths and of squares over them."""

    def __init__(self, n: int) -> None:
        self.reached, self.worth, self.squares = (np.zeros(n, np.int64) for _ in range(3))

    def add(self, found: list[tuple[np.ndarray, np.ndarray, np.ndarray]]) -> None:
        """Add what workers have found."""
        for part in found:
            for own, more in zip((self.reached, self.worth, self.squares), part, strict=True):
                own += more


@inline
def ones(x):
    """The number of bits that are set in 64."""
    x = x - ((x >> np.uint64(1)) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56))


@inline
def push(rows, front, seen, after, queue, count, found):
    """Add the bits of the frontier to its neighbours; list those that got any. How many there are."""
    indptr, indices = rows
    listed = 0
    for i in range(count):
        v = np.int64(ld(queue, i))
        a, b = ld(front, 4 * v), ld(front, 4 * v + 1)
        c, d = ld(front, 4 * v + 2), ld(front, 4 * v + 3)
        for k in range(ld(indptr, v), ld(indptr, v + 1)):
            u = 4 * np.int64(ld(indices, k))
            w = a & ~ld(seen, u)
            x = b & ~ld(seen, u + 1)
            y = c & ~ld(seen, u + 2)
            z = d & ~ld(seen, u + 3)
            if w | x | y | z:
                if not (ld(after, u) | ld(after, u + 1) | ld(after, u + 2) | ld(after, u + 3)):
                    st(found, listed, u >> 2)
                    listed += 1
                st(after, u, ld(after, u) | w)
                st(after, u + 1, ld(after, u + 1) | x)
                st(after, u + 2, ld(after, u + 2) | y)
                st(after, u + 3, ld(after, u + 3) | z)
    return listed


@inline
def pull(back, front, seen, after, full, found):
    """Let every vertex that some search has not seen gather bits of its neighbours; list those."""
    indptr, indices = back
    f0, f1, f2, f3 = full
    listed = 0
    for v in range(indptr.size - 1):
        at = 4 * v
        s0, s1, s2, s3 = ld(seen, at), ld(seen, at + 1), ld(seen, at + 2), ld(seen, at + 3)
        if s0 == f0 and s1 == f1 and s2 == f2 and s3 == f3:
            continue
        w, x, y, z = s0, s1, s2, s3
        for k in range(ld(indptr, v), ld(indptr, v + 1)):
            u = 4 * np.int64(ld(indices, k))
            w |= ld(front, u)
            x |= ld(front, u + 1)
            y |= ld(front, u + 2)
            z |= ld(front, u + 3)
            if w == f0 and x == f1 and y == f2 and z == f3:
                break
        w &= ~s0
        x &= ~s1
        y &= ~s2
        z &= ~s3
        if w | x | y | z:
            st(after, at, w)
            st(after, at + 1, x)
            st(after, at + 2, y)
            st(after, at + 3, z)
            st(found, listed, v)
            listed += 1
    return listed


@inline
def keep(kept, v, bits, lane, level, width):
    """Write the level to the row of ``v`` for each search whose bit is set; the first is ``lane``."""
    at = ld(kept.row, v) * width + lane
    while bits:
        low = bits & (~bits + np.uint64(1))
        st(kept.table, at + ones(low - np.uint64(1)), level)
        bits ^= low


@kernel
def search_together(team, rows, back, sources, worth, squares, kept):
    """What each worker does with the batches it takes. Returns its three sums."""
    control = team.control
    indptr = rows.indptr
    n, arcs = indptr.size - 1, rows.indices.size
    seen = np.empty(WORDS * n, np.uint64)
    front = np.zeros(WORDS * n, np.uint64)
    after = np.zeros(WORDS * n, np.uint64)
    queue = np.empty(n, rows.indices.dtype)
    found = np.empty(n, rows.indices.dtype)
    reached = np.zeros(n, np.int64)
    sums = np.zeros(n, np.int64)
    sums2 = np.zeros(n, np.int64)
    keeps = kept.row.size > 0
    while True:
        begin, end = take(control, 0, LANES, sources.size)
        if begin >= end:
            break
        for k in range(WORDS * n):
            st(seen, k, 0)
        full = np.zeros(WORDS, np.uint64)
        count = 0
        edges = np.int64(0)
        for i in range(begin, end):
            s = np.int64(ld(sources, i))
            word = (i - begin) >> 6
            bit = np.uint64(1) << np.uint64((i - begin) & 63)
            full[word] |= bit
            at = WORDS * s
            if not (ld(front, at) | ld(front, at + 1) | ld(front, at + 2) | ld(front, at + 3)):
                st(queue, count, s)
                count += 1
                edges += ld(indptr, s + 1) - ld(indptr, s)
            st(front, at + word, ld(front, at + word) | bit)
            st(seen, at + word, ld(seen, at + word) | bit)
            if keeps and ld(kept.row, s) >= 0:
                st(kept.table, ld(kept.row, s) * sources.size + i, 0)
        every = (full[0], full[1], full[2], full[3])
        level = 0
        while count and not stopped(control):
            level += 1
            if edges * PULL_FROM_PART >= arcs:
                listed = pull(back, front, seen, after, every, found)
            else:
                listed = push(rows, front, seen, after, queue, count, found)
            for i in range(count):
                at = WORDS * np.int64(ld(queue, i))
                for j in range(WORDS):
                    st(front, at + j, 0)
            value, square = ld(worth, level), ld(squares, level)
            edges = np.int64(0)
            for i in range(listed):
                v = np.int64(ld(found, i))
                new = np.int64(0)
                for j in range(WORDS):
                    bits = ld(after, WORDS * v + j)
                    st(seen, WORDS * v + j, ld(seen, WORDS * v + j) | bits)
                    new += ones(bits)
                    if keeps and ld(kept.row, v) >= 0:
                        keep(kept, v, bits, begin + 64 * j, level, sources.size)
                st(reached, v, ld(reached, v) + new)
                st(sums, v, ld(sums, v) + new * value)
                st(sums2, v, ld(sums2, v) + new * square)
                edges += ld(indptr, v + 1) - ld(indptr, v)
            front, after = after, front
            queue, found = found, queue
            count = listed
        for i in range(count):  # only if the run is to end
            at = WORDS * np.int64(ld(queue, i))
            for j in range(WORDS):
                st(front, at + j, 0)
    return reached, sums, sums2


@kernel
def gather(stop, rows, size, order):
    """Put the vertices into an order in which every ``size`` of them are near each other."""
    indptr, indices = rows
    n = indptr.size - 1
    taken = np.zeros(n, np.uint8)  # 1: in the queue of the ball that is grown, 2: in a ball
    queue = np.empty(n, np.int64)
    done = 0
    start = 0
    seed = np.int64(-1)  # of the next ball: what the one before would have taken next
    while done < n:
        held = 0
        head = 0
        tail = 0
        while held < size and done < n:
            if stop_at(stop, done):
                return
            if head == tail:
                while seed < 0:
                    if not ld(taken, start):
                        seed = start
                    start = start + 1 if start + 1 < n else 0
                st(queue, tail, seed)
                tail += 1
                st(taken, seed, 1)
                seed = -1
            v = ld(queue, head)
            head += 1
            st(taken, v, 2)
            st(order, done, v)
            done += 1
            held += 1
            for k in range(ld(indptr, v), ld(indptr, v + 1)):
                u = np.int64(ld(indices, k))
                if not ld(taken, u):
                    st(taken, u, 1)
                    st(queue, tail, u)
                    tail += 1
        for i in range(head, tail):  # what waited belongs to nobody yet
            st(taken, ld(queue, i), 0)
        if head < tail:
            seed = ld(queue, head)


def balls(rows: Rows) -> np.ndarray:
    """All vertices, each batch of them near each other."""
    order = np.empty(rows.indptr.size - 1, np.int64)
    run(gather, [(rows, LANES, order)])
    return order


NOTHING = Kept(np.empty(0, np.int64), np.empty(0, np.int32))


def summed(
    rows: Rows, back: Rows, sources: np.ndarray, worth: np.ndarray, squares: np.ndarray, into: Sums
) -> int:
    """Search from all ``sources``, and add to what is known; return the number of workers."""
    found, workers = _search(rows, back, sources, worth, squares, NOTHING)
    into.add(found)
    return workers


def hops(rows: Rows, back: Rows, sources: np.ndarray, kept: Kept) -> int:
    """Search from all ``sources``, and fill the table; return the number of workers."""
    nothing = np.zeros(rows.indptr.size + 1, np.int64)
    return _search(rows, back, sources, nothing, nothing, kept)[1]


def _search(
    rows: Rows,
    back: Rows,
    sources: np.ndarray,
    worth: np.ndarray,
    squares: np.ndarray,
    kept: Kept,
) -> tuple[list[tuple[np.ndarray, np.ndarray, np.ndarray]], int]:
    n, arcs = rows.indptr.size - 1, rows.indices.size
    batches = -(-sources.size // LANES)
    most, brief = workers_for("bfs", batches * (n + arcs))
    workers = min(most, max(batches, 1))
    if not (sources.size and n):
        return [], workers
    asked = (rows, back, sources, worth, squares, kept)
    return run_team(search_together, workers, *asked, brief=brief), workers
