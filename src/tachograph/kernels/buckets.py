"""Buckets of vertices by distance, one set for each worker: what delta-stepping keeps its work in.

Bucket b holds vertices whose tentative distance lies in ``[b * delta, (b + 1) * delta)``. The next
``ring`` buckets have a list each; what is farther away shares one more list and is sorted into the
ring when its time has come. ``delta`` is a power of two, so the bucket of a distance is exact: a shift
for integers, a product for floats (``width`` is the shift or the reciprocal).

A set is a tuple of arrays: ``vertex`` and ``distance`` are the entries, in blocks of 64; ``link``
joins the blocks of a list; ``head`` is where a list's next entry goes (0: it is empty), ``count`` its
number of blocks; ``state`` has the first free block, the first unused one, how many are free or
unused, and the lowest bucket of the far list.

Bounds: an entry is *valid* while its distance is the vertex's distance. A worker adds an entry only
when it has lowered a distance, so it has at most one valid entry for each vertex. :func:`make_room`
throws the others out when blocks run short: then at most n / 64 full blocks and one more for each
list are in use; a set has twice as many, and more for what is put at a time.
"""

from __future__ import annotations

import numpy as np
from numba import types
from numba.extending import overload

from .machine import ld, st
from .runtime import inline, kernel

# fmt: off
__all__ = ["BLOCK", "LATER", "bucket_of", "clean", "clear", "lowest", "make_room", "new_set", "put",
           "ring_size", "room_for", "size_of", "sort_far", "take"]
# fmt: on

BITS = 6
BLOCK = 1 << BITS
FREE, UNUSED, LEFT, FAR = 0, 1, 2, 3
LATER = np.int64(1) << 62  # no bucket at all
RING = 512  # buckets with a list of their own, at most


def bucket_of(distance, width):
    """The bucket of a distance: compiled code only."""
    raise NotImplementedError


@overload(bucket_of)
def _bucket_of(distance, width):
    if isinstance(width, types.Integer):
        return lambda distance, width: np.int64(distance) >> width
    return lambda distance, width: np.int64(min(distance * width, 2.0**61))


def ring_size(heaviest: float, delta: float) -> int:
    """A power of two that is enough for arcs up to ``heaviest``, within limits."""
    needed = min(heaviest / delta + 3, RING)
    return 1 << max(1, int(np.ceil(np.log2(needed))))


@inline
def new_set(n, ring, most, vertices, distances):
    """An empty set for the types of two arrays and up to ``most`` entries put at a time."""
    blocks = 2 * (n >> BITS) + 2 * (ring + 1) + (most >> BITS) + 8
    state = np.empty(4, np.int64)
    made = (
        np.empty(blocks << BITS, vertices.dtype),
        np.empty(blocks << BITS, distances.dtype),
        np.empty(blocks, np.int64),
        np.zeros(ring + 1, np.int64),
        np.zeros(ring + 1, np.int64),
        state,
    )
    state[FREE] = -1
    state[UNUSED] = 1  # block 0 stays unused: a head of 0 means an empty list
    state[LEFT] = blocks - 1
    state[FAR] = LATER
    return made


@inline
def add(kept, at, v, d):
    """Append to the list ``at``."""
    vertex, distance, link, head, count, state = kept
    p = ld(head, at)
    if p & (BLOCK - 1) == 0:
        k = ld(state, FREE)
        if k >= 0:
            st(state, FREE, ld(link, k))
        else:
            k = ld(state, UNUSED)
            st(state, UNUSED, k + 1)
        st(state, LEFT, ld(state, LEFT) - 1)
        st(link, k, (p - 1) >> BITS)
        st(count, at, ld(count, at) + 1)
        p = k << BITS
    st(vertex, p, v)
    st(distance, p, d)
    st(head, at, p + 1)


@inline
def put(kept, current, v, d, width):
    """Add vertex ``v`` at distance ``d``, not below bucket ``current``."""
    ring = kept[3].size - 1
    b = bucket_of(d, width)
    if b < current + ring:
        add(kept, b & (ring - 1), v, d)
    else:
        add(kept, ring, v, d)
        state = kept[5]
        st(state, FAR, min(ld(state, FAR), b))


@inline
def size_of(kept, at):
    """Entries in a list, those that are no longer valid counted too."""
    head, count = kept[3], kept[4]
    p = ld(head, at)
    if p == 0:
        return np.int64(0)
    return ((ld(count, at) - 1) << BITS) + ((p - 1) & (BLOCK - 1)) + 1


@inline
def release(kept, k):
    """Give block ``k`` back; the block that follows it in its list."""
    link, state = kept[2], kept[5]
    after = ld(link, k)
    st(link, k, ld(state, FREE))
    st(state, FREE, k)
    st(state, LEFT, ld(state, LEFT) + 1)
    return after


@inline
def take(kept, at, vertices, distances, begin):
    """Move the last block of a list, if there is one, to the places from ``begin`` of two arrays;
    how many entries that were.
    """
    vertex, distance, _, head, count, _ = kept
    p = ld(head, at)
    if p == 0:
        return np.int64(0)
    k = (p - 1) >> BITS
    filled = ((p - 1) & (BLOCK - 1)) + 1
    for i in range(filled):
        st(vertices, begin + i, ld(vertex, (k << BITS) + i))
        st(distances, begin + i, ld(distance, (k << BITS) + i))
    after = release(kept, k)
    st(count, at, ld(count, at) - 1)
    st(head, at, (after + 1) << BITS)  # the one before is full; after is -1 if there is none
    return filled


@inline
def clear(kept):
    """Forget all entries."""
    _, _, _, head, count, state = kept
    for at in range(head.size):
        p = ld(head, at)
        if p:
            k = (p - 1) >> BITS
            for _ in range(ld(count, at)):
                k = release(kept, k)
            st(head, at, 0)
            st(count, at, 0)
    st(state, FAR, LATER)


@inline
def lowest(kept, current):
    """The lowest bucket from ``current`` on that has entries, or ``LATER``."""
    head, state = kept[3], kept[5]
    ring = head.size - 1
    for k in range(ring):
        if ld(head, (current + k) & (ring - 1)) != 0:
            return min(current + k, ld(state, FAR))
    return ld(state, FAR)


@kernel
def refile(kept, at, keep, current, dist, width):
    """Drop the entries of a list that are not valid; put the others where they belong when
    ``current`` is the lowest bucket, or with ``keep`` back into the same list.
    """
    vertex, distance, _, head, count, _ = kept
    held_v = np.empty(BLOCK, vertex.dtype)
    held_d = np.empty(BLOCK, distance.dtype)
    p = ld(head, at)
    blocks = ld(count, at)
    st(head, at, 0)
    st(count, at, 0)
    for _ in range(blocks):
        k = (p - 1) >> BITS
        filled = ((p - 1) & (BLOCK - 1)) + 1
        for i in range(filled):  # copied first: the freed block may be the next one used
            st(held_v, i, ld(vertex, (k << BITS) + i))
            st(held_d, i, ld(distance, (k << BITS) + i))
        p = (release(kept, k) + 1) << BITS
        for i in range(filled):
            if ld(held_d, i) == ld(dist, ld(held_v, i)):
                if keep:
                    add(kept, at, ld(held_v, i), ld(held_d, i))
                else:
                    put(kept, current, ld(held_v, i), ld(held_d, i), width)


@kernel
def clean(kept, dist, width):
    """Drop all entries that are not valid."""
    for at in range(kept[3].size):
        refile(kept, at, True, 0, dist, width)


@inline
def room_for(kept):
    """How many entries can be put for certain: they start a block in every list at most, and one
    more for each 64. After :func:`clean` that is what the set was made for.
    """
    return (ld(kept[5], LEFT) - kept[3].size - 1) << BITS


@inline
def make_room(kept, entries, dist, width):
    """Make sure that ``entries`` can be put."""
    if room_for(kept) < entries:
        clean(kept, dist, width)


@inline
def sort_far(kept, current, dist, width):
    """Sort the far list into the ring, as far as that reaches, if ``current`` has come to it."""
    if ld(kept[5], FAR) <= current:
        make_room(kept, 0, dist, width)  # a block for every list
        st(kept[5], FAR, LATER)
        refile(kept, kept[3].size - 1, False, current, dist, width)
