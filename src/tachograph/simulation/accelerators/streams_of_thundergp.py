"""The graph as ThunderGP stores it, and the requests of a superstep.

Every kernel has its own order of partitions, in which nothing waits for other kernels: all partitions
of a superstep are one set of streams, and the first line of a chunk waits for the last write of the
chunk before it. The apply kernel waits for all kernels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...graph.graph import Graph
from ..streams import Port, RoundRobin, Runs, Stage, Stream, joined, lines, prefetched
from .base import Layout

if TYPE_CHECKING:
    from .thundergp import Build, ThunderGP

ALIGNED_EDGES = 2048  # chunks are cut at multiples of it (global_config.h)
EDGE_BYTES = 4  # of a source, target, weight or value
BURST_BYTES = 4096  # that are written, or kept together when they are read
READ_BYTES = 8192  # that the apply kernel reads into a buffer before it uses them
COLLECT_CYCLES = 32  # to fill the buffer of a burst that is written
APPLY_QUEUE_LINES = 18  # between the apply function and the buffers of its writers
SLICES_DEPTH = 8  # words in the slices before and behind the queue of a PE


@dataclass(frozen=True)
class Stored:
    """Edges as the machine has them: by partition of targets, in order of sources.

    ``vertices`` is how many have edges; the others are dropped, and their edges go to the next one.
    ``sources`` are ids of the graph, ``source`` and ``target`` those of the machine. A chunk is where
    its edges begin and end; ``chunks[p]`` has those of a partition.
    """

    vertices: int
    size: int
    sources: np.ndarray
    source: np.ndarray
    target: np.ndarray
    cuts: np.ndarray

    @classmethod
    def of(cls, graph: Graph, size: int) -> Stored:
        """Return the edges of a graph, in partitions of ``size`` targets."""
        rows = graph.sorted
        kept = rows.degrees > 0
        vertices = int(np.count_nonzero(kept))
        new: np.ndarray = (np.cumsum(kept) - kept).astype(np.int32)
        np.minimum(new, max(0, vertices - 1), out=new)
        sources = np.repeat(np.arange(graph.n, dtype=np.int32), rows.degrees)
        target = new[rows.indices]
        parts = -(-vertices // size)
        if parts > 1:
            order = np.argsort(target // size, kind="stable")
            sources, target = sources[order], target[order]
        numbers = np.arange(parts + 1) * size
        cuts = np.searchsorted(target // size, numbers // size) if parts else np.zeros(1, np.int64)
        return cls(vertices, size, sources, new[sources], target, cuts)

    def order(self) -> list[int]:
        """Return the partitions with edges, those with most of them first."""
        edges = np.diff(self.cuts)
        found: list[int] = np.argsort(-edges, kind="stable")[: np.count_nonzero(edges)].tolist()
        return found

    def owned(self, p: int) -> int:
        """Return the vertices that apply handles for a partition."""
        own = min(self.vertices, (p + 1) * self.size) - p * self.size
        return (own // ALIGNED_EDGES + 1) * ALIGNED_EDGES

    def chunks(self, p: int, kernels: int) -> list[tuple[int, int]]:
        """Return where the chunks of a partition begin and end."""
        begin, end = int(self.cuts[p]), int(self.cuts[p + 1])
        each = (end - begin) // kernels // ALIGNED_EDGES * ALIGNED_EDGES
        starts = [begin + k * each for k in range(kernels)]
        return list(zip(starts, [*starts[1:], end], strict=True))


def assigned(stored: Stored, kernels: int) -> list[list[tuple[int, int]]]:
    """Return for each kernel its chunk of every partition, in the order in which they run.

    Long chunks go to kernels that have had the least time so far, as the authors' scheduler estimates
    it, in ns (scheduler.cpp).
    """
    spent = np.zeros(kernels)
    mine: list[list[tuple[int, int]]] = [[] for _ in range(kernels)]
    for p in stored.order():
        chunks = stored.chunks(p, kernels)
        times = [_estimate(stored, *chunk) for chunk in chunks]
        longest = np.argsort(times, kind="stable")[::-1]
        for chunk, kernel in zip(longest.tolist(), np.argsort(spent, kind="stable"), strict=True):
            mine[kernel].append(chunks[chunk])
            spent[kernel] += times[chunk]
    return mine


def _estimate(stored: Stored, begin: int, end: int) -> float:
    edges = float(end - begin)
    vertices = float(stored.source[end - 1] - stored.source[begin] + 1) if end > begin else 0.0
    slow = 309_600 + 0.6971 * edges + 0.2648 * vertices
    return slow - 1.076e-8 * edges * vertices + 4.187e-8 * vertices**2


class Machine:
    """Where arrays lie, and the streams of a superstep."""

    build: Build
    stored: Stored
    start: int
    line: int
    kernels: int
    burst: int
    parts: list[int]
    mine: list[list[tuple[int, int]]]
    at_degrees: int

    def __init__(
        self, design: ThunderGP, build: Build, stored: Stored, layout: Layout, start: int
    ) -> None:
        self.design, self.build, self.stored, self.start = design, build, stored, start
        self.line, self.kernels = layout.line, layout.memory.channels
        self.burst = BURST_BYTES // self.line
        self.parts = stored.order()
        self.mine = assigned(stored, self.kernels)
        arrays = ["sources", "targets", *["weights"] * build.weights]
        values = stored.vertices * EDGE_BYTES + READ_BYTES
        own = sum(stored.size * EDGE_BYTES for _ in self.parts)
        self.at: list[dict[str, int]] = []
        for channel in range(self.kernels):
            edges = sum(_aligned(end - begin) for begin, end in self.mine[channel]) * EDGE_BYTES
            sizes = dict.fromkeys(arrays, edges) | {
                "values": values,
                "new": values,
                "gathered": own,
            }
            placed = {name: layout.place(size, channel) for name, size in sizes.items()}
            self.at.append(placed)
        self.at_degrees = layout.place(values, min(2, self.kernels - 1)) if build.degrees else 0
        self.arrays = arrays

    def ports(self, kept: np.ndarray | None) -> list[Port]:
        """Return a port for each channel; ``kept`` says which edges reach the PEs (None: all)."""
        channels: list[list[Stream]] = [[] for _ in range(self.kernels)]
        written = []
        for channel in range(self.kernels):
            streams, writes = self._kernel(channel, kept)
            channels[channel] += streams
            written.append(writes)
        if self.build.apply and self.parts:
            for channel, stream in self._apply(written):
                channels[channel].append(stream)
        return [Port(RoundRobin(*streams), self.design.inject) for streams in channels if streams]

    def _kernel(self, channel: int, kept: np.ndarray | None) -> tuple[list[Stream], Stream]:
        """Return the streams of a scatter-gather kernel, and that of what it writes."""
        d, line, mine, at = self.design, self.line, self.mine[channel], self.at[channel]
        edges = np.array([_aligned(end - begin) for begin, end in mine], np.int64)
        first = np.cumsum(edges) - edges
        runs = joined(
            *(
                lines(int(f) * EDGE_BYTES, int(e) * EDGE_BYTES, line)
                for f, e in zip(first, edges, strict=True)
            )
        )
        # writes of a partition: a burst is collected, written, and answered
        bursts = -(-self.stored.size * EDGE_BYTES // BURST_BYTES)
        count = bursts * len(mine)
        one = np.arange(count) * self.burst
        to_write = Runs(at["gathered"] // line + one, np.full(count, self.burst, np.int64))
        writes = Stream(
            "gathered", to_write, write=True, channel=channel, rate=1,
            latency=d.port_cycles, burst=self.burst,
        )  # fmt: skip
        readers = [
            Stream(
                name, Runs(at[name] // line + runs.first, runs.count), channel=channel, rate=1,
                latency=d.port_cycles, burst=self.burst,
            )
            for name in self.arrays
        ]  # fmt: skip
        start = Stage("start", len(mine), interval=0, latency=self.start)
        start.after(writes, np.arange(len(mine)) * bursts * self.burst)
        for reader in readers:
            reader.after(start, np.arange(1, len(mine) + 1))
        values, use = self._prefetcher(channel, mine, readers[0])
        words = -(-edges // d.edges_a_cycle)
        stage = self._gather(mine, words, kept)
        upto = np.concatenate([
            f + np.minimum(np.arange(1, w + 1) * d.edges_a_cycle, e)
            for f, w, e in zip(first, words, edges, strict=True)
        ]) if mine else np.zeros(0, np.int64)  # fmt: skip
        for reader in readers:
            stage.after(reader, -(-upto * EDGE_BYTES // line), room=d.edge_room)
        if values.total:
            stage.after(values, use[(upto - 1) * EDGE_BYTES // line], room=d.value_room)
        collect = Stage("collect", count, interval=0, latency=COLLECT_CYCLES)
        collect.after(stage, np.repeat(np.cumsum(words), bursts)).after(writes, one)
        collect.after(start, np.repeat(np.arange(1, len(mine) + 1), bursts))
        writes.after(collect, np.arange(1, count + 1))
        return [*readers, values, writes], writes

    def _prefetcher(
        self, channel: int, mine: list[tuple[int, int]], sources: Stream
    ) -> tuple[Stream, np.ndarray]:
        """Return the reads of values, and how many of its lines each line of sources needs."""
        each = self.line // EDGE_BYTES
        block = max(1, self.build.block * 64 // self.line)
        runs, need, use, lines_before, values_before = [], [], [], 0, 0
        for begin, end in mine:
            count = -(-_aligned(end - begin) * EDGE_BYTES // self.line)
            last = np.minimum(np.arange(1, count + 1) * each, end - begin) + begin - 1
            wanted = self.stored.source[last].astype(np.int64) if end > begin else last * 0
            found, blocks = prefetched(wanted // each, block)
            firsts = np.searchsorted(blocks, np.arange(1, found.first.size + 1))
            runs.append(Runs(found.first + self.at[channel]["values"] // self.line, found.count))
            need.append(lines_before + firsts + 1)
            use.append(values_before + blocks * block)
            lines_before += count
            values_before += found.total
        nothing = np.zeros(0, np.int64)
        values = Stream(
            "values", joined(*runs), channel=channel, rate=1, latency=self.design.port_cycles,
            burst=self.burst,
        )  # fmt: skip
        values.after(sources, np.concatenate([nothing, *need]))
        return values, np.concatenate([nothing, *use])

    def _gather(
        self, mine: list[tuple[int, int]], words: np.ndarray, kept: np.ndarray | None
    ) -> Stage:
        """Return the stage in which edges reach the processing elements."""
        d = self.design
        items = np.full(int(words.sum()) * d.edges_a_cycle, -1, np.int32)
        at = 0
        for (begin, end), many in zip(mine, words.tolist(), strict=True):
            own = items[at : at + end - begin]
            own[:] = self.stored.target[begin:end] % d.gather_pes
            if kept is not None:
                own[~kept[begin:end]] = -1
            at += many * d.edges_a_cycle
        return Stage(
            "gather", int(words.sum()), items=items, items_each=d.edges_a_cycle, banks=d.gather_pes,
            cycles_each=d.gather_cycles, depth=d.queue or self.build.queue + SLICES_DEPTH,
        )  # fmt: skip

    def _apply(self, written: list[Stream]) -> list[tuple[int, Stream]]:
        """Return the streams of the apply kernel, each with its channel.

        It reads a buffer from every array, uses it line by line, and collects bursts that it writes:
        the two loops of its readers and writers take turns (burstReadLite, writeBackLite).
        """
        d, line = self.design, self.line
        whole = READ_BYTES // line
        counts = [-(-self.stored.owned(p) * EDGE_BYTES // line) for p in self.parts]
        first = [p * self.stored.size * EDGE_BYTES // line for p in self.parts]
        gathered = [i * (self.stored.size * EDGE_BYTES // line) for i in range(len(self.parts))]
        total = sum(counts)
        use = Stage("apply", total)
        bursts = -(-self.stored.size * EDGE_BYTES // BURST_BYTES) * self.burst
        chunk = [np.arange(0, c, whole) for c in counts]
        before = np.cumsum(counts) - counts
        begun = np.concatenate([b + c for b, c in zip(before, chunk, strict=True)])
        part = np.repeat(np.arange(1, len(self.parts) + 1), [c.size for c in chunk])
        start = Stage("start apply", len(self.parts), interval=0, latency=self.start)
        for writes in written:
            start.after(writes, np.arange(1, len(self.parts) + 1) * bursts)
        sizes = np.concatenate(
            [np.minimum(whole, n - c) for n, c in zip(counts, chunk, strict=True)]
        )

        def reader(name: str, channel: int, at: int, starts: list[int]) -> tuple[int, Stream]:
            where = np.concatenate([at // line + s + c for s, c in zip(starts, chunk, strict=True)])
            made = Stream(
                name, Runs(where, sizes), channel=channel, rate=1, latency=d.port_cycles,
                burst=self.burst,
            )  # fmt: skip
            made.after(use, begun, when="sent").after(start, part)
            use.after(made, np.minimum(np.repeat(begun + sizes, sizes), total))
            return channel, made

        found = [reader("old values", 0, self.at[0]["values"], first)]
        for channel in range(self.kernels):
            found.append(reader("read back", channel, self.at[channel]["gathered"], gathered))
        if self.build.degrees:
            found.append(reader("degrees", min(2, self.kernels - 1), self.at_degrees, first))
        ends = np.concatenate([b + np.append(np.arange(self.burst, c, self.burst), c)
                               for b, c in zip(before, counts, strict=True)])  # fmt: skip
        size = np.diff(ends, prepend=0)
        where = np.concatenate(
            [s + np.arange(0, c, self.burst) for s, c in zip(first, counts, strict=True)]
        )
        free = np.maximum(np.arange(total) - APPLY_QUEUE_LINES, 0)
        done = (ends - size)[np.searchsorted(ends, free, side="right")]
        for channel in range(self.kernels):
            to = Runs(self.at[channel]["new"] // line + where, size)
            new = Stream(
                "new values", to, write=True, channel=channel, rate=1, latency=d.port_cycles,
                burst=self.burst,
            ).after(use, ends)  # fmt: skip
            use.after(new, done)
            found.append((channel, new))
        return found


def _aligned(edges: int) -> int:
    """Return how many edges are read for a chunk of so many."""
    return -(-edges // ALIGNED_EDGES) * ALIGNED_EDGES
