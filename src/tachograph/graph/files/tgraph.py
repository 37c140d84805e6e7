r"""``.tgraph``: our own format, opened in milliseconds whatever its size.

Layout, little-endian::

    8 bytes   b"\\x89TGRAPH\\n"
    4 bytes   version (1)
    4 bytes   length of the header
    4 bytes   CRC-32 of the header
    header    JSON: n, m, directed, sorted, meta, and for each array its name, type, shape, place
              and CRC-32
    arrays    each at a multiple of 64 bytes

Opening maps the file into memory and checks the header and the file's size. The arrays of small
files are checked at once, those of larger ones when they are first used: the checksum, and that all
ids exist, so that no compiled loop ever meets a damaged row.
"""

from __future__ import annotations

import itertools
import json
import mmap
import struct
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import IO, Any, TypeAlias, cast

import numpy as np

from ...util.errors import InputError
from ..build import WEIGHTS, check_rows, index_type
from ..graph import Graph
from ..names import unicode_only
from .streams import Input

MAGIC = b"\x89TGRAPH\n"
VERSION = 1
FIXED = struct.Struct("<8sIII")
ALIGN = 64  # bytes
CHECK_ON_OPENING_BYTES = 1 << 23  # files up to this size are checked when they are opened
CHECKSUM_BYTES = 1 << 24  # at a time
MALFORMED = (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError)
WIDTHS = {"int": (8, 16, 32, 64), "uint": (8, 16, 32, 64), "float": (16, 32, 64)}
TYPES = {"bool"} | {f"{kind}{bits}" for kind, every in WIDTHS.items() for bits in every}
Bytes: TypeAlias = bytes | mmap.mmap
META = "meta/"  # before the names of arrays that are entries of graph.meta


def _checksum(array: np.ndarray) -> int:
    value = 0
    flat = array.reshape(-1).view(np.uint8)
    for at in range(0, flat.size, CHECKSUM_BYTES):
        value = zlib.crc32(flat[at : at + CHECKSUM_BYTES].data, value)
    return value


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


def _arrays(source: Input, content: Bytes, header: dict[str, Any]) -> dict[str, np.ndarray]:
    found = {}
    for a in header["arrays"]:
        size = int(np.prod(a["shape"], dtype=np.int64))
        if a["type"] not in TYPES or a["at"] % ALIGN:
            raise source.error(f"array {a['name']} is described wrongly")
        if a["at"] + size * np.dtype(a["type"]).itemsize > len(content):
            raise source.error("the file is cut short")
        found[a["name"]] = np.frombuffer(content, a["type"], size, a["at"]).reshape(a["shape"])
    return found


def read(source: Input, weight: str | bool | None) -> Graph:
    """Map the graph from the file."""
    graph, size, check = mapped(source, weight)
    graph._before_use = check
    if size <= CHECK_ON_OPENING_BYTES:
        graph._use()
    return graph


def mapped(
    source: Input, weight: str | bool | None = None
) -> tuple[Graph, int, Callable[[], None]]:
    """Return the graph, mapped from the file; the file's size; and a function that checks its arrays.

    The caller must run the check, unless the file has been checked before.
    """
    content = source.content()
    header = _header(source, content)
    try:
        arrays = _arrays(source, content, header)
        sums = {a["name"]: a["crc32"] for a in header["arrays"]}
        n, m, directed = int(header["n"]), int(header["m"]), bool(header["directed"])
        indptr, indices = arrays.pop("indptr"), arrays.pop("indices")
        weights = arrays.pop("weights", None)
        names = _names(arrays)
        extra = {k.removeprefix(META): a for k, a in arrays.items() if k.startswith(META)}
        meta, is_sorted = {**header["meta"], **extra}, bool(header["sorted"])
    except MALFORMED as error:
        raise source.error(f"the header is malformed ({error})") from None
    ids = indices.dtype == index_type(n) and indptr.dtype == np.int64
    if not ids or indptr.shape != (n + 1,) or indices.ndim != 1:
        raise source.error("the header's counts do not match its arrays")
    if weights is not None and (weights.dtype not in WEIGHTS or weights.shape != indices.shape):
        raise source.error("the weights do not match the arcs")

    def check() -> None:
        every = _arrays(source, content, header)
        with ThreadPoolExecutor() as pool:
            found = pool.map(_checksum, every.values())
        for name, value in zip(every, found, strict=True):
            if value != sums[name]:
                raise source.error(f"the checksum of {name} is wrong: the file is damaged")
        try:
            check_rows(indptr, indices)
        except InputError as error:
            raise source.error(str(error)) from None

    rows = indptr, indices, None if weight is False else weights
    graph = Graph(*rows, directed=directed, names=names, meta=meta, is_sorted=is_sorted, m=m)
    return graph, len(content), check


def _names(arrays: dict[str, np.ndarray]) -> np.ndarray | Callable[[], np.ndarray] | None:
    """Return the names: integers as they are, strings as a function that decodes them when used."""
    raw, ends = arrays.get("names"), arrays.get("name_ends")
    if raw is None or ends is None:
        return raw

    def decode() -> np.ndarray:
        text, places = raw.tobytes(), ends.tolist()
        names = np.empty(len(places), object)
        names[:] = [text[a:b].decode() for a, b in itertools.pairwise([0, *places])]
        return names

    return decode


def _pack_names(names: np.ndarray) -> dict[str, np.ndarray]:
    if names.dtype.kind in "iu":
        return {"names": names}
    if not all(isinstance(name, str) for name in names.tolist()):
        raise InputError(".tgraph files keep names that are strings or integers only")
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
