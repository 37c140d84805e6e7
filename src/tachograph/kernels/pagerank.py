"""PageRank by pulling, and the product of a graph's matrix with a vector.

Each iteration computes for every vertex v the sum over its in-arcs of ``share[u] * weight``, where
``share[u]`` is u's score divided by the weight of its out-arcs. Scores of vertices without out-arcs
are spread as the personalisation says. New shares are computed together with the new scores, into a
second array, so one barrier per iteration is enough.

Sums over vertices are made block by block, and the blocks are added in their order by every worker:
so scores do not depend on the number of threads. A block is 1,024 vertices; ``parts`` has a slot for
each, twice (they alternate between iterations).

Where ids are so local that most arcs stay within a 256th of the vertices (roads), a block is that
large, and scores that are already new in the vertex's own block are used at once (Gauss-Seidel), which
takes half the iterations. Blocks depend on the graph only, so the result still does not depend on
threads.
"""

from __future__ import annotations

import numpy as np

from .machine import fetch_add, ld, nanoseconds, st, stopped
from .rows import over_rows
from .runtime import inline, kernel, threads_available
from .team import TICKET, barrier, cell, next_phase, run_team

__all__ = ["multiply", "rank_pages"]

BLOCK = 1024
COARSE = 256  # blocks where most arcs stay within one
ROUGH = 1e-6  # tolerance from which on shares are kept as float32
SMALL = 1 << 17  # arcs below which one worker is faster than several


@inline
def in_order(parts, first, count):
    total = 0.0
    for i in range(first, first + count):
        total += ld(parts, i)
    return total


@inline
def plain_sum(vector, indices, first, last):
    """The entries of ``vector`` at ``indices[first:last]``, summed in four strands: additions that
    wait for each other would take longer than the memory does. The order is always the same.
    """
    a = b = c = d = 0.0
    k = first
    while k + 4 <= last:
        a += ld(vector, ld(indices, k))
        b += ld(vector, ld(indices, k + 1))
        c += ld(vector, ld(indices, k + 2))
        d += ld(vector, ld(indices, k + 3))
        k += 4
    while k < last:
        a += ld(vector, ld(indices, k))
        k += 1
    return (a + b) + (c + d)


@inline
def weighted_sum(vector, indices, weights, first, last):
    """The same of products with ``weights[first:last]``."""
    a = b = c = d = 0.0
    k = first
    while k + 4 <= last:
        a += ld(vector, ld(indices, k)) * ld(weights, k)
        b += ld(vector, ld(indices, k + 1)) * ld(weights, k + 1)
        c += ld(vector, ld(indices, k + 2)) * ld(weights, k + 2)
        d += ld(vector, ld(indices, k + 3)) * ld(weights, k + 3)
        k += 4
    while k < last:
        a += ld(vector, ld(indices, k)) * ld(weights, k)
        k += 1
    return (a + b) + (c + d)


@inline
def newest_sum(old, new, indices, first, last, begin, v):
    """The same of ``new`` entries from ``begin`` to below ``v``, and of ``old`` ones elsewhere."""
    total = 0.0
    for k in range(first, last):
        u = ld(indices, k)
        total += ld(new, u) if begin <= u < v else ld(old, u)
    return total


@kernel
def walk(
    control, me, workers, n, back_indptr, back_indices, weights, weighted, out, inverse, jump,
    damping, tolerance, limit, scores, share, other, errors, lost, times, deltas, block, local,
):  # fmt: skip
    """What each worker does; returns the number of iterations."""
    blocks = (n + block - 1) // block
    box = np.empty(2, np.int64)
    begin = nanoseconds(box)
    for step in range(limit + 1):
        next_phase(control, me, step)
        half = (step % 2) * blocks
        spread = in_order(lost, (1 - step % 2) * blocks, blocks) if step else 0.0
        while True:
            b = fetch_add(control, cell(TICKET, step), 1)
            if b >= blocks or stopped(control):
                break
            error = 0.0
            dangling = 0.0
            for v in range(b * block, min((b + 1) * block, n)):
                old = ld(scores, v)
                new = old
                if step:
                    first = ld(back_indptr, v)
                    last = ld(back_indptr, v + 1)
                    if local:
                        total = newest_sum(share, other, back_indices, first, last, b * block, v)
                    elif weighted:
                        total = weighted_sum(share, back_indices, weights, first, last)
                    else:
                        total = plain_sum(share, back_indices, first, last)
                    new = damping * (total + spread * ld(jump, v)) + (1.0 - damping) * ld(jump, v)
                    st(scores, v, new)
                    error += abs(new - old)
                elif ld(out, v) > 0.0:
                    st(inverse, v, 1.0 / ld(out, v))
                else:
                    st(inverse, v, 0.0)
                st(other, v, new * ld(inverse, v))
                if ld(inverse, v) == 0.0:
                    dangling += new
            st(errors, half + b, error)
            st(lost, half + b, dangling)
        if not barrier(control, workers):
            return step
        share, other = other, share
        if step:
            error = in_order(errors, half, blocks)
            if me == 0:
                now = nanoseconds(box)
                times[step - 1] = now - begin
                deltas[step - 1] = error
                begin = now
            if error < tolerance:
                return step
    return limit


def near_share(indptr: np.ndarray, indices: np.ndarray, block: int) -> float:
    """The share of arcs within a block of vertices, estimated from a thousand of them."""
    arcs = np.linspace(0, indices.size - 1, min(indices.size, 1000)).astype(np.int64)
    ends = np.searchsorted(indptr, arcs, "right") - 1
    return float((indices[arcs] // block == ends // block).mean()) if arcs.size else 0.0


def rank_pages(
    back_indptr: np.ndarray,
    back_indices: np.ndarray,
    weights: np.ndarray | None,
    out: np.ndarray,
    jump: np.ndarray,
    damping: float,
    tolerance: float,
    limit: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """Scores; change and nanoseconds of each iteration; workers.

    ``back_*`` and ``weights`` are the rows of the transpose, ``out`` the weight of each vertex's
    out-arcs, ``jump`` the personalisation, which sums to 1.
    """
    n = back_indptr.size - 1
    brief = n + back_indices.size < SMALL
    workers = 1 if brief else threads_available()
    coarse = max(BLOCK, n // COARSE)
    local = weights is None and near_share(back_indptr, back_indices, coarse) > 0.5
    block = coarse if local else BLOCK
    blocks = (n + block - 1) // block
    times, deltas = np.zeros(limit, np.int64), np.zeros(limit)
    values = np.empty(0, np.float64) if weights is None else weights
    # Half the bytes, where rounding (by 6e-8 of each score) is nothing beside the tolerance. Weights
    # could take shares out of the range of float32.
    kind = np.float32 if weights is None and tolerance >= ROUGH else np.float64
    scores: np.ndarray = jump.astype(kind)
    done = run_team(
        walk, workers, n, back_indptr, back_indices, values, weights is not None, out,
        np.empty(n, kind), jump.astype(kind), damping, tolerance, limit, scores,
        np.empty(n, kind), np.empty(n, kind), np.empty(2 * blocks),
        np.empty(2 * blocks), times, deltas, block, local, brief=brief,
    )[0]  # fmt: skip
    exact = scores.astype(np.float64)
    if kind is np.float32:
        exact /= exact.sum()
    return exact, deltas[:done], times[:done], workers


@kernel
def multiply_rows(stop, lo, hi, indptr, indices, weights, weighted, vector, values):
    for v in range(lo, hi):
        if v % 4096 == 0 and stopped(stop):
            return
        first = ld(indptr, v)
        last = ld(indptr, v + 1)
        if weighted:
            st(values, v, weighted_sum(vector, indices, weights, first, last))
        else:
            st(values, v, plain_sum(vector, indices, first, last))


def multiply(
    indptr: np.ndarray, indices: np.ndarray, weights: np.ndarray | None, vector: np.ndarray
) -> np.ndarray:
    """For each vertex the sum over its arcs of weight times the target's entry of ``vector``."""
    values = np.empty(indptr.size - 1)
    entries = np.empty(0, np.float64) if weights is None else weights
    over_rows(multiply_rows, indptr, indices, entries, weights is not None, vector, values)
    return values
