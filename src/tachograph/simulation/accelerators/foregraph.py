"""ForeGraph (Dai et al., FPGA 2017), one board of it: blocks of edges between intervals of vertices.

The vertices are cut into intervals of at most 65,536, so that an edge between two intervals takes two
ids of 16 bits. For every destination interval its values are loaded; then, for each source interval,
the source's values are loaded and the edges of that block are read; at the end the destination's
values are written back. Blocks without edges, and those whose sources did not change, are left out.
Changes are seen by the intervals that follow.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import ClassVar, TypeAlias

import numpy as np

from ...graph.graph import Graph
from ..streams import Phase, Port, Priority, Runs, Stream, joined, lines
from .base import NO_SOURCE, Accelerator, Layout, Parameter, Size
from .problem import Problem

__all__ = ["ForeGraph"]

#: Sources and targets of the edges from one interval to another.
Block: TypeAlias = tuple[np.ndarray, np.ndarray]


class ForeGraph(Accelerator):
    """The accelerator ForeGraph on one board. Edges have no weights.

    Parameters are keywords: ``ForeGraph.declared()`` lists them with what they mean and where their
    defaults come from.

    >>> import tachograph as tg
    >>> result = tg.simulate("bfs", tg.path(100), tg.ForeGraph(partition_size=10), source=0)
    >>> int(result.levels[99]), result.iterations  # nine ends of intervals are passed at once
    (99, 91)
    """

    tasks: ClassVar[tuple[str, ...]] = ("bfs", "connected_components", "pagerank", "sssp")
    weights: ClassVar[bool] = False

    partition_size: Parameter[int] = Parameter(
        65_536,
        "vertices of an interval",
        "the article: ids of 16 bits",
        low=1,
        search=(1 << 12, 1 << 14, 1 << 16),
    )
    edge_bytes: Parameter[int] = Parameter(
        4, "bytes of an edge", "the article: two ids of 16 bits", low=1
    )
    edges_a_cycle: Parameter[int] = Parameter(
        16, "edges read in a cycle", "inferred: a line of 4-byte edges", low=1, search=(8, 16, 32)
    )
    block_skipping: Parameter[bool] = Parameter(
        True, "leave out blocks whose sources did not change", NO_SOURCE
    )

    def on_chip(self, n: int, task: str, channels: int) -> int:
        """Return the bytes of the values of two intervals."""
        return 2 * min(n, self.partition_size) * self.width(task)

    def terms(self, size: Size) -> dict[str, float]:
        """Return seconds of requests, of pipelines, and of blocks that wait for one another."""
        n, width = size.n, self.width(size.task)
        parts = max(1, -(-n // self.partition_size))
        times = size.sweeps(self.partition_size, self.block_skipping)
        cycle = 1e-6 / self.clock(size.task)
        channels = size.memory.channels
        read = size.moved(size.edges * self.edge_bytes * times, channels)
        taken = size.edges / self.edges_a_cycle * cycle * times
        return {
            "slower": max(read, taken),
            "values": size.moved((parts + 1) * n * width * times, channels),
            "edges": read,
            "writes": size.moved(n * width * (times if size.additive else 1), channels),
            "edge cycles": taken,
            "blocks": min(parts**2, size.edges) * times * 1e-7,
            "phases": parts * times * 1e-7,
        }

    def phases(self, problem: Problem, layout: Layout) -> Iterator[Phase]:
        """Yield a phase for each destination interval that has work."""
        n, width, size = problem.graph.n, self.width(problem.task), self.partition_size
        self.fits(2 * min(n, size), width, "partition_size, for sources and destinations")
        blocks = _blocks(problem.graph, size)
        at_values = layout.place(n * width)
        at_edges = {b: layout.place(len(e[0]) * self.edge_bytes) for b, e in blocks.items()}
        count = -(-n // size)
        changed, more = np.ones(count, bool), n > 0

        def values(i: int) -> Runs:
            own = min(n, (i + 1) * size) - i * size
            return lines(at_values + i * size * width, own * width, layout.line)

        while more:
            sent = problem.sent()
            target = np.zeros(n) if problem.additive else problem.values
            new = np.zeros(count, bool)
            for j in range(count):
                live = changed | problem.additive | (not self.block_skipping)
                mine = [i for i in range(count) if (i, j) in blocks and live[i]]
                part = slice(j * size, (j + 1) * size)
                before = target[part].copy()
                for i in mine:
                    _apply(problem, blocks[i, j], sent, target)
                new[j] = problem.additive or bool((target[part] != before).any())
                if mine:
                    edges = [
                        lines(at_edges[i, j], len(blocks[i, j][0]) * self.edge_bytes, layout.line)
                        for i in mine
                    ]
                    written = values(j) if new[j] else lines(0, 0, layout.line)
                    rate = Fraction(self.edges_a_cycle * self.edge_bytes, layout.line)
                    reading = Stream("edges", joined(*edges), rate=rate)
                    port = self._port([values(i) for i in mine], values(j), reading, written)
                    yield Phase("interval", [port], problem.done)
            if problem.additive:
                problem.summed(target)
            changed = new
            more = problem.again(bool(new.any()))

    def _port(self, sources: list[Runs], own: Runs, reading: Stream, written: Runs) -> Port:
        """Return the requests for one destination interval."""
        destination = Stream("destination", own)
        loading = Stream("sources", joined(*sources))
        # a block's edges follow its sources; the next sources follow the edges
        reading.after(loading, np.cumsum(loading.runs.count)).after(destination)
        loading.after(reading, np.cumsum(reading.runs.count) - reading.runs.count)
        back = Stream("writes", written, write=True).after(reading)
        return Port(Priority(back, reading, loading, destination), self.inject)


def _blocks(graph: Graph, size: int) -> dict[tuple[int, int], Block]:
    """Return the edges of every block that has some, by its source and destination interval."""
    count = max(1, -(-graph.n // size))
    sources = np.repeat(np.arange(graph.n, dtype=np.int32), graph.degrees)
    number = (graph.indices // size).astype(np.int64) * count + sources // size
    order = np.argsort(number, kind="stable")
    number = number[order]
    cuts = np.flatnonzero(np.diff(number, prepend=-1))
    made = {}
    ends = np.append(cuts[1:], number.size)[: cuts.size]  # none, if there are no edges
    for a, b in zip(cuts.tolist(), ends.tolist(), strict=True):
        j, i = divmod(int(number[a]), count)
        made[i, j] = sources[order[a:b]], graph.indices[order[a:b]]
    return made


def _apply(problem: Problem, edges: Block, sent: np.ndarray, target: np.ndarray) -> None:
    """Let the sources' values, as they were loaded, reach the destinations."""
    sources, targets = edges
    if problem.additive:
        np.add.at(target, targets, sent[sources])
    else:
        np.minimum.at(target, targets, sent[sources] + problem.step)
