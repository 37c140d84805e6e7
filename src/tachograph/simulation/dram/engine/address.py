"""Byte addresses to channel, bank and row."""

from __future__ import annotations

from ....kernels.runtime.atomics import ld
from ....kernels.runtime.launch import inline
from . import layout as L


@inline
def field(m, line, at):
    """Bits of a line number that are one field of the mapping."""
    return (line >> ld(m, L.FIELDS + 2 * at)) & ld(m, L.FIELDS + 2 * at + 1)


@inline
def locate(m, address):
    """Where an address lives: the block of its channel, the bank in it, the row."""
    line = address >> ld(m, L.BYTES_SHIFT)
    if line >= ld(m, L.LINES):
        line %= ld(m, L.LINES)
    channel = field(m, line, 0)
    row = field(m, line, 4)
    odd = ld(m, L.ODD_FIELD)
    if odd >= 0:  # the topmost field need not be a power of two
        value = line >> ld(m, L.ODD_SHIFT)
        value %= ld(m, L.ODD_SIZE)
        if odd == 0:
            channel = value
        else:
            row = value
    group = field(m, line, 2)
    bank = field(m, line, 3)
    if ld(m, L.HASH) != 0:
        bank ^= row & ((1 << ld(m, L.BANK_BITS)) - 1)
        group ^= (row >> ld(m, L.BANK_BITS)) & ((1 << ld(m, L.GROUP_BITS)) - 1)
    rank = field(m, line, 1)
    number = (((rank << ld(m, L.GROUP_BITS)) | group) << ld(m, L.BANK_BITS)) | bank
    return L.BLOCKS + channel * ld(m, L.STRIDE), number, row
