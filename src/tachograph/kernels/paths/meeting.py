"""Searches from both ends of a path, which meet somewhere between.

Without weights the smaller frontier goes on by a level; with weights the two take turns, one entry of
their heap at a time, also where that entry is out of date. So which of several equally short paths is
found depends on the rows only. One thread.

Encoding: every array of a search has a row for each end, 0 for the source and 1 for the target. The
first searches the rows of the graph, the second those of its transpose. ``parent`` is -1 where a search
has not been, and an end is its own parent.

Bounds: a vertex enters each queue once, when it gets its parent. It is settled once for each end, and
each of its arcs then adds at most one entry: so heaps need a place for each arc, and one for the end.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..runtime.atomics import stop_at, stopped
from ..runtime.launch import inline, kernel
from ..runtime.nouns import Rows, WeightedRows
from .ordered import run_alone


class Heaps(NamedTuple):
    """A heap for each end: distances, numbers that decide between equal ones, and vertices."""

    keys: np.ndarray
    numbers: np.ndarray
    nodes: np.ndarray


@kernel
def meet(stop, rows, back, source, target, parent, queues):
    """Search from both ends, the smaller frontier first; where they meet, or -1."""
    indptr, indices = rows
    back_indptr, back_indices = back
    parent[0, source] = source
    parent[1, target] = target
    queues[0, 0] = source
    queues[1, 0] = target
    lo = np.zeros(2, np.int64)
    hi = np.ones(2, np.int64)
    while lo[0] < hi[0] and lo[1] < hi[1]:
        if stopped(stop):
            return np.int64(-1)
        side = 0 if hi[0] - lo[0] <= hi[1] - lo[1] else 1
        tail = hi[side]
        for i in range(lo[side], hi[side]):
            v = queues[side, i]
            first = indptr[v] if side == 0 else back_indptr[v]
            last = indptr[v + 1] if side == 0 else back_indptr[v + 1]
            for k in range(first, last):
                u = indices[k] if side == 0 else back_indices[k]
                if parent[side, u] < 0:
                    parent[side, u] = v
                    queues[side, tail] = u
                    tail += 1
                if parent[1 - side, u] >= 0:
                    return np.int64(u)
        lo[side] = hi[side]
        hi[side] = tail
    return np.int64(-1)


def meeting_path(rows: Rows, back: Rows, source: int, target: int) -> list[int]:
    """A path of as few arcs as possible; empty if there is none. ``back``: rows of the transpose."""
    if source == target:
        return [source]
    n, ids = rows.indptr.size - 1, rows.indices.dtype
    parent, queues = np.full((2, n), -1, ids), np.empty((2, n), ids)
    middle = run_alone(meet, rows, back, source, target, parent, queues)
    return joined(int(middle), *parent)


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
def put(heaps, side, size, key, number, v):
    """Add an entry to a side's heap behind its ``size`` ones."""
    keys, numbers, nodes = heaps
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
def earlier(heaps, side, a, b):
    """Whether the entry at ``a`` leaves a side's heap before the one at ``b``."""
    keys, numbers, _ = heaps
    if keys[side, a] == keys[side, b]:
        return numbers[side, a] < numbers[side, b]
    return keys[side, a] < keys[side, b]


@inline
def drop_first(heaps, side, size):
    """Remove the first of a side's ``size`` entries: the last one sinks from the top."""
    keys, numbers, nodes = heaps
    last = size - 1
    at = 0
    while True:
        child = 2 * at + 1
        if child >= last:
            break
        if child + 1 < last and earlier(heaps, side, child + 1, child):
            child += 1
        if earlier(heaps, side, last, child):
            break
        keys[side, at] = keys[side, child]
        numbers[side, at] = numbers[side, child]
        nodes[side, at] = nodes[side, child]
        at = child
    keys[side, at] = keys[side, last]
    numbers[side, at] = numbers[side, last]
    nodes[side, at] = nodes[side, last]


@kernel
def meet_near(stop, rows, back, ends, seen, settled, parent, heaps):
    """Dijkstra's algorithm from both ends; where the shortest path passes, or -1, and its length."""
    indptr, indices, weights = rows
    back_indptr, back_indices, back_weights = back
    keys, _, nodes = heaps
    sizes = np.ones(2, np.int64)
    for side in range(2):
        parent[side, ends[side]] = ends[side]
        seen[side, ends[side]] = 0.0
        put(heaps, side, 0, 0.0, side, ends[side])
    count = np.int64(2)
    length = np.inf
    middle = np.int64(-1)
    side = 1
    turns = np.int64(0)
    while sizes[0] > 0 and sizes[1] > 0:
        turns += 1
        if stop_at(stop, turns):
            return np.int64(-1), np.inf
        side = 1 - side
        d = keys[side, 0]
        v = nodes[side, 0]
        drop_first(heaps, side, sizes[side])
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
                put(heaps, side, sizes[side], there, count, np.int64(u))
                sizes[side] += 1
                count += 1
                parent[side, u] = v
                if seen[1 - side, u] < np.inf and there + seen[1 - side, u] < length:
                    length = there + seen[1 - side, u]
                    middle = np.int64(u)
    return np.int64(-1), np.inf


def near_meeting_path(
    rows: WeightedRows, back: WeightedRows, source: int, target: int
) -> tuple[float, list[int]]:
    """Length and vertices of a shortest path between two vertices; no vertices if there is none.

    ``back`` are the rows of the transpose. Weights are float64 and not negative.
    """
    n, places, ids = rows.indptr.size - 1, rows.indices.size + 1, rows.indices.dtype
    seen, settled = np.full((2, n), np.inf), np.zeros((2, n), np.bool_)
    parent = np.full((2, n), -1, ids)
    heaps = Heaps(
        np.empty((2, places)), np.empty((2, places), np.int64), np.empty((2, places), ids)
    )
    given = (back, (source, target), seen, settled, parent, heaps)
    middle, length = run_alone(meet_near, rows, *given)
    return float(length), joined(int(middle), *parent)
