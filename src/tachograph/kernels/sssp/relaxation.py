"""Shortest paths by relaxing the arcs out of a frontier until nothing changes: Bellman-Ford, the
two-kernel Dijkstra, and their hybrid.

Method: B. Aktılav, I. Öz, "Performance and accuracy predictions of approximation methods for
shortest-path algorithms on GPUs", 2022 (algorithms 4 to 10). *Bellman-Ford* relaxes the arcs out of
each vertex of the frontier; vertices whose distance was lowered are the next frontier. *Dijkstra* (of
P. Harish, P. Narayanan) does it in two steps: new distances are collected beside the old ones, then
taken over, so each iteration sees exactly the distances of the one before. *Hybrid* (Y. Dinitz, R.
Itzhak) repeats such a search over the arcs that are not negative, and relaxes the negative arcs
between two of them: as many rounds as negative arcs lie on a path.

Encoding: a label holds distance and iteration, packed into 64 bits with the distance on top, so that
one atomic minimum both lowers it and tells whether the vertex is in the next frontier already. That
needs int32 distances. For others the label is the distance (float64), and the iteration has an array
of its own. A distance beyond ``ceiling`` = 2**31 - 1 - heaviest arc ends a run with packed labels.

Bounds: a vertex enters a frontier once per iteration: n slots are enough. Without atomics, each worker
may add it once (after a worker's own store the label holds this iteration, whoever stores later): n
slots for each worker.
"""

from __future__ import annotations

import numpy as np
from numba import types
from numba.extending import overload

from ..runtime.atomics import (
    compare_exchange,
    fetch_add,
    fetch_min,
    ld,
    ld_acquire,
    nanoseconds,
    st,
)
from ..runtime.launch import inline, kernel
from ..runtime.team import SUM, TICKET, barrier, cell, next_phase, post, share, total
from .delta_owned import NARROW, TRIAL
from .limits import left_out
from .rounds import NOTES, POPPED, REACHED, SCANNED, record

__all__ = ["ALL", "CORRECT", "NEGATIVE", "OTHERS", "RELAX", "UNREACHED", "UPDATE", "walk"]

CHUNK = 64
BUFFER = 1024
ALL, OTHERS, NEGATIVE = 0, 1, 2  # arcs that are relaxed: all, the others, those below zero
LOWERED, NEW, FIRST = 1, 2, 4
RELAX, UPDATE, CORRECT = 4, 5, 6  # phases in the trace
OVER = 0  # a note: distance out of range (the lowest bucket has no meaning here)
UNREACHED = (2**31 - 1) << 32  # a packed label


def distance_of(label):
    """The distance in a label: compiled code only."""
    raise NotImplementedError


@overload(distance_of)
def _distance_of(label):
    if isinstance(label, types.Integer):
        return lambda label: label >> 32
    return lambda label: label


def lower(label, stamp, v, new, turn):
    """Lower the distance of ``v`` to ``new``. Compiled code only.

    Returns 0 if nothing was to be done, else a sum of ``LOWERED``, ``NEW`` (``v`` has to be added to
    the next frontier) and ``FIRST`` (it was never reached before).
    """
    raise NotImplementedError


@overload(lower)
def _lower(label, stamp, v, new, turn):
    if isinstance(label.dtype, types.Integer):

        def lower_packed(label, stamp, v, new, turn):
            packed = (np.int64(new) << 32) | turn
            old = fetch_min(label, v, packed)
            if old <= packed:
                return 0
            if old == UNREACHED:
                return LOWERED | NEW | FIRST
            return LOWERED if old & 0xFFFFFFFF == turn else LOWERED | NEW

        return lower_packed

    def lower_pair(label, stamp, v, new, turn):
        old = ld_acquire(label, v)
        while new < old:
            if compare_exchange(label, v, old, new):
                found = LOWERED if old < np.inf else LOWERED | FIRST
                before = ld_acquire(stamp, v)
                if before != turn and compare_exchange(stamp, v, before, turn):
                    found |= NEW
                return found
            old = ld_acquire(label, v)
        return 0

    return lower_pair


def store_lower(label, stamp, v, new, turn):
    """As ``lower``, without atomics: a store of another worker in between is lost."""
    raise NotImplementedError


@overload(store_lower)
def _store_lower(label, stamp, v, new, turn):
    if isinstance(label.dtype, types.Integer):

        def store_packed(label, stamp, v, new, turn):
            packed = (np.int64(new) << 32) | turn
            old = ld(label, v)
            if old <= packed:
                return 0
            st(label, v, packed)
            if old == UNREACHED:
                return LOWERED | NEW | FIRST
            return LOWERED if old & 0xFFFFFFFF == turn else LOWERED | NEW

        return store_packed

    def store_pair(label, stamp, v, new, turn):
        old = ld(label, v)
        if not new < old:
            return 0
        st(label, v, new)
        found = LOWERED if old < np.inf else LOWERED | FIRST
        if ld(stamp, v) != turn:
            st(stamp, v, turn)
            found |= NEW
        return found

    return store_pair


@inline
def flush(control, phase, queue, buffer, held):
    at = fetch_add(control, cell(SUM, phase), held)
    for i in range(held):
        st(queue, at + i, ld(buffer, i))


@kernel
def relax(
    control, phase, indptr, indices, weights, which, label, stamp, seen, front, count, after, turn,
    ceiling, limits, buffer, notes,
):  # fmt: skip
    """Relax the arcs out of ``front[:count]``; vertices whose distance was lowered make ``after``.

    Sources, the frontier of turn 1, are never left out.
    """
    ticket = cell(TICKET, phase)
    held = 0
    scanned = 0
    while True:
        begin = fetch_add(control, ticket, CHUNK)
        if begin >= count:
            break
        for i in range(begin, min(begin + CHUNK, count)):
            u = ld(front, i)
            d = distance_of(ld_acquire(seen, u))
            first = ld(indptr, u)
            last = ld(indptr, u + 1)
            if turn > 1 and left_out(limits, u, last - first, turn):
                continue
            scanned += last - first
            for k in range(first, last):
                w = ld(weights, k)
                if which != ALL and (w < 0) != (which == NEGATIVE):
                    continue
                v = ld(indices, k)
                new = d + w
                if new < distance_of(ld(label, v)):
                    if limits.atomic:
                        found = lower(label, stamp, v, new, turn)
                    else:
                        found = store_lower(label, stamp, v, new, turn)
                    if found & FIRST:
                        st(notes, REACHED, ld(notes, REACHED) + 1)
                    if found and (new > ceiling or new < -ceiling):
                        st(notes, OVER, 1)
                    if found & NEW:
                        if held == BUFFER:
                            flush(control, phase, after, buffer, held)
                            held = 0
                        st(buffer, held, v)
                        held += 1
    if held:
        flush(control, phase, after, buffer, held)
    st(notes, SCANNED, scanned)


@kernel
def walk(
    team, indptr, indices, weights, which, label, stamp, settled, two_steps, front,
    after, count, turn, limit, ceiling, limits, unvisited, phase_name, board, traced,
):  # fmt: skip
    """What each worker does, from a frontier of ``count`` vertices in ``front``, for at most ``limit``
    iterations, the first being ``turn``; a team gives up earlier if there is too little to do.

    Returns the trace, the number of vertices in the frontier that is left, whether that is in
    ``after``, the next turn, and whether a distance left its range.
    """
    control, me, workers = team
    rows = np.empty((64 if traced and me == 0 else 0, 5), np.int64)
    used = np.int64(0)
    box = np.empty(2, np.int64)
    buffer = np.empty(BUFFER, front.dtype)
    notes = np.zeros(NOTES, np.int64)
    swapped = False
    too_far = False
    taken = np.int64(0)
    phase = np.int64(0)
    begin = nanoseconds(box)
    if not barrier(control, workers):
        return rows[:0], count, swapped, turn, too_far
    for _ in range(limit):
        if count == 0:
            break
        next_phase(control, me, phase)
        seen = settled if two_steps else label
        relax(
            control, phase, indptr, indices, weights, which, label, stamp, seen, front, count, after,
            turn, ceiling, limits, buffer, notes,
        )  # fmt: skip
        if me == 0:
            st(notes, POPPED, count)
        post(board, phase, me, workers, notes)
        if not barrier(control, workers):
            break
        found = ld_acquire(control, cell(SUM, phase))
        if me == 0 and traced:
            now = nanoseconds(box)
            rows = record(rows, used, phase_name, board, phase, workers, unvisited, now - begin)
            used += 1
            begin = now
        unvisited -= total(board, phase, workers, REACHED)
        too_far = total(board, phase, workers, OVER) > 0
        taken += count
        front, after = after, front
        swapped = not swapped
        count = found
        turn += 1
        phase += 1
        if too_far:
            break
        if two_steps:
            first, last = share(count, me, workers)
            for i in range(first, last):
                v = ld(front, i)
                st(settled, v, ld(label, v))
            next_phase(control, me, phase)
            if me == 0:
                st(notes, POPPED, count)
            post(board, phase, me, workers, notes)
            if not barrier(control, workers):
                break
            if me == 0 and traced:
                now = nanoseconds(box)
                rows = record(rows, used, UPDATE, board, phase, workers, unvisited, now - begin)
                used += 1
                begin = now
            phase += 1
        if workers > 1 and phase >= TRIAL and taken < phase * NARROW:
            break
    return rows[:used], count, swapped, turn, too_far
