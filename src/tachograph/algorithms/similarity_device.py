"""The device's part in the similarity of all edges: in place, or in memory of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..devices.memory import Buffer
from ..devices.opencl import OpenCL
from ..devices.residency import resident
from ..graph.graph import Graph
from ..kernels.runtime.launch import not_counted, run
from ..kernels.similarity import edges as kernels

if TYPE_CHECKING:
    from .lanes import Outcome, Worker

__all__ = ["worker"]

ROWS, LANES = 2, 32  # arcs of a work-group, and work-items for each


def worker(
    device: OpenCL, graph: Graph, kind: int, order: np.ndarray, base: np.ndarray, done: Outcome
) -> Worker:
    """What the device does with owners: marks in the host's memory if it computes on the same cores,
    otherwise searches in memory of its own.
    """
    able = device.capabilities
    fits = max(graph.indptr.nbytes, graph.indices.nbytes) <= device.room.largest
    if device.found.shares_cores and able.shares_memory and able.double and fits:
        return InPlace(device, graph, kind, order, base, done)
    return Apart(device, graph, kind, order, base, done)


def _types(ids: np.dtype, base: np.dtype, double: bool) -> tuple[str, ...]:
    names = {4: "int", 8: "long"}
    kinds = (f"-DID={names[ids.itemsize]}", f"-DBASE={names[base.itemsize]}")
    sizes = (f"-DROWS={ROWS}", f"-DLANES={LANES}")
    return (*kinds, *sizes, *(["-DDOUBLE"] if double else []))


class InPlace:
    """Reads the graph and writes the results where they are: ``by_marks``."""

    def __init__(
        self, device: OpenCL, graph: Graph, kind: int, order: np.ndarray, base: np.ndarray,
        done: Outcome,
    ) -> None:  # fmt: skip
        self.device = device
        with not_counted():
            options = _types(graph.indices.dtype, base.dtype, True)
            self.kernel = device.kernel("similarity", "by_marks", *options)
        part = resident(device, graph).part(0)
        marks = device.scratch(device.units * graph.n, np.uint8, "marks")
        device.fill(marks, np.uint8(0), device.units * graph.n)
        self.outputs = [device.output(a) for a in (done.source, done.target, done.values)]
        self.inputs = [device.upload(order), device.upload(base), marks]
        rows = (part.indptr, part.indices, np.int64(graph.n), np.int32(order.size > 0))
        self.arguments = (rows, self.inputs[0], self.inputs[1], np.int32(kind), marks)
        with not_counted():  # the first launch finishes compiling
            self.compute(0, 0)

    def compute(self, lo: int, hi: int) -> None:
        """The edges of the owners at places ``lo:hi`` of the order."""
        rows, order, base, kind, marks = self.arguments
        self.device.launch(
            self.kernel, self.device.units, *rows, order, np.int64(lo), np.int64(hi), base, kind,
            marks, *self.outputs, group=1,
        )  # fmt: skip
        self.device.finish()

    def finish(self, ranges: list[tuple[int, int]]) -> None:
        """Everything is where it belongs."""
        for buffer in self.outputs:
            buffer.fetch()
        for buffer in (*self.inputs, *self.outputs):
            buffer.release()


class Apart:
    """Searches in copies of the graph, or of two parts of it at a time: ``by_search``."""

    def __init__(
        self, device: OpenCL, graph: Graph, kind: int, order: np.ndarray, base: np.ndarray,
        done: Outcome,
    ) -> None:  # fmt: skip
        self.device, self.graph, self.kind = device, graph, np.int32(kind)
        self.order, self.base, self.done = order, base, done
        double = device.capabilities.double
        with not_counted():
            options = _types(graph.indices.dtype, base.dtype, double)
            self.kernel = device.kernel("similarity", "by_search", *options)
        self.real = np.float64 if double else np.float32
        every = order if order.size else np.arange(graph.n, dtype=graph.indices.dtype)
        self.upto = np.concatenate([np.zeros(1, np.int64), np.cumsum(graph.degrees[every])])
        size = max(1, done.values.size)
        if not device.room.fits(every.nbytes + base.nbytes + self.upto.nbytes + size * 8):
            device.room.clear()
        self.buffers: list[Buffer] = []
        for array, what in (
            (every, "the order"),
            (base, "places"),
            (self.upto, "arcs before each"),
        ):
            self.buffers.append(device.upload(array, what))
        self.found = device.scratch(size, self.real, "the similarities")
        device.fill(self.found, self.real(-1), size)
        self.rows = resident(device, graph)  # in what is left
        with not_counted():
            self.compute(0, 0)

    def compute(self, lo: int, hi: int) -> None:
        """The edges of the owners at places ``lo:hi`` of the order."""
        arcs = int(self.upto[hi] - self.upto[lo])
        cuts = self.rows.cuts
        order, base, upto = self.buffers
        for a in range(len(cuts) - 1):
            for b in range(len(cuts) - 1):
                self.device.launch(
                    self.kernel, (arcs, LANES), *self._part(a), *self._part(b), order,
                    np.int64(lo), np.int64(hi), base, self.kind, upto, self.found,
                    group=(ROWS, LANES),
                )  # fmt: skip
        self.device.finish()

    def _part(self, which: int) -> tuple[Any, ...]:
        return (*self.rows.part(which).arguments, np.int64(self.rows.cuts[which + 1]))

    def finish(self, ranges: list[tuple[int, int]]) -> None:
        """Copy what was found back, and list the edges, which the device has not."""
        done, g = self.done, self.graph
        self.found.array = np.empty(done.values.size, self.real)
        found = self.found.fetch()
        mine = found >= 0
        done.values[mine] = found[mine]
        for buffer in (*self.buffers, self.found):
            buffer.release()
        for lo, hi in ranges:
            rows, edges = (
                g.rows,
                kernels.Edges(done.source, done.target, done.values),
            )
            run(kernels.list_edges, [(lo, hi, self.order, rows, self.base, edges)], brief=True)
