"""The closed loop, written to be obviously right: every cycle is played, one request at a time."""

from __future__ import annotations

import math
from fractions import Fraction

from tachograph.simulation.streams import Direct, Merger, RoundRobin, Stream
from tachograph.simulation.streams.engine import ticks_per_cycle


class Naive:
    """One stream."""

    def __init__(self, stream):
        self.stream = stream
        runs = stream.runs
        self.lines = [
            (int(f) + i, r)
            for r, (f, c) in enumerate(zip(runs.first, runs.count, strict=True))
            for i in range(c)
        ]
        self.open = self.sent = self.back = self.done = 0
        self.made = Fraction(0)
        self.ready = 0
        self.served = {}  # when the request of this number is served
        self.since = None

    def progress(self, sent):
        return self.sent if sent else self.done

    def can_send(self):
        return self.sent < self.ready and self.sent - self.back < (self.stream.window or math.inf)


def pick(node, all_, turns):
    """The stream of a merger that sends next, or None; ``turns`` has whose turn it is."""
    if isinstance(node, Stream):
        return node if id(node) in all_ and all_[id(node)].can_send() else None
    found = [(c, s) for c in node.children if (s := pick(c, all_, turns)) is not None]
    if not found:
        return None
    if isinstance(node, Direct):
        return min((s for _, s in found), key=lambda s: all_[id(s)].since)
    if isinstance(node, RoundRobin):
        used = [c for c in node.children if alive(c)]
        order = {id(c): (i - turns.get(id(node), 0)) % len(used) for i, c in enumerate(used)}
        return min(found, key=lambda cs: order[id(cs[0])])[1]
    return found[0][1]


def alive(node):
    return any(s.total for s in (node.streams() if isinstance(node, Merger) else [node]))


def advance_turns(node, stream, turns):
    """Whether ``stream`` is below ``node``; its round-robin mergers go on."""
    if node is stream:
        return True
    if isinstance(node, Stream):
        return False
    used = [c for c in node.children if alive(c)]
    for i, child in enumerate(used):
        if advance_turns(child, stream, turns):
            turns[id(node)] = (i + 1) % len(used)
            return True
    return False


def address(memory, stream, line):
    if stream.channel is None:
        return line * memory.standard.request_bytes
    shift = memory.mapping.shifts["Ch"]
    bits = (memory.channels - 1).bit_length()
    high, low = divmod(line, 1 << shift)
    return ((high << bits | stream.channel) << shift | low) * memory.standard.request_bytes


def play(memory, clock_mhz, phase, banks=1):
    """The tick at which the phase ends (before a drain), and the requests of each stream."""
    ratio = ticks_per_cycle(memory.standard.tck, clock_mhz)
    streams = [s for port in phase.ports for s in port.merger.streams() if s.total]
    all_ = {id(s): Naive(s) for s in streams}
    turns, busy, ends = {}, [0] * banks, []
    cycle = 0
    while True:
        now = int(cycle * ratio // 1)
        for ident in memory.advance(now - memory.now) if now > memory.now else []:
            naive, k = all_[id(streams[ident % 100])], ident // 100
            naive.back += 1
            over, s = cycle, naive.stream
            for item in (
                [] if s.items is None else s.items[k * s.items_each : (k + 1) * s.items_each]
            ):
                busy[item % banks] = max(busy[item % banks], cycle) + 1
                over = max(over, busy[item % banks])
            naive.served[k] = over
        for naive in all_.values():
            while not naive.stream.write and naive.served.get(naive.done, math.inf) <= cycle:
                naive.done += 1
        if all(n.done == n.stream.total for n in all_.values()):
            return now, {s.name: all_[id(s)].sent for s in streams}
        for naive in all_.values():
            produce(naive, all_, cycle)
        for i in range(len(phase.ports)):
            port = phase.ports[(cycle + i) % len(phase.ports)]
            send(memory, port, streams, all_, turns, cycle)
        cycle += 1
        ends.append(sum(n.sent for n in all_.values()))
        assert cycle < 200_000


def produce(naive, all_, cycle):
    s = naive.stream
    while naive.open < s.total:
        run = naive.lines[naive.open][1]
        waits = [w for w in s.waits if w.stream.total]
        if any(all_[id(w.stream)].progress(w.sent) < w.need[run] for w in waits):
            break
        naive.open += 1
    if s.rate is None:
        naive.ready = naive.open
    else:
        naive.made = min(
            naive.made + Fraction(s.rate).limit_denominator(10_000), Fraction(naive.open)
        )
        naive.ready = math.ceil(naive.made)
    if naive.since is None and naive.sent < naive.ready:
        naive.since = Fraction(cycle)


def send(memory, port, streams, all_, turns, cycle):
    gone = 0
    while port.rate is None or gone < port.rate:
        stream = pick(port.merger, all_, turns)
        if stream is None:
            return
        naive = all_[id(stream)]
        where = address(memory, stream, naive.lines[naive.sent][0])
        ident = naive.sent * 100 + [id(s) for s in streams].index(id(stream))
        if not memory.offer(where, stream.write, ident):
            return
        naive.sent += 1
        if stream.write:
            naive.back = naive.done = naive.sent
        if naive.sent == naive.ready:
            naive.since = None
        elif stream.rate is not None:
            step = Fraction(256 * Fraction(stream.rate).limit_denominator(10_000).denominator //
                            Fraction(stream.rate).limit_denominator(10_000).numerator, 256)  # fmt: skip
            naive.since = min(naive.since + step, Fraction(cycle))
        advance_turns(port.merger, stream, turns)
        gone += 1
