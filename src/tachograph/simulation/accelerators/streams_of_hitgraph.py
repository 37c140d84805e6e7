"""The partitions of HitGraph, where they lie, and the requests of scatter and gather."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from ..streams import Direct, Phase, Port, Runs, Stage, Stream, buffered, joined, lines
from .base import Layout
from .partitions import Rule, Updates, call, gather, grouped, scatter
from .problem import Problem

if TYPE_CHECKING:
    from .hitgraph import HitGraph


@dataclass(frozen=True)
class Part:
    """The updates of one partition for another one, in order, and when each was made."""

    targets: np.ndarray
    update: np.ndarray
    seen: np.ndarray  # edges that must have been read


#: For each partition its updates of every other one.
Queues: TypeAlias = list[list[Part | None]]
#: For each queue the vertices that are written, and the lines of the queue that are read before.
Written: TypeAlias = list[tuple[np.ndarray, np.ndarray]]
NO_LINES = np.zeros(0, np.int64)
EDGES_AHEAD_LINES = 64  # that wait before the banks; inferred: the source does not say
WORDS_AHEAD = 16  # between the banks and the combining network; inferred as well


class Machine:
    """Partitions, where they lie, and the streams of a phase."""

    line: int
    size: int
    n: int
    width: int
    pes: int
    parts: int
    pe_of: np.ndarray
    edge_width: int
    update_width: int
    at_values: list[int]
    at_edges: list[int]
    at_queue: list[int]

    def __init__(self, design: HitGraph, problem: Problem, layout: Layout) -> None:
        graph, channels = problem.graph, layout.memory.channels
        self.design, self.line = design, layout.line
        self.size = min(max(1, graph.n), design.partition_size)
        self.n, self.width = graph.n, design.width(problem.task)
        self.pes = design.pes or channels
        design.fits(self.pes * self.size, self.width, f"partition_size with {self.pes} PEs")
        merged, weighted = design.update_merging, problem.weighted
        self.edges, self.groups = grouped(graph, self.size, merged, weighted)
        self.parts = len(self.groups)
        share = -(-self.parts // self.pes)
        numbers = np.arange(self.parts)
        self.pe_of = numbers % self.pes if design.assignment == "cyclic" else numbers // share
        self.channels = channels
        self.edge_width = design.edge_width(problem.task)
        self.update_width = design.vertex_bits // 8 + (design.update_bits or 8 * self.width) // 8
        self._place(layout)

    def _place(self, layout: Layout) -> None:
        queue = np.zeros(self.parts, np.int64)  # lines of updates, if every group gives one
        for p in range(self.parts):
            many = np.bincount(self.groups[p][0] // self.size, minlength=self.parts)
            queue += -(-many * self.update_width // self.line)
        vertices = np.array([self._vertices(p) for p in range(self.parts)])
        arrays = (vertices * self.width, self.edges * self.edge_width, queue * self.line)
        channels = (self.pe_of % self.channels).tolist()
        self.at_values, self.at_edges, self.at_queue = (
            [layout.place(*place) for place in zip(sizes.tolist(), channels, strict=True)]
            for sizes in arrays
        )

    def _parts_of(self, pe: int) -> list[int]:
        found: list[int] = np.flatnonzero(self.pe_of == pe).tolist()
        return found

    def _vertices(self, p: int) -> int:
        return min(self.n, (p + 1) * self.size) - p * self.size

    def updates(self, problem: Problem, active: np.ndarray) -> Queues:
        """Return the values that edges bring."""
        sent = problem.sent()
        rule = Rule(problem.step, problem.additive, self.design.update_filtering)
        made: Queues = []
        for p in range(self.parts):
            if self._idle(p, active):
                made.append([None] * self.parts)
                continue
            targets, groups = self.groups[p]
            room = targets.size
            kept, update, seen = np.zeros(room, np.int64), np.zeros(room), np.zeros(room, np.int64)
            many = call(scatter, groups, rule, active, sent, Updates(kept, update, seen))
            made.append(self._by_queue(targets[kept[:many]], update[:many], seen[:many]))
        return made

    def _idle(self, p: int, active: np.ndarray) -> bool:
        """Return whether scatter leaves a partition out."""
        own = active[p * self.size : (p + 1) * self.size]
        return self.design.partition_skipping and not own.any()

    def _by_queue(
        self, targets: np.ndarray, update: np.ndarray, seen: np.ndarray
    ) -> list[Part | None]:
        queue = targets // self.size
        if not self.design.update_merging:
            order = np.argsort(queue, kind="stable")
            targets, update, seen, queue = targets[order], update[order], seen[order], queue[order]
        cuts = np.searchsorted(queue, np.arange(self.parts + 1))
        return [
            Part(targets[a:b], update[a:b], seen[a:b]) if b > a else None
            for a, b in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True)
        ]

    def _lines_of(self, part: Part | None) -> int:
        return 0 if part is None else -(-part.targets.size * self.update_width // self.line)

    def scatter(self, iteration: int, active: np.ndarray, queues: Queues) -> Phase:
        """Return prefetches, edges and, through the crossbar, updates."""
        counts = np.array([[self._lines_of(part) for part in row] for row in queues], np.int64)
        starts = np.cumsum(counts, axis=0) - counts  # in lines of each queue
        ports, readers, own, paced = [], [], [], []
        for pe in range(self.pes):
            mine = [p for p in self._parts_of(pe) if not self._idle(p, active)]
            sizes = [(self.at_edges[p], int(self.edges[p]) * self.edge_width) for p in mine]
            own.append(mine)
            readers.append(self._readers("edges", pe, mine, sizes, self.edge_width))
            paced.append(self._paced(mine, readers[pe][1], queues))
        for pe in range(self.pes):
            writes = [
                self._crossbar(mine, edges, pe, starts, queues)
                for mine, edges in zip(own, paced, strict=True)
            ]
            ports.append(Port(Direct(*readers[pe], *writes), self.design.inject))
        return Phase("scatter", ports, iteration, drain=True)

    def _readers(
        self, name: str, pe: int, mine: list[int], sizes: list[tuple[int, int]], width: int
    ) -> tuple[Stream, Stream]:
        """Return streams for the values of one partition, what it reads, then the next one."""
        channel = pe % self.channels
        of_values = [(self.at_values[p], self._vertices(p) * self.width) for p in mine]
        values = joined(*(lines(at, size, self.line) for at, size in of_values))
        read = joined(*(lines(at, size, self.line) for at, size in sizes))
        prefetch = Stream("prefetch", values, channel=channel)
        rate = Fraction(self.design.pipelines * width, self.line)
        reader = Stream(name, read, channel=channel, rate=rate)
        reader.after(prefetch, np.cumsum(values.count), when="sent")
        prefetch.after(reader, np.cumsum(read.count) - read.count)
        return prefetch, reader

    def _words(self, p: int) -> int:
        """Return how many words of edges a partition has: what the pipelines take together."""
        return -(-int(self.edges[p]) // self.design.pipelines)

    def _paced(self, mine: list[int], edges: Stream, queues: Queues) -> Stream | Stage:
        """Return what updates wait for: the edges, or the stages behind them that take longer."""
        d, last = self.design, edges
        words = [self._words(p) for p in mine]
        if (d.vertex_banks is None and d.updates_a_cycle is None) or not sum(words):
            return last
        before = np.cumsum(edges.runs.count) - edges.runs.count
        upto = [
            b + -(-np.minimum(np.arange(1, w + 1) * d.pipelines, self.edges[p]) * self.edge_width
                  // self.line)
            for p, w, b in zip(mine, words, before, strict=True)
        ]  # fmt: skip
        items = None
        if d.vertex_banks is not None:
            items = np.concatenate([
                np.pad(self.groups[p][1].sources % d.vertex_banks,
                       (0, w * d.pipelines - int(self.edges[p])), constant_values=-1)
                for p, w in zip(mine, words, strict=True)
            ]).astype(np.int32)  # fmt: skip
        reading = Stage(
            "vertex banks", sum(words), items=items, items_each=d.pipelines, lockstep=True,
            banks=d.vertex_banks or 1,
        ).after(edges, np.concatenate(upto), room=EDGES_AHEAD_LINES)  # fmt: skip
        if d.updates_a_cycle is None:
            return reading
        made = []
        for p, w in zip(mine, words, strict=True):
            seen = [part.seen for part in queues[p] if part is not None]
            where = (np.concatenate([NO_LINES, *seen]) - 1) // d.pipelines
            cycles = -(-np.bincount(where, minlength=w) // d.updates_a_cycle)
            made.append(np.where(np.arange(d.pipelines) < cycles[:, None], 0, -1))
        combining = Stage(
            "updates out", sum(words), items=np.concatenate(made).astype(np.int32).ravel(),
            items_each=d.pipelines, lockstep=True,
        ).after(reading, np.arange(1, sum(words) + 1))  # fmt: skip
        free = np.maximum(np.arange(sum(words)) - WORDS_AHEAD, 0)
        reading.after(combining, free, when="sent")
        return combining

    def _crossbar(
        self, mine: list[int], edges: Stream | Stage, pe: int, starts: np.ndarray, queues: Queues
    ) -> Stream:
        """Return the lines of updates that one PE writes to the queues of another."""
        found, before = [], 0
        for p in mine:
            for q in self._parts_of(pe):
                if (part := queues[p][q]) is not None:
                    count = np.arange(self._lines_of(part))
                    filled = (count + 1) * self.line // self.update_width
                    seen = part.seen[np.minimum(filled, part.seen.size) - 1]
                    found.append(
                        (
                            self.at_queue[q] // self.line + starts[p, q] + count,
                            self._needed(seen, edges) + before,
                        )
                    )
            before += int(self._needed(self.edges[p], edges))
        return self._writes("updates", pe, edges, found)

    def _needed(self, seen: np.ndarray, edges: Stream | Stage) -> np.ndarray:
        """Return the lines, or the words of a stage, that have so many edges."""
        if isinstance(edges, Stage):
            return -(-seen // self.design.pipelines)
        made: np.ndarray = -(-seen * self.edge_width // self.line)
        return made

    def _writes(
        self,
        name: str,
        pe: int,
        reader: Stream | Stage,
        found: list[tuple[np.ndarray, np.ndarray]],
    ) -> Stream:
        """Return a stream that writes lines when enough was read; ``found`` has lines and needs."""
        first, need = (np.concatenate(c) for c in zip((NO_LINES, NO_LINES), *found, strict=True))
        order = np.argsort(need, kind="stable")  # a partition's needs are above those before it
        lines_of = Runs.single(first[order])
        writes = Stream(name, lines_of, write=True, channel=pe % self.channels)
        return writes.after(reader, need[order])

    def apply(self, problem: Problem, queues: Queues) -> tuple[np.ndarray, Written]:
        """Apply all updates; return which vertices changed, and what each queue writes after what."""
        changed = np.zeros(self.n, np.bool_)
        values = np.zeros(self.n) if problem.additive else problem.values
        written = []
        for q in range(self.parts):
            parts = [part for row in queues if (part := row[q]) is not None]
            first = np.cumsum([0, *map(self._lines_of, parts)])[:-1].tolist()
            targets = np.concatenate([np.zeros(0, np.int32), *(part.targets for part in parts)])
            update = np.concatenate([np.zeros(0), *(part.update for part in parts)])
            wrote = np.zeros(targets.size, np.bool_)
            call(gather, targets, update, problem.additive, values, changed, wrote)
            read = [NO_LINES]  # lines of the queue that end with each update, or later
            for part, begin in zip(parts, first, strict=True):
                ends = np.arange(1, part.targets.size + 1) * self.update_width
                read.append(begin + -(-ends // self.line))
            which = slice(None) if self.design.write_unchanged else wrote
            written.append((targets[which], np.concatenate(read)[which]))
        if problem.additive:
            problem.summed(values)
            changed[:] = True
        return changed, written

    def gather(self, iteration: int, queues: Queues, written: Written) -> Phase:
        """Return prefetches, updates, and values that are written."""
        total = [sum(self._lines_of(row[q]) for row in queues) for q in range(self.parts)]
        ports = []
        for pe in range(self.pes):
            everything = not self.design.partition_skipping
            mine = [q for q in self._parts_of(pe) if total[q] or everything]
            sizes = [(self.at_queue[q], total[q] * self.line) for q in mine]
            prefetch, reader = self._readers("updates read", pe, mine, sizes, self.update_width)
            before, found = np.cumsum(reader.runs.count) - reader.runs.count, []
            for at, q in enumerate(mine):
                if self.design.write_intervals:
                    own = lines(self.at_values[q], self._vertices(q) * self.width, self.line)
                    where = own.first[0] + np.arange(own.total if total[q] else 0)
                    found.append((where, np.full(where.size, before[at] + reader.runs.count[at])))
                    continue
                vertices, after = written[q]
                where = self.at_values[q] + (vertices - q * self.size).astype(np.int64) * self.width
                runs, needs = buffered(where, self.line, after, last=True)
                found.append((runs.first, needs + before[at]))
            writes = self._writes("writes", pe, reader, found)
            ports.append(Port(Direct(prefetch, reader, writes), self.design.inject))
        return Phase("gather", ports, iteration, drain=True)
