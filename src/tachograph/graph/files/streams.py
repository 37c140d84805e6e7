"""Bytes in and out of files, compressed or not; a file is written whole or not at all.

``Input``        a file as blocks of bytes; the compression is recognised by its first bytes.
``aside``        a temporary path beside a file, renamed to it when everything went well.
``open_output``  a stream to a file, which compresses.
"""

from __future__ import annotations

import bz2
import gzip
import itertools
import lzma
import mmap
import os
import shutil
import stat
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import IO, cast

import numpy as np

from ...util.errors import FileFormatError, InputError, MissingFileError
from ...util.progress import Bar

BLOCK_BYTES = 1 << 25  # handed to a parser at a time
HEAD_BYTES = 1 << 16  # looked at to recognise a format
_serial = itertools.count()

MAGIC = {b"\x1f\x8b": ".gz", b"BZh": ".bz2", b"\xfd7zXZ\x00": ".xz", b"\x28\xb5\x2f\xfd": ".zst"}
COMPRESSIONS = tuple(MAGIC.values())
BROKEN = (EOFError, OSError, ValueError, zlib.error, lzma.LZMAError)


def compression_of(path: str | os.PathLike[str]) -> str:
    """Return the last suffix of a name if it stands for a compression, else ''."""
    suffix = Path(path).suffix.lower()
    return suffix if suffix in COMPRESSIONS else ""


def _open_zstd(path: Path) -> IO[bytes]:
    import pyarrow as pa

    stream: IO[bytes] = pa.CompressedInputStream(pa.OSFile(os.fspath(path), "rb"), "zstd")
    return stream


OPENERS: dict[str, Callable[[Path], IO[bytes]]] = {
    "": lambda path: path.open("rb"),
    ".gz": lambda path: cast("IO[bytes]", gzip.open(path, "rb")),
    ".bz2": lambda path: cast("IO[bytes]", bz2.open(path, "rb")),
    ".xz": lambda path: cast("IO[bytes]", lzma.open(path, "rb")),
    ".zst": _open_zstd,
}


class Input:
    """A file to be read: its path, its first bytes, and its content in blocks of whole lines."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path: Path = Path(path)
        try:
            self._spooled = None if self._is_plain() else self._spool()
            self.size: int = self._file.stat().st_size
            with self._file.open("rb") as file:
                start = file.read(8)
        except FileNotFoundError:
            raise MissingFileError(f"{self.path}: there is no such file") from None
        except IsADirectoryError:
            raise FileFormatError(self.path, "is a directory, not a file") from None
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            raise FileFormatError(self.path, f"cannot be read: {why}") from None
        if self.size == 0:
            raise FileFormatError(self.path, "the file is empty")
        self.compression: str = next(
            (c for magic, c in MAGIC.items() if start.startswith(magic)), ""
        )
        self._head: bytes | None = None

    def _is_plain(self) -> bool:
        kind = self.path.stat().st_mode
        return stat.S_ISREG(kind) or stat.S_ISDIR(kind)

    def _spool(self) -> IO[bytes]:
        """Copy what comes through a pipe, which can be read only once."""
        copy = tempfile.NamedTemporaryFile()
        with self.path.open("rb") as pipe:
            shutil.copyfileobj(pipe, copy)
        copy.flush()
        return copy

    @property
    def _file(self) -> Path:
        return self.path if self._spooled is None else Path(self._spooled.name)

    def lines(self) -> Iterator[bytes]:
        """Yield the lines from the beginning, with their ends; one longer than a block is cut."""
        rest = b""
        with self._errors(), self._open() as stream:
            while data := stream.read(HEAD_BYTES):
                *whole, rest = (rest + data).split(b"\n")
                for line in whole:
                    yield line + b"\n"
                if len(rest) > BLOCK_BYTES:
                    break
        if rest:
            yield rest

    @property
    def head(self) -> bytes:
        """The first bytes of the content, decompressed."""
        if self._head is None:
            with self._errors(), self._open() as stream:
                self._head = stream.read(HEAD_BYTES)
            if not self._head:
                raise FileFormatError(self.path, "the file is empty once decompressed")
        return self._head

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except BROKEN as error:
            kind = self.compression.lstrip(".") or "file"
            why = "ends too early" if isinstance(error, EOFError) else str(error)
            raise FileFormatError(self.path, f"damaged {kind} data ({why})") from None

    @contextmanager
    def _open(self) -> Iterator[IO[bytes]]:
        stream = OPENERS[self.compression](self._file)
        try:
            yield stream
        finally:
            stream.close()

    def content(self) -> bytes | mmap.mmap:
        """The whole content: a memory map if the file is not compressed, else bytes."""
        if not self.compression:
            with self._file.open("rb") as file:
                return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        with self._errors(), self._open() as stream:
            parts = []
            while part := stream.read(BLOCK_BYTES):
                parts.append(part)
        return b"".join(parts)

    def blocks(self, skip: int, bar: Bar) -> Iterator[np.ndarray]:
        """Yield the content from byte ``skip`` on as arrays of bytes that end with a line end."""
        if not self.compression:
            yield from self._mapped_blocks(skip, bar)
            return
        for block in self.chunks(BLOCK_BYTES, skip):
            yield block
            bar.advance(block.size)

    def chunks(self, size: int, skip: int = 0) -> Iterator[np.ndarray]:
        """Yield the content as arrays of about ``size`` bytes that end with a line end, never mapped.

        For files of any length in little memory. A line longer than ``size`` comes in one piece.
        """
        rest = b""
        with self._errors(), self._open() as stream:
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

    def _mapped_blocks(self, skip: int, bar: Bar) -> Iterator[np.ndarray]:
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
            bar.advance(end - skip)
            skip = end


@contextmanager
def aside(path: str | os.PathLike[str], durable: bool = True) -> Iterator[Path]:
    """Yield a temporary path beside ``path``, renamed to it at the end, removed if anything fails.

    Unless ``durable``, a power failure may still destroy what was written.
    """
    final = Path(path)
    if not final.parent.is_dir():
        raise InputError(f"cannot write {final}: there is no directory {final.parent}")
    temporary = final.with_name(f".{final.name[:40]}.{os.getpid()}-{next(_serial)}.tmp")
    try:
        yield temporary
        if durable:
            with temporary.open("rb+") as file:
                os.fsync(file.fileno())
        temporary.replace(final)
    except OSError as error:
        raise InputError(f"cannot write {final}: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


@contextmanager
def open_output(path: Path, compression: str) -> Iterator[IO[bytes]]:
    """Yield a binary stream to ``path`` that compresses as ``compression`` ('' or a suffix) says."""
    if compression == ".zst":
        import pyarrow as pa

        with pa.CompressedOutputStream(os.fspath(path), "zstd") as stream:
            yield stream
        return
    openers: dict[str, Callable[[], AbstractContextManager[IO[bytes]]]] = {
        "": lambda: path.open("wb"),
        ".gz": lambda: cast("IO[bytes]", gzip.open(path, "wb", compresslevel=4)),
        ".bz2": lambda: cast("IO[bytes]", bz2.open(path, "wb")),
        ".xz": lambda: cast("IO[bytes]", lzma.open(path, "wb", preset=3)),
    }
    with openers[compression]() as stream:
        yield stream
