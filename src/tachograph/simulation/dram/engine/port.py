"""What producers of requests call, from Python or from compiled loops.

Time is counted in ticks of the memory's clock. A request offered at time ``now`` can be served in tick
``now + 1`` at the earliest. A producer works in rounds: ``advance(m, now)`` so that all ticks up to
``now`` are done, ``take`` what has finished, ``offer`` what it wants, and then a later ``now``;
``quiet_until`` tells up to when nothing will change by itself, so that it can skip.
"""

from __future__ import annotations

from ....kernels.runtime.atomics import ld, st
from ....kernels.runtime.launch import inline, kernel
from .address import locate
from .count import add, finish, note
from .issue import issue
from .layout import (
    ACTIVATED,
    AS_OLDEST,
    AS_QUEUED,
    BLOCKS,
    BYTES_SHIFT,
    CAPACITY,
    CHANNELS,
    CLOSE,
    COLLECT,
    DONE,
    FORWARD,
    FORWARDED,
    FREE,
    HEAD,
    HIGH,
    IN_ORDER,
    INJECT,
    LAST_FINISH,
    LENGTH,
    LINES,
    LOG_SIZE,
    LOGGED,
    LOW,
    NONE,
    NOTHING,
    PLAN_KIND,
    PLAN_TICK,
    PLAN_WHAT,
    POOL,
    READS,
    REFRESHES,
    RING,
    RING_FIRST,
    RING_NEXT,
    RING_TABLE,
    STRIDE,
    WRAPPED,
    WRITING,
)
from .plan import plan, ready
from .queues import append, waiting_write

NO_GOAL, ONE_STEP, ROOM = range(3)


@inline
def log_is_full(m, o):
    """Whether commands are written down and there is no room for another."""
    return ld(m, o + LOG_SIZE) > 0 and ld(m, o + LOGGED) >= ld(m, o + LOG_SIZE)


@inline
def has_room(m, o, w):
    """Whether a request fits into the channel's queue."""
    if ld(m, o + LENGTH + w) >= ld(m, o + CAPACITY + w) or ld(m, o + FREE) >= POOL:
        return False
    if ld(m, o + COLLECT) != 0 and w == 0:  # every read in the channel must find room when it ends
        waiting = ld(m, o + RING_NEXT) - ld(m, o + RING_FIRST)
        return waiting + ld(m, o + LENGTH) + ld(m, o + ACTIVATED) < RING
    return True


@kernel
def advance_to(m, o, until, goal):
    """Do all ticks of a channel up to ``until``; False if the log is full and must be emptied first.

    With the goal ROOM (or ROOM + 1, for writes) it ends in the tick in which a request fits into that
    queue, with ONE_STEP after the next command.
    """
    while True:
        if goal >= ROOM and has_room(m, o, goal - ROOM):
            return True
        if ld(m, o + PLAN_KIND) == NOTHING:
            now = ld(m, o + DONE) + 1
            if now > until:
                return True
            plan(m, o, now)
        tick = ld(m, o + PLAN_TICK)
        if tick > until:
            st(m, o + DONE, max(until, ld(m, o + DONE)))
            return True
        if ld(m, o + PLAN_KIND) == INJECT:
            st(m, o + PLAN_KIND, NOTHING)
            st(m, o + DONE, tick - 1)
            continue
        if log_is_full(m, o):
            return False
        issue(m, o)
        if goal == ONE_STEP:
            return True


@inline
def advance_channel(m, o, until):
    """Do all ticks of a channel up to ``until``; False if the log is full."""
    return advance_to(m, o, until, NO_GOAL)


@inline
def _reconsider(m, o, w, e, now):
    """Change the plan if the request that just arrived changes it."""
    kind = ld(m, o + PLAN_KIND)
    if kind == NOTHING:
        return
    reads, writes = ld(m, o + LENGTH), ld(m, o + LENGTH + 1)
    if ld(m, o + WRITING) != 0:
        switch = writes < ld(m, o + LOW) and reads != 0
    else:
        switch = writes > ld(m, o + HIGH) or reads == 0
    if switch:
        st(m, o + PLAN_KIND, NOTHING)
        return
    if w != ld(m, o + WRITING) or ld(m, o + REFRESHES) > 0:
        return
    time, over = ready(m, o, e)
    behind = over or ld(m, o + IN_ORDER) != 0
    if behind and ld(m, o + HEAD + w) != e:
        return
    tick, planned = max(time, now + 1), ld(m, o + PLAN_TICK)
    if tick < planned or (
        tick == planned and (kind == CLOSE or (kind == AS_OLDEST and not behind))
    ):
        st(m, o + PLAN_TICK, tick)
        st(m, o + PLAN_KIND, AS_OLDEST if behind else AS_QUEUED)
        st(m, o + PLAN_WHAT, e)


@inline
def accept(m, o, w, number, row, address, ident, now):
    """Take a request for which there is room; a read of a waiting write is answered at once."""
    add(m, o + READS + w, 1)
    if address >> ld(m, BYTES_SHIFT) >= ld(m, LINES):
        add(m, o + WRAPPED, 1)
    if w == 0 and ld(m, o + LENGTH + 1) > 0 and waiting_write(m, o, number, address):
        add(m, o + FORWARDED, 1)
        finish(m, o, now + 1, now, ident)
        note(m, o, now + 1, FORWARD, number, row, ident)
        return
    e = append(m, o, w, number, row, address, ident, now)
    _reconsider(m, o, w, e, now)


@kernel
def offer(m, address, is_write, ident, now):
    """Offer a request at time ``now``; whether its channel had room for it."""
    o, number, row = locate(m, address)
    w = 1 if is_write else 0
    advance_channel(m, o, now)
    if not has_room(m, o, w):
        return False
    accept(m, o, w, number, row, address, ident, now)
    return True


@kernel
def advance(m, now):
    """Do all ticks of all channels up to ``now``."""
    for channel in range(ld(m, CHANNELS)):
        advance_channel(m, BLOCKS + channel * ld(m, STRIDE), now)


@inline
def take(m, channel, now):
    """The ident of a read that a channel has finished by ``now``, or -1; each is given once."""
    o = BLOCKS + channel * ld(m, STRIDE)
    n = ld(m, o + RING_FIRST)
    if n < ld(m, o + RING_NEXT):
        at = o + RING_TABLE + 2 * (n % RING)
        if ld(m, at) <= now:
            st(m, o + RING_FIRST, n + 1)
            return ld(m, at + 1)
    return -1


@kernel
def quiet_until(m, now):
    """A tick after ``now`` before which nothing is finished and no room appears."""
    first = NONE
    for channel in range(ld(m, CHANNELS)):
        o = BLOCKS + channel * ld(m, STRIDE)
        if ld(m, o + PLAN_KIND) == NOTHING:
            first = now + 1
        else:
            first = min(first, ld(m, o + PLAN_TICK))
        n = ld(m, o + RING_FIRST)
        if n < ld(m, o + RING_NEXT):
            first = min(first, ld(m, o + RING_TABLE + 2 * (n % RING)))
    return max(first, now + 1)


@inline
def occupied(m, o):
    """Whether a channel has requests or refreshes waiting (reads on their way not counted)."""
    return (
        ld(m, o + LENGTH)
        + ld(m, o + LENGTH + 1)
        + ld(m, o + ACTIVATED)
        + ld(m, o + REFRESHES)
        > 0
    )  # fmt: skip


@inline
def empty_at(m, o, now):
    """The first tick from ``now`` on at which a channel is empty; -1 if the log is full before."""
    now = max(now, ld(m, o + DONE))  # not empty before, if a full log interrupted
    while True:
        if not advance_channel(m, o, now):
            return -1
        if occupied(m, o):
            if not advance_to(m, o, NONE, ONE_STEP):
                return -1
            now = max(now, ld(m, o + DONE))
        elif ld(m, o + LAST_FINISH) > now:
            now = ld(m, o + LAST_FINISH)
        else:
            return now


@inline
def set_high(m, value):
    """The number of writes above which they go first, for all channels."""
    for channel in range(ld(m, CHANNELS)):
        o = BLOCKS + channel * ld(m, STRIDE)
        if ld(m, o + HIGH) != value:
            st(m, o + HIGH, value)
            st(m, o + PLAN_KIND, NOTHING)


@inline
def settle(m, now):
    """Run until all channels are empty at once; that tick, or -1 if a log is full before."""
    while True:
        first = now
        for channel in range(ld(m, CHANNELS)):
            tick = empty_at(m, BLOCKS + channel * ld(m, STRIDE), now)
            if tick < 0:
                return -1
            now = max(now, tick)
        if now == first:
            return now


@kernel
def drain(m, now):
    """End of a phase: all writes go out. The tick in which the last request is done (no log kept)."""
    high = ld(m, BLOCKS + HIGH)
    advance(m, now)
    set_high(m, 0)
    over = settle(m, now + 1)
    set_high(m, high)
    return over
