"""Arrays on a device: copies, or the host's own arrays if device and host share memory."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

import numpy as np

from ..util.errors import TooLargeError
from ..util.memory import human

if TYPE_CHECKING:
    import pyopencl as cl

    from ..graph.graph import Graph
    from .opencl import OpenCL
    from .residency import Resident

__all__ = ["Buffer", "Room"]


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

    def take(self, size: int, what: str) -> None:
        """Count ``size`` bytes as used, or raise :class:`TooLargeError` if they are not free."""
        if size > self.largest:
            raise TooLargeError(
                f"{what} takes {human(size)}, but the largest buffer of {self.name} has "
                f"{human(self.largest)}: use the host"
            )
        if self.used + size > self.memory:
            raise TooLargeError(
                f"{what} takes {human(size)}, but {self.name} has {human(self.memory)}, of which "
                f"{human(self.used)} are in use: use the host"
            )
        self.used += size

    def clear(self) -> None:
        """Remove all graphs from the device."""
        for there in list(self.graphs.values()):
            there.release()
        self.graphs.clear()

    def give_back(self, size: int) -> None:
        """Count ``size`` bytes as free."""
        self.used -= size


class Buffer:
    """An array on a device. Made by :meth:`OpenCL.upload`, :meth:`OpenCL.output` and so on."""

    def __init__(self, device: OpenCL, memory: cl.Buffer, array: np.ndarray, size: int) -> None:
        self.device = device
        self.memory: cl.Buffer | None = memory
        self.array = array  # what it was made from, and what fetch() writes
        self._size = size  # bytes taken on the device: 0 if memory is shared

    def fetch(self, lo: int = 0, hi: int | None = None) -> np.ndarray:
        """Wait for all kernels, copy what the device has to ``array[lo:hi]``, and return it."""
        part = self.array[lo:hi]
        if part.size:
            self.device.copy_back(self, part, lo * self.array.itemsize)
        return part

    def release(self) -> None:
        """Free the memory."""
        if self.memory is not None:
            self.memory.release()
            self.memory = None
            self.device.room.give_back(self._size)
