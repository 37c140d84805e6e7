"""The similarity of edges one by one, as in the paper: a list of them, a mask, and a device's part.

``kernels/similarity/listed.py`` explains the method. ``similarity_edges.py`` shares the work.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..devices.memory import Buffer, whole
from ..devices.opencl import OpenCL
from ..graph.graph import Graph
from ..kernels.runtime.launch import not_counted, run
from ..kernels.runtime.nouns import Rows
from ..kernels.similarity import listed
from ..kernels.similarity.edges import Edges
from .similarity_device import COUNTS_NTH_OF_MEMORY, PIECE_ARCS, Slot, Worker, grid, searching

__all__ = ["ByList", "Listed"]


class Listed(NamedTuple):
    """The similarities of all edges of a list, each looked at alone; the same for a directed graph.
    ``mask`` marks those of the host (empty: chunks of the list are taken from its two ends).
    """

    graph: Graph
    kind: int
    mask: np.ndarray
    edges: Edges

    def arguments(self, cuts: np.ndarray) -> tuple[np.ndarray, np.ndarray, Rows, int, Edges]:
        """Return what the host's loop takes for chunks that end at these cuts."""
        return cuts, self.mask, self.graph.rows, self.kind, self.edges

    @property
    def walk(self) -> Callable[..., Any]:
        """The host's loop."""
        return listed.walk_listed

    @property
    def places(self) -> int:
        """Entries of the list."""
        return int(self.edges.values.size)

    def fixed(self, cuts: np.ndarray, share: float) -> tuple[np.ndarray, tuple[int, int]]:
        """Both go through the whole list: the mask says whose an edge is."""
        return cuts, (0, self.places)

    def devices_part(self) -> Listed:
        """Return the job of who takes over what the device has not done."""
        return self._replace(mask=listed.HOSTS - self.mask)

    def without_device(self) -> Listed:
        """Return the job of a host alone, who has all edges."""
        return self._replace(mask=self.mask[:0])

    def worker(self, device: OpenCL, threads: int) -> Worker:
        """Return what the device does with edges."""
        return ByList(device, self, threads)


class _Range(NamedTuple):
    """Edges ``lo:hi`` of a list, and what the device has of them."""

    lo: int
    hi: int
    buffers: Sequence[Buffer]


class ByList:
    """Searches for the edges of a list, pieces of which are copied while others are counted."""

    def __init__(self, device: OpenCL, job: Listed, threads: int) -> None:
        self.device, self.job, self.threads = device, job, threads
        graph, room = job.graph, device.room
        ids = {4: "int", 8: "long"}[graph.indices.itemsize]
        part = whole(device, graph)
        sizes = [f"-DID={ids}", "-DBASE=long", f"-DOFFSET={part.offset}"]
        self.kernel, self.group = searching(device, graph, "by_list", *sizes)
        self.rows = part.indptr, part.indices
        free = (room.memory - room.used) // COUNTS_NTH_OF_MEMORY
        each = 2 * graph.indices.itemsize + 1 + 4  # bytes: the ends, the mask, the count
        self.most = max(1, min(PIECE_ARCS, free // each, job.places))
        self.slots = [Slot(device, self.most) for _ in range(2)]
        self.ranges: list[_Range | None] = [None, None]
        with not_counted():
            self._begin(0, 0)
            self.finish()

    def compute(self, lo: int, hi: int) -> None:
        """Compute the edges ``lo:hi`` that are the device's; the last piece is left under way."""
        for first in range(lo, hi, self.most):
            self._begin(first, min(first + self.most, hi))

    def _begin(self, lo: int, hi: int) -> None:
        """Launch a piece, and take what the launch before it has counted."""
        self.slots.reverse()
        self.ranges.reverse()
        slot, device, job = self.slots[0], self.device, self.job
        arrays = (job.edges.source[lo:hi], job.edges.target[lo:hi], job.mask[lo:hi])
        buffers = [device.upload(array, "a list of edges") for array in arrays]
        source, target, mask = buffers
        masked = np.int32(job.mask.size > 0)
        given = (*self.rows, source, target, masked, mask, np.int64(hi - lo), slot.there)
        size = grid(hi - lo, self.group)
        done = device.launch(self.kernel, size, *given, group=self.group)
        slot.event = device.fetch_later(slot.there, slot.here[: hi - lo], done)
        self.ranges[0] = _Range(lo, hi, buffers)
        self._take(1)

    def _take(self, which: int) -> None:
        """Make similarities of what is in a slot, if anything is."""
        slot, piece = self.slots[which], self.ranges[which]
        event, slot.event, self.ranges[which] = slot.event, None, None
        if piece is None or event is None:
            return
        self.device.wait(event)
        lo, hi, _ = piece
        cuts = [lo + (hi - lo) * w // self.threads for w in range(self.threads + 1)]
        rest = (lo, slot.here, self.job.graph.indptr, self.job.kind, self.job.edges)
        calls = [(begin, end, *rest) for begin, end in itertools.pairwise(cuts)]
        run(listed.take_listed, calls, brief=self.threads == 1)

    def finish(self) -> None:
        """Wait for what is under way, and take it."""
        for which in (1, 0):
            self._take(which)
