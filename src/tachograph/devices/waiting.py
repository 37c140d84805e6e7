"""Wait for a device, but not for ever: a driver that hangs must not hang whoever asked.

A driver's own waiting has no bound. So an event is looked at until it has ended. Only then is the
driver asked to wait for it, which takes no time, makes memory visible, and raises errors. A device that
does not answer in time is given up for good: nothing is asked of it any more, and memory that its
kernels may still use is never freed.
"""

from __future__ import annotations

import ctypes
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..util.errors import DeviceError
from .discovery import PATIENCE_SECONDS

if TYPE_CHECKING:
    import pyopencl as cl

__all__ = ["Line", "Pulse"]

# A wait is given up after PATIENCE_SECONDS for each launch that it waits for (launches are cut, so that
# each takes seconds at most), or after so many times the longest wait that has ended, if that is more.
TIMES_THE_LONGEST = 20
SPINNING_SECONDS = 1e-3  # of a wait: the host looks without a rest, if it has a core for that
REST_SHARE, LONGEST_REST = 1 / 64, 0.01  # then it rests: a share of what has passed, and seconds


class Pulse:
    """Whether a device answers; devices that are masked share it with the one they were made from."""

    def __init__(self, name: str, spins: bool) -> None:
        self.name: str = name
        self.spins: bool = spins
        self.silent: str = ""  # what to say of a device that was given up
        self.longest: float = 0.0
        #: buffers and shared arrays that kernels may use
        self.memory: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()
        self.lines: list[Line] = []

    def check(self) -> None:
        """Raise :class:`DeviceError` if the device was given up."""
        if self.silent:
            raise DeviceError(self.silent)

    def until(self, event: cl.Event, launches: int) -> None:
        """Look at an event, behind so many launches, until it has ended.

        Raises
        ------
        DeviceError
            If that takes too long.
        """
        begin, passed = time.perf_counter(), 0.0
        most = max(PATIENCE_SECONDS * launches, TIMES_THE_LONGEST * self.longest)
        while event.command_execution_status > 0:  # complete is 0, errors are less
            passed = time.perf_counter() - begin
            if passed > most:
                self._give_up(event, passed)
            if not self.spins or passed > SPINNING_SECONDS:
                time.sleep(min(REST_SHARE * passed, LONGEST_REST))
        self.longest = max(self.longest, passed)

    def _give_up(self, event: cl.Event, passed: float) -> None:
        self.silent = (
            f"{self.name} has not answered for {passed:.0f} s, and is given up: use the host"
        )
        kept = [event, *self.memory.values()]
        for line in self.lines:
            kept += [line.queue, line.queue.context, *line.copying]
        for thing in kept:  # also when Python ends: to free it would wait for the driver
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(thing))
        raise DeviceError(self.silent)


class Line:
    """A queue of commands, which are done in their order. ``marker`` enqueues one that does nothing."""

    def __init__(
        self, queue: cl.CommandQueue, pulse: Pulse, marker: Callable[[cl.CommandQueue], cl.Event]
    ) -> None:
        self.queue: cl.CommandQueue = queue
        self.pulse: Pulse = pulse
        self._marker = marker
        self.begun: int = 0  # commands that were enqueued
        self._answered = self._ended = (
            0  # how many they were at the last wait, and when all had ended
        )
        self.copying: list[cl.Event] = []  # which must not be freed while a copy is under way
        pulse.lines.append(self)

    @contextmanager
    def begins(self) -> Iterator[None]:
        """Count a command that is enqueued in this block, whatever happens there."""
        try:
            yield
        finally:  # not before: who waits in between, in another thread, would count it as ended
            self.begun += 1

    def wait(self, event: cl.Event, beside: bool = False) -> None:
        """Wait for one command. ``beside`` other threads that need the cores the driver waits, without
        a bound: looking took a quarter of the time of a shared similarity.
        """
        begun = self.begun
        self.queue.flush()
        if not beside:
            self.pulse.until(event, begun - self._answered + 1)
        event.wait()
        self._answered = begun
        if event in self.copying:
            self.copying.remove(event)

    def finish(self) -> None:
        """Wait for all commands."""
        if (begun := self.begun) != self._ended:
            self.wait(self._marker(self.queue))
            self._ended = begun
            self.copying.clear()
