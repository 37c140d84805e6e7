"""Counting triangles with marks.

Method: every edge is kept at one of its ends only, so that each triangle is found once. For each
vertex u its kept neighbours are marked in an array of bytes; then the marks of the neighbours of
those neighbours are summed. If neighbours have many neighbours, vertices are first ranked by descending
degree and an edge is kept at the end with the smaller degree, which bounds the rows (T. Schank,
D. Wagner, "Finding, Counting and Listing All Triangles in Large Graphs", 2005); otherwise the sorted
rows are used as they are, up to the vertex itself. Where vertices have few neighbours, there is nothing
to mark (``sparse``).

Bounds: each worker has marks of its own, one for every vertex, and clears those it has set.
"""

from __future__ import annotations

import numpy as np

from ..rows import build as csr
from ..rows.passes import over_rows
from ..runtime.atomics import fetch_add, ld, st, stop_at, stopped
from ..runtime.launch import kernel, workers_for
from ..runtime.nouns import Rows
from ..runtime.team import TICKET, run_team
from .sparse import walk_sparse

__all__ = ["count_triangles"]

MARKING_CHUNK = 64  # vertices that a worker takes at a time
SPARSE_UP_TO_DEGREE = 4.0  # mean arcs of a vertex up to which most need not be marked
RANKED_FROM_DEGREE = 300.0  # mean arcs of a neighbour from which on ranking pays


@kernel
def walk(team, rows, whole):
    """The triangles that one worker finds. ``whole``: rows hold all neighbours, sorted."""
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
    return total


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
        found = run_team(walk_sparse, workers, rows, brief=brief)
        return int(sum(found)), False, workers
    degrees = np.diff(rows.indptr).astype(np.float64)
    squares = (degrees * degrees).sum()  # "@" would wake threads of BLAS
    rank = bool(squares > RANKED_FROM_DEGREE * arcs)
    found = run_team(walk, workers, ranked(rows) if rank else rows, not rank, brief=brief)
    return int(sum(found)), rank, workers
