"""Similarity of the ends of every edge of an undirected simple graph with sorted rows.

Method: an edge belongs to its end of higher degree (the higher id if equal), its owner. For each owner
the neighbours are marked in an array of bytes, then for each edge it owns the marks of the other end's
neighbours are summed. So an edge costs the smaller of its degrees, and marking, which costs as much as
looking at the owner's arcs, is shared by all edges of an owner.

Owners are taken in chunks from one queue. The host takes chunks at its low end, a device at its high
end (``opencl/similarity.cl`` is the twin), until they meet. The queue is one number in the control
block: chunks taken from the high end in its upper half, from the low end in its lower half. Both ends
only ever add, so a taker knows from the sum before whether its chunk was still there.

Results: edges (u, v), u < v, are numbered by u, then v. ``base[u]`` is the number of u's
first edge minus the place of its arc, so that the arc (u, v) at place p has the number ``base[u] + p``.
That number is below the number of edges for every arc with u < v, which bounds all stores of values;
marks have a place for each vertex.
"""

from __future__ import annotations

import numpy as np

from ..rows.passes import BLOCK, over_rows
from ..runtime.atomics import bit_length, fetch_add, ld, nanoseconds, prefetch, st, stopped
from ..runtime.launch import inline, kernel, run
from ..runtime.team import TICKET

# fmt: off
__all__ = ["CLAIM", "COSINE", "HALF", "KINDS", "arc_cuts", "claim_high", "class_cuts", "count_owned",
           "degree_order", "edge_numbers", "list_edges", "sampled_work", "search", "similarity_of",
           "walk"]
# fmt: on

JACCARD, OVERLAP, SORENSEN, COSINE = 0, 1, 2, 3
KINDS = {"jaccard": JACCARD, "overlap": OVERLAP, "sorensen": SORENSEN, "cosine": COSINE}
CLAIM = TICKET  # the cell of the queue
HALF = 1 << 32
AHEAD = 8  # arcs that rows are fetched ahead
ARC, VERTEX = 6.0, 10.0  # what an arc and a vertex cost besides, in steps
SHORT = 16  # neighbours up to which looking at all is faster than searching
SAMPLE = 2048  # arcs looked at to estimate the work of an edge


@inline
def similarity_of(kind, common, a, b):
    """From the size of what two sets have in common and their own sizes; 0 if one is empty."""
    if kind == COSINE:
        return common / np.sqrt(np.float64(a) * np.float64(b)) if a > 0 and b > 0 else 0.0
    if common <= 0:
        return 0.0
    if kind == JACCARD:
        return common / (a + b - common)
    if kind == OVERLAP:
        return common / min(a, b)
    return 2.0 * common / (a + b)


@inline
def search(indices, lo, hi, x):
    """The first place in ``lo:hi`` whose entry is not below ``x``; ``hi`` if there is none."""
    while lo < hi:
        middle = (lo + hi) >> 1
        if ld(indices, middle) < x:
            lo = middle + 1
        else:
            hi = middle
    return lo


@kernel
def walk(
    control, me, workers, chunks, cuts, order, indptr, indices, base, kind, source, target, values
):
    """One worker: take chunks at the low end until there are none; edges done, begin, end.

    Chunk c has the owners at the places ``cuts[c]:cuts[c + 1]`` of ``order``, or these vertices
    themselves if ``order`` is empty. ``source`` and ``target`` get the edges of a chunk's vertices to
    higher ones, whoever owns them.
    """
    n = indptr.size - 1
    box = np.empty(2, np.int64)
    begin = nanoseconds(box)
    mark = np.zeros(n, np.uint8)
    edges = np.int64(0)
    while True:
        taken = fetch_add(control, CLAIM, 1)
        chunk = taken % HALF
        if chunk + taken // HALF >= chunks or stopped(control):
            break
        for i in range(ld(cuts, chunk), ld(cuts, chunk + 1)):
            u = np.int64(ld(order, i)) if order.size else i
            edges += _owned(u, mark, indptr, indices, base, kind, source, target, values)
    return edges, begin, nanoseconds(box)


@inline
def _owned(u, mark, indptr, indices, base, kind, source, target, values):
    """The edges that ``u`` owns; their number."""
    first = ld(indptr, u)
    last = ld(indptr, u + 1)
    degree = last - first
    edges = np.int64(0)
    for k in range(first, last):
        st(mark, ld(indices, k), 1)
    for k in range(first, last):
        if k + AHEAD < last:
            prefetch(indices, ld(indptr, ld(indices, k + AHEAD)))
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
        edges += 1
    for k in range(first, last):
        st(mark, ld(indices, k), 0)
    return edges


@kernel
def claim_high(control, chunks, count):
    """Take up to ``count`` chunks at the high end: the first one and how many, 0 if they have met."""
    taken = fetch_add(control, CLAIM, count * HALF)
    free = chunks - taken % HALF - taken // HALF
    count = max(0, min(count, free))
    return chunks - taken // HALF - count, count


@kernel
def count_upper(stop, lo, hi, indptr, indices, base):
    """How many neighbours of each vertex are above it."""
    for v in range(lo, hi):
        if v % BLOCK == 0 and stopped(stop):
            return
        begin = ld(indptr, v)
        end = ld(indptr, v + 1)
        upper = np.int64(0)
        if end - begin <= SHORT:
            for k in range(begin, end):
                upper += ld(indices, k) > v
        else:
            upper = end - search(indices, begin, end, v)
        st(base, v, upper)


@kernel
def number_edges(stop, indptr, base):
    """From the number of edges of each vertex to what the module's docstring says."""
    edges = np.int64(0)
    for v in range(indptr.size - 1):
        edges += ld(base, v)
        st(base, v, edges - ld(indptr, v + 1))


def edge_numbers(indptr: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """``base`` of an undirected graph without loops, rows sorted."""
    base = np.empty(indptr.size - 1, np.int32 if indices.size < 2**31 else np.int64)
    over_rows(count_upper, indptr, indices, base)
    run(number_edges, [(indptr, base)], brief=True)
    return base


@kernel
def list_edges(stop, lo, hi, order, indptr, indices, base, source, target):
    """Both ends of the edges from the vertices at places ``lo:hi`` of the order to higher ones."""
    for i in range(lo, hi):
        if i % BLOCK == 0 and stopped(stop):
            return
        u = np.int64(ld(order, i)) if order.size else i
        end = ld(indptr, u + 1)
        for k in range(search(indices, ld(indptr, u), end, u), end):
            st(source, ld(base, u) + k, u)
            st(target, ld(base, u) + k, ld(indices, k))


@kernel
def count_classes(stop, indptr, counts):
    """How many vertices have degrees of 0, 1, 2, ... bits."""
    for v in range(indptr.size - 1):
        bits = bit_length(ld(indptr, v + 1) - ld(indptr, v))
        st(counts, bits, ld(counts, bits) + 1)


@kernel
def order_by_class(stop, indptr, starts, order):
    """Write vertices by the number of bits of their degree; ``starts`` has where each class begins."""
    for v in range(indptr.size - 1):
        bits = bit_length(ld(indptr, v + 1) - ld(indptr, v))
        at = ld(starts, bits)
        st(order, at, v)
        st(starts, bits, at + 1)


def degree_order(indptr: np.ndarray, ids: np.dtype) -> tuple[np.ndarray, np.ndarray]:
    """Vertices by ascending degree, approximately: by its number of bits, then by id. Also how many
    have degrees of 0, 1, 2, ... bits.
    """
    counts = np.zeros(65, np.int64)
    run(count_classes, [(indptr, counts)], brief=True)
    order = np.empty(indptr.size - 1, ids)
    run(order_by_class, [(indptr, np.cumsum(counts) - counts, order)], brief=True)
    return order, counts


def sampled_work(indptr: np.ndarray, indices: np.ndarray) -> float:
    """The mean over the edges of the smaller degree, estimated from evenly spread arcs."""
    if not indices.size:
        return 0.0
    places = np.linspace(0, indices.size - 1, min(SAMPLE, indices.size)).astype(np.int64)
    source = np.searchsorted(indptr, places, "right") - 1
    target = indices[places]
    smaller = np.minimum(
        indptr[source + 1] - indptr[source], indptr[target + np.int64(1)] - indptr[target]
    )
    return float(smaller.mean())


def class_cuts(counts: np.ndarray, work: float, most: int) -> np.ndarray:
    """Places that cut the order into at most ``most`` chunks of about equal work.

    An arc of a vertex of degree d is taken to cost a few steps and ``min(d, work)``. Vertices of a
    class (``counts`` has their numbers) are taken to have the same degree.
    """
    classes = np.arange(counts.size)
    degrees = np.where(classes > 0, 0.75 * 2.0**classes, 0.0)
    each = degrees * (ARC + np.minimum(degrees, work)) + VERTEX
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
        if u % BLOCK == 0 and stopped(stop):
            return
        degree = ld(indptr, u + 1) - ld(indptr, u)
        edges = np.int64(0)
        for k in range(ld(indptr, u), ld(indptr, u + 1)):
            v = np.int64(ld(indices, k))
            other = ld(indptr, v + 1) - ld(indptr, v)
            edges += other < degree or (other == degree and v < u)
        st(owned, u, edges)
