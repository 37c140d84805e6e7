"""The short way for runs: reads of one open row that come one after the other into a full queue.

If every queued request reads the same open row and nothing else is going on, the oldest goes, the
next one takes its place in the same tick, and so on at a fixed distance, until a request for another
row comes or a refresh is due. The plan would find the same, step by step.
"""

from __future__ import annotations

import numpy as np

from ....kernels.runtime.atomics import ld, st
from ....kernels.runtime.launch import inline
from . import layout as L
from .address import locate
from .count import add, classify, count_column
from .issue import column_times
from .queues import entry_at


@inline
def running(m, o):
    """The bank whose open row all queued requests read, with that planned next; else -1."""
    kind = ld(m, o + L.PLAN_KIND)
    if kind != L.AS_QUEUED and kind != L.AS_OLDEST:
        return -1
    alone = ld(m, o + L.BUSY) == 1 and ld(m, o + L.BUSY + 1) == 0 and ld(m, o + L.LENGTH) > 1
    if not alone or ld(m, o + L.WRITING) != 0 or ld(m, o + L.POLICY) != L.OPEN_ROW:
        return -1
    if ld(m, o + L.ACTIVATED) != 0 or ld(m, o + L.REFRESHES) != 0:
        return -1
    bank = ld(m, o + L.BUSY_BANKS)
    return bank if ld(m, bank + L.B_MISS) == L.NONE else -1


@inline
def _rotate(m, o, bank, address, ident, tick):
    """The oldest request is done; its place in the pool is taken by a new one at the end."""
    e = ld(m, o + L.HEAD)
    x = entry_at(o, e)
    following, last = ld(m, x + L.E_NEXT), ld(m, o + L.TAIL)
    serial = ld(m, o + L.SERIAL)
    st(m, o + L.SERIAL, serial + 1)
    st(m, x + L.E_ADDRESS, address)
    st(m, x + L.E_ARRIVAL, tick)
    st(m, x + L.E_IDENT, ident)
    st(m, x + L.E_FIRST, 1)
    st(m, x + L.E_KEY, (serial << L.KEY_BITS) | e)
    # the queue has one bank, so both lists are the same
    st(m, o + L.HEAD, following)
    st(m, bank + L.B_HEAD, following)
    st(m, entry_at(o, following) + L.E_BEFORE, -1)
    st(m, entry_at(o, following) + L.E_BANK_BEFORE, -1)
    st(m, entry_at(o, last) + L.E_NEXT, e)
    st(m, entry_at(o, last) + L.E_BANK_NEXT, e)
    st(m, x + L.E_BEFORE, last)
    st(m, x + L.E_BANK_BEFORE, last)
    st(m, x + L.E_NEXT, -1)
    st(m, x + L.E_BANK_NEXT, -1)
    st(m, o + L.TAIL, e)
    st(m, bank + L.B_TAIL, e)


@inline
def stream(m, o, bank, k, now, requests, first):
    """Take requests from number ``k`` on as long as they go on with the run; the next, and the time.

    Ends before a refresh is due and before a full log.
    """
    addresses, writes, _, idents = requests
    read = np.int64(0)  # a plain 0 would have helpers compiled twice
    row, number = ld(m, bank + L.B_OPEN), ld(m, bank + L.B_NUMBER)
    due, step = ld(m, o + L.NEXT_REFRESH), ld(m, o + L.GAPS)
    tick, begun = ld(m, o + L.PLAN_TICK), k
    while k < addresses.size and writes[k] == 0 and tick < due:
        place, b, r = locate(m, addresses[k])
        logged = ld(m, o + L.LOGGED)
        if place != o or b != number or r != row:
            break
        if ld(m, o + L.LOG_SIZE) > 0 and logged >= ld(m, o + L.LOG_SIZE):
            break
        x = entry_at(o, ld(m, o + L.HEAD))
        if ld(m, x + L.E_FIRST) != 0:
            classify(m, o, tick, bank, row)
        add(m, o + L.WAIT, tick - ld(m, x + L.E_ARRIVAL))
        count_column(m, o, tick, x, bank, read)
        ident = idents[k] if idents.size > 0 else first + k
        _rotate(m, o, bank, addresses[k], ident, tick)
        if addresses[k] >> ld(m, L.BYTES_SHIFT) >= ld(m, L.LINES):
            add(m, o + L.WRAPPED, 1)
        add(m, o + L.STALLS, tick - now)
        now = tick + 1
        tick += step
        k += 1
    if k > begun:
        add(m, o + L.READS, k - begun)
        add(m, bank + L.B_USES, k - begun - 1)
        column_times(m, o, now - 1, bank, read)
        st(m, bank + L.B_HIT, ld(m, entry_at(o, ld(m, o + L.HEAD)) + L.E_KEY))
        st(m, o + L.DONE, now - 1)
        st(m, o + L.PLAN_KIND, L.NOTHING)
    return k, now
