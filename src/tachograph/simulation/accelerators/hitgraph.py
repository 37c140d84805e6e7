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
from typing import ClassVar

from ...util.errors import InputError
from ..dram import Memory
from ..streams import Phase
from .base import PARTITION_SIZES, WIDTHS, Accelerator, Layout, Parameter, Size
from .problem import ANSWERS, Problem
from .streams_of_hitgraph import Machine

__all__ = ["HitGraph"]

#: Bytes of an edge in the public RTL (``EDGE_W`` of each algorithm's pipeline); bfs is sssp.
RTL_EDGE_BYTES = {"bfs": 8, "sssp": 8, "connected_components": 8, "pagerank": 8, "spmv": 12}
RTL = "public RTL (pgroupATusc/HitGraph)"


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
        256_000, "vertices of a partition", "Table 4 (elements)", low=1, search=PARTITION_SIZES
    )
    pes: Parameter[int | None] = Parameter(
        None,
        "processing elements (None: one for each channel of the memory)",
        "Table 4: 4, with the 4 channels of Table 2",
        kind=int,
        low=1,
    )
    pipelines: Parameter[int] = Parameter(
        8, "edges or updates read in a cycle by a PE", "Table 4", low=1, search=(4, 8, 16)
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
    edges_as_rtl: Parameter[bool] = Parameter(
        False,
        "edges as wide as in the RTL: 12 bytes for spmv, 8 for all others",
        f"off: Table 3; on: EDGE_W of the {RTL}. On the full rmat-21-86 it makes pagerank worse",
    )
    update_bits: Parameter[int | None] = Parameter(
        None,
        "bits of the value in an update (None: as a vertex value)",
        RTL,
        kind=int,
        choices=WIDTHS,
    )
    vertex_banks: Parameter[int | None] = Parameter(
        None,
        "banks of the vertex buffer, source mod banks; a word of edges waits for its slowest bank, "
        "and the next word for it (None: no stalls)",
        f"off: the text has no stalls; 32 in the {RTL}, Conflict_Resolverx8.v, which makes pagerank "
        "and spmv worse on the full rmat-21-86",
        kind=int,
        low=1,
    )
    updates_a_cycle: Parameter[int | None] = Parameter(
        None,
        "updates that a PE sends in a cycle (None: as many as its edges make)",
        f"off: the text has no limit; 1 in the {RTL}, combining_networkx8.v",
        kind=int,
        low=1,
    )
    write_intervals: Parameter[bool] = Parameter(
        False,
        "write all values of a partition in order when its updates are read, not one by one",
        f"off: section 3.2; on: inferred from the {RTL}, where gather writes to the chip only",
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

    def on_chip(self, n: int, task: str, channels: int) -> int:
        """Return the bytes of the values of a partition for each PE."""
        return (self.pes or channels) * min(max(1, n), self.partition_size) * self.width(task)

    def terms(self, size: Size) -> dict[str, float]:
        """Return seconds of requests, of pipelines and of phases; channels have whole partitions."""
        n, width = size.n, self.width(size.task)
        own = max(1, min(n, self.partition_size))
        parts = -(-n // own)
        times = size.sweeps(own, self.partition_skipping)
        busy = size.busy(own, self.pes or size.memory.channels)
        updates = size.updates(own, self.update_merging)
        update = self.vertex_bits // 8 + width
        cycle = 1e-6 / self.clock(size.task)
        read = size.moved(size.edges * self.edge_width(size.task) * times, busy)
        taken = size.edges / self.pipelines / busy * cycle * times
        return {
            "slower": max(read, taken),
            "values": size.moved(2 * n * width * times, busy),
            "edges": read,
            "updates": size.moved(2 * updates * update, busy),
            "writes": size.moved(min(updates * size.line, times * parts * n * width), busy),
            "edge cycles": taken,
            "phases": 2 * size.iterations * 1e-7,
            "partitions": parts / busy * times * 1e-7,
        }

    def edge_width(self, task: str) -> int:
        """Return the bytes of an edge."""
        if self.edges_as_rtl and self.edge_bytes is None:
            return RTL_EDGE_BYTES[task]
        return self.edge_bytes or 2 * self.vertex_bits // 8 + 4 * self.weighted

    def phases(self, problem: Problem, layout: Layout) -> Iterator[Phase]:
        """Yield scatter and gather of each iteration."""
        if problem.weighted and not self.weighted:
            raise InputError(
                f"{problem.task} needs the graph's weights, but weighted=False leaves no room for "
                "them in an edge: set weighted=True, or drop the weights"
            )
        machine = Machine(self, problem, layout)
        active, more = problem.active, problem.graph.n > 0
        while more:
            queues = machine.updates(problem, active)
            yield machine.scatter(problem.done, active, queues)
            active, written = machine.apply(problem, queues)
            yield machine.gather(problem.done, queues, written)
            more = problem.again(bool(active.any()))
