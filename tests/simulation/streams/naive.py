"""The closed loop, written to be obviously right: every cycle is played, one request at a time."""

from __future__ import annotations

import math
from fractions import Fraction

from tachograph.simulation.streams import Direct, Merger, RoundRobin, Stage, Stream
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
        self.came = set()  # numbers of reads that the memory has answered
        self.since = None

    def progress(self, when):
        if when == "sent":
            return self.sent
        if when == "done":
            return self.done
        if self.stream.write:  # a write arrives when its response does, if it has one
            return self.sent
        return next(k for k in range(self.sent + 1) if k not in self.came)

    def has_room(self, all_):
        for stage in self.stream.fed:
            for wait in stage.waits:
                if wait.stream is self.stream and wait.room is not None and stage.total:
                    begun = all_[id(stage)].begun
                    if begun == stage.total:
                        continue
                    used = wait.need[begun - 1] if begun else 0
                    if self.sent - used >= wait.room:
                        return False
        return True

    def can_send(self, all_):
        way = self.sent - (self.done if self.stream.write else self.back)
        window = self.stream.window or math.inf
        return self.sent < self.ready and way < window and self.has_room(all_)


class NaiveStage:
    """One stage; every bank has a list of words, each with the cycle in which it has served it."""

    def __init__(self, stage):
        self.stream = stage
        self.begun = self.done = 0
        self.ends = []
        self.next = 0
        self.busy = [0] * stage.banks
        self.words = [[] for _ in range(stage.banks)]

    def progress(self, when):
        return self.begun if when == "sent" else self.done

    def count(self, cycle):
        while self.done < self.begun and self.ends[self.done] <= cycle:
            self.done += 1

    def work(self, all_, cycle):
        g = self.stream
        while self.begun < g.total and self.next <= cycle:
            k = self.begun
            waits = [w for w in g.waits if w.stream.total]
            if any(all_[id(w.stream)].progress(w.when) < w.need[k] for w in waits):
                return
            mine = [] if g.items is None else g.items[k * g.items_each : (k + 1) * g.items_each]
            mine = [int(b) for b in mine if b >= 0]
            waiting = {b: sum(end > cycle for end in self.words[b]) for b in mine}
            if g.depth is not None and any(n >= g.depth for n in waiting.values()):
                return
            over = cycle
            for b in mine:
                self.busy[b] = max(self.busy[b], cycle) + g.cycles_each
                over = max(over, self.busy[b])
            for b in set(mine):
                self.words[b].append(self.busy[b])
            self.ends.append(over + g.latency)
            self.begun += 1
            self.next = max(cycle + g.interval, over if g.lockstep else 0)
            self.count(cycle)


def stages_of(streams):
    found, left = [], list(streams)
    while left:
        one = left.pop(0)
        for g in [*(w.stream for w in one.waits), *one.fed]:
            if isinstance(g, Stage) and g.total and g not in found:
                found.append(g)
                left.append(g)
    return found


def pick(node, all_, turns):
    """The stream of a merger that sends next, or None; ``turns`` has whose turn it is."""
    if isinstance(node, Stream):
        return node if id(node) in all_ and all_[id(node)].can_send(all_) else None
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
    """The tick at which the phase ends (before a drain), and the requests of each stream.

    None if nothing happens for so long that streams must wait for each other.
    """
    ratio = ticks_per_cycle(memory.standard.tck, clock_mhz)
    streams = [s for port in phase.ports for s in port.merger.streams() if s.total]
    all_ = {id(s): Naive(s) for s in streams}
    stages = {id(g): NaiveStage(g) for g in stages_of(streams)}
    all_ |= stages
    turns, busy = {}, [0] * banks
    cycle, state, since = 0, None, 0
    while True:
        now = int(cycle * ratio // 1)
        for ident in memory.advance(now - memory.now) if now > memory.now else []:
            naive, k = all_[id(streams[ident % 100])], ident // 100
            naive.back += 1
            naive.came.add(k)
            s = naive.stream
            here = over = cycle + s.latency
            for item in (
                [] if s.items is None else s.items[k * s.items_each : (k + 1) * s.items_each]
            ):
                if item >= 0:
                    busy[item % banks] = max(busy[item % banks], here) + 1
                    over = max(over, busy[item % banks])
            naive.served[k] = over
        for naive in all_.values():
            if isinstance(naive, NaiveStage):
                naive.count(cycle)
                continue
            while naive.served.get(naive.done, math.inf) <= cycle:
                naive.done += 1
        for stage in stages.values():
            stage.work(all_, cycle)
        if all(n.done == n.stream.total for n in all_.values()):
            return now, {s.name: all_[id(s)].sent for s in streams}
        for s in streams:
            produce(all_[id(s)], all_, cycle)
        for i in range(len(phase.ports)):
            port = phase.ports[(cycle + i) % len(phase.ports)]
            send(memory, port, streams, all_, turns, cycle)
        cycle += 1
        seen = [n.done + (n.begun if isinstance(n, NaiveStage) else n.sent) for n in all_.values()]
        if seen != state:
            state, since = seen, cycle
        elif cycle - since > 2000:
            return None
        assert cycle < 200_000


def produce(naive, all_, cycle):
    s = naive.stream
    while naive.open < s.total:
        run = naive.lines[naive.open][1]
        waits = [w for w in s.waits if w.stream.total]
        if any(all_[id(w.stream)].progress(w.when) < w.need[run] for w in waits):
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
        held = turns.get(id(port))  # a burst that is not over goes on, if it can
        stream = held if held and all_[id(held)].can_send(all_) else None
        stream = stream or pick(port.merger, all_, turns)
        if stream is None:
            return
        naive = all_[id(stream)]
        where = address(memory, stream, naive.lines[naive.sent][0])
        ident = naive.sent * 100 + [id(s) for s in streams].index(id(stream))
        if not memory.offer(where, stream.write, ident):
            return
        line, run = naive.lines[naive.sent]
        naive.sent += 1
        if stream.write:
            naive.served[naive.sent - 1] = cycle + stream.latency
            if not stream.latency:
                naive.done = naive.sent
        same = naive.sent < stream.total and naive.lines[naive.sent][1] == run
        offset = line + 1 - int(stream.runs.first[run])
        turns[id(port)] = stream if stream.burst and same and offset % stream.burst else None
        if naive.sent == naive.ready:
            naive.since = None
        elif stream.rate is not None:
            step = Fraction(256 * Fraction(stream.rate).limit_denominator(10_000).denominator //
                            Fraction(stream.rate).limit_denominator(10_000).numerator, 256)  # fmt: skip
            naive.since = min(naive.since + step, Fraction(cycle))
        advance_turns(port.merger, stream, turns)
        gone += 1
