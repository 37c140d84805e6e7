"""How many threads a process may use, and which cores it keeps to."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any

from .errors import InputError

__all__ = ["THREADS", "pin", "threads", "threads_available"]

#: Variables that say how many threads libraries may use.
THREADS = ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")


_limit: ContextVar[int | None] = ContextVar("threads", default=None)


@contextmanager
def threads(count: int | None) -> Iterator[None]:
    """Use ``count`` threads in every call inside the block (None changes nothing).

    >>> import tachograph as tg
    >>> with tg.threads(1):
    ...     levels = tg.bfs(tg.path(3), 0).levels
    """
    if count is not None and count < 1:
        raise InputError(f"threads = {count}: at least one is needed")
    token = _limit.set(count if count is not None else _limit.get())
    try:
        yield
    finally:
        _limit.reset(token)


def threads_available() -> int:
    """Threads a kernel may use: :func:`threads`, NUMBA_NUM_THREADS, OMP_NUM_THREADS, else our cores."""
    limit = _limit.get()
    if limit is not None:
        return limit
    for variable in THREADS[:2]:
        value = os.environ.get(variable, "").split(",")[0].strip()  # OpenMP: one for each depth
        if value.isdigit() and int(value) > 0:
            return int(value)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


_claimed: list[Any] = []  # files that hold this process's cores


def pin(threads: int) -> set[int]:
    """Keep this process on ``threads`` cores that no other pinned process has; those it got.

    Nothing happens where that cannot be done, or if there are not enough free cores.
    """
    if _claimed or not hasattr(os, "sched_setaffinity"):
        return set()
    import fcntl

    got: dict[int, Any] = {}
    for core in sorted(os.sched_getaffinity(0)):
        if len(got) == threads:
            break
        name = f"tachograph-{os.getuid()}-core-{core}.lock"
        with suppress(OSError):
            file = open(os.path.join(tempfile.gettempdir(), name), "w")  # noqa: PTH118, PTH123
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # let go by the kernel when we end
                got[core] = file
            except OSError:
                file.close()
    if len(got) < threads:
        for file in got.values():
            file.close()
        return set()
    os.sched_setaffinity(0, got)
    _claimed.extend(got.values())
    return set(got)
