"""The host as a device: compiled loops on a number of threads."""

from __future__ import annotations

import os

from .discovery import Found

__all__ = ["Host", "cores", "host_threads"]


def cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


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


def host_threads(wanted: int, device: Found | None, device_threads: int) -> int:
    """Return the threads left for the host while a device runs that may use some of its cores.

    >>> from tachograph.devices.host import cores
    >>> host_threads(cores(), None, 0) == cores()
    True
    """
    if device is None or not device.shares_cores:
        return wanted
    return max(1, min(wanted, cores() - device_threads))
