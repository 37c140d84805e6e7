"""Phases, played one after the other on one memory."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ...kernels.runtime.launch import read_only, run
from ...util.errors import InputError, TachographError
from ..dram import Memory
from ..dram.engine import layout
from ..dram.engine.port import drain
from ..dram.statistics import bank_counts
from . import Direct, Merger, Phase, Priority, RoundRobin, Stage, Stream
from . import words as at
from .loop import play

__all__ = ["Engine", "PhaseResult", "ticks_per_cycle"]

BRIEF_BELOW_REQUESTS = 200_000  # that are played in less than a second
KINDS = {"sent": at.SENT_ALL, "arrived": at.ARRIVED_ALL, "done": at.DONE_ALL}
MERGER_CODES = {Priority: at.PRIORITY, RoundRobin: at.ROUND_ROBIN, Direct: at.DIRECT}


def ticks_per_cycle(tck: float, clock_mhz: float) -> Fraction:
    """Return the ticks of the memory in a cycle of the accelerator.

    >>> ticks_per_cycle(1.25, 200)
    Fraction(4, 1)
    """
    exact = Fraction(1000) / (Fraction(tck).limit_denominator(10_000) * Fraction(clock_mhz))
    return exact.limit_denominator(10_000)


@dataclass(frozen=True)
class PhaseResult:
    """What a phase did: from which memory tick to which, and its requests by stream."""

    name: str
    iteration: int
    begin: int
    end: int
    requests: dict[str, int]
    reads: int
    writes: int
    row_hits: int
    row_misses: int
    row_conflicts: int


class Engine:
    """A memory and the clock of an accelerator; ``banks`` of its on-chip memory serve streams of items.

    >>> from tachograph.simulation.dram import Memory
    >>> from tachograph.simulation.streams import Phase, Port, Priority, Stream, lines
    >>> engine = Engine(Memory("DDR4-2400R"), clock_mhz=200)
    >>> reading = Stream("values", lines(0, 64_000, 64))
    >>> done = engine.run(Phase("prefetch", [Port(Priority(reading))]))
    >>> done.requests, done.reads
    ({'values': 1000}, 1000)
    """

    def __init__(self, memory: Memory, clock_mhz: float, banks: int = 1) -> None:
        if not 0 < clock_mhz <= 100_000:
            raise InputError(f"clock_mhz = {clock_mhz}: must be more than 0, at most 100,000")
        self.memory = memory
        self.state = memory.build(collect=True)
        self.now = 0
        ratio = ticks_per_cycle(memory.standard.tck, clock_mhz)
        self._clock = np.zeros(16, np.int64)
        self._clock[at.C_TICKS], self._clock[at.C_CYCLES] = ratio.numerator, ratio.denominator
        self._clock[at.C_SHIFT] = memory.mapping.shifts["Ch"]
        self._clock[at.C_BITS] = (memory.channels - 1).bit_length()
        self._clock[at.C_LINE] = memory.mapping.line_bits
        self._busy = np.zeros(banks, np.int64)

    def run(self, phase: Phase) -> PhaseResult:
        """Play a phase to its end.

        Raises
        ------
        InputError
            If streams wait for each other in a circle, or a line is on a channel that is not there.
        """
        tables = Tables(phase, self.memory.channels)
        self._clock[at.C_DRAIN] = phase.drain
        begin, before = self.now, self._counts()
        self._clock[at.C_STREAMS] = len(tables.members)
        self._clock[at.C_CYCLE] += phase.pause
        reads = at.Reads(tables.rings, tables.items, self._busy, tables.banks)
        call = (
            self.state, tables.rows.ravel(), tables.orders, reads, tables.mergers, self._clock,
        )  # fmt: skip
        brief = sum(s.total for s in tables.members) < BRIEF_BELOW_REQUESTS
        (how,) = run(play, [call], brief=brief, label=phase.name)
        sent = tables.rows[: len(tables.members), at.SENT].tolist()
        if how == at.STUCK:
            left = [s.name for s, n in zip(tables.members, sent, strict=True) if n < s.total]
            raise InputError(
                f"phase {phase.name!r}: the streams {', '.join(left)} wait for each other"
            )
        if how != at.FINISHED:
            raise TachographError("the simulation was stopped")
        self.now = int(self._clock[at.C_NOW])
        spent = {k: n - before[k] for k, n in self._counts().items()}
        requests = dict.fromkeys(tables.names, 0)
        for s, n in zip(tables.members, sent, strict=True):
            requests[s.name] += n
        return PhaseResult(phase.name, phase.iteration, begin, self.now, requests, **spent)

    def finish(self) -> int:
        """Let the memory write what it still holds; return the tick after which it is empty."""
        self.now = int(drain(self.state, self.now))
        ratio = Fraction(int(self._clock[at.C_CYCLES]), int(self._clock[at.C_TICKS]))
        self._clock[at.C_CYCLE] = max(self._clock[at.C_CYCLE], -(-self.now * ratio // 1))
        return self.now

    def _counts(self) -> dict[str, int]:
        """Return counters of the memory, over all channels."""
        blocks = layout.blocks(self.state)
        banks = bank_counts(self.memory, blocks)
        made = {f"row_{name}": int(counts.sum()) for name, counts in banks.items()}
        totals = {"reads": layout.READS, "writes": layout.WRITES}
        return made | {name: int(blocks[:, word].sum()) for name, word in totals.items()}


def found_stages(streams: list[Stream]) -> list[Stage]:
    """Return every stage that streams wait for or feed, in the order in which they are found."""
    found: dict[int, Stage] = {}
    left: list[Stream | Stage] = list(streams)
    while left:
        one = left.pop(0)
        for stage in [*(w.stream for w in one.waits), *one.fed]:
            if isinstance(stage, Stage) and stage.total > 0 and id(stage) not in found:
                found[id(stage)] = stage
                left.append(stage)
    return list(found.values())


class Tables:
    """A phase as the arrays that the loop works on."""

    def __init__(self, phase: Phase, channels: int) -> None:
        merged = [s for port in phase.ports for s in port.merger.streams()]
        if len(set(map(id, merged))) != len(merged):
            raise InputError(f"phase {phase.name!r}: a stream is merged twice")
        if len(merged) >= 1 << at.STREAM_BITS:
            raise InputError(f"phase {phase.name!r} has {len(merged)} streams: too many")
        self.names = [s.name for s in merged]
        self.members: list[Stream] = [s for s in merged if s.total > 0]
        self.stages = found_stages(self.members)
        every: list[Stream | Stage] = [*self.members, *self.stages]
        self.number: dict[int, int] = {id(s): i for i, s in enumerate(every)}
        self.rows = np.zeros((len(every), at.STREAM_WORDS), np.int64)
        self.rows[:, [at.ITEMS, at.FEED]] = -1
        self.lines: list[tuple[np.ndarray, np.ndarray]] = []
        self.waits: list[int] = []
        self.needs: list[np.ndarray] = []
        self.many_needs = self.ring = self.many_items = self.many_banks = run = 0
        self.parts: list[np.ndarray] = []
        for row, s in zip(self.rows, self.members, strict=False):
            self._stream(row, s, channels)
            used = s.runs.count > 0  # empty runs are left out
            self.lines.append((s.runs.first[used], s.runs.count[used]))
            row[at.NEXT_RUN] = row[at.SEND_RUN] = row[at.RUN_FIRST] = run
            row[at.RUN_END] = run = run + int(np.count_nonzero(used))
            self._waits(row, s, used)
        for row, g in zip(self.rows[len(self.members) :], self.stages, strict=True):
            self._stage(row, g)
            self._waits(row, g, slice(None))
        nothing = np.zeros(0, np.int64)
        first, count = (
            np.concatenate([nothing, *part], dtype=np.int64)
            for part in (zip(*self.lines, strict=True) if self.lines else ((), ()))
        )
        needs = np.concatenate([nothing, *self.needs])
        self.orders = at.Orders(first, count, np.array(self.waits, np.int64), needs)
        self.rings = np.full(self.ring, at.NEVER, np.int64)
        self.banks = np.zeros(self.many_banks, np.int64)
        for g, row in zip(self.stages, self.rows[len(self.members) :], strict=True):
            width = at.B_RING + int(row[at.DEPTH])
            self.banks[row[at.BANKS_AT] + at.B_LAST :: width][: g.banks] = -1
        items = self.parts or [np.zeros(0, np.int32)]
        whole = items[0] if len(items) == 1 else np.concatenate(items)
        self.items = read_only(np.ascontiguousarray(whole, np.int32))
        self.mergers = self._trees(phase)

    def _stream(self, row: np.ndarray, s: Stream, channels: int) -> None:
        """Write down what a stream is."""
        if s.channel is not None and s.channel >= channels:
            raise InputError(
                f"stream {s.name!r} is on channel {s.channel}, but there are {channels}"
            )
        rate = Fraction(s.rate or 0).limit_denominator(10_000)
        row[at.TOTAL], row[at.WRITE] = s.total, s.write
        row[at.CHANNEL] = -1 if s.channel is None else s.channel
        row[at.RATE], row[at.PER], row[at.WINDOW] = *rate.as_integer_ratio(), s.window or at.NEVER
        row[at.LATENCY], row[at.BURST], row[at.SINCE] = s.latency, s.burst, at.NEVER
        # room to bring reads in order; those that wait for banks may be many
        most = at.RING_READS if s.items is None else at.LARGE_RING_READS
        self._room(row, s, 1 if s.write and not s.latency else most)

    def _stage(self, row: np.ndarray, g: Stage) -> None:
        """Write down what a stage is."""
        row[at.TOTAL], row[at.INTERVAL], row[at.LATENCY] = g.total, g.interval, g.latency
        row[at.BANKS], row[at.EACH], row[at.DEPTH] = g.banks, g.cycles_each, g.depth or 0
        row[at.LOCKSTEP], row[at.BANKS_AT] = g.lockstep, self.many_banks
        self.many_banks += g.banks * (at.B_RING + (g.depth or 0))
        self._room(row, g, at.RING_READS)

    def _room(self, row: np.ndarray, s: Stream | Stage, most: int) -> None:
        """Make room for what is not done in order, and for items."""
        row[at.RING_AT], row[at.RING_SIZE] = self.ring, min(most, 1 << (s.total - 1).bit_length())
        self.ring += int(row[at.RING_SIZE])
        row[at.ITEMS_EACH] = s.items_each
        if s.items is not None:
            self.parts.append(s.items)
            row[at.ITEMS] = self.many_items
            row[at.ITEMS_END] = self.many_items = self.many_items + s.items.size

    def _waits(self, row: np.ndarray, s: Stream | Stage, used: np.ndarray | slice) -> None:
        """Write down what a stream or stage waits for, and what that is held back by."""
        row[at.WAIT_FIRST] = len(self.waits) // at.WAIT_WORDS
        for wait in s.waits:
            if wait.stream.total == 0:
                continue  # nothing to wait for
            if id(wait.stream) not in self.number:
                raise InputError(
                    f"stream {s.name!r} waits for {wait.stream.name!r}, which is not in the phase"
                )
            other, step = self.number[id(wait.stream)], int(wait.need.strides[0] > 0)
            kind = KINDS[wait.when]
            if kind == at.ARRIVED_ALL and isinstance(wait.stream, Stage):
                kind = at.DONE_ALL
            self.rows[other, at.TRACK] |= kind == at.ARRIVED_ALL
            self.waits += [other, kind, self.many_needs, step]
            if wait.room is not None:
                feed = [at.FEED, at.FEED_AT, at.FEED_STEP, at.FEED_ROOM]
                number = self.number[id(s)]
                self.rows[other, feed] = number, self.many_needs, step, wait.room
            self.needs.append(wait.need[used] if step else wait.need[:1])
            self.many_needs += self.needs[-1].size
        row[at.WAIT_END] = len(self.waits) // at.WAIT_WORDS

    def _trees(self, phase: Phase) -> at.Mergers:
        """Return the mergers as trees, children before their parents, and the ports."""
        rows: list[list[int]] = []
        kids: list[int] = []
        ports = []
        for number, port in enumerate(phase.ports):
            begin = len(rows)
            self._node(port.merger, rows, kids)
            rate = at.NEVER if port.rate is None else port.rate
            ports += [begin, len(rows), rate, 0, 0, -1, 0, 0]
            for n in range(begin, len(rows)):
                if rows[n][at.N_KIND] == at.LEAF:
                    self.rows[rows[n][at.N_STREAM], [at.PORT, at.NODE]] = number, n
        made = (np.array(rows, np.int64).ravel(), np.array(kids, np.int64))
        return at.Mergers(*made, np.array(ports, np.int64))

    def _node(self, what: Merger | Stream, rows: list[list[int]], kids: list[int]) -> int | None:
        """Add a merger and all below it; return its number, or None if nothing is below."""
        if isinstance(what, Stream):
            if id(what) not in self.number:
                return None
            rows.append([at.LEAF, self.number[id(what)], 0, 0, 0, -1, -1, 0])
            return len(rows) - 1
        below = [n for c in what.children if (n := self._node(c, rows, kids)) is not None]
        if not below:
            return None
        for place, n in enumerate(below):
            rows[n][at.N_PARENT], rows[n][at.N_PLACE] = len(rows), place
        kids += below
        begin = len(kids) - len(below)
        rows.append([MERGER_CODES[type(what)], -1, begin, len(kids), 0, -1, -1, 0])
        return len(rows) - 1
