"""PageRank by pulling, and the product of a graph's matrix with a vector.

Each iteration computes for every vertex v the sum over its in-arcs of ``share[u] * weight``, where
``share[u]`` is u's score divided by the weight of its out-arcs. Scores of vertices without out-arcs
are spread as the personalisation says. New shares are computed together with the new scores, into a
second array, so one barrier per iteration is enough.

Sums over vertices are made block by block, and the blocks are added in their order by every worker:
so scores do not depend on the number of threads. A block is 1,024 vertices; ``parts`` has a slot for
each, twice (they alternate between iterations).
"""

from __future__ import annotations

import numpy as np

from .machine import fetch_add, ld, nanoseconds, st, stopped
from .rows import over_rows
from .runtime import inline, kernel, threads_available
from .team import TICKET, barrier, cell, next_phase, run_team

__all__ = ["multiply", "rank_pages"]

BLOCK = 1024
SMALL = 1 << 17  # arcs below which one worker is faster than several


@inline
def in_order(parts, first, count):
    total = 0.0
    for i in range(first, first + count):
        total += ld(parts, i)
    return total


@kernel
def walk(
    control, me, workers, n, back_indptr, back_indices, weights, weighted, out, jump, damping,
    tolerance, limit, scores, share, other, errors, lost, times, deltas,
):  # fmt: skip
    """What each worker does; returns the number of iterations."""
    blocks = (n + BLOCK - 1) // BLOCK
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
            for v in range(b * BLOCK, min((b + 1) * BLOCK, n)):
                old = ld(scores, v)
                new = old
                if step:
                    total = 0.0
                    if weighted:
                        for k in range(ld(back_indptr, v), ld(back_indptr, v + 1)):
                            total += ld(share, ld(back_indices, k)) * ld(weights, k)
                    else:
                        for k in range(ld(back_indptr, v), ld(back_indptr, v + 1)):
                            total += ld(share, ld(back_indices, k))
                    new = damping * (total + spread * ld(jump, v)) + (1.0 - damping) * ld(jump, v)
                    st(scores, v, new)
                    error += abs(new - old)
                if ld(out, v) > 0.0:
                    st(other, v, new / ld(out, v))
                else:
                    st(other, v, 0.0)
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
    blocks = (n + BLOCK - 1) // BLOCK
    scores = jump.copy()
    times, deltas = np.zeros(limit, np.int64), np.zeros(limit)
    values = np.empty(0, np.float64) if weights is None else weights
    done = run_team(
        walk, workers, n, back_indptr, back_indices, values, weights is not None, out, jump, damping,
        tolerance, limit, scores, np.empty(n), np.empty(n), np.empty(2 * blocks),
        np.empty(2 * blocks), times, deltas, brief=brief,
    )[0]  # fmt: skip
    return scores, deltas[:done], times[:done], workers


@kernel
def multiply_rows(stop, lo, hi, indptr, indices, weights, weighted, vector, values):
    for v in range(lo, hi):
        if v % 4096 == 0 and stopped(stop):
            return
        total = 0.0
        for k in range(ld(indptr, v), ld(indptr, v + 1)):
            x = ld(vector, ld(indices, k))
            total += x * ld(weights, k) if weighted else x
        st(values, v, total)


def multiply(
    indptr: np.ndarray, indices: np.ndarray, weights: np.ndarray | None, vector: np.ndarray
) -> np.ndarray:
    """For each vertex the sum over its arcs of weight times the target's entry of ``vector``."""
    values = np.empty(indptr.size - 1)
    entries = np.empty(0, np.float64) if weights is None else weights
    over_rows(multiply_rows, indptr, indices, entries, weights is not None, vector, values)
    return values
