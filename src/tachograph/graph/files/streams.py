"""Bytes in and out of files, compressed or not; a file is written whole or not at all.

``Input``        a file as blocks of bytes; the compression is recognised by its first bytes.
``open_output``  a stream to a file, which compresses; written aside.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import mmap
import os
import shutil
import stat
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO, cast

import numpy as np

from ...util.errors import FileFormatError, MissingFileError
from ...util.files import arrow_file, aside
from ...util.progress import bar

BLOCK_BYTES = 1 << 25  # handed to a parser at a time
HEAD_BYTES = 1 << 16  # looked at to recognise a format
HEADER_LINE_BYTES = 1 << 16  # of a header line that are looked at
LINES_PER_WRITE = 1 << 20
MARK = "\ufeff"  # the byte order mark some editors put first

MAGIC = {b"\x1f\x8b": ".gz", b"BZh": ".bz2", b"\xfd7zXZ\x00": ".xz", b"\x28\xb5\x2f\xfd": ".zst"}
COMPRESSIONS = tuple(MAGIC.values())
BROKEN = (EOFError, OSError, ValueError, zlib.error, lzma.LZMAError)


def compression_of(path: str | os.PathLike[str]) -> str:
    """Return the last suffix of a name if it stands for a compression, else ''."""
    suffix = Path(path).suffix.lower()
    return suffix if suffix in COMPRESSIONS else ""


def _zstd(path: Path, mode: str) -> object:
    import pyarrow as pa

    if mode == "wb":
        return pa.CompressedOutputStream(arrow_file(path, mode), "zstd")
    return pa.CompressedInputStream(arrow_file(path), "zstd")


OPENERS: dict[str, Callable[[Path, str], object]] = {
    "": lambda path, mode: path.open(mode),
    ".gz": lambda path, mode: gzip.open(path, mode, 4),
    ".bz2": lambda path, mode: bz2.open(path, mode),
    ".xz": lambda path, mode: lzma.open(path, mode, preset=3 if mode == "wb" else None),
    ".zst": _zstd,
}


def _opened(path: Path, mode: str, compression: str) -> closing[IO[bytes]]:
    return closing(cast("IO[bytes]", OPENERS[compression](path, mode)))


class Input:
    """A file to be read: its path, its first bytes, and its content in blocks of whole lines."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path: Path = Path(path)
        try:
            kind = self.path.stat().st_mode
            plain = stat.S_ISREG(kind) or stat.S_ISDIR(kind)
            self._spooled = None if plain else self._spool()
            self._file = Path(self._spooled.name) if self._spooled else self.path
            self.size: int = self._file.stat().st_size
            with self._file.open("rb") as file:
                start = file.read(8)
        except FileNotFoundError:
            raise MissingFileError(f"{self.path}: there is no such file") from None
        except IsADirectoryError:
            raise self.error("is a directory, not a file") from None
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            raise self.error(f"cannot be read: {why}") from None
        if self.size == 0:
            raise self.error("the file is empty")
        found = (kind for magic, kind in MAGIC.items() if start.startswith(magic))
        self.compression: str = next(found, "")
        self._head = b""

    def _spool(self) -> IO[bytes]:
        """Copy what comes through a pipe, which can be read only once."""
        copy = tempfile.NamedTemporaryFile()
        with self.path.open("rb") as pipe:
            shutil.copyfileobj(pipe, copy)
        copy.flush()
        return copy

    def error(self, problem: str, line: int | None = None) -> FileFormatError:
        """Return an error that names the file and, if it is known, the line."""
        return FileFormatError(self.path, problem, line)

    @contextmanager
    def _open(self) -> Iterator[IO[bytes]]:
        try:
            with _opened(self._file, "rb", self.compression) as stream:
                yield stream
        except BROKEN as error:
            if problem := getattr(error, "strerror", None):
                raise self.error(f"cannot be read: {problem}") from None
            kind = self.compression.lstrip(".") or "file"
            why = "ends too early" if isinstance(error, EOFError) else str(error)
            raise self.error(f"damaged {kind} data ({why})") from None

    @property
    def head(self) -> bytes:
        """The first bytes of the content, decompressed."""
        if not self._head:
            with self._open() as stream:
                self._head = stream.read(HEAD_BYTES)
            if not self._head:
                raise self.error("the file is empty once decompressed")
        return self._head

    def lines(self) -> Iterator[tuple[int, int, str]]:
        """Yield (line number, offset behind it, text) of the lines; one longer than a block is cut."""
        end = 0
        with self._open() as stream:
            buffered = io.BufferedReader(cast("io.RawIOBase", stream))
            for number, raw in enumerate(iter(lambda: buffered.readline(BLOCK_BYTES), b""), 1):
                end += len(raw)
                text = raw[:HEADER_LINE_BYTES].decode("utf-8", "replace")
                yield number, end, text.lstrip(MARK if number == 1 else "").strip()

    def first_line(self, comments: bytes, skip: int = 0) -> tuple[str, int, int]:
        """Return the first line of data after byte ``skip``, its number, and the offset behind it."""
        for number, end, text in self.lines():
            if end > skip and text and text[:1].encode() not in comments:
                return text, number, end
        return "", 0, 0

    def content(self) -> bytes | mmap.mmap:
        """Return the whole content: a memory map if the file is not compressed, else bytes."""
        with self._open() as stream:
            if self.compression:
                return stream.read()
            return mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)

    def blocks(self, skip: int) -> Iterator[np.ndarray]:
        """Yield the content from byte ``skip`` on as arrays of bytes that end with a line end.

        Shows how much of the file has been read.
        """
        label = f"reading {self.path.name}"
        with bar(label, None if self.compression else self.size) as shown:
            blocks = self.chunks(BLOCK_BYTES, skip) if self.compression else self._mapped(skip)
            for block in blocks:
                yield block
                shown.advance(block.size)

    def chunks(self, size: int, skip: int = 0) -> Iterator[np.ndarray]:
        """Yield the content as arrays of about ``size`` bytes that end with a line end, never mapped.

        For files of any length in little memory. A line longer than ``size`` comes in one piece.
        """
        rest = b""
        with self._open() as stream:
            while data := stream.read(size):
                if skip:
                    data, skip = data[skip:], max(0, skip - len(data))
                cut = data.rfind(b"\n") + 1
                if cut:
                    yield np.frombuffer(rest + data[:cut], np.uint8)
                    rest = data[cut:]
                else:
                    rest += data
        if rest:
            yield np.frombuffer(rest + b"\n", np.uint8)

    def _mapped(self, skip: int) -> Iterator[np.ndarray]:
        content = self.content()
        view = np.frombuffer(content, np.uint8)
        while skip < view.size:
            end = min(skip + BLOCK_BYTES, view.size)
            if end < view.size:
                cut = content.rfind(b"\n", skip, end)
                cut = cut if cut >= 0 else content.find(b"\n", end)
                end = cut + 1 if cut >= 0 else view.size
            block = view[skip:end]
            yield block if block[-1] == 10 else np.append(block, np.uint8(10))
            skip = end


@contextmanager
def open_output(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Yield a binary stream to ``path``, written aside; it compresses as the suffix says."""
    with aside(path) as temporary, _opened(temporary, "wb", compression_of(path)) as stream:
        yield stream


def write_lines(
    out: IO[bytes], columns: list[str | np.ndarray | tuple[np.ndarray, int]], delimiter: str = " "
) -> None:
    """Write a line for each entry of the columns: arrays, arrays with a number to add, or a word.

    Floats are written in the shortest form that reads back the same.
    """
    import pyarrow as pa
    from pyarrow import csv

    pairs = [c if isinstance(c, str | tuple) else (c, 0) for c in columns]
    size = next(len(pair[0]) for pair in pairs if isinstance(pair, tuple))
    options = csv.WriteOptions(include_header=False, delimiter=delimiter, quoting_style="none")
    with bar("writing", size) as shown:
        for lo in range(0, size, LINES_PER_WRITE):
            hi = min(lo + LINES_PER_WRITE, size)
            made = [
                pa.repeat(c, hi - lo) if isinstance(c, str) else pa.array(_plus(c[0][lo:hi], c[1]))
                for c in pairs
            ]
            csv.write_csv(pa.table(made, [str(i) for i in range(len(made))]), out, options)
            shown.advance(hi - lo)


def _plus(values: np.ndarray, more: int) -> np.ndarray:
    return values + np.int64(more) if more else values
