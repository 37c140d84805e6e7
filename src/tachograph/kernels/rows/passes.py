"""One pass over the rows of a graph: check them, count in them, or combine equal neighbours.

Every kernel works on the rows ``lo:hi`` and is spread over threads by :func:`over_rows`, which cuts
the vertices so that each part has about the same number of arcs.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from ..runtime.atomics import ld, stop_at
from ..runtime.launch import inline, kernel, run, workers_for

FIRST, MIN, SUM = 0, 1, 2
COMBINE = {"first": FIRST, "min": MIN, "sum": SUM}


def over_rows(worker: Callable[..., Any], indptr: np.ndarray, *arguments: Any) -> list[Any]:
    """Call ``worker(stop, lo, hi, indptr, *arguments)`` on parts of the rows with equally many arcs."""
    n = indptr.size - 1
    workers, brief = workers_for("rows", n + int(indptr[n]) if n else 0)
    work = [int(indptr[n]) * w // workers for w in range(1, workers)]
    cuts = [0, *np.searchsorted(indptr[:-1], work).tolist(), n]
    calls = [(lo, hi, indptr, *arguments) for lo, hi in itertools.pairwise(cuts)]
    return run(worker, calls, brief=brief)


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
def bad_row(stop, lo, hi, indptr, indices):
    """The first vertex with a neighbour outside 0..n-1, else -1. Offsets must be in order."""
    n = indptr.size - 1
    for v in range(lo, hi):
        if stop_at(stop, v):
            return -1
        for k in range(indptr[v], indptr[v + 1]):
            if indices[k] < 0 or indices[k] >= n:
                return v
    return -1


@kernel
def count_loops(stop, lo, hi, indptr, indices):
    """Arcs from a vertex to itself."""
    loops = 0
    for v in range(lo, hi):
        if stop_at(stop, v):
            return loops
        for k in range(indptr[v], indptr[v + 1]):
            loops += indices[k] == v
    return loops


@kernel
def unsorted_row(stop, lo, hi, indptr, indices):
    """The first vertex whose neighbours are not in ascending order, else -1."""
    for v in range(lo, hi):
        if stop_at(stop, v):
            return -1
        for k in range(indptr[v] + 1, indptr[v + 1]):
            if indices[k - 1] > indices[k]:
                return v
    return -1


@kernel
def repeated_row(stop, lo, hi, indptr, indices):
    """The first vertex that is its own neighbour or has one twice, else -1. Rows must be sorted."""
    for v in range(lo, hi):
        if stop_at(stop, v):
            return -1
        for k in range(indptr[v], indptr[v + 1]):
            if indices[k] == v or (k > indptr[v] and indices[k - 1] == indices[k]):
                return v
    return -1


@inline
def scramble(x):
    """A 64-bit mixing function (the finalizer of SplitMix64)."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@inline
def signed_hash(s, t, bits, weighted, k):
    """A hash of arc (or edge) k that is the same for both directions, but with opposite sign."""
    low = np.uint64(min(s, t))
    high = np.uint64(max(s, t))
    h = scramble(scramble(low + np.uint64(0x9E3779B97F4A7C15)) + high)
    if weighted:
        h = scramble(h + np.uint64(bits[k]))
    if s < t:
        return h
    return np.uint64(0) - h if s > t else np.uint64(0)


@kernel
def asymmetry(stop, lo, hi, indptr, indices, bits, weighted):
    """Return a part of a sum that is 0 (modulo 2**64) if every arc has its reverse, as often.

    Weights must agree, too. A graph that is not symmetric gives 0 with a probability of 2**-64.
    """
    total = np.uint64(0)
    for v in range(lo, hi):
        if stop_at(stop, v):
            return total
        for k in range(indptr[v], indptr[v + 1]):
            total += signed_hash(v, indices[k], bits, weighted, k)
    return total


@kernel
def asymmetry_of_edges(stop, lo, hi, source, target, bits, weighted):
    """The same for a list of edges."""
    total = np.uint64(0)
    for k in range(lo, hi):
        if stop_at(stop, k):
            return total
        total += signed_hash(source[k], target[k], bits, weighted, k)
    return total


@kernel
def combine(stop, lo, hi, indptr, indices, weights, weighted, how, lengths):
    """Combine equal neighbours of sorted rows, in place at the start of each row.

    ``lengths[v]`` gets the new length. Returns the vertex where a sum left the range of the weights'
    type, or -1.
    """
    for v in range(lo, hi):
        if stop_at(stop, v):
            return -1
        begin = indptr[v]
        out = begin - 1
        for k in range(begin, indptr[v + 1]):
            if out >= begin and indices[out] == indices[k]:
                if weighted and how == MIN:
                    weights[out] = min(weights[out], weights[k])
                elif weighted and how == SUM:
                    total = weights[out] + weights[k]
                    weights[out] = total
                    if weights[out] != total or not np.isfinite(total):
                        return v
            else:
                out += 1
                indices[out] = indices[k]
                if weighted:
                    weights[out] = weights[k]
        lengths[v] = out + 1 - begin
    return -1


@kernel
def squeeze(stop, lo, hi, indptr, array, shorter, out):
    """Copy the first ``shorter[v+1] - shorter[v]`` entries of each row to where ``shorter`` says."""
    for v in range(lo, hi):
        if stop_at(stop, v):
            return
        shift = indptr[v] - shorter[v]
        for k in range(shorter[v], shorter[v + 1]):
            out[k] = array[k + shift]


@kernel
def count_mutual(stop, lo, hi, indptr, indices, back_indptr, back_indices):
    """Arcs u -> v, u != v, for which v -> u exists too. Both graphs have sorted rows."""
    mutual = 0
    for v in range(lo, hi):
        if stop_at(stop, v):
            return mutual
        j = back_indptr[v]
        end = back_indptr[v + 1]
        for k in range(indptr[v], indptr[v + 1]):
            t = indices[k]
            while j < end and back_indices[j] < t:
                j += 1
            if j < end and back_indices[j] == t and t != v:
                mutual += 1
    return mutual


@kernel
def value_range(stop, lo, hi, values):
    """Least, sum and greatest of ``values[lo:hi]``, which is not empty."""
    least = most = values[lo]
    total = 0.0
    for i in range(lo, hi):
        if stop_at(stop, i):
            break
        least = min(least, values[i])
        most = max(most, values[i])
        total += values[i]
    return least, total, most


@kernel
def value_spread(stop, lo, hi, values, mean):
    """Sum of the squared distances from ``mean``."""
    total = 0.0
    for i in range(lo, hi):
        if stop_at(stop, i):
            break
        total += (values[i] - mean) ** 2
    return total
