"""AccuGraph (Yao et al., PACT 2018): vertex-centric, pulls along the edges of an inverse CSR.

A partition has the edges whose sources are in an interval of the vertices. Processing it: prefetch
the interval's values; read values (those that are not on chip) and pointers of all vertices, in turns;
read their neighbours, a line of them in a cycle; write values that changed. A line of neighbours is
done when the banks of the vertex cache have served each of them. Writes go before neighbours, these
before values and pointers. Changes are seen at once, by this partition and all that follow.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import ClassVar

import numpy as np

from ..dram import Memory
from ..streams import Phase, Port, Priority, RoundRobin, Runs, Stream, buffered, joined, lines
from .base import Accelerator, Parameter
from .layout import Layout
from .partitions import InRows
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

    algorithms: ClassVar[tuple[str, ...]] = ("bfs", "wcc", "pagerank", "sssp")
    weights: ClassVar[bool] = False

    partition_size = Parameter(
        None, "vertices whose values are on chip together (None: all)", "Table 4", kind=int, low=1
    )
    vertex_pipelines = Parameter(8, "vertices begun in a cycle", "Table 4", low=1)
    edge_pipelines = Parameter(16, "edges begun in a cycle", "Table 4", low=1)
    vertex_pipeline_size = Parameter(
        8, "lines of pointers, and of values, that each vertex pipeline can have asked for",
        "Table 4 (VS); inferred: its meaning", low=1,
    )  # fmt: skip
    edge_pipeline_size = Parameter(
        8, "lines of neighbours that each edge pipeline can have asked for",
        "Table 4 (ES); inferred: its meaning", low=1,
    )  # fmt: skip
    cache_banks = Parameter(
        16, "banks of the vertex cache, each serves a value in a cycle; vertex v is in v mod banks",
        "section 3.3; inferred: which vertex is where", low=1,
    )  # fmt: skip
    stalls = Parameter(
        True, "whether neighbours wait for their bank of the vertex cache", "section 3.3"
    )
    pointer_bits = Parameter(32, "width of a pointer in bits", "Table 3", choices=(32, 64))
    prefetch_skipping = Parameter(
        False, "keep values that are on chip already", "section 5: off in the published design"
    )
    partition_skipping = Parameter(
        False, "skip partitions without new values", "section 5: off in the published design"
    )

    def width(self, algorithm: str) -> int:
        """Bytes of a vertex value: 8 bits for BFS, else 32."""
        return (self.value_bits or (8 if algorithm == "bfs" else 32)) // 8

    def memory(self) -> Memory:
        """Table 2: one channel of DDR4-2400R, 4 Gb x16."""
        return Memory("DDR4-2400R", channels=1, ranks=1, density="4Gb", width=16)

    @property
    def banks(self) -> int:
        """Banks of on-chip memory that items of a line wait for."""
        return self.cache_banks

    def phases(self, problem: Problem, layout: Layout) -> Iterator[Phase]:
        """One phase for each partition in each iteration."""
        n, width = problem.graph.n, self.width(problem.algorithm)
        size = min(n, self.partition_size or n)
        self.fits(size, width, "partition_size")
        rows = InRows(problem.graph, size)
        base = layout.place(n * width)
        pointer = self.pointer_bits // 8
        places = [(layout.place((n + 1) * pointer), layout.place(edges * self.vertex_bits // 8))
                  for edges in rows.edges]  # fmt: skip
        dirty = np.ones(len(places), bool)  # partitions with values that they have not sent on
        on_chip, more = -1, n > 0
        while more:
            sent, target = problem.sent(), problem.values
            if problem.additive:
                target = np.zeros(n)
            some = False
            for p, pointers, sources in rows.parts():
                if self.partition_skipping and not problem.additive and not dirty[p]:
                    continue
                dirty[p] = False
                changed = rows.pull(problem, pointers, sources, sent, target)
                if problem.additive and p == 0:
                    changed[:] = True  # every value begins anew
                if not problem.additive:
                    dirty |= np.logical_or.reduceat(changed, rows.starts)
                some = some or bool(changed.any())
                skip = self.prefetch_skipping and on_chip == p
                on_chip = p
                yield self._partition(
                    problem.done, (p * size, min(n, (p + 1) * size)), pointers, sources, changed,
                    (base, *places[p]), (width, pointer), skip, layout.line,
                )  # fmt: skip
            if problem.additive:
                problem.summed(target)
            more = problem.again(some)

    def _partition(
        self,
        iteration: int,
        interval: tuple[int, int],
        pointers: np.ndarray,
        sources: np.ndarray,
        changed: np.ndarray,
        places: tuple[int, int, int],
        widths: tuple[int, int],
        skip: bool,
        line: int,
    ) -> Phase:
        n, (lo, hi), (width, pointer), edge = changed.size, interval, widths, self.vertex_bits // 8
        at_values, at_pointers, at_neighbours = places
        prefetch = Stream("prefetch", lines(at_values + lo * width, (hi - lo) * width, line))
        if skip:
            prefetch = Stream("prefetch", lines(0, 0, line))
        window = self.vertex_pipelines * self.vertex_pipeline_size
        reading = Stream(
            "pointers", lines(at_pointers, (n + 1) * pointer, line),
            rate=Fraction(self.vertex_pipelines * pointer, line), window=window,
        ).after(prefetch)  # fmt: skip
        values = Stream(
            "values",
            joined(lines(at_values, lo * width, line),
                   lines(at_values + hi * width, (n - hi) * width, line)),
            rate=Fraction(self.vertex_pipelines * width, line), window=window,
        ).after(prefetch)  # fmt: skip
        # With pointer line j there are the edges of all vertices but its last one.
        each = line // pointer
        known = np.minimum(np.arange(1, reading.total + 1) * each - 1, n)
        known[-1] = n
        upto = -(-pointers[known].astype(np.int64) * edge // line)
        runs = Runs(at_neighbours // line + np.append(0, upto[:-1]), np.diff(upto, prepend=0))
        neighbours = Stream(
            "neighbours", runs, rate=Fraction(self.edge_pipelines * edge, line),
            window=self.edge_pipelines * self.edge_pipeline_size,
            items=sources if self.stalls else None, items_each=line // edge,
        )  # fmt: skip
        neighbours.after(reading, np.arange(1, reading.total + 1))
        neighbours.after(values, _outside(known, at_values, lo, hi, width, line))
        written = np.flatnonzero(changed)
        need = -(-pointers[written + 1].astype(np.int64) * edge // line)
        to_write, need = buffered(at_values + written * width, line, need, last=True)
        writes = Stream("writes", to_write, write=True).after(neighbours, need)
        merged = Priority(writes, neighbours, RoundRobin(values, reading), prefetch)
        return Phase("pull", [Port(merged, self.inject)], iteration)


def _outside(known: np.ndarray, base: int, lo: int, hi: int, width: int, line: int) -> np.ndarray:
    """Lines of values, without those of the interval, that the first ``known`` vertices need."""
    before = -(-np.minimum(known, lo) * width // line)
    first = (base + hi * width) // line
    behind = -(-(base + known * width) // line) - first
    made: np.ndarray = before + np.where(known > hi, behind, 0)
    return made
