"""Requests waiting in a channel.

Every request is in two lists, both in order of arrival: that of its queue (reads or writes) and that
of its bank within the queue. A bank knows the oldest request of each queue that hits its open row and
the oldest that does not, so that a plan looks at banks, not at requests.
"""

from __future__ import annotations

from ....kernels.runtime.atomics import ld, st
from ....kernels.runtime.launch import inline, kernel
from . import layout as L


@inline
def entry_at(o, e):
    """Where request ``e`` of the pool is."""
    return o + L.ENTRIES + e * L.ENTRY_WORDS


@inline
def bank_at(o, b):
    """Where bank ``b`` is."""
    return o + L.BANK_TABLE + b * L.BANK_WORDS


@inline
def append(m, o, w, number, row, address, ident, now):
    """Put a request at the end of a queue; its place in the pool."""
    e = ld(m, o + L.FREE)
    x = entry_at(o, e)
    st(m, o + L.FREE, ld(m, x + L.E_NEXT))
    serial = ld(m, o + L.SERIAL)
    st(m, o + L.SERIAL, serial + 1)
    key = (serial << L.KEY_BITS) | e
    bank = bank_at(o, number)
    st(m, x + L.E_ROW, row)
    st(m, x + L.E_ADDRESS, address)
    st(m, x + L.E_ARRIVAL, now)
    st(m, x + L.E_IDENT, ident)
    st(m, x + L.E_WRITE, w)
    st(m, x + L.E_FIRST, 1)
    st(m, x + L.E_BANK, bank)
    st(m, x + L.E_KEY, key)
    last = ld(m, o + L.TAIL + w)
    st(m, x + L.E_BEFORE, last)
    st(m, x + L.E_NEXT, -1)
    if last < 0:
        st(m, o + L.HEAD + w, e)
    else:
        st(m, entry_at(o, last) + L.E_NEXT, e)
    st(m, o + L.TAIL + w, e)
    st(m, o + L.LENGTH + w, ld(m, o + L.LENGTH + w) + 1)
    last = ld(m, bank + L.B_TAIL + w)
    st(m, x + L.E_BANK_BEFORE, last)
    st(m, x + L.E_BANK_NEXT, -1)
    if last < 0:
        st(m, bank + L.B_HEAD + w, e)
        n = ld(m, o + L.BUSY + w)
        st(m, o + L.BUSY_BANKS + w * L.MAX_BANKS + n, bank)
        st(m, bank + L.B_PLACE + w, n)
        st(m, o + L.BUSY + w, n + 1)
    else:
        st(m, entry_at(o, last) + L.E_BANK_NEXT, e)
    st(m, bank + L.B_TAIL + w, e)
    if ld(m, bank + L.B_OPEN) == row:
        if ld(m, bank + L.B_HIT + w) == L.NONE:
            st(m, bank + L.B_HIT + w, key)
    elif ld(m, bank + L.B_MISS + w) == L.NONE:
        st(m, bank + L.B_MISS + w, key)
    return e


@inline
def unlink(m, o, e):
    """Take a request out of its queue; the bank's oldest hit and miss are left to the caller."""
    x = entry_at(o, e)
    w = ld(m, x + L.E_WRITE)
    before, after = ld(m, x + L.E_BEFORE), ld(m, x + L.E_NEXT)
    if before < 0:
        st(m, o + L.HEAD + w, after)
    else:
        st(m, entry_at(o, before) + L.E_NEXT, after)
    if after < 0:
        st(m, o + L.TAIL + w, before)
    else:
        st(m, entry_at(o, after) + L.E_BEFORE, before)
    st(m, o + L.LENGTH + w, ld(m, o + L.LENGTH + w) - 1)
    bank = ld(m, x + L.E_BANK)
    before, after = ld(m, x + L.E_BANK_BEFORE), ld(m, x + L.E_BANK_NEXT)
    if before < 0:
        st(m, bank + L.B_HEAD + w, after)
    else:
        st(m, entry_at(o, before) + L.E_BANK_NEXT, after)
    if after < 0:
        st(m, bank + L.B_TAIL + w, before)
    else:
        st(m, entry_at(o, after) + L.E_BANK_BEFORE, before)
    if ld(m, bank + L.B_HEAD + w) < 0:  # the last busy bank takes this one's place
        n = ld(m, o + L.BUSY + w) - 1
        st(m, o + L.BUSY + w, n)
        moved = ld(m, o + L.BUSY_BANKS + w * L.MAX_BANKS + n)
        place = ld(m, bank + L.B_PLACE + w)
        st(m, o + L.BUSY_BANKS + w * L.MAX_BANKS + place, moved)
        st(m, moved + L.B_PLACE + w, place)


@inline
def release(m, o, e):
    """Give a request's place back to the pool."""
    st(m, entry_at(o, e) + L.E_NEXT, ld(m, o + L.FREE))
    st(m, o + L.FREE, e)


@inline
def next_hit(m, o, e, row):
    """The key of the first request for ``row`` from ``e`` on in its bank's list."""
    while e >= 0:
        x = entry_at(o, e)
        if ld(m, x + L.E_ROW) == row:
            return ld(m, x + L.E_KEY)
        e = ld(m, x + L.E_BANK_NEXT)
    return L.NONE


@kernel
def look_again(m, o, bank):
    """Find a bank's oldest hits and misses after its row was opened or closed."""
    row = ld(m, bank + L.B_OPEN)
    for w in range(2):
        hit, miss = L.NONE, L.NONE
        e = ld(m, bank + L.B_HEAD + w)
        while e >= 0 and (hit == L.NONE or miss == L.NONE):
            x = entry_at(o, e)
            if ld(m, x + L.E_ROW) == row:
                if hit == L.NONE:
                    hit = ld(m, x + L.E_KEY)
            else:
                if miss == L.NONE:
                    miss = ld(m, x + L.E_KEY)
                if row < 0:  # a closed bank: none hits
                    break
            e = ld(m, x + L.E_BANK_NEXT)
        st(m, bank + L.B_HIT + w, hit)
        st(m, bank + L.B_MISS + w, miss)


@inline
def waiting_write(m, o, number, address):
    """Whether a write to this very address waits in the write queue."""
    e = ld(m, bank_at(o, number) + L.B_HEAD + 1)
    while e >= 0:
        x = entry_at(o, e)
        if ld(m, x + L.E_ADDRESS) == address:
            return True
        e = ld(m, x + L.E_BANK_NEXT)
    return False


def prepare(block):
    """Empty queues in a channel's block (NumPy; called once)."""
    for w in range(2):
        block[L.HEAD + w] = block[L.TAIL + w] = -1
    for e in range(L.POOL):
        block[L.ENTRIES + e * L.ENTRY_WORDS + L.E_NEXT] = e + 1
    for b in range(L.MAX_BANKS):
        at = L.BANK_TABLE + b * L.BANK_WORDS
        block[at + L.B_OPEN] = -1
        block[at + L.B_NUMBER] = b
        for w in range(2):
            block[at + L.B_HEAD + w] = block[at + L.B_TAIL + w] = -1
            block[at + L.B_HIT + w] = block[at + L.B_MISS + w] = L.NONE
