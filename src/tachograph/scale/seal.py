"""Seals: whether a checkpoint was made by a run of this user, and not by whoever made the directory.

A seal is a hash with a key that only this user has: a secret in the directory for data. Somebody who
forges a checkpoint does not know it. Each run has its own key, made from the secret, and only that is
sent to workers.
"""

from __future__ import annotations

import functools
import hashlib
import hmac
import json
import os
from contextlib import suppress
from pathlib import Path

import numpy as np

from ..journal import home
from ..util.errors import InputError
from ..util.files import aside
from .piece import Arrays

__all__ = ["is_sealed", "key_of", "seal"]

KEY_BYTES = 32


def key_of(*about: str) -> bytes:
    """Return the key of the seals of a run, which these words tell from other runs."""
    text = "\0".join(about).encode(errors="surrogatepass")
    return hashlib.blake2b(text, key=_secret(home()), digest_size=KEY_BYTES).digest()


@functools.lru_cache(4)
def _secret(place: Path) -> bytes:
    """Return the user's secret; one that lasts as long as this process if none can be kept."""
    path = place / "seal.key"
    with suppress(OSError, InputError):
        place.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):
            held = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(held, "wb") as file:
                file.write(os.urandom(KEY_BYTES))
        if path.stat().st_size != KEY_BYTES:  # a process was killed before it had written
            with aside(path) as made:
                made.write_bytes(os.urandom(KEY_BYTES))
        if len(found := path.read_bytes()) == KEY_BYTES:
            return found
    return os.urandom(KEY_BYTES)


def seal(key: bytes, name: str, notes: object, arrays: Arrays) -> str:
    """Return the seal of what is kept under a name."""
    made = hashlib.blake2b(name.encode(), key=key, digest_size=KEY_BYTES)
    made.update(json.dumps(notes).encode())
    for label, array in sorted(arrays.items()):
        made.update(f"\0{label}\0{array.dtype.str}\0{array.shape}\0".encode())
        made.update(np.ascontiguousarray(array).data if array.size else b"")
    return made.hexdigest()


def is_sealed(found: object, key: bytes, name: str, notes: object, arrays: Arrays) -> bool:
    """Whether ``found`` is the seal of what is kept under a name."""
    return isinstance(found, str) and hmac.compare_digest(
        found.encode(), seal(key, name, notes, arrays).encode()
    )
