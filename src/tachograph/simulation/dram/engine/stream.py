"""The short way for runs: reads of one open row that come one after the other into a full queue.

If every queued request reads the same open row and nothing else is going on, the oldest goes, the
next one takes its place in the same tick, and so on at a fixed distance, until a request for another
row comes or a refresh is due. The plan would find the same, step by step.
"""

from __future__ import annotations

from ....kernels.runtime.atomics import ld, st
from ....kernels.runtime.launch import inline
from .address import locate
from .count import add, classify, count_column
from .issue import column_times
from .layout import (
    ACTIVATED,
    AS_OLDEST,
    AS_QUEUED,
    B_HEAD,
    B_HIT,
    B_MISS,
    B_NUMBER,
    B_OPEN,
    B_TAIL,
    B_USES,
    BUSY,
    BUSY_BANKS,
    BYTES_SHIFT,
    DONE,
    E_ADDRESS,
    E_ARRIVAL,
    E_BANK_BEFORE,
    E_BANK_NEXT,
    E_BEFORE,
    E_FIRST,
    E_IDENT,
    E_KEY,
    E_NEXT,
    GAPS,
    HEAD,
    KEY_BITS,
    LENGTH,
    LINES,
    LOG_SIZE,
    LOGGED,
    NEXT_REFRESH,
    NONE,
    NOTHING,
    OPEN_ROW,
    PLAN_KIND,
    PLAN_TICK,
    POLICY,
    READS,
    REFRESHES,
    SERIAL,
    STALLS,
    TAIL,
    WAIT,
    WRAPPED,
    WRITING,
)
from .queues import entry_at


@inline
def running(m, o):
    """The bank whose open row all queued requests read, with that planned next; else -1."""
    kind = ld(m, o + PLAN_KIND)
    if kind != AS_QUEUED and kind != AS_OLDEST:
        return -1
    alone = ld(m, o + BUSY) == 1 and ld(m, o + BUSY + 1) == 0 and ld(m, o + LENGTH) > 1
    if not alone or ld(m, o + WRITING) != 0 or ld(m, o + POLICY) != OPEN_ROW:
        return -1
    if ld(m, o + ACTIVATED) != 0 or ld(m, o + REFRESHES) != 0:
        return -1
    bank = ld(m, o + BUSY_BANKS)
    return bank if ld(m, bank + B_MISS) == NONE else -1


@inline
def _rotate(m, o, bank, address, ident, tick):
    """The oldest request is done; its place in the pool is taken by a new one at the end."""
    e = ld(m, o + HEAD)
    x = entry_at(o, e)
    following, last = ld(m, x + E_NEXT), ld(m, o + TAIL)
    serial = ld(m, o + SERIAL)
    st(m, o + SERIAL, serial + 1)
    st(m, x + E_ADDRESS, address)
    st(m, x + E_ARRIVAL, tick)
    st(m, x + E_IDENT, ident)
    st(m, x + E_FIRST, 1)
    st(m, x + E_KEY, (serial << KEY_BITS) | e)
    # the queue has one bank, so both lists are the same
    st(m, o + HEAD, following)
    st(m, bank + B_HEAD, following)
    st(m, entry_at(o, following) + E_BEFORE, -1)
    st(m, entry_at(o, following) + E_BANK_BEFORE, -1)
    st(m, entry_at(o, last) + E_NEXT, e)
    st(m, entry_at(o, last) + E_BANK_NEXT, e)
    st(m, x + E_BEFORE, last)
    st(m, x + E_BANK_BEFORE, last)
    st(m, x + E_NEXT, -1)
    st(m, x + E_BANK_NEXT, -1)
    st(m, o + TAIL, e)
    st(m, bank + B_TAIL, e)


@inline
def stream(m, o, bank, k, now, addresses, writes, idents, first):
    """Take requests from number ``k`` on as long as they go on with the run; the next, and the time.

    Ends before a refresh is due and before a full log.
    """
    row, number = ld(m, bank + B_OPEN), ld(m, bank + B_NUMBER)
    due, step = ld(m, o + NEXT_REFRESH), ld(m, o + GAPS)
    tick, begun = ld(m, o + PLAN_TICK), k
    while k < addresses.size and writes[k] == 0 and tick < due:
        place, b, r = locate(m, addresses[k])
        logged = ld(m, o + LOGGED)
        if place != o or b != number or r != row:
            break
        if ld(m, o + LOG_SIZE) > 0 and logged >= ld(m, o + LOG_SIZE):
            break
        x = entry_at(o, ld(m, o + HEAD))
        if ld(m, x + E_FIRST) != 0:
            classify(m, o, tick, bank, row)
        add(m, o + WAIT, tick - ld(m, x + E_ARRIVAL))
        count_column(m, o, tick, x, bank, 0)
        ident = idents[k] if idents.size > 0 else first + k
        _rotate(m, o, bank, addresses[k], ident, tick)
        if addresses[k] >> ld(m, BYTES_SHIFT) >= ld(m, LINES):
            add(m, o + WRAPPED, 1)
        add(m, o + STALLS, tick - now)
        now = tick + 1
        tick += step
        k += 1
    if k > begun:
        add(m, o + READS, k - begun)
        add(m, bank + B_USES, k - begun - 1)
        column_times(m, o, now - 1, bank, 0)
        st(m, bank + B_HIT, ld(m, entry_at(o, ld(m, o + HEAD)) + E_KEY))
        st(m, o + DONE, now - 1)
        st(m, o + PLAN_KIND, NOTHING)
    return k, now
