"""What is counted on the way: commands, latencies, hits, and the course of time."""

from __future__ import annotations

from ....kernels.runtime.atomics import ld, st
from ....kernels.runtime.launch import inline, kernel
from .layout import (
    B_HITS,
    B_NUMBER,
    B_OPEN,
    BIN_WORDS,
    BINS,
    COLLECT,
    COMMANDS,
    E_ARRIVAL,
    E_IDENT,
    E_ROW,
    EXACT,
    FINE,
    FLIGHT,
    HISTOGRAM,
    LAST_FINISH,
    LATENCY,
    LATENCY_SUM,
    LOG,
    LOG_SIZE,
    LOG_WORDS,
    LOGGED,
    RD,
    RING,
    RING_NEXT,
    RING_TABLE,
    SERIES,
    SHIFT,
    WR_,
)


@inline
def raise_to(m, at, value):
    """``m[at] = max(m[at], value)``."""
    if ld(m, at) < value:
        st(m, at, value)


@inline
def add(m, at, value):
    """``m[at] += value``."""
    st(m, at, ld(m, at) + value)


@inline
def note(m, o, tick, command, where, row, ident):
    """Count a command and write it down if that was asked for."""
    add(m, o + COMMANDS + command, 1)
    if ld(m, o + LOG_SIZE) > 0:
        at = o + LOG + ld(m, o + LOGGED) * LOG_WORDS
        st(m, at, tick)
        st(m, at + 1, command)
        st(m, at + 2, where)
        st(m, at + 3, row)
        st(m, at + 4, ident)
        add(m, o + LOGGED, 1)


@kernel
def widen(m, o, tick):
    """Double the width of the time series' cells until there is one for a tick."""
    while (tick >> ld(m, o + SHIFT)) >= BINS:
        for i in range(BINS):
            for j in range(BIN_WORDS):
                at = o + SERIES + i * BIN_WORDS + j
                value = 0
                if 2 * i < BINS:
                    pair = o + SERIES + 2 * i * BIN_WORDS + j
                    value = ld(m, pair) + ld(m, pair + BIN_WORDS)
                st(m, at, value)
        add(m, o + SHIFT, 1)


@inline
def bin_at(m, o, tick):
    """The cell of the time series for a tick."""
    if (tick >> ld(m, o + SHIFT)) >= BINS:
        widen(m, o, tick)
    return o + SERIES + (tick >> ld(m, o + SHIFT)) * BIN_WORDS


@inline
def finish(m, o, tick, since, ident):
    """A read's data are complete at ``tick``; one read a tick is handed over, in order."""
    over = max(tick, ld(m, o + LAST_FINISH) + 1)
    st(m, o + LAST_FINISH, over)
    add(m, o + FLIGHT, over - since)
    if ld(m, o + COLLECT) != 0:
        n = ld(m, o + RING_NEXT)
        at = o + RING_TABLE + 2 * (n % RING)
        st(m, at, over)
        st(m, at + 1, ident)
        st(m, o + RING_NEXT, n + 1)


@inline
def latency_cell(latency):
    """The cell of the histogram: one for each latency, above EXACT in steps of about 1.6 %."""
    if latency < EXACT:
        return latency
    octave = 0
    while (latency >> octave) >= 2 * FINE:
        octave += 1
    # EXACT is 32 * FINE: the first octave here is the fifth
    return EXACT + (octave - 5) * FINE + (latency >> octave) - FINE


@inline
def classify(m, o, tick, bank, row):
    """Count a request as hit, miss or conflict when its first command goes."""
    opened = ld(m, bank + B_OPEN)
    kind = 0
    if opened < 0:
        kind = 1
    elif opened != row:
        kind = 2
    add(m, bank + B_HITS + kind, 1)
    add(m, bin_at(m, o, tick) + 1 + kind, 1)


@inline
def count_column(m, o, tick, x, bank, w):
    """Count the read or write of the request at ``x``."""
    row, ident = ld(m, x + E_ROW), ld(m, x + E_IDENT)
    if w:
        note(m, o, tick, WR_, ld(m, bank + B_NUMBER), row, ident)
    else:
        note(m, o, tick, RD, ld(m, bank + B_NUMBER), row, ident)
        end = tick + ld(m, o + LATENCY)
        latency = end - ld(m, x + E_ARRIVAL)
        add(m, o + LATENCY_SUM, latency)
        add(m, o + HISTOGRAM + latency_cell(latency), 1)
        finish(m, o, end, tick, ident)
    add(m, bin_at(m, o, tick), 1)
