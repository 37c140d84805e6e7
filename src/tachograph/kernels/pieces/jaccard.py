"""Jaccard's similarity of the ends of arcs from one part of a graph to another (or to itself).

Rows are sorted, with local ids, maybe with loops and parallel arcs, which count for nothing.

Method: of each arc (u, v) the neighbours of the end with the longer row are marked (bytes, one for each
local id of this part), and those of the other end looked up. One loop goes over this part's rows, the
other over those of the other part, and each takes the arcs for which its own row is the longer one.

Bounds: ``values`` has a place for each arc; stores go to the place of an arc that was found in
``indices``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..rows.passes import search
from ..runtime.atomics import ld, st, stopped
from ..runtime.launch import inline, kernel
from ..runtime.nouns import Rows
from ..similarity.edges import JACCARD, similarity_of

__all__ = ["Other", "from_here", "from_there"]

LONG_ROWS_PER_LOOK = 256  # rows, with all that they are compared with, between two looks


class Other(NamedTuple):
    """The other part: its rows of arcs out of and into its vertices, and local ids here and there.

    ``here[w]`` is the local id in this part of vertex w of the other, or -1. ``there[i]`` is the local
    id in the other part of vertex ``first + i`` of this one, for all that the other part owns.
    """

    rows: Rows
    back: Rows
    here: np.ndarray
    there: np.ndarray
    first: int


@inline
def counts(indices, k, first, v):
    """Whether the target at ``k`` of the row of ``v``, which begins at ``first``, is a neighbour."""
    x = ld(indices, k)
    return x != v and (k == first or ld(indices, k - 1) != x)


@inline
def set_marks(indices, first, last, v, marks, value):
    """Mark the neighbours of ``v``; how many there are."""
    size = np.int64(0)
    for k in range(first, last):
        if counts(indices, k, first, v):
            st(marks, ld(indices, k), value)
            size += 1
    return size


@inline
def set_marks_through(indices, first, last, v, here, marks, value):
    """The same for a row of another part."""
    size = np.int64(0)
    for k in range(first, last):
        if counts(indices, k, first, v):
            x = ld(here, ld(indices, k))
            if x >= 0:
                st(marks, x, value)
            size += 1
    return size


@kernel
def from_here(stop, lo, hi, indptr, indices, other, upper, values):
    """Arcs of rows ``lo:hi`` to the other part's vertices whose own row is not the shorter one.

    With ``upper`` only those to higher vertices.
    """
    (other_indptr, other_indices), _, here, there, first = other
    last = first + there.size
    marks = np.zeros(indptr.size - 1, np.uint8)
    for u in range(lo, hi):
        if u % LONG_ROWS_PER_LOOK == 0 and stopped(stop):
            return
        begin = ld(indptr, u)
        end = ld(indptr, u + 1)
        k = search(indices, begin, end, max(first, u + 1) if upper else first)
        if k == end or ld(indices, k) >= last:
            continue
        size = set_marks(indices, begin, end, u, marks, 1)
        while k < end and ld(indices, k) < last:
            w = ld(there, ld(indices, k) - first)
            a = ld(other_indptr, w)
            b = ld(other_indptr, w + 1)
            if counts(indices, k, begin, u) and b - a <= end - begin:
                common = np.int64(0)
                theirs = np.int64(0)
                for j in range(a, b):
                    if counts(other_indices, j, a, w):
                        theirs += 1
                        x = ld(here, ld(other_indices, j))
                        if x >= 0:
                            common += ld(marks, x)
                st(values, k, similarity_of(JACCARD, common, size, theirs))
            k += 1
        set_marks(indices, begin, end, u, marks, 0)


@kernel
def from_there(stop, lo, hi, rows, own, other, upper, values):
    """Arcs to ``first + lo : first + hi`` whose row in the other part is the longer one.

    ``own`` has the first and the end of this part's own vertices.
    """
    indptr, indices = rows
    own_begin, own_end = own
    (other_indptr, other_indices), (back_indptr, back_indices), here, there, first = other
    marks = np.zeros(indptr.size - 1, np.uint8)
    for i in range(lo, hi):
        if i % LONG_ROWS_PER_LOOK == 0 and stopped(stop):
            return
        v = first + i
        w = ld(there, i)
        a = ld(other_indptr, w)
        b = ld(other_indptr, w + 1)
        theirs = np.int64(-1)
        c = ld(back_indptr, w)
        for j in range(c, ld(back_indptr, w + 1)):
            u = np.int64(ld(here, ld(back_indices, j)))
            if not counts(back_indices, j, c, w) or u < own_begin or u >= own_end:
                continue
            begin = ld(indptr, u)
            end = ld(indptr, u + 1)
            if (upper and u > v) or b - a <= end - begin:
                continue
            if theirs < 0:
                theirs = set_marks_through(other_indices, a, b, w, here, marks, 1)
            common = np.int64(0)
            size = np.int64(0)
            for k in range(begin, end):
                if counts(indices, k, begin, u):
                    size += 1
                    common += ld(marks, ld(indices, k))
            place = search(indices, begin, end, v)
            st(values, place, similarity_of(JACCARD, common, size, theirs))
        if theirs >= 0:
            set_marks_through(other_indices, a, b, w, here, marks, 0)
