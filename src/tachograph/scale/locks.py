"""A directory that one process at a time works in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from ..util.errors import InputError

__all__ = ["LOCK", "alone"]

LOCK = "lock"


@contextmanager
def alone(directory: Path) -> Iterator[None]:
    """Refuse to work where another process does; the lock ends with the process, however that ends."""
    with (directory / LOCK).open("w") as lock:
        if not _locked(lock):
            raise InputError(f"another process is at work in {directory}: wait for it, or stop it")
        yield


def _locked(file: IO[str]) -> bool:
    try:
        import fcntl
    except ImportError:  # not on this system
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
