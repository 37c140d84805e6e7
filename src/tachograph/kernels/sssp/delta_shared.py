"""Delta-stepping in which all workers lower all distances: for graphs with many arcs per vertex.

Method: U. Meyer, P. Sanders, "Delta-stepping", J. Algorithms 49 (2003), with buckets of each worker's
own and several rounds of a small bucket at once (Y. Zhang et al., "Optimizing ordered graph
algorithms with GraphIt", CGO 2020). Added here: one pull in the middle. When the arcs out of a bucket
are a good part of the graph, most of them lead to vertices that will be reached much better later. So
from then on an arc is left out if it ends beyond a limit; when everything below the limit is settled,
each other vertex looks at its in-arcs once and takes the best distance; the rest is pushed again, with
wider buckets.

Encoding: ``dist`` holds int32 or float64; ``infinity`` is its largest value. An int32 distance above
``ceiling`` = infinity - heaviest arc ends the run: the caller repeats it with float64. Each worker
writes what it did on the board; two rows of it for each worker alternate between rounds.

Bounds: the frontier is collected when no distance changes and only of valid entries, of which there
is one for each vertex: n slots are enough. Room for ``arcs_at_once`` entries is made before
``process``, which looks at no more arcs than that.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..runtime.atomics import compare_exchange, fetch_add, ld, ld_acquire, prefetch, st, stopped
from ..runtime.launch import inline, kernel, subroutine
from ..runtime.nouns import WeightedRows
from ..runtime.team import (
    SUM,
    SUM2,
    TICKET,
    cell,
    least,
    meet,
    new_log,
    next_phase,
    part,
    report,
    rows_of,
    total,
)
from .buckets import (
    BLOCK_ENTRIES,
    LATER,
    Scale,
    bucket_of,
    clear,
    lowest,
    make_room,
    new_set,
    put,
    size_of,
    sort_far,
    take,
)
from .limits import left_out
from .problem import DONE, outcome_of
from .rounds import (
    BOUNDED,
    COLUMNS,
    LOW,
    NOTES,
    POPPED,
    PULL,
    PUSH,
    REACHED,
    SCANNED,
    SETTLE,
    logged,
)

__all__ = ["WIDER", "Front", "Pull", "walk"]

CANDIDATES = 1024  # distances that are lowered at a time
ARCS_AT_ONCE = 1 << 14  # arcs looked at before room is made again, or one vertex's
CHUNK_ENTRIES = 64  # of the frontier that a worker takes at a time
FUSED_ENTRIES = 1000  # of its own bucket, with which a worker goes on without meeting the others
FUSED_ARCS = 4096  # looked at by then, before it is known whether to pull
PULLED_VERTICES = CANDIDATES  # that a worker takes at a time in the pull
WIDER = 16  # factor of delta after the pull


class Front(NamedTuple):
    """Vertices, and the distance that each had when it was added."""

    vertices: np.ndarray
    distances: np.ndarray


class Pull(NamedTuple):
    """The rows to pull along; ``symmetric`` if they are those of the graph itself.

    A limit is set once the arcs out of a bucket are ``trigger_arcs`` (never, if that is 0), ``reach``
    buckets from there. From the pull on, buckets have another ``width``.
    """

    rows: WeightedRows
    symmetric: bool
    trigger_arcs: int
    reach: int
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

    What is at distance 0, as sources are, is never left out.

    Stops before a vertex with which it would be more than ``arcs_at_once``; where that is. (Room for
    so many entries is made by the caller: cleaning up in here would cost the loops their registers.)
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
    st(notes, POPPED, ld(notes, POPPED) + live)
    st(notes, SCANNED, ld(notes, SCANNED) + scanned)
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
        if begin >= n:
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
    st(notes, SCANNED, ld(notes, SCANNED) + scanned)
    st(notes, POPPED, ld(notes, POPPED) + pulled)
    st(notes, REACHED, ld(notes, REACHED) + reached)


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


@inline
def push(team, problem, desk, turn, front, tail, own, fuse):
    """Relax the arcs out of a share of ``front[:tail]``, then out of what this worker has found in the
    current bucket, as long as that is little. Without ``fuse`` that ends after a few arcs.
    """
    control, kept = team.control, desk.kept
    while True:
        begin = fetch_add(control, cell(TICKET, turn.phase), CHUNK_ENTRIES)
        if begin >= tail:
            break
        relax(problem, desk, turn, front, begin, min(begin + CHUNK_ENTRIES, tail))
    at = turn.current & (problem.scale.ring - 1)
    while (fuse or ld(desk.notes, SCANNED) < FUSED_ARCS) and not stopped(control):
        size = size_of(kept, at)
        if size == 0 or size >= FUSED_ENTRIES:
            break
        got = np.int64(0)
        while got < size:
            got += take(kept, at, own.vertices, own.distances, got)
        relax(problem, desk, turn, own, np.int64(0), size)
    st(desk.notes, LOW, lowest(kept, turn.current))


@kernel
def walk(team, problem, front, behind):
    """What each worker does. Returns the trace (of worker 0), and how the search ended (all).

    Of the pushing from the limit on, at most ``limits.rounds`` are done; a pull, if possible, is then
    the last thing, and looks at all distances.
    """
    control, me, workers = team
    dist, sources, board = problem.dist, problem.sources, problem.board
    width, delta, ring, ceiling, infinity = problem.scale
    n = dist.size
    first, last = part(team, n)
    for v in range(first, last):
        st(dist, v, infinity)
    if not meet(team):
        return rows_of(new_log(False, len(COLUMNS))), DONE
    if me == 0:
        for i in range(sources.size):
            s = ld(sources, i)
            st(dist, s, 0)
            st(front.vertices, i, s)
            st(front.distances, i, 0)
    ids, kind = front.vertices.dtype, dist.dtype
    desk = Desk(
        new_set(n, ring, arcs_at_once(problem), front.vertices, dist),
        np.empty(CANDIDATES + BLOCK_ENTRIES, np.int64),
        np.empty(CANDIDATES + BLOCK_ENTRIES, ids),
        np.empty(CANDIDATES + BLOCK_ENTRIES, kind),
        np.empty(CHUNK_ENTRIES, ids),
        np.empty(CHUNK_ENTRIES, kind),
        np.zeros(NOTES, np.int64),
    )
    own = Front(
        np.empty(FUSED_ENTRIES + BLOCK_ENTRIES, ids), np.empty(FUSED_ENTRIES + BLOCK_ENTRIES, kind)
    )
    log = new_log(problem.traced and me == 0, len(COLUMNS))
    if not meet(team):
        return rows_of(log), DONE
    tail = sources.size
    unvisited = n - tail
    current = np.int64(0)
    phase = np.int64(0)
    stage = PUSH if behind.trigger_arcs > 0 else SETTLE
    counted = np.int64(0)
    limit = infinity
    outcome = DONE
    taken = np.int64(0)
    while True:
        next_phase(control, me, phase)
        turn = Turn(phase, current, limit, width)
        push(team, problem, desk, turn, front, tail, own, stage != PUSH)
        if not report(team, board, phase, desk.notes):
            break
        nearest = least(board, phase, workers, LOW)
        log = logged(log, stage, team, board, phase, unvisited)
        unvisited -= total(board, phase, workers, REACHED)
        taken += total(board, phase, workers, POPPED)
        counted += stage != PUSH and phase > 0
        ended = counted >= problem.limits.rounds
        known = limit
        if ended and stage != SETTLE and nearest != LATER:
            stage = BOUNDED
            limit = min(limit, nearest * delta)
            known = infinity
        if stage == BOUNDED and (nearest == LATER or nearest * delta >= limit):
            clear(desk.kept)
            phase += 1
            next_phase(control, me, phase)
            width = behind.width
            delta *= WIDER
            current = bucket_of(limit, width)
            pull(team, problem, behind, desk, Turn(phase, current, limit, width), known)
            st(desk.notes, LOW, lowest(desk.kept, current))
            if not report(team, board, phase, desk.notes):
                break
            nearest = least(board, phase, workers, LOW)
            log = logged(log, PULL, team, board, phase, unvisited)
            unvisited -= total(board, phase, workers, REACHED)
            stage = SETTLE
            limit = infinity
        if nearest == LATER or ended:
            break
        current = nearest
        outcome = outcome_of(
            team, Scale(width, delta, ring, ceiling, infinity), current, phase, taken
        )
        if outcome != DONE:
            break
        sort_far(desk.kept, current, dist, width)
        collect(team, problem, desk, front, current & (ring - 1), phase)
        if not meet(team):
            break
        tail = ld_acquire(control, cell(SUM, phase))
        arcs = ld_acquire(control, cell(SUM2, phase))
        beyond = (current + behind.reach) * delta
        if stage == PUSH and arcs >= behind.trigger_arcs and beyond < infinity:
            limit = beyond
            stage = BOUNDED
        phase += 1
    return rows_of(log), outcome
