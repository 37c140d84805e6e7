"""Buckets of vertices by distance, one set for each worker: what delta-stepping keeps its work in.

Bucket b holds vertices whose tentative distance lies in ``[b * delta, (b + 1) * delta)``. The next
``ring`` buckets have a list each; what is farther away shares one more list and is sorted into the
ring when its time has come. ``delta`` is a power of two, so the bucket of a distance is exact: a shift
for integers, a product for floats (``width`` is the shift or the reciprocal).

A set is a tuple of arrays: VERTEX and DISTANCE are the entries, in blocks of 64; LINK joins the blocks
of a list; HEAD is where a list's next entry goes (0: it is empty), BLOCKS its number of blocks; STOCK
has the first free block, the first unused one, how many are free or unused, and the lowest bucket of
the far list.

Bounds: an entry is *valid* while its distance is the vertex's distance. A worker adds an entry only
when it has lowered a distance, so it has at most one valid entry for each vertex. :func:`make_room`
throws the others out when blocks run short: then at most n / 64 full blocks and one more for each
list are in use; a set has twice as many, and more for what is put at a time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import types
from numba.extending import overload

from ..runtime.atomics import ld, st
from ..runtime.launch import inline, inline_maker, subroutine_maker

BLOCK_BITS = 6
BLOCK_ENTRIES = 1 << BLOCK_BITS
VERTEX, DISTANCE, LINK, HEAD, BLOCKS, STOCK = 0, 1, 2, 3, 4, 5
FREE, UNUSED, LEFT, LOWEST_FAR = 0, 1, 2, 3
LATER = np.int64(1) << 62  # no bucket at all
MOST_LISTS = 512  # buckets that have a list of their own


class Scale(NamedTuple):
    """How distances are counted: the width of a bucket, the number of lists, the range.

    A distance above ``ceiling`` may not be added to any more; ``infinity`` is no distance at all.
    """

    width: float
    delta: float
    ring: int
    ceiling: float
    infinity: float


def bucket_of(distance, width):
    """The bucket of a distance: compiled code only."""
    raise NotImplementedError


@overload(bucket_of)
def _bucket_of(distance, width):
    if isinstance(width, types.Integer):
        return lambda distance, width: np.int64(distance) >> width
    return lambda distance, width: np.int64(min(distance * width, 2.0**61))


@inline_maker
def new_set(n, ring, most, vertices, distances):
    """An empty set for the types of two arrays and up to ``most`` entries put at a time."""
    blocks = 2 * (n >> BLOCK_BITS) + 2 * (ring + 1) + (most >> BLOCK_BITS) + 8
    state = np.empty(4, np.int64)
    made = (
        np.empty(blocks << BLOCK_BITS, vertices.dtype),
        np.empty(blocks << BLOCK_BITS, distances.dtype),
        np.empty(blocks, np.int64),
        np.zeros(ring + 1, np.int64),
        np.zeros(ring + 1, np.int64),
        state,
    )
    state[FREE] = -1
    state[UNUSED] = 1  # block 0 stays unused: a head of 0 means an empty list
    state[LEFT] = blocks - 1
    state[LOWEST_FAR] = LATER
    return made


@inline
def lists(kept):
    """The number of lists of the next buckets; the far list comes after them."""
    return kept[HEAD].size - 1


@inline
def add(kept, at, v, d):
    """Append to the list ``at``."""
    p = ld(kept[HEAD], at)
    if p & (BLOCK_ENTRIES - 1) == 0:
        k = ld(kept[STOCK], FREE)
        if k >= 0:
            st(kept[STOCK], FREE, ld(kept[LINK], k))
        else:
            k = ld(kept[STOCK], UNUSED)
            st(kept[STOCK], UNUSED, k + 1)
        st(kept[STOCK], LEFT, ld(kept[STOCK], LEFT) - 1)
        st(kept[LINK], k, (p - 1) >> BLOCK_BITS)
        st(kept[BLOCKS], at, ld(kept[BLOCKS], at) + 1)
        p = k << BLOCK_BITS
    st(kept[VERTEX], p, v)
    st(kept[DISTANCE], p, d)
    st(kept[HEAD], at, p + 1)


@inline
def put(kept, ring, current, v, d, width):
    """Add vertex ``v`` at distance ``d``, not below bucket ``current``; there are ``ring`` lists."""
    b = bucket_of(d, width)
    if b < current + ring:
        add(kept, b & (ring - 1), v, d)
    else:
        add(kept, ring, v, d)
        st(kept[STOCK], LOWEST_FAR, min(ld(kept[STOCK], LOWEST_FAR), b))


@inline
def size_of(kept, at):
    """Entries in a list, those that are no longer valid counted too."""
    p = ld(kept[HEAD], at)
    if p == 0:
        return np.int64(0)
    return ((ld(kept[BLOCKS], at) - 1) << BLOCK_BITS) + ((p - 1) & (BLOCK_ENTRIES - 1)) + 1


@inline
def release(kept, k):
    """Give block ``k`` back; the block that follows it in its list."""
    after = ld(kept[LINK], k)
    st(kept[LINK], k, ld(kept[STOCK], FREE))
    st(kept[STOCK], FREE, k)
    st(kept[STOCK], LEFT, ld(kept[STOCK], LEFT) + 1)
    return after


@inline
def take_block(kept, p, vertices, distances, begin):
    """Move the last block of a list of head ``p`` to two arrays; its size, and the list's new head."""
    k = (p - 1) >> BLOCK_BITS
    filled = ((p - 1) & (BLOCK_ENTRIES - 1)) + 1
    for i in range(filled):
        st(vertices, begin + i, ld(kept[VERTEX], (k << BLOCK_BITS) + i))
        st(distances, begin + i, ld(kept[DISTANCE], (k << BLOCK_BITS) + i))
    return filled, (
        release(kept, k) + 1
    ) << BLOCK_BITS  # the block before is full, or there is none


@inline
def take(kept, at, vertices, distances, begin):
    """Move the last block of a list, if there is one, as ``take_block``; how many entries that were."""
    p = ld(kept[HEAD], at)
    if p == 0:
        return np.int64(0)
    filled, p = take_block(kept, p, vertices, distances, begin)
    st(kept[BLOCKS], at, ld(kept[BLOCKS], at) - 1)
    st(kept[HEAD], at, p)
    return filled


@inline
def clear(kept):
    """Forget all entries."""
    for at in range(lists(kept) + 1):
        p = ld(kept[HEAD], at)
        if p:
            k = (p - 1) >> BLOCK_BITS
            for _ in range(ld(kept[BLOCKS], at)):
                k = release(kept, k)
            st(kept[HEAD], at, 0)
            st(kept[BLOCKS], at, 0)
    st(kept[STOCK], LOWEST_FAR, LATER)


@inline
def lowest(kept, current):
    """The lowest bucket from ``current`` on that has entries, or ``LATER``."""
    ring = lists(kept)
    for k in range(ring):
        if ld(kept[HEAD], (current + k) & (ring - 1)) != 0:
            return min(current + k, ld(kept[STOCK], LOWEST_FAR))
    return ld(kept[STOCK], LOWEST_FAR)


@subroutine_maker
def refile(kept, at, keep, current, dist, width):
    """Put the valid entries of a list where they belong, or with ``keep`` back into the same list."""
    held_v = np.empty(BLOCK_ENTRIES, kept[VERTEX].dtype)
    held_d = np.empty(BLOCK_ENTRIES, kept[DISTANCE].dtype)
    ring = lists(kept)
    heads, counts = kept[HEAD], kept[BLOCKS]
    p = ld(heads, at)
    blocks = ld(counts, at)
    st(heads, at, 0)
    st(counts, at, 0)
    for _ in range(blocks):
        filled, p = take_block(kept, p, held_v, held_d, 0)  # the freed block may be used next
        for i in range(filled):
            if ld(held_d, i) == ld(dist, ld(held_v, i)):
                if keep:
                    add(kept, at, ld(held_v, i), ld(held_d, i))
                else:
                    put(kept, ring, current, ld(held_v, i), ld(held_d, i), width)


@subroutine_maker
def clean(kept, dist, width):
    """Drop all entries that are not valid."""
    for at in range(lists(kept) + 1):
        refile(kept, at, True, 0, dist, width)


@inline
def room_for(kept):
    """How many entries can be put even if they start a block in every list, and one for each 64."""
    return (ld(kept[STOCK], LEFT) - lists(kept) - 2) << BLOCK_BITS


@inline
def make_room(kept, entries, dist, width):
    """Make sure that ``entries`` can be put."""
    if room_for(kept) < entries:
        clean(kept, dist, width)


@inline
def sort_far(kept, current, dist, width):
    """Sort the far list into the ring, as far as that reaches, if ``current`` has come to it."""
    if ld(kept[STOCK], LOWEST_FAR) <= current:
        make_room(kept, 0, dist, width)  # a block for every list
        st(kept[STOCK], LOWEST_FAR, LATER)
        refile(kept, lists(kept), False, current, dist, width)
