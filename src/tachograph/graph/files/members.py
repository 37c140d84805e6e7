"""Compressed data of several parts, one behind another, as bz2 and xz files hold them.

Python's own readers take what follows the last whole part for rubbish and leave it out without a word,
so a file whose second part has a damaged beginning would lose its edges.
"""

from __future__ import annotations

import bz2
import functools
import io
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

READ_BYTES = 1 << 16  # of compressed data at a time
PADDING = b"\0"  # may follow a part
BZ2_UNIT, XZ_UNIT = 1, 4  # zero bytes that padding has a multiple of

Decompressor = bz2.BZ2Decompressor | lzma.LZMADecompressor


class Members(io.RawIOBase):
    """The decompressed content of a file, all parts of it; padding has a multiple of ``unit`` bytes."""

    def __init__(self, path: Path, fresh: Callable[[], Decompressor], unit: int) -> None:
        self._file, self._fresh, self._unit = path.open("rb"), fresh, unit
        self._part = fresh()

    def close(self) -> None:
        """Close the file, too."""
        self._file.close()
        super().close()

    def readable(self) -> bool:
        """Return True, which buffers ask for."""
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        """Decompress into a buffer; raise what the decompressor raises, EOFError if a part is cut."""
        room = memoryview(buffer).cast("B")
        made, ended = b"", False
        while len(room) and not made and not ended:
            if self._part.eof:
                ended = not self._next()
                continue
            more = self._file.read(READ_BYTES) if self._part.needs_input else b""
            if self._part.needs_input and not more:
                raise EOFError
            made = self._part.decompress(more, len(room))
        room[: len(made)] = made
        return len(made)

    def _next(self) -> bool:
        """Begin the next part; return whether there is one."""
        behind, padding = self._part.unused_data, 0
        while not (rest := behind.lstrip(PADDING)):
            padding += len(behind)
            if not (behind := self._file.read(READ_BYTES)):
                break
        padding += len(behind) - len(rest)
        if padding % self._unit:
            raise EOFError
        if not rest:
            return False
        self._part = self._fresh()
        self._file.seek(-len(rest), io.SEEK_CUR)
        return True


def bz2_members(path: Path) -> io.BufferedReader:
    """Return the content of a bz2 file."""
    return io.BufferedReader(Members(path, bz2.BZ2Decompressor, BZ2_UNIT))


def xz_members(path: Path) -> io.BufferedReader:
    """Return the content of an xz file."""
    fresh = functools.partial(lzma.LZMADecompressor, lzma.FORMAT_XZ)
    return io.BufferedReader(Members(path, fresh, XZ_UNIT))
