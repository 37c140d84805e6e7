"""How far a search gets that only continues from vertices of certain degrees."""

from __future__ import annotations

from ..runtime.atomics import ld, st
from ..runtime.launch import kernel

__all__ = ["reach"]


@kernel
def reach(stop, indptr, indices, sources, low, high, limit, seen, queue):
    """Arcs of vertices with ``low`` to ``high`` arcs that are reached through such, up to ``limit``,
    and the hops that takes.

    ``seen`` has an entry for each vertex, all 0 before and after. Bounds: every vertex in the queue
    is a source or has added at least one arc, and nothing is added from ``limit`` on: ``sources.size
    + limit`` slots are enough. Rows that are looked at are those of sources and of counted arcs, so
    this takes microseconds unless a source has very many.
    """
    held = 0
    for i in range(sources.size):
        v = ld(sources, i)
        if ld(seen, v) == 0:
            st(seen, v, 1)
            st(queue, held, v)
            held += 1
    head = 0
    arcs = 0
    hops = 0
    level = 0  # where the level that is looked at ends
    while head < held and arcs < limit:
        if head == level:
            hops += 1
            level = held
        u = ld(queue, head)
        head += 1
        for k in range(ld(indptr, u), ld(indptr, u + 1)):
            v = ld(indices, k)
            degree = ld(indptr, v + 1) - ld(indptr, v)
            if ld(seen, v) or degree == 0 or degree < low or degree > high:
                continue
            st(seen, v, 1)
            st(queue, held, v)
            held += 1
            arcs += degree
            if arcs >= limit:
                break
    for i in range(held):
        st(seen, ld(queue, i), 0)
    return min(arcs, limit), hops
