"""PageRank by pulling, and the product of a graph's matrix with a vector.

Each iteration computes for every vertex v the sum over its in-arcs of ``share[u] * weight``, where
``share[u]`` is u's score divided by the weight of its out-arcs. Scores of vertices without out-arcs
are spread as the personalisation says.

Scores that are already new are used as soon as that does not depend on who is faster (Gauss-Seidel),
which takes fewer iterations. The vertices are cut into up to 16 *stages*; what a stage computes is
kept aside, and all workers see it from the next stage on. Stages and blocks depend on the graph only,
so scores do not depend on the number of threads.

Where every arc has its reverse, conjugate gradients take fewer iterations than this, unless scores
follow the degrees. If those that seemed to do so settle slowly, conjugate gradients go on with them.

New scores do not sum to what the old ones did. So scores are kept in any unit: an iteration
multiplies the jumps by what the sum of the old ones tells (``jumps``), changes are measured by it,
and the end divides by it. (A unit fixed by the jumps alone would settle only by a factor of
``damping`` in each iteration.)

Bounds: ``sums`` has two slots for each block, and ``fresh`` room for the largest stage, which has at
most a block more than its part of all vertices.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...util.limits import due
from ..rows.passes import over_rows, search
from ..runtime.atomics import fetch_add, ld, nanoseconds, st, stop_at, stopped
from ..runtime.launch import BRIEF_BELOW, inline, kernel, run, workers_for
from ..runtime.nouns import Rows, WeightedRows
from ..runtime.team import TICKET, cell, finish, meet, next_phase, part, run_team
from .conjugate import slowest_of_gradients, solve
from .sums import (
    BLOCK_VERTICES,
    SHORT_ROW_ARCS,
    Question,
    Report,
    Sums,
    hurry,
    in_order,
    jumps,
    note,
    plain_sum,
    put,
    short_sum,
    weighted_sum,
)

__all__ = ["left_to_change", "multiply", "rank_pages"]

MOST_STAGES, STAGE_AT_LEAST = 16, 1 << 16  # stages, and vertices and arcs of each
# Scores follow the degrees where these are so high, in the mean, and neighbours so rarely neighbours
# themselves. Graphs with fewer arcs would have fewer than four stages: conjugate gradients are better.
RICH_FROM_DEGREE, RICH_BELOW_CLOSED, RICH_FROM_ARCS = 8, 0.16, 1 << 18
WEDGES = 400  # pairs of neighbours that are looked at
FLOAT32_FROM_TOLERANCE = 1e-6  # from which on shares are kept as float32
#: Below this tolerance, rounding errors of a residual that is updated would count.
CONJUGATE_FROM_TOLERANCE = 1e-13
BRIEF_ITERATIONS = 100  # that work below ``BRIEF_BELOW`` may be repeated and still be brief
PLAIN_BELOW_TOLERANCE = 2.0**-52  # below it all iterations are wanted, of the power method


class Ranks(NamedTuple):
    """By vertex: the score, its share for each arc, the share of a stage kept aside, 1 / out-weight."""

    scores: np.ndarray
    share: np.ndarray
    fresh: np.ndarray
    inverse: np.ndarray


class Stages(NamedTuple):
    """How the vertices are cut, and whether first scores follow the degrees."""

    block: int
    stages: int
    rich: bool


@inline
def in_a_pair(v, matrix, out):
    """Whether ``v`` has one neighbour, which has no other either."""
    return ld(out, v) == 1.0 and ld(out, ld(matrix.indices, ld(matrix.indptr, v))) == 1.0


@kernel
def invert(low, high, matrix, out, inverse, question, rich):
    """Set ``inverse`` of a block.

    Returns what jumps to its vertices without out-arcs and, if ``rich``, how many are in a pair.
    """
    jump, spots = question.jump, question.spots
    unlinked = 0.0
    coupled = 0
    for v in range(low, high):
        if ld(out, v) > 0.0:
            st(inverse, v, 1.0 / ld(out, v))
            coupled += rich and in_a_pair(v, matrix, out)
        else:
            st(inverse, v, 0.0)
            unlinked += ld(jump, v * spots)
    return unlinked, coupled


@kernel
def first_scores(team, matrix, out, question, ranks, sums, cut):
    """Begin with scores that are the jumps or, if rich, follow the degrees.

    Returns what jumps to vertices without out-arcs, or -1 if the run is to end.
    """
    jump, spots, damping = question.jump, question.spots, question.damping
    scores, share, _, inverse = ranks
    block, rich = cut.block, cut.rich
    n = out.size
    blocks = (n + block - 1) // block
    first, last = part(team, blocks)
    for b in range(first, last):
        high = min((b + 1) * block, n)
        unlinked, coupled = invert(b * block, high, matrix, out, inverse, question, rich)
        st(sums.lost, blocks + b, unlinked)
        st(sums.masses, blocks + b, coupled)
    if not meet(team):
        return -1.0
    unlinked = in_order(sums.lost, blocks, blocks)
    coupled = in_order(sums.masses, blocks, blocks)
    # If rich, vertices with arcs have scores of 1 together, and those in pairs their part of it, from
    # which nothing leads away. The others' follow the number of their neighbours.
    each = 1.0 / (n * (1.0 - unlinked)) if rich else 0.0
    slope = damping * (1.0 - coupled * each) / max(matrix.indices.size - coupled, 1.0)
    first, last = part(team, n)
    for v in range(first, last):
        score = np.float64(ld(jump, v * spots))
        if rich and in_a_pair(v, matrix, out):
            score = each
        elif rich:
            score = (1.0 - damping) * each + slope * ld(out, v)
        st(scores, v, score)
        st(share, v, score * ld(inverse, v))
    return unlinked if meet(team) else -1.0


@kernel
def settle(low, high, aside, matrix, question, jumped, ranks):
    """New scores of the vertices of a block, from ``low`` to below ``high``: their change, what dangles
    of them, and their sum.

    Shares are read from ``share``; that of v is written to ``fresh[v - aside]``.
    """
    indptr, indices, weights = matrix
    weighted = weights.size > 0
    scores, share, fresh, inverse = ranks
    jump, spots, damping = question.jump, question.spots, question.damping
    error = 0.0
    dangling = 0.0
    whole = 0.0
    for v in range(low, high):
        first = ld(indptr, v)
        last = ld(indptr, v + 1)
        if weighted:
            total = weighted_sum(share, indices, weights, first, last)
        else:
            total = plain_sum(share, indices, first, last)
        now = damping * total + jumped * ld(jump, v * spots)
        per_arc = ld(inverse, v)
        error += abs(now - ld(scores, v))
        st(scores, v, now)
        st(fresh, v - aside, now * per_arc)
        whole += now
        if per_arc == 0.0:
            dangling += now
    return error, dangling, whole


@inline
def too_slow(question, shrinks, error):
    """Whether conjugate gradients would need fewer iterations for the rest, even at worst.

    They begin with one that finds the residual, and one whose direction knows nothing yet; but changes
    here shrink ever more slowly, which takes nearly as many.
    """
    if shrinks >= 1.0 or question.slowest >= 1.0:
        return question.slowest < 1.0
    rest = math.log(question.tolerance / error)
    return rest / math.log(shrinks) > rest / math.log(question.slowest) + 0.25


@kernel
def walk(team, matrix, out, question, ranks, sums, report, cut):
    """What each worker does; returns the number of iterations, below 0 if changes shrink too slowly."""
    control, me, _ = team
    block, stages, rich = cut
    scores, share, fresh, _ = ranks
    n = out.size
    blocks = (n + block - 1) // block
    box = np.empty(2, np.int64)
    begin = nanoseconds(box)
    unlinked = first_scores(team, matrix, out, question, ranks, sums, cut)
    if unlinked < 0.0:
        return 0
    mass = 1.0
    if rich:
        mass += (1.0 - question.damping) * unlinked / (1.0 - unlinked)
    jumped = jumps(question, mass - 1.0 if rich else unlinked, mass, unlinked)
    phase = np.int64(0)
    previous = 0.0
    done = question.limit
    for step in range(question.limit):
        half = (step % 2) * blocks
        for stage in range(stages):
            next_phase(control, me, phase)
            low = blocks * stage // stages
            high = blocks * (stage + 1) // stages
            aside = low * block
            if me == 0 and stage == stages - 1:
                hurry(report, question, step, begin, box)
            while True:
                b = low + fetch_add(control, cell(TICKET, phase), 1)
                if b >= high or stopped(control):
                    break
                end = min((b + 1) * block, n)
                error, dangling, whole = settle(
                    b * block, end, aside, matrix, question, jumped, ranks
                )
                put(sums, half + b, error, dangling, whole)
            if not meet(team):
                return step
            phase += 1
            first, last = part(team, min(high * block, n) - aside)
            for i in range(first, last):
                st(share, aside + i, ld(fresh, i))
            if not meet(team):
                return step
        error = in_order(sums.errors, half, blocks) / mass
        mass = in_order(sums.masses, half, blocks)
        jumped = jumps(question, in_order(sums.lost, half, blocks), mass, unlinked)
        if me == 0:
            begin = note(report, step, error, begin, box)
        if error < question.tolerance or step + 1 >= ld(report.last, 0):
            done = step + 1
            break
        if step and too_slow(question, error / previous, error):
            done = -(step + 1)
            break
        previous = error
    first, last = part(team, n)
    exact = report.scores
    for v in range(first, last):
        st(exact, v, ld(scores, v) / mass)
    finish(team)
    return done


@kernel
def closed_wedges(stop, indptr, indices):
    """How many of ``WEDGES`` pairs of neighbours of a vertex, evenly spread, are neighbours, too."""
    closed = np.int64(0)
    for i in range(WEDGES):
        k = i * (indices.size - 1) // (WEDGES - 1)
        v = search(indptr, np.int64(0), indptr.size, k + 1) - 1
        a = np.int64(ld(indices, k))
        b = np.int64(ld(indices, (ld(indptr, v) + ld(indptr, v + 1)) // 2))
        if ld(indptr, a + 1) - ld(indptr, a) > ld(indptr, b + 1) - ld(indptr, b):
            a, b = b, a  # the shorter row is looked through
        j = ld(indptr, a)
        last = ld(indptr, a + 1)
        while j < last and ld(indices, j) != b:
            j += 1
        closed += j < last
    return closed


def closed_share(rows: Rows) -> float:
    """How often two neighbours of a vertex are neighbours, too, estimated from ``WEDGES`` of them."""
    return float(run(closed_wedges, [tuple(rows)], brief=True)[0] / WEDGES)


def as_matrix(rows: Rows, weights: np.ndarray | None) -> WeightedRows:
    """Rows with weights; all without weights have the same types."""
    return WeightedRows(*rows, np.empty(0) if weights is None else weights)


def rank_pages(
    back: Rows,
    weights: np.ndarray | None,
    out: np.ndarray,
    jump: np.ndarray,
    *,
    damping: float,
    tolerance: float,
    limit: int,
    paired: bool = False,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """Scores; change and nanoseconds of each iteration; workers.

    ``back`` and ``weights`` are the rows of the transpose, ``out`` the weight of each vertex's
    out-arcs; the others are those of ``Question``.
    """
    n, arcs = back.indptr.size - 1, back.indices.size
    workers, brief = workers_for("pagerank", n + arcs)
    brief &= (n + arcs) * limit < BRIEF_ITERATIONS * BRIEF_BELOW
    plain = tolerance < PLAIN_BELOW_TOLERANCE
    paired &= not plain
    last = np.full(1, limit, np.int64)
    report = Report(np.zeros(limit, np.int64), np.zeros(limit), np.empty(n), last)
    end = due.get()
    # Half the bytes, where rounding (by 6e-8 of each score) is nothing beside the tolerance. Weights
    # could take shares out of the range of float32.
    kind = np.float32 if weights is None and tolerance >= FLOAT32_FROM_TOLERANCE else np.float64
    matrix = as_matrix(back, weights)
    many = arcs >= max(RICH_FROM_DEGREE * n, RICH_FROM_ARCS, 1)
    solvable = paired and 0 < damping < 1 and tolerance >= CONJUGATE_FROM_TOLERANCE
    slowest = slowest_of_gradients(damping) if solvable else 1.0
    asked = (jump.astype(kind), int(jump.size == n), damping, tolerance, limit, paired, slowest)
    question = Question(*asked, -1 if end is None else end.nanoseconds)
    done = 0
    rich = paired and weights is None and jump.size < n and many
    rich = rich and closed_share(back) < RICH_BELOW_CLOSED
    if rich or not solvable:
        stages = 1 if plain else min(max((n + arcs) // STAGE_AT_LEAST, 1), MOST_STAGES)
        aside = n // stages + 2 * BLOCK_VERTICES
        ranks = Ranks(*(np.empty(size, kind) for size in (n, n, aside, n)))
        totals = Sums(*(np.empty(2 * (n // BLOCK_VERTICES + 1)) for _ in range(3)))
        cut = Stages(BLOCK_VERTICES, stages, rich)
        staged = (matrix, out, question, ranks, totals, report, cut)
        done = run_team(walk, workers, *staged, brief=brief)[0]
    if solvable and done <= 0:
        done = solve(matrix, out, question, report, -done, (workers, brief))
    if end is not None:
        end.cut = done < limit and not report.deltas[done - 1] < tolerance
    return report.scores, report.deltas[:done], report.times[:done], workers


def left_to_change(change: float, damping: float, tolerance: float) -> float:
    """How far scores may be from the exact ones, all differences summed, after a last change.

    Let r be by how much an iteration of the power method would change them: they are off by at most
    |r| / (1 - damping). It could only use what the last iteration has changed, by arcs and jumps, so
    |r| is at most that change. A score and its share are rounded once each.
    """
    kind = np.float32 if tolerance >= FLOAT32_FROM_TOLERANCE else np.float64
    return (change + float(np.finfo(kind).eps)) / (1.0 - damping)


@kernel
def multiply_rows(stop, lo, hi, indptr, matrix, short, vector, values):
    """Set ``values[lo:hi]``; ``short``: there are weights, and most rows are short."""
    _, indices, weights = matrix
    weighted = weights.size > 0
    for v in range(lo, hi):
        if stop_at(stop, v):
            return
        first = ld(indptr, v)
        last = ld(indptr, v + 1)
        if short and last - first <= SHORT_ROW_ARCS and first + SHORT_ROW_ARCS <= indices.size:
            st(values, v, short_sum(vector, indices, weights, first, last))
        elif weighted:
            st(values, v, weighted_sum(vector, indices, weights, first, last))
        else:
            st(values, v, plain_sum(vector, indices, first, last))


def multiply(rows: Rows, weights: np.ndarray | None, vector: np.ndarray) -> np.ndarray:
    """For each vertex the sum over its arcs of weight times the target's entry of ``vector``."""
    values = np.empty(rows.indptr.size - 1)
    matrix = as_matrix(rows, weights)
    short = weights is not None and rows.indices.size <= SHORT_ROW_ARCS * values.size
    over_rows(multiply_rows, rows.indptr, matrix, short, vector, values)
    return values
