"""All pairs of vertices with a common neighbour, a row at a time.

For a vertex u the neighbours of its neighbours are visited, and what each has in common with u is
summed in an array with a place for every vertex; those touched are noted in a list of the same length,
and cleared afterwards. So a worker needs 12 or 16 bytes for each vertex, however many pairs there are.
With weights the sums are of the smaller of two weights, or, for the cosine, of their products.

``back`` are the rows of the transpose: who has w as neighbour.
"""

from __future__ import annotations

import numpy as np

from ..runtime.atomics import fetch_add, ld, st, stopped
from ..runtime.launch import inline, kernel
from ..runtime.team import TICKET
from .edges import COSINE, similarity_of

__all__ = ["best", "count", "fill"]

CHUNK = 16


@inline
def _gather(u, above, indptr, indices, weights, back_ptr, back, back_weights, kind, sums, touched):
    """Sum what vertices beyond ``above`` other than u have in common with it; how many there are."""
    weighted = weights.size > 0
    used = np.int64(0)
    for k in range(ld(indptr, u), ld(indptr, u + 1)):
        w = ld(indices, k)
        for j in range(ld(back_ptr, w), ld(back_ptr, w + 1)):
            x = np.int64(ld(back, j))
            if x <= above or x == u:
                continue
            common = 1.0
            if weighted:
                a = ld(weights, k)
                b = ld(back_weights, j)
                common = a * b if kind == COSINE else min(a, b)
            before = ld(sums, x)
            if before != before:  # not touched yet
                st(touched, used, x)
                used += 1
                before = 0.0
            st(sums, x, before + common)
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
def count(team, lo, hi, indptr, indices, back_ptr, back, seen, found):
    """``found[u - lo]``: vertices above u that have a neighbour in common with it.

    ``seen`` has a row of n for each worker, filled with -1, and notes who has seen a vertex last.
    """
    control, me, _workers = team
    n = indptr.size - 1
    base = me * n
    while True:
        begin = lo + fetch_add(control, TICKET, CHUNK)
        if begin >= hi or stopped(control):
            break
        for u in range(begin, min(begin + CHUNK, hi)):
            pairs = np.int64(0)
            for k in range(ld(indptr, u), ld(indptr, u + 1)):
                w = ld(indices, k)
                for j in range(ld(back_ptr, w), ld(back_ptr, w + 1)):
                    x = np.int64(ld(back, j))
                    if x > u and ld(seen, base + x) != u:
                        st(seen, base + x, u)
                        pairs += 1
            st(found, u - lo, pairs)


@kernel
def fill(
    team, lo, hi, indptr, indices, weights, back_ptr, back, back_weights, kind, sizes,
    starts, source, target, values,
):  # fmt: skip
    """Write the pairs of the rows ``lo:hi``, those of u from ``starts[u - lo]`` on: as many as
    ``count`` has found.
    """
    control, _me, _workers = team
    n = indptr.size - 1
    sums = np.full(n, np.nan)
    touched = np.empty(n, indices.dtype)
    while True:
        begin = lo + fetch_add(control, TICKET, CHUNK)
        if begin >= hi or stopped(control):
            break
        for u in range(begin, min(begin + CHUNK, hi)):
            used = _gather(
                u, u, indptr, indices, weights, back_ptr, back, back_weights, kind, sums, touched
            )
            _sort(touched, used)
            at = ld(starts, u - lo)
            for i in range(used):
                x = ld(touched, i)
                st(source, at + i, u)
                st(target, at + i, x)
                value = similarity_of(kind, ld(sums, x), ld(sizes, u), ld(sizes, x))
                st(values, at + i, value)
                st(sums, x, np.nan)


@inline
def _worse(value, vertex, other_value, other):
    """Whether a partner comes after another: less similar, or equal with a higher id."""
    return value < other_value or (value == other_value and vertex > other)


@inline
def _settle(values, targets, at, held, i):
    """Let entry ``i`` of a heap (``held`` entries from ``at`` on, worst first) sink to its place."""
    while True:
        child = 2 * i + 1
        if child >= held:
            return
        if child + 1 < held and _worse(
            ld(values, at + child + 1), ld(targets, at + child + 1),
            ld(values, at + child), ld(targets, at + child),
        ):  # fmt: skip
            child += 1
        if not _worse(ld(values, at + child), ld(targets, at + child),
                      ld(values, at + i), ld(targets, at + i)):  # fmt: skip
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
def _keep(at, k, u, used, kind, sizes, sums, touched, targets, values):
    """Make a heap of the best ``k`` of u's partners from ``at`` on; how many there are."""
    kept = min(used, k)
    for i in range(used):
        x = ld(touched, i)
        value = similarity_of(kind, ld(sums, x), ld(sizes, u), ld(sizes, x))
        st(sums, x, np.nan)
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
def best(
    team, indptr, indices, weights, back_ptr, back, back_weights, kind, sizes, k,
    targets, values, held,
):  # fmt: skip
    """The ``k`` most similar partners of every vertex u, best first, from ``u * k`` on; ``held[u]`` of
    them, of which there are at most k, which bounds the stores.
    """
    control, _me, _workers = team
    n = indptr.size - 1
    sums = np.full(n, np.nan)
    touched = np.empty(n, indices.dtype)
    while True:
        begin = fetch_add(control, TICKET, CHUNK)
        if begin >= n or stopped(control):
            break
        for u in range(begin, min(begin + CHUNK, n)):
            used = _gather(
                u, -1, indptr, indices, weights, back_ptr, back, back_weights, kind, sums, touched
            )
            kept = _keep(u * k, k, u, used, kind, sizes, sums, touched, targets, values)
            for left in range(kept - 1, 0, -1):  # the worst goes last, then the next
                _swap(values, targets, u * k, u * k + left)
                _settle(values, targets, u * k, left, np.int64(0))
            st(held, u, kept)
