"""AccuGraph (Yao et al., PACT 2018): vertex-centric, pulls along the edges of an inverse CSR.

A partition has the edges whose sources are in an interval of the vertices. To process it, AccuGraph
prefetches the interval's values; reads values (those that are not on chip) and pointers of all
vertices, in turns; reads their neighbours, a line of them in a cycle; and writes values that changed.
A line of neighbours is done when the banks of the vertex cache have served each of them. Writes go
before neighbours, these before values and pointers. This partition and all that follow see changes at
once.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import ClassVar

import numpy as np

from ..dram import Memory
from ..streams import Phase, Port, Priority, RoundRobin, Runs, Stream, buffered, joined, lines
from .base import PARTITION_SIZES, Accelerator, Layout, Parameter, Size
from .partitions import call, edges_of, parts_of, pull
from .problem import Problem

__all__ = ["AccuGraph"]


class AccuGraph(Accelerator):
    """The accelerator AccuGraph, with the two enhancements of the paper.

    Parameters are keywords: ``AccuGraph.declared()`` lists them with what they mean and where their
    defaults come from. Edges have no weights.

    >>> import tachograph as tg
    >>> result = tg.simulate("bfs", tg.path(100), tg.AccuGraph(), source=0)
    >>> int(result.levels[99]), result.iterations
    (99, 2)
    """

    tasks: ClassVar[tuple[str, ...]] = ("bfs", "connected_components", "pagerank", "sssp")
    weights: ClassVar[bool] = False

    partition_size: Parameter[int | None] = Parameter(
        None,
        "vertices whose values are on chip together (None: all)",
        "Table 4",
        kind=int,
        low=1,
        search=(None, *PARTITION_SIZES),
    )
    vertex_pipelines: Parameter[int] = Parameter(8, "vertices begun in a cycle", "Table 4", low=1)
    edge_pipelines: Parameter[int] = Parameter(
        16, "edges begun in a cycle", "Table 4", low=1, search=(8, 16, 32)
    )
    vertex_pipeline_size: Parameter[int] = Parameter(
        8,
        "lines that each vertex pipeline reads ahead",
        "Table 4 (VS); inferred: its meaning",
        low=1,
    )
    edge_pipeline_size: Parameter[int] = Parameter(
        8, "lines that each edge pipeline reads ahead", "Table 4 (ES); inferred: its meaning", low=1
    )
    cache_banks: Parameter[int] = Parameter(
        16,
        "banks of the vertex cache, each serves a value in a cycle; vertex v is in v mod banks",
        "section 3.3; inferred: which vertex is where",
        low=1,
        search=(16, 32),
    )
    stalls: Parameter[bool] = Parameter(
        True, "whether neighbours wait for their bank", "section 3.3"
    )
    pointer_bits: Parameter[int] = Parameter(
        32, "width of a pointer in bits", "Table 3", choices=(32, 64)
    )
    prefetch_skipping: Parameter[bool] = Parameter(
        False,
        "keep values that are on chip already",
        "section 5: off in the published design",
        search=(False, True),
    )
    partition_skipping: Parameter[bool] = Parameter(
        False,
        "skip partitions without new values",
        "section 5: off in the published design",
        search=(False, True),
    )

    def width(self, task: str) -> int:
        """Return the bytes of a vertex value: 1 for ``bfs``, else 4, unless ``value_bits`` is set."""
        return (self.value_bits or (8 if task == "bfs" else 32)) // 8

    def memory(self) -> Memory:
        """Return the memory of Table 2: one channel of DDR4-2400R, 4 Gb x16."""
        return Memory("DDR4-2400R", channels=1, ranks=1, density="4Gb", width=16)

    @property
    def banks(self) -> int:
        """Banks of on-chip memory that the items of a line wait for."""
        return self.cache_banks

    def on_chip(self, n: int, task: str, channels: int) -> int:
        """Return the bytes of the values of a partition."""
        return min(n, self.partition_size or n) * self.width(task)

    def terms(self, size: Size) -> dict[str, float]:
        """Return seconds of requests, of pipelines and of phases."""
        n, width, edge = size.n, self.width(size.task), self.vertex_bits // 8
        parts = -(-n // max(1, min(n, self.partition_size or n)))
        prefetch = n * width * (0 if self.prefetch_skipping and parts == 1 else 1)
        once = n * width
        each = prefetch + parts * n * self.pointer_bits // 8 + (parts - 1) * n * width
        times = size.sweeps(min(n, self.partition_size or n), self.partition_skipping)
        cycle = 1e-6 / self.clock(size.task)
        taken = 1 / self.edge_pipelines
        if self.stalls:
            taken = max(taken, 1 / self.cache_banks)
        if self.stalls and size.active is not None:  # banks even out what is read ahead
            ahead = self.edge_pipelines * self.edge_pipeline_size * size.line // edge
            taken = max(taken, size.active.fullest(ahead, self.cache_banks))
        edges = size.edges * taken
        vertices = parts * n / self.vertex_pipelines
        channels = size.memory.channels
        read = size.moved((each + size.edges * edge) * times, channels)
        return {
            "slower": max(read, edges * cycle * times, vertices * cycle * times),
            "values": size.moved(each * times, channels),
            "edges": size.moved(size.edges * edge * times, channels),
            "changes": size.moved(once * (times * parts if size.additive else 1), 1),
            "edge cycles": edges * cycle * times,
            "vertex cycles": vertices * cycle * times,
            "phases": parts * times * 1e-7,
        }

    def phases(self, problem: Problem, layout: Layout) -> Iterator[Phase]:
        """Yield one phase for each partition in each iteration."""
        n = problem.graph.n
        size = min(n, self.partition_size or n)
        self.fits(size, self.width(problem.task), "partition_size")
        arrays = _Arrays(self, problem, layout, size)
        starts = np.arange(0, max(1, n), max(1, size))
        dirty = np.ones(starts.size, bool)  # partitions with values that they have not sent on
        on_chip, more = -1, n > 0
        while more:
            sent, target = problem.sent(), problem.values
            if problem.additive:
                target = np.zeros(n)
            some = False
            for p, (pointers, sources, _) in enumerate(parts_of(problem.graph, size, False)):
                if self.partition_skipping and not problem.additive and not dirty[p]:
                    continue
                dirty[p] = False
                changed = np.zeros(n, np.bool_)
                rule = problem.step, problem.additive
                call(pull, pointers, sources, *rule, sent, target, changed)
                if problem.additive and p == 0:
                    changed[:] = True  # every value begins anew
                if not problem.additive:
                    dirty |= np.logical_or.reduceat(changed, starts)
                some = some or bool(changed.any())
                skip = self.prefetch_skipping and on_chip == p
                on_chip = p
                port = arrays.requests(p, pointers, sources, changed, skip)
                yield Phase("pull", [port], problem.done)
            if problem.additive:
                problem.summed(target)
            more = problem.again(some)


class _Arrays:
    """Where the arrays of a run are, and the requests for them."""

    def __init__(self, design: AccuGraph, problem: Problem, layout: Layout, size: int) -> None:
        self.design, self.line = design, layout.line
        self.n, self.size = problem.graph.n, size
        self.width, self.edge = design.width(problem.task), design.vertex_bits // 8  # bytes
        self.pointer = design.pointer_bits // 8
        self.at_values = layout.place(self.n * self.width)
        self.places = [
            (layout.place((self.n + 1) * self.pointer), layout.place(edges * self.edge))
            for edges in edges_of(problem.graph, size).tolist()
        ]

    def requests(
        self, p: int, pointers: np.ndarray, sources: np.ndarray, changed: np.ndarray, skip: bool
    ) -> Port:
        """Return the requests of partition ``p``; with ``skip`` its values are on chip already."""
        d, line = self.design, self.line
        lo, hi = p * self.size, min(self.n, (p + 1) * self.size)
        at_pointers, at_neighbours = self.places[p]
        prefetch = Stream("prefetch", self._values(lo, lo if skip else hi))
        window = d.vertex_pipelines * d.vertex_pipeline_size
        reading = Stream(
            "pointers",
            lines(at_pointers, (self.n + 1) * self.pointer, line),
            rate=Fraction(d.vertex_pipelines * self.pointer, line),
            window=window,
        ).after(prefetch)
        values = Stream(
            "values",
            joined(self._values(0, lo), self._values(hi, self.n)),
            rate=Fraction(d.vertex_pipelines * self.width, line),
            window=window,
        ).after(prefetch)
        # Pointer line j tells the edges of all vertices but its last one.
        known = np.minimum(np.arange(1, reading.total + 1) * (line // self.pointer) - 1, self.n)
        known[-1] = self.n
        upto = -(-pointers[known].astype(np.int64) * self.edge // line)
        first = at_neighbours // line + np.append(0, upto[:-1])
        neighbours = Stream(
            "neighbours",
            Runs(first, np.diff(upto, prepend=0)),
            rate=Fraction(d.edge_pipelines * self.edge, line),
            window=d.edge_pipelines * d.edge_pipeline_size,
            items=sources if d.stalls else None,
            items_each=line // self.edge,
        )
        neighbours.after(reading, np.arange(1, reading.total + 1))
        neighbours.after(values, self._outside(known, lo, hi))
        written = np.flatnonzero(changed)
        need = -(-pointers[written + 1].astype(np.int64) * self.edge // line)
        where = self.at_values + written * self.width
        to_write, need = buffered(where, line, need, last=True)
        writes = Stream("writes", to_write, write=True).after(neighbours, need)
        return Port(Priority(writes, neighbours, RoundRobin(values, reading), prefetch), d.inject)

    def _values(self, lo: int, hi: int) -> Runs:
        """Return the lines of the values of vertices ``lo`` to ``hi``."""
        return lines(self.at_values + lo * self.width, (hi - lo) * self.width, self.line)

    def _outside(self, known: np.ndarray, lo: int, hi: int) -> np.ndarray:
        """Return how many lines of values outside the interval the first ``known`` vertices need."""
        before = -(-np.minimum(known, lo) * self.width // self.line)
        first = (self.at_values + hi * self.width) // self.line
        behind = -(-(self.at_values + known * self.width) // self.line) - first
        made: np.ndarray = before + np.where(known > hi, behind, 0)
        return made
