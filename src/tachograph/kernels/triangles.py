"""Counting triangles: each is found at one of its vertices.

With marks: every edge is kept at one of its ends only. For each vertex u its kept neighbours are marked
in an array of bytes; then the marks of the neighbours of those neighbours are summed. If neighbours
have many neighbours, vertices are first ranked by descending degree and an edge is kept at the end with
the smaller degree, which bounds the rows (T. Schank, D. Wagner, "Finding, Counting and Listing All
Triangles in Large Graphs", 2005); otherwise the sorted rows are used as they are, up to the vertex
itself.

Where vertices have few neighbours: a triangle is found at its largest vertex u, among u's smaller
neighbours, which stand first in its sorted row. Most vertices of a road have two at most, and one look
into the row of the second tells whether the first is there. A processor cannot foresee how many there
are, and a wrong guess costs more than all of this: so four entries of both rows are read in any case,
and what is beyond them does not count. Where there are more, the shorter of two lists is looked up in
the longer one by bisection, which takes at most the sum over the edges of the smaller degree of their
ends, times a logarithm.

Bounds: each worker has marks of its own, one for every vertex, and clears those it has set. Four
entries from the beginning of the row of u on are read only if there are as many, and the row of a
smaller vertex begins further ahead.
"""

from __future__ import annotations

import numpy as np

from .rows import build as csr
from .rows.passes import over_rows, search
from .runtime.atomics import fetch_add, four_below, four_equal, ld, ld_acquire, st, stop_at, stopped
from .runtime.launch import inline, kernel, workers_for
from .runtime.nouns import Rows
from .runtime.team import SUM, TICKET, finish, run_team, take

__all__ = ["count_triangles"]

MARKING_CHUNK, SPARSE_CHUNK = 64, 1024  # vertices that a worker takes at a time
#: Vertices of a chunk that are looked at first. If fewer than one in so many of them has two smaller
#: neighbours, a processor foresees that the others have not, either.
FORESEEN, FORESEEN_PART = 64, 8
READ_ANYWAY = 4  # entries of a row that are read in any case
SPARSE_UP_TO_DEGREE = 4.0  # mean arcs of a vertex up to which most need not be marked
RANKED_FROM_DEGREE = 300.0  # mean arcs of a neighbour from which on ranking pays


@kernel
def walk(team, rows, whole):
    """What each worker does; worker 0 returns all triangles. ``whole``: rows hold all neighbours."""
    control = team.control
    indptr, indices = rows
    n = indptr.size - 1
    mark = np.zeros(n, np.uint8)
    total = np.int64(0)
    while True:
        begin = fetch_add(control, TICKET, MARKING_CHUNK)  # with ``take`` it is 10 % slower
        if begin >= n or stopped(control):
            break
        for u in range(begin, min(begin + MARKING_CHUNK, n)):
            first = ld(indptr, u)
            last = ld(indptr, u + 1)
            if whole:
                lower = first
                while lower < last and ld(indices, lower) < u:
                    lower += 1
                last = lower
            if last - first < 2:
                continue
            for k in range(first, last):
                st(mark, ld(indices, k), 1)
            for k in range(first, last):
                v = ld(indices, k)
                found = np.int64(0)
                for j in range(ld(indptr, v), ld(indptr, v + 1)):
                    w = ld(indices, j)
                    if whole and w >= v:
                        break
                    found += ld(mark, w)
                total += found
            for k in range(first, last):
                st(mark, ld(indices, k), 0)
    fetch_add(control, SUM, total)
    finish(team)
    return ld_acquire(control, SUM)


@inline
def bits_of(count):
    """A bit for each entry of a row, up to four."""
    return (np.int64(1) << min(count, np.int64(READ_ANYWAY))) - 1


@inline
def holds(indices, first, last, x):
    """1 if ``x`` is in the sorted row ``indices[first:last]``, else 0."""
    at = search(indices, first, last, x)
    return np.int64(at < last and ld(indices, at) == x)


@kernel
def among(indptr, indices, first, last):
    """Pairs of ``indices[first:last]``, sorted, that are neighbours."""
    found = np.int64(0)
    for j in range(first + 1, last):
        v = ld(indices, j)
        low = ld(indptr, v)
        high = search(indices, low, ld(indptr, v + 1), v)
        if high - low < j - first:
            for k in range(low, high):
                found += holds(indices, first, j, ld(indices, k))
        else:
            for k in range(first, j):
                found += holds(indices, low, high, ld(indices, k))
    return found


@inline
def at_most_two(u, indptr, indices, first, last):
    """Triangles of ``u`` if it has up to two smaller neighbours and four entries of its row and of that
    of the second are enough to tell, else -1. Nothing here is a branch.
    """
    below = four_below(indices, first, u) & bits_of(last - first)
    two = below >> 1 & 1
    v = u + (ld(indices, first + 1) - u) * two
    begin = ld(indptr, v)
    count = ld(indptr, v + 1) - begin
    same = four_equal(indices, begin, ld(indices, first)) & bits_of(count)
    unclear = below >> 2 | (np.int64(count > READ_ANYWAY) & two)
    return -1 if unclear else np.int64(same != 0) & two


@inline
def up_to_four(u, indptr, indices, first, last):
    """Triangles of ``u``, which has up to four neighbours."""
    found = np.int64(0)
    j = first + 1
    while j < last and ld(indices, j) < u:
        v = ld(indices, j)
        begin = ld(indptr, v)
        end = ld(indptr, v + 1)
        for i in range(first, j):
            x = ld(indices, i)
            if end - begin > READ_ANYWAY:
                found += holds(indices, begin, end, x)
            else:
                found += (four_equal(indices, begin, x) & bits_of(end - begin)) != 0
        j += 1
    return found


@inline
def may_close(u, indices, first, last):
    """Whether ``u`` has two smaller neighbours or more."""
    return first + 1 < last and ld(indices, first + 1) < u


@inline
def few_may_close(begin, end, indptr, indices):
    """Whether hardly any of the first vertices of ``begin:end`` may close a triangle (in a tree)."""
    found = np.int64(0)
    end = min(end, begin + FORESEEN)
    for u in range(begin, end):
        found += may_close(u, indices, ld(indptr, u), ld(indptr, u + 1))
    return found * FORESEEN_PART < end - begin


@kernel
def walk_sparse(team, rows):
    """What each worker does; worker 0 returns all triangles."""
    control = team.control
    indptr, indices = rows
    total = np.int64(0)
    while True:
        begin, end = take(control, 0, SPARSE_CHUNK, indptr.size - 1)
        if begin >= end:
            break
        skips = few_may_close(begin, end, indptr, indices)
        for u in range(begin, end):
            first = ld(indptr, u)
            last = ld(indptr, u + 1)
            if skips and not may_close(u, indices, first, last):
                continue
            inside = first + READ_ANYWAY <= indices.size
            found = at_most_two(u, indptr, indices, first, last) if inside else np.int64(-1)
            if found >= 0:
                total += found
            elif inside and last - first <= READ_ANYWAY:
                total += up_to_four(u, indptr, indices, first, last)
            else:
                total += among(indptr, indices, first, search(indices, first, last, u))
    fetch_add(control, SUM, total)
    finish(team)
    return ld_acquire(control, SUM)


@kernel
def keep_lower(stop, lo, hi, indptr, indices, rank, source, target, begins):
    """Write the arcs of rows ``lo:hi`` to a vertex of lower rank; ``begins[lo]`` is the first slot."""
    at = ld(begins, lo)
    for v in range(lo, hi):
        if stop_at(stop, v):
            return
        for k in range(ld(indptr, v), ld(indptr, v + 1)):
            t = ld(rank, ld(indices, k))
            if t < ld(rank, v):
                st(source, at, ld(rank, v))
                st(target, at, t)
                at += 1


@kernel
def count_lower(stop, lo, hi, indptr, indices, rank, lengths):
    """How many arcs of each row lead to a vertex of lower rank."""
    for v in range(lo, hi):
        if stop_at(stop, v):
            return
        kept = 0
        for k in range(ld(indptr, v), ld(indptr, v + 1)):
            kept += ld(rank, ld(indices, k)) < ld(rank, v)
        st(lengths, v, kept)


def ranked(rows: Rows) -> Rows:
    """Rows of the graph with vertices ranked by descending degree and edges to lower ranks only."""
    indptr, indices = rows
    n = indptr.size - 1
    degrees = np.diff(indptr)
    rank = np.empty(n, indices.dtype)
    rank[np.argsort(-degrees, kind="stable")] = np.arange(n, dtype=indices.dtype)
    lengths = np.empty(n, np.int64)
    over_rows(count_lower, indptr, indices, rank, lengths)
    begins = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    source = np.empty(begins[-1], indices.dtype)
    target = np.empty(begins[-1], indices.dtype)
    over_rows(keep_lower, indptr, indices, rank, source, target, begins)
    return Rows(*csr.build(source, target, None, n, indices.dtype)[:2])


def count_triangles(rows: Rows) -> tuple[int, bool, int]:
    """Triangles of an undirected simple graph with sorted rows; whether it was ranked; workers."""
    n, arcs = rows.indptr.size - 1, rows.indices.size
    workers, brief = workers_for("triangles", n + arcs)
    if not arcs:
        return 0, False, workers
    if arcs <= SPARSE_UP_TO_DEGREE * n:
        found = run_team(walk_sparse, workers, rows, brief=brief)[0]
        return int(found), False, workers
    degrees = (rows.indptr[1:] - rows.indptr[:-1]).astype(np.float64)
    squares = (degrees * degrees).sum()  # "@" would wake threads of BLAS
    rank = bool(squares > RANKED_FROM_DEGREE * arcs)
    found = run_team(walk, workers, ranked(rows) if rank else rows, not rank, brief=brief)[0]
    return int(found), rank, workers
