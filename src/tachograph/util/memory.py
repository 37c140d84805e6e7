"""How much memory is free, and an error with numbers for what would not fit."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from .arguments import single
from .errors import InputError, TooLargeError

CGROUP = Path("/sys/fs/cgroup")
VARIABLE = "TACHOGRAPH_MEMORY"
#: What ``tachograph.limits`` allows a piece of work, in bytes.
given: ContextVar[int | None] = ContextVar("memory", default=None)


def human(size: float) -> str:
    """Return a number of bytes as text: ``human(3_200_000)`` is ``'3.2 MB'``."""
    units = ["B", "kB", "MB", "GB", "TB", "PB"]
    while size >= 999.5 and len(units) > 1:
        size /= 1000
        del units[0]
    return (
        f"{size:.0f} {units[0]}" if units[0] == "B" or size >= 99.95 else f"{size:.1f} {units[0]}"
    )


def as_bytes(given: float | str | None, what: str) -> int | None:
    """Return the number of bytes that ``200_000_000`` or ``"200 MB"`` means, given as ``what``."""
    given = single(what, given, "int | float | str | None")
    if given is None:
        return None
    units = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}
    found = re.fullmatch(r"\s*(\d{1,30}(?:\.\d+)?)\s*([a-z]*)\s*", str(given).lower(), re.A)
    if found is None or found[2] not in units or float(found[1]) <= 0:
        raise InputError(f"{what} = {given!r:.200}: a number of bytes, or one like '200 MB'")
    return int(float(found[1]) * units[found[2]])


def _cgroup() -> int | None:
    """Return the bytes that our control group still allows, or None if it sets no limit."""
    try:
        limit = (CGROUP / "memory.max").read_text().strip()
        if limit == "max":
            return None
        used = int((CGROUP / "memory.current").read_text())
        for line in (CGROUP / "memory.stat").read_text().splitlines():
            if line.startswith("inactive_file "):  # file cache, which gives way
                used -= int(line.split()[1])
        return max(0, int(limit) - used)
    except (OSError, ValueError):
        return None


def _system() -> int | None:
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError):
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return None


def _address_space() -> int | None:
    """Return the bytes that this process may still map, or None if it has no limit (RLIMIT_AS)."""
    try:
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit == resource.RLIM_INFINITY:
            return None
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        return max(0, limit - pages * resource.getpagesize())
    except (ImportError, OSError, ValueError):
        return None


def limit() -> int | None:
    """Return the bytes that a piece of work may take, by a block or by the environment."""
    said = as_bytes(os.environ.get(VARIABLE) or None, VARIABLE)
    return min((size for size in (given.get(), said) if size is not None), default=None)


def available() -> int | None:
    """Return the bytes that work may allocate now, or None if neither system nor user says."""
    known = (_system(), _cgroup(), _address_space(), limit())
    found = [size for size in known if size is not None]
    return min(found, default=None)


def require(size: int, what: str, advice: str) -> None:
    """Raise :class:`TooLargeError` if ``what`` needs more bytes (``size``) than are free."""
    free = available()
    if free is not None and size > free:
        there = f"{human(free)} are free"
        if free == limit():
            there = f"the limit is {human(free)} (tg.limits or {VARIABLE})"
        raise TooLargeError(f"{what} needs about {human(size)} of memory, but {there}: {advice}")


@contextmanager
def enough(what: str) -> Iterator[None]:
    """Say in a :class:`TooLargeError` that memory ran out in the block, or the function, ``what``.

    The same for files that can be open at a time: even code that is not loaded yet needs one.
    """
    try:
        yield
    except TooLargeError:
        raise
    except OSError as error:
        if error.errno not in (errno.EMFILE, errno.ENFILE):
            raise
        raise TooLargeError(
            f"{what}: too many files are open: close some, or allow more (ulimit -n)"
        ) from error
    except MemoryError as error:
        free = available()
        have = "" if free is None else f", {human(free)} are free"
        reason = str(error).partition(" for an array")[0] or "allocation failed"
        raise TooLargeError(
            f"{what}: memory ran out ({reason}{have}): take a smaller graph or fewer threads, or "
            "allow more memory"
        ) from error
