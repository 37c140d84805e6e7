"""What is counted: commands, hits, latencies, a time series; and finished reads for the producer."""

from __future__ import annotations

from ....kernels.runtime.atomics import ld, st
from ....kernels.runtime.launch import inline, kernel
from . import layout as L


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
    add(m, o + L.COMMANDS + command, 1)
    if ld(m, o + L.LOG_SIZE) > 0:
        at = o + L.LOG + ld(m, o + L.LOGGED) * L.LOG_WORDS
        st(m, at, tick)
        st(m, at + 1, command)
        st(m, at + 2, where)
        st(m, at + 3, row)
        st(m, at + 4, ident)
        add(m, o + L.LOGGED, 1)


@kernel
def widen(m, o, tick):
    """Double the width of the time series' cells until there is one for a tick."""
    while (tick >> ld(m, o + L.SHIFT)) >= L.BINS:
        for i in range(L.BINS):
            for j in range(L.BIN_WORDS):
                at = o + L.SERIES + i * L.BIN_WORDS + j
                value = 0
                if 2 * i < L.BINS:
                    pair = o + L.SERIES + 2 * i * L.BIN_WORDS + j
                    value = ld(m, pair) + ld(m, pair + L.BIN_WORDS)
                st(m, at, value)
        add(m, o + L.SHIFT, 1)


@inline
def bin_at(m, o, tick):
    """The cell of the time series for a tick."""
    if (tick >> ld(m, o + L.SHIFT)) >= L.BINS:
        widen(m, o, tick)
    return o + L.SERIES + (tick >> ld(m, o + L.SHIFT)) * L.BIN_WORDS


@inline
def finish(m, o, tick, since, ident):
    """A read's data are complete at ``tick``; reads are handed over in order, in version 1 one a tick.

    Returns the tick in which it is handed over.
    """
    over = max(tick, ld(m, o + L.LAST_FINISH) + (1 if ld(m, o + L.VERSION) == 1 else 0))
    st(m, o + L.LAST_FINISH, over)
    add(m, o + L.FLIGHT, over - since)
    if ld(m, o + L.COLLECT) != 0:
        n = ld(m, o + L.RING_NEXT)
        at = o + L.RING_TABLE + 2 * (n % L.RING)
        st(m, at, over)
        st(m, at + 1, ident)
        st(m, o + L.RING_NEXT, n + 1)
    return over


@inline
def latency_cell(latency):
    """The cell of the histogram: one for each latency, above L.EXACT in steps of about 1.6 %."""
    if latency < L.EXACT:
        return latency
    octave = 0
    while (latency >> octave) >= 2 * L.FINE:
        octave += 1
    # L.EXACT is 32 * L.FINE: the first octave here is the fifth
    return L.EXACT + (octave - 5) * L.FINE + (latency >> octave) - L.FINE


@inline
def classify(m, o, tick, bank, row):
    """Count a request as hit, miss or conflict when its first command goes."""
    opened = ld(m, bank + L.B_OPEN)
    kind = 0
    if opened < 0:
        kind = 1
    elif opened != row:
        kind = 2
    add(m, bank + L.B_HITS + kind, 1)
    add(m, bin_at(m, o, tick) + 1 + kind, 1)


@inline
def count_column(m, o, tick, x, bank, w):
    """Count the read or write of the request at ``x``."""
    ident = ld(m, x + L.E_IDENT)
    note(m, o, tick, L.RD + w, ld(m, bank + L.B_NUMBER), ld(m, x + L.E_ROW), ident)
    if w == 0:
        end = tick + ld(m, o + L.LATENCY)
        latency = end - ld(m, x + L.E_ARRIVAL)
        add(m, o + L.LATENCY_SUM, latency)
        add(m, o + L.HISTOGRAM + latency_cell(latency), 1)
        finish(m, o, end, tick, ident)
    elif ld(m, o + L.VERSION) > 1:
        raise_to(m, o + L.LAST_FINISH, tick)
    add(m, bin_at(m, o, tick), 1)
