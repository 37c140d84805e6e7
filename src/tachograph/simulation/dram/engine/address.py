"""Byte addresses to channel, bank and row."""

from __future__ import annotations

from ....kernels.runtime.atomics import ld
from ....kernels.runtime.launch import inline
from .layout import (
    BANK_BITS,
    BLOCKS,
    BYTES_SHIFT,
    FIELDS,
    GROUP_BITS,
    HASH,
    LINES,
    ODD_FIELD,
    ODD_SHIFT,
    ODD_SIZE,
    STRIDE,
)


@inline
def field(m, line, at):
    """Bits of a line number that are one field of the mapping."""
    return (line >> ld(m, FIELDS + 2 * at)) & ld(m, FIELDS + 2 * at + 1)


@inline
def locate(m, address):
    """Where an address lives: the block of its channel, the bank in it, the row."""
    line = address >> ld(m, BYTES_SHIFT)
    if line >= ld(m, LINES):
        line %= ld(m, LINES)
    channel = field(m, line, 0)
    row = field(m, line, 4)
    odd = ld(m, ODD_FIELD)
    if odd >= 0:  # the topmost field need not be a power of two
        value = line >> ld(m, ODD_SHIFT)
        value %= ld(m, ODD_SIZE)
        if odd == 0:
            channel = value
        else:
            row = value
    group = field(m, line, 2)
    bank = field(m, line, 3)
    if ld(m, HASH) != 0:
        bank ^= row & ((1 << ld(m, BANK_BITS)) - 1)
        group ^= (row >> ld(m, BANK_BITS)) & ((1 << ld(m, GROUP_BITS)) - 1)
    rank = field(m, line, 1)
    number = (((rank << ld(m, GROUP_BITS)) | group) << ld(m, BANK_BITS)) | bank
    return BLOCKS + channel * ld(m, STRIDE), number, row
