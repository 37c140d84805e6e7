"""Model files: one format for all forks, where files are found, and what happens to damaged ones.

A file is JSON: format, version, the fork it decides, the names of what it looks at (``state``), a card
that tells what it was trained on, the arrays, and a checksum of all that. Short arrays are lists of
numbers, long ones are packed (zlib, base64). Nothing in a file is ever executed.

The model in use is the user's own, written by ``tacho train``, or else the one of the package. An own
file that cannot be used is reported once, and the package's model takes its place.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
import os
import time
import warnings
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..journal import home, store
from ..journal.campaign import Record
from ..journal.store import DAMAGED, HOME_VARIABLES
from ..util.errors import FileFormatError, MissingFileError, TachographError
from ..util.errors import TachographWarning as Warned

__all__ = ["Kept", "ModelFile", "own_model", "read", "shipped_model", "write"]

FORMAT, VERSION = "tachograph-model", 1
READABLE_VALUES = 256  # arrays of at most so many values are written as numbers
TYPES = ("<f4", "<f8", "|i1", "|u1", *(f"<{sign}{size}" for sign in "iu" for size in (2, 4, 8)))
LARGEST_VALUE = 1e30  # of any array: products of such numbers are finite
Arrays = Mapping[str, NDArray[np.generic]]
M = TypeVar("M")


@lru_cache(32)  # every search asks, and paths take long to put together
def _places(kept: Path, fork: str) -> tuple[Path, Path]:
    """Where a model may be: the user's own, and the one of the package."""
    own, shipped = kept / "models", Path(__file__).parent / "models"
    return own / f"{fork}.json", shipped / f"{fork}.json"


def own_model(fork: str) -> Path:
    """Return where the model trained on this machine is kept."""
    return _places(home(), fork)[0]


def shipped_model(fork: str) -> Path:
    """Return where the model that comes with the package is; not every fork has one."""
    return _places(home(), fork)[1]


@dataclass(frozen=True)
class ModelFile:
    """What a file holds. The card has date, machine, code, graphs with their hashes, and quality."""

    fork: str
    state: tuple[str, ...]
    arrays: Arrays
    card: Record
    path: Path | None = None  # where it was read from, for messages

    def problem(self, text: str) -> FileFormatError:
        """Return the error that says what is wrong with this file."""
        return FileFormatError(
            self.path or f"the model of {self.fork}",
            f"{text}: train it again with tacho train {self.fork}, or delete it",
        )

    def array(
        self, name: str, shape: tuple[int | None, ...], least: float = -math.inf
    ) -> NDArray[np.float64]:
        """Return an array of finite numbers, none below ``least``, or refuse the file.

        None in ``shape`` stands for any length.
        """
        found = self.arrays.get(name)
        if found is None:
            raise self.problem(f"{name} is missing")
        fits = len(found.shape) == len(shape) and found.size > 0
        if not fits or any(w not in (None, g) for w, g in zip(shape, found.shape, strict=True)):
            raise self.problem(f"{name} should have the shape {shape}, it has {found.shape}")
        if found.dtype.kind not in "fiu" or not np.isfinite(found).all():
            raise self.problem(f"{name} has values that are not finite numbers")
        if np.abs(found.astype(np.float64)).max() > LARGEST_VALUE:
            raise self.problem(f"{name} has values beyond {LARGEST_VALUE:g}")
        numbers = np.ascontiguousarray(found, np.float64)
        if numbers.min() < least:
            raise self.problem(f"{name} has values below {least:g}")
        return numbers


def write(path: Path, model: ModelFile) -> None:
    """Write a model aside, then rename it into place, so that no half-written file is ever seen."""
    from ..util.files import aside

    head = {"format": FORMAT, "version": VERSION, "fork": model.fork, "card": model.card}
    arrays = {name: _encoded(array) for name, array in model.arrays.items()}
    content: Record = {**head, "state": list(model.state), "arrays": arrays}
    content["checksum"] = _checksum(content)
    path.parent.mkdir(parents=True, exist_ok=True)
    with aside(path) as temporary:
        temporary.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def read(path: Path, fork: str, state: tuple[str, ...] | None = None) -> ModelFile:
    """Read the model of a fork that looks at ``state``; None takes any.

    Files that are damaged, of another version or another fork give a ``FileFormatError``.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise MissingFileError(f"{path}: there is no such model") from None
    except OSError as error:
        raise FileFormatError(path, f"cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise FileFormatError(path, f"is not whole JSON ({error}): train it again") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise FileFormatError(path, "is not a model of Tachograph")
    if content.get("version") != VERSION:
        raise FileFormatError(
            path, f"has version {content.get('version')!r}, this Tachograph reads {VERSION}: "
            f"update Tachograph, or train again with tacho train {fork}",
        )  # fmt: skip
    if content.get("fork") != fork:
        raise FileFormatError(path, f"is a model of {content.get('fork')!r}, not of {fork!r}")
    if content.pop("checksum", None) != _checksum(content):
        raise FileFormatError(
            path, f"is damaged: its checksum is wrong; run tacho train {fork}, or delete it"
        )
    try:
        arrays = {name: _decoded(entry) for name, entry in content["arrays"].items()}
        found = ModelFile(fork, tuple(content["state"]), arrays, dict(content["card"]), path)
    except DAMAGED as error:
        problem = f"is damaged ({type(error).__name__}): train it again"
        raise FileFormatError(path, problem) from None
    if state is not None and found.state != state:
        raise found.problem("was trained for another version of Tachograph")
    return found


def _checksum(content: Record) -> str:
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _encoded(array: NDArray[np.generic]) -> Record:
    kind = array.dtype.newbyteorder("<")
    entry: Record = {"type": kind.str, "shape": list(array.shape)}
    if array.size <= READABLE_VALUES and np.isfinite(array).all():
        return entry | {"values": array.ravel().tolist()}
    packed = zlib.compress(np.ascontiguousarray(array, kind).tobytes(), 9)
    return entry | {"packed": base64.b64encode(packed).decode()}


def _decoded(entry: Record) -> NDArray[np.generic]:
    if entry["type"] not in TYPES:
        raise ValueError("an unknown type")
    kind = np.dtype(entry["type"])
    if "values" in entry:
        return np.array(entry["values"], kind).reshape(entry["shape"])
    size = math.prod(entry["shape"]) * kind.itemsize
    packed = base64.b64decode(entry["packed"], validate=True)
    data = zlib.decompressobj().decompress(packed, size + 1)  # never more than was promised
    return np.frombuffer(data, kind).reshape(entry["shape"])


class Kept(Generic[M]):
    """The model of a fork that is in use, read when it is first needed, and again when it changes.

    ``make`` makes the model of a file, and refuses numbers that cannot be right.
    """

    def __init__(self, fork: str, state: tuple[str, ...], make: Callable[[ModelFile], M]) -> None:
        self.fork = fork
        self.state = state
        self.make = make
        self._read = lru_cache(4)(self._sound)
        self._looked = -math.inf  # when, and in which directory
        self._there: str | None = None
        self._found: M | None = None

    def read(self, path: Path) -> M:
        """Read and check the model in a file."""
        file = read(path, self.fork, self.state)
        try:
            return self.make(file)
        except FileFormatError:
            raise
        except DAMAGED as error:
            raise file.problem(str(error)) from None

    def find(self) -> M | None:
        """Return the model in use, or None if there is neither an own one nor a shipped one.

        Every call asks, so files are looked at only every ``LOOK_AGAIN_SECONDS``.
        """
        now, there = time.monotonic(), os.environ.get(HOME_VARIABLES[0])
        if now - self._looked >= store.LOOK_AGAIN_SECONDS or there != self._there:
            self._found = self._first(_places(home(), self.fork))
            self._looked, self._there = now, there
        return self._found

    def beside(self, device: str) -> M | None:
        """Return the model that was trained for another device, or None."""
        return self._first([own_model(f"{self.fork}-{device}")])

    def _first(self, paths: Iterable[Path]) -> M | None:
        for path in paths:
            try:
                now = path.stat()
            except OSError:
                continue
            if (found := self._read(path, (now.st_mtime_ns, now.st_ino))) is not None:
                return found
        return None

    def __call__(self) -> M:
        """Return the model in use; it is an error if there is none."""
        if (found := self.find()) is None:
            raise MissingFileError(f"there is no model of {self.fork}: tacho train {self.fork}")
        return found

    def _sound(self, path: Path, changed: tuple[int, int]) -> M | None:
        """The model in a file; None, with a warning, for an own file that cannot be used."""
        try:
            return self.read(path)
        except TachographError as error:
            if path == shipped_model(self.fork):
                raise
            warnings.warn(
                f"{error}. The model of the package is used instead.", Warned, stacklevel=4
            )
            return None
