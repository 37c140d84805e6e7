"""Cores for the threads of a device that computes on the host's, so that both really run at once.

A thread that is woken is put on the core of the one that wakes it if others are busy: then host and
device take turns on one core, for milliseconds, although each could have its own.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

__all__ = ["apart", "thread_ids"]


def thread_ids() -> set[int]:
    """The threads of this process that are not Python's; none where the system does not tell."""
    with suppress(OSError):
        found = {int(entry.name) for entry in Path("/proc/self/task").iterdir()}
        return found - {thread.native_id for thread in threading.enumerate()}
    return set()


@contextmanager
def apart(workers: Sequence[int]) -> Iterator[bool]:
    """Keep the calling thread, and those it starts, off the cores of ``workers`` for this block.

    Workers get the last cores that this process may use, the others are left to the host. Gives whether
    that was possible: there must be more cores than workers, and a system that lets one choose.

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
