"""The kind of this machine, how many threads a process may use, and which cores it keeps to."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import platform
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path

from .errors import InputError, warn
from .files import lock

MOST_THREADS = 64  # on a machine with few cores
MOST_THREADS_PER_CORE = 4
LONGEST_COUNT = 9  # digits of a number of threads in the environment
#: Variables that say how many threads libraries may use.
THREADS = ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")


@functools.cache
def machine() -> tuple[str, dict[str, str | int | None]]:
    """Return a short name for this kind of machine, and what the name is made from."""
    model = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        model = next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    about = {"system": platform.system(), "processor": model, "cores": os.cpu_count()}
    return hashlib.sha256(json.dumps(about).encode()).hexdigest()[:12], about


_limit: ContextVar[int | None] = ContextVar("threads", default=None)


@contextmanager
def threads(count: int | None) -> Iterator[None]:
    """Use ``count`` threads in every call inside the block (None changes nothing).

    >>> import tachograph as tg
    >>> with tg.threads(1):
    ...     levels = tg.bfs(tg.path(3), 0).levels
    """
    from .arguments import single

    if (count := single("threads", count, "int | None")) is not None and count < 1:
        raise InputError(f"threads = {count}: at least one is needed")
    token = _limit.set(_sensible(count, "threads") if count is not None else _limit.get())
    try:
        yield
    finally:
        _limit.reset(token)


def most_threads() -> int:
    """Return the highest number of threads that a call starts."""
    return max(MOST_THREADS, MOST_THREADS_PER_CORE * (os.cpu_count() or 1))


def _sensible(count: int, what: str) -> int:
    """Return ``count``, or fewer threads with a warning: thousands only wait for each other."""
    most = most_threads()
    if count > most:
        warn(f"{what} = {count}: {most} are used")
    return min(count, most)


def threads_available() -> int:
    """Return how many threads a kernel may use.

    That is what :func:`threads` says, else NUMBA_NUM_THREADS, else OMP_NUM_THREADS, else the number of
    cores this process may run on.
    """
    limit = _limit.get()
    if limit is not None:
        return limit
    for variable in THREADS[:2]:
        value = os.environ.get(variable, "").split(",")[0].strip()  # OpenMP: one for each level
        if value.isdecimal() and len(value) <= LONGEST_COUNT and int(value) > 0:
            return _sensible(int(value), variable)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def check_environment() -> None:
    """Refuse a number of threads with which Numba cannot be imported."""
    value, count = os.environ.get(THREADS[0], ""), 1
    with suppress(ValueError):  # Numba warns, and goes on
        count = int(value)
    if count < 1:
        raise InputError(f"{THREADS[0]} = {value[:LONGEST_COUNT]}: at least one is needed")


def busy() -> int:
    """Return how many threads of other programs compete for the cores; 0 if that cannot be told."""
    try:
        running = Path("/proc/loadavg").read_text("ascii").split()[3]
        others = int(running.partition("/")[0]) - 1
    except (OSError, ValueError, IndexError):
        return 0
    return max(others, 0)


_claimed: list[int] = []  # locks that hold this process's cores


def pin(threads: int) -> set[int]:
    """Keep this process on ``threads`` cores that no other pinned process has.

    Returns those cores: none if the system cannot do it, or too few cores are free.
    """
    if _claimed or not hasattr(os, "sched_setaffinity"):
        return set()
    got: dict[int, int] = {}
    for core in sorted(os.sched_getaffinity(0)):
        if len(got) == threads:
            break
        place = Path(tempfile.gettempdir()) / f"tachograph-{os.getuid()}-core-{core}.lock"
        with suppress(OSError):
            if (held := lock(place)) is not None:
                got[core] = held
    if len(got) < threads:
        for held in got.values():
            os.close(held)
        return set()
    os.sched_setaffinity(0, got)
    _claimed.extend(got.values())
    return set(got)
