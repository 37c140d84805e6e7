"""Banks by what their waiting requests need, and which of them can have a command first.

Row commands: for all banks side by side there are the tick at which the next one can go (opening the
row of a closed bank, closing that of another; never while a request waits for which it was opened), and
the oldest request that needs it, unless the row is kept open for an older one. They are kept up to date
by every command, so that a plan compares eight banks with one instruction. Requests for open rows are
few: a set has a bit for each such bank.
"""

from __future__ import annotations

import numpy as np

from ....kernels.runtime.atomics import ld, st, trailing_zeros
from ....kernels.runtime.lanes import raise_where
from ....kernels.runtime.launch import inline
from . import layout as L
from .earliest import least_time_and_key


@inline
def entry_at(o, e):
    """Where request ``e`` of the pool is."""
    return o + L.ENTRIES + e * L.ENTRY_WORDS


@inline
def bank_at(o, b):
    """Where bank ``b`` is."""
    return o + L.BANK_TABLE + b * L.BANK_WORDS


@inline
def mark_hit(m, o, bank, w, key):
    """Note a bank's oldest request for its open row."""
    st(m, bank + L.B_HIT + w, key)
    number = ld(m, bank + L.B_NUMBER)
    at = o + L.HITS + w * L.SET_WORDS + (number >> 6)
    bit = np.int64(1) << (number & 63)
    st(m, at, (ld(m, at) & ~bit) | (bit if key != L.NONE else 0))
    if ld(m, o + L.KEEP_HITS) != 0:
        _note_key(m, o, bank, w)


@inline
def mark_miss(m, o, bank, w, key):
    """Note a bank's oldest request that needs another row."""
    st(m, bank + L.B_MISS + w, key)
    _note_key(m, o, bank, w)


@inline
def _note_key(m, o, bank, w):
    """Show plans a bank's oldest miss, unless its row is kept open for an older request."""
    key, hit = ld(m, bank + L.B_MISS + w), ld(m, bank + L.B_HIT + w)
    if ld(m, o + L.KEEP_HITS) != 0 and key != L.NONE and hit != L.NONE:
        if _arrival_of(m, o, hit) <= _arrival_of(m, o, key):
            key = L.NONE
    st(m, o + L.ROW_KEYS + w * L.MAX_BANKS + ld(m, bank + L.B_NUMBER), key)


@inline
def _arrival_of(m, o, key):
    """When the request with this key came."""
    return ld(m, entry_at(o, key & (L.POOL - 1)) + L.E_ARRIVAL)


@inline
def time_row(m, o, bank):
    """Note when the next row command of a bank can go, after something of it has changed."""
    number, is_open = ld(m, bank + L.B_NUMBER), ld(m, bank + L.B_OPEN) >= 0
    group = o + ld(m, bank + L.B_GROUP) + L.G_ACT + is_open
    rank = o + L.RANK_TABLE + ld(m, bank + L.B_RANK) * L.RANK_WORDS + L.K_ACT + is_open
    time = max(ld(m, bank + L.B_ACT + is_open), ld(m, group), ld(m, rank))
    st(m, o + L.ROW_TIMES + number, L.NONE if ld(m, bank + L.B_HELD) > 0 else time)
    st(m, o + L.ROW_CLOSED + number, np.int64(is_open) - 1)


@inline
def raise_rows(m, o, first, n, closed, until):
    """Raise the times of ``n`` banks from number ``first`` on, of those that are closed or open."""
    at = o + L.ROW_TIMES + first
    raise_where(m, at, at + L.MAX_BANKS, closed, until, n)


@inline
def row_tick(m, o, bank, now):
    """When the row of a bank can be opened (if it is closed) or closed; its bus is free at ``now``."""
    at = o + L.ROW_TIMES + ld(m, bank + L.B_NUMBER)
    return max(ld(m, at), now) | (ld(m, at + L.MAX_BANKS) & ld(m, o + L.EDGE))


@inline
def first_row(m, o, w, now):
    """The oldest request whose row command can go first: its tick and key; its bus is free at ``now``.

    While a row is half open, no other one is opened.
    """
    late = L.NONE if ld(m, o + L.OPENING) >= 0 else ld(m, o + L.EDGE)
    times, keys, n = o + L.ROW_TIMES, o + L.ROW_KEYS + w * L.MAX_BANKS, ld(m, o + L.BANKS)
    return least_time_and_key(m, n, times, L.MAX_BANKS, keys, now, late)


@inline
def first_hit(m, o, w, now):
    """The oldest request for an open row that can go first: its tick and key."""
    banks, cap = o + L.HITS + w * L.SET_WORDS, ld(m, o + L.CAP)
    best, best_key = L.NONE, L.NONE
    for word in range(ld(m, o + L.SETS_USED)):
        bits = np.uint64(ld(m, banks + word))
        while bits != np.uint64(0):
            bank = bank_at(o, (word << 6) + np.int64(trailing_zeros(bits)))
            bits &= bits - np.uint64(1)
            tick, key = access_tick(m, o, bank, w, now), ld(m, bank + L.B_HIT + w)
            better = (tick < best) | ((tick == best) & (key < best_key))
            if better & (ld(m, bank + L.B_USES) <= cap):
                best, best_key = tick, key
    return best, best_key


@inline
def access_tick(m, o, bank, w, now):
    """When a read or write of the open row can go; ``now`` is when its bus is free."""
    time = max(ld(m, bank + L.B_CAS + w), ld(m, o + ld(m, bank + L.B_GROUP) + L.G_CAS + w))
    return max(time, now) | ld(m, o + L.EDGE)
