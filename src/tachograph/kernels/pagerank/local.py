"""PageRank where most arcs lead to vertices nearby (roads, pages in the order of their addresses).

The vertices are cut into blocks. An iteration first takes the blocks of even number, then those of
odd number; within a block every score is used as soon as it is new (Gauss-Seidel), and so are those
of blocks of the other kind, which nobody changes meanwhile. Only between two blocks of the same kind
it would matter who is faster: a row with such an arc *crosses*, and reads there what was before the
iteration, from a copy. So scores do not depend on the number of threads.

If every arc has its reverse, the matrix is similar to a symmetric one, and changes are made larger by
the factor ``OVER_RELAXATION`` (successive over-relaxation), but for rows that cross, and not before
changes are small beside the scores: else scores, and even their sum, could become negative. The
iteration then still settles, whatever the blocks: with the split of the matrix A = M - N, where M has
1 / factor on its diagonal and the arcs whose new ends are used below it, M + M' - A has 2 / factor - 1
> 0 on the diagonal of a row that does not cross and no other entries there, and on that of a row that
crosses 1, more than its other entries sum to: it is positive definite.

If e is the sum of the changes before they are made larger, one more iteration of the power method
would change scores by at most (factor - 1 + damping * factor) * e; that, divided by ``damping``, is
what is compared with the tolerance: with factor 1 it is e.

A wrong guess of where a row ends costs more than a short row. So where rows are short, four arcs are
read in any case, those beyond the end as a zero, and two places of a block are worked on at once,
because each vertex may have to wait for the one before it.

Bounds: ``share`` has 2 n + 1 entries: a zero, the share of each vertex v at v + 1, the copy of it at
n + v + 1. Ids in ``indices`` are below n. Blocks lie within 0..n; sums have two slots for each.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..runtime.atomics import fetch_add, ld, nanoseconds, rolled, st, st_release, stopped
from ..runtime.launch import inline, kernel
from ..runtime.team import CELL, meet, next_phase, part
from ..runtime.team import share as part_of
from .sums import SHORT_ROW_ARCS, in_order, jumps, note, put

__all__ = ["OVER_RELAXATION", "Near", "walk_nearby"]

OVER_RELAXATION = 1.25  # for a damping of 0.85; found on roads
CALM_BELOW_CHANGE = 0.25  # of all scores, from which on over-relaxation is used
LANES = 2  # places of a block that are worked on at once
CROSSES = 2  # mark of a row that does; others to be done with care have a 1


class Near(NamedTuple):
    """The rows of the transpose, and by vertex: weight of out-arcs, share and its copy, mark."""

    indptr: np.ndarray
    indices: np.ndarray
    out: np.ndarray
    share: np.ndarray
    marks: np.ndarray
    shift: int  # log2 of the vertices of a block


@inline
def vertices_of(near, b):
    """Where block ``b`` begins and ends; one beyond the last ends before it begins."""
    return b << near.shift, min((b + 1) << near.shift, near.out.size)


@inline
def per_arc(out):
    """What a score is multiplied by to get the share. Those that nobody reads are the score itself."""
    return 1.0 / out if out > 0.0 else 1.0


@inline
def begin(b, near, question):
    """Set the state of block ``b`` before the first iteration; what dangles of its jumps."""
    n = near.out.size
    dangling = 0.0
    first, last = vertices_of(near, b)
    for v in range(first, last):
        leap = np.float64(ld(question.jump, v * question.spots))
        st(near.share, v + 1, leap * per_arc(ld(near.out, v)))
        st(near.share, n + v + 1, ld(near.share, v + 1))
        st(near.marks, v, 1)
        if ld(near.out, v) == 0.0:
            dangling += leap
    return dangling


@inline
def careful_sum(share, n, indices, first, last, b, shift):
    """The shares at ``indices[first:last]``, in other blocks of our kind of the copy; whether there are
    such.
    """
    total = 0.0
    crosses = False
    k = first
    while k < last:
        rolled()
        u = np.int64(ld(indices, k))
        apart = (u >> shift) ^ b
        cross = (apart != 0) & (apart & 1 == 0)
        total += ld(share, u + 1 + (n if cross else 0))
        crosses |= cross
        k += 1
    return total, crosses


@inline
def stretch(factor, damping):
    """What the change of a row stands for that was made larger by ``factor``."""
    return 1.0 + (factor - 1.0) / (damping * factor) if factor > 1.0 else 1.0


@kernel
def settle(b, near, question, jumped, factor):
    """New shares of the vertices of block ``b``: their change, what dangles of them, and their sum."""
    indptr, indices, out, share, _, shift = near
    jump, spots, damping = question.jump, question.spots, question.damping
    n = out.size
    error = 0.0
    dangling = 0.0
    whole = 0.0
    longer = stretch(factor, damping)
    first, last = vertices_of(near, b)
    for v in range(first, last):
        weight = np.float64(ld(out, v))
        before = np.float64(ld(share, v + 1))
        jumping = jumped * ld(jump, v * spots)
        total, crosses = careful_sum(share, n, indices, ld(indptr, v), ld(indptr, v + 1), b, shift)
        if weight == 0.0:
            after = damping * total + jumping
            error += abs(after - before)
            dangling += after
            whole += after
        elif crosses:
            after = (damping * total + jumping) / weight
            error += abs(after - before) * weight
            whole += after * weight
        else:
            part = factor / weight
            after = ((1.0 - factor) * before + part * jumping) + part * damping * total
            error += abs(after - before) * weight * longer
            whole += after * weight
        st(share, v + 1, after)
    return error, dangling, whole


@inline
def nth(share, indices, first, k, count):
    """The share at ``indices[first + k]``, or 0 if the row has no more than k. With a condition instead
    of bits, the compiler would make a branch of it.
    """
    beyond = (count - k - 1) >> np.int64(63)  # 0 or -1
    return ld(share, (np.int64(ld(indices, first + k)) | beyond) + 1)


@inline
def few_shares(share, indices, first, count):
    """The shares of a row of 1 to 4 arcs; ``indices`` has four from ``first`` on."""
    one = nth(share, indices, first, 0, count) + nth(share, indices, first, 3, count)
    return one + (nth(share, indices, first, 1, count) + nth(share, indices, first, 2, count))


@inline
def with_care(v, b, near, question, jumped, step):
    """Set a new share of ``v``: the old and the new score, and what dangles of it.

    The first step finds out who needs care: rows that cross, are not short, or have no arcs.
    """
    first = ld(near.indptr, v)
    last = ld(near.indptr, v + 1)
    weight = ld(near.out, v)
    total, crosses = careful_sum(
        near.share, near.out.size, near.indices, first, last, b, near.shift
    )
    if step == 1:
        long = last - first > SHORT_ROW_ARCS or first + SHORT_ROW_ARCS > near.indices.size
        st(near.marks, v, CROSSES if crosses else weight == 0.0 or long)
    now = question.damping * total + jumped * ld(question.jump, 0)
    old = ld(near.share, v + 1) * (weight if weight > 0.0 else 1.0)
    st(near.share, v + 1, now * per_arc(weight))
    return old, now, now if weight == 0.0 else 0.0


@kernel
def settle_short(b, near, question, jumped, factor, step):
    """The same where most rows have at most 4 arcs and the others are marked, each arc has its reverse,
    and jumps lead anywhere.

    What depends on the number of arcs only comes from a table, in the type of the shares: nothing is
    converted on the way from a share to the next.
    """
    indptr, indices, _, share, marks, _ = near
    damping = question.damping
    error = 0.0
    hurried = 0.0
    dangling = 0.0
    whole = 0.0
    table = np.empty(3 * (SHORT_ROW_ARCS + 1), share.dtype)
    table[0] = 1.0 - factor
    for count in range(1, SHORT_ROW_ARCS + 1):
        table[3 * count] = factor * jumped * ld(question.jump, 0) / count
        table[3 * count + 1] = factor * damping / count
        table[3 * count + 2] = count
    low, high = vertices_of(near, b)
    size = high - low
    lane = size // LANES
    for i in range(lane + size % LANES):
        for at in range(LANES if i < lane else 1):
            v = low + at * lane + i if i < lane else low + (LANES - 1) * lane + i
            if ld(marks, v):
                old, now, ends = with_care(v, b, near, question, jumped, step)
                error += abs(now - old)
                dangling += ends
                whole += now
            else:
                first = ld(indptr, v)
                count = ld(indptr, v + 1) - first
                before = ld(share, v + 1)
                total = few_shares(share, indices, first, count)
                fixed = ld(table, 0) * before + ld(table, 3 * count)
                after = fixed + ld(table, 3 * count + 1) * total
                st(share, v + 1, after)
                hurried += abs(after - before) * ld(table, 3 * count + 2)
                whole += after * ld(table, 3 * count + 2)
    return error + hurried * stretch(factor, damping), dangling, whole


@inline
def keep(b, near):
    """Copy the shares of block ``b`` for rows that cross."""
    n = near.out.size
    first, last = vertices_of(near, b)
    for v in range(first, last):
        st(near.share, n + v + 1, ld(near.share, v + 1))


@inline
def crossing(b, near):
    """How many rows of block ``b`` cross."""
    found = 0
    first, last = vertices_of(near, b)
    for v in range(first, last):
        found += ld(near.marks, v) == CROSSES
    return found


@inline
def take_pair(team, queues, phase, pairs):
    """The next pair of blocks for this worker, or ``pairs`` if all are taken.

    Everybody begins with the same ones in each phase, which are still in the cache of its core, and
    ends with those that others have left.
    """
    workers = team.workers
    for i in range(workers):
        owner = (team.me + i) % workers
        pair, end = part_of(pairs, owner, workers)
        pair += fetch_add(queues, ((phase % 3) * workers + owner) * CELL, 1)
        if pair < end:
            return pair
    return pairs


@kernel
def walk_nearby(team, near, question, manner, queues, seams, sums, report):
    """What each worker does; returns the number of iterations.

    ``manner`` is the factor of over-relaxation and whether most rows are short. ``queues`` hand out
    pairs of blocks; ``seams`` has the number of rows of each block that cross.
    """
    control, me, workers = team
    factor, short = manner
    n, shift = near.out.size, near.shift
    blocks = (n + (np.int64(1) << shift) - 1) >> shift
    pairs = (blocks + 1) // 2
    box = np.empty(2, np.int64)
    begun = nanoseconds(box)
    phase = np.int64(0)
    jumped = 1.0
    unlinked = 0.0
    mass = 1.0
    seamed = True
    error = 1.0
    done = question.limit
    for step in range(question.limit + 1):
        half = (step % 2) * blocks
        over = factor if error < CALM_BELOW_CHANGE else 1.0
        for kind in range(2):
            next_phase(control, me, phase)
            st_release(queues, (((phase + 1) % 3) * workers + me) * CELL, 0)
            while not stopped(control):
                pair = take_pair(team, queues, phase, pairs)
                if pair == pairs:
                    break
                b = 2 * pair + kind
                if step and seamed:
                    keep(b ^ 1, near)  # which nobody changes in this phase
                if b == blocks:
                    continue
                change = whole = 0.0
                if step == 0:
                    dangling = begin(b, near, question)
                elif short:
                    change, dangling, whole = settle_short(b, near, question, jumped, over, step)
                else:
                    change, dangling, whole = settle(b, near, question, jumped, over)
                put(sums, half + b, change, dangling, whole)
                if step == 1 and short:
                    st(seams, b, crossing(b, near))
            if not meet(team):
                return step
            phase += 1
        spread = in_order(sums.lost, half, blocks)
        if step == 0:
            unlinked = spread
        else:
            error = in_order(sums.errors, half, blocks) / mass
            mass = in_order(sums.masses, half, blocks)
            if me == 0:
                begun = note(report, step - 1, error, begun, box)
            if error < question.tolerance and mass > 0.0:
                done = step
                break
        if step == 1 and short:
            seamed = in_order(seams, 0, blocks) > 0.0
        jumped = jumps(question, spread, mass, unlinked)
    exact, share, out = report.scores, near.share, near.out
    first, last = part(team, n)
    for v in range(first, last):
        st(exact, v, ld(share, v + 1) / per_arc(ld(out, v)) / mass)
    return done
