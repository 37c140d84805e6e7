"""Counting triangles where most vertices have few neighbours.

Each triangle is found at its largest vertex u, among u's smaller neighbours, which stand first in its
sorted row. Most vertices of a road have two at most, and one look into the row of the second tells
whether the first is there. A processor cannot foresee how many there are, and a wrong guess costs
more than all of this: so four entries of both rows are read in any case, and what is beyond them does
not count. Where there are more, the shorter of two lists is looked up in the longer one by bisection,
which takes at most the sum over the edges of the smaller degree of their ends, times a logarithm.

Bounds: nothing is stored. Four entries from the beginning of the row of u on are read only if there
are as many,
and the row of a smaller vertex begins further ahead.
"""

from __future__ import annotations

import numpy as np

from ..runtime.atomics import four_below, four_equal, ld
from ..runtime.launch import inline, kernel
from ..runtime.team import take

__all__ = ["walk_sparse"]

SPARSE_CHUNK = 1024  # vertices that a worker takes at a time
READ_ANYWAY = 4  # entries of a row that are read in any case


@inline
def bits_of(count):
    """A bit for each entry of a row, up to four."""
    return (np.int64(1) << min(count, np.int64(READ_ANYWAY))) - 1


@inline
def smaller(indices, first, last, u):
    """Where in the sorted row ``indices[first:last]`` the entries below ``u`` end."""
    while first < last:
        middle = (first + last) // 2
        if ld(indices, middle) < u:
            first = middle + 1
        else:
            last = middle
    return first


@inline
def holds(indices, first, last, x):
    """1 if ``x`` is in the sorted row ``indices[first:last]``, else 0."""
    at = smaller(indices, first, last, x)
    return np.int64(at < last and ld(indices, at) == x)


@kernel
def among(indptr, indices, first, last):
    """Pairs of ``indices[first:last]``, sorted, that are neighbours."""
    found = np.int64(0)
    for j in range(first + 1, last):
        v = ld(indices, j)
        low = ld(indptr, v)
        high = smaller(indices, low, ld(indptr, v + 1), v)
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


@kernel
def walk_sparse(team, rows):
    """The triangles that one worker finds."""
    control = team.control
    indptr, indices = rows
    total = np.int64(0)
    while True:
        begin, end = take(control, 0, SPARSE_CHUNK, indptr.size - 1)
        if begin >= end:
            break
        for u in range(begin, end):
            first = ld(indptr, u)
            last = ld(indptr, u + 1)
            inside = first + READ_ANYWAY <= indices.size
            found = at_most_two(u, indptr, indices, first, last) if inside else np.int64(-1)
            if found >= 0:
                total += found
            elif inside and last - first <= READ_ANYWAY:
                total += up_to_four(u, indptr, indices, first, last)
            else:
                total += among(indptr, indices, first, smaller(indices, first, last, u))
    return total
