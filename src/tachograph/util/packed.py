"""How much the compressed parts of Parquet and Arrow files unpack to, read from the parts themselves.

Arrow allocates what a part says before it looks at the rest, and a few kilobytes may say gigabytes. So
the sizes are added up first. Each function raises ``ValueError`` if a file is not what its format
demands.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

from . import memory

__all__ = ["arrow_bytes", "page_bytes", "require_pages"]

#: Returns up to so many bytes (the second argument) of a file from a place on.
Read: TypeAlias = Callable[[int, int], bytes]

HEADER_BYTES = (1 << 10, 1 << 24)  # of a page's header: usually, and at most
DEEPEST = 20  # levels inside a header
STOP, TRUE, FALSE, BYTE, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = 0, 1, 2, 3, 7, 8, 9, 10, 11, 12
ROW_GROUPS, COLUMNS, COLUMN = 4, 1, 3  # fields of the footer, of a row group, of a column's chunk
PATH, VALUES, CHUNK_SIZE, DATA_OFFSET, DICTIONARY_OFFSET = 3, 5, 7, 9, 11  # fields of a column
UNPACKED_SIZE, PACKED_SIZE = 2, 3  # fields of a page's header
DAMAGED = (LookupError, TypeError, AttributeError, ValueError, OverflowError, struct.error)

MAGIC = b"ARROW1"
CONTINUATION = 0xFFFFFFFF
DICTIONARY_BATCH, RECORD_BATCH = 2, 3  # kinds of messages
BLOCK, BUFFER = struct.Struct("<qi4xq"), struct.Struct("<qq")


# -- Parquet: a footer and pages, each after a header, in Thrift's compact form ------------------------


def page_bytes(read: Read, size: int, names: list[str]) -> Iterator[int]:
    """Yield the unpacked size of each page of these columns of a file of ``size`` bytes."""
    (length,) = struct.unpack("<I", read(size - 8, 4))
    try:
        footer = _Thrift(read(size - 8 - length, length)).struct()
        for group in footer.get(ROW_GROUPS, []):
            for chunk in group[COLUMNS]:
                about = chunk[COLUMN]
                if about[PATH][0].decode() in names and about[VALUES] > 0:
                    begin, dictionary = about[DATA_OFFSET], about.get(DICTIONARY_OFFSET, 0)
                    begin = dictionary if 0 < dictionary < begin else begin
                    yield from _pages(read, begin, begin + about[CHUNK_SIZE])
    except DAMAGED as error:
        raise ValueError(f"its structure is damaged ({type(error).__name__})") from None


def require_pages(path: str | os.PathLike[str], names: list[str]) -> None:
    """Refuse a Parquet file that is read page by page if one of its pages does not fit into memory."""
    with Path(path).open("rb") as file:
        held = file.fileno()
        pages = page_bytes(lambda at, most: _at(held, at, most), os.fstat(held).st_size, names)
        largest = max(pages, default=0)
    memory.require(largest, f"{path}: a page, unpacked,", "use a machine with more memory")


def _at(held: int, at: int, most: int) -> bytes:
    if at < 0:
        raise ValueError("its structure is damaged")
    return os.pread(held, most, at)


def _pages(read: Read, at: int, end: int) -> Iterator[int]:
    while at < end:
        if at < 0:
            raise ValueError
        for most in HEADER_BYTES:
            head = _Thrift(read(at, most))
            try:
                found = head.struct()
                break
            except IndexError:  # it is longer than that
                if most == HEADER_BYTES[-1]:
                    raise
        unpacked, packed = found[UNPACKED_SIZE], found[PACKED_SIZE]
        if unpacked < 0 or packed < 0:
            raise ValueError
        yield unpacked
        at += head.at + packed


class _Thrift:
    """Values in Thrift's compact form; ``at`` is where they end. Raises ``DAMAGED`` for others."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def struct(self, depth: int = 0) -> dict[int, Any]:
        """Return the values of a struct by field."""
        if depth > DEEPEST:
            raise ValueError
        found: dict[int, Any] = {}
        field = 0
        while (head := self._byte()) & 15 != STOP:
            field = field + (head >> 4) if head >> 4 else self._number()
            found[field] = self._value(head & 15, depth)
        return found

    def _byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def _varint(self) -> int:
        value = shift = 0
        while (byte := self._byte()) > 127:
            value |= (byte & 127) << shift
            shift += 7
        return value | byte << shift

    def _number(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)

    def _value(self, kind: int, depth: int) -> Any:
        if kind in (TRUE, FALSE):
            return kind == TRUE
        if kind == BYTE:
            return self._byte()
        if kind < DOUBLE:
            return self._number()
        if kind in (DOUBLE, BINARY):
            size = 8 if kind == DOUBLE else self._varint()
            self.at += size
            if self.at > len(self.data):
                raise IndexError
            return self.data[self.at - size : self.at]
        if kind in (LIST, SET):
            head = self._byte()
            count = head >> 4 if head >> 4 < 15 else self._varint()
            return [self._element(head & 15, depth) for _ in range(count)]
        if kind == MAP:
            count = self._varint()
            head = self._byte() if count else 0
            kinds = head >> 4, head & 15
            return [[self._element(k, depth) for k in kinds] for _ in range(count)]
        if kind == STRUCT:
            return self.struct(depth + 1)
        raise ValueError

    def _element(self, kind: int, depth: int) -> Any:
        """Return an element of a list; a truth value, which a field has in its head, takes a byte."""
        if depth > DEEPEST:
            raise ValueError
        return self._value(BYTE if kind in (TRUE, FALSE) else kind, depth + 1)


# -- Arrow: batches of buffers, described by tables in the form of flatbuffers -------------------------


def arrow_bytes(content: bytes) -> int:
    """Return how many bytes the compressed buffers of an Arrow file or stream unpack to."""
    try:
        blocks = _blocks_of_file if content.startswith(MAGIC) else _blocks_of_stream
        return sum(_unpacked(content, *block) for block in blocks(content))
    except struct.error:
        raise ValueError("its structure is damaged") from None


def _blocks_of_file(content: bytes) -> Iterator[tuple[int, int]]:
    """Yield where the metadata of each batch is, and where its body begins."""
    (length,) = _unpack("<i", content, len(content) - len(MAGIC) - 4)
    footer = _Table.root(content, len(content) - len(MAGIC) - 4 - length)
    for vector in (2, 3):  # dictionaries, batches
        for at in footer.vector(vector, BLOCK.size):
            offset, metadata, _ = _unpack(BLOCK.format, content, at)
            (first,) = _unpack("<I", content, offset)
            yield offset + (8 if first == CONTINUATION else 4), offset + metadata


def _blocks_of_stream(content: bytes) -> Iterator[tuple[int, int]]:
    at = 0
    while at + 4 <= len(content):
        (length,) = _unpack("<I", content, at)
        at += 4
        if length == CONTINUATION:
            (length,) = _unpack("<I", content, at)
            at += 4
        if not length:
            return
        yield at, at + length
        (body,) = _Table.root(content, at).number(3, "<q")
        at += length + body


def _unpacked(content: bytes, metadata: int, body: int) -> int:
    """Return the unpacked size of the batch of a message, 0 if it is not compressed or no batch."""
    message = _Table.root(content, metadata)
    (kind,) = message.number(1, "<B")
    if kind not in (DICTIONARY_BATCH, RECORD_BATCH):
        return 0
    batch = message.table(2)
    if kind == DICTIONARY_BATCH:
        batch = batch.table(1)
    if not batch.field(3):  # what says how it is compressed
        return 0
    total = 0
    for at in batch.vector(2, BUFFER.size):
        offset, length = _unpack(BUFFER.format, content, at)
        if length > 0:
            (size,) = _unpack("<q", content, body + offset)
            total += length if size == -1 else size
            if size < -1:
                raise ValueError("a buffer of negative size")
    return total


def _unpack(form: str, content: bytes, at: int) -> tuple[int, ...]:
    if at < 0:  # would count from the end
        raise ValueError("its structure is damaged")
    return struct.unpack_from(form, content, at)


class _Table:
    """A table of a flatbuffer, at byte ``at`` of ``content``."""

    def __init__(self, content: bytes, at: int) -> None:
        self.content, self.at = content, at

    @classmethod
    def root(cls, content: bytes, at: int) -> _Table:
        return cls(content, at + _unpack("<I", content, at)[0])

    def field(self, number: int) -> int:
        """Return where a field is, 0 if it is not there."""
        own = self.at - _unpack("<i", self.content, self.at)[0]
        (size,) = _unpack("<H", self.content, own)
        place = 4 + 2 * number
        offset = _unpack("<H", self.content, own + place)[0] if place + 2 <= size else 0
        return self.at + offset if offset else 0

    def number(self, number: int, form: str) -> tuple[int, ...]:
        at = self.field(number)
        return _unpack(form, self.content, at) if at else (0,)

    def table(self, number: int) -> _Table:
        return _Table.root(self.content, self.field(number))

    def vector(self, number: int, size: int) -> range:
        """Return where the structs of a vector begin."""
        if not (at := self.field(number)):
            return range(0)
        at += _unpack("<I", self.content, at)[0]
        (count,) = _unpack("<I", self.content, at)
        if at + 4 + count * size > len(self.content):
            raise ValueError("its structure is damaged")
        return range(at + 4, at + 4 + count * size, size)
