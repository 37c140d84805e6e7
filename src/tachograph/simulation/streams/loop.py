"""The closed loop of request streams, stages and memory, accelerator and memory each at its own clock.

In a cycle of the accelerator, the loop takes what the memory has finished, moves on what waited for it,
lets stages begin words and producers make requests, and lets every port send. It skips cycles in which
nothing can happen.

Bounds: a stream sends at most TOTAL lines, which is the sum of its counts, so SEND_RUN stays below
RUN_END; a read's place in its ring is its number modulo RING_SIZE, a power of two, and no more than
that are sent and not done; PICK is a stream or -1; a stage begins at most TOTAL words, and has needs
and items for each; its items are below BANKS. All tables are made and checked by ``Tables``.
"""

from __future__ import annotations

import numpy as np

from ...kernels.runtime.atomics import ld, st, stopped
from ...kernels.runtime.launch import inline, kernel
from ..dram.engine.layout import CHANNELS
from ..dram.engine.port import advance, drain, offer, quiet_until, taken
from . import words as L
from .merge import choose, mark, turns

CYCLES_PER_LOOK = 4096  # cycles between two looks at the stop flag


@inline
def ring_place(S, o, k):
    """Where it stands when request ``k`` of a stream is done."""
    return ld(S, o + L.RING_AT) + (k & (ld(S, o + L.RING_SIZE) - 1))


@inline
def arrived(S, reads, ident, a):
    """A read came back in cycle ``a``; if its items need banks, it is done when they were served."""
    rings, items, busy, _ = reads
    s = ident & ((1 << L.STREAM_BITS) - 1)
    k = ident >> L.STREAM_BITS
    o = s * L.STREAM_WORDS
    st(S, o + L.BACK, ld(S, o + L.BACK) + 1)
    over = a + ld(S, o + L.LATENCY)
    if ld(S, o + L.ITEMS) >= 0:
        here = over
        each = ld(S, o + L.ITEMS_EACH)
        begin = ld(S, o + L.ITEMS) + k * each
        for i in range(begin, min(begin + each, ld(S, o + L.ITEMS_END))):
            item = ld(items, i)
            if item < 0:
                continue
            bank = item % busy.size
            free = max(ld(busy, bank), here) + 1
            st(busy, bank, free)
            over = max(over, free)
    st(rings, ring_place(S, o, k), over)


@inline
def settle(S, rings, s, a):
    """Count what is done, in order; when the next one will be, as far as that is known."""
    o = s * L.STREAM_WORDS
    done, sent = ld(S, o + L.DONE), ld(S, o + L.SENT)
    if ld(S, o + L.TRACK) != 0:
        back = ld(S, o + L.ARRIVED)
        while back < sent and ld(rings, ring_place(S, o, back)) < L.NEVER:
            back += 1
        st(S, o + L.ARRIVED, back)
    until = np.int64(L.NEVER)
    while done < sent:
        place = ring_place(S, o, done)
        over = ld(rings, place)
        if over > a:
            until = over
            break
        st(rings, place, L.NEVER)
        done += 1
    st(S, o + L.DONE, done)
    return until


@inline
def blocked(S, orders, o, r):
    """Whether run (or word) ``r`` of the row at ``o`` still waits for another one."""
    rows, needs = orders.waits, orders.needs
    for w in range(ld(S, o + L.WAIT_FIRST), ld(S, o + L.WAIT_END)):
        x = w * L.WAIT_WORDS
        other = ld(rows, x + L.W_DEP) * L.STREAM_WORDS
        kind = ld(rows, x + L.W_KIND)
        if kind == L.SENT_ALL:
            come = ld(S, other + L.SENT)
        elif kind == L.ARRIVED_ALL:
            come = ld(S, other + L.ARRIVED)
        else:
            come = ld(S, other + L.DONE)
        if come < ld(needs, ld(rows, x + L.W_AT) + r * ld(rows, x + L.W_STEP)):
            return True
    return False


@inline
def free_at(S, reads, o, k):
    """When every bank that word ``k`` of a stage needs has room for it."""
    when = np.int64(0)
    depth = ld(S, o + L.DEPTH)
    if ld(S, o + L.ITEMS) >= 0 and depth > 0:
        each = ld(S, o + L.ITEMS_EACH)
        begin = ld(S, o + L.ITEMS) + k * each
        for i in range(begin, min(begin + each, ld(S, o + L.ITEMS_END))):
            item = ld(reads.items, i)
            if item >= 0:
                b = ld(S, o + L.BANKS_AT) + item * (L.B_RING + depth)
                words = ld(reads.banks, b + L.B_WORDS)
                if words >= depth:
                    when = max(when, ld(reads.banks, b + L.B_RING + words % depth))
    return when


@inline
def serve(S, reads, o, k, a):
    """Give word ``k`` of a stage to its banks in cycle ``a``; when the last of them has served it."""
    over = np.int64(a)
    if ld(S, o + L.ITEMS) >= 0:
        banks, depth = reads.banks, ld(S, o + L.DEPTH)
        each = ld(S, o + L.ITEMS_EACH)
        begin = ld(S, o + L.ITEMS) + k * each
        for i in range(begin, min(begin + each, ld(S, o + L.ITEMS_END))):
            item = ld(reads.items, i)
            if item < 0:
                continue
            b = ld(S, o + L.BANKS_AT) + item * (L.B_RING + depth)
            if ld(banks, b + L.B_LAST) != k:
                st(banks, b + L.B_LAST, k)
                st(banks, b + L.B_WORDS, ld(banks, b + L.B_WORDS) + 1)
            free = max(ld(banks, b + L.B_BUSY), a) + ld(S, o + L.EACH)
            st(banks, b + L.B_BUSY, free)
            if depth > 0:
                st(banks, b + L.B_RING + (ld(banks, b + L.B_WORDS) - 1) % depth, free)
            over = max(over, free)
    return over


@inline
def work(S, orders, reads, s, a):
    """Let a stage begin words; when it can begin the next one, NEVER if it waits for a stream."""
    o = s * L.STREAM_WORDS
    k, total = ld(S, o + L.SENT), ld(S, o + L.TOTAL)
    until = np.int64(L.NEVER)
    while k < total and not blocked(S, orders, o, k):
        until = max(ld(S, o + L.NEXT_AT), free_at(S, reads, o, k))
        if until > a or k - ld(S, o + L.DONE) >= ld(S, o + L.RING_SIZE):
            break
        over = serve(S, reads, o, k, a)
        next_at = a + ld(S, o + L.INTERVAL)
        if ld(S, o + L.LOCKSTEP) != 0:
            next_at = max(next_at, over)
        st(S, o + L.NEXT_AT, next_at)
        st(reads.rings, ring_place(S, o, k), over + ld(S, o + L.LATENCY))
        k += 1
        st(S, o + L.SENT, k)
        until = np.int64(L.NEVER)
        settle(S, reads.rings, s, a)
    return until


@inline
def produce(S, orders, o, a):
    """Open runs whose needs are met and make requests; whether more can be made in the next cycle."""
    r, opened = ld(S, o + L.NEXT_RUN), ld(S, o + L.OPEN)
    first = ld(S, o + L.RUN_FIRST)
    while r < ld(S, o + L.RUN_END) and not blocked(S, orders, o, r - first):
        opened += ld(orders.lines, r)
        r += 1
    st(S, o + L.NEXT_RUN, r)
    st(S, o + L.OPEN, opened)
    more = False
    if ld(S, o + L.RATE) == 0:
        st(S, o + L.MADE, opened)
        st(S, o + L.READY, opened)
    else:
        per = ld(S, o + L.PER)
        made = min(ld(S, o + L.MADE) + ld(S, o + L.RATE), opened * per)
        st(S, o + L.MADE, made)
        st(S, o + L.READY, (made + per - 1) // per)
        more = made < opened * per
    if ld(S, o + L.SINCE) == L.NEVER and ld(S, o + L.SENT) < ld(S, o + L.READY):
        st(S, o + L.SINCE, a << 8)
    return more


@inline
def address_of(S, orders, clock, s):
    """The byte address of a stream's next request."""
    o = s * L.STREAM_WORDS
    line = ld(orders.first, ld(S, o + L.SEND_RUN)) + ld(S, o + L.SEND_AT)
    channel = ld(S, o + L.CHANNEL)
    if channel >= 0:
        shift = ld(clock, L.C_SHIFT)
        low = line & ((1 << shift) - 1)
        line = ((((line >> shift) << ld(clock, L.C_BITS)) | channel) << shift) | low
    return line << ld(clock, L.C_LINE)


@inline
def went(S, orders, rings, s, a):
    """The next request of a stream was taken by the memory."""
    o = s * L.STREAM_WORDS
    sent = ld(S, o + L.SENT) + 1
    st(S, o + L.SENT, sent)
    if ld(S, o + L.WRITE) != 0:
        st(S, o + L.BACK, sent)
        if ld(S, o + L.LATENCY) == 0:
            st(S, o + L.DONE, sent)
            st(S, o + L.ARRIVED, sent)
        else:
            st(rings, ring_place(S, o, sent - 1), a + ld(S, o + L.LATENCY))
    at = ld(S, o + L.SEND_AT) + 1
    if at == ld(orders.lines, ld(S, o + L.SEND_RUN)):
        st(S, o + L.SEND_RUN, ld(S, o + L.SEND_RUN) + 1)
        at = 0
    st(S, o + L.SEND_AT, at)
    if sent == ld(S, o + L.READY):
        st(S, o + L.SINCE, L.NEVER)
    elif ld(S, o + L.RATE) > 0:  # the one behind it was made later
        later = ld(S, o + L.SINCE) + (ld(S, o + L.PER) << 8) // ld(S, o + L.RATE)
        st(S, o + L.SINCE, min(later, a << 8))


@inline
def send(m, S, orders, reads, mergers, clock, p, a):
    """Let a port send; how many requests went, and whether the memory had no room for one."""
    gone, now = np.int64(0), a * ld(clock, L.C_TICKS) // ld(clock, L.C_CYCLES)
    while gone < ld(mergers.ports, p * L.PORT_WORDS + L.P_RATE):
        s = choose(S, mergers, p)
        if s < 0:
            return gone, False
        o = s * L.STREAM_WORDS
        ident = (ld(S, o + L.SENT) << L.STREAM_BITS) | s
        if not offer(m, address_of(S, orders, clock, s), ld(S, o + L.WRITE), ident, now):
            return gone, True
        went(S, orders, reads.rings, s, a)
        mark(S, orders.needs, mergers.ports, s)
        turns(S, mergers, s, ld(S, o + L.NODE))
        gone += 1
    return gone, False


@kernel
def play(stop, m, S, orders, reads, mergers, clock):
    """Run all streams to their end; FINISHED, STOPPED by the user, or STUCK: they wait in a circle."""
    rings, ports, needs = reads.rings, mergers.ports, orders.needs
    rows, doors = S.size // L.STREAM_WORDS, ports.size // L.PORT_WORDS
    streams = ld(clock, L.C_STREAMS)
    a = ld(clock, L.C_CYCLE)
    looks = 0
    while True:
        looks += 1
        if looks % CYCLES_PER_LOOK == 0 and stopped(stop):
            return L.STOPPED
        now = a * ld(clock, L.C_TICKS) // ld(clock, L.C_CYCLES)
        advance(m, now)
        for channel in range(ld(m, CHANNELS)):
            ident = taken(m, channel, now)
            while ident >= 0:
                arrived(S, reads, ident, a)
                ident = taken(m, channel, now)
        active, waiting, over = False, False, True
        wake = np.int64(L.NEVER)  # the next cycle in which something on the chip happens by itself
        for s in range(rows):
            o = s * L.STREAM_WORDS
            if ld(S, o + L.DONE) < ld(S, o + L.SENT):
                wake = min(wake, settle(S, rings, s, a))
        for s in range(streams, rows):
            o = s * L.STREAM_WORDS
            if ld(S, o + L.SENT) < ld(S, o + L.TOTAL):
                begun = ld(S, o + L.SENT)
                wake = min(wake, work(S, orders, reads, s, a))
                if ld(S, o + L.SENT) > begun:
                    active = True
            if ld(S, o + L.DONE) < ld(S, o + L.TOTAL):
                over = False
        for s in range(streams):
            o = s * L.STREAM_WORDS
            if ld(S, o + L.DONE) == ld(S, o + L.TOTAL):
                continue
            over = False
            sent = ld(S, o + L.SENT)
            if ld(S, o + L.BACK) < sent:
                waiting = True
            opened = ld(S, o + L.OPEN)
            if sent == opened and ld(S, o + L.MADE) == opened * ld(S, o + L.PER):  # can only wait
                r = ld(S, o + L.NEXT_RUN)
                if r == ld(S, o + L.RUN_END) or blocked(S, orders, o, r - ld(S, o + L.RUN_FIRST)):
                    continue
            if produce(S, orders, o, a):
                active = True
            mark(S, needs, ports, s)
        if over:
            break
        for i in range(doors):
            p = (a + i) % doors
            gone, refused = send(m, S, orders, reads, mergers, clock, p, a)
            if gone > 0:
                active = True
            if refused:
                waiting = True
        if active:
            a += 1
        elif waiting:
            tick = quiet_until(m, now)
            quiet = -(-tick * ld(clock, L.C_CYCLES) // ld(clock, L.C_TICKS))
            a = max(a + 1, min(wake, quiet))
        elif wake < L.NEVER:
            a = max(a + 1, wake)
        else:
            return L.STUCK
    if ld(clock, L.C_DRAIN) != 0:
        now = drain(m, now)
        a = max(a, -(-now * ld(clock, L.C_CYCLES) // ld(clock, L.C_TICKS)))
    st(clock, L.C_CYCLE, a)
    st(clock, L.C_NOW, now)
    return L.FINISHED
