"""Delta-stepping in which each vertex belongs to one worker: for graphs with few arcs per vertex.

Only its owner lowers the distance of a vertex, so no atomic operations are needed; what concerns
others is sent to their worker, and all messages of a round are read after one barrier. The vertices of
the current bucket wait in a queue of their worker; the others are kept in buckets. Vertices are dealt
out in blocks of consecutive ids, whose size is a compromise between messages and balance. With one
worker this is the sequential algorithm; where buckets hold too few vertices for a team (a path), the
run ends early to be repeated with one.

Encoding: as in ``delta_shared``. Messages from worker a to b lie at ``mail.vertices[((parity * workers
+ a) * workers + b) * room:]``; the parity alternates between rounds.

Bounds: a worker takes as many vertices in a row as there is certainly room for, if each had the
largest degree: in the queue, the buckets and the outgoing messages. If messages lack room, the round
ends. Valid entries of queue and buckets are at most the vertices of a worker (see ``buckets``); both
hold twice as many and the largest degree, and are cleaned when full.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..runtime.atomics import ld, prefetch, st, stopped
from ..runtime.launch import inline, kernel
from ..runtime.team import FAR_UP_TO_ENTRIES, far_apart, finish, least, meet, part, report, rows_of
from . import buckets
from .problem import (
    DONE,
    LOW,
    NOTES,
    SETTLE,
    TOO_NARROW,
    UNLIMITED,
    is_there,
    left_out,
    logged,
    new_trace,
    note,
    outcome_of,
    picky,
)

VERTICES_BETWEEN_LOOKS = 4096  # at the stop flag


class Mail(NamedTuple):
    """Who owns which vertex, and the messages between owners.

    Blocks of ``2**bits`` vertices are dealt out in turn; ``counts`` says how many of the ``room``
    places for messages from one worker to another are used.
    """

    bits: int
    room: int
    vertices: np.ndarray
    distances: np.ndarray
    counts: np.ndarray


class Desk(NamedTuple):
    """What a worker has of its own; ``held`` counts its messages for each worker in this round."""

    kept: tuple[np.ndarray, ...]
    queue_v: np.ndarray
    queue_d: np.ndarray
    held: np.ndarray
    notes: np.ndarray


@inline
def cleaned(desk, dist, head, tail, to):
    """Move the valid entries of ``queue[head:tail]`` to ``queue[to:]``; where they end."""
    _, queue_v, queue_d, _, _ = desk
    valid = to
    for i in range(head, tail):
        v = ld(queue_v, i)
        d = ld(queue_d, i)
        if d == ld(dist, v):
            st(queue_v, valid, v)
            st(queue_d, valid, d)
            valid += 1
    return valid


@inline
def settle(team, problem, mail, desk, head, tail, current, phase):
    """Relax the arcs out of ``queue[head:tail]``, and of what this adds to it, until it is empty or
    messages lack room; where it begins and ends then. Distance 0 (sources) is never left out.
    """
    control, me, workers = team
    indptr, indices, weights = problem.rows
    dist, limits, largest = problem.dist, problem.limits, problem.largest_degree
    width, delta, ring, _, infinity = problem.scale
    bits, room, out_v, out_d, counts = mail
    kept, queue_v, queue_d, held, notes = desk
    base = ((phase & 1) * workers + me) * workers
    capacity = queue_v.size
    choosing = picky(limits)
    end = (current + 1) * delta
    nearest_out = infinity
    fullest = np.int64(0)
    popped = 0
    scanned = 0
    reached = 0
    while head < tail and fullest + largest <= room and not stopped(control):
        # housekeeping and checks stay out of the inner loop
        buckets.make_room(kept, largest, dist, width)
        if tail + largest > capacity:
            tail = cleaned(desk, dist, head, tail, 0)
            head = 0
        slots = min(capacity - tail, room - fullest, buckets.room_for(kept))
        until = head + min(slots // largest, VERTICES_BETWEEN_LOOKS)
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
            if choosing and d > 0 and left_out(limits, u, last - k, phase):
                continue
            popped += 1
            scanned += last - k
            while k < last:
                v = ld(indices, k)
                new = d + ld(weights, k)
                k += 1
                old = ld(dist, v)
                if new < old:
                    owner = (np.int64(v) >> bits) & (workers - 1)
                    if owner == me:
                        st(dist, v, new)
                        reached += old == infinity
                        if new < end:
                            st(queue_v, tail, v)
                            st(queue_d, tail, new)
                            tail += 1
                        else:
                            buckets.put(kept, ring, current, v, new, width)
                    else:
                        to = (base + owner) * room + ld(held, owner)
                        st(out_v, to, v)
                        st(out_d, to, new)
                        st(held, owner, ld(held, owner) + 1)
                        fullest = max(fullest, ld(held, owner))
                        nearest_out = min(nearest_out, new)
    for w in range(workers):
        st(counts, base + w, ld(held, w))
        st(held, w, 0)
    low = current if head < tail else buckets.lowest(kept, current)
    if nearest_out < infinity:
        low = min(low, buckets.bucket_of(nearest_out, width))
    st(notes, LOW, low)
    note(notes, popped, scanned, reached)
    return head, tail


@inline
def refill(problem, desk, head, tail, current):
    """Move the rest of the queue and the valid entries of a bucket to its begin; where they end."""
    dist, width = problem.dist, problem.scale.width
    kept, queue_v, queue_d, _, _ = desk
    tail = cleaned(desk, dist, head, tail, 0)
    buckets.sort_far(kept, current, dist, width)
    at = current & (problem.scale.ring - 1)
    while buckets.size_of(kept, at):
        got = buckets.take(kept, at, queue_v, queue_d, tail)
        tail = cleaned(desk, dist, tail, tail + got, tail)
    return tail


@inline
def read_mail(team, problem, mail, desk, tail, current, phase):
    """Lower distances as others say; what is in bucket ``current`` is queued. The queue's new end."""
    _, me, workers = team
    dist = problem.dist
    width, delta, ring, _, infinity = problem.scale
    _, room, out_v, out_d, counts = mail
    kept, queue_v, queue_d, _, notes = desk
    end = (current + 1) * delta
    reached = 0
    for w in range(workers):
        if w == me:
            continue
        box = ((phase & 1) * workers + w) * workers + me
        for i in range(ld(counts, box)):
            if i % buckets.BLOCK_ENTRIES == 0:
                buckets.make_room(kept, buckets.BLOCK_ENTRIES, dist, width)
            v = ld(out_v, box * room + i)
            new = ld(out_d, box * room + i)
            old = ld(dist, v)
            if new < old:
                st(dist, v, new)
                reached += old == infinity
                if new >= end:
                    buckets.put(kept, ring, current, v, new, width)
                else:
                    if tail == queue_v.size:
                        tail = cleaned(desk, dist, 0, tail, 0)
                    st(queue_v, tail, v)
                    st(queue_d, tail, new)
                    tail += 1
    note(notes, 0, 0, reached)
    return tail


@kernel
def walk(team, problem, mail):
    """What each worker does. Returns the trace (of worker 0), and how the search ended (all)."""
    _, me, workers = team
    dist, sources, board = problem.dist, problem.sources, problem.board
    n = dist.size
    exact = problem.limits.rounds == UNLIMITED and not picky(problem.limits)
    if exact and far_apart(team, n, FAR_UP_TO_ENTRIES, np.empty(2, np.int64)):
        finish(team)
        return rows_of(new_trace(team, False)), TOO_NARROW
    first, last = part(team, n)
    for v in range(first, last):
        st(dist, v, problem.scale.infinity)
    mine = min(n, ((n >> mail.bits) // workers + 1) << mail.bits)
    capacity = 2 * mine + problem.largest_degree + buckets.BLOCK_ENTRIES
    desk = Desk(
        buckets.new_set(mine, problem.scale.ring, problem.largest_degree, mail.vertices, dist),
        np.empty(capacity, mail.vertices.dtype),
        np.empty(capacity, dist.dtype),
        np.zeros(workers, np.int64),
        np.zeros(NOTES, np.int64),
    )
    log = new_trace(team, problem.traced)
    if not meet(team):
        return rows_of(log), DONE
    head = np.int64(0)
    tail = np.int64(0)
    for i in range(sources.size):
        s = ld(sources, i)
        if (np.int64(s) >> mail.bits) & (workers - 1) == me:
            st(dist, s, 0)
            st(desk.queue_v, tail, s)
            st(desk.queue_d, tail, 0)
            tail += 1
    unvisited = n - sources.size
    current = np.int64(0)
    phase = np.int64(0)
    taken = np.int64(0)
    outcome = DONE
    while True:
        head, tail = settle(team, problem, mail, desk, head, tail, current, phase)
        if not report(team, board, phase, desk.notes):
            break
        log, popped, reached = logged(log, SETTLE, team, board, phase, unvisited)
        unvisited -= reached
        current = least(board, phase, workers, LOW)
        if current == buckets.LATER or phase >= problem.limits.rounds:
            break
        taken += popped
        scale = problem.scale
        if is_there(problem, current, scale.delta, scale.infinity):
            break
        outcome = outcome_of(team, scale.delta, scale.ceiling, current, phase, taken)
        if outcome != DONE:
            break
        tail = refill(problem, desk, head, tail, current)
        tail = read_mail(team, problem, mail, desk, tail, current, phase)
        head = np.int64(0)
        phase += 1
    finish(team)
    return rows_of(log), outcome
