"""Similarity of given pairs of vertices, with or without weights.

Method: pairs are grouped by their owner, the vertex of higher degree. If an owner has several pairs,
its neighbours are marked once; otherwise the two sorted rows are merged or, if one is much longer, the
entries of the shorter one are searched in it.

Encoding: row u of ``groups`` has, for each pair that u owns, the other vertex as target and the number
of the pair as weight.

Bounds: the numbers are a permutation of the pairs, which bounds the stores to ``values``; marks have a
place for each vertex.
"""

from __future__ import annotations

import numpy as np

from ..rows import build as csr
from ..rows.passes import search
from ..runtime.atomics import bit_length, fetch_add, ld, st, stopped
from ..runtime.launch import inline, kernel, threads_available
from ..runtime.nouns import Rows, WeightedRows
from ..runtime.team import TICKET, run_team
from .edges import COSINE, similarity_of

__all__ = ["pair_similarities", "weighted_sizes"]

OWNERS_PER_TICKET = 64  # vertices that a worker takes at a time
MERGED_UP_TO_PAIRS = 3  # up to so many pairs of an owner, marking does not pay
SERIAL_BELOW_PAIRS = 1 << 14  # with fewer pairs, one worker is faster than several


@inline
def _merge(indices, i, i_end, j, j_end):
    """How many entries two sorted rows have in common."""
    common = np.int64(0)
    while i < i_end and j < j_end:
        a = ld(indices, i)
        b = ld(indices, j)
        common += a == b
        i += a <= b
        j += b <= a
    return common


@inline
def _search_each(indices, i, i_end, j, j_end):
    """The same, with each entry of ``j:j_end``, the shorter row, searched in the rest of the other."""
    common = np.int64(0)
    while j < j_end and i < i_end:
        x = ld(indices, j)
        i = search(indices, i, i_end, x)
        common += i < i_end and ld(indices, min(i, i_end - 1)) == x
        j += 1
    return common


@kernel
def walk(team, groups, rows, kind, values):
    """One worker: take owners until there are none."""
    control = team.control
    group_ptr, others, slots = groups
    indptr, indices = rows
    n = indptr.size - 1
    mark = np.zeros(n, np.uint8)
    while True:
        begin = fetch_add(control, TICKET, OWNERS_PER_TICKET)
        if begin >= n or stopped(control):
            break
        for u in range(begin, min(begin + OWNERS_PER_TICKET, n)):
            p = ld(group_ptr, u)
            p_end = ld(group_ptr, u + 1)
            if p == p_end:
                continue
            i = ld(indptr, u)
            i_end = ld(indptr, u + 1)
            degree = i_end - i
            marked = p_end - p > MERGED_UP_TO_PAIRS
            if marked:
                for k in range(i, i_end):
                    st(mark, ld(indices, k), 1)
            for q in range(p, p_end):
                v = np.int64(ld(others, q))
                j = ld(indptr, v)
                j_end = ld(indptr, v + 1)
                common = np.int64(0)
                if marked:
                    for k in range(j, j_end):
                        common += ld(mark, ld(indices, k))
                elif (j_end - j) * bit_length(degree) < degree:
                    common = _search_each(indices, i, i_end, j, j_end)
                else:
                    common = _merge(indices, i, i_end, j, j_end)
                st(values, ld(slots, q), similarity_of(kind, common, degree, j_end - j))
            if marked:
                for k in range(i, i_end):
                    st(mark, ld(indices, k), 0)


@kernel
def walk_weighted(team, groups, rows, sizes, kind, values):
    """The same with weights: what two rows have in common is the sum of the smaller weights or, for
    the cosine, of the products; vertex v has the size ``sizes[v]``.
    """
    control = team.control
    group_ptr, others, slots = groups
    indptr, indices, weights = rows
    n = indptr.size - 1
    mark = np.zeros(n, np.float64)
    while True:
        begin = fetch_add(control, TICKET, OWNERS_PER_TICKET)
        if begin >= n or stopped(control):
            break
        for u in range(begin, min(begin + OWNERS_PER_TICKET, n)):
            if ld(group_ptr, u) == ld(group_ptr, u + 1):
                continue
            for k in range(ld(indptr, u), ld(indptr, u + 1)):
                st(mark, ld(indices, k), ld(weights, k))
            for q in range(ld(group_ptr, u), ld(group_ptr, u + 1)):
                v = np.int64(ld(others, q))
                common = 0.0
                for k in range(ld(indptr, v), ld(indptr, v + 1)):
                    here = ld(mark, ld(indices, k))
                    there = ld(weights, k)
                    common += here * there if kind == COSINE else min(here, there)
                value = similarity_of(kind, common, ld(sizes, u), ld(sizes, v))
                st(values, ld(slots, q), value)
            for k in range(ld(indptr, u), ld(indptr, u + 1)):
                st(mark, ld(indices, k), 0.0)


def weighted_sizes(indptr: np.ndarray, weights: np.ndarray, kind: int) -> np.ndarray:
    """The sum of each row's weights, or, for the cosine, of their squares."""
    added = weights**2 if kind == COSINE else weights
    if not added.size:
        return np.zeros(indptr.size - 1)
    sums = np.add.reduceat(np.append(added, 0.0), indptr[:-1])
    return np.where(np.diff(indptr) > 0, sums, 0.0)


def pair_similarities(
    rows: Rows, weights: np.ndarray | None, source: np.ndarray, target: np.ndarray, kind: int
) -> tuple[np.ndarray, int]:
    """Similarities of pairs of existing vertices of a simple graph with sorted rows, and the number of
    workers.
    """
    indptr, indices = rows
    values = np.zeros(source.size)
    brief = source.size < SERIAL_BELOW_PAIRS
    workers = 1 if brief else threads_available()
    if not source.size:
        return values, workers
    n = indptr.size - 1
    degrees = np.diff(indptr)
    swap = degrees[source] < degrees[target]
    owner = np.where(swap, target, source).astype(indices.dtype)
    other = np.where(swap, source, target).astype(indices.dtype)
    slots = np.arange(source.size, dtype=np.int32 if source.size < 2**31 else np.int64)
    group_ptr, others, numbers = csr.build(owner, other, slots, n, indices.dtype)
    assert numbers is not None
    groups = WeightedRows(group_ptr, others, numbers)
    if weights is None:
        run_team(walk, workers, groups, rows, kind, values, brief=brief)
    else:
        weights = weights.astype(np.float64)
        sizes = weighted_sizes(indptr, weights, kind)
        weighted = WeightedRows(indptr, indices, weights)
        run_team(walk_weighted, workers, groups, weighted, sizes, kind, values, brief=brief)
    return values, workers
