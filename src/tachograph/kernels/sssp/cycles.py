"""Cycles of negative weight, and trees of shortest paths: what can be said once distances are known."""

from __future__ import annotations

import math

import numpy as np

from ..rows.passes import over_rows
from ..runtime.atomics import fetch_min, ld, stop_at
from ..runtime.launch import kernel, run
from ..runtime.nouns import WeightedRows

SLACK = 1e-9  # of the numbers, by which arcs with negative float weights may miss


@kernel
def relax_all(stop, rows, dist, best, parent, arc, ties):
    """Relax every arc once, in order, from ``dist`` to ``best``; whether a distance was lowered.

    With ``ties``, an arc that only keeps the distance of a vertex becomes its own if it has none.
    """
    indptr, indices, weights = rows
    changed = False
    for u in range(indptr.size - 1):
        if stop_at(stop, u):
            return False
        if dist[u] < np.inf:
            for k in range(indptr[u], indptr[u + 1]):
                v = indices[k]
                d = dist[u] + weights[k]
                if d < best[v] or (ties and d == best[v] and parent[v] < 0):
                    best[v] = d
                    parent[v] = u
                    arc[v] = k
                    changed = True
    return changed


@kernel
def on_cycle(stop, parent, mark, begin):
    """A vertex on a cycle of parents that is found from ``begin`` on or later; -1 if there is none.

    ``mark`` remembers between calls which vertices were seen, and from where.
    """
    for start in range(begin, parent.size):
        v = start
        while v >= 0 and mark[v] < 0:
            mark[v] = start
            v = parent[v]
        if v >= 0 and mark[v] == start:
            return v
    return -1


def _cycles(
    parent: np.ndarray, arc: np.ndarray, weights: np.ndarray
) -> tuple[list[int], float] | None:
    """The first cycle of parents whose weight is negative, from its smallest vertex on."""
    mark = np.full(parent.size, -1, np.int64)
    begin = 0
    while True:
        v = run(on_cycle, [(parent, mark, begin)], brief=True)[0]
        if v < 0:
            return None
        cycle = [int(v)]
        while (u := int(parent[cycle[-1]])) != v:
            cycle.append(u)
        weight = math.fsum(float(weights[arc[u]]) for u in cycle)
        if weight < 0:
            cycle.reverse()
            first = cycle.index(min(cycle))
            return cycle[first:] + cycle[:first], weight
        begin = int(mark[v]) + 1


def negative_cycle(
    rows: WeightedRows, distances: np.ndarray, *, certain: bool
) -> tuple[list[int], float] | None:
    """The vertices of a cycle of negative weight, and that weight, from distances that do not settle.

    Without ``certain`` one look is taken, which finds a cycle only if distances have gone around it.
    With it, arcs are relaxed on until the last arcs used make a cycle; None then means that
    distances settle after all.
    """
    n = rows.indptr.size - 1
    parent, arc = np.full(n, -1, np.int64), np.full(n, -1, np.int64)
    run(relax_all, [(rows, distances, distances.copy(), parent, arc, True)])
    found = _cycles(parent, arc, rows.weights)
    if found or not certain:
        return found
    parent[:] = arc[:] = -1
    distances = distances.copy()
    for _ in range(n + 1):
        if not run(relax_all, [(rows, distances, distances, parent, arc, False)])[0]:
            return None
        if found := _cycles(parent, arc, rows.weights):
            return found
    return None


@kernel
def strict_parents(stop, lo, hi, indptr, indices, weights, dist, parent):
    """Give each vertex the smallest parent that is nearer and on a path that is not longer."""
    for u in range(lo, hi):
        if stop_at(stop, u):
            return
        du = ld(dist, u)
        if du < np.inf:
            for k in range(ld(indptr, u), ld(indptr, u + 1)):
                v = ld(indices, k)
                d = ld(dist, v)
                if du + ld(weights, k) <= d and du < d and u < ld(parent, v):
                    fetch_min(parent, v, u)


@kernel
def search_tight(stop, rows, dist, sources, parent, queue, slack):
    """Give parents along the arcs that keep to the distances, up to a relative ``slack``; how many."""
    indptr, indices, weights = rows
    parent[:] = -1
    tail = 0
    for s in sources:
        parent[s] = s
        queue[tail] = s
        tail += 1
    head = 0
    while head < tail:
        if stop_at(stop, head):
            return tail
        u = queue[head]
        head += 1
        for k in range(indptr[u], indptr[u + 1]):
            v = indices[k]
            room = slack * (abs(dist[v]) + abs(weights[k]))
            if parent[v] < 0 and dist[v] < np.inf and dist[u] + weights[k] - dist[v] <= room:
                parent[v] = u
                queue[tail] = v
                tail += 1
    return tail


def shortest_path_tree(
    rows: WeightedRows, distances: np.ndarray, sources: np.ndarray
) -> np.ndarray:
    """A predecessor for each vertex, from distances; sources are their own, -1 if not reached.

    It is the smallest vertex that is nearer; where paths go on without getting longer (arcs of weight
    zero, or below), a search from the sources decides. The same for any number of threads. Where
    distances are approximate, a path may be shorter than they say.
    """
    n, ids = rows.indptr.size - 1, rows.indices.dtype
    nothing = np.iinfo(ids).max
    parent = np.full(n, nothing, ids)
    over_rows(strict_parents, *rows, distances, parent)
    roots = sources[distances[sources] == 0]  # another source may be nearer by negative arcs
    parent[roots] = roots
    parent[np.isinf(distances)] = -1
    if (parent == nothing).any():
        queue = np.empty(n, ids)
        reached = int(np.isfinite(distances).sum())
        for slack in (0.0, SLACK):  # rounding may have led around a cycle of weight zero
            call = (rows, distances, roots, parent, queue, slack)
            if run(search_tight, [call])[0] == reached:
                break
    return parent
