"""ThunderGP (Chen et al., FPGA 2021): edge-centric on boards with four memory channels.

A partition is all edges to an interval of targets, in order of their sources. It is cut into chunks,
one for each channel, where a kernel reads sources and targets (and weights), prefetches the sources'
values, and gathers what arrives in sixteen processing elements with buffers on the chip. When a chunk
is read, the kernel writes its buffer, all of it. The apply kernel then reads what the kernels wrote,
and writes the new values to every channel, beside the next partition. A superstep ends when all are
done, and acts on the values of the one before.

The facts are from the article and from its public source (commit c316a34); ``streams_of_thundergp``
has the requests.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, NamedTuple

import numpy as np

from ...algorithms.result import Trace
from ...util.errors import InputError
from ..dram import Memory
from ..streams import Phase
from .base import PARTITION_SIZES, Accelerator, Layout, Parameter, Size
from .partitions import Groups, Rule, Updates, call, gather, grouped, scatter
from .problem import ANSWERS, Problem
from .streams_of_thundergp import BURST_BYTES, COLLECT_CYCLES, EDGE_BYTES, Machine, Stored

__all__ = ["BOARDS", "ThunderGP"]

SOURCE = "source code, commit c316a34"
FITTED = "fitted to SpMV on ten graphs of Table 9 on both boards, without R19 and R21"


class Board(NamedTuple):
    """A board: vertices whose values the kernels hold, and clocks in MHz by bitstream (Table 6)."""

    partition_size: int
    clocks: dict[str, float]


class Build(NamedTuple):
    """What the configuration of a bitstream says: lines of a prefetched block, words before a PE."""

    block: int
    queue: int
    weights: bool
    degrees: bool
    apply: bool
    drops: bool  # whether edges from inactive sources are dropped before the PEs


#: The authors' algorithms that are no task here, and the task with the same requests.
VARIANTS = {"closeness": "connected_components", "articlerank": "pagerank"}
BITSTREAMS = (*ANSWERS, *VARIANTS)
U250_MHZ = 250.0, 251.0, 250.0, 243.0, 250.0, 242.0, 240.0
VCU1525_MHZ = 241.0, 237.0, 245.0, 256.0, 243.0, 247.0, 263.0
BOARDS = {
    "u250": Board(1 << 20, dict(zip(BITSTREAMS, U250_MHZ, strict=True))),
    "vcu1525": Board(1 << 19, dict(zip(BITSTREAMS, VCU1525_MHZ, strict=True))),
}
BUILDS = {
    "bfs": Build(128, 32, weights=False, degrees=False, apply=True, drops=True),
    "sssp": Build(64, 16, weights=True, degrees=False, apply=True, drops=True),
    "connected_components": Build(128, 32, weights=False, degrees=False, apply=True, drops=False),
    "pagerank": Build(64, 16, weights=False, degrees=True, apply=True, drops=False),
    "spmv": Build(128, 32, weights=True, degrees=False, apply=False, drops=False),
    # drops edges from values of 0, of which there are few after the supersteps that do not count
    "closeness": Build(128, 16, weights=False, degrees=False, apply=True, drops=False),
    "articlerank": Build(64, 16, weights=False, degrees=True, apply=True, drops=False),
}


class ThunderGP(Accelerator):
    """The accelerator ThunderGP on one of its boards.

    Parameters are keywords: ``ThunderGP.declared()`` lists them with what they mean and where their
    defaults come from. ``result.measures["MTEPS"]`` is what its authors report: edges over the mean
    time of a superstep, the first two left out.

    >>> import tachograph as tg
    >>> result = tg.simulate("bfs", tg.path(10), tg.ThunderGP(partition_size=1024), source=0)
    >>> int(result.levels[9]), result.iterations
    (9, 10)
    """

    tasks: ClassVar[tuple[str, ...]] = tuple(ANSWERS)

    board: Parameter[str] = Parameter(
        "u250", "the board: its clocks and size of a partition", "Table 6", choices=tuple(BOARDS)
    )
    variant: Parameter[str | None] = Parameter(
        None,
        "another bitstream with the same requests (None: the task's own): closeness for "
        "connected_components, articlerank for pagerank",
        SOURCE,
        kind=str,
        choices=tuple(VARIANTS),
    )
    clock_mhz: Parameter[float | None] = Parameter(
        None, "clock in MHz (None: the board's, by task)", "Table 6", kind=float, low=1.0
    )
    partition_size: Parameter[int | None] = Parameter(
        None,
        "targets of a partition (None: the board's)",
        "section 6: 2^20 on U250, 2^19 on VCU1525",
        kind=int,
        low=1,
        search=(None, *PARTITION_SIZES),
    )
    bram_bytes: Parameter[int] = Parameter(
        24_000_000,
        "on-chip memory for the buffers of all kernels in bytes",
        "data sheet: 1,280 blocks of 288 Kb in a U250, about half of them used",
        low=1,
    )
    gather_pes: Parameter[int] = Parameter(
        16, "processing elements of a kernel; target mod PEs", SOURCE, low=1, search=(16, 32)
    )
    gather_cycles: Parameter[int] = Parameter(
        2, "cycles of a processing element for an edge", f"{SOURCE}: II=2", low=1
    )
    edges_a_cycle: Parameter[int] = Parameter(
        8, "edges that a kernel takes in a cycle", f"{SOURCE}: 16 edges with II=2", low=1
    )
    queue: Parameter[int | None] = Parameter(
        None,
        "words of edges that wait before a PE (None: 16 or 32, by task, and two slices of 4)",
        f"{SOURCE}: QUEUE_SIZE_FILTER",
        kind=int,
        low=1,
    )
    edge_room: Parameter[int] = Parameter(
        640,
        "lines that a reader of edges is ahead",
        f"{SOURCE}: a FIFO of 512, a burst of 128",
        low=1,
    )
    value_room: Parameter[int] = Parameter(
        2048, "lines that the prefetcher is ahead", f"{SOURCE}: CACHE_SIZE of 32,768 values", low=1
    )
    port_cycles: Parameter[int] = Parameter(
        30, "cycles between a kernel and its memory controller", FITTED, low=0
    )
    kernel_start_us: Parameter[float] = Parameter(
        355.0, "microseconds until a kernel runs that the host starts", FITTED, low=0.0
    )
    value_bits: Parameter[int | None] = Parameter(
        32, "bits of a vertex value", SOURCE, kind=int, choices=(32,)
    )
    drop_inactive: Parameter[bool] = Parameter(
        True, "drop edges of inactive sources before the PEs, in bfs and sssp", SOURCE
    )

    def memory(self) -> Memory:
        """Return the memory of both boards: four DIMMs of 16 GB, MTA18ASF2G72PZ-2G3.

        The vendor's designs for these boards name that part (one rank of x4 devices with 8 Gb, CL 17)
        and the controller's order of addresses, ROW_COLUMN_BANK: bank groups in the lowest bits.
        """
        order = "RoRaCoBaBgCh"
        return Memory("DDR4-2400T", channels=4, ranks=1, density="8Gb", width=4, mapping=order)

    def bitstream(self, task: str) -> str:
        """Return which of the authors' bitstreams runs a task."""
        if self.variant is None:
            return task
        if VARIANTS[self.variant] != task:
            raise InputError(
                f"variant = {self.variant!r} stands for {VARIANTS[self.variant]}, not for {task}"
            )
        return self.variant

    def clock(self, task: str) -> float:
        """Return the clock in MHz."""
        return self.clock_mhz or BOARDS[self.board].clocks[self.bitstream(task)]

    @property
    def interval(self) -> int:
        """Targets of a partition."""
        return self.partition_size or BOARDS[self.board].partition_size

    def on_chip(self, n: int, task: str, channels: int) -> int:
        """Return the bytes of the buffers of all kernels."""
        return channels * min(max(1, n), self.interval) * EDGE_BYTES

    def terms(self, size: Size) -> dict[str, float]:
        """Return seconds of edges, of what is written whole, and of starting kernels."""
        build, times, kernels = (
            BUILDS[self.bitstream(size.task)],
            size.iterations,
            size.memory.channels,
        )
        parts = -(-size.n // self.interval)
        cycle = 1e-6 / self.clock(size.task)
        bursts = parts * -(-self.interval * EDGE_BYTES // BURST_BYTES)
        arrays = (2 + build.weights) * EDGE_BYTES
        taken = size.edges / kernels / self.edges_a_cycle
        burst = COLLECT_CYCLES + BURST_BYTES // size.line + self.port_cycles
        read = size.moved(size.edges * arrays * times, kernels)
        return {
            "slower": max(read, taken * cycle * times),
            "edges": read,
            "edge cycles": taken * cycle * times,
            "write cycles": bursts * burst * cycle * times,
            "apply": size.n * EDGE_BYTES / size.line * cycle * times * build.apply,
            "starts": (parts + build.apply) * times * self.kernel_start_us * 1e-6,
            "phases": parts * times * 1e-7,
        }

    def measures(self, edges: int, trace: Trace) -> dict[str, float]:
        """Return MTEPS as the authors define them."""
        steps: dict[int, float] = {}
        columns = trace.to_dict()
        for step, seconds in zip(columns["iteration"], columns["seconds"], strict=True):
            steps[step] = steps.get(step, 0.0) + seconds
        counted = list(steps.values())[2:] or list(steps.values())
        mean = sum(counted) / max(1, len(counted))
        return {"MTEPS": edges / mean / 1e6 if mean else 0.0}

    def phases(self, problem: Problem, layout: Layout) -> Iterator[Phase]:
        """Yield a phase for each superstep."""
        build, n = BUILDS[self.bitstream(problem.task)], problem.graph.n
        if problem.weighted and not build.weights:
            raise InputError(
                f"{problem.task} reads edges without weights on ThunderGP, but the graph has some: "
                "drop them with graph.without_weights(), or use another accelerator"
            )
        size = self.interval
        kernels = layout.memory.channels
        self.fits(kernels * min(n, size), 4, f"partition_size with {kernels} kernels")
        stored = Stored.of(problem.graph, size)
        start = round(self.kernel_start_us * self.clock(problem.task))
        machine = Machine(self, build, stored, layout, start)
        _, groups = grouped(problem.graph, max(1, n), True, problem.weighted)
        active, more = problem.active, n > 0
        while more:
            kept = active[stored.sources] if build.drops and self.drop_inactive else None
            yield Phase("superstep", machine.ports(kept), problem.done, drain=True)
            active = _step(problem, groups[0])
            more = problem.again(bool(active.any()))


def _step(problem: Problem, part: tuple[np.ndarray, Groups]) -> np.ndarray:
    """Compute the values after a superstep; return which of them changed."""
    targets, groups = part
    room, n = targets.size, problem.graph.n
    kept, update, seen = np.zeros(room, np.int64), np.zeros(room), np.zeros(room, np.int64)
    every = np.ones(n, np.bool_)
    rule = Rule(problem.step, problem.additive, False)
    call(scatter, groups, rule, every, problem.sent(), Updates(kept, update, seen))
    values = np.zeros(n) if problem.additive else problem.values
    changed, wrote = np.zeros(n, np.bool_), np.zeros(room, np.bool_)
    call(gather, targets, update, problem.additive, values, changed, wrote)
    if problem.additive:
        problem.summed(values)
        changed[:] = True
    return changed
