"""The next command of a channel, and when: the earliest tick at which any could go.

Requests whose row was opened for them come first, then a refresh that is due (nothing else starts
while one waits), then the queue of the current mode, then the row policy. In a queue the oldest
request whose next command can go wins; a row that was used more often than the cap allows no longer
counts as ready, and then the oldest request of all goes if it can. Between ticks at which a request
arrives or a command goes nothing changes, so a plan stays right until then.
"""

from __future__ import annotations

from ....kernels.runtime.atomics import ld, st
from ....kernels.runtime.launch import inline
from .layout import (
    ACTIVATED,
    ACTIVATED_LIST,
    AS_ACTIVATED,
    AS_OLDEST,
    AS_QUEUED,
    B_ACT,
    B_CAS,
    B_GROUP,
    B_HIT,
    B_MISS,
    B_OPEN,
    B_PRE,
    B_STAMP,
    B_USES,
    BANK_TABLE,
    BANK_WORDS,
    BANKS,
    BUSY,
    BUSY_BANKS,
    CAP,
    CLOSE,
    E_ARRIVAL,
    E_BANK,
    E_ROW,
    E_WRITE,
    G_ACT,
    G_CAS,
    G_PRE,
    HEAD,
    HIGH,
    IN_ORDER,
    INJECT,
    K_OPEN,
    K_PENDING,
    K_PREA,
    K_REF,
    LENGTH,
    LOW,
    MAX_BANKS,
    NEXT_REFRESH,
    NONE,
    OPEN_ROW,
    PLAN_KIND,
    PLAN_TICK,
    PLAN_WHAT,
    POLICY,
    POOL,
    RANK_TABLE,
    RANK_WORDS,
    RANKS,
    REFI,
    REFRESH,
    REFRESHES,
    TIMED_ROW,
    TIMEOUT,
    TOGGLE,
    WRITING,
)
from .queues import entry_at


@inline
def access_time(m, o, bank, w):
    """When a read or write of the open row can go."""
    return max(ld(m, bank + B_CAS + w), ld(m, o + ld(m, bank + B_GROUP) + G_CAS + w))


@inline
def other_time(m, o, bank):
    """When the row of a bank can be opened (if it is closed) or closed."""
    group = o + ld(m, bank + B_GROUP)
    if ld(m, bank + B_OPEN) < 0:
        return max(ld(m, bank + B_ACT), ld(m, group + G_ACT))
    return max(ld(m, bank + B_PRE), ld(m, group + G_PRE))


@inline
def ready(m, o, e):
    """When a request's next command can go, and whether its row is over the cap."""
    x = entry_at(o, e)
    bank = ld(m, x + E_BANK)
    if ld(m, bank + B_OPEN) == ld(m, x + E_ROW):
        over = ld(m, bank + B_USES) > ld(m, o + CAP)
        return access_time(m, o, bank, ld(m, x + E_WRITE)), over
    return other_time(m, o, bank), False


@inline
def _activated(m, o, now):
    """The best activated request: its tick, its place in their list."""
    in_order = ld(m, o + IN_ORDER) != 0
    best, best_arrival, best_at = NONE, NONE, -1
    first, first_arrival, first_at = NONE, NONE, -1
    for at in range(ld(m, o + ACTIVATED)):
        e = ld(m, o + ACTIVATED_LIST + at)
        time, over = ready(m, o, e)
        tick = max(time, now)
        arrival = ld(m, entry_at(o, e) + E_ARRIVAL)
        if arrival < first_arrival:
            first, first_arrival, first_at = tick, arrival, at
        if not over and not in_order:
            if tick < best or (tick == best and arrival < best_arrival):
                best, best_arrival, best_at = tick, arrival, at
    if best <= first:
        return best, best_at
    return first, first_at


@inline
def _queued(m, o, now):
    """The best request of the current queue: its tick, its place in the pool, whether as oldest."""
    w = ld(m, o + WRITING)
    best, best_key = NONE, NONE
    in_order = ld(m, o + IN_ORDER) != 0
    if not in_order:
        cap = ld(m, o + CAP)
        busy = o + BUSY_BANKS + w * MAX_BANKS
        for at in range(ld(m, o + BUSY + w)):
            bank = ld(m, busy + at)
            key = ld(m, bank + B_HIT + w)
            if key != NONE and ld(m, bank + B_USES) <= cap:
                tick = max(access_time(m, o, bank, w), now)
                if tick < best or (tick == best and key < best_key):
                    best, best_key = tick, key
            key = ld(m, bank + B_MISS + w)
            if key != NONE:
                tick = max(other_time(m, o, bank), now)
                if tick < best or (tick == best and key < best_key):
                    best, best_key = tick, key
    oldest = ld(m, o + HEAD + w)
    if oldest >= 0:
        time, over = ready(m, o, oldest)
        tick = max(time, now)
        if (over or in_order) and tick < best:
            return tick, oldest, True
    return best, best_key & (POOL - 1), False


@inline
def _closable(m, o, now):
    """The first bank that the row policy would close: its tick, its place."""
    timed = ld(m, o + POLICY) == TIMED_ROW
    best, best_bank = NONE, -1
    for b in range(ld(m, o + BANKS)):
        bank = o + BANK_TABLE + b * BANK_WORDS
        if ld(m, bank + B_OPEN) >= 0:
            tick = max(other_time(m, o, bank), now)
            if timed:
                tick = max(tick, ld(m, bank + B_STAMP) + ld(m, o + TIMEOUT))
            if tick < best:
                best, best_bank = tick, bank
    return best, best_bank


@inline
def _refreshable(m, o, now):
    """The first rank on its way to a refresh: its tick, its place."""
    best, best_rank = NONE, -1
    for r in range(ld(m, o + RANKS)):
        rank = o + RANK_TABLE + r * RANK_WORDS
        if ld(m, rank + K_PENDING) > 0:
            time = ld(m, rank + K_PREA) if ld(m, rank + K_OPEN) > 0 else ld(m, rank + K_REF)
            tick = max(time, now)
            if tick < best:
                best, best_rank = tick, rank
            if ld(m, o + IN_ORDER) != 0:
                break
    return best, best_rank


@inline
def _switch(m, o):
    """Change between reads and writes; whether that would happen in every tick (while draining)."""
    reads, writes = ld(m, o + LENGTH), ld(m, o + LENGTH + 1)
    many, few = writes > ld(m, o + HIGH), writes < ld(m, o + LOW)
    if ld(m, o + WRITING) == 0:
        if many or reads == 0:
            st(m, o + WRITING, 1)
    elif few and reads != 0:
        st(m, o + WRITING, 0)
    return many and few and reads != 0


@inline
def plan(m, o, now):
    """Decide what goes next, not before tick ``now``; every tick before it must be done."""
    due = ld(m, o + NEXT_REFRESH)
    if now >= due:
        for r in range(ld(m, o + RANKS)):
            rank = o + RANK_TABLE + r * RANK_WORDS
            st(m, rank + K_PENDING, ld(m, rank + K_PENDING) + 1)
        st(m, o + REFRESHES, ld(m, o + REFRESHES) + ld(m, o + RANKS))
        due += ld(m, o + REFI)
        st(m, o + NEXT_REFRESH, due)
    restless = _switch(m, o)
    tick, kind, what = due, INJECT, 0
    if ld(m, o + ACTIVATED) > 0:
        time, at = _activated(m, o, now)
        if time < tick:
            tick, kind, what = time, AS_ACTIVATED, at
    if ld(m, o + REFRESHES) > 0:
        time, at = _refreshable(m, o, now)
        if time < tick:
            tick, kind, what = time, REFRESH, at
    else:
        time, at, as_oldest = _queued(m, o, now)
        if time < tick:
            tick, what = time, at
            kind = AS_OLDEST if as_oldest else AS_QUEUED
    if ld(m, o + POLICY) != OPEN_ROW:
        time, at = _closable(m, o, now)
        if time < tick:
            tick, kind, what = time, CLOSE, at
    if restless and tick > now:
        tick, kind = now, TOGGLE
    st(m, o + PLAN_TICK, tick)
    st(m, o + PLAN_KIND, kind)
    st(m, o + PLAN_WHAT, what)
