"""Similarity of the ends of every edge of a list, a masked part of it at a time.

Method: A. Gondhalekar, P. Sathre, W. Feng, "Hybrid CPU-GPU Implementation of Edge-Connected Jaccard
Similarity in Graph Datasets". An edge is the unit of work. Its two sorted rows are merged by two
pointers or, if one is much longer, the entries of the shorter one are searched in it. For two devices
edges are sorted by the sizes of both neighbourhoods, approximately: by the number of bits of their sum.
The sparse end of that order is marked in a mask, and everyone goes through the original list and takes
the edges that are marked for it. ``similarity.cl`` has the device's twin.

Bounds: a mask, if there is one, the ends and the values have a place for each edge; the edge at place k
of row u has the number ``base[u] + k`` or, if the graph is directed, k.
"""

from __future__ import annotations

import itertools

import numpy as np

from ..rows.passes import over_rows
from ..runtime.atomics import bit_length, fetch_add, ld, nanoseconds, st, stop_at, stopped
from ..runtime.launch import inline, kernel, run, threads_available
from .edges import CLAIM, HALF, Edges, similarity_of
from .pairs import _merge, _search_each

__all__ = ["HOSTS", "list_edges", "mask_of", "take_listed", "walk_listed"]

HOSTS, DEVICES = 1, 0  # whose an edge is, in a mask
SIZE_CLASSES = 65  # numbers of bits of a sum of two sizes


@kernel
def fill_ends(stop, lo, hi, indptr, indices, base, source, target):
    """Write both ends of the edges of rows ``lo:hi``; ``base`` is empty if every arc is an edge."""
    for u in range(lo, hi):
        if stop_at(stop, u):
            return
        for k in range(ld(indptr, u), ld(indptr, u + 1)):
            v = ld(indices, k)
            if base.size == 0:
                st(source, k, u)
                st(target, k, v)
            elif u < v:
                st(source, ld(base, u) + k, u)
                st(target, ld(base, u) + k, v)


def list_edges(indptr: np.ndarray, indices: np.ndarray, base: np.ndarray, edges: Edges) -> None:
    """Write source and target of every edge, with all threads."""
    over_rows(fill_ends, indptr, indices, base, edges.source, edges.target)


@inline
def _size_class(indptr, u, v):
    """The number of bits of the size of both neighbourhoods together."""
    return bit_length(ld(indptr, u + 1) - ld(indptr, u) + ld(indptr, v + 1) - ld(indptr, v))


@kernel
def count_classes(stop, lo, hi, indptr, source, target, counts):
    """Count the edges ``lo:hi`` of each class."""
    for e in range(lo, hi):
        if stop_at(stop, e):
            return
        bits = _size_class(indptr, np.int64(ld(source, e)), np.int64(ld(target, e)))
        st(counts, bits, ld(counts, bits) + 1)


@kernel
def fill_mask(stop, lo, hi, indptr, source, target, bound, room, mask):
    """Mark the edges ``lo:hi`` of classes below ``bound``, and the first ``room`` of that class."""
    for e in range(lo, hi):
        if stop_at(stop, e):
            return
        bits = _size_class(indptr, np.int64(ld(source, e)), np.int64(ld(target, e)))
        mine = bits < bound
        if bits == bound and room > 0:
            room -= 1
            mine = True
        st(mask, e, HOSTS if mine else DEVICES)


def mask_of(indptr: np.ndarray, edges: Edges, share: float) -> np.ndarray:
    """Mark exactly this share of the edges as the host's, from the sparse end of their order."""
    m, ends = edges.source.size, edges[:2]
    workers = max(1, min(threads_available(), m))
    cuts = [m * w // workers for w in range(workers + 1)]
    parts = list(itertools.pairwise(cuts))
    counts = np.zeros((workers, SIZE_CLASSES), np.int64)
    brief = workers == 1
    run(
        count_classes,
        [(lo, hi, indptr, *ends, counts[w]) for w, (lo, hi) in enumerate(parts)],
        brief=brief,
    )
    quota = round(share * m)
    upto = np.cumsum(counts.sum(axis=0))
    bound = int(np.searchsorted(upto, quota)) if quota else 0
    left = quota - (int(upto[bound - 1]) if bound else 0)
    own = counts[:, bound]  # of that class, those of earlier parts come first
    rooms = np.clip(left - (np.cumsum(own) - own), 0, own)
    mask = np.empty(m, np.uint8)
    run(
        fill_mask,
        [
            (*part, indptr, *ends, bound, int(room), mask)
            for part, room in zip(parts, rooms, strict=True)
        ],
        brief=brief,
    )
    return mask


@kernel
def walk_listed(control, cuts, mask, rows, kind, edges):
    """One worker: take chunks of the list at the low end until there are none; edges done, begin, end.

    With a mask, only the host's edges of a chunk are computed.
    """
    indptr, indices = rows
    source, target, values = edges
    chunks = cuts.size - 1
    box = np.empty(2, np.int64)
    begin = nanoseconds(box)
    done = np.int64(0)
    while True:
        taken = fetch_add(control, CLAIM, 1)
        chunk = taken % HALF
        if chunk + taken // HALF >= chunks or stopped(control):
            break
        for e in range(ld(cuts, chunk), ld(cuts, chunk + 1)):
            if mask.size and ld(mask, e) != HOSTS:
                continue
            u = np.int64(ld(source, e))
            v = np.int64(ld(target, e))
            i, i_end = ld(indptr, u), ld(indptr, u + 1)
            j, j_end = ld(indptr, v), ld(indptr, v + 1)
            if i_end - i < j_end - j:
                i, i_end, j, j_end = j, j_end, i, i_end
            longer = i_end - i
            shorter = j_end - j
            common = np.int64(0)
            if shorter * bit_length(longer) < longer:
                common = _search_each(indices, i, i_end, j, j_end)
            else:
                common = _merge(indices, i, i_end, j, j_end)
            st(values, e, similarity_of(kind, common, longer, shorter))
            done += 1
    return done, begin, nanoseconds(box)


@kernel
def take_listed(stop, lo, hi, first, counts, indptr, kind, edges):
    """Make similarities of what a device has counted for the edges ``lo:hi``; ``counts`` begins with
    edge ``first``, and is negative for edges that are not the device's.
    """
    source, target, values = edges
    for e in range(lo, hi):
        if stop_at(stop, e):
            return
        common = np.int64(ld(counts, e - first))
        if common >= 0:
            u = np.int64(ld(source, e))
            v = np.int64(ld(target, e))
            a = ld(indptr, u + 1) - ld(indptr, u)
            b = ld(indptr, v + 1) - ld(indptr, v)
            st(values, e, similarity_of(kind, common, a, b))
