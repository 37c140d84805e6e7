"""PageRank where every arc has its reverse, by the method of conjugate gradients.

Scores x solve x - damping * P x = (1 - damping) * jump, where P hands scores on to neighbours. If every
arc has its reverse, of the same weight, P is similar to a symmetric matrix, and the equation can be
solved by conjugate gradients (Hestenes and Stiefel, 1952). They need up to three times fewer iterations
than Gauss-Seidel where a reader stays long in one part of the graph. This is the variant of
Chronopoulos and Gear (1989): one product and one pass over the vertices in each iteration.

The residual is what one iteration of the power method would change. Divided by ``damping``, its sum is
compared with the tolerance: what is left to change is at most ``damping / (1 - damping)`` times that.
It is updated, not computed anew, so it is off by rounding errors, which are added before.

A vertex without arcs has its jumps only. The others together hold what jumps lead to them. First scores
are made so, and residuals then sum to 0 for ever: degrees are an eigenvector, to which all of them are
orthogonal. So the sum of all scores never changes.

A *share* is a score divided by the weight of the vertex's arcs: what a neighbour gets for each unit of
weight. Sums over vertices are made block by block, so they do not depend on the number of threads.

Bounds: blocks lie within 0..n, and each sum has a slot for each block.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..runtime.atomics import ld, nanoseconds, st
from ..runtime.launch import inline, kernel
from ..runtime.nouns import WeightedRows
from ..runtime.team import finish, meet, new_tickets, next_tickets, part, run_team, take_near
from .sums import BLOCK_VERTICES, Question, Report, hurry, in_order, note, plain_sum, weighted_sum

__all__ = ["slowest_of_gradients", "solve"]


#: By how much the sum of a residual may be off, all scores being 1; rows are summed as float64.
ROUNDING = {np.dtype(np.float32): 2.0**-24, np.dtype(np.float64): 2.0**-46}
LEAST = float(np.finfo(np.float64).tiny)  # instead of a sum of nothing


class Vectors(NamedTuple):
    """By vertex. Shares: the solution, the search direction, the residual; scores: the product with the
    direction, the residual, the product with the residual. Last, 1 / weight of the arcs.
    """

    solution: np.ndarray
    direction: np.ndarray
    share: np.ndarray
    descent: np.ndarray
    residual: np.ndarray
    product: np.ndarray
    inverse: np.ndarray


@inline
def row_sum(share, matrix, v):
    """What ``v`` gets from its neighbours."""
    first, last = ld(matrix.indptr, v), ld(matrix.indptr, v + 1)
    if matrix.weights.size > 0:
        return weighted_sum(share, matrix.indices, matrix.weights, first, last)
    return plain_sum(share, matrix.indices, first, last)


@kernel
def guess(low, high, out, question, known, scores, vectors):
    """Set the first solution of a block: scores that are there, or follow the degrees, or the jumps.

    With jumps to some vertices only, others that cannot be reached must stay 0.
    """
    for v in range(low, high):
        weight = ld(out, v)
        inverse = 1.0 / weight if weight > 0.0 else 0.0
        first = 0.0
        if known.done:
            first = ld(scores, v) * known.unit * inverse
        elif weight > 0.0:
            first = np.float64(ld(question.jump, v * question.spots)) * inverse
            if question.spots == 0:
                first = (1.0 - question.damping) * first + known.linked
        st(vectors.inverse, v, inverse)
        st(vectors.solution, v, first)


@kernel
def begin(low, high, matrix, out, question, vectors):
    """Set the residual of the first solution."""
    damping = question.damping
    for v in range(low, high):
        inverse = np.float64(ld(vectors.inverse, v))
        left = 0.0
        if inverse > 0.0:
            leap = (1.0 - damping) * ld(question.jump, v * question.spots)
            handed = damping * row_sum(vectors.solution, matrix, v)
            left = leap + handed - ld(vectors.solution, v) * ld(out, v)
        st(vectors.residual, v, left)
        st(vectors.share, v, left * inverse)
    return sizes(vectors.residual, vectors.share, low, high)


@kernel
def multiply(low, high, matrix, damping, vectors):
    """Set the product with the residual; its scalar product with the residual."""
    total = 0.0
    for v in range(low, high):
        made = ld(vectors.residual, v) - damping * row_sum(vectors.share, matrix, v)
        st(vectors.product, v, made)
        total += made * ld(vectors.share, v)
    return total


@inline
def sizes(residual, share, low, high):
    """The sum of sizes of a block's residual, and its square; four sums each, so that none waits."""
    a = b = c = d = 0.0
    e = f = g = h = 0.0
    v = low
    while v + 4 <= high:
        a += abs(np.float64(ld(residual, v)))
        b += abs(np.float64(ld(residual, v + 1)))
        c += abs(np.float64(ld(residual, v + 2)))
        d += abs(np.float64(ld(residual, v + 3)))
        e += np.float64(ld(residual, v)) * ld(share, v)
        f += np.float64(ld(residual, v + 1)) * ld(share, v + 1)
        g += np.float64(ld(residual, v + 2)) * ld(share, v + 2)
        h += np.float64(ld(residual, v + 3)) * ld(share, v + 3)
        v += 4
    while v < high:
        a += abs(np.float64(ld(residual, v)))
        e += np.float64(ld(residual, v)) * ld(share, v)
        v += 1
    return (a + b) + (c + d), (e + f) + (g + h)


@kernel
def descend(low, high, vectors, along, step):
    """Go a step along the new direction. Loops over few arrays, in their type, become vector code."""
    solution, direction, share, descent, residual, product, inverse = vectors
    bend = direction.dtype.type(along)
    far = direction.dtype.type(step)
    for v in range(low, high):
        towards = ld(share, v) + bend * ld(direction, v)
        st(direction, v, towards)
        st(solution, v, ld(solution, v) + far * towards)
    for v in range(low, high):
        falls = ld(product, v) + bend * ld(descent, v)
        st(descent, v, falls)
        st(residual, v, ld(residual, v) - far * falls)
    for v in range(low, high):
        st(share, v, ld(residual, v) * ld(inverse, v))
    return sizes(residual, share, low, high)


class Squares(NamedTuple):
    """For each block: the residual's sum of sizes, its square, its scalar product with ``product``."""

    sizes: np.ndarray
    squares: np.ndarray
    products: np.ndarray


class Known(NamedTuple):
    """What is known before: how many iterations were done, and the unit of the scores they have left;
    the first share of every vertex beyond jumps, if none were; the sum of all scores; by how much
    rounding may change the sum of a residual.
    """

    done: int
    unit: float
    linked: float
    mass: float
    rounding: float


@inline
def phase_of_multiplying(team, tickets, phase, matrix, damping, vectors, squares):
    """Set the product, block by block; whether the run goes on."""
    n = vectors.share.size
    blocks = (n + BLOCK_VERTICES - 1) // BLOCK_VERTICES
    next_tickets(team, tickets, phase)
    at = take_near(team, tickets, phase, blocks)
    while at >= 0:
        high = min((at + 1) * BLOCK_VERTICES, n)
        st(squares.products, at, multiply(at * BLOCK_VERTICES, high, matrix, damping, vectors))
        at = take_near(team, tickets, phase, blocks)
    return meet(team)


@kernel
def walk_conjugate(team, tickets, matrix, out, question, known, vectors, squares, report):
    """What each worker does; returns the number of iterations, the first of which finds a residual."""
    me = team.me
    damping = question.damping
    n = out.size
    blocks = (n + BLOCK_VERTICES - 1) // BLOCK_VERTICES
    box = np.empty(2, np.int64)
    begun = nanoseconds(box)
    phase = np.int64(0)
    square = before = along = 0.0
    step = 1.0
    turn = -1
    while turn < question.limit - known.done:
        if turn > 0:
            if not phase_of_multiplying(team, tickets, phase, matrix, damping, vectors, squares):
                return known.done + turn
            phase += 1
            bent = in_order(squares.products, 0, blocks)
            along = square / before if turn > 1 else 0.0
            slope = bent - along * square / step
            if not slope > 0.0:  # by rounding only: the matrix is positive definite
                along = 0.0
                slope = bent
            step = square / slope
            before = square
        next_tickets(team, tickets, phase)
        if me == 0 and turn > 0:
            hurry(report, question, known.done + turn, begun, box)
        at = take_near(team, tickets, phase, blocks)
        while at >= 0:
            low = at * BLOCK_VERTICES
            high = min(low + BLOCK_VERTICES, n)
            size = total = 0.0
            if turn < 0:
                guess(low, high, out, question, known, report.scores, vectors)
            elif turn == 0:
                size, total = begin(low, high, matrix, out, question, vectors)
            else:
                size, total = descend(low, high, vectors, along, step)
            st(squares.sizes, at, size)
            st(squares.squares, at, total)
            at = take_near(team, tickets, phase, blocks)
        if not meet(team):
            return known.done + max(turn, 0)
        phase += 1
        turn += 1
        if turn == 0:
            continue
        size = in_order(squares.sizes, 0, blocks)
        square = in_order(squares.squares, 0, blocks)
        error = size / (known.mass * damping) + known.rounding
        if me == 0:
            begun = note(report, known.done + turn - 1, error, begun, box)
        if error < question.tolerance or not square > 0.0:
            break
        if known.done + turn >= ld(report.last, 0):
            break
    low, high = part(team, n)
    for v in range(low, high):
        weight = ld(out, v)
        score = max(
            ld(vectors.solution, v) * weight, 0.0
        )  # below only by what may be left to change
        if not weight > 0.0:
            score = (1.0 - damping) * ld(question.jump, v * question.spots)
        st(report.scores, v, score / known.mass)
    finish(team)
    return known.done + turn


def slowest_of_gradients(damping: float) -> float:
    """By what errors shrink in an iteration of conjugate gradients, in the mean, at worst.

    The eigenvalues are between 1 - damping and 1 + damping.

    >>> round(slowest_of_gradients(0.85), 3)
    0.557
    """
    root = math.sqrt((1 + damping) / (1 - damping))
    return (root - 1) / (root + 1)


def solve(
    matrix: WeightedRows,
    out: np.ndarray,
    question: Question,
    report: Report,
    done: int,
    crew: tuple[int, bool],
) -> int:
    """Fill the report, of which so many iterations are done; return how many there are then.

    If there are any, they have left scores in it. ``crew``: the workers, and whether the work is brief.
    """
    n, kind = out.size, question.jump.dtype
    share = float(question.jump[out > 0].sum()) if question.spots else np.count_nonzero(out) / n
    total = float(out.sum()) if matrix.weights.size else float(matrix.indices.size)
    known = Known(
        done,
        share / max(float(report.scores[out > 0].sum()), LEAST) if done else 0.0,
        question.damping * share / total if total else 0.0,
        share + (1 - question.damping) * (1 - share),
        ROUNDING[kind],
    )
    # Zeros, where memory is not touched before it is needed: many graphs take one iteration only.
    vectors = Vectors(*(np.zeros(n, kind) for _ in Vectors._fields))
    squares = Squares(*(np.empty(n // BLOCK_VERTICES + 1) for _ in Squares._fields))
    asked = (new_tickets(crew[0]), matrix, out, question, known, vectors, squares, report)
    return int(run_team(walk_conjugate, crew[0], *asked, brief=crew[1])[0])
