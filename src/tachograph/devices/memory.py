"""Arrays on a device: copied there, or, where device and host share memory, the same ones."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import numpy as np

from ..util.errors import TooLargeError
from ..util.memory import human

if TYPE_CHECKING:
    from ..graph.graph import Graph
    from .opencl import OpenCL
    from .residency import Resident

__all__ = ["Buffer", "Room"]


class Room:
    """How much of a device's memory is in use, and a refusal, with sizes, of what does not fit."""

    def __init__(self, name: str, memory: int, largest: int) -> None:
        self.name = name
        self.memory = memory
        self.largest = largest
        self.used = 0
        #: graphs on the device, the one used last at the end
        self.graphs: weakref.WeakKeyDictionary[Graph, Resident] = weakref.WeakKeyDictionary()

    def fits(self, size: int) -> bool:
        """Whether a buffer of ``size`` bytes can be had now."""
        return size <= self.largest and self.used + size <= self.memory

    def take(self, size: int, what: str) -> None:
        """Count ``size`` bytes as used; :class:`TooLargeError` if they are not there."""
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
        """Take all graphs off the device."""
        for there in list(self.graphs.values()):
            there.release()
        self.graphs.clear()

    def give_back(self, size: int) -> None:
        """Count ``size`` bytes as free."""
        self.used -= size


class Buffer:
    """An array on a device. Made by :meth:`OpenCL.upload`, :meth:`OpenCL.output` and so on."""

    def __init__(self, device: OpenCL, memory: Any, array: np.ndarray, size: int) -> None:
        self.device = device
        self.memory = memory  # what pyopencl takes as an argument of a kernel
        self.array = array  # what it was made from, or is to be fetched to
        self._size = size  # bytes taken on the device: none if memory is shared

    def fetch(self, lo: int = 0, hi: int | None = None) -> np.ndarray:
        """Make ``array[lo:hi]`` what the device has there; waits for kernels before it."""
        part = self.array[lo:hi]
        if part.size:
            self.device.copy_back(self, part, lo * self.array.itemsize)
        return part

    def release(self) -> None:
        """Give the memory back."""
        if self.memory is not None:
            self.memory.release()
            self.memory = None
            self.device.room.give_back(self._size)
