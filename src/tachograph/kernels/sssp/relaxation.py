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

from typing import NamedTuple

import numpy as np
from numba import types
from numba.extending import overload

from ..runtime.atomics import compare_exchange, fetch_add, fetch_min, ld, ld_acquire, st, stopped
from ..runtime.launch import inline, kernel, subroutine
from ..runtime.team import SUM, TICKET, cell, flush, meet, next_phase, part, report, rows_of, total
from .problem import LOW, NOTES, REACHED, UPDATE, left_out, logged, new_trace, note, too_narrow

CHUNK_VERTICES = 64  # of the frontier that a worker takes at a time
BUFFER_VERTICES = 1024  # that a worker collects before it adds them to the next frontier
ALL, OTHERS, NEGATIVE = 0, 1, 2  # arcs that are relaxed: all, the others, those below zero
LOWERED, NEW, FIRST_TIME = 1, 2, 4
OVER = LOW  # a note: distance out of range (there is no lowest bucket here)
UNREACHED = (2**31 - 1) << 32  # a packed label


class Labels(NamedTuple):
    """The labels of vertices, their iterations (if not packed), and the labels that distances are
    read from: the same, or those of the iteration before. Distances beyond ``ceiling`` end a run.
    """

    label: np.ndarray
    stamp: np.ndarray
    seen: np.ndarray
    ceiling: float


class Leg(NamedTuple):
    """A part of a search: from a frontier of ``size`` vertices, for at most ``iterations``."""

    arcs: int  # ALL, OTHERS or NEGATIVE
    stage: int  # its name in the trace
    size: int
    turn: int  # the number of its first iteration
    iterations: int
    unvisited: int
    two_steps: bool
    traced: bool


def distance_of(label):
    """The distance in a label: compiled code only."""
    raise NotImplementedError


@overload(distance_of)
def _distance_of(label):
    if isinstance(label, types.Integer):
        return lambda label: label >> 32
    return lambda label: label


def lower(label, stamp, v, new, turn, atomic):
    """Lower the distance of ``v`` to ``new``. Compiled code only.

    Returns 0 if nothing was to be done, else a sum of ``LOWERED``, ``NEW`` (``v`` has to be added to
    the next frontier) and ``FIRST_TIME`` (it was never reached before). If it is not ``atomic``, a
    store of another worker in between is lost.
    """
    raise NotImplementedError


@overload(lower)
def _lower(label, stamp, v, new, turn, atomic):
    if isinstance(label.dtype, types.Integer):

        def lower_packed(label, stamp, v, new, turn, atomic):
            packed = (np.int64(new) << 32) | turn
            if atomic:
                old = fetch_min(label, v, packed)
            else:
                old = ld(label, v)
                if packed < old:
                    st(label, v, packed)
            if old <= packed:
                return 0
            if old == UNREACHED:
                return LOWERED | NEW | FIRST_TIME
            return LOWERED if old & 0xFFFFFFFF == turn else LOWERED | NEW

        return lower_packed

    def lower_pair(label, stamp, v, new, turn, atomic):
        old = ld_acquire(label, v)
        while new < old:
            if not atomic:
                st(label, v, new)
            elif not compare_exchange(label, v, old, new):
                old = ld_acquire(label, v)
                continue
            found = LOWERED if old < np.inf else LOWERED | FIRST_TIME
            before = ld_acquire(stamp, v)
            if before != turn:
                if not atomic:
                    st(stamp, v, turn)
                    found |= NEW
                elif compare_exchange(stamp, v, before, turn):
                    found |= NEW
            return found
        return 0

    return lower_pair


@subroutine
def relax(team, rows, labels, limits, leg, fronts, desk, phase):
    """Relax the arcs out of the first frontier; vertices whose distance was lowered make the second.

    Sources, the frontier of turn 1, are never left out.
    """
    control = team.control
    indptr, indices, weights = rows
    label, stamp, seen, ceiling = labels
    which, count, turn = leg.arcs, leg.size, leg.turn
    front, after = fronts
    buffer, notes = desk
    ticket, end = cell(TICKET, phase), cell(SUM, phase)
    held = 0
    scanned = 0
    while True:
        begin = fetch_add(control, ticket, CHUNK_VERTICES)
        if begin >= count or stopped(control):
            break
        for i in range(begin, min(begin + CHUNK_VERTICES, count)):
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
                    found = lower(label, stamp, v, new, turn, limits.atomic)
                    if found & FIRST_TIME:
                        st(notes, REACHED, ld(notes, REACHED) + 1)
                    if found and (new > ceiling or new < -ceiling):
                        st(notes, OVER, 1)
                    if found & NEW:
                        if held == BUFFER_VERTICES:
                            flush(control, end, after, buffer, held)
                            held = 0
                        st(buffer, held, v)
                        held += 1
    if held:
        flush(control, end, after, buffer, held)
    note(notes, 0, scanned, 0)


@inline
def noted(team, board, phase, notes, count):
    """Report a step on ``count`` vertices; False if the run is to end."""
    if team.me == 0:
        note(notes, count, 0, 0)
    return report(team, board, phase, notes)


@kernel
def walk(team, rows, labels, limits, leg, fronts, board):
    """What each worker does in one leg; a team gives up earlier if there is too little to do.

    Returns the trace, the number of vertices in the frontier that is left, whether that is the
    second of ``fronts``, the next turn, and whether a distance left its range.
    """
    control, me, workers = team
    which, stage, count, turn, iterations, unvisited, two_steps, traced = leg
    front, after = fronts
    notes = np.zeros(NOTES, np.int64)
    desk = (np.empty(BUFFER_VERTICES, front.dtype), notes)
    log = new_trace(team, traced)
    swapped = False
    too_far = False
    taken = np.int64(0)
    phase = np.int64(0)
    if not meet(team):
        return rows_of(log), count, swapped, turn, too_far
    for _ in range(iterations):
        if count == 0:
            break
        next_phase(control, me, phase)
        now = Leg(which, stage, count, turn, iterations, unvisited, two_steps, traced)
        relax(team, rows, labels, limits, now, (front, after), desk, phase)
        if not noted(team, board, phase, notes, count):
            break
        log, _, reached = logged(log, stage, team, board, phase, unvisited)
        unvisited -= reached
        too_far = total(board, phase, workers, OVER) > 0
        taken += count
        front, after = after, front
        swapped = not swapped
        count = ld_acquire(control, cell(SUM, phase))
        turn += 1
        phase += 1
        if too_far:
            break
        if two_steps:
            first, last = part(team, count)
            for i in range(first, last):
                v = ld(front, i)
                st(labels.seen, v, ld(labels.label, v))
            next_phase(control, me, phase)
            if not noted(team, board, phase, notes, count):
                break
            log, _, _ = logged(log, UPDATE, team, board, phase, unvisited)
            phase += 1
        if workers > 1 and too_narrow(phase, taken):
            break
    return rows_of(log), count, swapped, turn, too_far
