"""The host as a device: its threads and cores, and the energy that its processors use."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

__all__ = ["Host", "Meter", "apart", "cores", "thread_ids"]

POWERCAP = Path("/sys/class/powercap")  # where Linux counts energy
_apart: set[int] = set()  # threads that a block keeps on a core of their own now
_guard = threading.Lock()  # protects them


class Host:
    """The processors that Python runs on.

    >>> Host(threads=2)
    Host(2 threads)
    """

    id = "host"
    kind = "host"

    def __init__(self, threads: int) -> None:
        self.threads = threads

    @property
    def key(self) -> str:
        """The key of its calibration in the journal."""
        return f"host, {self.threads} threads"

    def __repr__(self) -> str:
        return f"Host({self.threads} thread{'s' * (self.threads != 1)})"


def cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def thread_ids() -> set[int]:
    """Return the threads of this process that Python did not start; none if the system has no list."""
    with suppress(OSError):
        found = {int(entry.name) for entry in Path("/proc/self/task").iterdir()}
        return found - {thread.native_id for thread in threading.enumerate()}
    return set()


@contextmanager
def apart(workers: Sequence[int]) -> Iterator[bool]:
    """Keep the calling thread, and threads it starts, off the cores of ``workers`` in this block.

    Linux may put a woken thread on the core of the thread that wakes it. Host and device then share one
    core for milliseconds, although each could have its own. Here each worker gets one of the last cores
    that this process may use; the host keeps the others. Yields whether that was possible: it takes
    more cores than workers, a system with affinity masks, and workers that no other block keeps apart.

    >>> with apart([]) as done:
    ...     done
    False
    """
    before: list[tuple[int, set[int]]] = []
    with _guard:
        mine = set() if _apart.intersection(workers) else set(workers)
        _apart.update(mine)
    try:
        with suppress(OSError, AttributeError):
            own = os.sched_getaffinity(0)
            cores = sorted(own)
            if mine and len(workers) < len(cores):
                for worker, core in zip(workers, cores[-len(workers) :], strict=True):
                    before.append((worker, os.sched_getaffinity(worker)))
                    os.sched_setaffinity(worker, {core})
                before.append((0, own))
                os.sched_setaffinity(0, set(cores[: -len(workers)]))
        yield len(before) == len(workers) + 1 and bool(workers)
    finally:
        for thread, cores_before in before:
            with suppress(OSError):  # a thread that has ended
                os.sched_setaffinity(thread, cores_before)
        with _guard:
            _apart.difference_update(mine)


class Meter:
    """Reads the energy counters of all processor packages.

    ``available`` is False on machines without counters, or where reading them is not allowed.
    """

    def __init__(self) -> None:
        self._ranges: dict[Path, int] = {}  # of each counter, which begins at 0 again
        self._last: list[int] = []
        with suppress(OSError, ValueError):
            zones = [zone for zone in sorted(POWERCAP.glob("*:*")) if zone.name.count(":") == 1]
            counters = [zone / "energy_uj" for zone in zones if (zone / "energy_uj").exists()]
            ranges = [int((c.parent / "max_energy_range_uj").read_text()) for c in counters]
            self._last = [int(counter.read_text()) for counter in counters]
            self._ranges = dict(zip(counters, ranges, strict=True))

    @property
    def available(self) -> bool:
        """Whether there are counters that can be read."""
        return bool(self._ranges)

    def joules(self) -> float:
        """Return the joules used since the last call, or since the meter was made; NaN if unknown."""
        if not self.available:
            return float("nan")
        now = [int(counter.read_text()) for counter in self._ranges]
        steps = zip(self._ranges.values(), self._last, now, strict=True)
        used = sum(after - before + most * (after < before) for most, before, after in steps)
        self._last = now
        return used / 1e6
