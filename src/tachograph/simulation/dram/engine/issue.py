"""What a command changes: the earliest ticks of later ones, open rows, queues, and what is counted."""

from __future__ import annotations

from ....kernels.runtime.atomics import ld, st
from ....kernels.runtime.launch import inline, kernel
from . import layout as L
from .queues import entry_at, look_again, next_hit, release, unlink


@inline
def raise_to(m, at, value):
    """``m[at] = max(m[at], value)``."""
    if ld(m, at) < value:
        st(m, at, value)


@inline
def add(m, at, value):
    """``m[at] += value``."""
    st(m, at, ld(m, at) + value)


@inline
def note(m, o, tick, command, where, row, ident):
    """Count a command and write it down if that was asked for."""
    add(m, o + L.COMMANDS + command, 1)
    if ld(m, o + L.LOG_SIZE) > 0:
        at = o + L.LOG + ld(m, o + L.LOGGED) * L.LOG_WORDS
        st(m, at, tick)
        st(m, at + 1, command)
        st(m, at + 2, where)
        st(m, at + 3, row)
        st(m, at + 4, ident)
        add(m, o + L.LOGGED, 1)


@kernel
def widen(m, o, tick):
    """Double the width of the time series' cells until there is one for a tick."""
    while (tick >> ld(m, o + L.SHIFT)) >= L.BINS:
        for i in range(L.BINS):
            for j in range(L.BIN_WORDS):
                at = o + L.SERIES + i * L.BIN_WORDS + j
                value = 0
                if 2 * i < L.BINS:
                    pair = o + L.SERIES + 2 * i * L.BIN_WORDS + j
                    value = ld(m, pair) + ld(m, pair + L.BIN_WORDS)
                st(m, at, value)
        add(m, o + L.SHIFT, 1)


@inline
def bin_at(m, o, tick):
    """The cell of the time series for a tick."""
    if (tick >> ld(m, o + L.SHIFT)) >= L.BINS:
        widen(m, o, tick)
    return o + L.SERIES + (tick >> ld(m, o + L.SHIFT)) * L.BIN_WORDS


@inline
def finish(m, o, tick, since, ident):
    """A read's data are complete at ``tick``; one read a tick is handed over, in order."""
    over = max(tick, ld(m, o + L.LAST_FINISH) + 1)
    st(m, o + L.LAST_FINISH, over)
    add(m, o + L.FLIGHT, over - since)
    if ld(m, o + L.COLLECT) != 0:
        n = ld(m, o + L.RING_NEXT)
        at = o + L.RING_TABLE + 2 * (n % L.RING)
        st(m, at, over)
        st(m, at + 1, ident)
        st(m, o + L.RING_NEXT, n + 1)


@inline
def latency_cell(latency):
    """The cell of the histogram: one for each latency, above L.EXACT in steps of about 1.6 %."""
    if latency < L.EXACT:
        return latency
    octave = 0
    while (latency >> octave) >= 2 * L.FINE:
        octave += 1
    # L.EXACT is 32 * L.FINE: the first octave here is the fifth
    return L.EXACT + (octave - 5) * L.FINE + (latency >> octave) - L.FINE


@inline
def classify(m, o, tick, bank, row):
    """Count a request as hit, miss or conflict when its first command goes."""
    opened = ld(m, bank + L.B_OPEN)
    kind = 0
    if opened < 0:
        kind = 1
    elif opened != row:
        kind = 2
    add(m, bank + L.B_HITS + kind, 1)
    add(m, bin_at(m, o, tick) + 1 + kind, 1)


@inline
def count_column(m, o, tick, x, bank, w):
    """Count the read or write of the request at ``x``."""
    ident = ld(m, x + L.E_IDENT)
    note(m, o, tick, L.RD + w, ld(m, bank + L.B_NUMBER), ld(m, x + L.E_ROW), ident)
    if w == 0:
        end = tick + ld(m, o + L.LATENCY)
        latency = end - ld(m, x + L.E_ARRIVAL)
        add(m, o + L.LATENCY_SUM, latency)
        add(m, o + L.HISTOGRAM + latency_cell(latency), 1)
        finish(m, o, end, tick, ident)
    add(m, bin_at(m, o, tick), 1)


@inline
def column_times(m, o, tick, bank, w):
    """A read or write goes: ready times of all groups, the bank and the rank."""
    own = ld(m, bank + L.B_GROUP)
    first = L.GROUP_TABLE + ld(m, bank + L.B_RANK) * ld(m, o + L.GROUPS_EACH) * L.GROUP_WORDS
    last = first + ld(m, o + L.GROUPS_EACH) * L.GROUP_WORDS
    gaps = o + L.GAPS + 6 * w
    group = L.GROUP_TABLE
    for _ in range(ld(m, o + L.GROUPS)):
        kind = 2
        if first <= group < last:
            kind = 0 if group == own else 1
        raise_to(m, o + group + L.G_CAS, tick + ld(m, gaps + kind))
        raise_to(m, o + group + L.G_CAS + 1, tick + ld(m, gaps + 3 + kind))
        group += L.GROUP_WORDS
    rank = o + L.RANK_TABLE + ld(m, bank + L.B_RANK) * L.RANK_WORDS
    if w:
        until = tick + ld(m, o + L.CWL) + ld(m, o + L.BL) + ld(m, o + L.WR)
    else:
        until = tick + ld(m, o + L.RTP)
    raise_to(m, bank + L.B_PRE, until)
    raise_to(m, rank + L.K_PREA, until)
    add(m, bank + L.B_USES, 1)
    st(m, bank + L.B_STAMP, tick)


@inline
def activate(m, o, tick, bank, row, ident):
    """A row is opened."""
    r = ld(m, bank + L.B_RANK)
    rank = o + L.RANK_TABLE + r * L.RANK_WORDS
    st(m, bank + L.B_OPEN, row)
    st(m, bank + L.B_USES, 0)
    st(m, bank + L.B_STAMP, tick)
    st(m, bank + L.B_CAS, tick + ld(m, o + L.RCDR))
    st(m, bank + L.B_CAS + 1, tick + ld(m, o + L.RCDW))
    raise_to(m, bank + L.B_ACT, tick + ld(m, o + L.RC))
    raise_to(m, bank + L.B_PRE, tick + ld(m, o + L.RAS))
    raise_to(m, rank + L.K_PREA, tick + ld(m, o + L.RAS))
    raise_to(m, rank + L.K_REF, tick + ld(m, o + L.RC))
    if ld(m, rank + L.K_OPEN) == 0:
        st(m, rank + L.K_SINCE, tick)
    add(m, rank + L.K_OPEN, 1)
    window = tick + ld(m, o + L.RRDS)
    at = ld(m, rank + L.K_FOUR_AT)
    st(m, rank + L.K_FOUR + at, tick)
    at = (at + 1) & 3
    st(m, rank + L.K_FOUR_AT, at)
    window = max(window, ld(m, rank + L.K_FOUR + at) + ld(m, o + L.FAW))
    if ld(m, o + L.AW32) > 0:
        at = ld(m, rank + L.K_MANY_AT)
        st(m, rank + L.K_MANY + at, tick)
        at = (at + 1) & 31
        st(m, rank + L.K_MANY_AT, at)
        window = max(window, ld(m, rank + L.K_MANY + at) + ld(m, o + L.AW32))
    n = ld(m, o + L.GROUPS_EACH)
    for g in range(r * n, r * n + n):
        raise_to(m, o + L.GROUP_TABLE + g * L.GROUP_WORDS + L.G_ACT, window)
    raise_to(m, o + ld(m, bank + L.B_GROUP) + L.G_ACT, tick + ld(m, o + L.RRDL))
    note(m, o, tick, L.ACT, ld(m, bank + L.B_NUMBER), row, ident)


@inline
def precharge(m, o, tick, bank, ident):
    """A row is closed."""
    r = ld(m, bank + L.B_RANK)
    rank = o + L.RANK_TABLE + r * L.RANK_WORDS
    note(m, o, tick, L.PRE, ld(m, bank + L.B_NUMBER), ld(m, bank + L.B_OPEN), ident)
    st(m, bank + L.B_OPEN, -1)
    raise_to(m, bank + L.B_ACT, tick + ld(m, o + L.RP))
    raise_to(m, rank + L.K_REF, tick + ld(m, o + L.RP))
    add(m, rank + L.K_OPEN, -1)
    if ld(m, rank + L.K_OPEN) == 0:
        add(m, rank + L.K_ACTIVE, tick - ld(m, rank + L.K_SINCE))
    if ld(m, o + L.PPD) > 0:
        n = ld(m, o + L.GROUPS_EACH)
        for g in range(r * n, r * n + n):
            raise_to(m, o + L.GROUP_TABLE + g * L.GROUP_WORDS + L.G_PRE, tick + ld(m, o + L.PPD))
    look_again(m, o, bank)


@inline
def refresh(m, o, tick, rank):
    """A rank's rows are closed or, if none is open, it is refreshed."""
    r = (rank - o - L.RANK_TABLE) // L.RANK_WORDS
    if ld(m, rank + L.K_OPEN) > 0:
        n = ld(m, o + L.BANKS_EACH)
        for b in range(r * n, r * n + n):
            bank = o + L.BANK_TABLE + b * L.BANK_WORDS
            if ld(m, bank + L.B_OPEN) >= 0:
                st(m, bank + L.B_OPEN, -1)
                look_again(m, o, bank)
        st(m, rank + L.K_OPEN, 0)
        add(m, rank + L.K_ACTIVE, tick - ld(m, rank + L.K_SINCE))
        until = tick + ld(m, o + L.RPA)
        note(m, o, tick, L.PREA, r, -1, -1)
    else:
        until = tick + ld(m, o + L.RFC)
        add(m, rank + L.K_PENDING, -1)
        add(m, o + L.REFRESHES, -1)
        note(m, o, tick, L.REF, r, -1, -1)
    raise_to(m, rank + L.K_REF, until)
    n = ld(m, o + L.GROUPS_EACH)
    for g in range(r * n, r * n + n):
        raise_to(m, o + L.GROUP_TABLE + g * L.GROUP_WORDS + L.G_ACT, until)


@inline
def serve(m, o, tick, e, at):
    """A request's row is opened, or it is read or written.

    ``at`` is its place among the activated requests, or -1.
    """
    x = entry_at(o, e)
    bank = ld(m, x + L.E_BANK)
    row = ld(m, x + L.E_ROW)
    w = ld(m, x + L.E_WRITE)
    opened = ld(m, bank + L.B_OPEN)
    if at >= 0:  # the list of activated requests keeps its order
        n = ld(m, o + L.ACTIVATED) - 1
        for i in range(at, n):
            st(m, o + L.ACTIVATED_LIST + i, ld(m, o + L.ACTIVATED_LIST + i + 1))
        st(m, o + L.ACTIVATED, n)
    else:
        unlink(m, o, e)
        add(m, o + L.WAIT + w, tick - ld(m, x + L.E_ARRIVAL))
    if opened == row:
        if at < 0 and ld(m, bank + L.B_HIT + w) == ld(m, x + L.E_KEY):
            st(m, bank + L.B_HIT + w, next_hit(m, o, ld(m, x + L.E_BANK_NEXT), row))
        column_times(m, o, tick, bank, w)
        count_column(m, o, tick, x, bank, w)
        release(m, o, e)
    else:
        activate(m, o, tick, bank, row, ld(m, x + L.E_IDENT))
        look_again(m, o, bank)
        n = ld(m, o + L.ACTIVATED)
        st(m, o + L.ACTIVATED_LIST + n, e)
        st(m, o + L.ACTIVATED, n + 1)


@inline
def issue(m, o):
    """Carry out what is planned."""
    tick, kind, what = ld(m, o + L.PLAN_TICK), ld(m, o + L.PLAN_KIND), ld(m, o + L.PLAN_WHAT)
    st(m, o + L.PLAN_KIND, L.NOTHING)
    st(m, o + L.DONE, tick)
    if kind == L.TOGGLE:
        return
    if kind == L.REFRESH:
        refresh(m, o, tick, what)
        return
    # Each command has one place here: everything is compiled into its caller.
    bank, ident, e, at, close = what, -1, what, -1, True
    if kind != L.CLOSE:
        if kind == L.AS_ACTIVATED:
            e, at = ld(m, o + L.ACTIVATED_LIST + what), what
        x = entry_at(o, e)
        bank, row, ident = ld(m, x + L.E_BANK), ld(m, x + L.E_ROW), ld(m, x + L.E_IDENT)
        if ld(m, x + L.E_FIRST) != 0:
            st(m, x + L.E_FIRST, 0)
            classify(m, o, tick, bank, row)
        opened = ld(m, bank + L.B_OPEN)
        close = opened >= 0 and opened != row
    if close:
        precharge(m, o, tick, bank, ident)
    else:
        serve(m, o, tick, e, at)
