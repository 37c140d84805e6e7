"""All pairs of vertices with a common neighbour, a row at a time.

Method: for a vertex u the neighbours of its neighbours are visited, and what each has in common with u
is summed in an array with a place for every vertex; those touched are noted in a list of the same
length, and cleared afterwards. So a worker needs 12 or 16 bytes for each vertex, however many pairs
there are. With weights the sums are of the smaller of two weights or, for the cosine, of their
products. ``back`` are the rows of the transpose: who has w as neighbour.

Bounds: a vertex is touched once for each u, so a list of n is enough; ``count`` finds how many pairs
``fill`` writes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..runtime.atomics import fetch_add, ld, st, stopped
from ..runtime.launch import inline, kernel
from ..runtime.team import TICKET
from .edges import COSINE, similarity_of

__all__ = ["Best", "Measure", "best", "count", "fill"]

ROWS_PER_TICKET = 16  # rows that a worker takes at a time


class Measure(NamedTuple):
    """Which similarity, and the size of each vertex's row."""

    kind: int
    sizes: np.ndarray


class Sums(NamedTuple):
    """What vertices have in common with one (NaN: not touched), and a list of those touched."""

    common: np.ndarray
    touched: np.ndarray


class Best(NamedTuple):
    """Partners of every vertex u from ``u * k`` on, their similarity, and how many there are."""

    targets: np.ndarray
    values: np.ndarray
    held: np.ndarray


@inline
def _gather(u, above, rows, back, kind, sums):
    """Sum what vertices beyond ``above`` other than u have in common with it; how many there are."""
    indptr, indices, weights = rows
    back_ptr, back_indices, back_weights = back
    common, touched = sums
    weighted = weights.size > 0
    used = np.int64(0)
    for k in range(ld(indptr, u), ld(indptr, u + 1)):
        w = ld(indices, k)
        for j in range(ld(back_ptr, w), ld(back_ptr, w + 1)):
            x = np.int64(ld(back_indices, j))
            if x <= above or x == u:
                continue
            more = 1.0
            if weighted:
                a = ld(weights, k)
                b = ld(back_weights, j)
                more = a * b if kind == COSINE else min(a, b)
            before = ld(common, x)
            if before != before:  # not touched yet
                st(touched, used, x)
                used += 1
                before = 0.0
            st(common, x, before + more)
    return used


@inline
def _sort(array, used):
    """Shell's sort of the first ``used`` entries."""
    gap = used >> 1
    while gap > 0:
        for i in range(gap, used):
            x = ld(array, i)
            j = i
            while j >= gap and ld(array, j - gap) > x:
                st(array, j, ld(array, j - gap))
                j -= gap
            st(array, j, x)
        gap = 1 if gap == 2 else gap * 5 // 11
    return used


@kernel
def count(team, lo, hi, rows, back, seen, found):
    """``found[u - lo]``: how many vertices above u have a neighbour in common with it.

    ``seen`` has a row of n for each worker, filled with -1, and notes who has seen a vertex last.
    """
    control, me, _workers = team
    indptr, indices, _ = rows
    back_ptr, back_indices, _ = back
    n = indptr.size - 1
    base = me * n
    while True:
        begin = lo + fetch_add(control, TICKET, ROWS_PER_TICKET)
        if begin >= hi or stopped(control):
            break
        for u in range(begin, min(begin + ROWS_PER_TICKET, hi)):
            pairs = np.int64(0)
            for k in range(ld(indptr, u), ld(indptr, u + 1)):
                w = ld(indices, k)
                for j in range(ld(back_ptr, w), ld(back_ptr, w + 1)):
                    x = np.int64(ld(back_indices, j))
                    if x > u and ld(seen, base + x) != u:
                        st(seen, base + x, u)
                        pairs += 1
            st(found, u - lo, pairs)


@kernel
def fill(team, lo, hi, rows, back, measure, starts, edges):
    """Write the pairs of the rows ``lo:hi``, those of u from ``starts[u - lo]`` on."""
    control = team.control
    kind, sizes = measure
    source, target, values = edges
    n = rows.indptr.size - 1
    common = np.full(n, np.nan)
    touched = np.empty(n, rows.indices.dtype)
    sums = Sums(common, touched)
    while True:
        begin = lo + fetch_add(control, TICKET, ROWS_PER_TICKET)
        if begin >= hi or stopped(control):
            break
        for u in range(begin, min(begin + ROWS_PER_TICKET, hi)):
            used = _gather(u, u, rows, back, kind, sums)
            _sort(touched, used)
            at = ld(starts, u - lo)
            for i in range(used):
                x = ld(touched, i)
                st(source, at + i, u)
                st(target, at + i, x)
                value = similarity_of(kind, ld(common, x), ld(sizes, u), ld(sizes, x))
                st(values, at + i, value)
                st(common, x, np.nan)


@inline
def _worse(value, vertex, other_value, other):
    """Whether a partner comes after another: less similar, or equal with a higher id."""
    return value < other_value or (value == other_value and vertex > other)


@inline
def _worse_at(values, targets, a, b):
    """Whether the partner at ``a`` comes after the one at ``b``."""
    return _worse(ld(values, a), ld(targets, a), ld(values, b), ld(targets, b))


@inline
def _settle(values, targets, at, held, i):
    """Let entry ``i`` of a heap (``held`` entries from ``at`` on, worst first) sink to its place."""
    while True:
        child = 2 * i + 1
        if child >= held:
            return
        if child + 1 < held and _worse_at(values, targets, at + child + 1, at + child):
            child += 1
        if not _worse_at(values, targets, at + child, at + i):
            return
        _swap(values, targets, at + i, at + child)
        i = child


@inline
def _swap(values, targets, a, b):
    value = ld(values, a)
    vertex = ld(targets, a)
    st(values, a, ld(values, b))
    st(targets, a, ld(targets, b))
    st(values, b, value)
    st(targets, b, vertex)


@inline
def _keep(u, k, used, measure, sums, partners):
    """Make a heap of the best ``k`` of u's partners; how many there are."""
    kind, sizes = measure
    common, touched = sums
    targets, values, _ = partners
    at = u * k
    kept = min(used, k)
    for i in range(used):
        x = ld(touched, i)
        value = similarity_of(kind, ld(common, x), ld(sizes, u), ld(sizes, x))
        st(common, x, np.nan)
        if i < kept:
            st(values, at + i, value)
            st(targets, at + i, x)
            if i == kept - 1:
                for parent in range(kept // 2 - 1, -1, -1):
                    _settle(values, targets, at, kept, np.int64(parent))
        elif _worse(ld(values, at), ld(targets, at), value, x):
            st(values, at, value)
            st(targets, at, x)
            _settle(values, targets, at, kept, np.int64(0))
    return kept


@kernel
def best(team, rows, back, measure, k, partners):
    """The ``k`` most similar partners of every vertex u, best first.

    There are at most k, so the stores from ``u * k`` on stay below ``(u + 1) * k``.
    """
    control = team.control
    targets, values, held = partners
    n = rows.indptr.size - 1
    sums = Sums(np.full(n, np.nan), np.empty(n, rows.indices.dtype))
    while True:
        begin = fetch_add(control, TICKET, ROWS_PER_TICKET)
        if begin >= n or stopped(control):
            break
        for u in range(begin, min(begin + ROWS_PER_TICKET, n)):
            used = _gather(u, -1, rows, back, measure.kind, sums)
            kept = _keep(u, k, used, measure, sums, partners)
            for left in range(kept - 1, 0, -1):  # the worst goes last, then the next
                _swap(values, targets, u * k, u * k + left)
                _settle(values, targets, u * k, left, np.int64(0))
            st(held, u, kept)
