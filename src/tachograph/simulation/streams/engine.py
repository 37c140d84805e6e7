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
from . import Direct, Merger, Phase, Priority, RoundRobin, Stream
from . import loop as at

__all__ = ["Engine", "PhaseResult", "ticks_per_cycle"]

BRIEF_BELOW_REQUESTS = 200_000  # that are played in less than a second
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
        reads = at.Reads(tables.rings, tables.items, self._busy)
        words = tables.streams.ravel()
        call = (self.state, words, tables.runs, reads, tables.mergers, self._clock)
        brief = sum(s.total for s in tables.members) < BRIEF_BELOW_REQUESTS
        (how,) = run(at.play, [call], brief=brief, label=phase.name)
        sent = tables.streams[:, at.SENT].tolist()
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
        self.number: dict[int, int] = {id(s): i for i, s in enumerate(self.members)}
        self.streams = np.zeros((len(self.members), at.STREAM_WORDS), np.int64)
        nothing = np.zeros(0, np.int64)
        runs: list[tuple[np.ndarray, ...]] = [(nothing,) * 4]
        items: list[np.ndarray] = [np.zeros(0, np.int32)]
        run = item = ring = 0
        for row, s in zip(self.streams, self.members, strict=True):
            self._fill(row, s, channels)
            used = s.runs.count > 0  # empty runs are left out
            needs = [wait.need[used] for wait in s.waits]
            needs += [np.zeros(np.count_nonzero(used), np.int64)] * (2 - len(needs))
            runs.append((s.runs.first[used], s.runs.count[used], *needs))
            row[at.NEXT_RUN] = row[at.SEND_RUN] = run
            row[at.RUN_END] = run = run + needs[0].size
            row[at.ITEMS], row[at.ITEMS_EACH] = -1, s.items_each
            if s.items is not None:
                items.append(s.items)
                row[at.ITEMS] = item
                row[at.ITEMS_END] = item = item + s.items.size
            # room to bring reads in order; those that wait for banks may be many
            most = 1 if s.write else at.RING_READS if s.items is None else at.LARGE_RING_READS
            row[at.RING_AT], row[at.RING_SIZE] = ring, min(most, 1 << (s.total - 1).bit_length())
            ring += int(row[at.RING_SIZE])
        columns = (np.concatenate(parts, dtype=np.int64) for parts in zip(*runs, strict=True))
        self.runs = at.Runs(*columns)
        self.rings = np.full(ring, at.NEVER, np.int64)
        whole = items[1] if len(items) == 2 else np.concatenate(items)
        self.items = read_only(np.ascontiguousarray(whole, np.int32))
        self.mergers = self._trees(phase)

    def _fill(self, row: np.ndarray, s: Stream, channels: int) -> None:
        """Write down what a stream is, and what it waits for."""
        if s.channel is not None and s.channel >= channels:
            raise InputError(
                f"stream {s.name!r} is on channel {s.channel}, but there are {channels}"
            )
        rate = Fraction(s.rate or 0).limit_denominator(10_000)
        row[at.TOTAL], row[at.WRITE] = s.total, s.write
        row[at.CHANNEL] = -1 if s.channel is None else s.channel
        row[at.RATE], row[at.PER], row[at.WINDOW] = *rate.as_integer_ratio(), s.window or at.NEVER
        row[at.SINCE] = at.NEVER
        for i, wait in enumerate(s.waits):
            if wait.stream.total == 0:
                continue  # nothing to wait for
            if id(wait.stream) not in self.number:
                raise InputError(
                    f"stream {s.name!r} waits for {wait.stream.name!r}, which is not in the phase"
                )
            row[at.DEP0 + 2 * i] = self.number[id(wait.stream)]
            row[at.KIND0 + 2 * i] = at.SENT_ALL if wait.sent else at.DONE_ALL

    def _trees(self, phase: Phase) -> at.Mergers:
        """Return the mergers as trees, children before their parents, and the ports."""
        rows: list[list[int]] = []
        kids: list[int] = []
        ports = []
        for number, port in enumerate(phase.ports):
            begin = len(rows)
            self._node(port.merger, rows, kids)
            ports += [begin, len(rows), at.NEVER if port.rate is None else port.rate, *[0] * 5]
            for n in range(begin, len(rows)):
                if rows[n][at.N_KIND] == at.LEAF:
                    self.streams[rows[n][at.N_STREAM], [at.PORT, at.NODE]] = number, n
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
