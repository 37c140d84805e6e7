"""From an edge list to compressed rows (CSR), in parallel, the same for any number of threads.

Method: a stable two-level counting sort. Vertices are grouped into buckets of ``2**shift``.
1. ``count_buckets``: each worker counts the arcs of its part of the list per bucket.
2. ``scatter``: each worker copies its arcs to their bucket. Workers own consecutive parts of the
   list and consecutive slots of a bucket, so the order of the list is kept.
3. ``finish``: each bucket, now small enough for the cache, is sorted by source; if rows must be
   sorted, first by the digits of the target (least significant first, each pass stable).

An arc in a bucket is the target, the low 16 bits of the source, and the weight's bits: weights
travel as unsigned integers of their size, so one compiled variant serves int32 and float32.
Every store below stays in bounds because each slot was counted by the same loop that fills it.
"""

from __future__ import annotations

import itertools
from math import ceil
from typing import Any

import numpy as np

from ..runtime.atomics import stopped
from ..runtime.launch import kernel, read_only, run, threads_available

__all__ = ["as_bits", "build"]

BLOCK = 1 << 16  # edges between two looks at the stop flag
SMALL = 1 << 16  # below this many edges one worker is faster than several


@kernel
def count_buckets(stop, source, target, lo, hi, shift, symmetrize, drop_loops, counts):
    """Add to ``counts[bucket]`` the arcs that edges ``lo:hi`` put there."""
    for start in range(lo, hi, BLOCK):
        if stopped(stop):
            return
        for i in range(start, min(start + BLOCK, hi)):
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
def scatter(
    stop, source, target, weight, weighted, lo, hi, shift, symmetrize, drop_loops,
    cursor, b_low, b_target, b_weight,
):  # fmt: skip
    """Copy the arcs of edges ``lo:hi`` to the bucket slots that ``cursor`` points to."""
    mask = (1 << shift) - 1
    for start in range(lo, hi, BLOCK):
        if stopped(stop):
            return
        for i in range(start, min(start + BLOCK, hi)):
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
def starts_of(counts, first):
    """Turn counts into first positions, beginning with ``first``."""
    total = first
    for i in range(counts.size):
        c = counts[i]
        counts[i] = total
        total += c


@kernel
def move_by_digit(
    low, target, weight, to_low, to_target, to_weight, weighted, shift, mask, counts
):  # fmt: skip
    """One stable pass of a radix sort by ``(target >> shift) & mask``."""
    counts[: mask + 1] = 0
    for i in range(target.size):
        counts[(target[i] >> shift) & mask] += 1
    starts_of(counts[: mask + 1], 0)
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
def move_by_source(
    low, target, weight, to_target, to_weight, weighted, first, indptr_part, counts
):  # fmt: skip
    """The last stable pass, by source: fills the bucket's rows and their offsets."""
    rows = indptr_part.size
    counts[:rows] = 0
    for i in range(low.size):
        counts[low[i]] += 1
    starts_of(counts[:rows], 0)
    for v in range(rows):
        indptr_part[v] = first + counts[v]
    for i in range(low.size):
        k = counts[low[i]]
        counts[low[i]] = k + 1
        to_target[k] = target[i]
        if weighted:
            to_weight[k] = weight[i]


@kernel
def finish(
    stop, lo, hi, offsets, shift, digits, width, weighted,
    b_low, b_target, b_weight, indptr, indices, weights,
):  # fmt: skip
    """Sort the arcs of buckets ``lo:hi`` into rows; ``digits`` is 0 (list order), 2 or 4 (sorted).

    Passes alternate between the bucket arrays and the final ones. Their number, ``digits + 1``, is
    odd, so the last one ends in the final arrays.
    """
    n = indptr.size - 1
    mask = (1 << width) - 1
    counts = np.empty(max(1 << shift, 1 << width), np.int64)
    longest = 0
    if digits:
        for b in range(lo, hi):
            longest = max(longest, offsets[b + 1] - offsets[b])
    spare = np.empty(longest, np.uint16)
    for b in range(lo, hi):
        if stopped(stop):
            return
        first = offsets[b]
        end = offsets[b + 1]
        low = b_low[first:end]
        target = b_target[first:end]
        row = indices[first:end]
        weight = b_weight[first:end] if weighted else b_weight
        row_weight = weights[first:end] if weighted else weights
        other = spare[: end - first] if digits else spare
        for d in range(0, digits, 2):
            move_by_digit(
                low, target, weight, other, row, row_weight, weighted, d * width, mask, counts
            )
            move_by_digit(
                other, row, row_weight, low, target, weight, weighted, (d + 1) * width, mask, counts
            )
        move_by_source(
            low, target, weight, row, row_weight, weighted, first,
            indptr[b << shift : min((b + 1) << shift, n)], counts,
        )  # fmt: skip


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
    ids: Any = np.int32,
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
    brief = m < SMALL
    workers = 1 if brief else threads_available()
    # At most 65,536 vertices share a bucket (16 bits are kept), about 512 buckets if possible.
    shift = min(16, max(6, n.bit_length() - 9))
    buckets = max(1, ceil(n / (1 << shift)))
    source, target = read_only(source), read_only(target)
    bits, weighted = as_bits(weight)

    parts = [(m * w // workers, m * (w + 1) // workers) for w in range(workers)]
    counts = np.zeros((workers, buckets), np.int64)
    run(
        count_buckets,
        (
            (source, target, lo, hi, shift, symmetrize, drop_loops, c)
            for (lo, hi), c in zip(parts, counts, strict=True)
        ),
        brief=brief,
    )
    ends = np.cumsum(counts.T.ravel()).reshape(
        buckets, workers
    )  # bucket by bucket, worker by worker
    arcs = int(ends[-1, -1])
    offsets = np.concatenate([np.zeros(1, np.int64), ends[:, -1]])
    cursors = np.ascontiguousarray((ends - counts.T).T)

    b_low = np.empty(arcs, np.uint16)
    b_target = np.empty(arcs, ids)
    b_weight = np.empty(arcs if weighted else 0, bits.dtype)
    run(
        scatter,
        (
            (source, target, bits, weighted, lo, hi, shift, symmetrize, drop_loops,
             cursor, b_low, b_target, b_weight)
            for (lo, hi), cursor in zip(parts, cursors, strict=True)
        ),
        brief=brief,
    )  # fmt: skip

    indptr = np.empty(n + 1, np.int64)
    indptr[n] = arcs
    indices = np.empty(arcs, ids)
    weights = np.empty(b_weight.size, bits.dtype)
    digits = 0 if not sort else 2 if n <= 1 << 24 else 4
    width = ceil(max(1, n - 1).bit_length() / digits) if digits else 0
    shares = [arcs * w // workers for w in range(1, workers)]
    inner = np.minimum(np.searchsorted(offsets, shares), buckets)
    cuts = [0, *inner.tolist(), buckets]
    run(
        finish,
        (
            (lo, hi, offsets, shift, digits, width, weighted,
             b_low, b_target, b_weight, indptr, indices, weights)
            for lo, hi in itertools.pairwise(cuts)
        ),
        brief=brief,
    )  # fmt: skip
    return indptr, indices, weights.view(weight.dtype) if weight is not None else None
