"""Searches that meet vertices in one certain order: that of a queue, or of a heap of numbered entries.

Other searches here leave open which of several equally short paths is found. These settle it: rows are
looked through from their beginning, and of equally near vertices the one that was met first is first.
They run on one thread. ``order`` has a place for each vertex, and a vertex is written to it when its
parent is set, which happens once: so no store leaves the array. A source is its own parent.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np

from ..runtime.atomics import stop_at
from ..runtime.launch import inline, kernel, run, workers_for
from ..runtime.nouns import Rows, WeightedRows

T = TypeVar("T")
OUTSIDE, TAKEN = -1, -2  # places of vertices that are not yet, and no longer, in a heap


class Heap(NamedTuple):
    """Vertices by distance; of equal ones the one with the smaller number is first.

    ``places`` says where a vertex is in ``nodes``, which so holds each at most once.
    """

    keys: np.ndarray
    numbers: np.ndarray
    nodes: np.ndarray
    places: np.ndarray


@inline
def append_row(v, indptr, indices, order, parent, tail):
    """Append the neighbours of ``v`` that were not met yet; where the order ends then."""
    for k in range(indptr[v], indptr[v + 1]):
        u = indices[k]
        if parent[u] < 0:
            parent[u] = v
            order[tail] = u
            tail += 1
    return tail


@kernel
def queue_search(stop, rows, back, both, sources, limit, order, parent, ends):
    """Fill ``order`` level by level; ``ends[i]`` is where level i ends. The number of levels."""
    indptr, indices = rows
    back_indptr, back_indices = back
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
            if stop_at(stop, head):
                return levels
            v = order[head]
            head += 1
            tail = append_row(v, indptr, indices, order, parent, tail)
            if both:
                tail = append_row(v, back_indptr, back_indices, order, parent, tail)
            if tail == order.size:  # the rest of the level finds nothing new
                head = end
    return levels


def run_alone(worker: Callable[..., T], rows: Rows | WeightedRows, *arguments: object) -> T:
    """Call ``worker(stop, rows, *arguments)`` on one thread."""
    brief = workers_for("rows", rows.indptr.size + rows.indices.size)[1]
    found: list[T] = run(worker, [(rows, *arguments)], brief=brief)
    return found[0]


def breadth_first(
    rows: Rows, sources: np.ndarray, limit: float, back: Rows | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Vertices in the order in which a queue meets them, parents of all, and where levels end.

    With ``back``, the rows of the transpose, arcs are also taken against their direction.
    """
    n, ids = rows.indptr.size - 1, rows.indices.dtype
    order, parent = np.empty(n, ids), np.full(n, -1, ids)
    ends = np.empty(n + 1, np.int64)
    bound = int(min(max(limit, 0), n))
    ways = (rows if back is None else back, back is not None)
    levels = run_alone(queue_search, rows, *ways, sources, bound, order, parent, ends)
    ends = ends[:levels]
    return order[: ends[-1] if levels else 0], parent, ends


@inline
def before(heap, a, b):
    """Whether vertex ``a`` leaves the heap before ``b``."""
    keys, numbers, _, _ = heap
    return keys[a] < keys[b] or (keys[a] == keys[b] and numbers[a] < numbers[b])


@inline
def rise(heap, at):
    """Let the vertex at ``at`` rise to where it belongs; at most to 0."""
    _, _, nodes, places = heap
    v = nodes[at]
    while at > 0:
        above = (at - 1) // 2
        if not before(heap, v, nodes[above]):
            break
        nodes[at] = nodes[above]
        places[nodes[at]] = at
        at = above
    nodes[at] = v
    places[v] = at


@inline
def take_first(heap, size):
    """Remove the first vertex; the last one sinks from the top, within ``size - 1`` places."""
    _, _, nodes, places = heap
    first = nodes[0]
    places[first] = TAKEN
    size -= 1
    if size > 0:
        v = nodes[size]
        at = 0
        while True:
            child = 2 * at + 1
            if child >= size:
                break
            if child + 1 < size and before(heap, nodes[child + 1], nodes[child]):
                child += 1
            if not before(heap, nodes[child], v):
                break
            nodes[at] = nodes[child]
            places[nodes[at]] = at
            at = child
        nodes[at] = v
        places[v] = at
    return first


@kernel
def heap_search(stop, rows, sources, target, cutoff, heap, parent, order):
    """Dijkstra's algorithm; how many vertices were settled. The heap has a place for each vertex."""
    indptr, indices, weights = rows
    keys, numbers, nodes, places = heap
    size = np.int64(0)
    count = np.int64(0)
    for s in sources:
        if places[s] == OUTSIDE:
            keys[s] = 0.0
            parent[s] = s
            numbers[s] = count
            nodes[size] = s
            places[s] = size
            count += 1
            size += 1
    done = np.int64(0)
    while size > 0:
        if stop_at(stop, done):
            break
        v = take_first(heap, size)
        size -= 1
        order[done] = v
        done += 1
        if v == target:
            break
        for k in range(indptr[v], indptr[v + 1]):
            u = indices[k]
            d = keys[v] + weights[k]
            if places[u] != TAKEN and d < keys[u] and d <= cutoff:
                keys[u] = d
                parent[u] = v
                numbers[u] = count
                count += 1
                if places[u] == OUTSIDE:
                    places[u] = size
                    nodes[size] = u
                    size += 1
                rise(heap, places[u])
    return done


def nearest_first(
    rows: WeightedRows, sources: np.ndarray, target: int = -1, cutoff: float = np.inf
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Vertices as they are settled, parents, distances (of those in the order).

    Weights are float64 and not negative. The search ends when ``target`` is settled.
    """
    n, ids = rows.indptr.size - 1, rows.indices.dtype
    order, parent = np.empty(n, ids), np.full(n, -1, ids)
    keys, places = np.full(n, np.inf), np.full(n, OUTSIDE, np.int64)
    heap = Heap(keys, np.empty(n, np.int64), np.empty(n, ids), places)
    done = run_alone(heap_search, rows, sources, target, float(cutoff), heap, parent, order)
    return order[:done], parent, keys


@kernel
def replay(stop, rows, dist, group, free, sources, order, parent):
    """Walk through vertices by distance and write each to the next free place of its group.

    ``free[g]`` begins where group g does, and rises by one for each of its vertices. How many
    were written: all that were reached, if every distance is that of a neighbour plus the arc.
    """
    indptr, indices, weights = rows
    written = np.int64(0)
    for s in sources:
        if parent[s] < 0:
            parent[s] = s
            order[free[group[s]]] = s
            free[group[s]] += 1
            written += 1
    at = np.int64(0)
    while at < order.size and order[at] >= 0:
        if stop_at(stop, at):
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
    rows: WeightedRows, sources: np.ndarray, distances: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The order and the parents of :func:`nearest_first`, from its distances (inf if not reached)."""
    n, ids = rows.indptr.size - 1, rows.indices.dtype
    by_distance = np.argsort(distances, kind="stable")
    reached = int(np.count_nonzero(np.isfinite(distances)))
    sorted_distances = distances[by_distance[:reached]]
    new = np.ones(reached, np.bool_)
    new[1:] = sorted_distances[1:] != sorted_distances[:-1]
    group = np.zeros(n, np.int64)
    group[by_distance[:reached]] = np.cumsum(new) - 1
    free = np.flatnonzero(new)
    order, parent = np.full(reached, -1, ids), np.full(n, -1, ids)
    written = run_alone(replay, rows, distances, group, free, sources, order, parent)
    assert written == reached, "distances that no path has"
    return order, parent
