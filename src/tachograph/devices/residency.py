"""Graphs on a device: uploaded once, kept while the graph lives and the memory suffices.

A graph that does not fit is cut into parts (runs of rows). Two parts are on the device at a time, which
is enough for kernels that compare two rows.
"""

from __future__ import annotations

import weakref
from collections import OrderedDict
from dataclasses import dataclass

import numpy as np

from ..graph.graph import Graph
from ..util.errors import TooLargeError
from ..util.memory import human
from .memory import Buffer
from .opencl import OpenCL

__all__ = ["Part", "Resident", "resident"]

RESIDENT_PARTS = 2  # of a graph that are on the device at the same time
GRAPH_MEMORY_SHARE = 0.8  # of a device's free memory; algorithms need the rest


@dataclass(frozen=True)
class Part:
    """The rows from ``first`` on. ``indptr`` counts in the arcs of the whole graph, and ``indices``
    begins with arc number ``begin``.
    """

    first: int
    begin: int
    indptr: Buffer
    indices: Buffer

    def release(self) -> None:
        self.indptr.release()
        self.indices.release()

    @property
    def arguments(self) -> tuple[Buffer, Buffer, np.int64, np.int64]:
        """The arguments that kernels take for a part."""
        return self.indptr, self.indices, np.int64(self.first), np.int64(self.begin)


class Resident:
    """A graph on a device: whole (``cuts == [0, n]``) or in parts."""

    def __init__(self, device: OpenCL, graph: Graph) -> None:
        self.device = device
        self.indptr: np.ndarray = graph.indptr
        self.indices: np.ndarray = graph.indices
        self.cuts: list[int] = self._cut()
        self._parts: OrderedDict[int, Part] = OrderedDict()

    @property
    def whole(self) -> bool:
        """Whether all of the graph is on the device at once."""
        return len(self.cuts) == 2

    def _cut(self) -> list[int]:
        """Return where parts begin and end; as few parts as the device's memory allows."""
        room, n = self.device.room, self.indptr.size - 1
        shared = self.device.capabilities.shares_memory
        free = room.memory if shared else int(GRAPH_MEMORY_SHARE * (room.memory - room.used))
        size = self.indptr.nbytes + self.indices.nbytes
        if size <= free and max(self.indices.nbytes, self.indptr.nbytes) <= room.largest:
            return [0, n]
        budget = min(free if shared else free // RESIDENT_PARTS, room.largest)
        # bytes up to each row: its offset and its arcs
        upto = np.arange(n + 1) * self.indptr.itemsize + self.indptr * self.indices.itemsize
        cuts = [0]
        while cuts[-1] < n:
            end = int(np.searchsorted(upto, upto[cuts[-1]] + budget - 16, "right")) - 1
            if end <= cuts[-1]:
                row = int(self.indptr[cuts[-1] + 1] - self.indptr[cuts[-1]])
                raise TooLargeError(
                    f"vertex {cuts[-1]} has {row:,} neighbours, which take "
                    f"{human(row * self.indices.itemsize)}, but {room.name} can hold "
                    f"{human(budget)} at a time: use the host"
                )
            cuts.append(min(end, n))
        return cuts

    def part(self, which: int) -> Part:
        """Return a part, uploaded if need be; the least recently used part makes room for it."""
        if which in self._parts:
            self._parts.move_to_end(which)
            return self._parts[which]
        while not self.whole and len(self._parts) >= RESIDENT_PARTS:
            self.device.finish()
            self._parts.popitem(last=False)[1].release()
        lo, hi = self.cuts[which], self.cuts[which + 1]
        begin, end = int(self.indptr[lo]), int(self.indptr[hi])
        made = Part(
            lo,
            begin,
            self.device.upload(self.indptr[lo : hi + 1], "rows of the graph"),
            self.device.upload(self.indices[begin:end], "arcs of the graph"),
        )
        self._parts[which] = made
        return made

    def part_of(self, vertices: np.ndarray) -> np.ndarray:
        """Return the part that each vertex is in."""
        return np.searchsorted(self.cuts, vertices, "right") - 1

    def release(self) -> None:
        """Remove the graph from the device."""
        for _ in range(len(self._parts)):
            self._parts.popitem()[1].release()


def resident(device: OpenCL, graph: Graph) -> Resident:
    """Return the graph on the device; parts are uploaded when they are used.

    The least recently used graphs are removed if the memory does not suffice.

    Raises
    ------
    TooLargeError
        If the neighbours of one vertex do not fit.
    """
    kept = device.room.graphs
    made = kept.pop(graph, None)
    if made is None:
        size = graph.indptr.nbytes + graph.indices.nbytes
        for other in kept.values():  # the most recently used is the last
            if not device.room.fits(size):
                other.release()
        made = Resident(device, graph)
        weakref.finalize(graph, made.release)
    kept[graph] = made
    return made
