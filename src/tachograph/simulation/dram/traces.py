"""Traces of requests in files: Ramulator's text formats, npz and Parquet.

Files are read a block at a time, so the memory needed does not depend on their length.
"""

from __future__ import annotations

import os
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...graph.files.streams import Input, open_output
from ...kernels.runtime.launch import inline, kernel
from ...util.errors import FileFormatError, InputError, MissingFileError, TachographError
from ...util.files import arrow_file, aside, is_file, is_there
from ...util.packed import require_pages
from .runner import NO_TIMES, Block, blocks_of, must_be_addresses, must_not_decrease

__all__ = ["Trace", "read_blocks", "read_trace", "write_trace"]

CHUNK_BYTES = 1 << 22  # of text that is read at a time
BATCH_REQUESTS = 1 << 18  # that are read or written at a time
STYLES = {"ramulator": ("0x{0:X} {1}\n", "RW"), "ramulator2": ("{1} 0x{0:X}\n", ("LD", "ST"))}
DRAM, LOAD_STORE, CORE = range(3)  # formats of text
FORMS = {
    DRAM: "an address in hexadecimal, then R or W",
    LOAD_STORE: "LD or ST, then an address",
    CORE: "a number of instructions, the address of a read, perhaps that of a write",
}
KINDS = {".npz": "an npz file", ".parquet": "a Parquet file"}
LINE, SPACE, TAB, RETURN = 10, 32, 9, 13


class Trace(NamedTuple):
    """A trace in memory; ``arrival`` is None if the file has no times."""

    addresses: np.ndarray
    is_write: np.ndarray
    arrival: np.ndarray | None


def read_blocks(path: str | os.PathLike[str]) -> Iterator[Block]:
    """Yield the requests of a file in blocks; the suffix tells npz and Parquet from text."""
    suffix = Path(path).suffix.lower()
    if suffix in KINDS:
        if not is_there(path):
            raise MissingFileError(f"{path}: there is no such file")
        if not is_file(path):
            raise FileFormatError(path, "is a pipe or a device, not a file")
        try:
            yield from (_npz if suffix == ".npz" else _parquet)(path)
        except (TachographError, MemoryError):
            raise
        except Exception as error:  # damaged files make zipfile and Arrow raise all kinds
            why = (str(error) or type(error).__name__).splitlines()[0]
            raise FileFormatError(path, f"is not {KINDS[suffix]}: {why}") from None
    else:
        yield from _text(path)


def read_trace(path: str | os.PathLike[str]) -> Trace:
    """Read a whole trace file.

    Text (also compressed) may be a memory trace of Ramulator 1 (``0x1A40 W``), a load-store trace of
    Ramulator 2 (``ST 0x1A40``), or a core trace of Ramulator 1 (``3 6720 6784``: a read and perhaps a
    write; the number of other instructions before them is not used, since there is no core). npz and
    Parquet files hold ``address``, and optionally ``is_write`` and ``arrival``.

    Raises
    ------
    FileFormatError
        Names the file and, in text, the line.

    >>> write_trace("t.trace", [64, 128], [0, 1])
    >>> read_trace("t.trace").is_write.tolist()
    [0, 1]
    """
    blocks = list(read_blocks(path))
    if not blocks:
        raise FileFormatError(path, "has no requests")
    addresses, writes, times = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
    return Trace(addresses, writes, times if times.size else None)


def write_trace(
    path: str | os.PathLike[str],
    addresses: npt.ArrayLike,
    is_write: npt.ArrayLike | None = None,
    arrival: npt.ArrayLike | None = None,
    style: str = "ramulator",
) -> None:
    """Write a trace; the suffix tells the format: .npz, .parquet, else text (.gz, ... compressed).

    Parameters
    ----------
    style
        Of text: ``"ramulator"`` (``0x1A40 W``) or ``"ramulator2"`` (``ST 0x1A40``).

    Raises
    ------
    InputError
        For requests that ``Memory.run`` would refuse; then nothing is written.
    """
    if style not in STYLES:
        raise InputError(f"unknown style {style!r}; known: {', '.join(STYLES)}")
    addresses = np.asarray(addresses)
    if addresses.size == 0:
        raise InputError(f"{path}: there is no request to write")
    blocks = list(blocks_of(addresses, is_write, arrival))
    must_be_addresses(addresses)
    writes, times = (np.concatenate([block[k] for block in blocks]) for k in (1, 2))
    must_not_decrease(times)
    columns: dict[str, Any] = {
        "address": addresses.astype(np.uint64),
        "is_write": writes.astype(np.uint8),
    }
    if arrival is not None:
        columns["arrival"] = times.astype(np.int64)
    suffix = Path(path).suffix.lower()
    if suffix == ".npz":
        with aside(path) as temporary, temporary.open("wb") as file:
            np.savez_compressed(file, **columns)
    elif suffix == ".parquet":
        import pyarrow as pa
        from pyarrow import parquet

        with aside(path) as temporary, arrow_file(temporary, "wb") as file:
            parquet.write_table(pa.table(columns), file, row_group_size=BATCH_REQUESTS)
    else:
        if arrival is not None:
            raise InputError(f"{path}: text traces have no arrival times; use .npz or .parquet")
        form, names = STYLES[style]
        with open_output(path) as file:
            for lo in range(0, addresses.size, BATCH_REQUESTS):
                part = slice(lo, lo + BATCH_REQUESTS)
                pairs = zip(columns["address"][part].tolist(), writes[part].tolist(), strict=True)
                file.write("".join(form.format(a, names[w]) for a, w in pairs).encode())


def _kind(source: Input) -> int:
    """Return which of the text formats a file has, by its first line."""
    line = next((part for part in source.head.splitlines() if part.strip()), b"")
    words = line.split()
    if words and words[0] in (b"LD", b"ST"):
        return LOAD_STORE
    if len(words) > 1 and all(re.fullmatch(rb"0[xX][0-9a-fA-F]+|\d+", word) for word in words):
        return CORE
    return DRAM


def _text(path: str | os.PathLike[str]) -> Iterator[Block]:
    source = Input(path)
    kind = _kind(source)
    line = 1
    for data in source.chunks(CHUNK_BYTES):
        lines = int(np.count_nonzero(data == 10))
        addresses = np.zeros(2 * lines, np.int64)
        writes = np.zeros(2 * lines, np.uint8)
        n, wrong = parse(data, kind, addresses, writes)
        if wrong >= 0:
            at = line + int(np.count_nonzero(data[:wrong] == 10))
            text = bytes(data[wrong : wrong + 60]).split(b"\n")[0].decode(errors="replace").strip()
            raise FileFormatError(path, f"expected {FORMS[kind]}, found {text!r}", at)
        line += lines
        if n:
            yield addresses[:n], writes[:n], NO_TIMES


def _columns(path: str | os.PathLike[str], names: list[str]) -> dict[str, str]:
    """Return which column is which."""
    address = next((n for n in ("address", "addresses", "addr") if n in names), None)
    if address is None:
        raise FileFormatError(path, f"has no address; it has {', '.join(names) or 'nothing'}")
    return {"address": address} | {n: n for n in ("is_write", "arrival") if n in names}


def _block(path: str | os.PathLike[str], parts: dict[str, np.ndarray]) -> Block:
    """Check the columns of a table and return them as a block."""
    for name, values in parts.items():
        if values.dtype.kind not in "biu":
            raise FileFormatError(path, f"{name} holds {values.dtype}, not whole numbers")
    addresses = parts["address"]
    writes = parts.get("is_write", np.zeros(addresses.size, np.uint8))
    if not np.isin(writes, (0, 1)).all():
        raise FileFormatError(path, "is_write holds something else than 0 and 1")
    return addresses, writes.astype(np.uint8), parts.get("arrival", NO_TIMES)


def _parquet(path: str | os.PathLike[str]) -> Iterator[Block]:
    from pyarrow import parquet

    opened = arrow_file(path)
    with parquet.ParquetFile(opened, pre_buffer=False, buffer_size=1 << 20) as file:
        columns = _columns(path, file.schema_arrow.names)
        names = list(columns.values())
        require_pages(path, names)
        for batch in file.iter_batches(BATCH_REQUESTS, columns=names, use_threads=False):
            if any(batch.column(name).null_count for name in names):
                raise FileFormatError(path, "has missing values")
            found = {k: batch.column(n) for k, n in columns.items()}
            parts = {k: v.to_numpy(zero_copy_only=False) for k, v in found.items()}
            yield _block(path, parts)


class _Array:
    """A one-dimensional array inside an npz file, read piece by piece."""

    def __init__(self, path: str | os.PathLike[str], file: IO[bytes]) -> None:
        self.path, self.file = path, file
        first = np.lib.format.read_magic(file) == (1, 0)
        headers = np.lib.format.read_array_header_1_0, np.lib.format.read_array_header_2_0
        shape, _, self.dtype = headers[0 if first else 1](file)
        if len(shape) != 1 or self.dtype.hasobject:
            raise FileFormatError(path, f"an array has shape {shape} and type {self.dtype}")
        self.left = shape[0]

    def take(self, count: int) -> np.ndarray:
        """Return the next ``count`` values, or what is left."""
        count = min(count, self.left)
        data = self.file.read(count * self.dtype.itemsize)
        if len(data) < count * self.dtype.itemsize:
            raise FileFormatError(self.path, "ends too early")
        self.left -= count
        return np.frombuffer(data, self.dtype)


def _npz(path: str | os.PathLike[str]) -> Iterator[Block]:
    with zipfile.ZipFile(path) as archive:
        names = [name.removesuffix(".npy") for name in archive.namelist()]
        columns = _columns(path, names)
        arrays = {k: _Array(path, archive.open(f"{n}.npy")) for k, n in columns.items()}
        if len({a.left for a in arrays.values()}) > 1:
            raise FileFormatError(path, f"{', '.join(arrays)} have different lengths")
        while arrays["address"].left:
            yield _block(path, {k: a.take(BATCH_REQUESTS) for k, a in arrays.items()})


@inline
def _blank(byte):
    return byte in (SPACE, TAB, RETURN)


@inline
def _skip(data, at):
    """The next byte that is not blank; every line ends, so this does."""
    while _blank(data[at]):
        at += 1
    return at


@inline
def _digit(byte):
    """The value of a hexadecimal digit, or 16."""
    if 48 <= byte <= 57:
        return byte - 48
    byte |= 32
    if 97 <= byte <= 102:
        return byte - 87
    return 16


@inline
def _number(data, at, base):
    """A number and where it ends; the same place if there is none or it is too large.

    ``base`` is that of digits without ``0x`` before them. A number that fits is below 2^63.
    """
    start = at
    if data[at] == 48 and (data[at + 1] | 32) == 120:
        base = 16
        at += 2
    first = at
    value = np.int64(0)
    while True:
        digit = _digit(data[at])
        if digit >= base:
            break
        if value > (np.int64(9223372036854775807) - digit) // base:
            return value, start
        value = value * base + digit
        at += 1
    if at == first:
        return value, start
    return value, at


@kernel
def parse(data, kind, addresses, writes):
    """Read whole lines; the number of requests, and the byte of the first damage or -1.

    ``data`` ends with a line end, which stops every scan. The lists have room for two requests a line.
    """
    n, at = 0, 0
    while at < data.size:
        at = _skip(data, at)
        if data[at] == LINE:
            at += 1
            continue
        begin = at
        w = np.uint8(0)
        if kind == LOAD_STORE:
            first, second = data[at], data[at + 1]
            if second == LINE or not _blank(data[at + 2]):
                return n, begin
            if first == 83 and second == 84:  # ST
                w = np.uint8(1)
            elif first != 76 or second != 68:  # LD
                return n, begin
            at = _skip(data, at + 2)
        elif kind == CORE:
            _, end = _number(data, at, 10)
            if end == at:
                return n, begin
            at = _skip(data, end)
        value, end = _number(data, at, 16 if kind == DRAM else 10)
        if end == at or not (_blank(data[end]) or data[end] == LINE):
            return n, begin
        addresses[n] = value
        at = _skip(data, end)
        if kind == DRAM and data[at] != LINE:
            if data[at] == 87:  # W
                w = np.uint8(1)
            elif data[at] != 82:  # R
                return n, begin
            at = _skip(data, at + 1)
        writes[n] = w
        n += 1
        if kind == CORE and data[at] != LINE:  # an evicted line that is written back
            value, end = _number(data, at, 10)
            if end == at:
                return n, begin
            addresses[n], writes[n] = value, np.uint8(1)
            n += 1
            at = _skip(data, end)
        if data[at] != LINE:
            return n, begin
        at += 1
    return n, -1
