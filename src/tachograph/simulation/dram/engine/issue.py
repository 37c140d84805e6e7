"""What a command changes: the earliest ticks of later ones, open rows, queues."""

from __future__ import annotations

from ....kernels.runtime.atomics import ld, st
from ....kernels.runtime.launch import inline
from .count import add, classify, count_column, note, raise_to
from .layout import (
    ACT,
    ACTIVATED,
    ACTIVATED_LIST,
    AS_ACTIVATED,
    AW32,
    B_ACT,
    B_CAS,
    B_GROUP,
    B_HIT,
    B_NUMBER,
    B_OPEN,
    B_PRE,
    B_RANK,
    B_STAMP,
    B_USES,
    BANK_TABLE,
    BANK_WORDS,
    BANKS_EACH,
    BL,
    CLOSE,
    CWL,
    DONE,
    E_ARRIVAL,
    E_BANK,
    E_BANK_NEXT,
    E_FIRST,
    E_IDENT,
    E_KEY,
    E_ROW,
    E_WRITE,
    FAW,
    G_ACT,
    G_CAS,
    G_PRE,
    GAPS,
    GROUP_TABLE,
    GROUP_WORDS,
    GROUPS,
    GROUPS_EACH,
    K_ACTIVE,
    K_FOUR,
    K_FOUR_AT,
    K_MANY,
    K_MANY_AT,
    K_OPEN,
    K_PENDING,
    K_PREA,
    K_REF,
    K_SINCE,
    NOTHING,
    PLAN_KIND,
    PLAN_TICK,
    PLAN_WHAT,
    PPD,
    PRE,
    PREA,
    RANK_TABLE,
    RANK_WORDS,
    RAS,
    RC,
    RCDR,
    RCDW,
    REF,
    REFRESH,
    REFRESHES,
    RFC,
    RP,
    RPA,
    RRDL,
    RRDS,
    RTP,
    TOGGLE,
    WAIT,
    WR,
)
from .queues import entry_at, look_again, next_hit, release, unlink


@inline
def column_times(m, o, tick, bank, w):
    """A read or write goes: ready times of all groups, the bank and the rank."""
    own = ld(m, bank + B_GROUP)
    first = GROUP_TABLE + ld(m, bank + B_RANK) * ld(m, o + GROUPS_EACH) * GROUP_WORDS
    last = first + ld(m, o + GROUPS_EACH) * GROUP_WORDS
    gaps = o + GAPS + 6 * w
    group = GROUP_TABLE
    for _ in range(ld(m, o + GROUPS)):
        kind = 2
        if first <= group < last:
            kind = 0 if group == own else 1
        raise_to(m, o + group + G_CAS, tick + ld(m, gaps + kind))
        raise_to(m, o + group + G_CAS + 1, tick + ld(m, gaps + 3 + kind))
        group += GROUP_WORDS
    rank = o + RANK_TABLE + ld(m, bank + B_RANK) * RANK_WORDS
    if w:
        until = tick + ld(m, o + CWL) + ld(m, o + BL) + ld(m, o + WR)
    else:
        until = tick + ld(m, o + RTP)
    raise_to(m, bank + B_PRE, until)
    raise_to(m, rank + K_PREA, until)
    add(m, bank + B_USES, 1)
    st(m, bank + B_STAMP, tick)


@inline
def activate(m, o, tick, bank, row, ident):
    """A row is opened."""
    r = ld(m, bank + B_RANK)
    rank = o + RANK_TABLE + r * RANK_WORDS
    st(m, bank + B_OPEN, row)
    st(m, bank + B_USES, 0)
    st(m, bank + B_STAMP, tick)
    st(m, bank + B_CAS, tick + ld(m, o + RCDR))
    st(m, bank + B_CAS + 1, tick + ld(m, o + RCDW))
    raise_to(m, bank + B_ACT, tick + ld(m, o + RC))
    raise_to(m, bank + B_PRE, tick + ld(m, o + RAS))
    raise_to(m, rank + K_PREA, tick + ld(m, o + RAS))
    raise_to(m, rank + K_REF, tick + ld(m, o + RC))
    if ld(m, rank + K_OPEN) == 0:
        st(m, rank + K_SINCE, tick)
    add(m, rank + K_OPEN, 1)
    window = tick + ld(m, o + RRDS)
    at = ld(m, rank + K_FOUR_AT)
    st(m, rank + K_FOUR + at, tick)
    at = (at + 1) & 3
    st(m, rank + K_FOUR_AT, at)
    window = max(window, ld(m, rank + K_FOUR + at) + ld(m, o + FAW))
    if ld(m, o + AW32) > 0:
        at = ld(m, rank + K_MANY_AT)
        st(m, rank + K_MANY + at, tick)
        at = (at + 1) & 31
        st(m, rank + K_MANY_AT, at)
        window = max(window, ld(m, rank + K_MANY + at) + ld(m, o + AW32))
    n = ld(m, o + GROUPS_EACH)
    for g in range(r * n, r * n + n):
        raise_to(m, o + GROUP_TABLE + g * GROUP_WORDS + G_ACT, window)
    raise_to(m, o + ld(m, bank + B_GROUP) + G_ACT, tick + ld(m, o + RRDL))
    note(m, o, tick, ACT, ld(m, bank + B_NUMBER), row, ident)


@inline
def precharge(m, o, tick, bank, ident):
    """A row is closed."""
    r = ld(m, bank + B_RANK)
    rank = o + RANK_TABLE + r * RANK_WORDS
    note(m, o, tick, PRE, ld(m, bank + B_NUMBER), ld(m, bank + B_OPEN), ident)
    st(m, bank + B_OPEN, -1)
    raise_to(m, bank + B_ACT, tick + ld(m, o + RP))
    raise_to(m, rank + K_REF, tick + ld(m, o + RP))
    add(m, rank + K_OPEN, -1)
    if ld(m, rank + K_OPEN) == 0:
        add(m, rank + K_ACTIVE, tick - ld(m, rank + K_SINCE))
    if ld(m, o + PPD) > 0:
        n = ld(m, o + GROUPS_EACH)
        for g in range(r * n, r * n + n):
            raise_to(m, o + GROUP_TABLE + g * GROUP_WORDS + G_PRE, tick + ld(m, o + PPD))
    look_again(m, o, bank)


@inline
def refresh(m, o, tick, rank):
    """A rank's rows are closed or, if none is open, it is refreshed."""
    r = (rank - o - RANK_TABLE) // RANK_WORDS
    if ld(m, rank + K_OPEN) > 0:
        n = ld(m, o + BANKS_EACH)
        for b in range(r * n, r * n + n):
            bank = o + BANK_TABLE + b * BANK_WORDS
            if ld(m, bank + B_OPEN) >= 0:
                st(m, bank + B_OPEN, -1)
                look_again(m, o, bank)
        st(m, rank + K_OPEN, 0)
        add(m, rank + K_ACTIVE, tick - ld(m, rank + K_SINCE))
        until = tick + ld(m, o + RPA)
        note(m, o, tick, PREA, r, -1, -1)
    else:
        until = tick + ld(m, o + RFC)
        add(m, rank + K_PENDING, -1)
        add(m, o + REFRESHES, -1)
        note(m, o, tick, REF, r, -1, -1)
    raise_to(m, rank + K_REF, until)
    n = ld(m, o + GROUPS_EACH)
    for g in range(r * n, r * n + n):
        raise_to(m, o + GROUP_TABLE + g * GROUP_WORDS + G_ACT, until)


@inline
def drop_activated(m, o, at):
    """Take a request out of the list of activated ones, which keeps its order."""
    n = ld(m, o + ACTIVATED) - 1
    for i in range(at, n):
        st(m, o + ACTIVATED_LIST + i, ld(m, o + ACTIVATED_LIST + i + 1))
    st(m, o + ACTIVATED, n)


@inline
def serve(m, o, tick, e, at):
    """A request's row is opened, or it is read or written.

    ``at`` is its place among the activated requests, or -1.
    """
    x = entry_at(o, e)
    bank = ld(m, x + E_BANK)
    row = ld(m, x + E_ROW)
    w = ld(m, x + E_WRITE)
    opened = ld(m, bank + B_OPEN)
    if at >= 0:
        drop_activated(m, o, at)
    else:
        unlink(m, o, e)
        add(m, o + WAIT + w, tick - ld(m, x + E_ARRIVAL))
    if opened == row:
        if at < 0 and ld(m, bank + B_HIT + w) == ld(m, x + E_KEY):
            st(m, bank + B_HIT + w, next_hit(m, o, ld(m, x + E_BANK_NEXT), row))
        column_times(m, o, tick, bank, w)
        count_column(m, o, tick, x, bank, w)
        release(m, o, e)
    else:
        activate(m, o, tick, bank, row, ld(m, x + E_IDENT))
        look_again(m, o, bank)
        n = ld(m, o + ACTIVATED)
        st(m, o + ACTIVATED_LIST + n, e)
        st(m, o + ACTIVATED, n + 1)


@inline
def issue(m, o):
    """Carry out what is planned."""
    tick, kind, what = ld(m, o + PLAN_TICK), ld(m, o + PLAN_KIND), ld(m, o + PLAN_WHAT)
    st(m, o + PLAN_KIND, NOTHING)
    st(m, o + DONE, tick)
    if kind == TOGGLE:
        return
    if kind == REFRESH:
        refresh(m, o, tick, what)
        return
    # Each command has one place here: everything is compiled into its caller.
    bank, ident, e, at, close = what, -1, what, -1, True
    if kind != CLOSE:
        if kind == AS_ACTIVATED:
            e, at = ld(m, o + ACTIVATED_LIST + what), what
        x = entry_at(o, e)
        bank, row, ident = ld(m, x + E_BANK), ld(m, x + E_ROW), ld(m, x + E_IDENT)
        if ld(m, x + E_FIRST) != 0:
            st(m, x + E_FIRST, 0)
            classify(m, o, tick, bank, row)
        opened = ld(m, bank + B_OPEN)
        close = opened >= 0 and opened != row
    if close:
        precharge(m, o, tick, bank, ident)
    else:
        serve(m, o, tick, e, at)
