"""Similarity of the ends of every edge of an undirected simple graph with sorted rows.

Method: an edge belongs to its end of higher degree (the higher id if equal), its owner. For each owner
the neighbours are marked in an array of bytes, then for each edge it owns the marks of the other end's
neighbours are summed. So an edge costs the smaller of its degrees, and all edges of an owner share the
cost of marking, which is that of looking at the owner's arcs once.

The queue: workers take chunks of owners, the host's at the low end, a device at the high end (its
twin is ``similarity.cl``), until they meet. The queue is one number in the control block: chunks taken
from the high end in its upper half, from the low end in its lower half. Both ends only ever add, so a
taker knows from the sum before whether its chunk was still there.

Encoding: edges (u, v), u < v, are numbered by u, then v. ``base[u]`` is the number of u's first edge
minus the place of its arc, so that the arc (u, v) at place p has the number ``base[u] + p``.

Bounds: that number is below the number of edges for every arc with u < v, which bounds all stores to
``Edges``; marks have a place for each vertex.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..rows.passes import over_rows, search
from ..runtime.atomics import bit_length, fetch_add, ld, nanoseconds, prefetch, st, stop_at, stopped
from ..runtime.launch import inline, kernel, run
from ..runtime.team import TICKET

JACCARD, OVERLAP, SORENSEN, COSINE, COMMON = 0, 1, 2, 3, 4
KINDS = {"jaccard": JACCARD, "overlap": OVERLAP, "sorensen": SORENSEN, "cosine": COSINE}
KINDS |= {"adamic_adar": COMMON, "resource_allocation": COMMON}  # with weights of their own
CLAIM = TICKET  # the cell of the queue
HALF = 1 << 32  # one chunk at the high end, in the queue's number
PREFETCH_ARCS = 8  # arcs that rows are fetched ahead
ARC_STEPS, VERTEX_STEPS = 6.0, 10.0  # what an arc and a vertex cost besides
SCAN_UP_TO_NEIGHBOURS = 16  # up to so many, looking at all is faster than searching
SAMPLED_ARCS = 2048  # arcs looked at to estimate the work of an edge


class Edges(NamedTuple):
    """Both ends of every edge and their similarity, by the number of the edge."""

    source: np.ndarray
    target: np.ndarray
    values: np.ndarray


@inline
def similarity_of(kind, common, a, b):
    """The similarity of two sets of sizes ``a`` and ``b`` that have ``common`` in common; 0 if one is
    empty. With ``COMMON`` it is ``common`` itself.
    """
    if kind == COSINE:
        return common / np.sqrt(np.float64(a) * np.float64(b)) if a > 0 and b > 0 else 0.0
    if common <= 0:
        return 0.0
    if kind == JACCARD:
        return common / (a + b - common)
    if kind == OVERLAP:
        return common / min(a, b)
    if kind == SORENSEN:
        return 2.0 * common / (a + b)
    return 1.0 * common


@kernel
def walk(control, cuts, order, rows, base, kind, edges):
    """One worker: take chunks at the low end until there are none; edges done, begin, end.

    Chunk c has the owners at the places ``cuts[c]:cuts[c + 1]`` of ``order``, or these vertices
    themselves if ``order`` is empty. The sources and targets of ``edges`` are those from a chunk's
    vertices to higher ones, whoever owns them.
    """
    chunks = cuts.size - 1
    box = np.empty(2, np.int64)
    begin = nanoseconds(box)
    mark = np.zeros(rows.indptr.size - 1, np.uint8)
    done = np.int64(0)
    while True:
        taken = fetch_add(control, CLAIM, 1)
        chunk = taken % HALF
        if chunk + taken // HALF >= chunks or stopped(control):
            break
        for i in range(ld(cuts, chunk), ld(cuts, chunk + 1)):
            u = np.int64(ld(order, i)) if order.size else i
            done += _owned(u, mark, rows, base, kind, edges)
    return done, begin, nanoseconds(box)


@inline
def _owned(u, mark, rows, base, kind, edges):
    """Compute the edges that ``u`` owns; their number."""
    indptr, indices = rows
    source, target, values = edges
    first = ld(indptr, u)
    last = ld(indptr, u + 1)
    degree = last - first
    done = np.int64(0)
    for k in range(first, last):
        st(mark, ld(indices, k), 1)
    for k in range(first, last):
        if k + PREFETCH_ARCS < last:
            prefetch(indices, ld(indptr, ld(indices, k + PREFETCH_ARCS)))
        v = np.int64(ld(indices, k))
        if u < v:
            st(source, ld(base, u) + k, u)
            st(target, ld(base, u) + k, v)
        begin = ld(indptr, v)
        end = ld(indptr, v + 1)
        if end - begin > degree or (end - begin == degree and v > u):
            continue
        common = np.int64(0)
        for j in range(begin, end):
            common += ld(mark, ld(indices, j))
        if u < v:
            slot = ld(base, u) + k
        else:
            slot = ld(base, v) + search(indices, begin, end, u)
        st(values, slot, similarity_of(kind, common, degree, end - begin))
        done += 1
    for k in range(first, last):
        st(mark, ld(indices, k), 0)
    return done


@kernel
def claim_high(control, chunks, count):
    """Take up to ``count`` chunks at the high end: the first one and how many, 0 if they have met."""
    taken = fetch_add(control, CLAIM, count * HALF)
    free = chunks - taken % HALF - taken // HALF
    count = max(0, min(count, free))
    return chunks - taken // HALF - count, count


@kernel
def count_upper(stop, lo, hi, indptr, indices, base):
    """Count for each vertex its neighbours with higher ids."""
    for v in range(lo, hi):
        if stop_at(stop, v):
            return
        begin = ld(indptr, v)
        end = ld(indptr, v + 1)
        upper = np.int64(0)
        if end - begin <= SCAN_UP_TO_NEIGHBOURS:
            for k in range(begin, end):
                upper += ld(indices, k) > v
        else:
            upper = end - search(indices, begin, end, v)
        st(base, v, upper)


def edge_numbers(indptr: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """``base`` of an undirected graph without loops, rows sorted."""
    base = np.empty(indptr.size - 1, np.int32 if indices.size < 2**31 else np.int64)
    over_rows(count_upper, indptr, indices, base)
    return np.subtract(np.cumsum(base, dtype=np.int64), indptr[1:], out=base, casting="unsafe")


class Counted(NamedTuple):
    """What a device has counted: of each of some owners a run of arcs, from ``starts`` on, as many as
    ``upto`` grows by. ``counts`` has for each arc how many neighbours its ends have in common, or -1 if
    the edge is not the owner's.
    """

    owners: np.ndarray
    starts: np.ndarray
    upto: np.ndarray
    counts: np.ndarray


@kernel
def take_counts(stop, lo, hi, first, counted, rows, base, kind, edges):
    """Write the similarities of the edges that owners ``lo:hi`` have, and the ends of those that lead
    from them to higher vertices. ``counts`` begins with the arcs of owner ``first``.
    """
    owners, starts, upto, counts = counted
    indptr, indices = rows
    source, target, values = edges
    for i in range(lo, hi):
        if stop_at(stop, i):
            return
        u = np.int64(ld(owners, i))
        degree = ld(indptr, u + 1) - ld(indptr, u)
        for arc in range(ld(upto, i), ld(upto, i + 1)):
            k = ld(starts, i) + arc - ld(upto, i)
            v = np.int64(ld(indices, k))
            slot = np.int64(ld(base, u) + k)
            if u < v:
                st(source, slot, u)
                st(target, slot, v)
            common = np.int64(ld(counts, arc - ld(upto, first)))
            if common >= 0:
                begin, end = ld(indptr, v), ld(indptr, v + 1)
                if u > v:
                    slot = np.int64(ld(base, v) + search(indices, begin, end, u))
                st(values, slot, similarity_of(kind, common, degree, end - begin))


@kernel
def order_by_class(stop, indptr, counts, order):
    """Write vertices by the number of bits of their degree; ``counts`` becomes how many have each."""
    for v in range(order.size):
        bits = bit_length(ld(indptr, v + 1) - ld(indptr, v))
        st(counts, bits, ld(counts, bits) + 1)
    starts = np.cumsum(counts) - counts
    for v in range(order.size):
        bits = bit_length(ld(indptr, v + 1) - ld(indptr, v))
        at = ld(starts, bits)
        st(order, at, v)
        st(starts, bits, at + 1)


def degree_order(indptr: np.ndarray, ids: np.dtype) -> tuple[np.ndarray, np.ndarray]:
    """Vertices in about ascending order of degree (by its number of bits, then by id), and how many
    have degrees of 0, 1, 2, ... bits.
    """
    order, counts = np.empty(indptr.size - 1, ids), np.zeros(65, np.int64)
    run(order_by_class, [(indptr, counts, order)], brief=True)
    return order, counts


def sampled_work(indptr: np.ndarray, indices: np.ndarray) -> float:
    """The mean over the edges of the smaller degree, estimated from evenly spread arcs."""
    if not indices.size:
        return 0.0
    places = np.linspace(0, indices.size - 1, min(SAMPLED_ARCS, indices.size)).astype(np.int64)
    source = np.searchsorted(indptr, places, "right") - 1
    target = indices[places]
    theirs = indptr[target + np.int64(1)] - indptr[target]
    return float(np.minimum(indptr[source + 1] - indptr[source], theirs).mean())


def class_cuts(counts: np.ndarray, work: float, most: int) -> np.ndarray:
    """Places that cut the order into at most ``most`` chunks of about equal work.

    An arc of a vertex of degree d is taken to cost a few steps and ``min(d, work)``. Vertices of a
    class (``counts`` has their numbers) are taken to have the same degree.
    """
    classes = np.arange(counts.size)
    degrees = np.where(classes > 0, 0.75 * 2.0**classes, 0.0)
    each = degrees * (ARC_STEPS + np.minimum(degrees, work)) + VERTEX_STEPS
    upto = np.concatenate([np.zeros(1), np.cumsum(counts * each)])
    places = np.concatenate([np.zeros(1), np.cumsum(counts)])
    chunks = max(1, min(most, int(counts.sum())))
    cuts = np.interp(np.linspace(0, upto[-1], chunks + 1), upto, places)
    return np.unique(np.round(cuts).astype(np.int64))


def arc_cuts(indptr: np.ndarray, most: int) -> np.ndarray:
    """Vertices that cut the rows into at most ``most`` chunks of about equal numbers of arcs."""
    n = indptr.size - 1
    arcs = np.linspace(0, int(indptr[-1]), max(1, min(most, n)) + 1).astype(np.int64)
    inner = np.searchsorted(indptr, arcs[1:-1])
    return np.unique(np.concatenate([np.zeros(1, np.int64), inner, np.full(1, n)]))


@kernel
def count_owned(stop, lo, hi, indptr, indices, owned):
    """How many edges each vertex owns."""
    for u in range(lo, hi):
        if stop_at(stop, u):
            return
        degree = ld(indptr, u + 1) - ld(indptr, u)
        edges = np.int64(0)
        for k in range(ld(indptr, u), ld(indptr, u + 1)):
            v = np.int64(ld(indices, k))
            other = ld(indptr, v + 1) - ld(indptr, v)
            edges += other < degree or (other == degree and v < u)
        st(owned, u, edges)
