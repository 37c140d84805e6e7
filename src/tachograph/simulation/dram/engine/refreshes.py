"""Refreshes: when they are asked for, which is next, and what it takes."""

from __future__ import annotations

from ....kernels.runtime.atomics import ld, st
from ....kernels.runtime.launch import inline, kernel
from . import layout as L
from .waiting import bank_at, row_tick


@inline
def rank_at(o, r):
    """Where rank ``r`` is."""
    return o + L.RANK_TABLE + r * L.RANK_WORDS


@inline
def _inject_pair(m, o, now):
    """Ask for the next bank of the pseudo channel whose turn it is; the other follows a tick later.

    A stack whose banks are all done rests before the first of them comes again.
    """
    at = ld(m, o + L.INJECTED)
    pairs, size = ld(m, o + L.PAIRS), ld(m, o + L.SET_SIZE)
    rest = o + L.RESTS + at // pairs // size
    if at % pairs == 0:
        if now < ld(m, rest):
            st(m, o + L.NEXT_REFRESH, ld(m, rest))
            return
        st(m, o + L.SEED, now)
    if at // pairs % size == size - 1:
        st(m, rest, now + ld(m, o + L.SET_REST))
    st(m, o + L.REFRESHES, ld(m, o + L.REFRESHES) + 1)
    st(m, o + L.INJECTED, (at + 1) % ld(m, o + L.TARGETS))
    due = now + 1
    if (at + 1) % pairs == 0:
        due = ld(m, o + L.SEED) + ld(m, o + L.REFI)
    st(m, o + L.NEXT_REFRESH, due)


@kernel
def inject(m, o, now):
    """Ask for the refreshes that are due at ``now``."""
    if ld(m, o + L.SET_SIZE) > 0:
        _inject_pair(m, o, now)
        return
    if ld(m, o + L.VERSION) == 1:
        for r in range(ld(m, o + L.RANKS)):
            at = rank_at(o, r) + L.K_PENDING
            st(m, at, ld(m, at) + 1)
    st(m, o + L.REFRESHES, ld(m, o + L.REFRESHES) + ld(m, o + L.AT_ONCE))
    st(m, o + L.NEXT_REFRESH, ld(m, o + L.NEXT_REFRESH) + ld(m, o + L.REFI))


@inline
def _any_rank(m, o, now):
    """Version 1: the first rank on its way to a refresh: its tick, its place."""
    best, best_rank = L.NONE, -1
    for r in range(ld(m, o + L.RANKS)):
        rank = rank_at(o, r)
        if ld(m, rank + L.K_PENDING) > 0:
            time = ld(m, rank + L.K_PREA) if ld(m, rank + L.K_OPEN) > 0 else ld(m, rank + L.K_REF)
            tick = max(time, now)
            if tick < best:
                best, best_rank = tick, rank
            if ld(m, o + L.IN_ORDER) != 0:
                break
    return best, best_rank


@kernel
def refreshable(m, o, now):
    """The next refresh, or the precharge that it needs: its tick, and the place of its rank or bank.

    No precharge closes a row that was opened for a request which is still to be served.
    """
    if ld(m, o + L.VERSION) == 1:
        return _any_rank(m, o, now)
    edge, opening = ld(m, o + L.EDGE), ld(m, o + L.OPENING)
    target = ld(m, o + L.TARGET_LIST + ld(m, o + L.NEXT_TARGET))
    half = -1  # the bank whose row is half open
    if opening >= 0:
        half = ld(m, o + L.ENTRIES + opening * L.ENTRY_WORDS + L.E_BANK)
    if ld(m, o + L.PER_BANK) != 0:
        bank = bank_at(o, target)
        group = o + ld(m, bank + L.B_GROUP)
        if bank == half:
            return L.NONE, bank
        if ld(m, bank + L.B_OPEN) < 0:
            return max(ld(m, bank + L.B_REFB), ld(m, group + L.G_REFB), now) | edge, bank
        return row_tick(m, o, bank, now), bank
    rank = rank_at(o, target)
    if ld(m, rank + L.K_OPEN) == 0:
        return max(ld(m, rank + L.K_REF), now) | edge, rank
    if ld(m, rank + L.K_HELD) > 0 or (half >= 0 and ld(m, half + L.B_RANK) == target):
        return L.NONE, rank
    return max(ld(m, rank + L.K_PREA), now), rank
