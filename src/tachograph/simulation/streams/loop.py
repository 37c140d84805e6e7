"""The closed loop of request streams and memory, each at its own clock.

Every stream is a row of ``S`` (the words below) and a stretch of ``Runs``. In a cycle of the
accelerator, the loop takes what the memory has finished, moves on what waited for it, lets producers
make requests, and lets every port send. It skips cycles in which nothing can happen.

Bounds: a stream sends at most TOTAL lines, which is the sum of its counts, so SEND_RUN stays below
RUN_END; a read's place in its ring is its number modulo RING_SIZE, a power of two, and no more than
that are sent and not done; PICK is a stream or -1. All tables are made and checked by ``Tables``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...kernels.runtime.atomics import ld, st, stopped
from ...kernels.runtime.launch import inline, kernel
from ..dram.engine.layout import CHANNELS
from ..dram.engine.port import advance, drain, offer, quiet_until, taken

# A stream: what it is ...
TOTAL, WRITE, CHANNEL, RATE, PER, WINDOW, DEP0, KIND0, DEP1, KIND1, RUN_END = range(11)
ITEMS, ITEMS_EACH, ITEMS_END, RING_AT, RING_SIZE, PORT, NODE = range(11, 18)
# ... and where it is: runs that may be asked for and their lines, lines made, sent, come back, done in
# order, the next line to send, since when it waits (in 1/256 cycles; NEVER: nothing to send), whether
# it can send
NEXT_RUN, OPEN, MADE, READY, SENT, BACK, DONE, SEND_RUN, SEND_AT, SINCE, CAN = range(18, 29)
STREAM_WORDS = 32
NOTHING, SENT_ALL, DONE_ALL = range(3)  # what KIND0 and KIND1 wait for
# Reads of a stream that are sent and not done in order, at most; the second if their items need banks
RING_READS, LARGE_RING_READS = 1 << 12, 1 << 20
STREAM_BITS = 12  # of a request's ident, below its number in the stream
NEVER = 1 << 62
# A node of a merger tree, children before their parents
N_KIND, N_STREAM, N_FIRST, N_END, N_TURN, N_PICK, N_PARENT, N_PLACE = range(8)
NODE_WORDS = 8
LEAF, PRIORITY, ROUND_ROBIN, DIRECT = range(4)
# A port: its nodes, how many requests it sends in a cycle, how many streams can send, their sum
P_FIRST, P_END, P_RATE, P_COUNT, P_SUM = range(5)
PORT_WORDS = 8
# The clock: cycle of the accelerator; memory ticks are cycle * TICKS // CYCLES; where channels are
# in a line number, and whether to wait for the memory at the end
C_CYCLE, C_TICKS, C_CYCLES, C_SHIFT, C_BITS, C_LINE, C_DRAIN, C_NOW = range(8)
FINISHED, STOPPED, STUCK = range(3)
CYCLES_PER_LOOK = 4096  # cycles between two looks at the stop flag


class Runs(NamedTuple):
    """Run r is ``lines[r]`` consecutive lines from ``first[r]``.

    They may be asked for when the streams that it waits for have come to ``need0[r]`` and ``need1[r]``
    requests.
    """

    first: np.ndarray
    lines: np.ndarray
    need0: np.ndarray
    need1: np.ndarray


class Reads(NamedTuple):
    """When reads are done (rings of cycles by stream), their items, and until when banks are busy."""

    rings: np.ndarray
    items: np.ndarray
    busy: np.ndarray


class Mergers(NamedTuple):
    """The nodes of merger trees, their children, and the ports."""

    nodes: np.ndarray
    kids: np.ndarray
    ports: np.ndarray


@inline
def progress(S, stream, kind):
    """Requests of a stream that were sent, or that are done."""
    if kind == SENT_ALL:
        return ld(S, stream * STREAM_WORDS + SENT)
    return ld(S, stream * STREAM_WORDS + DONE)


@inline
def ring_place(S, o, k):
    """Where it stands when request ``k`` of a stream is done."""
    return ld(S, o + RING_AT) + (k & (ld(S, o + RING_SIZE) - 1))


@inline
def arrived(S, reads, ident, a):
    """A read came back in cycle ``a``; if its items need banks, it is done when they were served."""
    rings, items, busy = reads
    s = ident & ((1 << STREAM_BITS) - 1)
    k = ident >> STREAM_BITS
    o = s * STREAM_WORDS
    st(S, o + BACK, ld(S, o + BACK) + 1)
    over = a
    if ld(S, o + ITEMS) >= 0:
        each = ld(S, o + ITEMS_EACH)
        begin = ld(S, o + ITEMS) + k * each
        for i in range(begin, min(begin + each, ld(S, o + ITEMS_END))):
            bank = ld(items, i) % busy.size
            free = max(ld(busy, bank), a) + 1
            st(busy, bank, free)
            over = max(over, free)
    st(rings, ring_place(S, o, k), over)


@inline
def settle(S, rings, s, a):
    """Count reads that are done, in order; whether one is only waiting for its bank."""
    o = s * STREAM_WORDS
    done, sent = ld(S, o + DONE), ld(S, o + SENT)
    waits = False
    while done < sent:
        place = ring_place(S, o, done)
        over = ld(rings, place)
        if over > a:
            waits = over < NEVER
            break
        st(rings, place, NEVER)
        done += 1
    st(S, o + DONE, done)
    return waits


@inline
def blocked(S, runs, o, r):
    """Whether run ``r`` of the stream at ``o`` still waits for another stream."""
    kind0, kind1 = ld(S, o + KIND0), ld(S, o + KIND1)
    if kind0 != NOTHING and progress(S, ld(S, o + DEP0), kind0) < ld(runs.need0, r):
        return True
    return kind1 != NOTHING and progress(S, ld(S, o + DEP1), kind1) < ld(runs.need1, r)


@inline
def produce(S, runs, o, a):
    """Open runs whose needs are met and make requests; whether more can be made in the next cycle."""
    r, opened = ld(S, o + NEXT_RUN), ld(S, o + OPEN)
    while r < ld(S, o + RUN_END) and not blocked(S, runs, o, r):
        opened += ld(runs.lines, r)
        r += 1
    st(S, o + NEXT_RUN, r)
    st(S, o + OPEN, opened)
    more = False
    if ld(S, o + RATE) == 0:
        st(S, o + MADE, opened)
        st(S, o + READY, opened)
    else:
        per = ld(S, o + PER)
        made = min(ld(S, o + MADE) + ld(S, o + RATE), opened * per)
        st(S, o + MADE, made)
        st(S, o + READY, (made + per - 1) // per)
        more = made < opened * per
    if ld(S, o + SINCE) == NEVER and ld(S, o + SENT) < ld(S, o + READY):
        st(S, o + SINCE, a << 8)
    return more


@inline
def mark(S, ports, s):
    """Note whether a stream has a request to send and may."""
    o = s * STREAM_WORDS
    sent = ld(S, o + SENT)
    can = 0
    if (
        sent < ld(S, o + READY)
        and sent - ld(S, o + BACK) < ld(S, o + WINDOW)
        and sent - ld(S, o + DONE) < ld(S, o + RING_SIZE)
    ):
        can = 1
    change = can - ld(S, o + CAN)
    if change != 0:
        st(S, o + CAN, can)
        x = ld(S, o + PORT) * PORT_WORDS
        st(ports, x + P_COUNT, ld(ports, x + P_COUNT) + change)
        st(ports, x + P_SUM, ld(ports, x + P_SUM) + change * s)


@inline
def choose(S, mergers, p):
    """The stream whose turn it is at a port, or -1."""
    nodes, kids, ports = mergers
    x = p * PORT_WORDS
    if ld(ports, x + P_COUNT) == 0:
        return np.int64(-1)
    if ld(ports, x + P_COUNT) == 1:
        return ld(ports, x + P_SUM)
    pick = np.int64(-1)
    for n in range(ld(ports, x + P_FIRST), ld(ports, x + P_END)):
        x = n * NODE_WORDS
        kind = ld(nodes, x + N_KIND)
        pick = np.int64(-1)
        if kind == LEAF:
            if ld(S, ld(nodes, x + N_STREAM) * STREAM_WORDS + CAN) != 0:
                pick = ld(nodes, x + N_STREAM)
        else:
            begin, stop = ld(nodes, x + N_FIRST), ld(nodes, x + N_END)
            turn = ld(nodes, x + N_TURN) if kind == ROUND_ROBIN else 0
            oldest = NEVER
            for i in range(stop - begin):
                at = begin + turn + i
                if at >= stop:
                    at -= stop - begin
                s = ld(nodes, ld(kids, at) * NODE_WORDS + N_PICK)
                if s < 0:
                    continue
                if kind != DIRECT:
                    pick = s
                    break
                since = ld(S, s * STREAM_WORDS + SINCE)
                if since < oldest:
                    oldest, pick = since, s
        st(nodes, x + N_PICK, pick)
    return pick


@inline
def turns(nodes, leaf):
    """A request was sent: round-robin mergers on its way go on to the next child."""
    x = leaf * NODE_WORDS
    while ld(nodes, x + N_PARENT) >= 0:
        up = ld(nodes, x + N_PARENT) * NODE_WORDS
        width = ld(nodes, up + N_END) - ld(nodes, up + N_FIRST)
        st(nodes, up + N_TURN, (ld(nodes, x + N_PLACE) + 1) % width)
        x = up


@inline
def address_of(S, runs, clock, s):
    """The byte address of a stream's next request."""
    o = s * STREAM_WORDS
    line = ld(runs.first, ld(S, o + SEND_RUN)) + ld(S, o + SEND_AT)
    channel = ld(S, o + CHANNEL)
    if channel >= 0:
        shift = ld(clock, C_SHIFT)
        low = line & ((1 << shift) - 1)
        line = ((((line >> shift) << ld(clock, C_BITS)) | channel) << shift) | low
    return line << ld(clock, C_LINE)


@inline
def went(S, runs, s, a):
    """The next request of a stream was taken by the memory."""
    o = s * STREAM_WORDS
    sent = ld(S, o + SENT) + 1
    st(S, o + SENT, sent)
    if ld(S, o + WRITE) != 0:
        st(S, o + BACK, sent)
        st(S, o + DONE, sent)
    at = ld(S, o + SEND_AT) + 1
    if at == ld(runs.lines, ld(S, o + SEND_RUN)):
        st(S, o + SEND_RUN, ld(S, o + SEND_RUN) + 1)
        at = 0
    st(S, o + SEND_AT, at)
    if sent == ld(S, o + READY):
        st(S, o + SINCE, NEVER)
    elif ld(S, o + RATE) > 0:  # the one behind it was made later
        later = ld(S, o + SINCE) + (ld(S, o + PER) << 8) // ld(S, o + RATE)
        st(S, o + SINCE, min(later, a << 8))


@inline
def send(m, S, runs, mergers, clock, p, a, now):
    """Let a port send; how many requests went, and whether the memory had no room for one."""
    gone = np.int64(0)
    while gone < ld(mergers.ports, p * PORT_WORDS + P_RATE):
        s = choose(S, mergers, p)
        if s < 0:
            return gone, False
        o = s * STREAM_WORDS
        ident = (ld(S, o + SENT) << STREAM_BITS) | s
        if not offer(m, address_of(S, runs, clock, s), ld(S, o + WRITE), ident, now):
            return gone, True
        went(S, runs, s, a)
        mark(S, mergers.ports, s)
        turns(mergers.nodes, ld(S, o + NODE))
        gone += 1
    return gone, False


@kernel
def play(stop, m, S, runs, reads, mergers, clock):
    """Run all streams to their end; FINISHED, STOPPED by the user, or STUCK: they wait in a circle."""
    rings, ports = reads.rings, mergers.ports
    streams, doors = S.size // STREAM_WORDS, ports.size // PORT_WORDS
    a = ld(clock, C_CYCLE)
    looks = 0
    while True:
        looks += 1
        if looks % CYCLES_PER_LOOK == 0 and stopped(stop):
            return STOPPED
        now = a * ld(clock, C_TICKS) // ld(clock, C_CYCLES)
        advance(m, now)
        for channel in range(ld(m, CHANNELS)):
            ident = taken(m, channel, now)
            while ident >= 0:
                arrived(S, reads, ident, a)
                ident = taken(m, channel, now)
        active, waiting, over = False, False, True
        for s in range(streams):
            o = s * STREAM_WORDS
            if ld(S, o + DONE) < ld(S, o + SENT):
                if settle(S, rings, s, a):
                    active = True
        for s in range(streams):
            o = s * STREAM_WORDS
            sent = ld(S, o + SENT)
            if ld(S, o + DONE) < ld(S, o + TOTAL):
                over = False
            if ld(S, o + DONE) < sent:
                waiting = True
            opened = ld(S, o + OPEN)
            if sent == opened and ld(S, o + MADE) == opened * ld(S, o + PER):  # can only wait
                r = ld(S, o + NEXT_RUN)
                if r == ld(S, o + RUN_END) or blocked(S, runs, o, r):
                    continue
            if produce(S, runs, o, a):
                active = True
            mark(S, ports, s)
        if over:
            break
        for i in range(doors):
            p = (a + i) % doors
            gone, refused = send(m, S, runs, mergers, clock, p, a, now)
            if gone > 0:
                active = True
            if refused:
                waiting = True
        if active:
            a += 1
        elif waiting:
            tick = quiet_until(m, now)
            a = max(a + 1, -(-tick * ld(clock, C_CYCLES) // ld(clock, C_TICKS)))
        else:
            return STUCK
    if ld(clock, C_DRAIN) != 0:
        now = drain(m, now)
        a = max(a, -(-now * ld(clock, C_CYCLES) // ld(clock, C_TICKS)))
    st(clock, C_CYCLE, a)
    st(clock, C_NOW, now)
    return FINISHED
