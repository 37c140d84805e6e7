"""Searches that meet vertices in one certain order: that of a queue, or of a heap of numbered entries.

Other searches here leave open which of several equally short paths is found. These settle it: rows are
looked through from their beginning, and of equally near vertices the one that was met first is first.
They run on one thread. ``order`` has a place for each vertex, and a vertex is written to it when its
parent is set, which happens once: so no store leaves the array. A source is its own parent.
"""

from __future__ import annotations

import numpy as np

from ..runtime.atomics import stopped
from ..runtime.launch import inline, kernel, run

__all__ = ["breadth_first", "nearest_first", "settle"]

LOOK = 4096  # vertices between two looks at the stop flag


@kernel
def queue_search(stop, indptr, indices, sources, limit, order, parent, ends):
    """Fill ``order`` level by level; ``ends[i]`` is where level i ends. The number of levels."""
    tail = np.int64(0)
    for s in sources:
        if parent[s] < 0:
            parent[s] = s
            order[tail] = s
            tail += 1
    head = np.int64(0)
    levels = np.int64(0)
    while head < tail:
        ends[levels] = tail
        levels += 1
        if levels > limit:
            break
        end = tail
        while head < end:
            if head % LOOK == 0 and stopped(stop):
                return levels
            v = order[head]
            head += 1
            for k in range(indptr[v], indptr[v + 1]):
                u = indices[k]
                if parent[u] < 0:
                    parent[u] = v
                    order[tail] = u
                    tail += 1
            if tail == order.size:  # the rest of the level finds nothing new
                head = end
    return levels


def breadth_first(
    indptr: np.ndarray, indices: np.ndarray, sources: np.ndarray, limit: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Vertices in the order in which a queue meets them, parents of all, and where levels end."""
    n = indptr.size - 1
    order, parent = np.empty(n, indices.dtype), np.full(n, -1, indices.dtype)
    ends = np.empty(n + 1, np.int64)
    bound = int(min(max(limit, 0), n))
    levels = run(
        queue_search, [(indptr, indices, sources, bound, order, parent, ends)], brief=True
    )[0]
    ends = ends[:levels]
    return order[: ends[-1] if levels else 0], parent, ends


@inline
def before(key, number, a, b):
    """Whether ``a`` leaves the heap before ``b``."""
    return key[a] < key[b] or (key[a] == key[b] and number[a] < number[b])


@inline
def rise(heap, place, key, number, at):
    """Let the vertex at ``at`` rise to where it belongs; at most to 0."""
    v = heap[at]
    while at > 0:
        above = (at - 1) // 2
        if not before(key, number, v, heap[above]):
            break
        heap[at] = heap[above]
        place[heap[at]] = at
        at = above
    heap[at] = v
    place[v] = at


@inline
def take_first(heap, place, key, number, size):
    """Remove the first vertex; the last one sinks from the top, within ``size - 1`` places."""
    first = heap[0]
    place[first] = -2
    size -= 1
    if size > 0:
        v = heap[size]
        at = 0
        while True:
            child = 2 * at + 1
            if child >= size:
                break
            if child + 1 < size and before(key, number, heap[child + 1], heap[child]):
                child += 1
            if not before(key, number, heap[child], v):
                break
            heap[at] = heap[child]
            place[heap[at]] = at
            at = child
        heap[at] = v
        place[v] = at
    return first


@kernel
def heap_search(
    stop, indptr, indices, weights, sources, target, cutoff, key, number, parent, heap, place, order
):
    """Dijkstra's algorithm; how many vertices were settled.

    ``place[v]`` is where v is in the heap, -1 before, -2 behind it; so the heap holds each vertex at
    most once, in ``order.size`` places.
    """
    size = np.int64(0)
    count = np.int64(0)
    for s in sources:
        if place[s] == -1:
            key[s] = 0.0
            parent[s] = s
            number[s] = count
            heap[size] = s
            place[s] = size
            count += 1
            size += 1
    done = np.int64(0)
    while size > 0:
        if done % LOOK == 0 and stopped(stop):
            break
        v = take_first(heap, place, key, number, size)
        size -= 1
        order[done] = v
        done += 1
        if v == target:
            break
        for k in range(indptr[v], indptr[v + 1]):
            u = indices[k]
            d = key[v] + weights[k]
            if place[u] != -2 and d < key[u] and d <= cutoff:
                key[u] = d
                parent[u] = v
                number[u] = count
                count += 1
                if place[u] == -1:
                    place[u] = size
                    heap[size] = u
                    size += 1
                rise(heap, place, key, number, place[u])
    return done


def nearest_first(
    indptr: np.ndarray,
    indices: np.ndarray,
    weights: np.ndarray,
    sources: np.ndarray,
    target: int = -1,
    cutoff: float = np.inf,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Vertices as they are settled, parents, distances (of those in the order).

    ``weights`` are float64 and not negative. The search ends when ``target`` is settled.
    """
    n = indptr.size - 1
    order, heap = np.empty(n, indices.dtype), np.empty(n, indices.dtype)
    key, number = np.full(n, np.inf), np.empty(n, np.int64)
    parent, place = np.full(n, -1, indices.dtype), np.full(n, -1, np.int64)
    arguments = (
        indptr,
        indices,
        weights,
        sources,
        target,
        float(cutoff),
        key,
        number,
        parent,
        heap,
    )
    done = run(heap_search, [(*arguments, place, order)], brief=True)[0]
    return order[:done], parent, key


@kernel
def replay(stop, indptr, indices, weights, dist, group, free, sources, order, parent):
    """Walk through vertices by distance and write each to the next free place of its group.

    ``free[g]`` begins where group g does, and rises by one for each of its vertices. How many
    were written: all that were reached, if every distance is that of a neighbour plus the arc.
    """
    written = np.int64(0)
    for s in sources:
        if parent[s] < 0:
            parent[s] = s
            order[free[group[s]]] = s
            free[group[s]] += 1
            written += 1
    at = np.int64(0)
    while at < order.size and order[at] >= 0:
        if at % LOOK == 0 and stopped(stop):
            break
        v = order[at]
        at += 1
        for k in range(indptr[v], indptr[v + 1]):
            u = indices[k]
            if parent[u] < 0 and dist[v] + weights[k] == dist[u]:
                parent[u] = v
                order[free[group[u]]] = u
                free[group[u]] += 1
                written += 1
    return written


def settle(
    indptr: np.ndarray,
    indices: np.ndarray,
    weights: np.ndarray,
    sources: np.ndarray,
    distances: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """The order and the parents of :func:`nearest_first`, from its distances (inf if not reached)."""
    n = indptr.size - 1
    by_distance = np.argsort(distances, kind="stable")
    reached = int(np.count_nonzero(np.isfinite(distances)))
    sorted_distances = distances[by_distance[:reached]]
    new = np.ones(reached, np.bool_)
    new[1:] = sorted_distances[1:] != sorted_distances[:-1]
    group = np.zeros(n, np.int64)
    group[by_distance[:reached]] = np.cumsum(new) - 1
    free = np.flatnonzero(new)
    order, parent = np.full(reached, -1, indices.dtype), np.full(n, -1, indices.dtype)
    arguments = (indptr, indices, weights, distances, group, free, sources, order, parent)
    written = run(replay, [arguments], brief=True)[0]
    assert written == reached, "distances that no path has"
    return order, parent
