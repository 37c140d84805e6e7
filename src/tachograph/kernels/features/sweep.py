"""A plain breadth-first sweep, for measuring a graph's diameter."""

from __future__ import annotations

from ..runtime.atomics import stop_at
from ..runtime.launch import inline, kernel

__all__ = ["sweep"]


@inline
def reach_neighbors(v, indptr, indices, level, queue, tail):
    """Queue the neighbours of ``v`` that nobody has seen; where the queue ends now."""
    for k in range(indptr[v], indptr[v + 1]):
        t = indices[k]
        if level[t] < 0:
            level[t] = level[v] + 1
            queue[tail] = t
            tail += 1
    return tail


@kernel
def sweep(stop, start, rows, back, both, level, queue):
    """Levels from ``start`` along arcs (and, with ``both``, against them).

    ``level`` holds -1 for vertices not seen. Returns the first vertex that was found in the last level.
    ``queue`` has room for every vertex, and each enters it at most once.
    """
    indptr, indices = rows
    back_indptr, back_indices = back
    level[start] = 0
    queue[0] = start
    head = 0
    tail = 1
    while head < tail:
        if stop_at(stop, head):
            break
        v = queue[head]
        head += 1
        tail = reach_neighbors(v, indptr, indices, level, queue, tail)
        if both:
            tail = reach_neighbors(v, back_indptr, back_indices, level, queue, tail)
    last = queue[tail - 1]
    first = tail - 1
    while first > 0 and level[queue[first - 1]] == level[last]:
        first -= 1
    return queue[first]
