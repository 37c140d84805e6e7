"""Delta-stepping in which each vertex belongs to one worker: for graphs with few arcs per vertex.

Only its owner lowers the distance of a vertex, so no atomic operations are needed; what concerns
others is sent to their worker, and all messages of a round are read after one barrier. The vertices of
the current bucket wait in a queue of their worker; the others are kept in buckets. Vertices belong to
workers by blocks of consecutive ids, whose number (a power of two) is a compromise between messages
and balance. With one worker this is the sequential algorithm; where
buckets hold too few vertices for a team (a path), the run ends early to be repeated so.

Encoding: as in ``delta_shared``. Messages from worker a to b lie at ``out[((parity * workers + a) *
workers + b) * room:]``; the parity alternates between rounds.

Bounds: a worker takes as many vertices in a row as there is certainly room for, if each had the
``largest`` degree: in the queue, the buckets and the outgoing messages. If messages lack room, the
round ends. Valid entries of queue and buckets are at most the vertices of a worker (see ``buckets``);
both hold twice as many and the largest degree, and are cleaned when full.
"""

from __future__ import annotations

import numpy as np

from ..runtime.atomics import ld, nanoseconds, prefetch, st, stopped
from ..runtime.launch import inline, kernel
from ..runtime.team import barrier, least, post, share, total
from .buckets import (
    BLOCK,
    LATER,
    bucket_of,
    lowest,
    make_room,
    new_set,
    put,
    room_for,
    size_of,
    sort_far,
    take,
)  # fmt: skip
from .limits import EVERYTHING, left_out
from .rounds import LOW, NOTES, POPPED, REACHED, SCANNED, record

__all__ = ["DONE", "TOO_FAR", "TOO_NARROW", "walk"]

SETTLE = 3  # the phase in the trace
DONE, TOO_FAR, TOO_NARROW = 0, 1, 2
TRIAL, NARROW = 1000, 16  # rounds after which a team gives up if it took fewer vertices in each
LOOK = 4096  # vertices between two looks at the stop flag


@inline
def cleaned(queue_v, queue_d, head, tail, to, dist):
    """Move the valid entries of ``queue[head:tail]`` to ``queue[to:]``; where they end."""
    valid = to
    for i in range(head, tail):
        v = ld(queue_v, i)
        d = ld(queue_d, i)
        if d == ld(dist, v):
            st(queue_v, valid, v)
            st(queue_d, valid, d)
            valid += 1
    return valid


@kernel
def walk(
    team, n, indptr, indices, weights, sources, width, delta, ring, bits, ceiling,
    infinity, dist, out_v, out_d, room, largest, sent, limits, rounds, board, traced,
):  # fmt: skip
    """What each worker does: the trace (worker 0), and how it ended (all).

    Ends ``rounds`` after that of the sources. What is at distance 0, as sources are, is never left out.
    """
    control, me, workers = team
    rows = np.empty((64 if traced and me == 0 else 0, 5), np.int64)
    used = np.int64(0)
    box = np.empty(2, np.int64)
    first, last = share(n, me, workers)
    for v in range(first, last):
        st(dist, v, infinity)
    mine = min(n, ((n >> bits) // workers + 1) << bits)
    kept = new_set(mine, ring, largest, out_v, out_d)
    capacity = 2 * mine + largest + BLOCK
    queue_v = np.empty(capacity, out_v.dtype)
    queue_d = np.empty(capacity, out_d.dtype)
    held = np.zeros(workers, np.int64)  # messages for each worker in this round
    done = np.zeros(NOTES, np.int64)
    mask = workers - 1
    picky = limits != EVERYTHING
    head = np.int64(0)
    tail = np.int64(0)
    begin_time = nanoseconds(box)
    if not barrier(control, workers):
        return rows[:0], DONE
    for i in range(sources.size):
        s = ld(sources, i)
        if (np.int64(s) >> bits) & mask == me:
            st(dist, s, 0)
            st(queue_v, tail, s)
            st(queue_d, tail, 0)
            tail += 1
    unvisited = n - sources.size
    current = np.int64(0)
    phase = np.int64(0)
    outcome = DONE
    taken = np.int64(0)
    while True:
        parity = phase & 1
        base = (parity * workers + me) * workers
        end = (current + 1) * delta
        nearest_out = infinity
        fullest = np.int64(0)
        popped = 0
        scanned = 0
        reached = 0
        while head < tail and fullest + largest <= room and not stopped(control):
            # housekeeping and checks stay out of the inner loop
            make_room(kept, largest, dist, width)
            if tail + largest > capacity:
                tail = cleaned(queue_v, queue_d, head, tail, 0, dist)
                head = 0
            slots = min(capacity - tail, room - fullest, room_for(kept))
            until = head + min(slots // largest, LOOK)
            while head < tail and head < until:
                if head + 6 < tail:
                    prefetch(indptr, ld(queue_v, head + 6))
                    k = ld(indptr, ld(queue_v, head + 3))
                    prefetch(indices, k)
                    prefetch(weights, k)
                u = ld(queue_v, head)
                d = ld(queue_d, head)
                head += 1
                if ld(dist, u) != d:
                    continue
                k = ld(indptr, u)
                last = ld(indptr, u + 1)
                if picky and d > 0 and left_out(limits, u, last - k, phase):
                    continue
                popped += 1
                scanned += last - k
                while k < last:
                    v = ld(indices, k)
                    new = d + ld(weights, k)
                    k += 1
                    old = ld(dist, v)
                    if new < old:
                        owner = (np.int64(v) >> bits) & mask
                        if owner == me:
                            st(dist, v, new)
                            reached += old == infinity
                            if new < end:
                                st(queue_v, tail, v)
                                st(queue_d, tail, new)
                                tail += 1
                            else:
                                put(kept, ring, current, v, new, width)
                        else:
                            to = (base + owner) * room + ld(held, owner)
                            st(out_v, to, v)
                            st(out_d, to, new)
                            st(held, owner, ld(held, owner) + 1)
                            fullest = max(fullest, ld(held, owner))
                            nearest_out = min(nearest_out, new)
        for w in range(workers):
            st(sent, base + w, ld(held, w))
            st(held, w, 0)
        low = current if head < tail else lowest(kept, current)
        if nearest_out < infinity:
            low = min(low, bucket_of(nearest_out, width))
        st(done, LOW, low)
        st(done, POPPED, popped)
        st(done, SCANNED, scanned)
        st(done, REACHED, ld(done, REACHED) + reached)
        post(board, phase, me, workers, done)
        if not barrier(control, workers):
            break
        if me == 0 and traced:
            now = nanoseconds(box)
            rows = record(rows, used, SETTLE, board, phase, workers, unvisited, now - begin_time)
            used += 1
            begin_time = now
        unvisited -= total(board, phase, workers, REACHED)
        current = least(board, phase, workers, LOW)
        if current == LATER or phase >= rounds:
            break
        taken += total(board, phase, workers, POPPED)
        if (current + 1) * delta > ceiling:
            outcome = TOO_FAR
            break
        if workers > 1 and phase >= TRIAL and taken < phase * NARROW:
            outcome = TOO_NARROW
            break
        tail = cleaned(queue_v, queue_d, head, tail, 0, dist)
        head = 0
        sort_far(kept, current, dist, width)
        at = current & (ring - 1)
        while size_of(kept, at):
            got = take(kept, at, queue_v, queue_d, tail)
            tail = cleaned(queue_v, queue_d, tail, tail + got, tail, dist)
        end = (current + 1) * delta
        for w in range(workers):
            if w == me:
                continue
            begin = ((parity * workers + w) * workers + me) * room
            for i in range(ld(sent, (parity * workers + w) * workers + me)):
                if i % BLOCK == 0:
                    make_room(kept, BLOCK, dist, width)
                v = ld(out_v, begin + i)
                new = ld(out_d, begin + i)
                old = ld(dist, v)
                if new < old:
                    st(dist, v, new)
                    if old == infinity:
                        st(done, REACHED, ld(done, REACHED) + 1)
                    if new >= end:
                        put(kept, ring, current, v, new, width)
                    else:
                        if tail == capacity:
                            tail = cleaned(queue_v, queue_d, head, tail, 0, dist)
                        st(queue_v, tail, v)
                        st(queue_d, tail, new)
                        tail += 1
        phase += 1
    return rows[:used], outcome
