"""PageRank by pulling, and the product of a graph's matrix with a vector.

Each iteration computes for every vertex v the sum over its in-arcs of ``share[u] * weight``, where
``share[u]`` is u's score divided by the weight of its out-arcs. Scores of vertices without out-arcs
are spread as the personalisation says.

Scores that are already new are used as soon as that does not depend on who is faster (Gauss-Seidel),
which takes fewer iterations. The vertices are cut into up to 16 *stages*; what a stage computes is
kept aside, and all workers see it from the next stage on. Stages and blocks depend on the graph only,
so scores do not depend on the number of threads. Where ids are so local that most arcs stay within a
256th of the vertices, ``pagerank_local`` does it in another way.

New scores do not sum to what the old ones did. So scores are kept in any unit: an iteration
multiplies the jumps by what the sum of the old ones tells (``jumps``), changes are measured by it,
and the end divides by it. (A unit fixed by the jumps alone would settle only by a factor of
``damping`` in each iteration.)

Sums over vertices are made block by block, and the blocks are added in their order by every worker.
Each array of such sums has a slot for each block, twice: they alternate between iterations.
"""

from __future__ import annotations

import math

import numpy as np

from ..rows.passes import over_rows
from ..runtime.atomics import fetch_add, ld, nanoseconds, st, stopped
from ..runtime.launch import inline, kernel, threads_available
from ..runtime.team import CELL, TICKET, barrier, cell, next_phase, run_team
from ..runtime.team import share as part_of
from .local import OVER, walk_nearby
from .sums import FEW, in_order, jumps, plain_sum, short_sum, weighted_sum

__all__ = ["multiply", "rank_pages"]

BLOCK = 256  # vertices a worker takes at a time
STAGES = 16  # at most, and so many vertices and arcs in each at least:
STAGE = 1 << 16
COARSE, FEWEST = 256, 2048  # blocks where most arcs stay within one, and vertices in each at least
# Scores follow the numbers of neighbours where these are so many, in the mean, and so rarely
# neighbours themselves. It is not looked at in graphs with fewer arcs.
RICH, CLOSED, LARGE = 8, 0.1, 1 << 20
ROUGH = 1e-6  # tolerance from which on shares are kept as float32
HOPELESS = 2.0**-52  # tolerance below which all iterations are wanted, as everybody numbers them
SMALL = 1 << 17  # arcs below which one worker is faster than several


@inline
def in_a_pair(v, indptr, indices, out):
    """Whether ``v`` has one neighbour, which has no other either."""
    return ld(out, v) == 1.0 and ld(out, ld(indices, ld(indptr, v))) == 1.0


@kernel
def invert(low, high, indptr, indices, out, inverse, jump, spots, rich):
    """``inverse`` of a block; what jumps to its vertices without out-arcs; if ``rich``, how many are in
    a pair.
    """
    unlinked = 0.0
    coupled = 0
    for v in range(low, high):
        if ld(out, v) > 0.0:
            st(inverse, v, 1.0 / ld(out, v))
            coupled += rich and in_a_pair(v, indptr, indices, out)
        else:
            st(inverse, v, 0.0)
            unlinked += ld(jump, v * spots)
    return unlinked, coupled


@kernel
def settle(
    low, high, aside, back_indptr, back_indices, weights, weighted, inverse, jump, spots, damping,
    jumped, scores, share, fresh,
):  # fmt: skip
    """New scores of the vertices of a block, from ``low`` to below ``high``: their change, what dangles
    of them, and their sum.

    ``spots`` is 1 if ``jump`` has an entry for each vertex, 0 if one is for all. Shares are read from
    ``share``; that of v is written to ``fresh[v - aside]``.
    """
    error = 0.0
    dangling = 0.0
    whole = 0.0
    for v in range(low, high):
        first = ld(back_indptr, v)
        last = ld(back_indptr, v + 1)
        if weighted:
            total = weighted_sum(share, back_indices, weights, first, last)
        else:
            total = plain_sum(share, back_indices, first, last)
        now = damping * total + jumped * ld(jump, v * spots)
        per_arc = ld(inverse, v)
        error += abs(now - ld(scores, v))
        st(scores, v, now)
        st(fresh, v - aside, now * per_arc)
        whole += now
        if per_arc == 0.0:
            dangling += now
    return error, dangling, whole


@kernel
def walk(
    team, n, back_indptr, back_indices, weights, weighted, out, inverse, jump,
    spots, damping, tolerance, limit, paired, rich, scores, share, fresh, errors, lost, masses, times,
    deltas, exact, block, stages,
):  # fmt: skip
    """What each worker does; returns the number of iterations.

    ``fresh`` has room for the largest stage: a block more than its part of all.
    """
    control, me, workers = team
    blocks = (n + block - 1) // block
    box = np.empty(2, np.int64)
    begin = nanoseconds(box)
    first, last = part_of(blocks, me, workers)
    for b in range(first, last):
        high = min((b + 1) * block, n)
        unlinked, coupled = invert(
            b * block, high, back_indptr, back_indices, out, inverse, jump, spots, rich
        )
        st(lost, blocks + b, unlinked)
        st(masses, blocks + b, coupled)
    if not barrier(control, workers):
        return 0
    unlinked = in_order(lost, blocks, blocks)
    coupled = in_order(masses, blocks, blocks)
    # If rich, vertices with arcs have scores of 1 together, and those in pairs their part of it, from
    # which nothing leads away. The others' follow the number of their neighbours.
    each = 1.0 / (n * (1.0 - unlinked)) if rich else 0.0
    slope = damping * (1.0 - coupled * each) / max(back_indices.size - coupled, 1.0)
    first, last = part_of(n, me, workers)
    for v in range(first, last):
        score = np.float64(ld(jump, v * spots))
        if rich and in_a_pair(v, back_indptr, back_indices, out):
            score = each
        elif rich:
            score = (1.0 - damping) * each + slope * ld(out, v)
        st(scores, v, score)
        st(share, v, score * ld(inverse, v))
    if not barrier(control, workers):
        return 0
    mass = 1.0
    if rich:
        mass += (1.0 - damping) * unlinked / (1.0 - unlinked)
    jumped = jumps(paired, damping, mass - 1.0 if rich else unlinked, mass, unlinked)
    phase = np.int64(0)
    done = limit
    for step in range(limit):
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
                    b * block, min((b + 1) * block, n), low * block, back_indptr, back_indices,
                    weights, weighted, inverse, jump, spots, damping, jumped, scores, share, fresh,
                )  # fmt: skip
                st(errors, half + b, error)
                st(lost, half + b, dangling)
                st(masses, half + b, whole)
            if not barrier(control, workers):
                return step
            phase += 1
            first, last = part_of(min(high * block, n) - low * block, me, workers)
            for i in range(first, last):
                st(share, low * block + i, ld(fresh, i))
            if not barrier(control, workers):
                return step
        error = in_order(errors, half, blocks) / mass
        mass = in_order(masses, half, blocks)
        jumped = jumps(paired, damping, in_order(lost, half, blocks), mass, unlinked)
        if me == 0:
            now = nanoseconds(box)
            times[step] = now - begin
            deltas[step] = error
            begin = now
        if error < tolerance:
            done = step + 1
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


def closed_share(indptr: np.ndarray, indices: np.ndarray) -> float:
    """How often two neighbours of a vertex are neighbours, too, estimated from a hundred of them."""
    at = np.linspace(0, indices.size - 1, 100).astype(np.int64)
    v = np.searchsorted(indptr, at, "right") - 1
    a, b = indices[at], indices[(indptr[v] + indptr[v + 1]) // 2]
    swap = indptr[a + 1] - indptr[a] > indptr[b + 1] - indptr[b]
    a, b = np.where(swap, b, a), np.where(swap, a, b)  # the shorter row is looked through
    closed = [(indices[indptr[x] : indptr[x + 1]] == y).any() for x, y in zip(a, b, strict=True)]
    return float(np.mean(closed))


def rank_pages(
    back_indptr: np.ndarray,
    back_indices: np.ndarray,
    weights: np.ndarray | None,
    out: np.ndarray,
    jump: np.ndarray,
    damping: float,
    tolerance: float,
    limit: int,
    paired: bool = False,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """Scores; change and nanoseconds of each iteration; workers.

    ``back_*`` and ``weights`` are the rows of the transpose, ``out`` the weight of each vertex's
    out-arcs, ``jump`` the personalisation, which sums to 1, or one entry if it is the same everywhere;
    ``paired`` says that every arc has its reverse, of the same weight.
    """
    n, arcs = back_indptr.size - 1, back_indices.size
    brief = n + arcs < SMALL
    workers = 1 if brief else threads_available()
    shift = (max(FEWEST, n // COARSE) - 1).bit_length()
    plain = tolerance < HOPELESS
    paired &= not plain
    local = (
        not plain and weights is None and near_share(back_indptr, back_indices, 1 << shift) > 0.5
    )
    times, deltas, exact = np.zeros(limit, np.int64), np.zeros(limit), np.empty(n)
    # Half the bytes, where rounding (by 6e-8 of each score) is nothing beside the tolerance. Weights
    # could take shares out of the range of float32.
    kind = np.float32 if weights is None and tolerance >= ROUGH else np.float64
    common = jump.astype(kind), int(jump.size == n), damping, tolerance, limit, paired
    if local:
        factor = min(OVER, 2 / (1 + math.sqrt(1 - damping**2))) if paired else 1.0
        short = paired and jump.size == 1 and arcs <= FEW * n
        share = np.empty(2 * n + 1, kind)
        share[0] = 0
        sums = (np.empty(2 * (n >> shift) + 2) for _ in range(4))
        done = run_team(
            walk_nearby, workers, n, back_indptr, back_indices, out, *common, factor, short, share,
            np.empty(n, np.uint8), np.zeros(3 * workers * CELL, np.int64), *sums, times, deltas, exact,
            shift, brief=brief,
        )[0]  # fmt: skip
    else:
        stages = 1 if plain else min(max((n + arcs) // STAGE, 1), STAGES)
        rich = (
            paired and weights is None and jump.size < n and arcs >= max(RICH * n, LARGE)
            and closed_share(back_indptr, back_indices) < CLOSED
        )  # fmt: skip
        sums = (np.empty(2 * (n // BLOCK + 1)) for _ in range(3))
        done = run_team(
            walk, workers, n, back_indptr, back_indices,
            np.empty(0, np.float64) if weights is None else weights, weights is not None, out,
            np.empty(n, kind), *common, rich, np.empty(n, kind), np.empty(n, kind),
            np.empty(n // stages + 2 * BLOCK, kind), *sums, times, deltas, exact, BLOCK, stages,
            brief=brief,
        )[0]  # fmt: skip
    return exact, deltas[:done], times[:done], workers


@kernel
def multiply_rows(stop, lo, hi, indptr, indices, weights, weighted, short, vector, values):
    for v in range(lo, hi):
        if v % 4096 == 0 and stopped(stop):
            return
        first = ld(indptr, v)
        last = ld(indptr, v + 1)
        if short and last - first <= FEW and first + FEW <= indices.size:
            st(values, v, short_sum(vector, indices, weights, first, last))
        elif weighted:
            st(values, v, weighted_sum(vector, indices, weights, first, last))
        else:
            st(values, v, plain_sum(vector, indices, first, last))


def multiply(
    indptr: np.ndarray, indices: np.ndarray, weights: np.ndarray | None, vector: np.ndarray
) -> np.ndarray:
    """For each vertex the sum over its arcs of weight times the target's entry of ``vector``."""
    values = np.empty(indptr.size - 1)
    entries = np.empty(0, np.float64) if weights is None else weights
    short = weights is not None and indices.size <= FEW * values.size
    over_rows(multiply_rows, indptr, indices, entries, weights is not None, short, vector, values)
    return values
