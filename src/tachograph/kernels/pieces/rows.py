"""Rows of a part of a graph from its arcs, a chunk at a time (``scale/building.py``).

Ids of the whole graph are below ``n``; the part owns those from ``first`` to below ``last``. ``seen``
has a bit for each id, ``before`` the number of bits in all words before each word: together they tell
the rank of a ghost in constant time, whatever its id.
"""

from __future__ import annotations

import numpy as np

from ..runtime.atomics import ld, st, stopped
from ..runtime.launch import inline, kernel

__all__ = ["count_ids", "mark_ghosts", "place_arcs", "whom_to_tell"]

LOOK = 1 << 16  # arcs between two looks at the stop flag


@kernel
def count_ids(stop, ids, others, loops, counts):
    """Add 1 to the count of each id; where ``ids`` and ``others`` agree only if ``loops``.

    Ids are not negative, and the caller has made ``counts`` larger than all of them.
    """
    for i in range(ids.size):
        if i % LOOK == 0 and stopped(stop):
            return
        v = ld(ids, i)
        if loops or v != ld(others, i):
            st(counts, v, ld(counts, v) + 1)


@kernel
def mark_ghosts(stop, target, first, last, seen):
    """Set the bits of targets that the part does not own; ``seen`` has one for every id."""
    for i in range(target.size):
        if i % LOOK == 0 and stopped(stop):
            return
        t = np.int64(ld(target, i))
        if t < first or t >= last:
            st(seen, t >> 6, ld(seen, t >> 6) | (np.uint64(1) << np.uint64(t & 63)))


@inline
def bits_of(word):
    """How many bits are set."""
    x = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56))


@kernel
def place_arcs(
    stop,
    source,
    target,
    weight,
    weighted,
    first,
    last,
    begin,
    seen,
    before,
    cursor,
    indices,
    weights,
):
    """Append arcs to the rows of their sources, with local ids.

    ``cursor`` has an entry for each own vertex: where its row goes on. Rows have room because they
    were counted from the same arcs.
    """
    for i in range(source.size):
        if i % LOOK == 0 and stopped(stop):
            return
        v = np.int64(ld(source, i)) - first
        t = np.int64(ld(target, i))
        if first <= t < last:
            local = t - first + begin
        else:
            below = (np.uint64(1) << np.uint64(t & 63)) - np.uint64(1)
            local = ld(before, t >> 6) + bits_of(ld(seen, t >> 6) & below)
            if t >= last:
                local += last - first
        k = ld(cursor, v)
        st(cursor, v, k + 1)
        st(indices, k, local)
        if weighted:
            st(weights, k, ld(weight, i))


@inline
def tell(v, indptr, indices, bounds, index, mark, cursor, sends, fill):
    """Note ``v`` for each other part that its row leads to and that was not noted yet."""
    part = np.int64(0)
    for k in range(ld(indptr, v), ld(indptr, v + 1)):
        t = ld(indices, k)
        while t >= ld(bounds, part + 1):
            part += 1
        if part != index and ld(mark, part) != v:
            st(mark, part, v)
            if fill:
                st(sends, ld(cursor, part), v)
            st(cursor, part, ld(cursor, part) + 1)


@kernel
def whom_to_tell(
    stop, begin, end, index, bounds, indptr, indices, back_indptr, back_indices, both, mark, cursor,
    sends, fill,
):  # fmt: skip
    """For each other part own vertices with arcs to (or from) it, in ascending order.

    Rows are sorted. Local ids of part ``p`` are those from ``bounds[p]`` to below ``bounds[p + 1]``;
    the last bound is their number, so no target is beyond it. ``mark`` has an entry for each part,
    below 0. Without ``fill`` they are only counted in ``cursor``; with it, ``cursor`` points to where
    each part's begin in ``sends``, which has as many entries as were counted.
    """
    for v in range(begin, end):
        if v % 1024 == 0 and stopped(stop):
            return
        tell(v, indptr, indices, bounds, index, mark, cursor, sends, fill)
        if both:
            tell(v, back_indptr, back_indices, bounds, index, mark, cursor, sends, fill)
