"""Files of named arrays: what a part of a run knows after a superstep, and what it tells the others.

Layout: eight bytes of magic, the length and the CRC-32 of a header, the header (JSON: notes, and
for each array its name, type, size and place), then the arrays, each at a multiple of 64 bytes. A
file is written aside and renamed, so it is there whole or not at all, and mapped when it is read,
so that only what is used comes into memory.
"""

from __future__ import annotations

import json
import mmap
import struct
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from ..graph.files.streams import aside
from ..util.errors import FileFormatError, MissingFileError

__all__ = ["Stored", "load", "save"]

Notes: TypeAlias = dict[str, Any]  #: values that JSON can hold, by name
MAGIC = b"\x89TGSTEP\n"
FIXED = struct.Struct("<8sII")
ALIGN_BYTES = 64


class Stored:
    """The content of a file of arrays: ``notes`` and ``arrays``, which are read-only."""

    def __init__(self, notes: Notes, arrays: dict[str, np.ndarray], durable: bool) -> None:
        self.notes = notes
        self.arrays = arrays
        self.durable = durable

    def under(self, prefix: str) -> dict[str, np.ndarray]:
        """Return the arrays whose names begin with ``prefix``, by the rest of their names."""
        return {k.removeprefix(prefix): a for k, a in self.arrays.items() if k.startswith(prefix)}


def save(
    path: Path, notes: Mapping[str, object], arrays: Mapping[str, np.ndarray], durable: bool = False
) -> None:
    """Write a file. With ``durable`` it survives a loss of power, and has a checksum of all of it."""
    flat = {name: np.ascontiguousarray(array).reshape(-1) for name, array in arrays.items()}
    entries: list[Notes] = [
        {"name": k, "type": a.dtype.name, "size": a.size, "at": 0} for k, a in flat.items()
    ]
    total = 0
    if durable:
        for array in flat.values():
            total = zlib.crc32(array.view(np.uint8).data, total)
    header = {"notes": dict(notes), "sum": total if durable else None, "arrays": entries}
    room = len(json.dumps(header)) + 20 * len(entries)  # places have up to 19 digits
    at = FIXED.size + room
    for entry, array in zip(entries, flat.values(), strict=True):
        entry["at"] = at = -(-at // ALIGN_BYTES) * ALIGN_BYTES
        at += array.nbytes
    raw = json.dumps(header).encode().ljust(room)
    with aside(path, durable) as temporary, temporary.open("wb") as out:
        out.write(FIXED.pack(MAGIC, len(raw), zlib.crc32(raw)) + raw)
        for entry, array in zip(entries, flat.values(), strict=True):
            out.write(b"\0" * (entry["at"] - out.tell()))
            out.write(array.data)


def load(path: Path, whole: bool = False) -> Stored:
    """Map a file; with ``whole`` one that is not durable, or whose checksum is wrong, is refused.

    Raises
    ------
    MissingFileError, FileFormatError
        If the file is not there, or not what was written.
    """
    try:
        with path.open("rb") as file:
            content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except FileNotFoundError:
        raise MissingFileError(f"{path}: there is no such file") from None
    except (OSError, ValueError) as error:
        raise FileFormatError(path, f"cannot be read: {error}") from None
    if len(content) < FIXED.size:
        raise FileFormatError(path, "the file is cut short")
    magic, length, checksum = FIXED.unpack(content[: FIXED.size])
    raw = content[FIXED.size : FIXED.size + length]
    if magic != MAGIC or zlib.crc32(raw) != checksum:
        raise FileFormatError(path, "the header is damaged")
    header = json.loads(raw)
    arrays = {}
    total = 0
    for entry in header["arrays"]:
        kind = np.dtype(entry["type"])
        if entry["at"] + entry["size"] * kind.itemsize > len(content):
            raise FileFormatError(path, "the file is cut short")
        arrays[entry["name"]] = array = np.frombuffer(content, kind, entry["size"], entry["at"])
        if whole:
            total = zlib.crc32(array.view(np.uint8).data, total)
    if whole and header["sum"] != total:
        raise FileFormatError(path, "the checksum is wrong: the file is damaged")
    return Stored(header["notes"], arrays, header["sum"] is not None)
