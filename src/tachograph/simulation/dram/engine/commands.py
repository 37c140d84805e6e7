"""What a command changes: buses, the earliest ticks of later commands, open rows."""

from __future__ import annotations

from ....kernels.runtime.atomics import ld, st
from ....kernels.runtime.launch import inline, kernel
from . import layout as L
from .counters import add, note, raise_to
from .queues import look_again
from .waiting import raise_rows, time_row


@inline
def occupy(m, o, tick, ticks, column):
    """A command takes its bus, or the only one, for some ticks."""
    if ld(m, o + L.BUS_COUNTS) == 0:
        return
    two = ld(m, o + L.BUSES) == 2
    if column or not two:
        st(m, o + L.COLUMN_FREE, tick + ticks)
    if not column or not two:
        st(m, o + L.ROW_FREE, tick + ticks)


@inline
def _delay_columns(m, group, end, tick, gap):
    """Reads and writes of groups up to ``end`` keep the gaps at ``gap`` to a command at ``tick``."""
    read, write = tick + ld(m, gap), tick + ld(m, gap + 4)
    while group < end:
        raise_to(m, group + L.G_CAS, read)
        raise_to(m, group + L.G_CAS + 1, write)
        group += L.GROUP_WORDS


@inline
def column_times(m, o, tick, bank, w):
    """A read or write goes: ready times of all groups, the bank and the rank."""
    own, each = o + ld(m, bank + L.B_GROUP), ld(m, o + L.GROUPS_EACH) * L.GROUP_WORDS
    first = o + L.GROUP_TABLE + ld(m, bank + L.B_RANK) * each
    last, gaps = first + each, o + L.GAPS + 8 * w
    stack = ld(m, o + L.GROUPS_STACK) * L.GROUP_WORDS
    same = first
    while same + stack <= own:  # the first group of the same stack
        same += stack
    if (
        ld(m, o + L.APART) == 0 and ld(m, o + L.RANKS) > 1
    ):  # else nothing is shared with other ranks
        end = o + L.GROUP_TABLE + ld(m, o + L.GROUPS) * L.GROUP_WORDS
        _delay_columns(m, o + L.GROUP_TABLE, first, tick, gaps + 3)
        _delay_columns(m, last, end, tick, gaps + 3)
    _delay_columns(m, first, same, tick, gaps + 2)
    _delay_columns(m, same, own, tick, gaps + 1)
    _delay_columns(m, own, own + L.GROUP_WORDS, tick, gaps)
    _delay_columns(m, own + L.GROUP_WORDS, same + stack, tick, gaps + 1)
    _delay_columns(m, same + stack, last, tick, gaps + 2)
    rank = o + L.RANK_TABLE + ld(m, bank + L.B_RANK) * L.RANK_WORDS
    raise_to(m, bank + L.B_PRE, tick + ld(m, o + L.RD_PRE + w))
    time_row(m, o, bank)
    raise_to(m, rank + L.K_PREA, tick + ld(m, o + L.RD_PREA + w))
    if w == 0 and ld(m, o + L.RD_REF) > 0:
        raise_to(m, rank + L.K_REF, tick + ld(m, o + L.RD_REF))
    add(m, bank + L.B_USES, 1)
    st(m, bank + L.B_STAMP, tick)
    occupy(m, o, tick, ld(m, o + L.TICKS_COLUMN), True)
    if ld(m, o + L.SPLIT) != 0:
        raise_to(m, o + L.CLOCK_END, tick + ld(m, o + L.CLOCK_READ + w))


@inline
def activate(m, o, tick, bank, row, ident):
    """A row is opened, or begins to be."""
    r = ld(m, bank + L.B_RANK)
    rank = o + L.RANK_TABLE + r * L.RANK_WORDS
    st(m, bank + L.B_USES, 0)
    st(m, bank + L.B_STAMP, tick)
    st(m, bank + L.B_CAS, tick + ld(m, o + L.ACT_RD))
    st(m, bank + L.B_CAS + 1, tick + ld(m, o + L.ACT_WR))
    raise_to(m, bank + L.B_ACT, tick + ld(m, o + L.ACT_ACT))
    raise_to(m, bank + L.B_PRE, tick + ld(m, o + L.ACT_PRE))
    raise_to(m, rank + L.K_PREA, tick + ld(m, o + L.ACT_PREA))
    raise_to(m, rank + L.K_REF, tick + ld(m, o + L.ACT_REF))
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
    delay_openings(m, o, r, window)
    group, near = o + ld(m, bank + L.B_GROUP), tick + ld(m, o + L.RRDL)
    bits = ld(m, L.BANK_BITS)
    raise_to(m, group + L.G_ACT, near)
    raise_rows(m, o, ld(m, bank + L.B_NUMBER) >> bits << bits, 1 << bits, -1, near)
    if ld(m, o + L.PER_BANK) != 0:
        rank_groups(m, o, r, L.G_REFB, tick + ld(m, o + L.ACT_REFB_RANK))
        raise_to(m, group + L.G_REFB, tick + ld(m, o + L.ACT_REFB_GROUP))
        raise_to(m, bank + L.B_REFB, tick + ld(m, o + L.ACT_REFB))
    occupy(m, o, tick, ld(m, o + L.TICKS_ACT), False)
    note(m, o, tick, L.ACT, ld(m, bank + L.B_NUMBER), row, ident)


@inline
def rank_groups(m, o, r, word, until):
    """Raise a word of all groups of a rank."""
    n = ld(m, o + L.GROUPS_EACH)
    for g in range(r * n, r * n + n):
        raise_to(m, o + L.GROUP_TABLE + g * L.GROUP_WORDS + word, until)


@inline
def delay_openings(m, o, r, until):
    """No row of a rank is opened before ``until``."""
    n = ld(m, o + L.BANKS_EACH)
    raise_to(m, o + L.RANK_TABLE + r * L.RANK_WORDS + L.K_ACT, until)
    raise_rows(m, o, r * n, n, -1, until)


@inline
def precharge(m, o, tick, bank, ident):
    """A row is closed."""
    r = ld(m, bank + L.B_RANK)
    rank = o + L.RANK_TABLE + r * L.RANK_WORDS
    note(m, o, tick, L.PRE, ld(m, bank + L.B_NUMBER), ld(m, bank + L.B_OPEN), ident)
    st(m, bank + L.B_OPEN, -1)
    raise_to(m, bank + L.B_ACT, tick + ld(m, o + L.PRE_ACT))
    raise_to(m, bank + L.B_REFB, tick + ld(m, o + L.PRE_REFB))
    raise_to(m, rank + L.K_REF, tick + ld(m, o + L.PRE_REF))
    raise_to(m, rank + L.K_PREA, tick + ld(m, o + L.PRE_PREA))
    add(m, rank + L.K_OPEN, -1)
    if ld(m, rank + L.K_OPEN) == 0:
        add(m, rank + L.K_ACTIVE, tick - ld(m, rank + L.K_SINCE))
    if ld(m, o + L.PPD) > 0:
        n, until = ld(m, o + L.BANKS_EACH), tick + ld(m, o + L.PPD)
        raise_to(m, rank + L.K_PRE, until)
        raise_rows(m, o, r * n, n, 0, until)
    occupy(m, o, tick, ld(m, o + L.TICKS_PRE), False)
    look_again(m, o, bank)


@inline
def _refresh_done(m, o):
    """A refresh goes: the next in order has its turn."""
    add(m, o + L.REFRESHES, -1)
    st(m, o + L.NEXT_TARGET, (ld(m, o + L.NEXT_TARGET) + 1) % ld(m, o + L.TARGETS))
    return ld(m, o + L.TICKS_REF)


@kernel
def refresh_bank(m, o, tick, bank):
    """A closed bank is refreshed."""
    r = ld(m, bank + L.B_RANK)
    occupy(m, o, tick, _refresh_done(m, o), False)
    raise_to(m, bank + L.B_ACT, tick + ld(m, o + L.REFB_ACT))
    time_row(m, o, bank)
    delay_openings(m, o, r, tick + ld(m, o + L.REFB_ACT_RANK))
    rank_groups(m, o, r, L.G_REFB, tick + ld(m, o + L.REFB_REFB_RANK))
    note(m, o, tick, L.REFB, ld(m, bank + L.B_NUMBER), -1, -1)


@kernel
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
        until, next_refresh = tick + ld(m, o + L.PREA_ACT), tick + ld(m, o + L.PREA_REF)
        ticks = ld(m, o + L.TICKS_PRE)
        note(m, o, tick, L.PREA, r, -1, -1)
    else:
        until, next_refresh = tick + ld(m, o + L.REF_ACT), tick + ld(m, o + L.REF_REF)
        add(m, rank + L.K_PENDING, -1)
        ticks = _refresh_done(m, o)
        note(m, o, tick, L.REF, r, -1, -1)
    occupy(m, o, tick, ticks, False)
    raise_to(m, rank + L.K_REF, next_refresh)
    delay_openings(m, o, r, until)
