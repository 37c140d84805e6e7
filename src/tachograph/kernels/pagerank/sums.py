"""What the loops of PageRank and the product with a vector share: nouns, sums over rows and blocks.

Sums over vertices are made block by block, and every worker adds the blocks in their order, so that
they do not depend on the number of threads.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..runtime.atomics import ld, nanoseconds, rolled, st
from ..runtime.launch import inline

BLOCK_VERTICES = 256  # how many a worker takes at a time
SHORT_ROW_ARCS = 4  # arcs of a row up to which all are read without asking how many there are
LONG_ROW_ARCS = 32  # arcs of a row from which on there are four sums of it
UNLINKED_SHARE = 0.999  # of jumps to vertices without arcs, from which on the others tell nothing


class Question(NamedTuple):
    """What PageRank is asked."""

    jump: np.ndarray  # the personalisation, which sums to 1; one entry if it is the same everywhere
    spots: int  # 1 if ``jump`` has an entry for each vertex, 0 if it has one for all
    damping: float
    tolerance: float
    limit: int  # iterations at most
    paired: bool  # every arc has its reverse, of the same weight
    slowest: float  # by what changes must shrink in an iteration, or another method is used; 1: any
    until: int  # nanoseconds of the clock, by which the iterations should have ended; -1: any


class Sums(NamedTuple):
    """Sums over each block, twice (iterations alternate): changes, what dangles, scores."""

    errors: np.ndarray
    lost: np.ndarray
    masses: np.ndarray


class Report(NamedTuple):
    """What comes out: nanoseconds and change of each iteration, and the scores.

    ``last`` holds how many iterations there are at most; a deadline lowers it.
    """

    times: np.ndarray
    deltas: np.ndarray
    scores: np.ndarray
    last: np.ndarray


@inline
def put(sums, at, error, dangling, whole):
    """Keep the three sums of a block."""
    st(sums.errors, at, error)
    st(sums.lost, at, dangling)
    st(sums.masses, at, whole)


@inline
def note(report, step, error, begin, box):
    """Record an iteration that began at ``begin``; the time now. ``box`` is scratch space."""
    now = nanoseconds(box)
    st(report.times, step, now - begin)
    st(report.deltas, step, error)
    return now


@inline
def hurry(report, question, step, begin, box):
    """Make an iteration the last if another one would be late; by one worker, before all meet."""
    if question.until >= 0:
        now = nanoseconds(box)
        longest = max(now - begin, ld(report.times, max(step - 1, 0)))
        if now + longest > question.until:
            st(report.last, 0, min(ld(report.last, 0), step + 1))


@inline
def in_order(parts, first, count):
    """``count`` entries from ``first`` on, added in their order: the same sum for every worker."""
    total = 0.0
    for i in range(first, first + count):
        total += ld(parts, i)
    return total


@inline
def plain_sum(vector, indices, first, last):
    """The entries of ``vector`` at ``indices[first:last]``, summed: four sums if there are many, as
    an addition waits for the one before.
    """
    total = 0.0
    k = first
    if last - first >= LONG_ROW_ARCS:
        a = b = c = d = 0.0
        while k + 4 <= last:
            rolled()
            a += ld(vector, ld(indices, k))
            b += ld(vector, ld(indices, k + 1))
            c += ld(vector, ld(indices, k + 2))
            d += ld(vector, ld(indices, k + 3))
            k += 4
        total = (a + b) + (c + d)
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
    if last - first >= LONG_ROW_ARCS:
        a = b = c = d = 0.0
        while k + 4 <= last:
            rolled()
            a += ld(vector, ld(indices, k)) * ld(weights, k)
            b += ld(vector, ld(indices, k + 1)) * ld(weights, k + 1)
            c += ld(vector, ld(indices, k + 2)) * ld(weights, k + 2)
            d += ld(vector, ld(indices, k + 3)) * ld(weights, k + 3)
            k += 4
        total = (a + b) + (c + d)
    while k < last:
        rolled()
        total += ld(vector, ld(indices, k)) * ld(weights, k)
        k += 1
    return total


@inline
def short_sum(vector, indices, weights, first, last):
    """The same for a row of up to ``SHORT_ROW_ARCS`` entries; as many are read, and must exist.

    A wrong guess of where a row ends would cost more than all of them. (Without weights, the compiler
    would make a branch of the condition.)
    """
    total = 0.0
    for k in range(first, first + SHORT_ROW_ARCS):
        entry = np.float64(ld(vector, np.int64(ld(indices, k))) * ld(weights, k))
        total += entry if k < last else 0.0
    return total


@inline
def jumps(question, spread, mass, unlinked):
    """What all readers together jump with in an iteration of PageRank, in the unit of the scores.

    ``mass`` is the sum of the scores, ``spread`` that of vertices without out-arcs. If every arc has
    its reverse, no score leaves the vertices with arcs but by jumps: in the end they hold as much of it
    as jumps lead to them, which is all but ``unlinked``. So their sum tells the unit, and nothing has
    to settle between them and the others.
    """
    damping = question.damping
    if question.paired and unlinked < UNLINKED_SHARE:
        return (1.0 - damping) * (mass - spread) / (1.0 - unlinked)
    return damping * spread + (1.0 - damping) * mass
