"""Which stream sends next: mergers, bursts and ports."""

from __future__ import annotations

import numpy as np

from ...kernels.runtime.atomics import ld, st
from ...kernels.runtime.launch import inline
from . import words as L


@inline
def has_room(S, needs, o):
    """Whether the stage behind a stream has room for its next line."""
    if ld(S, o + L.FEED) < 0:
        return True
    g = ld(S, o + L.FEED) * L.STREAM_WORDS
    begun = ld(S, g + L.SENT)
    if begun == ld(S, g + L.TOTAL):
        return True
    used = np.int64(0)
    if begun > 0:
        used = ld(needs, ld(S, o + L.FEED_AT) + (begun - 1) * ld(S, o + L.FEED_STEP))
    return ld(S, o + L.SENT) - used < ld(S, o + L.FEED_ROOM)


@inline
def mark(S, needs, ports, s):
    """Note whether a stream has a request to send and may."""
    o = s * L.STREAM_WORDS
    sent = ld(S, o + L.SENT)
    over = ld(S, o + L.DONE) if ld(S, o + L.WRITE) != 0 else ld(S, o + L.BACK)
    can = 0
    if (
        sent < ld(S, o + L.READY)
        and sent - over < ld(S, o + L.WINDOW)
        and sent - ld(S, o + L.DONE) < ld(S, o + L.RING_SIZE)
        and has_room(S, needs, o)
    ):
        can = 1
    change = can - ld(S, o + L.CAN)
    if change != 0:
        st(S, o + L.CAN, can)
        x = ld(S, o + L.PORT) * L.PORT_WORDS
        st(ports, x + L.P_COUNT, ld(ports, x + L.P_COUNT) + change)
        st(ports, x + L.P_SUM, ld(ports, x + L.P_SUM) + change * s)


@inline
def choose(S, mergers, p):
    """The stream whose turn it is at a port, or -1; a burst that is not over goes on."""
    nodes, kids, ports = mergers
    x = p * L.PORT_WORDS
    if ld(ports, x + L.P_COUNT) == 0:
        return np.int64(-1)
    if ld(ports, x + L.P_COUNT) == 1:
        return ld(ports, x + L.P_SUM)
    held = ld(ports, x + L.P_HELD)
    if held >= 0 and ld(S, held * L.STREAM_WORDS + L.CAN) != 0:
        return held
    pick = np.int64(-1)
    for n in range(ld(ports, x + L.P_FIRST), ld(ports, x + L.P_END)):
        x = n * L.NODE_WORDS
        kind = ld(nodes, x + L.N_KIND)
        pick = np.int64(-1)
        if kind == L.LEAF:
            if ld(S, ld(nodes, x + L.N_STREAM) * L.STREAM_WORDS + L.CAN) != 0:
                pick = ld(nodes, x + L.N_STREAM)
        else:
            begin, stop = ld(nodes, x + L.N_FIRST), ld(nodes, x + L.N_END)
            turn = ld(nodes, x + L.N_TURN) if kind == L.ROUND_ROBIN else 0
            oldest = L.NEVER
            for i in range(stop - begin):
                at = begin + turn + i
                if at >= stop:
                    at -= stop - begin
                s = ld(nodes, ld(kids, at) * L.NODE_WORDS + L.N_PICK)
                if s < 0:
                    continue
                if kind != L.DIRECT:
                    pick = s
                    break
                since = ld(S, s * L.STREAM_WORDS + L.SINCE)
                if since < oldest:
                    oldest, pick = since, s
        st(nodes, x + L.N_PICK, pick)
    return pick


@inline
def turns(S, mergers, s, leaf):
    """A request was sent: note a burst that is not over; round-robin mergers go on."""
    nodes = mergers.nodes
    o = s * L.STREAM_WORDS
    burst, at = ld(S, o + L.BURST), ld(S, o + L.SEND_AT)
    inside = burst > 0 and at > 0 and at % max(burst, 1) != 0
    st(mergers.ports, ld(S, o + L.PORT) * L.PORT_WORDS + L.P_HELD, s if inside else np.int64(-1))
    x = leaf * L.NODE_WORDS
    while ld(nodes, x + L.N_PARENT) >= 0:
        up = ld(nodes, x + L.N_PARENT) * L.NODE_WORDS
        width = ld(nodes, up + L.N_END) - ld(nodes, up + L.N_FIRST)
        st(nodes, up + L.N_TURN, (ld(nodes, x + L.N_PLACE) + 1) % width)
        x = up
