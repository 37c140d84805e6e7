"""Searches from both ends of a path, which meet somewhere between.

Without weights the smaller frontier goes on by a level; with weights the two take turns, one entry of
their heap at a time, also where that entry is out of date. So which of several equally short paths is
found depends on the rows only. One thread.
"""

from __future__ import annotations

import numpy as np

from ..runtime.atomics import stopped
from ..runtime.launch import inline, kernel, run

__all__ = ["meeting_path", "near_meeting_path"]

LOOK = 1024  # entries between two looks at the stop flag


@kernel
def meet(stop, indptr, indices, back_indptr, back_indices, source, target, before, behind, queues):
    """Search from both ends, the smaller frontier first; where they meet, or -1.

    ``before`` and ``behind`` are -1 where a search has not been; ``queues`` has a row for each search.
    """
    before[source] = source
    behind[target] = target
    queues[0, 0] = source
    queues[1, 0] = target
    lo = np.zeros(2, np.int64)
    hi = np.ones(2, np.int64)
    while lo[0] < hi[0] and lo[1] < hi[1]:
        if stopped(stop):
            return np.int64(-1)
        forward = hi[0] - lo[0] <= hi[1] - lo[1]
        side = 0 if forward else 1
        tail = hi[side]
        for i in range(lo[side], hi[side]):
            v = queues[side, i]
            first = indptr[v] if forward else back_indptr[v]
            last = indptr[v + 1] if forward else back_indptr[v + 1]
            for k in range(first, last):
                if forward:
                    u = indices[k]
                    if before[u] < 0:
                        before[u] = v
                        queues[0, tail] = u
                        tail += 1
                    if behind[u] >= 0:
                        return np.int64(u)
                else:
                    u = back_indices[k]
                    if behind[u] < 0:
                        behind[u] = v
                        queues[1, tail] = u
                        tail += 1
                    if before[u] >= 0:
                        return np.int64(u)
        lo[side] = hi[side]
        hi[side] = tail
    return np.int64(-1)


def meeting_path(
    indptr: np.ndarray,
    indices: np.ndarray,
    back_indptr: np.ndarray,
    back_indices: np.ndarray,
    source: int,
    target: int,
) -> list[int]:
    """A path with as few arcs as possible, by a search from both ends; empty if there is none."""
    if source == target:
        return [source]
    n = indptr.size - 1
    before, behind = np.full(n, -1, indices.dtype), np.full(n, -1, indices.dtype)
    queues = np.empty((2, n), indices.dtype)
    rows = (indptr, indices, back_indptr, back_indices)
    middle = int(run(meet, [(*rows, source, target, before, behind, queues)], brief=True)[0])
    return joined(middle, before, behind)


def joined(middle: int, before: np.ndarray, behind: np.ndarray) -> list[int]:
    """The path through a vertex where two searches met; empty if they did not."""
    if middle < 0:
        return []
    path = [middle]
    while (v := int(before[path[-1]])) != path[-1]:
        path.append(v)
    path.reverse()
    while (v := int(behind[path[-1]])) != path[-1]:
        path.append(v)
    return path


@inline
def put(keys, numbers, nodes, side, size, key, number, v):
    """Add an entry to a side's heap behind its ``size`` ones."""
    at = size
    while at > 0:
        above = (at - 1) // 2
        if keys[side, above] < key or (keys[side, above] == key and numbers[side, above] < number):
            break
        keys[side, at] = keys[side, above]
        numbers[side, at] = numbers[side, above]
        nodes[side, at] = nodes[side, above]
        at = above
    keys[side, at] = key
    numbers[side, at] = number
    nodes[side, at] = v


@inline
def drop_first(keys, numbers, nodes, side, size):
    """Remove the first of a side's ``size`` entries: the last one sinks from the top."""
    last = size - 1
    key = keys[side, last]
    number = numbers[side, last]
    v = nodes[side, last]
    at = 0
    while True:
        child = 2 * at + 1
        if child >= last:
            break
        if child + 1 < last and (
            keys[side, child + 1] < keys[side, child]
            or (
                keys[side, child + 1] == keys[side, child]
                and numbers[side, child + 1] < numbers[side, child]
            )
        ):
            child += 1
        if key < keys[side, child] or (key == keys[side, child] and number < numbers[side, child]):
            break
        keys[side, at] = keys[side, child]
        numbers[side, at] = numbers[side, child]
        nodes[side, at] = nodes[side, child]
        at = child
    keys[side, at] = key
    numbers[side, at] = number
    nodes[side, at] = v


@kernel
def meet_near(
    stop,
    indptr,
    indices,
    weights,
    back_indptr,
    back_indices,
    back_weights,
    source,
    target,
    seen,
    settled,
    parent,
    keys,
    numbers,
    nodes,
):
    """Dijkstra's algorithm from both ends; where the shortest path passes, or -1, and its length.

    Arrays have a row for each end. A vertex is settled once for each end, and each of its arcs then
    adds at most one entry: so heaps need a place for each arc, and one for the end itself.
    """
    parent[0, source] = source
    parent[1, target] = target
    seen[0, source] = 0.0
    seen[1, target] = 0.0
    put(keys, numbers, nodes, 0, 0, 0.0, 0, source)
    put(keys, numbers, nodes, 1, 0, 0.0, 1, target)
    sizes = np.ones(2, np.int64)
    count = np.int64(2)
    length = np.inf
    middle = np.int64(-1)
    side = 1
    turns = np.int64(0)
    while sizes[0] > 0 and sizes[1] > 0:
        turns += 1
        if turns % LOOK == 0 and stopped(stop):
            return np.int64(-1), np.inf
        side = 1 - side
        d = keys[side, 0]
        v = nodes[side, 0]
        drop_first(keys, numbers, nodes, side, sizes[side])
        sizes[side] -= 1
        if settled[side, v]:
            continue
        settled[side, v] = True
        if settled[1 - side, v]:
            return middle, length
        first = indptr[v] if side == 0 else back_indptr[v]
        last = indptr[v + 1] if side == 0 else back_indptr[v + 1]
        for k in range(first, last):
            u = indices[k] if side == 0 else back_indices[k]
            there = d + (weights[k] if side == 0 else back_weights[k])
            if not settled[side, u] and there < seen[side, u]:
                seen[side, u] = there
                put(keys, numbers, nodes, side, sizes[side], there, count, u)
                sizes[side] += 1
                count += 1
                parent[side, u] = v
                if seen[1 - side, u] < np.inf and there + seen[1 - side, u] < length:
                    length = there + seen[1 - side, u]
                    middle = np.int64(u)
    return np.int64(-1), np.inf


def near_meeting_path(
    indptr: np.ndarray,
    indices: np.ndarray,
    weights: np.ndarray,
    back_indptr: np.ndarray,
    back_indices: np.ndarray,
    back_weights: np.ndarray,
    source: int,
    target: int,
) -> tuple[float, list[int]]:
    """Length and vertices of a shortest path between two vertices; no vertices if there is none.

    Weights are float64 and not negative.
    """
    n, places = indptr.size - 1, indices.size + 1
    seen, settled = np.full((2, n), np.inf), np.zeros((2, n), np.bool_)
    parent = np.full((2, n), -1, indices.dtype)
    heaps = (
        np.empty((2, places)),
        np.empty((2, places), np.int64),
        np.empty((2, places), indices.dtype),
    )
    rows = (indptr, indices, weights, back_indptr, back_indices, back_weights)
    middle, length = run(
        meet_near, [(*rows, source, target, seen, settled, parent, *heaps)], brief=True
    )[0]
    return float(length), joined(int(middle), parent[0], parent[1])
