"""The next command of a channel, and when: the earliest tick at which any could go.

Requests whose row was opened for them come first, then a refresh that is due (nothing else starts
while one waits), then the queue of the current mode, then the row policy. In a queue the oldest
request whose next command can go wins; a row that was used more often than the cap allows no longer
counts as ready, and then the oldest request of all goes if it can. Between ticks at which a request
arrives or a command goes nothing changes, so a plan stays right until then.

With two buses a tick has two turns, the column bus's and then the row bus's; the plan is the earliest
of both, and after a column command the row bus's turn is planned anew (HALFWAY). If rows are opened by
two commands, no other row is opened between them, and the second goes when nothing else can, or at its
latest tick. If the data clock has stopped, a command starts it, and the column command follows at once.
In half clocks, all commands but precharges begin at odd ticks (EDGE).
"""

from __future__ import annotations

from ....kernels.runtime.atomics import ld, st
from ....kernels.runtime.launch import inline, kernel
from . import layout as L
from .refreshes import inject, refreshable
from .waiting import access_tick, entry_at, first_hit, first_row, row_tick


@inline
def ready(m, o, e, now):
    """When a request's next command can go, whether its row is open, and whether it is over the cap."""
    x = entry_at(o, e)
    bank = ld(m, x + L.E_BANK)
    if ld(m, bank + L.B_OPEN) == ld(m, x + L.E_ROW):
        over = ld(m, bank + L.B_USES) > ld(m, o + L.CAP)
        free = max(now, ld(m, o + L.COLUMN_FREE))
        return access_tick(m, o, bank, ld(m, x + L.E_WRITE), free), True, over
    if ld(m, o + L.OPENING) >= 0 and ld(m, bank + L.B_OPEN) < 0:
        return L.NONE, False, False
    return row_tick(m, o, bank, max(now, ld(m, o + L.ROW_FREE))), False, False


@inline
def _first_activated(m, o, now):
    """What :func:`_activated` gives in version 2: rows stay open, and there is no cap.

    What was first is so as long as its tick is the same.
    """
    now, at = max(now, ld(m, o + L.COLUMN_FREE)), ld(m, o + L.FIRST_PLACE)
    if ld(m, o + L.FIRST_ACTIVATED) >= 0:
        x = entry_at(o, ld(m, o + L.ACTIVATED_LIST + at))
        tick = access_tick(m, o, ld(m, x + L.E_BANK), ld(m, x + L.E_WRITE), now)
        if tick == ld(m, o + L.FIRST_ACTIVATED):
            return tick, at
    best, best_arrival, best_at = L.NONE, L.NONE, -1
    for at in range(ld(m, o + L.ACTIVATED)):
        x = entry_at(o, ld(m, o + L.ACTIVATED_LIST + at))
        tick = access_tick(m, o, ld(m, x + L.E_BANK), ld(m, x + L.E_WRITE), now)
        arrival = ld(m, x + L.E_ARRIVAL)
        if (tick < best) | ((tick == best) & (arrival < best_arrival)):
            best, best_arrival, best_at = tick, arrival, at
    st(m, o + L.FIRST_ACTIVATED, best)
    st(m, o + L.FIRST_PLACE, best_at)
    return best, best_at


@inline
def _activated(m, o, now):
    """The best activated request: its tick, its place in their list."""
    if ld(m, o + L.VERSION) > 1:
        return _first_activated(m, o, now)
    in_order = ld(m, o + L.IN_ORDER) != 0
    best, best_arrival, best_at = L.NONE, L.NONE, -1
    first, first_arrival, first_at = L.NONE, L.NONE, -1
    for at in range(ld(m, o + L.ACTIVATED)):
        e = ld(m, o + L.ACTIVATED_LIST + at)
        tick, _, over = ready(m, o, e, now)
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
def _best_of_banks(m, o, w, now):
    """The oldest request that can go first: its tick, its key, whether its row is open."""
    best, best_key = first_hit(m, o, w, max(now, ld(m, o + L.COLUMN_FREE)))
    tick, key = first_row(m, o, w, max(now, ld(m, o + L.ROW_FREE)))
    key += L.ROW_TURN if ld(m, o + L.BUSES) == 2 else 0
    if tick < best or (tick == best and key < best_key):
        return tick, key, False
    return best, best_key, True


@inline
def _queued(m, o, now):
    """The best request of the current queue.

    Its tick, its place in the pool, its kind, and whether its row is open.
    """
    w = ld(m, o + L.WRITING)
    in_order = ld(m, o + L.IN_ORDER) != 0
    best, key, column = L.NONE, L.NONE, False
    if not in_order:
        best, key, column = _best_of_banks(m, o, w, now)
    oldest = ld(m, o + L.HEAD + w)
    if oldest >= 0 and (in_order or ld(m, o + L.CAP) != L.NONE):
        tick, is_open, over = ready(m, o, oldest, now)
        if (over or in_order) and tick < best:
            return tick, oldest, L.AS_OLDEST, is_open
    return best, key & (L.POOL - 1), L.AS_QUEUED, column


@kernel
def _closable(m, o, now):
    """The first bank that the row policy would close: its tick, its place."""
    timed = ld(m, o + L.POLICY) == L.TIMED_ROW
    best, best_bank = L.NONE, -1
    for b in range(ld(m, o + L.BANKS)):
        bank = o + L.BANK_TABLE + b * L.BANK_WORDS
        if ld(m, bank + L.B_OPEN) >= 0:
            tick = row_tick(m, o, bank, now)
            if timed:
                tick = max(tick, ld(m, bank + L.B_STAMP) + ld(m, o + L.TIMEOUT))
            if tick < best:
                best, best_bank = tick, bank
    return best, best_bank


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
def _second_goes(m, o, tick, second, column):
    """Whether the second command of an activation goes before what could go at ``tick``."""
    latest = ld(m, o + L.SECOND_LATEST)
    if tick > second or tick >= latest:
        return True
    # Starting the data clock takes this tick and the next: that may be too long
    return column and tick >= ld(m, o + L.CLOCK_END) and latest <= tick + ld(m, o + L.CAS_GUARD)


@inline
def plan(m, o, now):
    """Decide what goes next, not before tick ``now``; every tick before it must be done."""
    if now >= ld(m, o + L.NEXT_REFRESH):
        inject(m, o, now)
    row_now = max(now, ld(m, o + L.ROW_FREE))
    tick, kind, what, column, restless = ld(m, o + L.NEXT_REFRESH), L.INJECT, 0, False, False
    opening = ld(m, o + L.OPENING) >= 0
    if ld(m, o + L.ACTIVATED) > 0:
        time, at = _activated(m, o, now)
        if time < tick:
            tick, kind, what, column = time, L.AS_ACTIVATED, at, True
    refreshing = ld(m, o + L.REFRESHES) > 0
    if ld(m, o + L.VERSION) == 1:
        restless = _switch(m, o)
    elif tick > now and not refreshing and not (opening and ld(m, o + L.SECOND_LATEST) <= now):
        _switch(m, o)  # version 2 looks at the queues only in a tick that can serve them
    if refreshing:
        time, at = refreshable(m, o, row_now)
        if time < tick:
            tick, kind, what, column = time, L.REFRESH, at, False
    else:
        time, at, how, is_open = _queued(m, o, now)
        if time < tick:
            tick, kind, what, column = time, how, at, is_open
    if ld(m, o + L.POLICY) != L.OPEN_ROW:
        time, at = _closable(m, o, row_now)
        if time < tick:
            tick, kind, what, column = time, L.CLOSE, at, False
    if restless and tick > now:
        tick, kind = now, L.TOGGLE
    follows = kind if column else 0
    if opening:
        second = max(ld(m, o + L.SECOND), row_now)
        if _second_goes(m, o, tick, second, column):
            tick, kind, follows = second, L.OPEN_HALF, 0
    if follows != 0 and ld(m, o + L.SPLIT) != 0 and tick >= ld(m, o + L.CLOCK_END):
        kind = L.START_CLOCK
    st(m, o + L.PLAN_TICK, tick)
    st(m, o + L.PLAN_KIND, kind)
    st(m, o + L.PLAN_WHAT, what)
    st(m, o + L.PLAN_COLUMN, follows)
