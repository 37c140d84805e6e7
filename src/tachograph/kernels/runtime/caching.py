"""Where compiled kernels are kept, so that they are compiled once per machine.

Numba numbers the variants of a kernel in the order in which they come. Two processes that compile
different ones at the same time give them the same number, and then one may load what the other has
compiled for other types: numbers would be read as something else. So a variant's file has a name that
is made from its types, and says which code and types it is for.
"""

from __future__ import annotations

import functools
import hashlib
import os
import pickle
import sys
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import IndexDataCacheFile

from ... import __version__
from ...journal.store import home

__all__ = ["keep", "kept_on_disk"]

ENTRY_TRIES = 5  # times that an entry is written to a list that others write to, too
FORMAT = 3  # of the files
NO_PART_OF_KERNELS = {__name__, f"{__package__}.launch"}  # modules


class KernelFile(IndexDataCacheFile):
    """The variants of a kernel on disk: a file for each, and a list of them."""

    def save(self, key: Any, data: Any) -> None:
        """Keep a variant. What others add to the list meanwhile may be lost, and is made again."""
        signature = hashlib.sha256(repr(key[:2]).encode()).hexdigest()[:16]
        name = f"{self._index_name.removesuffix('.nbi')}.{signature}.nbc"
        self._save_data(name, (self._source_stamp, self._dump((key, data))))
        for _ in range(ENTRY_TRIES):
            entries = self._load_index()
            if entries.get(key) == name:
                break
            entries[key] = name
            self._save_index(entries)

    def load(self, key: Any) -> Any:
        """Return what was kept for ``key``, or None."""
        found = super().load(key)
        if found is None or found[0] != self._source_stamp:
            return None
        kept, data = pickle.loads(found[1])
        return data if kept == key else None


def keep(compiled: Any, module: str) -> None:
    """Keep the variants of a kernel on disk until a file that it is made from changes."""
    cache: Any = getattr(compiled, "_cache", None)  # Numba has no public door to this
    if not hasattr(cache, "_cache_file"):
        return
    # Numba compiles anew when the kernel's own file has changed; helpers are part of its code, too.
    stamp = f"{FORMAT} {numba.__version__} {_sources(module)}"
    if (path := _shared(module)) is not None:
        cache._cache_path = path
    file = KernelFile(str(cache._cache_path), cache._impl.filename_base, stamp)
    file._version = stamp  # which is read before types, which may no longer exist
    cache._cache_file = file


def kept_on_disk(compiled: Any) -> bool | None:
    """Whether a variant of a kernel is kept on disk; None if that cannot be."""
    try:
        return Path(compiled._cache._cache_file._index_path).exists()
    except AttributeError:
        return None


@functools.lru_cache(None)
def _shared(module: str) -> str | None:
    """A directory for compiled kernels that all environments with this version of the package use.

    None for a package that is not installed, whose files change, and if the user has named another.
    """
    if "site-packages" not in Path(__file__).parts or os.environ.get("NUMBA_CACHE_DIR"):
        return None
    versions = f"{__version__} numba {numba.__version__}"
    found = home() / "compiled" / versions.replace(" ", "-") / module
    try:
        found.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return str(found) if os.access(found, os.W_OK) else None


@functools.lru_cache(None)
def _sources(module: str) -> str:
    """A hash of the file of ``module`` and of all modules of ours that it takes helpers from."""
    todo, seen = [module], set(NO_PART_OF_KERNELS)
    contents = hashlib.sha256()
    while todo:
        name = todo.pop()
        file = getattr(sys.modules.get(name), "__file__", None)
        if name in seen or file is None:  # a package without a file of its own
            continue
        seen.add(name)
        space = vars(sys.modules[name])
        contents.update(Path(file).read_bytes())
        used = {
            str(getattr(value, "__module__", None) or getattr(value, "__name__", ""))  # or a module
            for value in space.values()
        }
        todo += sorted(u for u in used if u.partition(".")[0] == __package__.partition(".")[0])
    return contents.hexdigest()
