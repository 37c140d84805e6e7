"""From an edge list to compressed rows (CSR), in parallel, the same for any number of threads.

Method: a stable two-level counting sort. Vertices are grouped into buckets of ``2**shift``.
1. ``count_buckets``: each worker counts the arcs of its part of the list per bucket.
2. ``scatter``: each worker copies its arcs to their bucket. Workers own consecutive parts of the
   list and consecutive slots of a bucket, so the order of the list is kept.
3. ``finish``: each bucket, now small enough for the cache, is sorted by source; if rows must be
   sorted, first by the digits of the target (least significant first, each pass stable).

Encoding: an arc in a bucket is the target, the low 16 bits of the source, and the bits of the weight.
Weights travel as unsigned integers of their size, so one compiled variant serves int32 and float32.

Bounds: every slot was counted by the same loop that fills it.
"""

from __future__ import annotations

import itertools
from math import ceil
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..runtime.atomics import stopped
from ..runtime.launch import kernel, read_only, run, workers_for

__all__ = ["as_bits", "build"]

EDGES_BETWEEN_LOOKS = 1 << 16  # how often a loop over edges looks at the stop flag
LOW_BITS = 16  # bits of the source that an arc in a bucket keeps: its vertices are at most so many
WANTED_BUCKETS_LOG2 = 9  # about so many buckets, if that is possible
TWO_DIGITS_UP_TO_VERTICES = 1 << 24  # beyond, targets are sorted by four digits instead of two


class Ends(NamedTuple):
    """The two ends of each edge."""

    source: np.ndarray
    target: np.ndarray


class Layout(NamedTuple):
    """How edges become arcs in buckets."""

    shift: int  # log2 of the vertices of a bucket
    symmetrize: bool  # each edge gives an arc in both directions
    drop_loops: bool
    weighted: bool


class Arcs(NamedTuple):
    """Arcs in buckets: the low bits of the source, the target, the bits of the weight."""

    low: np.ndarray
    target: np.ndarray
    weight: np.ndarray


@kernel
def count_buckets(stop, lo, hi, ends, layout, counts):
    """Add to ``counts[bucket]`` the arcs that edges ``lo:hi`` put there."""
    source, target = ends
    shift, symmetrize, drop_loops, _ = layout
    for start in range(lo, hi, EDGES_BETWEEN_LOOKS):
        if stopped(stop):
            return
        for i in range(start, min(start + EDGES_BETWEEN_LOOKS, hi)):
            s = source[i]
            t = target[i]
            if s == t:
                if not drop_loops:
                    counts[s >> shift] += 1
            else:
                counts[s >> shift] += 1
                if symmetrize:
                    counts[t >> shift] += 1


@kernel
def scatter(stop, lo, hi, ends, weight, layout, cursor, arcs):
    """Copy the arcs of edges ``lo:hi`` to the bucket slots that ``cursor`` points to."""
    source, target = ends
    shift, symmetrize, drop_loops, weighted = layout
    b_low, b_target, b_weight = arcs
    mask = (1 << shift) - 1
    for start in range(lo, hi, EDGES_BETWEEN_LOOKS):
        if stopped(stop):
            return
        for i in range(start, min(start + EDGES_BETWEEN_LOOKS, hi)):
            s = source[i]
            t = target[i]
            if s == t and drop_loops:
                continue
            k = cursor[s >> shift]
            cursor[s >> shift] = k + 1
            b_low[k] = s & mask
            b_target[k] = t
            if weighted:
                b_weight[k] = weight[i]
            if symmetrize and s != t:
                k = cursor[t >> shift]
                cursor[t >> shift] = k + 1
                b_low[k] = t & mask
                b_target[k] = s
                if weighted:
                    b_weight[k] = weight[i]


@kernel
def starts_of(counts):
    """Turn counts into first positions."""
    total = 0
    for i in range(counts.size):
        c = counts[i]
        counts[i] = total
        total += c


@kernel
def move_by_digit(arcs, to, weighted, shift, mask, counts):
    """One stable pass of a radix sort by ``(target >> shift) & mask``."""
    low, target, weight = arcs
    to_low, to_target, to_weight = to
    counts[: mask + 1] = 0
    for i in range(target.size):
        counts[(target[i] >> shift) & mask] += 1
    starts_of(counts[: mask + 1])
    for i in range(target.size):
        t = target[i]
        d = (t >> shift) & mask
        k = counts[d]
        counts[d] = k + 1
        to_target[k] = t
        to_low[k] = low[i]
        if weighted:
            to_weight[k] = weight[i]


@kernel
def move_by_source(arcs, to, weighted, first, indptr_part, counts):
    """The last stable pass, by source: fills the bucket's rows and their offsets."""
    low, target, weight = arcs
    _, to_target, to_weight = to
    rows = indptr_part.size
    counts[:rows] = 0
    for i in range(low.size):
        counts[low[i]] += 1
    starts_of(counts[:rows])
    for v in range(rows):
        indptr_part[v] = first + counts[v]
    for i in range(low.size):
        k = counts[low[i]]
        counts[low[i]] = k + 1
        to_target[k] = target[i]
        if weighted:
            to_weight[k] = weight[i]


@kernel
def finish(stop, lo, hi, offsets, layout, digits, arcs, rows):
    """Sort the arcs of buckets ``lo:hi`` into rows; ``digits``: how many, and the bits of each.

    Without digits rows keep the order of the list. Passes alternate between the bucket arrays and the
    final ones. Their number, one more than the digits, is odd, so the last one ends in the final ones.
    """
    shift, _, _, weighted = layout
    passes, width = digits
    indptr, indices, weights = rows
    n = indptr.size - 1
    mask = (1 << width) - 1
    counts = np.empty(max(1 << shift, 1 << width), np.int64)
    longest = 0
    if passes:
        for b in range(lo, hi):
            longest = max(longest, offsets[b + 1] - offsets[b])
    spare = np.empty(longest, np.uint16)
    for b in range(lo, hi):
        if stopped(stop):
            return
        first = offsets[b]
        end = offsets[b + 1]
        here = Arcs(arcs.low[first:end], arcs.target[first:end], arcs.weight[first:end])
        there = Arcs(spare[: end - first], indices[first:end], weights[first:end])
        for d in range(0, passes, 2):
            move_by_digit(here, there, weighted, d * width, mask, counts)
            move_by_digit(there, here, weighted, (d + 1) * width, mask, counts)
        part = indptr[b << shift : min((b + 1) << shift, n)]
        move_by_source(here, there, weighted, first, part, counts)


def as_bits(weight: np.ndarray | None) -> tuple[np.ndarray, bool]:
    """The weights as unsigned integers of the same size (an empty array if there are none)."""
    if weight is None:
        return read_only(np.empty(0, np.uint32)), False
    return read_only(weight.view(np.uint32 if weight.itemsize == 4 else np.uint64)), True


def build(
    source: np.ndarray,
    target: np.ndarray,
    weight: np.ndarray | None,
    n: int,
    ids: npt.DTypeLike = np.int32,
    *,
    symmetrize: bool = False,
    drop_loops: bool = False,
    sort: bool = False,
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Offsets, neighbours and weights of the rows of an edge list with ids in ``0 <= id < n``.

    ``source`` and ``target`` share one integer type; the neighbours get the type ``ids``. With
    ``symmetrize`` each edge also goes to its target's row (a loop only once). Without ``sort`` a row
    keeps the order of the list.
    """
    m = source.size
    workers, brief = workers_for("edges", m)
    shift = min(LOW_BITS, max(6, n.bit_length() - WANTED_BUCKETS_LOG2))
    buckets = max(1, ceil(n / (1 << shift)))
    ends = Ends(read_only(source), read_only(target))
    bits, weighted = as_bits(weight)
    layout = Layout(shift, symmetrize, drop_loops, weighted)

    parts = [(m * w // workers, m * (w + 1) // workers) for w in range(workers)]
    counts = np.zeros((workers, buckets), np.int64)
    counting = [(*part, ends, layout, c) for part, c in zip(parts, counts, strict=True)]
    run(count_buckets, counting, brief=brief)
    # Slots are given out bucket by bucket, and within a bucket worker by worker.
    slots = np.cumsum(counts.T.ravel()).reshape(buckets, workers)
    size = int(slots[-1, -1])
    offsets = np.concatenate([np.zeros(1, np.int64), slots[:, -1]])
    cursors = np.ascontiguousarray((slots - counts.T).T)

    some = size if weighted else 0
    arcs = Arcs(np.empty(size, np.uint16), np.empty(size, ids), np.empty(some, bits.dtype))
    ready = zip(parts, cursors, strict=True)
    copying = [(*part, ends, bits, layout, cursor, arcs) for part, cursor in ready]
    run(scatter, copying, brief=brief)

    rows = (np.empty(n + 1, np.int64), np.empty(size, ids), np.empty(some, bits.dtype))
    rows[0][n] = size
    passes = 0 if not sort else 2 if n <= TWO_DIGITS_UP_TO_VERTICES else 4
    digits = passes, ceil(max(1, n - 1).bit_length() / passes) if passes else 0
    shares = [size * w // workers for w in range(1, workers)]
    inner = np.minimum(np.searchsorted(offsets, shares), buckets)
    cuts = itertools.pairwise([0, *inner.tolist(), buckets])
    run(finish, [(*cut, offsets, layout, digits, arcs, rows) for cut in cuts], brief=brief)
    indptr, indices, weights = rows
    return indptr, indices, weights.view(weight.dtype) if weight is not None else None
