"""Rows of a part of a graph from its arcs, a chunk at a time (``scale/building.py``).

Ids of the whole graph are below ``n``; the part owns those from ``first`` to below ``last``. ``seen``
has a bit for each id, ``before`` the number of bits in all words before each word: together they tell
the rank of a ghost in constant time, whatever its id.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..runtime.atomics import ld, st, stop_at
from ..runtime.launch import inline, kernel

__all__ = ["Arcs", "LocalIds", "Sends", "count_ids", "mark_ghosts", "place_arcs", "whom_to_tell"]


class Arcs(NamedTuple):
    """Some arcs, by ids of the whole graph, and the bits of their weights, if ``weighted``."""

    source: np.ndarray
    target: np.ndarray
    weight: np.ndarray
    weighted: bool


class LocalIds(NamedTuple):
    """What turns ids of the whole graph into local ones: own vertices begin at ``begin``."""

    first: int
    last: int
    begin: int
    seen: np.ndarray
    before: np.ndarray


class Sends(NamedTuple):
    """Own vertices that the other parts have to hear of, while they are collected.

    Local ids of part ``p`` are those from ``bounds[p]`` to below ``bounds[p + 1]``; this part is
    ``part``. ``mark`` has an entry for each part, below 0. Without ``fill``, vertices are only counted
    in ``cursor``; with it, ``cursor`` points to where each part's begin in ``ids``, which has as many
    entries as were counted.
    """

    part: int
    bounds: np.ndarray
    mark: np.ndarray
    cursor: np.ndarray
    ids: np.ndarray
    fill: bool


@kernel
def count_ids(stop, ids, others, loops, counts):
    """Add 1 to the count of each id; where ``ids`` and ``others`` agree only if ``loops``.

    Ids are not negative, and the caller has made ``counts`` larger than all of them.
    """
    for i in range(ids.size):
        if stop_at(stop, i):
            return
        v = ld(ids, i)
        if loops or v != ld(others, i):
            st(counts, v, ld(counts, v) + 1)


@kernel
def mark_ghosts(stop, target, first, last, seen):
    """Set the bits of targets that the part does not own; ``seen`` has one for every id."""
    for i in range(target.size):
        if stop_at(stop, i):
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
def place_arcs(stop, arcs, local, cursor, indices, weights):
    """Append arcs to the rows of their sources, with local ids.

    ``cursor`` has an entry for each own vertex: where its row goes on. Rows have room because they
    were counted from the same arcs.
    """
    source, target, weight, weighted = arcs
    first, last, begin, seen, before = local
    for i in range(source.size):
        if stop_at(stop, i):
            return
        v = np.int64(ld(source, i)) - first
        t = np.int64(ld(target, i))
        if first <= t < last:
            place = t - first + begin
        else:
            below = (np.uint64(1) << np.uint64(t & 63)) - np.uint64(1)
            place = ld(before, t >> 6) + bits_of(ld(seen, t >> 6) & below)
            if t >= last:
                place += last - first
        k = ld(cursor, v)
        st(cursor, v, k + 1)
        st(indices, k, place)
        if weighted:
            st(weights, k, ld(weight, i))


@inline
def tell(v, rows, sends):
    """Note ``v`` for each other part that its row leads to and that was not noted yet."""
    own, bounds, mark, cursor, ids, fill = sends
    part = np.int64(0)
    for k in range(ld(rows.indptr, v), ld(rows.indptr, v + 1)):
        t = ld(rows.indices, k)
        while t >= ld(bounds, part + 1):
            part += 1
        if part != own and ld(mark, part) != v:
            st(mark, part, v)
            if fill:
                st(ids, ld(cursor, part), v)
            st(cursor, part, ld(cursor, part) + 1)


@kernel
def whom_to_tell(stop, begin, end, rows, back, sends):
    """For each other part own vertices with arcs to (or from) it, in ascending order.

    Rows are sorted; ``back`` is empty if the graph is undirected. The last bound of ``sends`` is the
    number of local ids, so no target is beyond it.
    """
    for v in range(begin, end):
        if stop_at(stop, v):
            return
        tell(v, rows, sends)
        if back.indptr.size > 0:
            tell(v, back, sends)
