r"""``.tgraph``: our own format, opened in milliseconds whatever its size.

Layout, little-endian::

    8 bytes   b"\\x89TGRAPH\\n"
    4 bytes   version (1)
    4 bytes   length of the header
    4 bytes   CRC-32 of the header
    header    JSON: n, m, directed, sorted, meta, and for each array its name, type, shape, place
              and CRC-32
    arrays    each at a multiple of 64 bytes

Opening a large file reads the header and checks the file's size; the arrays come into memory when they
are first used. Then they are checked: the checksum, that all ids exist, so that no compiled loop ever
meets a damaged row, and what the header claims. What was checked is a copy that nobody else can change.
A file may be mapped instead, if its user promises that nobody writes to it; each use looks whether it
has changed.
"""

from __future__ import annotations

import itertools
import json
import math
import mmap
import struct
import threading
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import IO, Any, NamedTuple, TypeAlias, cast

import numpy as np

from ...util.errors import FileFormatError, InputError
from ..build import check_rows, check_symmetry, index_type
from ..foreign import WEIGHTS, must_be_finite
from ..graph import Graph
from ..names import plain_names, unicode_only
from .streams import Input

MAGIC = b"\x89TGRAPH\n"
VERSION = 1
FIXED = struct.Struct("<8sIII")
ALIGN = 64  # bytes
CHECK_ON_OPENING_BYTES = 1 << 23  # files up to this size are read and checked when they are opened
CHECKSUM_BYTES = 1 << 24  # at a time
MALFORMED = (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError)
WIDTHS = {"int": (8, 16, 32, 64), "uint": (8, 16, 32, 64), "float": (16, 32, 64)}
MOST_DIMENSIONS = 32  # of an array: a product of more sizes could take for ever
TYPES = {"bool"} | {f"{kind}{bits}" for kind, every in WIDTHS.items() for bits in every}
Bytes: TypeAlias = bytes | mmap.mmap
KNOWN = ("indptr", "indices", "weights", "names", "name_ends")
META = "meta/"  # before the names of arrays that are entries of graph.meta


def _checksum(array: np.ndarray) -> int:
    value = 0
    flat = array.reshape(-1).view(np.uint8)
    for at in range(0, flat.size, CHECKSUM_BYTES):
        value = zlib.crc32(flat[at : at + CHECKSUM_BYTES].data, value)
    return value


def _checksums(arrays: list[np.ndarray]) -> list[int]:
    """Return the checksums, computed side by side if that is worth the threads."""
    if sum(array.nbytes for array in arrays) <= CHECK_ON_OPENING_BYTES:
        return [_checksum(array) for array in arrays]
    with ThreadPoolExecutor() as pool:
        return list(pool.map(_checksum, arrays))


def _header(source: Input, content: Bytes) -> dict[str, Any]:
    if len(content) < FIXED.size:
        raise source.error("the file is cut short")
    magic, version, length, checksum = FIXED.unpack(content[: FIXED.size])
    if magic != MAGIC:
        raise source.error("not a .tgraph file")
    if version < 1:
        raise source.error(f"format {version} does not exist")
    if version > VERSION:
        raise source.error(
            f"written by a newer tachograph (format {version}, this one knows {VERSION}): upgrade "
            "with pip install -U tachograph"
        )
    raw = content[FIXED.size : FIXED.size + length]
    if len(raw) != length or zlib.crc32(raw) != checksum:
        raise source.error("the header's checksum is wrong: the file is damaged")
    try:
        return cast(dict[str, Any], json.loads(raw))
    except MALFORMED:
        raise source.error("the header is not JSON") from None


def _arrays(
    source: Input, content: Bytes, size: int, header: dict[str, Any]
) -> dict[str, np.ndarray]:
    found: dict[str, np.ndarray] = {}
    for a in header["arrays"]:
        name, kind, shape, at = a["name"], a["type"], a["shape"], a["at"]
        known = name in KNOWN or name.startswith(META)
        places = [at, *shape[: MOST_DIMENSIONS + 1]]
        known &= len(shape) <= MOST_DIMENSIONS
        if kind not in TYPES or not known or name in found or at % ALIGN or min(places) < 0:
            raise source.error(f"array {name} is described wrongly")
        count = math.prod(shape)
        if at + count * np.dtype(kind).itemsize > size:
            raise source.error("the file is cut short")
        if len(content) < size:
            found[name] = np.broadcast_to(np.zeros((), kind), shape)
        else:
            found[name] = np.frombuffer(content, kind, count, at).reshape(shape)
    return found


def _said(header: dict[str, Any], key: str, kind: type) -> Any:
    """Return an entry of the header, which must have a type."""
    if type(header[key]) is not kind:
        raise TypeError(f"{key} = {header[key]!r}")
    return header[key]


def read(source: Input, weight: str | bool) -> Graph:
    """Open the graph; the arrays of a large file come into memory when they are first used."""
    if source.compression or source.size <= CHECK_ON_OPENING_BYTES:
        return _checked(source, source.content(), weight)
    held = source.held()
    start = held.start(FIXED.size)
    if len(start) == FIXED.size:
        length = min(FIXED.unpack(start)[2], held.size)
        source.require(length, "its header")
        start = held.start(FIXED.size + length)
    graph, _ = _opened(source, start, held.size, weight)
    lock = threading.Lock()

    def load() -> None:
        with lock:
            if graph._before_use is not None:  # else another thread was quicker
                content = held.content()
                if content[: len(start)] != start:
                    raise source.changed()
                graph._become(_checked(source, content, weight))

    graph._before_use = load
    return graph


def read_mapped(source: Input, weight: str | bool) -> Graph:
    """Map the graph from the file; its arrays are checked when they are first used."""
    graph, check = mapped(source, weight)
    unchanged, owed = graph._before_use, [check]

    def before_use() -> None:
        if unchanged is not None:
            unchanged()
        if owed:
            owed[0]()
            owed.clear()

    graph._before_use = before_use
    return graph


def mapped(source: Input, weight: str | bool = True) -> tuple[Graph, Callable[[], None]]:
    """Return the graph, mapped from the file, and a function that checks its arrays.

    The caller must run the check, unless the file has been checked before. Each use of the graph sees
    whether somebody has changed the file.
    """
    content, unchanged = source.mapped()
    graph, check = _opened(source, content, len(content), weight)
    graph._before_use = unchanged
    return graph, check


def _checked(source: Input, content: Bytes, weight: str | bool) -> Graph:
    graph, check = _opened(source, content, len(content), weight)
    check()
    return graph


def _opened(
    source: Input, content: Bytes, size: int, weight: str | bool
) -> tuple[Graph, Callable[[], None]]:
    """Return the graph of a file of ``size`` bytes, and a function that checks its arrays.

    If ``content`` is only the beginning of the file, the arrays are outlines without values.
    """
    header = _header(source, content)
    try:
        arrays = _arrays(source, content, size, header)
        sums = {a["name"]: a["crc32"] for a in header["arrays"]}
        n, directed = _said(header, "n", int), _said(header, "directed", bool)
        claims = Claims(_said(header, "m", int), _said(header, "sorted", bool))
        indptr, indices = arrays["indptr"], arrays["indices"]
        weights = arrays.get("weights")
        extra = {k.removeprefix(META): a for k, a in arrays.items() if k.startswith(META)}
        meta = {**_said(header, "meta", dict), **extra}
    except FileFormatError:
        raise
    except MALFORMED as error:
        raise source.error(f"the header is malformed ({error})") from None
    ids = n >= 0 and indices.dtype == index_type(n) and indptr.dtype == np.int64
    if not ids or indptr.shape != (n + 1,) or indices.ndim != 1:
        raise source.error("the header's counts do not match its arrays")
    if weights is not None and (weights.dtype not in WEIGHTS or weights.shape != indices.shape):
        raise source.error("the weights do not match the arcs")
    names = _names(source, arrays, n)
    about: dict[str, Any] = {"directed": directed, "names": names, "meta": meta}
    about |= {"is_sorted": claims.is_sorted, "m": claims.m}

    def check() -> None:
        for name, value in zip(arrays, _checksums(list(arrays.values())), strict=True):
            if value != sums[name]:
                raise source.error(f"the checksum of {name} is wrong: the file is damaged")
        try:
            check_rows(indptr, indices)
            claims.check(Graph(indptr, indices, weights, directed=directed))
        except InputError as error:
            raise source.error(str(error)) from None

    return Graph(indptr, indices, None if weight is False else weights, **about), check


class Claims(NamedTuple):
    """What the header says about rows, which algorithms rely on."""

    m: int
    is_sorted: bool

    def check(self, graph: Graph) -> None:
        """Raise :class:`InputError` if a claim is false; the rows themselves must be right."""
        if graph.is_sorted != self.is_sorted:
            raise InputError(f"the header says sorted = {self.is_sorted}, but the rows differ")
        if not graph.directed:
            check_symmetry(*graph.rows, graph.weights)
        if graph.m != self.m:
            raise InputError(f"the header says {self.m:,} edges, but there are {graph.m:,}")
        if graph.weights is not None:
            must_be_finite(graph.weights)


def _names(source: Input, arrays: dict[str, np.ndarray], n: int) -> Callable[[], np.ndarray] | None:
    """Return a function that decodes the names when they are used; None if there are none."""
    raw, ends = arrays.get("names"), arrays.get("name_ends")
    if raw is None:
        return None
    held = raw if ends is None else ends
    if held.shape != (n,) or held.dtype.kind not in "iu" or raw.ndim != 1:
        raise source.error(f"there are not {n:,} names")

    def decode() -> np.ndarray:
        names = raw
        if ends is not None:
            text, places = raw.tobytes(), [0, *ends.tolist()]
            try:
                if places != sorted(places) or places[-1] != len(text):
                    raise ValueError
                words = [text[a:b].decode() for a, b in itertools.pairwise(places)]
            except ValueError:
                raise source.error("the names are not text, or do not follow each other") from None
            names = np.empty(n, object)
            names[:] = words
        if len(set(names.tolist())) < n:
            raise source.error("several vertices have the same names")
        return names

    return decode


def _pack_names(names: np.ndarray) -> dict[str, np.ndarray]:
    if (names := plain_names(names)).dtype.kind in "iu":
        return {"names": names}
    with unicode_only():
        raw = [name.encode() for name in names.tolist()]
    ends = np.cumsum([len(r) for r in raw], dtype=np.int64)
    return {"names": np.frombuffer(b"".join(raw), np.uint8), "name_ends": ends}


def write(graph: Graph, out: IO[bytes], checksums: bool = True) -> None:
    """Write header and arrays; without ``checksums`` a check of the file fails."""
    arrays: dict[str, np.ndarray] = {"indptr": graph.indptr, "indices": graph.indices}
    if graph.weights is not None:
        arrays["weights"] = graph.weights
    if graph.names is not None:
        arrays.update(_pack_names(graph.names))
    meta = {}
    for key, value in graph.meta.items():
        if isinstance(value, np.ndarray):
            if value.dtype.name not in TYPES:
                raise InputError(f"meta[{key!r}] has type {value.dtype}, which .tgraph cannot hold")
            arrays[META + key] = np.ascontiguousarray(value)
        else:
            meta[key] = value.item() if isinstance(value, np.generic) else value
    try:
        json.dumps(meta)
    except (TypeError, ValueError):
        raise InputError(f".tgraph files hold plain values in meta, not {meta!r}") from None
    sums = {k: _checksum(a) if checksums else None for k, a in arrays.items()}
    entries: list[dict[str, Any]] = [
        {"name": k, "type": a.dtype.name, "shape": a.shape, "at": 0, "crc32": sums[k]}
        for k, a in arrays.items()
    ]
    counts = {"n": graph.n, "m": graph.m, "directed": graph.directed, "sorted": graph.is_sorted}
    header = {**counts, "meta": meta, "arrays": entries}
    room = len(json.dumps(header)) + 20 * len(entries)  # places have up to 19 digits
    at = FIXED.size + room
    for entry, array in zip(entries, arrays.values(), strict=True):
        entry["at"] = at = -(-at // ALIGN) * ALIGN
        at += array.nbytes
    raw = json.dumps(header).encode().ljust(room)
    out.write(FIXED.pack(MAGIC, VERSION, len(raw), zlib.crc32(raw)) + raw)
    at = FIXED.size + room
    for entry, array in zip(entries, arrays.values(), strict=True):
        out.write(b"\0" * (entry["at"] - at))
        out.write(array.data if array.size else b"")
        at = entry["at"] + array.nbytes
