"""Separate cores for the host and for a device that computes on the host's cores.

Linux may put a woken thread on the core of the thread that wakes it. Host and device then share one
core for milliseconds, although each could have its own.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

__all__ = ["apart", "thread_ids"]


def thread_ids() -> set[int]:
    """Return the threads of this process that Python did not start; none if the system has no list."""
    with suppress(OSError):
        found = {int(entry.name) for entry in Path("/proc/self/task").iterdir()}
        return found - {thread.native_id for thread in threading.enumerate()}
    return set()


@contextmanager
def apart(workers: Sequence[int]) -> Iterator[bool]:
    """Keep the calling thread, and threads it starts, off the cores of ``workers`` in this block.

    Each worker gets one of the last cores that this process may use; the host keeps the others. Yields
    whether that was possible: it takes more cores than workers, and a system with affinity masks.

    >>> with apart([]) as done:
    ...     done
    False
    """
    before: list[tuple[int, set[int]]] = []
    try:
        with suppress(OSError, AttributeError):
            own = os.sched_getaffinity(0)
            cores = sorted(own)
            if 0 < len(workers) < len(cores):
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
