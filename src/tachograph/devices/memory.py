"""Memory of a device: arrays (:class:`Buffer`), arrays of both sides (:class:`Common`), graphs.

A buffer is freed when nothing refers to it any more, so there is nothing to close. If device and host
share memory, buffers are the host's own arrays. A graph is uploaded once, and stays while it lives and
the memory suffices. One that does not fit is cut into parts (runs of rows). Two parts are on the device
at a time, which is enough for kernels that compare two rows.
"""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..graph.graph import Graph
from ..util.errors import DeviceError, TooLargeError
from ..util.memory import human

if TYPE_CHECKING:
    import pyopencl as cl

    from .opencl import OpenCL

__all__ = ["Buffer", "Common", "Part", "Resident", "Room", "check_countable", "resident", "whole"]

RESIDENT_PARTS = 2  # of a graph that are on the device at the same time
LOOPS_PER_ARC = 4  # turns of loops that a kernel may take for each vertex and arc, at most
MOST_VERTICES = 2**31 - 2**20  # that kernels can count, and a few takes of some hundreds more
MOST_NARROW_ARCS = 2**31 - 2**20  # whose places fit in 32 bits, and those of a few more
GRAPH_MEMORY_SHARE = 0.8  # of a device's free memory; algorithms need the rest


class Room:
    """Counts how much of a device's memory is in use, and refuses what does not fit."""

    def __init__(self, name: str, memory: int, largest: int) -> None:
        self.name = name
        self.memory = memory
        self.largest = largest
        self.used: int = 0
        #: graphs on the device, the most recently used last
        self.graphs: weakref.WeakKeyDictionary[Graph, Resident] = weakref.WeakKeyDictionary()

    def fits(self, size: int) -> bool:
        """Whether a buffer of ``size`` bytes can be allocated now."""
        return size <= self.largest and self.used + size <= self.memory

    def check(self, size: int, what: str) -> None:
        """Raise :class:`TooLargeError` unless ``size`` bytes are free."""
        if size > self.largest:
            have = f"the largest buffer of {self.name} has {human(self.largest)}"
        elif self.used + size > self.memory:
            have = f"{self.name} has {human(self.memory)}, of which {human(self.used)} are in use"
        else:
            return
        raise TooLargeError(f"{what} takes {human(size)}, but {have}: use the host")


class Buffer:
    """An array on a device. Made by :meth:`OpenCL.upload`, :meth:`OpenCL.output` and so on.

    ``array`` is what it was made from, and what :meth:`fetch` writes; ``in_place`` says whether the
    buffer is that array. It is freed only when no kernel runs: an exception may end the function that
    has launched one.
    """

    def __init__(
        self,
        device: OpenCL,
        make: Callable[[], cl.Buffer],
        array: np.ndarray,
        size: int,
        *,
        in_place: bool,
    ) -> None:
        self.device = device
        self.array = array
        self.in_place = in_place
        self._size = 0  # bytes taken on the device: 0 if in place
        self.memory: cl.Buffer = make()
        self._size = size
        device.room.used += size
        device.pulse.memory[id(self)] = self

    def __del__(self) -> None:
        self.device.settle()
        self.device.room.used -= self._size

    def fetch(self, lo: int = 0, hi: int | None = None) -> np.ndarray:
        """Wait for all kernels, copy what the device has to ``array[lo:hi]``, and return it."""
        part = self.array[lo:hi]
        if part.size:
            self.device.copy_back(self, part, lo * self.array.itemsize)
        return part


@dataclass
class _Twin:
    """An array of both sides; ``stale`` is the side whose copy is out of date, if one is."""

    host: np.ndarray
    there: Buffer | np.ndarray | None = None
    stale: str = ""


class Common:
    """Named arrays that are up to date on whichever side uses them.

    They are on the host until the device uses one. If the device computes in the host's memory and
    that is fine-grained, both sides then use the same array. Otherwise each side has its own, and one
    that the other side wrote last is copied before it is used. ``device`` is None if only the host uses
    the arrays.
    """

    def __init__(self, device: OpenCL | None, arrays: Mapping[str, np.ndarray]) -> None:
        self.device = device
        able = None if device is None else device.capabilities
        self.shared: bool = able is not None and able.svm == "fine" and able.shares_memory
        self._twins = {name: _Twin(array) for name, array in arrays.items()}

    def host(self, *names: str) -> tuple[np.ndarray, ...]:
        """Return the arrays for the host."""
        twins = [self._twins[name] for name in names]
        for twin in twins:
            if twin.stale == "host" and isinstance(twin.there, Buffer):
                twin.host[:] = twin.there.fetch()
                twin.stale = ""
        return tuple(twin.host for twin in twins)

    def there(self, name: str) -> Buffer | np.ndarray:
        """Return an array as an argument of the device's kernels."""
        twin, device = self._twins[name], self.device
        assert device is not None
        if twin.there is None and self.shared:
            both = device.shared(twin.host.size, twin.host.dtype, name)
            both[:] = twin.host
            twin.host = twin.there = both
        elif twin.there is None:
            twin.there = device.output(twin.host.copy(), name)
        elif twin.stale == "device" and isinstance(twin.there, Buffer):
            device.write(twin.there, twin.host)
            twin.stale = ""
        return twin.there

    def wrote(self, side: str, *names: str) -> None:
        """Note that ``side``, ``"host"`` or ``"device"``, has written those of the arrays that it has
        asked for: one whose copy there is still out of date it cannot have written.
        """
        for twin in (self._twins[name] for name in names):
            if isinstance(twin.there, Buffer) and twin.stale != side:
                twin.stale = "device" if side == "host" else "host"

    def bytes_to(self, side: str, names: Iterable[str]) -> int:
        """Return how much of the arrays must be copied before ``side`` can use them; names that no
        array has are passed over. Arrays move to shared memory when the device first uses them.
        """
        twins = [self._twins[name] for name in names if name in self._twins]
        missing = [t for t in twins if t.stale == side or (side == "device" and t.there is None)]
        return sum(twin.host.nbytes for twin in missing)

    def bring(self, side: str) -> None:
        """Copy what ``side`` does not have."""
        if side == "host":
            self.host(*self._twins)
        else:
            for name in self._twins:
                self.there(name)

    def swap(self, one: str, other: str) -> None:
        """Exchange the names of two arrays."""
        self._twins[one], self._twins[other] = self._twins[other], self._twins[one]


@dataclass(frozen=True)
class Part:
    """The rows from ``first`` on. ``indptr`` counts in the arcs of the whole graph, in ``offset``s
    (``int`` if they suffice, else ``long``), and ``indices`` begins with arc number ``begin``.
    """

    first: int
    begin: int
    indptr: Buffer
    indices: Buffer

    @property
    def offset(self) -> str:
        """The type of offsets in OpenCL C."""
        return "int" if self.indptr.array.itemsize == 4 else "long"

    @property
    def arguments(self) -> tuple[Buffer, Buffer, np.int64, np.int64]:
        """The arguments that kernels take for a part."""
        return self.indptr, self.indices, np.int64(self.first), np.int64(self.begin)


class Resident:
    """A graph on a device: whole (``cuts == [0, n]``) or in parts."""

    def __init__(self, device: OpenCL, graph: Graph) -> None:
        self.device = device
        self.indptr: np.ndarray = graph.indptr
        if graph.arcs <= MOST_NARROW_ARCS:
            self.indptr = graph.indptr.astype(np.int32)
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
        upto = (
            np.arange(n + 1) * self.indptr.itemsize
            + self.indptr.astype(np.int64) * self.indices.itemsize
        )
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
            self._parts.popitem(last=False)
        lo, hi = self.cuts[which], self.cuts[which + 1]
        begin, end = int(self.indptr[lo]), int(self.indptr[hi])
        indptr = self.device.upload(self.indptr[lo : hi + 1], "rows of the graph")
        indices = self.device.upload(self.indices[begin:end], "arcs of the graph")
        self._parts[which] = Part(lo, begin, indptr, indices)
        return self._parts[which]

    def release(self) -> None:
        """Remove the graph from the device."""
        self._parts.clear()


def resident(device: OpenCL, graph: Graph) -> Resident:
    """Return the graph on the device; parts are uploaded when they are used.

    The least recently used graphs are removed if the memory does not suffice.

    Raises
    ------
    TooLargeError
        If the neighbours of one vertex do not fit.
    DeviceError
        If the driver would end loops before kernels are through with so many arcs.
    """
    turns, size = device.found.turns, graph.n + graph.arcs
    if turns is not None and size * LOOPS_PER_ARC > turns:
        raise DeviceError(
            f"the driver of {device.name} ends loops after {turns:,} turns, so results for more than "
            f"{turns // LOOPS_PER_ARC:,} vertices and arcs (here {size:,}) may be wrong: use the host"
        )
    kept = device.room.graphs
    made = kept.pop(graph, None)
    if made is None:
        size = graph.indptr.nbytes + graph.indices.nbytes
        for other in kept.values():  # the most recently used is the last
            if not device.room.fits(size):
                other.release()
        made = Resident(device, graph)
    kept[graph] = made
    return made


def check_countable(device: OpenCL, vertices: int) -> None:
    """Raise :class:`DeviceError` if kernels, which count vertices in 32 bits, cannot count so many."""
    if vertices > MOST_VERTICES:
        raise DeviceError(
            f"kernels on {device.name} count up to {MOST_VERTICES:,} vertices, and the graph has "
            f"{vertices:,}: use the host"
        )


def whole(device: OpenCL, graph: Graph) -> Part:
    """Return all of the graph on the device, for kernels that cannot work on parts."""
    check_countable(device, graph.n)
    there = resident(device, graph)
    if not there.whole:
        raise DeviceError(f"the graph does not fit on {device.name} as a whole: use the host")
    return there.part(0)
