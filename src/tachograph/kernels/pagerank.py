"""PageRank by pulling, and the product of a graph's matrix with a vector.

Each iteration computes for every vertex v the sum over its in-arcs of ``share[u] * weight``, where
``share[u]`` is u's score divided by the weight of its out-arcs. Scores of vertices without out-arcs
are spread as the personalisation says.

Scores that are already new are used as soon as that does not depend on who is faster (Gauss-Seidel),
which takes fewer iterations. The vertices are cut into up to 64 *stages*; what a stage computes is kept
aside, and all workers see it from the next stage on. Where ids are so local that most arcs stay within
a 256th of the vertices (roads), there is one stage instead, its blocks are that large, and a block uses
what is new in itself at once. Stages and blocks depend on the graph only, so scores do not depend on
the number of threads.

New scores do not sum to what the old ones did. So scores are kept in any unit: an iteration multiplies
the jumps by the sum of the old ones, changes are measured by it, and the end divides by it. (A unit
fixed by the jumps alone would settle only by a factor of ``damping`` in each iteration.)

Sums over vertices are made block by block, and the blocks are added in their order by every worker.
Each array of such sums has a slot for each block, twice: they alternate between iterations.
"""

from __future__ import annotations

import numpy as np

from .machine import fetch_add, ld, nanoseconds, rolled, st, stopped
from .rows import over_rows
from .runtime import inline, kernel, threads_available
from .team import TICKET, barrier, cell, next_phase, run_team
from .team import share as part_of

__all__ = ["multiply", "rank_pages"]

BLOCK = 256  # vertices a worker takes at a time
STAGES = 64  # at most, and so many vertices and arcs in each at least:
STAGE = 1 << 16
COARSE, FEWEST = 256, 2048  # blocks where most arcs stay within one, and vertices in each at least
ROUGH = 1e-6  # tolerance from which on shares are kept as float32
HOPELESS = 2.0**-52  # tolerance below which all iterations are wanted, as everybody numbers them
SMALL = 1 << 17  # arcs below which one worker is faster than several


@inline
def in_order(parts, first, count):
    total = 0.0
    for i in range(first, first + count):
        total += ld(parts, i)
    return total


@inline
def plain_sum(vector, indices, first, last):
    """The entries of ``vector`` at ``indices[first:last]``, summed."""
    total = 0.0
    k = first
    while k < last:
        rolled()
        total += ld(vector, ld(indices, k))
        k += 1
    return total


@inline
def weighted_sum(vector, indices, weights, first, last):
    """The same of products with ``weights[first:last]``."""
    total = 0.0
    k = first
    while k < last:
        rolled()
        total += ld(vector, ld(indices, k)) * ld(weights, k)
        k += 1
    return total


@inline
def newest_sum(old, new, indices, first, last, begin, v):
    """The same of ``new`` entries from ``begin`` to below ``v``, and of ``old`` ones elsewhere."""
    total = 0.0
    k = first
    while k < last:
        rolled()
        u = np.int64(ld(indices, k))
        if np.uint64(u - begin) < np.uint64(v - begin):
            total += ld(new, u)
        else:
            total += ld(old, u)
        k += 1
    return total


@kernel
def settle(
    low, high, step, back_indptr, back_indices, weights, weighted, out, inverse, jump, spots,
    damping, spread, mass, scores, share, fresh, local,
):  # fmt: skip
    """New scores and shares of the vertices of a block, from ``low`` to below ``high``: their change,
    what dangles of them, and their sum.

    ``spots`` is 1 if ``jump`` has an entry for each vertex, 0 if one is for all. Shares are read from
    ``share`` and written to ``fresh``.
    """
    error = 0.0
    dangling = 0.0
    whole = 0.0
    for v in range(low, high):
        if step:
            before = ld(scores, v)
            first = ld(back_indptr, v)
            last = ld(back_indptr, v + 1)
            if local:
                total = newest_sum(share, fresh, back_indices, first, last, low, v)
            elif weighted:
                total = weighted_sum(share, back_indices, weights, first, last)
            else:
                total = plain_sum(share, back_indices, first, last)
            jumped = (damping * spread + (1.0 - damping) * mass) * ld(jump, v * spots)
            now = damping * total + jumped
            error += abs(now - before)
        else:
            now = np.float64(ld(jump, v * spots))
            st(inverse, v, 1.0 / ld(out, v) if ld(out, v) > 0.0 else 0.0)
        st(scores, v, now)
        per_arc = ld(inverse, v)
        st(fresh, v, now * per_arc)
        whole += now
        if per_arc == 0.0:
            dangling += now
    return error, dangling, whole


@kernel
def walk(
    control, me, workers, n, back_indptr, back_indices, weights, weighted, out, inverse, jump,
    spots, damping, tolerance, limit, scores, share, fresh, errors, lost, masses, times, deltas, exact,
    block, stages, local,
):  # fmt: skip
    """What each worker does; returns the number of iterations.

    If ``local``, the arrays ``share`` and ``fresh`` take turns in being old and new; otherwise each
    stage copies what it has found from ``fresh`` to ``share``.
    """
    blocks = (n + block - 1) // block
    box = np.empty(2, np.int64)
    begin = nanoseconds(box)
    phase = np.int64(0)
    spread = 0.0
    mass = 1.0
    done = limit
    for step in range(limit + 1):
        half = (step % 2) * blocks
        for stage in range(stages):
            next_phase(control, me, phase)
            low = blocks * stage // stages
            high = blocks * (stage + 1) // stages
            while True:
                b = low + fetch_add(control, cell(TICKET, phase), 1)
                if b >= high or stopped(control):
                    break
                error, dangling, whole = settle(
                    b * block, min((b + 1) * block, n), step, back_indptr, back_indices,
                    weights, weighted, out, inverse, jump, spots, damping, spread, mass, scores,
                    share, fresh, local,
                )  # fmt: skip
                st(errors, half + b, error)
                st(lost, half + b, dangling)
                st(masses, half + b, whole)
            if not barrier(control, workers):
                return step
            phase += 1
            if not local:
                first, last = part_of(min(high * block, n) - low * block, me, workers)
                for v in range(low * block + first, low * block + last):
                    st(share, v, ld(fresh, v))
                if not barrier(control, workers):
                    return step
        if local:
            share, fresh = fresh, share
        error = in_order(errors, half, blocks) / mass
        spread = in_order(lost, half, blocks)
        mass = in_order(masses, half, blocks)
        if step:
            if me == 0:
                now = nanoseconds(box)
                times[step - 1] = now - begin
                deltas[step - 1] = error
                begin = now
            if error < tolerance:
                done = step
                break
    first, last = part_of(n, me, workers)
    for v in range(first, last):
        st(exact, v, ld(scores, v) / mass)
    return done


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
    out-arcs, ``jump`` the personalisation, which sums to 1, or one entry if it is the same everywhere.
    """
    n = back_indptr.size - 1
    brief = n + back_indices.size < SMALL
    workers = 1 if brief else threads_available()
    coarse = max(FEWEST, n // COARSE)
    plain = tolerance < HOPELESS
    local = not plain and weights is None and near_share(back_indptr, back_indices, coarse) > 0.5
    block = coarse if local else BLOCK
    stages = 1 if local or plain else min(max((n + back_indices.size) // STAGE, 1), STAGES)
    blocks = (n + block - 1) // block
    times, deltas, exact = np.zeros(limit, np.int64), np.zeros(limit), np.empty(n)
    values = np.empty(0, np.float64) if weights is None else weights
    # Half the bytes, where rounding (by 6e-8 of each score) is nothing beside the tolerance. Weights
    # could take shares out of the range of float32.
    kind = np.float32 if weights is None and tolerance >= ROUGH else np.float64
    done = run_team(
        walk, workers, n, back_indptr, back_indices, values, weights is not None, out,
        np.empty(n, kind), jump.astype(kind), int(jump.size == n), damping, tolerance, limit,
        *(np.empty(n, kind) for _ in range(3)), *(np.empty(2 * blocks) for _ in range(3)),
        times, deltas, exact, block, stages, local, brief=brief,
    )[0]  # fmt: skip
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
