"""How far distances may be off, proved while a search is under way: what an error budget rests on.

When delta-stepping has emptied its buckets below a limit, all distances below it are exact, and every
other vertex is at least that far away. So for such a vertex, over the arcs that lead to it,

    upper = min(d[u] + w)               is the length of a path that exists, and
    lower = min(min(d[u], limit) + w)   is a length that no path can be below.

Its relative error is at most ``(upper - lower) / lower``. The mean over all vertices is a certificate:
one look at the arcs of the vertices that are not settled both finds their distances and proves how good
they are. A vertex whose row is long may keep the distance it has: it is then charged with the doubt
between that and the least that a better one could be, as long as the charges of all of them stay below
a part of the budget. A better path comes from beyond the limit, and is at least
``limit + lightest arc`` long; or its last arc was left out, and it ends at ``cut`` or beyond. Before
this is done, a sample of vertices tells whether it is worth it.

Errors are added up as whole numbers, distances are read from one array and written to another, and a
limit is the end of a bucket; so neither the certificate nor the distances depend on the threads.

A vertex that is not reached counts as an error of 1 if it could have been. If no vertex was reached
for the first time here, none could. If the sources were reached by an earlier exact search, no more
than what that has reached can be (``Allowance.reachable``), in a directed graph, too. Otherwise every
vertex that was not reached counts.

Bounds: vertices below ``n``, and arcs of their rows; a chunk fits into the desk's ``arcs``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..runtime.atomics import fetch_add, ld, prefetch, st, stopped
from ..runtime.launch import inline, subroutine
from ..runtime.team import TICKET, cell
from .problem import FIRST_REACHED, MISSED, WRONG, note

UNIT = 1 << 20  # an error of 1
LOOKED_AT_VERTICES = 1024  # that a worker takes at a time, as many as its desk has room for
CHARGED_PART = 0.5  # of the budget may be charged to vertices with long rows
FEWEST_SAMPLED, MOST_SAMPLED = 64, 1024  # vertices
HOPELESS_FROM = 16  # vertices of a sample that may end it, as may twice as many, and so on
ARCS_PER_SAMPLED = 1 << 12  # of the graph, for each vertex of the sample
TRIES = 4  # vertices drawn for each of the sample, since some have no arcs
SURE_DEVIATIONS = 2.0  # by which the mean of a sample is below what is allowed, or above it
NOT_TRIED, KEPT, REPAIRED = 0, 1, 2  # how a certificate can end, if one is made


class Allowance(NamedTuple):
    """The mean error that may be left, 0 for none; what is known of the graph.

    Of the doubts that are proved, ``share`` counts: errors are smaller than they could be. ``lightest``
    is the weight of the lightest arc. At most ``reachable`` vertices besides the sources can be
    reached, -1 if that is not known; ``beyond`` is the share of those with arcs that cannot.
    """

    error: float = 0.0
    share: float = 1.0
    lightest: float = 0.0
    reachable: int = -1
    beyond: float = 0.0


class Proof(NamedTuple):
    """What a certificate says: how it ended, the mean doubt, the share of vertices that may be lost.

    The sum of both is what the mean error cannot exceed.
    """

    outcome: int = NOT_TRIED
    doubt: float = 0.0
    lost: float = 0.0


class Standing(NamedTuple):
    """Where a search stands: everything below ``limit`` is settled, and ``reached`` vertices besides
    the sources have a distance. Arcs that end at ``cut`` or beyond may not have been relaxed.
    """

    limit: float
    cut: float
    reached: int


@inline
def doubt(upper, lower):
    """The largest relative error of a vertex between two bounds, in parts of ``UNIT``, rounded up."""
    if upper <= lower:
        return np.int64(0)
    if upper >= 2 * lower:
        return np.int64(UNIT)
    return np.int64((upper - lower) / lower * UNIT) + 1


@inline
def bounds_of(rows, dist, v, limit):
    """The least upper and lower bound over the arcs to ``v``."""
    indptr, indices, weights = rows
    first = ld(indptr, v)
    d = ld(dist, ld(indices, first))
    w = ld(weights, first)
    upper = d + w
    lower = min(d, limit) + w
    for k in range(first + 1, ld(indptr, v + 1)):
        d = ld(dist, ld(indices, k))
        w = ld(weights, k)
        upper = min(upper, d + w)
        lower = min(lower, min(d, limit) + w)
    return upper, lower


@inline
def charge_per_arc(allowed, reached, arcs):
    """What a vertex may be charged for each arc that is not looked at, in parts of ``UNIT``."""
    return CHARGED_PART * UNIT * allowed.error / allowed.share * reached / arcs


@inline
def mean_and_deviation(allowed, found, first, unreached, total, squares):
    """The mean error of a sample, and how far that may be off (one standard deviation)."""
    lost = np.float64(unreached)
    if first == 0:
        lost = 0.0
    elif allowed.reachable >= 0:
        lost = max(lost - allowed.beyond * (found + unreached), 0.0)
    count = max(found + lost, 1.0)
    mean = (total + lost) / count
    spread = max((squares + lost) / count - mean * mean, 0.0)
    return mean, np.sqrt(spread / count)


@subroutine
def promising(problem, behind, allowed, standing):
    """Whether a sample of vertices lets expect a certificate that is good enough.

    Every worker looks at the same sample, so that none has to wait for another. Where most is not
    settled yet, a part of the sample tells, so that looking in vain is cheap.
    """
    dist, infinity = problem.dist, problem.scale.infinity
    indptr = behind.rows.indptr
    n, arcs = dist.size, behind.rows.indices.size
    limit, cut, reached = standing
    least = min(limit + allowed.lightest, cut)
    wanted = max(FEWEST_SAMPLED, min(MOST_SAMPLED, arcs // ARCS_PER_SAMPLED))
    spare = charge_per_arc(allowed, reached, arcs)
    found = 0
    first = 0
    unreached = 0
    total = 0.0
    squares = 0.0
    for k in range(1, TRIES * wanted + 1):
        place = (np.uint64(k) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32)
        v = np.int64((place * np.uint64(n)) >> np.uint64(32))
        degree = ld(indptr, v + 1) - ld(indptr, v)
        if degree == 0:
            continue
        old = ld(dist, v)
        error = 0.0
        if old >= limit:
            charge = doubt(old, least)
            if old < infinity and charge <= spare * degree:
                error = charge / UNIT
            else:
                upper, lower = bounds_of(behind.rows, dist, v, limit)
                upper = min(upper, old)
                if upper >= infinity:
                    unreached += 1
                    continue
                first += old >= infinity
                error = doubt(upper, max(min(lower, upper), limit)) / UNIT
        found += 1
        error *= allowed.share
        total += error
        squares += error * error
        if found == wanted:
            break
        if found >= HOPELESS_FROM and found & (found - 1) == 0:
            mean, off = mean_and_deviation(allowed, found, first, unreached, total, squares)
            if mean - SURE_DEVIATIONS * off > allowed.error:
                return False
    if found == 0:
        return False
    mean, off = mean_and_deviation(allowed, found, first, unreached, total, squares)
    return mean + SURE_DEVIATIONS * off <= allowed.error


@subroutine
def certify(team, problem, behind, allowed, standing, after, desk, phase):
    """Write the best distance that is known of each vertex to ``after``, and note how sure it is."""
    indptr, indices, weights = behind.rows
    dist, infinity = problem.dist, problem.scale.infinity
    n = dist.size
    limit, cut, reached = standing
    least = min(limit + allowed.lightest, cut)
    spare = charge_per_arc(allowed, reached, indices.size)
    ticket = cell(TICKET, phase)
    picked, notes = desk.arcs, desk.notes
    wrong = np.int64(0)
    first = np.int64(0)
    unreached = np.int64(0)
    scanned = np.int64(0)
    looked = np.int64(0)
    while True:
        begin = fetch_add(team.control, ticket, LOOKED_AT_VERTICES)
        if begin >= n or stopped(team.control):
            break
        count = 0
        for v in range(begin, min(begin + LOOKED_AT_VERTICES, n)):
            old = ld(dist, v)
            st(after, v, old)
            degree = ld(indptr, v + 1) - ld(indptr, v)
            if old < limit or degree == 0:
                continue
            charge = doubt(old, least)
            if old < infinity and charge <= spare * degree:
                wrong += charge
            else:
                st(picked, count, v)
                count += 1
        looked += count
        for j in range(count):
            k = ld(indptr, ld(picked, min(j + 8, count - 1)))
            prefetch(indices, k)
            prefetch(weights, k)
            v = ld(picked, min(j + 4, count - 1))
            k = ld(indptr, v)
            for a in range(k, min(ld(indptr, v + 1), k + 4)):
                prefetch(dist, ld(indices, a))
            v = ld(picked, j)
            old = ld(dist, v)
            upper, lower = bounds_of(behind.rows, dist, v, limit)
            scanned += ld(indptr, v + 1) - ld(indptr, v)
            upper = min(upper, old)
            if upper >= infinity:
                unreached += 1
                continue
            first += old >= infinity
            wrong += doubt(upper, max(min(lower, upper), limit))
            st(after, v, upper)
    note(notes, looked, scanned, first)
    st(notes, WRONG, wrong)
    st(notes, FIRST_REACHED, first)
    st(notes, MISSED, unreached)


@inline
def proved(allowed, reached, wrong, first, unreached):
    """The mean doubt that the notes of all workers prove, and the share of vertices maybe lost."""
    lost = np.int64(0)
    if first > 0:
        lost = unreached
        if allowed.reachable >= 0:
            lost = min(lost, max(allowed.reachable - reached, 0))
    count = max(reached + lost, 1)
    return wrong / UNIT / count, lost / count
