"""What a device does with the similarity of edges: in the host's memory, or in memory of its own."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from ..devices.groups import fitting
from ..devices.memory import Buffer, Resident, resident
from ..devices.opencl import OpenCL
from ..graph.graph import Graph
from ..kernels.rows.passes import over_rows
from ..kernels.runtime.launch import not_counted, run
from ..kernels.runtime.nouns import Rows
from ..kernels.similarity import edges as kernels

if TYPE_CHECKING:
    import pyopencl as cl

__all__ = ["STAGED_ARCS", "Apart", "InPlace", "Job", "Slot", "Worker", "grid", "searching"]

LANES_AT_LEAST, LANES_AT_MOST = 4, 32  # work-items for an arc, by how much work it is
STAGED_ARCS = 1024  # of an owner that a group keeps in local memory: 4 or 8 KB
PIECE_ARCS = 1 << 20  # of a launch on a device with memory of its own: milliseconds
# of a device's free memory, at most, for what a launch counts, and for its list
COUNTS_NTH_OF_MEMORY = 16
LIST_BYTES = 32  # of an owner in a list: its id, two numbers of arcs, and room for ends


class Job(NamedTuple):
    """The similarities of all edges. ``order`` has the vertices that own edges, in the order of work
    (empty: by id), ``base`` the number of each one's first edge.
    """

    graph: Graph
    kind: int
    order: np.ndarray
    base: np.ndarray
    edges: kernels.Edges

    def arguments(
        self, cuts: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, Rows, np.ndarray, int, kernels.Edges]:
        """Return what the host's loop takes for chunks that end at these cuts."""
        return cuts, self.order, self.graph.rows, self.base, self.kind, self.edges

    def options(self, rows: Resident, double: bool) -> list[str]:
        """Return the types and sizes that the device's kernels are built for."""
        given = {"ID": self.graph.indices, "BASE": self.base, "OFFSET": rows.indptr}
        kinds = [f"-D{name}={'int' if a.itemsize == 4 else 'long'}" for name, a in given.items()]
        return [*kinds, *["-DDOUBLE"] * double]

    @property
    def walk(self) -> Callable[..., Any]:
        """The host's loop."""
        return kernels.walk

    @property
    def places(self) -> int:
        """Entries of the order."""
        return self.graph.n

    def fixed(self, cuts: np.ndarray, share: float) -> tuple[np.ndarray, tuple[int, int]]:
        """Return the host's chunks and the device's places, if the host gets this share."""
        owned = np.zeros(self.graph.n, np.int64)
        over_rows(kernels.count_owned, self.graph.indptr, self.graph.indices, owned)
        upto = np.cumsum(owned[self.order] if self.order.size else owned)
        place = (
            int(np.searchsorted(upto, share * self.edges.values.size, "left")) + 1 if share else 0
        )
        place = min(place, self.graph.n)
        return np.unique(np.append(cuts[cuts < place], place)), (place, self.graph.n)

    def devices_part(self) -> Job:
        """Return the job of who takes over what the device has not done."""
        return self

    def without_device(self) -> Job:
        """Return the job of a host alone."""
        return self

    def worker(self, device: OpenCL, threads: int) -> Worker:
        """Return what the device does with owners: marks in the host's memory if it computes on the
        same cores, otherwise searches in memory of its own.
        """
        able = device.capabilities
        fits = max(self.graph.indptr.nbytes, self.graph.indices.nbytes) <= device.room.largest
        in_place = device.found.shares_cores and able.shares_memory and able.double and fits
        return InPlace(device, self) if in_place else Apart(device, self, threads)


class Worker(Protocol):
    """What a device does with a part of the work."""

    def compute(self, lo: int, hi: int) -> None:
        """Compute the edges at places ``lo:hi``; the last launch may be left under way."""

    def finish(self) -> None:
        """Wait for what is under way."""


class InPlace:
    """Reads the graph and writes the results where they are: ``by_marks``. Two launches are under way,
    so that the device need not wait for the host to launch the next.
    """

    def __init__(self, device: OpenCL, job: Job) -> None:
        self.device, n = device, job.graph.n
        rows = resident(device, job.graph)
        with not_counted():
            part = rows.part(0)
            self.kernel = device.kernel("similarity", "by_marks", *job.options(rows, True))
        marks = device.scratch(device.units * n, np.uint8, "marks")
        device.fill(marks, np.uint8(0), device.units * n)
        self.outputs = [device.output(array) for array in job.edges]
        ordered = np.int32(job.order.size > 0)
        self.first = (part.indptr, part.indices, np.int64(n), ordered, device.upload(job.order))
        workers = np.int64(device.units)
        self.last = (device.upload(job.base), np.int32(job.kind), workers, marks, *self.outputs)
        self.event: cl.Event | None = None
        with not_counted():  # the first launch finishes compiling
            self.compute(0, 0)
            self.device.finish()

    def compute(self, lo: int, hi: int) -> None:
        """Begin the edges of the owners at places ``lo:hi`` of the order, and wait for those before."""
        arguments = (*self.first, np.int64(lo), np.int64(hi), *self.last)
        before = self.event
        self.event = self.device.launch(self.kernel, self.device.units, *arguments, group=1)
        self.device.flush()
        if before is not None:
            self.device.wait(before)

    def finish(self) -> None:
        """Wait: everything is where it belongs."""
        self.device.finish()
        for buffer in self.outputs:
            buffer.fetch()  # nothing is copied: it is the host's memory


class _Piece(NamedTuple):
    """Arcs of owners ``lo:hi`` that a launch counts: rows of owners are in one part of the graph, those
    of the arcs' ends in another. ``buffers`` are the first three arrays of ``counted`` on the device.
    """

    parts: tuple[int, int]
    lo: int
    hi: int
    counted: kernels.Counted
    buffers: Sequence[Buffer]

    @property
    def arcs(self) -> int:
        return int(self.counted.upto[self.hi] - self.counted.upto[self.lo])


class Slot:
    """Memory for what one launch counts, on both sides, and what is on its way there."""

    def __init__(self, device: OpenCL, arcs: int) -> None:
        self.there = device.scratch(arcs, np.int32, "what edges have in common")
        self.here = device.staging(arcs, np.int32)
        self.piece: _Piece | None = None
        self.event: cl.Event | None = None


class Apart:
    """Searches in copies of the graph, or of two parts of it at a time: ``by_search``.

    The device counts a piece of the work while what it has counted before is copied, and made into
    similarities by ``threads`` of the host.
    """

    def __init__(self, device: OpenCL, job: Job, threads: int) -> None:
        self.device, self.job, self.threads = device, job, threads
        graph = job.graph
        every = job.order if job.order.size else np.arange(graph.n, dtype=graph.indices.dtype)
        upto = np.concatenate([np.zeros(1, np.int64), np.cumsum(graph.degrees[every])])
        room, longest = device.room, int(graph.degrees.max(initial=1))
        free = (room.memory - room.used) // COUNTS_NTH_OF_MEMORY
        self.most = max(longest, min(PIECE_ARCS, free // 4, graph.arcs))  # arcs of a piece
        # owners of a piece, if the graph is in parts
        self.owners = max(1, min(graph.n, free // LIST_BYTES))
        lists = kernels.Counted(every, graph.indptr[every], upto, np.empty(0, np.int32))
        if not room.fits(sum(array.nbytes for array in lists) + 2 * self.most * 4):
            room.graphs.clear()
        self.slots = [Slot(device, self.most) for _ in range(2)]
        kept = device.scratch(2 * self.owners * LIST_BYTES, np.uint8)  # for lists of two pieces
        self.rows = resident(device, graph)  # in what is left
        del kept
        self.kernel, self.group = searching(
            device, graph, "by_search", *job.options(self.rows, False)
        )
        self.lists = lists
        self.buffers: Sequence[Buffer] = ()
        if self.rows.whole:
            self.buffers = tuple(device.upload(array, "owners") for array in lists[:3])
        with not_counted():
            self._begin(_Piece((0, 0), 0, 0, lists, self._there(lists)))
            self.finish()

    def _there(self, lists: kernels.Counted) -> Sequence[Buffer]:
        return self.buffers or [self.device.upload(array, "owners") for array in lists[:3]]

    def compute(self, lo: int, hi: int) -> None:
        """Compute the edges of the owners at places ``lo:hi`` of the order; the last piece is left
        under way, until there is more to do or all is finished.
        """
        if self.rows.whole:
            self._pieces((0, 0), lo, hi, self.lists)
            return
        for a, b in itertools.product(range(len(self.rows.cuts) - 1), repeat=2):
            for first in range(lo, hi, self.owners):
                found = self._between(a, b, first, min(first + self.owners, hi))
                self._pieces((a, b), 0, found.owners.size, found)

    def _between(self, a: int, b: int, lo: int, hi: int) -> kernels.Counted:
        """Return the owners at places ``lo:hi`` whose rows are in part ``a``, with their arcs to part
        ``b``: each is in one place, because rows are sorted.
        """
        cuts, (indptr, indices) = self.rows.cuts, self.job.graph.rows
        owners = self.lists.owners[lo:hi]
        owners = owners[(owners >= cuts[a]) & (owners < cuts[a + 1])]
        begin, end = int(indptr[cuts[a]]), int(indptr[cuts[a + 1]])
        # arcs to the parts before b, and to those up to b
        before = [np.zeros(end - begin + 1, np.int64) for _ in range(2)]
        for sums, bound in zip(before, (cuts[b], cuts[b + 1]), strict=True):
            np.cumsum(indices[begin:end] < bound, out=sums[1:])
        rows = [indptr[owners.astype(np.int64) + i] - begin for i in (0, 1)]
        first, last = (sums[rows[1]] - sums[rows[0]] for sums in before)
        upto = np.concatenate([np.zeros(1, np.int64), np.cumsum(last - first)])
        return kernels.Counted(owners, begin + rows[0] + first, upto, self.lists.counts)

    def _pieces(self, parts: tuple[int, int], lo: int, hi: int, lists: kernels.Counted) -> None:
        """Count the arcs of owners ``lo:hi`` in pieces that slots can hold."""
        if lists.upto[lo] == lists.upto[hi]:
            hi = lo  # without arcs there is nothing to do
        there = self._there(lists) if lo < hi else ()
        while lo < hi:
            end = int(np.searchsorted(lists.upto, lists.upto[lo] + self.most, "right")) - 1
            piece = _Piece(parts, lo, min(end, hi), lists, there)
            self._begin(piece)
            lo = piece.hi

    def _begin(self, piece: _Piece) -> None:
        """Launch a piece, and take what the launch before it has counted."""
        self.slots.reverse()
        slot = self.slots[0]
        (a, b), device = piece.parts, self.device
        given = (*piece.buffers, np.int64(piece.lo), np.int64(piece.hi), slot.there)
        size = grid(piece.arcs, self.group)
        rows = (*self.rows.part(a).arguments, *self.rows.part(b).arguments)
        done = device.launch(self.kernel, size, *rows, *given, group=self.group)
        slot.event = device.fetch_later(slot.there, slot.here[: piece.arcs], done)
        slot.piece = piece
        self._take(self.slots[1])

    def _take(self, slot: Slot) -> None:
        """Make similarities of what is in a slot, if anything is, and list the edges."""
        piece, event, slot.piece, slot.event = slot.piece, slot.event, None, None
        if piece is None or event is None:
            return
        self.device.wait(event)
        job, counted = self.job, piece.counted._replace(counts=slot.here)
        arcs = np.linspace(counted.upto[piece.lo], counted.upto[piece.hi], self.threads + 1)
        cuts = np.searchsorted(counted.upto[piece.lo : piece.hi], arcs[1:-1]) + piece.lo
        ends = [piece.lo, *cuts.tolist(), piece.hi]
        rest = (piece.lo, counted, job.graph.rows, job.base, job.kind, job.edges)
        calls = [(lo, hi, *rest) for lo, hi in itertools.pairwise(ends)]
        run(kernels.take_counts, calls, brief=self.threads == 1)

    def finish(self) -> None:
        """Wait for what is under way, and take it."""
        for slot in reversed(self.slots):
            self._take(slot)


def searching(
    device: OpenCL, graph: Graph, name: str, *options: str
) -> tuple[cl.Kernel, tuple[int, int]]:
    """Return a kernel that searches, and the shape of its groups (:func:`_widths`)."""
    shape = 0, 0

    def build() -> dict[str, cl.Kernel]:
        nonlocal shape
        shape = _widths(device, graph)
        sizes = f"-DROWS={shape[1]}", f"-DLANES={shape[0]}", f"-DSTAGED={STAGED_ARCS}"
        return {name: device.kernel("similarity", name, *options, *sizes)}

    with not_counted():
        return fitting(device, build)[name], shape


def grid(arcs: int, group: tuple[int, int]) -> tuple[int, int]:
    """Return the size of a launch on so many arcs: its groups follow each other in the first dimension.

    >>> grid(100, (4, 16))
    (28, 16)
    """
    lanes, rows = group
    return lanes * max(1, -(-arcs // rows)), rows


def _widths(device: OpenCL, graph: Graph) -> tuple[int, int]:
    """Return how many work-items look for the neighbours of an arc's end, and the arcs of a group."""
    steps = kernels.sampled_work(graph.indptr, graph.indices)
    lanes = LANES_AT_LEAST
    while lanes < min(steps, LANES_AT_MOST):
        lanes *= 2
    while lanes > device.group:
        lanes //= 2
    most = int(device.context.devices[0].max_work_item_sizes[1])  # Apple's processor driver: 1
    return lanes, min(device.group // lanes, most)
