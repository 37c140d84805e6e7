"""Where a request goes, and the requests waiting in a channel.

Every request is in two lists, both in order of arrival: that of its queue (reads or writes) and that
of its bank within the queue. A bank knows the oldest request of each queue that hits its open row and
the oldest that does not, so that a plan looks at banks, not at requests.
"""

from __future__ import annotations

from ....kernels.runtime.atomics import ld, st
from ....kernels.runtime.launch import inline, kernel
from . import layout as L
from .waiting import bank_at, entry_at, mark_hit, mark_miss, time_row


@inline
def field(m, line, at):
    """Bits of a line number that are one field of the mapping."""
    return (line >> ld(m, L.FIELDS + 2 * at)) & ld(m, L.FIELDS + 2 * at + 1)


@inline
def _xored(m, line):
    """Rank, stack, group, bank and row of a line, each exclusive-or'ed with further bits of its column.

    The row has all bits that are left.
    """
    low = (1 << L.XOR_LOW_BITS) - 1
    column = (line >> ld(m, L.XOR_LOW)) & low
    column |= ((line >> ld(m, L.XOR_HIGH)) & ld(m, L.XOR_HIGH_MASK)) << L.XOR_LOW_BITS
    rank = field(m, line, 1) ^ (column & ld(m, L.FIELDS + 3))
    column >>= ld(m, L.RANK_BITS)
    stack = field(m, line, 2) ^ (column & ld(m, L.FIELDS + 5))
    column >>= ld(m, L.STACK_BITS)
    group = field(m, line, 3) ^ (column & ld(m, L.FIELDS + 7))
    column >>= ld(m, L.GROUP_BITS)
    bank = field(m, line, 4) ^ (column & ld(m, L.FIELDS + 9))
    column >>= ld(m, L.BANK_BITS)
    return rank, stack, group, bank, (line >> ld(m, L.FIELDS + 10)) ^ column


@inline
def _fields(m, line):
    """Rank, stack, group, bank and row of a line."""
    row = field(m, line, 5)
    if ld(m, L.ODD_FIELD) > 0:
        row = (line >> ld(m, L.ODD_SHIFT)) % ld(m, L.ODD_SIZE)
    group, bank = field(m, line, 3), field(m, line, 4)
    if ld(m, L.HASH) != 0:
        bank ^= row & ((1 << ld(m, L.BANK_BITS)) - 1)
        group ^= (row >> ld(m, L.BANK_BITS)) & ((1 << ld(m, L.GROUP_BITS)) - 1)
    return field(m, line, 1), field(m, line, 2), group, bank, row


@kernel
def _locate(m, line):
    """What :func:`locate` gives, for mappings that are not plain."""
    if ld(m, L.XOR) != 0:
        rank, stack, group, bank, row = _xored(m, line)
    else:
        if line >= ld(m, L.LINES):
            line %= ld(m, L.LINES)
        rank, stack, group, bank, row = _fields(m, line)
    channel = field(m, line, 0)
    if ld(m, L.ODD_FIELD) == 0:  # the topmost field need not be a power of two
        channel = (line >> ld(m, L.ODD_SHIFT)) % ld(m, L.ODD_SIZE)
    number = (rank << ld(m, L.STACK_BITS)) | stack
    number = (((number << ld(m, L.GROUP_BITS)) | group) << ld(m, L.BANK_BITS)) | bank
    return L.BLOCKS + channel * ld(m, L.STRIDE), number, row


@inline
def locate(m, address):
    """Where an address lives: the block of its channel, the bank in it, the row."""
    line = address >> ld(m, L.BYTES_SHIFT)
    if ld(m, L.PLAIN) == 0:
        return _locate(m, line)
    if line >= ld(m, L.LINES):
        line %= ld(m, L.LINES)
    number = (field(m, line, 1) << ld(m, L.GROUP_BITS)) | field(m, line, 3)
    number = (number << ld(m, L.BANK_BITS)) | field(m, line, 4)
    return L.BLOCKS + field(m, line, 0) * ld(m, L.STRIDE), number, field(m, line, 5)


@inline
def attach(m, o, e, head, link):
    """Put a request at the end of the list from ``head`` on, whose links are at ``link``."""
    x, last = entry_at(o, e), ld(m, head + L.TO_TAIL)
    st(m, x + link, -1)
    st(m, x + link + 1, last)
    if last < 0:
        st(m, head, e)
    else:
        st(m, entry_at(o, last) + link, e)
    st(m, head + L.TO_TAIL, e)


@inline
def detach(m, o, e, head, link):
    """Take a request out of a list."""
    x = entry_at(o, e)
    after, before = ld(m, x + link), ld(m, x + link + 1)
    if before < 0:
        st(m, head, after)
    else:
        st(m, entry_at(o, before) + link, after)
    if after < 0:
        st(m, head + L.TO_TAIL, before)
    else:
        st(m, entry_at(o, after) + link + 1, before)


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
    attach(m, o, e, o + L.HEAD + w, L.E_NEXT)
    st(m, o + L.LENGTH + w, ld(m, o + L.LENGTH + w) + 1)
    if ld(m, bank + L.B_TAIL + w) < 0:
        st(m, o + L.BUSY + w, ld(m, o + L.BUSY + w) + 1)
    attach(m, o, e, bank + L.B_HEAD + w, L.E_BANK_NEXT)
    if ld(m, bank + L.B_OPEN) == row:
        if ld(m, bank + L.B_HIT + w) == L.NONE:
            mark_hit(m, o, bank, w, key)
    elif ld(m, bank + L.B_MISS + w) == L.NONE:
        mark_miss(m, o, bank, w, key)
    return e


@inline
def unlink(m, o, e):
    """Take a request out of its queue; the bank's oldest hit and miss are left to the caller."""
    x = entry_at(o, e)
    w, bank = ld(m, x + L.E_WRITE), ld(m, x + L.E_BANK)
    detach(m, o, e, o + L.HEAD + w, L.E_NEXT)
    st(m, o + L.LENGTH + w, ld(m, o + L.LENGTH + w) - 1)
    detach(m, o, e, bank + L.B_HEAD + w, L.E_BANK_NEXT)
    if ld(m, bank + L.B_HEAD + w) < 0:
        st(m, o + L.BUSY + w, ld(m, o + L.BUSY + w) - 1)


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
        mark_hit(m, o, bank, w, hit)
        mark_miss(m, o, bank, w, miss)
    time_row(m, o, bank)


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
