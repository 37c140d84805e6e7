"""Requests waiting in a channel.

Every request is in two lists, both in order of arrival: that of its queue (reads or writes) and that
of its bank within the queue. A bank knows the oldest request of each queue that hits its open row and
the oldest that does not, so that a plan looks at banks, not at requests.
"""

from __future__ import annotations

from ....kernels.runtime.atomics import ld, st
from ....kernels.runtime.launch import inline, kernel
from .layout import (
    B_HEAD,
    B_HIT,
    B_MISS,
    B_NUMBER,
    B_OPEN,
    B_PLACE,
    B_TAIL,
    BANK_TABLE,
    BANK_WORDS,
    BUSY,
    BUSY_BANKS,
    E_ADDRESS,
    E_ARRIVAL,
    E_BANK,
    E_BANK_BEFORE,
    E_BANK_NEXT,
    E_BEFORE,
    E_FIRST,
    E_IDENT,
    E_KEY,
    E_NEXT,
    E_ROW,
    E_WRITE,
    ENTRIES,
    ENTRY_WORDS,
    FREE,
    HEAD,
    KEY_BITS,
    LENGTH,
    MAX_BANKS,
    NONE,
    POOL,
    SERIAL,
    TAIL,
)


@inline
def entry_at(o, e):
    """Where request ``e`` of the pool is."""
    return o + ENTRIES + e * ENTRY_WORDS


@inline
def bank_at(o, b):
    """Where bank ``b`` is."""
    return o + BANK_TABLE + b * BANK_WORDS


@inline
def append(m, o, w, number, row, address, ident, now):
    """Put a request at the end of a queue; its place in the pool."""
    e = ld(m, o + FREE)
    x = entry_at(o, e)
    st(m, o + FREE, ld(m, x + E_NEXT))
    serial = ld(m, o + SERIAL)
    st(m, o + SERIAL, serial + 1)
    key = (serial << KEY_BITS) | e
    bank = bank_at(o, number)
    st(m, x + E_ROW, row)
    st(m, x + E_ADDRESS, address)
    st(m, x + E_ARRIVAL, now)
    st(m, x + E_IDENT, ident)
    st(m, x + E_WRITE, w)
    st(m, x + E_FIRST, 1)
    st(m, x + E_BANK, bank)
    st(m, x + E_KEY, key)
    last = ld(m, o + TAIL + w)
    st(m, x + E_BEFORE, last)
    st(m, x + E_NEXT, -1)
    if last < 0:
        st(m, o + HEAD + w, e)
    else:
        st(m, entry_at(o, last) + E_NEXT, e)
    st(m, o + TAIL + w, e)
    st(m, o + LENGTH + w, ld(m, o + LENGTH + w) + 1)
    last = ld(m, bank + B_TAIL + w)
    st(m, x + E_BANK_BEFORE, last)
    st(m, x + E_BANK_NEXT, -1)
    if last < 0:
        st(m, bank + B_HEAD + w, e)
        n = ld(m, o + BUSY + w)
        st(m, o + BUSY_BANKS + w * MAX_BANKS + n, bank)
        st(m, bank + B_PLACE + w, n)
        st(m, o + BUSY + w, n + 1)
    else:
        st(m, entry_at(o, last) + E_BANK_NEXT, e)
    st(m, bank + B_TAIL + w, e)
    if ld(m, bank + B_OPEN) == row:
        if ld(m, bank + B_HIT + w) == NONE:
            st(m, bank + B_HIT + w, key)
    elif ld(m, bank + B_MISS + w) == NONE:
        st(m, bank + B_MISS + w, key)
    return e


@inline
def unlink(m, o, e):
    """Take a request out of its queue; the bank's oldest hit and miss are left to the caller."""
    x = entry_at(o, e)
    w = ld(m, x + E_WRITE)
    before, after = ld(m, x + E_BEFORE), ld(m, x + E_NEXT)
    if before < 0:
        st(m, o + HEAD + w, after)
    else:
        st(m, entry_at(o, before) + E_NEXT, after)
    if after < 0:
        st(m, o + TAIL + w, before)
    else:
        st(m, entry_at(o, after) + E_BEFORE, before)
    st(m, o + LENGTH + w, ld(m, o + LENGTH + w) - 1)
    bank = ld(m, x + E_BANK)
    before, after = ld(m, x + E_BANK_BEFORE), ld(m, x + E_BANK_NEXT)
    if before < 0:
        st(m, bank + B_HEAD + w, after)
    else:
        st(m, entry_at(o, before) + E_BANK_NEXT, after)
    if after < 0:
        st(m, bank + B_TAIL + w, before)
    else:
        st(m, entry_at(o, after) + E_BANK_BEFORE, before)
    if ld(m, bank + B_HEAD + w) < 0:  # the last busy bank takes this one's place
        n = ld(m, o + BUSY + w) - 1
        st(m, o + BUSY + w, n)
        moved = ld(m, o + BUSY_BANKS + w * MAX_BANKS + n)
        place = ld(m, bank + B_PLACE + w)
        st(m, o + BUSY_BANKS + w * MAX_BANKS + place, moved)
        st(m, moved + B_PLACE + w, place)


@inline
def release(m, o, e):
    """Give a request's place back to the pool."""
    st(m, entry_at(o, e) + E_NEXT, ld(m, o + FREE))
    st(m, o + FREE, e)


@inline
def next_hit(m, o, e, row):
    """The key of the first request for ``row`` from ``e`` on in its bank's list."""
    while e >= 0:
        x = entry_at(o, e)
        if ld(m, x + E_ROW) == row:
            return ld(m, x + E_KEY)
        e = ld(m, x + E_BANK_NEXT)
    return NONE


@kernel
def look_again(m, o, bank):
    """Find a bank's oldest hits and misses after its row was opened or closed."""
    row = ld(m, bank + B_OPEN)
    for w in range(2):
        hit, miss = NONE, NONE
        e = ld(m, bank + B_HEAD + w)
        while e >= 0 and (hit == NONE or miss == NONE):
            x = entry_at(o, e)
            if ld(m, x + E_ROW) == row:
                if hit == NONE:
                    hit = ld(m, x + E_KEY)
            else:
                if miss == NONE:
                    miss = ld(m, x + E_KEY)
                if row < 0:  # a closed bank: none hits
                    break
            e = ld(m, x + E_BANK_NEXT)
        st(m, bank + B_HIT + w, hit)
        st(m, bank + B_MISS + w, miss)


@inline
def waiting_write(m, o, number, address):
    """Whether a write to this very address waits in the write queue."""
    e = ld(m, bank_at(o, number) + B_HEAD + 1)
    while e >= 0:
        x = entry_at(o, e)
        if ld(m, x + E_ADDRESS) == address:
            return True
        e = ld(m, x + E_BANK_NEXT)
    return False


def prepare(block):
    """Empty queues in a channel's block (NumPy; called once)."""
    for w in range(2):
        block[HEAD + w] = block[TAIL + w] = -1
    for e in range(POOL):
        block[ENTRIES + e * ENTRY_WORDS + E_NEXT] = e + 1
    for b in range(MAX_BANKS):
        at = BANK_TABLE + b * BANK_WORDS
        block[at + B_OPEN] = -1
        block[at + B_NUMBER] = b
        for w in range(2):
            block[at + B_HEAD + w] = block[at + B_TAIL + w] = -1
            block[at + B_HIT + w] = block[at + B_MISS + w] = NONE
