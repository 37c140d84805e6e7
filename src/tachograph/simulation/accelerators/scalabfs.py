"""ScalaBFS (Liu et al., FPGA 2021): breadth-first search on all pseudo channels of an HBM.

Vertex v belongs to port v mod P, one for each pseudo channel, and there to one of two processing
elements. An element scans its part of a bitmap: the frontier if the level is pushed, what is not
visited if it is pulled. For each vertex found, its port reads where the row begins, and then the row,
padded to whole beats of four ids. A port receives one beat in a cycle. Each id goes through a crossbar
to the element of its vertex, which has two inputs; a pull reads whole rows, it does not end at the
first hit. Bitmaps and levels are on the chip.

The facts are from the public source (commit 0a276ae); ``streams_of_scalabfs`` has the requests.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from ...algorithms.bfs import bfs
from ...algorithms.result import Trace
from ...util.errors import InputError
from ..dram import Memory
from ..streams import Phase
from .base import Accelerator, Layout, Parameter
from .problem import Problem
from .streams_of_scalabfs import MOST_PORTS, Machine, Rows, port_count

__all__ = ["ScalaBFS"]

SOURCE = "source code, commit 0a276ae"


class ScalaBFS(Accelerator):
    """The accelerator ScalaBFS, which runs ``bfs`` only. Edges have no weights.

    Parameters are keywords: ``ScalaBFS.declared()`` lists them with what they mean and where their
    defaults come from. ``result.measures["GTEPS"]`` is what its authors report: edges over time.

    >>> import tachograph as tg
    >>> result = tg.simulate("bfs", tg.path(10), tg.ScalaBFS(), source=0)
    >>> int(result.levels[9]), sorted(result.requests)
    (9, ['beginnings', 'neighbours'])
    """

    tasks: ClassVar[tuple[str, ...]] = ("bfs",)
    weights: ClassVar[bool] = False

    clock_mhz: Parameter[float | None] = Parameter(
        90.0,
        "clock in MHz",
        "inferred: not in the repository; 32 ports of 16 bytes carry the 44.9 GB/s that its authors "
        "measured from 88 MHz on",
        kind=float,
        low=1.0,
    )
    pes_of_port: Parameter[int] = Parameter(2, "processing elements of a port", SOURCE, low=1)
    pe_inputs: Parameter[int] = Parameter(
        2, "ids that an element takes in a cycle", f"{SOURCE}: two ports of its bitmaps", low=1
    )
    rows_ahead: Parameter[int] = Parameter(
        64, "rows that a port has asked for", f"{SOURCE}: src_index_queue_len", low=2
    )
    beats_waiting: Parameter[int] = Parameter(
        64, "beats that wait at a port", f"{SOURCE}: Mem_queue_readData_len", low=4
    )
    push_to_pull: Parameter[int | None] = Parameter(
        None,
        "the first level that is pulled (None: chosen for each search)",
        "inferred: the host's program sets it for each graph; here so that the fewest beats are read",
        kind=int,
        low=0,
    )
    pull_to_push: Parameter[int | None] = Parameter(
        None, "the first level that is pushed again", "as push_to_pull", kind=int, low=0
    )
    bram_bytes: Parameter[int] = Parameter(
        41_000_000, "on-chip memory in bytes", "data sheet of the U280", low=1
    )

    def width(self, task: str) -> int:
        """Return the bytes of a level."""
        return (self.value_bits or 8) // 8

    def memory(self) -> Memory:
        """Return the memory of the board: 32 pseudo channels of HBM2, each a region of addresses."""
        return Memory("HBM2-2000", channels=16, density="2Gb", mapping="RaRoBaCoBgCh")

    @property
    def banks(self) -> int:
        """Inputs of all elements, if every port is used."""
        return MOST_PORTS * self.pes_of_port * self.pe_inputs

    def on_chip(self, n: int, task: str, channels: int) -> int:
        """Return the bytes of three bitmaps and the levels."""
        return 3 * -(-n // 8) + n * self.width(task)

    def measures(self, edges: int, trace: Trace) -> dict[str, float]:
        """Return GTEPS as the authors define them."""
        seconds = sum(trace.to_dict()["seconds"])
        return {"GTEPS": edges / seconds / 1e9 if seconds else 0.0}

    def phases(self, problem: Problem, layout: Layout) -> Iterator[Phase]:
        """Yield a phase for each level."""
        graph, n = problem.graph, problem.graph.n
        self.fits(self.on_chip(n, "bfs", 1), 1, "bitmaps and levels")
        ports = port_count(layout.memory)
        out = Rows.of(graph.indptr, graph.indices, ports)
        into = Rows.of(graph.transpose.indptr, graph.transpose.indices, ports)
        machine = Machine(self, out, into, layout)
        pulled = self._pulled(problem, out, into)
        depth, more = 0, n > 0
        while more:
            pull = pulled[0] <= depth < pulled[1]
            front = problem.values == depth
            which = np.isinf(problem.values) if pull else front
            rows = into if pull else out
            ports_of, ids = machine.level(which, pull)
            yield Phase("pull" if pull else "push", ports_of, problem.done, pause=machine.clearing)
            if pull:
                hit = front[ids]
                found = np.repeat(np.flatnonzero(which), np.diff(rows.indptr)[which])[hit]
            else:
                found = ids
            new = np.zeros(n, bool)
            new[found] = True
            new &= np.isinf(problem.values)
            problem.values[new] = depth + 1
            depth += 1
            more = problem.again(bool(new.any()))

    def _pulled(self, problem: Problem, out: Rows, into: Rows) -> tuple[int, int]:
        """Return the first level that is pulled, and the first that is pushed again."""
        first, last = self.push_to_pull, self.pull_to_push
        if (first is None) != (last is None):
            raise InputError("push_to_pull and pull_to_push need values together, or none")
        if first is not None and last is not None:
            return first, last
        levels = bfs(problem.graph, int(np.flatnonzero(problem.active)[0]), trace=False).levels
        depth = int(levels.max(initial=0)) + 1
        reached = np.where(levels >= 0, levels, depth)
        push = np.bincount(reached, out.beats + 1, depth + 1)[:depth]
        later = np.bincount(reached, into.beats + 1, depth + 1)
        pull = later.sum() - np.cumsum(later)[:depth]
        gain = np.append(0.0, np.cumsum(push - pull))
        best = (0, 0)
        for a in range(depth):
            b = int(np.argmax(gain[a:])) + a
            if gain[b] - gain[a] > gain[best[1]] - gain[best[0]]:
                best = a, b
        return best
