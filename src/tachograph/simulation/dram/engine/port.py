"""What producers of requests call, from Python or from compiled loops.

Time is counted in ticks of the memory's clock. A request offered at time ``now`` can be served in tick
``now + 1`` at the earliest. A producer works in rounds: ``advance(m, now)`` so that all ticks up to
``now`` are done, ``take`` what has finished, ``offer`` what it wants, and then a later ``now``;
``quiet_until`` tells up to when nothing will change by itself, so that it can skip.
"""

from __future__ import annotations

import numpy as np

from ....kernels.runtime.atomics import ld, st
from ....kernels.runtime.launch import inline, kernel
from . import layout as L
from .counters import add, finish, note
from .issue import issue
from .plan import plan, ready
from .queues import append, locate, waiting_write
from .waiting import entry_at

# Of a type of their own: plain numbers would have ``advance_to`` compiled for each of them.
NO_GOAL, ONE_STEP, ROOM, FOR_EVER = np.array([0, 1, 2, L.NONE], np.int64)


@inline
def log_is_full(m, o):
    """Whether commands are written down and there is no room for another."""
    return ld(m, o + L.LOG_SIZE) > 0 and ld(m, o + L.LOGGED) >= ld(m, o + L.LOG_SIZE)


@inline
def has_room(m, o, w):
    """Whether a request fits into the channel's queue."""
    if ld(m, o + L.LENGTH + w) >= ld(m, o + L.CAPACITY + w) or ld(m, o + L.FREE) >= L.POOL:
        return False
    if ld(m, o + L.COLLECT) != 0 and w == 0:  # every read must find room when it ends
        waiting = ld(m, o + L.RING_NEXT) - ld(m, o + L.RING_FIRST)
        return waiting + ld(m, o + L.LENGTH) + ld(m, o + L.ACTIVATED) < L.RING
    return True


@kernel
def advance_to(m, o, until, goal):
    """Do all ticks of a channel up to ``until``; False if the log is full and must be emptied first.

    With the goal ROOM (or ROOM + 1, for writes) it ends in the tick in which a request fits into that
    queue, with ONE_STEP after the next command.
    """
    while True:
        if goal >= ROOM and ld(m, o + L.HALFWAY) == 0 and has_room(m, o, goal - ROOM):
            return True
        if ld(m, o + L.PLAN_KIND) == L.NOTHING:
            now = ld(m, o + L.DONE) + 1
            if now > until:
                return True
            plan(m, o, now)
            if ld(m, o + L.HALFWAY) != 0 and ld(m, o + L.PLAN_TICK) > now:
                st(m, o + L.HALFWAY, 0)  # the row bus has nothing in this tick
                st(m, o + L.DONE, now)
                continue
        tick = ld(m, o + L.PLAN_TICK)
        if tick > until:
            st(m, o + L.DONE, max(until, ld(m, o + L.DONE)))
            return True
        if ld(m, o + L.PLAN_KIND) == L.INJECT:
            st(m, o + L.PLAN_KIND, L.NOTHING)
            st(m, o + L.DONE, tick - 1)
            continue
        if log_is_full(m, o):
            return False
        issue(m, o)
        if goal == ONE_STEP:
            return True


@inline
def _switches(m, o):
    """Whether the queue changes at the next look."""
    reads, writes = ld(m, o + L.LENGTH), ld(m, o + L.LENGTH + 1)
    if ld(m, o + L.WRITING) != 0:
        return writes < ld(m, o + L.LOW) and reads != 0
    return writes > ld(m, o + L.HIGH) or reads == 0


@inline
def _reconsider(m, o, w, e, now):
    """Change the plan if the request that just arrived changes it."""
    kind, waiting = ld(m, o + L.PLAN_KIND), ld(m, o + L.REFRESHES) > 0
    if kind == L.NOTHING or ld(m, o + L.FIXED) != 0:
        return
    if waiting and ld(m, o + L.VERSION) > 1:
        return
    if _switches(m, o):
        st(m, o + L.PLAN_KIND, L.NOTHING)
        return
    if w != ld(m, o + L.WRITING) or waiting:
        return
    if ld(m, o + L.KEEP_HITS) != 0:
        x = entry_at(o, e)
        bank = ld(m, x + L.E_BANK)
        if ld(m, bank + L.B_HIT + w) != L.NONE and ld(m, bank + L.B_OPEN) != ld(m, x + L.E_ROW):
            return  # no row is closed for which an older request waits
    tick, column, over = ready(m, o, e, now + 1)
    behind = over or ld(m, o + L.IN_ORDER) != 0
    if behind and ld(m, o + L.HEAD + w) != e:
        return
    planned = ld(m, o + L.PLAN_TICK)
    first = tick < planned
    if (
        tick == planned
    ):  # older ones go first, but not the row policy, nor row commands on another bus
        first = kind == L.CLOSE or kind == L.OPEN_HALF or (kind == L.AS_OLDEST and not behind)
        if ld(m, o + L.BUSES) == 2:
            first |= column and kind == L.AS_QUEUED and ld(m, o + L.PLAN_COLUMN) == 0
    if not first:
        return
    how = L.AS_OLDEST if behind else L.AS_QUEUED
    if ld(m, o + L.SPLIT) != 0:
        how = L.NOTHING  # the data clock, or the second half of an activation, may come first
    st(m, o + L.PLAN_TICK, tick)
    st(m, o + L.PLAN_KIND, how)
    st(m, o + L.PLAN_WHAT, e)
    st(m, o + L.PLAN_COLUMN, how if column else 0)


@inline
def answered(m, o, w, number, address):
    """Whether a request needs no place: in version 2, the queue of writes has its address."""
    if ld(m, o + L.VERSION) == 1 or ld(m, o + L.LENGTH + 1) == 0:
        return False
    return waiting_write(m, o, number, address)


@inline
def accept(m, o, w, number, row, address, ident, now):
    """Take a request for which there is room.

    A read of a waiting write is answered at once. In version 2 a write to the address of a waiting one
    replaces it.
    """
    add(m, o + L.READS + w, 1)
    if address >> ld(m, L.BYTES_SHIFT) >= ld(m, L.LINES):
        add(m, o + L.WRAPPED, 1)
    if (w == 0 or ld(m, o + L.VERSION) > 1) and ld(m, o + L.LENGTH + 1) > 0:
        if waiting_write(m, o, number, address):
            if w == 0:
                add(m, o + L.FORWARDED, 1)
                over = finish(m, o, now + 1, now, ident)
                note(
                    m,
                    o,
                    over if ld(m, o + L.VERSION) > 1 else now + 1,
                    L.FORWARD,
                    number,
                    row,
                    ident,
                )
            else:
                add(m, o + L.MERGED, 1)
                note(m, o, now, L.MERGE, number, row, ident)
            return
    e = append(m, o, w, number, row, address, ident, now)
    _reconsider(m, o, w, e, now)


@kernel
def offer(m, address, is_write, ident, now):
    """Offer a request at time ``now``; whether its channel had room for it."""
    o, number, row = locate(m, address)
    w = 1 if is_write else 0
    advance_to(m, o, now, NO_GOAL)
    if not has_room(m, o, w) and not answered(m, o, w, number, address):
        return False
    accept(m, o, w, number, row, address, ident, now)
    return True


@kernel
def advance(m, now):
    """Do all ticks of all channels up to ``now``."""
    for channel in range(ld(m, L.CHANNELS)):
        advance_to(m, L.BLOCKS + channel * ld(m, L.STRIDE), now, NO_GOAL)


@inline
def taken(m, channel, now):
    """The ident of a read that a channel has finished by ``now``, or -1; each is given once."""
    o = L.BLOCKS + channel * ld(m, L.STRIDE)
    n = ld(m, o + L.RING_FIRST)
    if n < ld(m, o + L.RING_NEXT):
        at = o + L.RING_TABLE + 2 * (n % L.RING)
        if ld(m, at) <= now:
            st(m, o + L.RING_FIRST, n + 1)
            return ld(m, at + 1)
    return -1


@kernel
def take(m, channel, now):
    """What :func:`taken` gives, for other callers: an inlined function crashes if Python calls it."""
    return taken(m, channel, now)


@kernel
def quiet_until(m, now):
    """A tick after ``now`` before which nothing is finished and no room appears."""
    first = L.NONE
    for channel in range(ld(m, L.CHANNELS)):
        o = L.BLOCKS + channel * ld(m, L.STRIDE)
        if ld(m, o + L.PLAN_KIND) == L.NOTHING:
            first = now + 1
        else:
            first = min(first, ld(m, o + L.PLAN_TICK))
        n = ld(m, o + L.RING_FIRST)
        if n < ld(m, o + L.RING_NEXT):
            first = min(first, ld(m, o + L.RING_TABLE + 2 * (n % L.RING)))
    return max(first, now + 1)


@inline
def set_high(m, value):
    """The number of writes above which they go first, for all channels; version 2 keeps its own."""
    for channel in range(ld(m, L.CHANNELS)):
        o = L.BLOCKS + channel * ld(m, L.STRIDE)
        if ld(m, o + L.HIGH) != value and ld(m, o + L.VERSION) == 1:
            st(m, o + L.HIGH, value)
            st(m, o + L.PLAN_KIND, L.NOTHING)


@inline
def settle(m, now):
    """Run until all channels are empty at once; that tick, or -1 if a log is full before."""
    while True:
        first = now
        for channel in range(ld(m, L.CHANNELS)):
            o = L.BLOCKS + channel * ld(m, L.STRIDE)
            now = max(now, ld(m, o + L.DONE))  # not empty before, if a full log interrupted
            while True:
                if not advance_to(m, o, now, NO_GOAL):
                    return -1
                waiting = ld(m, o + L.LENGTH) + ld(m, o + L.LENGTH + 1) + ld(m, o + L.ACTIVATED)
                if ld(m, o + L.VERSION) == 1:
                    waiting += ld(m, o + L.REFRESHES)
                if waiting > 0 or ld(m, o + L.OPENING) >= 0:
                    if not advance_to(m, o, FOR_EVER, ONE_STEP):
                        return -1
                    now = max(now, ld(m, o + L.DONE))
                elif ld(m, o + L.LAST_FINISH) > now:
                    now = ld(m, o + L.LAST_FINISH)
                else:
                    break
        if now == first:
            return now


@kernel
def drain(m, now):
    """End of a phase: all writes go out. The tick in which the last request is done (no log kept)."""
    high = ld(m, L.BLOCKS + L.HIGH)
    advance(m, now)
    set_high(m, 0)
    over = settle(m, now + 1)
    set_high(m, high)
    return over
