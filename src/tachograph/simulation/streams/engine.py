"""Phases, played one after the other on one memory."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ...util.errors import InputError, TachographError
from ..dram import Memory
from ..dram.engine import layout
from ..dram.statistics import bank_counts
from . import loop as at
from .stream import Direct, Merger, Phase, Priority, RoundRobin, Stream

__all__ = ["Engine", "PhaseResult", "ticks_per_cycle"]

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
    >>> from tachograph.simulation.streams import Engine, Phase, Port, Priority, Stream, lines
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
        from ...kernels.runtime.launch import run

        tables = Tables(phase, self.memory.channels)
        self._clock[at.C_DRAIN] = phase.drain
        begin, before = self.now, self._counts()
        runs = at.Runs(tables.first, tables.count, *tables.needs)
        reads = at.Reads(tables.rings, tables.items, self._busy)
        mergers = at.Mergers(tables.nodes, tables.kids, tables.ports)
        call = (self.state, tables.streams, runs, reads, mergers, self._clock)
        (how,) = run(at.play, [call], brief=tables.total < 200_000, label=phase.name)
        if how == at.STUCK:
            raise InputError(f"phase {phase.name!r}: {tables.circle()}")
        if how != at.FINISHED:
            raise TachographError("the simulation was stopped")
        self.now = int(self._clock[at.C_NOW])
        spent = {k: n - before[k] for k, n in self._counts().items()}
        return PhaseResult(phase.name, phase.iteration, begin, self.now, tables.sent(), **spent)

    def finish(self) -> int:
        """Let the memory write what it still holds; return the tick after which it is empty."""
        from ..dram.engine.port import drain

        self.now = int(drain(self.state, self.now))
        ratio = Fraction(int(self._clock[at.C_CYCLES]), int(self._clock[at.C_TICKS]))
        self._clock[at.C_CYCLE] = max(self._clock[at.C_CYCLE], -(-self.now * ratio // 1))
        return self.now

    def _counts(self) -> dict[str, int]:
        """Return counters of the memory, over all channels."""
        blocks = self.state[layout.BLOCKS :].reshape(self.memory.channels, -1)
        banks = bank_counts(self.memory, blocks)
        made = {f"row_{name}": int(counts.sum()) for name, counts in banks.items()}
        totals = {"reads": layout.READS, "writes": layout.WRITES}
        return made | {name: int(blocks[:, word].sum()) for name, word in totals.items()}


class Tables:
    """A phase as the arrays that the loop works on."""

    def __init__(self, phase: Phase, channels: int) -> None:
        self.phase = phase
        merged = [s for port in phase.ports for s in port.merger.streams()]
        self.members: list[Stream] = [s for s in merged if s.total > 0]
        if len(set(map(id, merged))) != len(merged):
            raise InputError(f"phase {phase.name!r}: a stream is merged twice")
        if len(merged) >= 1 << at.STREAM_BITS:
            raise InputError(f"phase {phase.name!r} has {len(merged)} streams: too many")
        self.number: dict[int, int] = {id(s): i for i, s in enumerate(self.members)}
        self.total: int = sum(s.total for s in self.members)
        self._runs()
        self.streams = np.zeros(len(self.members) * at.STREAM_WORDS, np.int64)
        parts = [s.items for s in self.members if s.items is not None]
        self.items = np.concatenate(parts) if len(parts) > 1 else (parts or [np.zeros(0)])[0]
        self.items = np.ascontiguousarray(self.items, np.int32).view()
        self.items.flags.writeable = False  # one compiled variant, whatever was given
        self._streams(channels)
        self._rings()
        self._trees()

    def _runs(self) -> None:
        """Collect all runs, stream after stream, without empty ones."""
        nothing = np.zeros(0, np.int64)
        first, count = [nothing], [nothing]
        needs: list[list[np.ndarray]] = [[nothing], [nothing]]
        for s in self.members:
            used = s.runs.count > 0
            first.append(s.runs.first[used])
            count.append(s.runs.count[used])
            for i in range(2):
                given = (
                    s.waits[i].need[used] if i < len(s.waits) else np.zeros(used.sum(), np.int64)
                )
                needs[i].append(given)
        self.first = np.ascontiguousarray(np.concatenate(first), np.int64)
        self.count = np.ascontiguousarray(np.concatenate(count), np.int64)
        self.needs = [np.ascontiguousarray(np.concatenate(n), np.int64) for n in needs]
        self.ends = np.cumsum([c.size for c in count[1:]], dtype=np.int64)

    def _streams(self, channels: int) -> None:
        items = 0
        for i, s in enumerate(self.members):
            row = self.streams[i * at.STREAM_WORDS : (i + 1) * at.STREAM_WORDS]
            row[at.TOTAL], row[at.WRITE] = s.total, s.write
            row[at.CHANNEL] = -1 if s.channel is None else s.channel
            if row[at.CHANNEL] >= channels:
                raise InputError(
                    f"stream {s.name!r} is on channel {s.channel}, but there are {channels}"
                )
            rate = Fraction(0 if s.rate is None else s.rate).limit_denominator(10_000)
            row[at.RATE], row[at.PER] = rate.numerator, rate.denominator
            row[at.WINDOW] = s.window or at.NEVER
            for place, wait in zip(
                ((at.DEP0, at.KIND0), (at.DEP1, at.KIND1)), s.waits, strict=False
            ):
                if wait.stream.total == 0:
                    continue  # nothing to wait for
                if id(wait.stream) not in self.number:
                    raise InputError(
                        f"stream {s.name!r} waits for {wait.stream.name!r}, which is not in the phase"
                    )
                row[place[0]] = self.number[id(wait.stream)]
                row[place[1]] = at.SENT_ALL if wait.sent else at.DONE_ALL
            row[at.NEXT_RUN] = row[at.SEND_RUN] = self.ends[i - 1] if i else 0
            row[at.RUN_END] = self.ends[i]
            row[at.ITEMS] = -1
            if s.items is not None:
                row[at.ITEMS], row[at.ITEMS_EACH] = items, s.items_each
                items += s.items.size
                row[at.ITEMS_END] = items
            row[at.SINCE] = at.NEVER

    def _rings(self) -> None:
        """Make room to bring reads in order; those that wait for banks may be many."""
        where = 0
        for i, s in enumerate(self.members):
            most = 1 if s.write else at.RING_READS if s.items is None else at.LARGE_RING_READS
            size = min(most, 1 << (s.total - 1).bit_length())
            self.streams[i * at.STREAM_WORDS + at.RING_AT] = where
            self.streams[i * at.STREAM_WORDS + at.RING_SIZE] = size
            where += size
        self.rings = np.full(where, at.NEVER, np.int64)

    def _trees(self) -> None:
        rows: list[list[int]] = []
        kids: list[int] = []
        ports = []
        for number, port in enumerate(self.phase.ports):
            begin = len(rows)
            self._node(port.merger, rows, kids)
            ports += [begin, len(rows), at.NEVER if port.rate is None else port.rate, *[0] * 5]
            for n in range(begin, len(rows)):
                if rows[n][at.N_KIND] == at.LEAF:
                    row = self.streams[rows[n][at.N_STREAM] * at.STREAM_WORDS :]
                    row[at.PORT], row[at.NODE] = number, n
        self.nodes = np.array(rows, np.int64).ravel()
        self.kids = np.array(kids, np.int64)
        self.ports = np.array(ports, np.int64)

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
        begin = len(kids)
        kids += below
        rows.append([MERGER_CODES[type(what)], -1, begin, len(kids), 0, -1, -1, 0])
        for place, n in enumerate(below):
            rows[n][at.N_PARENT], rows[n][at.N_PLACE] = len(rows) - 1, place
        return len(rows) - 1

    def sent(self) -> dict[str, int]:
        """Return requests by the names of the streams."""
        found: dict[str, int] = {}
        for port in self.phase.ports:
            for s in port.merger.streams():
                found.setdefault(s.name, 0)
        for i, s in enumerate(self.members):
            found[s.name] += int(self.streams[i * at.STREAM_WORDS + at.SENT])
        return found

    def circle(self) -> str:
        """Say which streams did not end."""
        names = [s.name for i, s in enumerate(self.members)
                 if self.streams[i * at.STREAM_WORDS + at.SENT] < s.total]  # fmt: skip
        return f"the streams {', '.join(names)} wait for each other"
