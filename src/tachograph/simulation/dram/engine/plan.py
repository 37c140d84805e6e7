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
from . import layout as L
from .queues import entry_at


@inline
def access_time(m, o, bank, w):
    """When a read or write of the open row can go."""
    return max(ld(m, bank + L.B_CAS + w), ld(m, o + ld(m, bank + L.B_GROUP) + L.G_CAS + w))


@inline
def other_time(m, o, bank):
    """When the row of a bank can be opened (if it is closed) or closed."""
    group = o + ld(m, bank + L.B_GROUP)
    if ld(m, bank + L.B_OPEN) < 0:
        return max(ld(m, bank + L.B_ACT), ld(m, group + L.G_ACT))
    return max(ld(m, bank + L.B_PRE), ld(m, group + L.G_PRE))


@inline
def ready(m, o, e):
    """When a request's next command can go, and whether its row is over the cap."""
    x = entry_at(o, e)
    bank = ld(m, x + L.E_BANK)
    if ld(m, bank + L.B_OPEN) == ld(m, x + L.E_ROW):
        over = ld(m, bank + L.B_USES) > ld(m, o + L.CAP)
        return access_time(m, o, bank, ld(m, x + L.E_WRITE)), over
    return other_time(m, o, bank), False


@inline
def _activated(m, o, now):
    """The best activated request: its tick, its place in their list."""
    in_order = ld(m, o + L.IN_ORDER) != 0
    best, best_arrival, best_at = L.NONE, L.NONE, -1
    first, first_arrival, first_at = L.NONE, L.NONE, -1
    for at in range(ld(m, o + L.ACTIVATED)):
        e = ld(m, o + L.ACTIVATED_LIST + at)
        time, over = ready(m, o, e)
        tick = max(time, now)
        arrival = ld(m, entry_at(o, e) + L.E_ARRIVAL)
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
    w = ld(m, o + L.WRITING)
    best, best_key = L.NONE, L.NONE
    in_order = ld(m, o + L.IN_ORDER) != 0
    if not in_order:
        cap = ld(m, o + L.CAP)
        busy = o + L.BUSY_BANKS + w * L.MAX_BANKS
        for at in range(ld(m, o + L.BUSY + w)):
            bank = ld(m, busy + at)
            key = ld(m, bank + L.B_HIT + w)
            if key != L.NONE and ld(m, bank + L.B_USES) <= cap:
                tick = max(access_time(m, o, bank, w), now)
                if tick < best or (tick == best and key < best_key):
                    best, best_key = tick, key
            key = ld(m, bank + L.B_MISS + w)
            if key != L.NONE:
                tick = max(other_time(m, o, bank), now)
                if tick < best or (tick == best and key < best_key):
                    best, best_key = tick, key
    oldest = ld(m, o + L.HEAD + w)
    if oldest >= 0:
        time, over = ready(m, o, oldest)
        tick = max(time, now)
        if (over or in_order) and tick < best:
            return tick, oldest, True
    return best, best_key & (L.POOL - 1), False


@inline
def _closable(m, o, now):
    """The first bank that the row policy would close: its tick, its place."""
    timed = ld(m, o + L.POLICY) == L.TIMED_ROW
    best, best_bank = L.NONE, -1
    for b in range(ld(m, o + L.BANKS)):
        bank = o + L.BANK_TABLE + b * L.BANK_WORDS
        if ld(m, bank + L.B_OPEN) >= 0:
            tick = max(other_time(m, o, bank), now)
            if timed:
                tick = max(tick, ld(m, bank + L.B_STAMP) + ld(m, o + L.TIMEOUT))
            if tick < best:
                best, best_bank = tick, bank
    return best, best_bank


@inline
def _refreshable(m, o, now):
    """The first rank on its way to a refresh: its tick, its place."""
    best, best_rank = L.NONE, -1
    for r in range(ld(m, o + L.RANKS)):
        rank = o + L.RANK_TABLE + r * L.RANK_WORDS
        if ld(m, rank + L.K_PENDING) > 0:
            time = ld(m, rank + L.K_PREA) if ld(m, rank + L.K_OPEN) > 0 else ld(m, rank + L.K_REF)
            tick = max(time, now)
            if tick < best:
                best, best_rank = tick, rank
            if ld(m, o + L.IN_ORDER) != 0:
                break
    return best, best_rank


@inline
def _switch(m, o):
    """Change between reads and writes; whether that would happen in every tick (while draining)."""
    reads, writes = ld(m, o + L.LENGTH), ld(m, o + L.LENGTH + 1)
    many, few = writes > ld(m, o + L.HIGH), writes < ld(m, o + L.LOW)
    if ld(m, o + L.WRITING) == 0:
        if many or reads == 0:
            st(m, o + L.WRITING, 1)
    elif few and reads != 0:
        st(m, o + L.WRITING, 0)
    return many and few and reads != 0


@inline
def plan(m, o, now):
    """Decide what goes next, not before tick ``now``; every tick before it must be done."""
    due = ld(m, o + L.NEXT_REFRESH)
    if now >= due:
        for r in range(ld(m, o + L.RANKS)):
            rank = o + L.RANK_TABLE + r * L.RANK_WORDS
            st(m, rank + L.K_PENDING, ld(m, rank + L.K_PENDING) + 1)
        st(m, o + L.REFRESHES, ld(m, o + L.REFRESHES) + ld(m, o + L.RANKS))
        due += ld(m, o + L.REFI)
        st(m, o + L.NEXT_REFRESH, due)
    restless = _switch(m, o)
    tick, kind, what = due, L.INJECT, 0
    if ld(m, o + L.ACTIVATED) > 0:
        time, at = _activated(m, o, now)
        if time < tick:
            tick, kind, what = time, L.AS_ACTIVATED, at
    if ld(m, o + L.REFRESHES) > 0:
        time, at = _refreshable(m, o, now)
        if time < tick:
            tick, kind, what = time, L.REFRESH, at
    else:
        time, at, as_oldest = _queued(m, o, now)
        if time < tick:
            tick, what = time, at
            kind = L.AS_OLDEST if as_oldest else L.AS_QUEUED
    if ld(m, o + L.POLICY) != L.OPEN_ROW:
        time, at = _closable(m, o, now)
        if time < tick:
            tick, kind, what = time, L.CLOSE, at
    if restless and tick > now:
        tick, kind = now, L.TOGGLE
    st(m, o + L.PLAN_TICK, tick)
    st(m, o + L.PLAN_KIND, kind)
    st(m, o + L.PLAN_WHAT, what)
