"""Hashes of the package's code, by which measurements say what they measured."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path

__all__ = ["code_hash", "measured_code", "own_version"]

MEASURED_ROOMS = ("kernels", "algorithms")  # what takes the time that is measured
HASHED = (".py", ".cl", ".csv", ".toml")  # suffixes of files that can change a result


@functools.cache
def code_hash(*rooms: str) -> str:
    """Return a hash of the code of some rooms or files of the package, or of all of it."""
    package = Path(__file__).parents[1]
    contents = hashlib.sha256()
    for root in [package / room for room in rooms] or [package]:
        for path in sorted(root.rglob("*")) if root.is_dir() else [root]:
            if path.suffix in HASHED:
                contents.update(str(path.relative_to(root)).encode())
                contents.update(path.read_bytes())
    return contents.hexdigest()[:16]


def measured_code() -> str:
    """Return the hash that measurements carry: of the rooms whose times are measured."""
    return code_hash(*MEASURED_ROOMS)


def own_version() -> str:
    """Return what a run says about who made it: the version, and the hash of the measured code."""
    from .. import __version__

    return f"{__version__}+{measured_code()}"
