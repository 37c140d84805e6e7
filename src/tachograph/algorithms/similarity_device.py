"""The device's part in the similarity of all edges: in place, or in memory of its own."""

from __future__ import annotations

import itertools
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ..devices.memory import Buffer, resident
from ..devices.opencl import OpenCL
from ..kernels.runtime.launch import not_counted, run
from ..kernels.similarity import edges as kernels

if TYPE_CHECKING:
    from .lanes import Job, Worker

__all__ = ["worker"]

ROWS, LANES = 2, 32  # arcs of a work-group, and work-items for each


def worker(device: OpenCL, job: Job) -> Worker:
    """Return what the device does with owners: marks in the host's memory if it computes on the same
    cores, otherwise searches in memory of its own.
    """
    able = device.capabilities
    fits = max(job.graph.indptr.nbytes, job.graph.indices.nbytes) <= device.room.largest
    if device.found.shares_cores and able.shares_memory and able.double and fits:
        return InPlace(device, job)
    return Apart(device, job)


def _types(job: Job, double: bool) -> tuple[str, ...]:
    names = {4: "int", 8: "long"}
    ids, base = (names[array.itemsize] for array in (job.graph.indices, job.base))
    sizes = (f"-DROWS={ROWS}", f"-DLANES={LANES}")
    return (f"-DID={ids}", f"-DBASE={base}", *sizes, *(["-DDOUBLE"] if double else []))


class InPlace:
    """Reads the graph and writes the results where they are: ``by_marks``."""

    def __init__(self, device: OpenCL, job: Job) -> None:
        self.device, n = device, job.graph.n
        with not_counted():
            self.kernel = device.kernel("similarity", "by_marks", *_types(job, True))
        part = resident(device, job.graph).part(0)
        marks = device.scratch(device.units * n, np.uint8, "marks")
        device.fill(marks, np.uint8(0), device.units * n)
        self.outputs = [device.output(array) for array in job.edges]
        order, base = device.upload(job.order), device.upload(job.base)
        self.inputs = [order, base, marks]
        ordered = np.int32(job.order.size > 0)
        self.first = (part.indptr, part.indices, np.int64(n), ordered, order)
        self.last = (base, np.int32(job.kind), marks, *self.outputs)
        with not_counted():  # the first launch finishes compiling
            self.compute(0, 0)

    def compute(self, lo: int, hi: int) -> None:
        """Compute the edges of the owners at places ``lo:hi`` of the order."""
        arguments = (*self.first, np.int64(lo), np.int64(hi), *self.last)
        self.device.launch(self.kernel, self.device.units, *arguments, group=1)
        self.device.finish()

    def finish(self, ranges: list[tuple[int, int]]) -> None:
        """Let go of what was shared: everything is where it belongs."""
        for buffer in self.outputs:
            buffer.fetch()


class Apart:
    """Searches in copies of the graph, or of two parts of it at a time: ``by_search``."""

    def __init__(self, device: OpenCL, job: Job) -> None:
        self.device, self.job = device, job
        graph, double = job.graph, device.capabilities.double
        with not_counted():
            self.kernel = device.kernel("similarity", "by_search", *_types(job, double))
        self.real = np.float64 if double else np.float32
        every = job.order if job.order.size else np.arange(graph.n, dtype=graph.indices.dtype)
        self.upto = np.concatenate([np.zeros(1, np.int64), np.cumsum(graph.degrees[every])])
        size = max(1, job.edges.values.size)
        if not device.room.fits(every.nbytes + job.base.nbytes + self.upto.nbytes + size * 8):
            device.room.graphs.clear()
        arrays = {"the order": every, "places": job.base, "arcs before each": self.upto}
        self.buffers = [device.upload(array, what) for what, array in arrays.items()]
        self.found = device.scratch(size, self.real, "the similarities")
        device.fill(self.found, self.real(-1), size)
        self.rows = resident(device, graph)  # in what is left
        with not_counted():
            self.compute(0, 0)

    def compute(self, lo: int, hi: int) -> None:
        """Compute the edges of the owners at places ``lo:hi`` of the order."""
        arcs = int(self.upto[hi] - self.upto[lo])
        order, base, upto = self.buffers
        owners = (order, np.int64(lo), np.int64(hi), base, np.int32(self.job.kind), upto)
        parts = range(len(self.rows.cuts) - 1)
        launch = partial(self.device.launch, self.kernel, (arcs, LANES), group=(ROWS, LANES))
        for a, b in itertools.product(parts, parts):  # kept in no variable: parts must leave
            launch(*self._part(a), *self._part(b), *owners, self.found)
        self.device.finish()

    def _part(self, which: int) -> tuple[Buffer | np.int64, ...]:
        return (*self.rows.part(which).arguments, np.int64(self.rows.cuts[which + 1]))

    def finish(self, ranges: list[tuple[int, int]]) -> None:
        """Copy what was found back, and list the edges, which the device has not."""
        job = self.job
        self.found.array = np.empty(job.edges.values.size, self.real)
        found = self.found.fetch()
        mine = found >= 0
        job.edges.values[mine] = found[mine]
        for lo, hi in ranges:
            call = (lo, hi, job.order, job.graph.rows, job.base, job.edges)
            run(kernels.list_edges, [call], brief=True)
