"""What is planned is carried out: requests go through queues, and commands are sent."""

from __future__ import annotations

from ....kernels.runtime.atomics import ld, st
from ....kernels.runtime.launch import inline, kernel
from . import layout as L
from .commands import activate, column_times, occupy, precharge, refresh, refresh_bank
from .counters import add, classify, count_column, note
from .queues import look_again, next_hit, release, unlink
from .waiting import access_tick, entry_at, mark_hit, time_row


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
        st(m, o + L.FIRST_ACTIVATED, -1)
        hold(m, o, bank, -1)
    else:
        unlink(m, o, e)
        add(m, o + L.WAIT + w, tick - ld(m, x + L.E_ARRIVAL))
    if opened == row:
        if at < 0 and ld(m, bank + L.B_HIT + w) == ld(m, x + L.E_KEY):
            mark_hit(m, o, bank, w, next_hit(m, o, ld(m, x + L.E_BANK_NEXT), row))
        column_times(m, o, tick, bank, w)
        count_column(m, o, tick, x, bank, w)
        release(m, o, e)
        return
    activate(m, o, tick, bank, row, ld(m, x + L.E_IDENT))
    if ld(m, o + L.SPLIT) != 0:
        st(m, o + L.OPENING, e)
        st(m, o + L.SECOND, tick + ld(m, o + L.TICKS_ACT))
        st(m, o + L.SECOND_LATEST, tick + ld(m, o + L.AAD))
        if ld(m, bank + L.B_MISS + w) == ld(m, x + L.E_KEY):
            look_again(m, o, bank)
        else:
            time_row(m, o, bank)
    else:
        row_is_open(m, o, e)


@inline
def hold(m, o, bank, change):
    """Count the requests for which a bank's row was opened."""
    if ld(m, o + L.VERSION) == 1:
        return  # it does not ask
    add(m, bank + L.B_HELD, change)
    add(m, o + L.RANK_TABLE + ld(m, bank + L.B_RANK) * L.RANK_WORDS + L.K_HELD, change)


@inline
def row_is_open(m, o, e):
    """The row of a request is open: it joins the activated ones."""
    x = entry_at(o, e)
    bank = ld(m, x + L.E_BANK)
    st(m, bank + L.B_OPEN, ld(m, x + L.E_ROW))
    hold(m, o, bank, 1)
    look_again(m, o, bank)
    n = ld(m, o + L.ACTIVATED)
    st(m, o + L.ACTIVATED_LIST + n, e)
    st(m, o + L.ACTIVATED, n + 1)
    first = ld(m, o + L.FIRST_ACTIVATED)
    if first >= 0:
        now = max(ld(m, o + L.DONE) + 1, ld(m, o + L.COLUMN_FREE))
        tick = access_tick(m, o, bank, ld(m, x + L.E_WRITE), now)
        old = entry_at(o, ld(m, o + L.ACTIVATED_LIST + ld(m, o + L.FIRST_PLACE)))
        older = ld(m, x + L.E_ARRIVAL) < ld(m, old + L.E_ARRIVAL)
        if tick < first or (tick == first and older):
            st(m, o + L.FIRST_ACTIVATED, tick)
            st(m, o + L.FIRST_PLACE, n)


@kernel
def _open_half(m, o, tick):
    """The second command of an activation goes."""
    e = ld(m, o + L.OPENING)
    x = entry_at(o, e)
    st(m, o + L.OPENING, -1)
    occupy(m, o, tick, ld(m, o + L.TICKS_ACT), False)
    number = ld(m, ld(m, x + L.E_BANK) + L.B_NUMBER)
    note(m, o, tick, L.ACT2, number, ld(m, x + L.E_ROW), ld(m, x + L.E_IDENT))
    row_is_open(m, o, e)


@kernel
def _start_clock(m, o, tick, what):
    """The data clock is started; the column command follows, whatever comes."""
    follows, e = ld(m, o + L.PLAN_COLUMN), what
    if follows == L.AS_ACTIVATED:
        e = ld(m, o + L.ACTIVATED_LIST + what)
    x = entry_at(o, e)
    number = ld(m, ld(m, x + L.E_BANK) + L.B_NUMBER)
    note(m, o, tick, L.CAS, number, ld(m, x + L.E_ROW), ld(m, x + L.E_IDENT))
    occupy(m, o, tick, ld(m, o + L.TICKS_COLUMN), False)
    st(m, o + L.PLAN_KIND, follows)
    st(m, o + L.PLAN_TICK, tick + ld(m, o + L.CAS_GUARD))
    st(m, o + L.FIXED, 1)


@inline
def issue(m, o):
    """Carry out what is planned."""
    tick, kind, what = ld(m, o + L.PLAN_TICK), ld(m, o + L.PLAN_KIND), ld(m, o + L.PLAN_WHAT)
    st(m, o + L.PLAN_KIND, L.NOTHING)
    st(m, o + L.FIXED, 0)
    # With two buses the row bus still has its turn in this tick
    halfway = 1 if ld(m, o + L.PLAN_COLUMN) != 0 and ld(m, o + L.BUSES) == 2 else 0
    st(m, o + L.HALFWAY, halfway)
    st(m, o + L.DONE, tick - halfway)
    if kind == L.TOGGLE:
        return
    if kind == L.START_CLOCK:
        _start_clock(m, o, tick, what)
        return
    if kind == L.OPEN_HALF:
        _open_half(m, o, tick)
        return
    per_bank = kind == L.REFRESH and ld(m, o + L.PER_BANK) != 0
    if kind == L.REFRESH and not per_bank:
        refresh(m, o, tick, what)
        return
    # Each command has one place here: what is frequent is compiled into its caller.
    bank, ident, e, at, close = what, -1, what, -1, True
    if per_bank:
        close = ld(m, bank + L.B_OPEN) >= 0
    elif kind != L.CLOSE:
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
    elif per_bank:
        refresh_bank(m, o, tick, bank)
    else:
        serve(m, o, tick, e, at)
