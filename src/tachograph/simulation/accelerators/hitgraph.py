"""HitGraph (Zhou et al., TPDS 2019): edge-centric, scatter and gather.

The vertices are cut into partitions; a partition has the edges out of its vertices, and a queue for
the updates of its vertices, on the channel of its processing element (PE). Scatter: every PE prefetches
the values of its next partition, reads its edges and makes updates, which a crossbar brings to the
queues of their targets. Gather: every PE prefetches values again, reads the queue and writes values.
Updates act on the values of the iteration before. All PEs end a phase together.

What a PE adds to a queue begins with a new line, so that a line has one writer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, TypeAlias

import numpy as np

from ...util.errors import InputError
from ..dram import Memory
from ..streams import Direct, Phase, Port, Runs, Stream, buffered, joined, lines
from .base import Accelerator, Layout, Parameter
from .partitions import Rule, Updates, call, gather, grouped, scatter
from .problem import ANSWERS, Problem

__all__ = ["HitGraph"]


@dataclass(frozen=True)
class Part:
    """The updates of one partition for another one, in order, and when each was made."""

    targets: np.ndarray
    update: np.ndarray
    need: np.ndarray  # lines of edges that must have been read


#: For each partition its updates of every other one.
Queues: TypeAlias = list[list[Part | None]]
#: For each queue the vertices that are written, and the lines of the queue that are read before.
Written: TypeAlias = list[tuple[np.ndarray, np.ndarray]]
NO_LINES = np.zeros(0, np.int64)


class HitGraph(Accelerator):
    """The accelerator HitGraph; each of its optimisations can be switched off.

    Parameters are keywords: ``HitGraph.declared()`` lists them with what they mean and where their
    defaults come from.

    >>> import tachograph as tg
    >>> result = tg.simulate("bfs", tg.path(100), tg.HitGraph(), source=0)
    >>> int(result.levels[99]), result.iterations
    (99, 100)
    """

    tasks: ClassVar[tuple[str, ...]] = tuple(ANSWERS)

    partition_size: Parameter[int] = Parameter(
        256_000, "vertices of a partition", "Table 4 (elements)", low=1
    )
    pes: Parameter[int | None] = Parameter(
        None,
        "processing elements (None: one for each channel of the memory)",
        "Table 4: 4, with the 4 channels of Table 2",
        kind=int,
        low=1,
    )
    pipelines: Parameter[int] = Parameter(
        8, "edges or updates read in a cycle by a PE", "Table 4", low=1
    )
    weighted: Parameter[bool] = Parameter(
        True, "whether edges carry a weight of 32 bits", "Table 3"
    )
    edge_bytes: Parameter[int | None] = Parameter(
        None,
        "bytes of an edge (None: source, target and, if weighted, weight)",
        "inferred: widths of Table 3; the paper says 64 bits for an edge without weight",
        kind=int,
        low=1,
    )
    update_merging: Parameter[bool] = Parameter(
        True, "sort edges by target and merge updates of one target", "section 3.2"
    )
    update_filtering: Parameter[bool] = Parameter(
        True, "no updates from unchanged vertices", "section 3.2"
    )
    partition_skipping: Parameter[bool] = Parameter(
        True, "skip partitions without changed values, or without updates", "section 3.2"
    )
    write_unchanged: Parameter[bool] = Parameter(
        True,
        "write the value for every update, even if it stays the same",
        "section 3.2: each update triggers the value write",
    )
    assignment: Parameter[str] = Parameter(
        "cyclic",
        "which PE has a partition: p mod PEs, or blocks of consecutive ones",
        "inferred: partitions are assigned beforehand, the text does not say how",
        choices=("cyclic", "blocks"),
    )

    def memory(self) -> Memory:
        """Return the memory of Table 2: four channels of DDR3-1600K, two ranks, 8 Gb x16."""
        return Memory("DDR3-1600K", channels=4, ranks=2, density="8Gb", width=16)

    def edge_width(self) -> int:
        """Return the bytes of an edge."""
        return self.edge_bytes or 2 * self.vertex_bits // 8 + 4 * self.weighted

    def phases(self, problem: Problem, layout: Layout) -> Iterator[Phase]:
        """Yield scatter and gather of each iteration."""
        if problem.weighted and not self.weighted:
            raise InputError(
                f"{problem.task} needs the graph's weights, but weighted=False leaves no room for "
                "them in an edge: set weighted=True, or drop the weights"
            )
        machine = _Machine(self, problem, layout)
        active, more = problem.active, problem.graph.n > 0
        while more:
            queues = machine.updates(problem, active)
            yield machine.scatter(problem.done, active, queues)
            active, written = machine.apply(problem, queues)
            yield machine.gather(problem.done, queues, written)
            more = problem.again(bool(active.any()))


class _Machine:
    """Partitions, where they lie, and the streams of a phase."""

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
        self.edge_width = design.edge_width()
        self.update_width = design.vertex_bits // 8 + self.width
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
        need = -(-seen * self.edge_width // self.line)
        queue = targets // self.size
        if not self.design.update_merging:
            order = np.argsort(queue, kind="stable")
            targets, update, need, queue = targets[order], update[order], need[order], queue[order]
        cuts = np.searchsorted(queue, np.arange(self.parts + 1))
        return [
            Part(targets[a:b], update[a:b], need[a:b]) if b > a else None
            for a, b in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True)
        ]

    def _lines_of(self, part: Part | None) -> int:
        return 0 if part is None else -(-part.targets.size * self.update_width // self.line)

    def scatter(self, iteration: int, active: np.ndarray, queues: Queues) -> Phase:
        """Return prefetches, edges and, through the crossbar, updates."""
        counts = np.array([[self._lines_of(part) for part in row] for row in queues], np.int64)
        starts = np.cumsum(counts, axis=0) - counts  # in lines of each queue
        ports, readers, own = [], [], []
        for pe in range(self.pes):
            mine = [p for p in self._parts_of(pe) if not self._idle(p, active)]
            sizes = [(self.at_edges[p], int(self.edges[p]) * self.edge_width) for p in mine]
            own.append(mine)
            readers.append(self._readers("edges", pe, mine, sizes, self.edge_width))
        for pe in range(self.pes):
            writes = [
                self._crossbar(mine, edges, pe, starts, queues)
                for mine, (_, edges) in zip(own, readers, strict=True)
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

    def _crossbar(
        self, mine: list[int], edges: Stream, pe: int, starts: np.ndarray, queues: Queues
    ) -> Stream:
        """Return the lines of updates that one PE writes to the queues of another."""
        found = []
        for p, before in zip(mine, np.cumsum(edges.runs.count) - edges.runs.count, strict=True):
            for q in self._parts_of(pe):
                if (part := queues[p][q]) is not None:
                    count = np.arange(self._lines_of(part))
                    filled = (count + 1) * self.line // self.update_width
                    need = part.need[np.minimum(filled, part.need.size) - 1]
                    found.append(
                        (self.at_queue[q] // self.line + starts[p, q] + count, need + before)
                    )
        return self._writes("updates", pe, edges, found)

    def _writes(
        self, name: str, pe: int, reader: Stream, found: list[tuple[np.ndarray, np.ndarray]]
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
                vertices, after = written[q]
                where = self.at_values[q] + (vertices - q * self.size).astype(np.int64) * self.width
                runs, needs = buffered(where, self.line, after, last=True)
                found.append((runs.first, needs + before[at]))
            writes = self._writes("writes", pe, reader, found)
            ports.append(Port(Direct(prefetch, reader, writes), self.design.inject))
        return Phase("gather", ports, iteration, drain=True)
