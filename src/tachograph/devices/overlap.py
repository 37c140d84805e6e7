"""What a device does beside the host: kernels that are timed without waiting for each, copies, also
beside kernels; and the errors of its driver as ours.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..util.errors import DeviceError, TooLargeError
from .discovery import Capabilities
from .waiting import Line, Pulse

if TYPE_CHECKING:
    import pyopencl as cl

    from .memory import Buffer

__all__ = ["Overlap"]


class Overlap:
    """Half of :class:`OpenCL`. ``kernels`` is the line of kernels, and of copies between them, in
    ``queue``; ``copies`` has others.
    """

    cl: Any
    name: str
    capabilities: Capabilities
    context: cl.Context
    queue: cl.CommandQueue
    pulse: Pulse
    kernels: Line
    copies: Line
    _events: list[cl.Event] | None  # of kernels that are timed

    def finish(self) -> None:
        """Wait until all launched kernels have ended."""
        with self._failures("a kernel"):
            self.kernels.finish()

    def settle(self) -> None:
        """Wait until no kernel can use memory any more, whatever has happened to the device."""
        for line in (self.kernels, self.copies):
            with suppress(self.cl.Error, DeviceError):
                if not self.pulse.silent:
                    line.finish()

    @contextmanager
    def timed(self) -> Iterator[list[float]]:
        """Wait at the end of this block; then the list has the seconds of each kernel launched in it.

        What passed in between, such as the time that launching takes, is divided among them.
        """
        begin, seconds = time.perf_counter(), list[float]()
        self._events = []
        events = self._events
        try:
            yield seconds
            self.finish()
            passed = time.perf_counter() - begin
            alone = [self._seconds(event) for event in events]
            more = (passed - sum(alone)) / max(1, len(alone))
            seconds += [max(0.0, own + more) for own in alone]
        finally:
            self._events = None

    def _seconds(self, event: cl.Event) -> float:
        """Return how long a kernel ran; 0 if the driver does not know."""
        with suppress(self.cl.Error):
            return float(event.profile.end - event.profile.start) * 1e-9
        return 0.0

    def fill(self, buffer: Buffer, value: np.generic, size: int) -> None:
        """Set the first ``size`` elements of a buffer to ``value``, a NumPy scalar."""
        with self._failures("filling a buffer"), self.kernels.begins():
            whole = size * value.itemsize
            self.cl.enqueue_fill_buffer(self.queue, buffer.memory, value, 0, whole)

    def write(self, buffer: Buffer, array: np.ndarray) -> None:
        """Copy ``array`` into a buffer."""
        with self._failures("writing a buffer"):
            self.kernels.wait(self._copied(buffer.memory, array))

    def copy_back(self, buffer: Buffer, part: np.ndarray, offset: int) -> None:
        """Wait, and copy a part of a buffer unless it is in place; see :meth:`Buffer.fetch`."""
        queue, memory = self.queue, buffer.memory
        with self._failures("reading a buffer"):
            if buffer.in_place:
                where = (self.cl.map_flags.READ, offset, part.shape, part.dtype)
                mapped, event = self.cl.enqueue_map_buffer(queue, memory, *where, is_blocking=False)
                self.kernels.wait(event)
                with self.kernels.begins():
                    mapped.base.release(queue)
                self.kernels.finish()
            else:
                self.kernels.wait(self._copied(part, memory, src_offset=offset))

    def _copied(self, target: object, source: object, **more: int) -> cl.Event:
        """Begin a copy."""
        with self.kernels.begins():
            return self.cl.enqueue_copy(self.queue, target, source, is_blocking=False, **more)

    def staging(self, size: int, kind: npt.DTypeLike) -> np.ndarray:
        """Return an array of the host that the device can copy to at full speed, if it has any."""
        flags, how = self.cl.mem_flags, self.cl.map_flags
        if not self.capabilities.shares_memory:
            with suppress(self.cl.Error):
                taken = max(1, size) * np.dtype(kind).itemsize
                held = self.cl.Buffer(self.context, flags.READ_WRITE | flags.ALLOC_HOST_PTR, taken)
                both = how.READ | how.WRITE
                made, event = self.cl.enqueue_map_buffer(
                    self.queue, held, both, 0, (size,), kind, is_blocking=False
                )
                self.kernels.wait(event)
                return np.asarray(made)  # which keeps its buffer
        return np.empty(size, kind)

    def fetch_later(self, buffer: Buffer, part: np.ndarray, after: cl.Event | None) -> cl.Event:
        """Copy the beginning of a buffer to an array, once ``after`` has ended, beside kernels that are
        launched from now on; return the event of its end.
        """
        with self._failures("reading a buffer"):
            wait = [] if after is None else [after]
            self.queue.flush()
            line = self.copies
            with line.begins():
                event = self.cl.enqueue_copy(
                    line.queue, part, buffer.memory, is_blocking=False, wait_for=wait
                )
                line.copying.append(event)
            line.queue.flush()
            return event

    def wait(self, event: cl.Event) -> None:
        """Wait for an event, while the host may be at work."""
        with self._failures("a kernel, or a copy"):
            line = self.copies if event in self.copies.copying else self.kernels
            line.wait(event, beside=True)

    @contextmanager
    def _failures(self, what: str) -> Iterator[None]:
        """Turn what a driver says into an error of ours."""
        try:
            self.pulse.check()
            yield
        except self.cl.MemoryError as problem:
            text = f"{self.name} has no memory for {what}: {problem}; use the host"
            raise TooLargeError(text) from None
        except self.cl.Error as problem:
            raise DeviceError(f"{self.name} failed at {what}: {problem}; use the host") from None
