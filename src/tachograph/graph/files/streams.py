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
import re
import stat
import tempfile
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import IO, cast

import numpy as np

from ...util import memory
from ...util.errors import FileFormatError, MissingFileError, TachographError
from ...util.files import arrow_file, aside, similar_name
from ...util.limits import check_time
from ...util.progress import bar
from .members import bz2_members, xz_members

BLOCK_BYTES = 1 << 23  # handed to a parser at a time
MAP_ABOVE_BYTES = 1 << 23  # smaller files are read, which nobody can change later
HEAD_BYTES = 1 << 16  # looked at to recognise a format
HEADER_LINE_BYTES = 1 << 16  # of a header line that are looked at
LINES_PER_WRITE = 1 << 20
LINES_PER_LOOK = 1 << 12  # at the clock
OPEN_STREAMS = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")  # who names one asks for it
COPIED_BYTES = 1 << 24  # by a thread at a time
COPYING_THREADS = 2  # more than the memory needs to be busy are of no use
BLANKS = " \t\r\n"
SEPARATORS = re.compile(f"[{BLANKS}]+")
MARK = "\ufeff"  # the byte order mark some editors put first
#: said of text with zero bytes: of UTF-16 without a mark, names would be taken with the zeros in them
ZEROS = "there are zero bytes in the text: if it is UTF-16, convert it (iconv -f utf-16 -t utf-8)"

MAGIC = {b"\x1f\x8b": ".gz", b"BZh": ".bz2", b"\xfd7zXZ\x00": ".xz", b"\x28\xb5\x2f\xfd": ".zst"}
COMPRESSIONS = tuple(MAGIC.values())
BROKEN = (EOFError, OSError, ValueError, zlib.error, lzma.LZMAError)


def words_of(text: str) -> list[str]:
    """Return the words of a line; only blanks of ASCII separate them."""
    return [word for word in SEPARATORS.split(text) if word]


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
    ".bz2": lambda path, mode: bz2.open(path, mode) if mode == "wb" else bz2_members(path),
    ".xz": lambda path, mode: lzma.open(path, mode, preset=3) if mode == "wb" else xz_members(path),
    ".zst": _zstd,
}


def _opened(path: Path, mode: str, compression: str) -> closing[IO[bytes]]:
    return closing(cast("IO[bytes]", OPENERS[compression](path, mode)))


class Input:
    """A file to be read: its path, its first bytes, and its content in blocks of whole lines."""

    def __init__(self, path: str | os.PathLike[str], pipe: bool = False) -> None:
        self.path: Path = Path(path)
        #: columns of source and target that the user named
        self.ends: tuple[str | None, str | None] = (None, None)
        #: vertices that its comments promise
        self.promised: int | None = None
        try:
            kind = self.path.stat().st_mode
            plain = stat.S_ISREG(kind) or stat.S_ISDIR(kind)
            if not (plain or pipe or str(path).startswith(OPEN_STREAMS)):
                raise self.error(
                    "is a pipe or a device, not a file: pass pipe=True to read it to its end, or "
                    "open it as /dev/stdin"
                )
            self._spooled = None if plain else self._spool()
            self._file = Path(self._spooled.name) if self._spooled else self.path
            self.size: int = self._file.stat().st_size
            with self._file.open("rb") as file:
                start = file.read(8)
        except FileNotFoundError:
            near = similar_name(self.path)
            raise MissingFileError(f"{self.path}: there is no such file{near}") from None
        except TachographError:
            raise
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
            for block in self._within_limits(pipe):
                copy.write(block)
        copy.flush()
        return copy

    def _within_limits(self, stream: IO[bytes]) -> Iterator[bytes]:
        """Yield all blocks of a stream, as long as they would fit into memory."""
        size = 0
        while block := stream.read(BLOCK_BYTES):
            size += len(block)
            self.require(size, "its content so far")
            yield block

    def require(self, size: int, what: str) -> None:
        """Refuse what takes more memory, or time, than there is."""
        check_time()
        memory.require(size, f"{self.path}: {what}", "use a machine with more memory")

    def error(self, problem: str, line: int | None = None) -> FileFormatError:
        """Return an error that names the file and, if it is known, the line."""
        return FileFormatError(self.path, problem, line)

    @contextmanager
    def _open(self) -> Iterator[IO[bytes]]:
        try:
            with _opened(self._file, "rb", self.compression) as stream:
                yield stream
        except TachographError:
            raise
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
                if number % LINES_PER_LOOK == 0:
                    check_time()
                if b"\r" in raw:
                    self._refuse_lone_returns(np.frombuffer(raw, np.uint8), end - len(raw))
                text = raw[:HEADER_LINE_BYTES].decode("utf-8", "surrogateescape")
                yield number, end, text.removeprefix(MARK if number == 1 else "").strip(BLANKS)

    def first_line(self, comments: bytes, skip: int = 0) -> tuple[str, int, int]:
        """Return the first line of data after byte ``skip``, its number, and the offset behind it."""
        for number, end, text in self.lines():
            if end > skip and text and text[0] not in comments.decode():
                return text, number, end
        return "", 0, 0

    def content(self) -> bytes:
        """Return the whole content, in memory of our own: nobody can change it after a check."""
        with self._open() as stream:
            return b"".join(self._within_limits(stream))

    def mapped(self) -> tuple[bytes | mmap.mmap, Callable[[], None]]:
        """Return the content, and a function that raises if it may have changed since.

        Large files are mapped. If somebody shortens one, the next access ends the process, so callers
        ask before each use. Our own writer replaces files and never changes one.
        """
        if self.compression or self.size <= MAP_ABOVE_BYTES:
            return self.content(), lambda: None
        held = self.held()
        content = mmap.mmap(held.file.fileno(), 0, access=mmap.ACCESS_READ)
        return content, held.must_be_same

    def held(self) -> Held:
        """Return the open file, to be copied later."""
        try:
            return Held(self, self._file.open("rb"))
        except OSError as error:
            raise self.error(f"cannot be read: {error.strerror or error}") from None

    def changed(self) -> FileFormatError:
        """Return the error for a file that somebody else writes to."""
        how = "was changed since it was opened: read it again, and replace files by renaming"
        return self.error(how)

    def blocks(self, skip: int) -> Iterator[np.ndarray]:
        """Yield the content from byte ``skip`` on as arrays of bytes that end with a line end.

        Shows how much of the file has been read.
        """
        label = f"reading {self.path.name}"
        with bar(label, None if self.compression else self.size) as shown:
            for block in self.chunks(BLOCK_BYTES, skip):
                yield block
                shown.advance(block.size)

    def chunks(self, size: int, skip: int = 0) -> Iterator[np.ndarray]:
        """Yield the content from byte ``skip`` on as arrays of up to ``size`` bytes of whole lines.

        An array is valid until the next one. A line longer than ``size`` comes in one piece.

        The file is not mapped: if somebody shortened it, the next access would end the process.
        """
        buffer, filled = bytearray(size + 1), 0  # room for a line end that is missing
        offset, ended = skip, False
        with self._open() as stream:
            while skip:
                skip -= len(stream.read(min(skip, size))) or skip
            while not ended:
                filled += _fill(stream, memoryview(buffer)[filled:-1])
                ended = filled < len(buffer) - 1
                if ended and filled and buffer[filled - 1] != 10:
                    buffer[filled] = 10
                    filled += 1
                check_time()
                cut = buffer.rfind(b"\n", 0, filled) + 1
                if cut:
                    block = np.frombuffer(buffer, np.uint8, cut)
                    if buffer.find(b"\r", 0, cut) >= 0:
                        self._refuse_lone_returns(block, offset)
                    yield block
                    buffer[: filled - cut] = buffer[cut:filled]
                    filled, offset = filled - cut, offset + cut
                elif not ended:
                    self.require(2 * len(buffer), "a line so far")
                    buffer = buffer + bytes(len(buffer))

    def _refuse_lone_returns(self, text: np.ndarray, offset: int) -> None:
        """Refuse a carriage return inside a line of the text at byte ``offset``.

        Old systems ended lines so, and two edges would become one.
        """
        places = np.flatnonzero(text[:-1] == 13)
        after = text[places + 1]
        wrong = places[(after != 10) & (after != 13)]
        if wrong.size:
            with self._open() as stream:
                line = 1 + stream.read(offset + int(wrong[0])).count(b"\n")
            advice = "end lines with a line feed (tr '\\r' '\\n')"
            raise self.error(f"there is a carriage return inside a line: {advice}", line)


class Held:
    """An open file, whose content can be copied as long as nobody has changed it."""

    def __init__(self, source: Input, file: IO[bytes]) -> None:
        self.source, self.file, self._mark = source, file, _mark(file)
        self.size = self._mark[0]

    def must_be_same(self) -> None:
        """Raise :class:`FileFormatError` if the file was changed since it was opened."""
        if _mark(self.file) != self._mark:
            raise self.source.changed()

    def start(self, count: int) -> bytes:
        """Return the first bytes."""
        self.file.seek(0)
        return self.file.read(count)

    def content(self) -> mmap.mmap:
        """Return a copy in memory of our own, which nobody else can change."""
        self.must_be_same()
        self.source.require(self.size, "its content")
        try:
            copy = _own_memory(self.size)
            with ThreadPoolExecutor(COPYING_THREADS) as pool, memoryview(copy) as room:
                parts = range(0, self.size, COPIED_BYTES)
                read = pool.map(lambda at: self._fill(room[at : at + COPIED_BYTES], at), parts)
                filled = sum(read)
        except OSError as error:
            raise self.source.error(f"cannot be read: {error.strerror or error}") from None
        if filled != self.size:
            raise self.source.changed()
        self.must_be_same()
        return copy

    def _fill(self, room: memoryview, at: int) -> int:
        filled = 0
        while filled < len(room):
            read = os.preadv(self.file.fileno(), [room[filled:]], at + filled)
            if not read:
                break
            filled += read
        return filled


def _own_memory(size: int) -> mmap.mmap:
    """Return zeros that no other process sees, aligned to pages."""
    if not hasattr(mmap, "MAP_PRIVATE"):
        return mmap.mmap(-1, size)
    made = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with suppress(OSError):
            made.madvise(mmap.MADV_HUGEPAGE)  # half the time: fewer pages have to be made
    return made


def _mark(file: IO[bytes]) -> tuple[int, int]:
    """Return what changes when somebody writes to an open file: its size and its time."""
    now = os.fstat(file.fileno())
    return now.st_size, now.st_mtime_ns


def _fill(stream: IO[bytes], room: memoryview) -> int:
    """Read until ``room`` is full or the stream ends; return the number of bytes."""
    filled = 0
    while filled < len(room):
        read = stream.readinto(room[filled:])  # type: ignore[attr-defined]
        if not read:
            break
        filled += read
    return filled


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
