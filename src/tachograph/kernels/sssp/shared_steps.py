"""The steps of ``delta_shared``: relax the arcs out of a frontier, pull, collect a frontier."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..runtime.atomics import compare_exchange, fetch_add, ld, ld_acquire, prefetch, st, stopped
from ..runtime.launch import inline, inline_maker, subroutine
from ..runtime.nouns import WeightedRows
from ..runtime.team import SUM, SUM2, TICKET, cell
from .buckets import BLOCK_ENTRIES, lowest, make_room, new_set, put, size_of, take
from .problem import LOW, NOTES, REACHED, left_out, note

CANDIDATES = 1024  # distances that are lowered at a time
ARCS_AT_ONCE = 1 << 14  # arcs looked at before room is made again, or one vertex's
CHUNK_ENTRIES = 64  # of the frontier that a worker takes at a time
PULLED_VERTICES = CANDIDATES  # that a worker takes at a time in the pull


class Front(NamedTuple):
    """Vertices, and the distance that each had when it was added."""

    vertices: np.ndarray
    distances: np.ndarray


class Pull(NamedTuple):
    """The rows to pull along; ``symmetric`` if they are those of the graph itself.

    A limit is set once the arcs out of a bucket are ``trigger_arcs`` (never, if that is 0), ``reach``
    buckets from there, unless ``most_before`` were emptied before. From the pull on, buckets have
    another ``width``.
    """

    rows: WeightedRows
    symmetric: bool
    trigger_arcs: int
    reach: int
    most_before: int
    width: float


class Desk(NamedTuple):
    """What a worker has of its own: buckets, scratch space, and notes for the others."""

    kept: tuple[np.ndarray, ...]
    arcs: np.ndarray
    targets: np.ndarray
    reached: np.ndarray
    live_v: np.ndarray
    live_d: np.ndarray
    notes: np.ndarray


class Turn(NamedTuple):
    """What changes between rounds: arcs that end at ``limit`` or beyond are left out."""

    phase: int
    current: int
    limit: float
    width: float


@inline
def arcs_at_once(problem):
    """The number of arcs for which room is made."""
    return max(problem.largest_degree, ARCS_AT_ONCE)


@inline_maker
def new_desk(problem):
    """Empty buckets, and scratch space."""
    indices, dist = problem.rows.indices, problem.dist
    ids, kind = indices.dtype, dist.dtype
    return Desk(
        new_set(dist.size, problem.scale.ring, arcs_at_once(problem), indices, dist),
        np.empty(CANDIDATES + BLOCK_ENTRIES, np.int64),
        np.empty(CANDIDATES + BLOCK_ENTRIES, ids),
        np.empty(CANDIDATES + BLOCK_ENTRIES, kind),
        np.empty(CHUNK_ENTRIES, ids),
        np.empty(CHUNK_ENTRIES, kind),
        np.zeros(NOTES, np.int64),
    )


@inline
def commit(problem, desk, turn, found):
    """Lower the distances of ``found`` candidates; those lowered go into a bucket."""
    dist, ring, infinity = problem.dist, problem.scale.ring, problem.scale.infinity
    kept, _, targets, reached, _, _, notes = desk
    for j in range(found):
        v = ld(targets, j)
        new = ld(reached, j)
        old = ld(dist, v)
        while new < old:
            if compare_exchange(dist, v, old, new):
                put(kept, ring, turn.current, v, new, turn.width)
                if old == infinity:
                    st(notes, REACHED, ld(notes, REACHED) + 1)
                break
            old = ld_acquire(dist, v)


@subroutine
def process(problem, desk, turn, front, begin, end):
    """Relax the arcs out of ``front[begin:end]``, at most ``CHUNK_ENTRIES``, that end below the limit.

    Distance 0 (sources) is never left out. Stops before a vertex with which it would be more than
    ``arcs_at_once``; where that is. (The caller makes room: in here it would cost registers.)
    """
    indptr, indices, weights = problem.rows
    dist, limits = problem.dist, problem.limits
    _, arcs, targets, reached, live_v, live_d, notes = desk
    front_v, front_d = front
    limit = turn.limit
    most = arcs_at_once(problem)
    for i in range(begin, end):
        prefetch(indptr, ld(front_v, i))
        prefetch(dist, ld(front_v, i))
    live = 0
    scanned = np.int64(0)
    for i in range(begin, end):
        u = ld(front_v, i)
        if ld(dist, u) == ld(front_d, i):
            k = ld(indptr, u)
            degree = ld(indptr, u + 1) - k
            if ld(front_d, i) > 0 and left_out(limits, u, degree, turn.phase):
                continue
            if scanned + degree > most:
                end = i
                break
            scanned += degree
            prefetch(weights, k)
            prefetch(indices, k)
            st(live_v, live, u)
            st(live_d, live, ld(front_d, i))
            live += 1
    note(notes, live, scanned, 0)
    found = 0
    if limit == problem.scale.infinity:
        for i in range(live):
            u = ld(live_v, i)
            d = ld(live_d, i)
            k = ld(indptr, u)
            last = ld(indptr, u + 1)
            while k < last:
                stop = min(last, k + (CANDIDATES - found))
                while k < stop:
                    v = ld(indices, k)
                    new = d + ld(weights, k)
                    st(targets, found, v)
                    st(reached, found, new)
                    found += new < ld(dist, v)
                    k += 1
                if found > CANDIDATES - CHUNK_ENTRIES:
                    commit(problem, desk, turn, found)
                    found = 0
        commit(problem, desk, turn, found)
    else:
        i = 0
        k = np.int64(0)
        last = np.int64(0)
        d = ld(dist, 0)
        while True:
            while found <= CANDIDATES - CHUNK_ENTRIES:  # collect the arcs that end below the limit
                if k >= last:
                    if i == live:
                        break
                    u = ld(live_v, i)
                    d = ld(live_d, i)
                    i += 1
                    k = ld(indptr, u)
                    last = ld(indptr, u + 1)
                stop = min(last, k + (CANDIDATES - found))
                while k < stop:
                    new = d + ld(weights, k)
                    st(arcs, found, k)
                    st(reached, found, new)
                    found += new < limit
                    k += 1
            if found == 0:
                break
            for j in range(found):
                prefetch(dist, ld(indices, ld(arcs, j)))
            better = 0
            for j in range(found):
                v = ld(indices, ld(arcs, j))
                new = ld(reached, j)
                st(targets, better, v)
                st(reached, better, new)
                better += new < ld(dist, v)
            commit(problem, desk, turn, better)
            found = 0
    return end


@inline
def relax(problem, desk, turn, front, begin, end):
    """Relax the arcs out of ``front[begin:end]``, with room for what that finds."""
    while begin < end:
        make_room(desk.kept, arcs_at_once(problem), problem.dist, turn.width)
        begin = process(problem, desk, turn, front, begin, min(begin + CHUNK_ENTRIES, end))


@subroutine
def pull(team, problem, behind, desk, turn, known):
    """Let each vertex at the limit or beyond take the best distance over a neighbour below ``known``.

    Those below the limit are settled, so if that is ``known`` nothing depends on the order.
    """
    indptr, indices, weights = behind.rows
    dist, ring, infinity = problem.dist, problem.scale.ring, problem.scale.infinity
    kept, picked, _, _, _, _, notes = desk
    limit = turn.limit
    n = dist.size
    ticket = cell(TICKET, turn.phase)
    scanned = 0
    pulled = 0
    reached = 0
    while True:
        begin = fetch_add(team.control, ticket, PULLED_VERTICES)
        if begin >= n or stopped(team.control):
            break
        make_room(kept, PULLED_VERTICES, dist, turn.width)
        count = 0
        for v in range(begin, min(begin + PULLED_VERTICES, n)):
            st(picked, count, v)
            count += (ld(dist, v) >= limit) & (ld(indptr, v) < ld(indptr, v + 1))
        pulled += count
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
            best = old
            open_ends = not behind.symmetric
            for a in range(ld(indptr, v), ld(indptr, v + 1)):
                d = ld(dist, ld(indices, a))
                new = d + ld(weights, a)
                if d >= known:
                    open_ends = True
                    new = infinity
                best = min(best, new)
            scanned += ld(indptr, v + 1) - ld(indptr, v)
            if best < old:
                st(dist, v, best)
                reached += old == infinity
            if open_ends and best < infinity:
                put(kept, ring, turn.current, v, best, turn.width)
    st(notes, LOW, lowest(kept, turn.current))
    note(notes, pulled, scanned, reached)


@inline
def collect(team, problem, desk, front, at, phase):
    """Move the valid entries of a list to the frontier; adds their number and arcs to the sums."""
    indptr, dist = problem.rows.indptr, problem.dist
    kept, _, held_v, held_d, _, _, _ = desk
    more = size_of(kept, at)
    while more:
        valid = 0
        arcs = np.int64(0)
        while more and valid <= CANDIDATES - BLOCK_ENTRIES:
            got = take(kept, at, held_v, held_d, valid)
            more -= got
            for i in range(valid, valid + got):
                prefetch(dist, ld(held_v, i))
            for i in range(valid, valid + got):
                v = ld(held_v, i)
                d = ld(held_d, i)
                if d == ld(dist, v):
                    st(held_v, valid, v)
                    st(held_d, valid, d)
                    valid += 1
                    arcs += ld(indptr, v + 1) - ld(indptr, v)
        to = fetch_add(team.control, cell(SUM, phase), valid)
        fetch_add(team.control, cell(SUM2, phase), arcs)
        for i in range(valid):
            st(front.vertices, to + i, ld(held_v, i))
            st(front.distances, to + i, ld(held_d, i))
