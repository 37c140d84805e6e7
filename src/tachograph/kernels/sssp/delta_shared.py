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
writes what it did on ``board``; two rows of it for each worker alternate between rounds.

Bounds: the frontier is collected when no distance changes and only of valid entries, of which there
is one for each vertex: n slots are enough. Room for ``most`` entries is made before ``process``, which
looks at no more arcs than that.
"""

from __future__ import annotations

import numpy as np

from ..runtime.atomics import (
    compare_exchange,
    fetch_add,
    ld,
    ld_acquire,
    nanoseconds,
    prefetch,
    st,
    stopped,
)  # fmt: skip
from ..runtime.launch import inline, kernel
from ..runtime.team import SUM, SUM2, TICKET, barrier, cell, least, next_phase, post, share, total
from .buckets import (
    BLOCK,
    LATER,
    bucket_of,
    clear,
    lowest,
    make_room,
    new_set,
    put,
    size_of,
    sort_far,
    take,
)  # fmt: skip
from .delta_owned import DONE, NARROW, TOO_FAR, TOO_NARROW, TRIAL
from .limits import left_out
from .rounds import LOW, NOTES, POPPED, REACHED, SCANNED, record

__all__ = ["walk"]

MOST = 1024  # distances lowered at a time
ARCS = 1 << 14  # arcs looked at before room is made again, or one vertex's
CHUNK = 64  # entries of the frontier a worker takes at a time
FUSE = 1000  # entries of a worker's own bucket that it goes on with without meeting the others
PULLED = MOST  # vertices a worker takes at a time in the pull
WIDER = 16  # factor of delta after the pull
PUSH, BOUNDED, PULL, REST = 0, 1, 2, 3


@inline
def commit(found, kept, ring, current, dist, width, infinity, targets, reached, done):
    """Lower the distances of ``found`` candidates; those lowered go into a bucket."""
    for j in range(found):
        v = ld(targets, j)
        new = ld(reached, j)
        old = ld(dist, v)
        while new < old:
            if compare_exchange(dist, v, old, new):
                put(kept, ring, current, v, new, width)
                if old == infinity:
                    st(done, REACHED, ld(done, REACHED) + 1)
                break
            old = ld_acquire(dist, v)


@kernel
def process(
    front_v, front_d, begin, end, limit, indptr, indices, weights, dist, width, infinity,
    current, kept, ring, most, limits, phase, held, done,
):  # fmt: skip
    """Relax the arcs out of ``front[begin:end]``, at most ``CHUNK``, that end below ``limit``.

    What is at distance 0, as sources are, is never left out.

    Stops before a vertex with which it would be more than ``most`` arcs; where that is. (Room for so
    many entries is made by the caller: cleaning up in here would cost the loops their registers.)
    """
    arcs, targets, reached, live_v, live_d = held
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
            if ld(front_d, i) > 0 and left_out(limits, u, degree, phase):
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
    st(done, POPPED, ld(done, POPPED) + live)
    st(done, SCANNED, ld(done, SCANNED) + scanned)
    found = 0
    if limit == infinity:
        for i in range(live):
            u = ld(live_v, i)
            d = ld(live_d, i)
            k = ld(indptr, u)
            last = ld(indptr, u + 1)
            while k < last:
                stop = min(last, k + (MOST - found))
                while k < stop:
                    v = ld(indices, k)
                    new = d + ld(weights, k)
                    st(targets, found, v)
                    st(reached, found, new)
                    found += new < ld(dist, v)
                    k += 1
                if found > MOST - CHUNK:
                    commit(
                        found, kept, ring, current, dist, width, infinity, targets, reached, done
                    )
                    found = 0
        commit(found, kept, ring, current, dist, width, infinity, targets, reached, done)
    else:
        i = 0
        k = np.int64(0)
        last = np.int64(0)
        d = ld(dist, 0)
        while True:
            while found <= MOST - CHUNK:  # collect the arcs that end below the limit
                if k >= last:
                    if i == live:
                        break
                    u = ld(live_v, i)
                    d = ld(live_d, i)
                    i += 1
                    k = ld(indptr, u)
                    last = ld(indptr, u + 1)
                stop = min(last, k + (MOST - found))
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
            commit(better, kept, ring, current, dist, width, infinity, targets, reached, done)
            found = 0
    return end


@kernel
def pull(
    control, phase, n, indptr, indices, weights, symmetric, limit, known, dist, width, infinity,
    current, kept, ring, picked, done,
):  # fmt: skip
    """Let each vertex at ``limit`` or beyond take the best distance over a neighbour below ``known``.

    Those below the limit are settled, so with ``known = limit`` nothing depends on the order.
    """
    ticket = cell(TICKET, phase)
    scanned = 0
    pulled = 0
    reached = 0
    while True:
        begin = fetch_add(control, ticket, PULLED)
        if begin >= n:
            break
        make_room(kept, PULLED, dist, width)
        count = 0
        for v in range(begin, min(begin + PULLED, n)):
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
            open_ends = not symmetric
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
                put(kept, ring, current, v, best, width)
    st(done, SCANNED, ld(done, SCANNED) + scanned)
    st(done, POPPED, ld(done, POPPED) + pulled)
    st(done, REACHED, ld(done, REACHED) + reached)


@inline
def collect(control, phase, kept, at, indptr, dist, held, front_v, front_d):
    """Move the valid entries of a list to the frontier; adds their number and arcs to the sums."""
    _, held_v, held_d, _, _ = held
    more = size_of(kept, at)
    while more:
        valid = 0
        arcs = np.int64(0)
        while more and valid <= MOST - BLOCK:
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
        to = fetch_add(control, cell(SUM, phase), valid)
        fetch_add(control, cell(SUM2, phase), arcs)
        for i in range(valid):
            st(front_v, to + i, ld(held_v, i))
            st(front_d, to + i, ld(held_d, i))


@kernel
def walk(
    team, n, indptr, indices, weights, back_indptr, back_indices, back_weights,
    symmetric, sources, width, wider, delta, ring, trigger, reach, ceiling, infinity, dist, front_v,
    front_d, limits, rounds, board, largest, traced,
):  # fmt: skip
    """What each worker does: the trace (worker 0), and how it ended (all).

    ``trigger`` is the number of arcs out of a bucket from which on a limit is set, ``reach`` the
    number of buckets from there to the limit. Of the pushing from there on, at most ``rounds`` are
    done; a pull, if possible, is then the last thing, and looks at all distances.
    """
    control, me, workers = team
    rows = np.empty((64 if traced and me == 0 else 0, 5), np.int64)
    used = np.int64(0)
    box = np.empty(2, np.int64)
    first, last = share(n, me, workers)
    for v in range(first, last):
        st(dist, v, infinity)
    if not barrier(control, workers):
        return rows[:0], DONE
    if me == 0:
        for i in range(sources.size):
            s = ld(sources, i)
            st(dist, s, 0)
            st(front_v, i, s)
            st(front_d, i, 0)
    most = max(largest, ARCS)
    kept = new_set(n, ring, most, front_v, front_d)
    held = (
        np.empty(MOST + BLOCK, np.int64), np.empty(MOST + BLOCK, front_v.dtype),
        np.empty(MOST + BLOCK, front_d.dtype), np.empty(CHUNK, front_v.dtype),
        np.empty(CHUNK, front_d.dtype),
    )  # fmt: skip
    own_v = np.empty(FUSE + BLOCK, front_v.dtype)
    own_d = np.empty(FUSE + BLOCK, front_d.dtype)
    done = np.zeros(NOTES, np.int64)
    begin_time = nanoseconds(box)
    if not barrier(control, workers):
        return rows[:0], DONE
    tail = sources.size
    unvisited = n - tail
    current = np.int64(0)
    phase = np.int64(0)
    stage = PUSH if trigger > 0 else REST
    counted = np.int64(0)
    limit = infinity
    outcome = DONE
    taken = np.int64(0)
    while True:
        next_phase(control, me, phase)
        ticket = cell(TICKET, phase)
        while True:
            begin = fetch_add(control, ticket, CHUNK)
            if begin >= tail:
                break
            end = min(begin + CHUNK, tail)
            while begin < end:
                make_room(kept, most, dist, width)
                begin = process(
                    front_v, front_d, begin, end, limit, indptr, indices, weights, dist, width,
                    infinity, current, kept, ring, most, limits, phase, held, done,
                )  # fmt: skip
        at = current & (ring - 1)
        while (stage != PUSH or ld(done, SCANNED) < 4096) and not stopped(control):
            size = size_of(kept, at)
            if size == 0 or size >= FUSE:
                break
            got = np.int64(0)
            while got < size:
                got += take(kept, at, own_v, own_d, got)
            begin = np.int64(0)
            while begin < size:
                make_room(kept, most, dist, width)
                begin = process(
                    own_v, own_d, begin, min(begin + CHUNK, size), limit, indptr, indices, weights,
                    dist, width, infinity, current, kept, ring, most, limits, phase, held, done,
                )  # fmt: skip
        st(done, LOW, lowest(kept, current))
        post(board, phase, me, workers, done)
        if not barrier(control, workers):
            break
        nearest = least(board, phase, workers, LOW)
        if me == 0 and traced:
            now = nanoseconds(box)
            rows = record(rows, used, stage, board, phase, workers, unvisited, now - begin_time)
            used += 1
            begin_time = now
        unvisited -= total(board, phase, workers, REACHED)
        taken += total(board, phase, workers, POPPED)
        counted += stage != PUSH and phase > 0
        ended = counted >= rounds
        known = limit
        if ended and stage != REST and nearest != LATER:
            stage = BOUNDED
            limit = min(limit, nearest * delta)
            known = infinity
        if stage == BOUNDED and (nearest == LATER or nearest * delta >= limit):
            clear(kept)
            phase += 1
            next_phase(control, me, phase)
            width = wider
            current = bucket_of(limit, width)
            pull(
                control, phase, n, back_indptr, back_indices, back_weights, symmetric, limit, known,
                dist, width, infinity, current, kept, ring, held[0], done,
            )  # fmt: skip
            st(done, LOW, lowest(kept, current))
            post(board, phase, me, workers, done)
            if not barrier(control, workers):
                break
            nearest = least(board, phase, workers, LOW)
            if me == 0 and traced:
                now = nanoseconds(box)
                rows = record(rows, used, PULL, board, phase, workers, unvisited, now - begin_time)
                used += 1
                begin_time = now
            unvisited -= total(board, phase, workers, REACHED)
            stage = REST
            limit = infinity
            delta *= WIDER
        if nearest == LATER or ended:
            break
        current = nearest
        if (current + 1) * delta > ceiling:
            outcome = TOO_FAR
            break
        if phase >= TRIAL and taken < phase * NARROW:
            outcome = TOO_NARROW
            break
        sort_far(kept, current, dist, width)
        collect(control, phase, kept, current & (ring - 1), indptr, dist, held, front_v, front_d)
        if not barrier(control, workers):
            break
        tail = ld_acquire(control, cell(SUM, phase))
        if stage == PUSH and ld_acquire(control, cell(SUM2, phase)) >= trigger:
            if (current + reach) * delta < infinity:
                limit = (current + reach) * delta
                stage = BOUNDED
        phase += 1
    return rows[:used], outcome
