"""Formats of whole arrays: tables of edges (Parquet, Arrow IPC, CSV) and rows (NumPy's npz, GAPBS's).

An ``.npz`` file has our arrays by name, or what ``scipy.sparse.save_npz`` wrote; never pickled.

GAPBS's serialized graphs ``.sg`` and, with int32 weights, ``.wsg`` have one byte: directed or not; two
int64: arcs, vertices; offsets (int64), then neighbours (int32), in ``.wsg`` pairs of neighbour and
weight; for a directed graph the same again for incoming arcs.
"""

from __future__ import annotations

import io
import math
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from ...util.errors import InputError, TimeLimitError, TooLargeError
from ...util.packed import arrow_bytes, page_bytes
from ..build import EdgeTable, from_csr
from ..columns import Columns, edge_table
from ..graph import Graph
from .streams import ZEROS, Input

if TYPE_CHECKING:
    import pyarrow as pa

GAPBS_HEADER_BYTES = 17
ZIP = b"PK\x03\x04"
ROWS = ("indptr", "indices", "weights", "data", "directed", "format", "shape")  # of an .npz
WHOLE = r"^-?[0-9]{1,18}(\.0*)?$"


@contextmanager
def _damage(source: Input) -> Iterator[None]:
    """Turn what goes wrong with a table into an error that names the file."""
    try:
        yield
    except (TooLargeError, TimeLimitError):
        raise
    except Exception as error:  # damaged tables make Arrow raise all kinds
        raise source.error(str(error).split("\n")[0]) from None


def read_parquet(source: Input, weight: str | bool) -> EdgeTable:
    """Read the edges of a Parquet file."""
    import pyarrow as pa
    from pyarrow import parquet

    content, wanted = source.content(), Columns(*source.ends, weight)
    with _damage(source):
        names = wanted.among(parquet.read_schema(pa.BufferReader(content)).names)
        # Text stays packed until its length is known.
        file = parquet.ParquetFile(pa.BufferReader(content), read_dictionary=names)
        rows = file.metadata.num_rows
        source.require(rows * 8 * len(names), f"{rows:,} edges")
        pages = page_bytes(lambda at, most: content[at : at + most], len(content), names)
        source.require(sum(pages), "its pages, unpacked")
        return edge_table(file.read(names), wanted)


def read_arrow(source: Input, weight: str | bool) -> EdgeTable:
    """Read the edges of an Arrow IPC file or stream."""
    import pyarrow as pa
    from pyarrow import ipc

    content, wanted = source.content(), Columns(*source.ends, weight)
    opener = ipc.open_file if source.head.startswith(b"ARROW1") else ipc.open_stream
    with _damage(source):
        names = opener(pa.BufferReader(content)).schema.names
        chosen = [names.index(name) for name in wanted.among(names)]
        source.require(arrow_bytes(content), "its buffers, unpacked")
        options = ipc.IpcReadOptions(included_fields=sorted(chosen))  # leave the others packed
        return edge_table(opener(pa.BufferReader(content), options=options).read_all(), wanted)


def read_csv(source: Input, weight: str | bool) -> EdgeTable:
    """Read the edges of a CSV file with a header line.

    Ids are whole numbers, all of them; otherwise all are names, exactly as they are written.
    """
    import pyarrow as pa
    from pyarrow import csv

    content, wanted = source.content(), Columns(*source.ends, weight)
    end = content.find(b"\n")
    if content.find(b"\0", 0, len(content) if end < 0 else end) >= 0:
        raise source.error(ZEROS, 1)
    with _damage(source):
        source.require(2 * len(content), "its cells")
        table = csv.read_csv(pa.BufferReader(content))
        chosen = wanted.among(table.column_names)
        # Arrow reads decimals, dates and 0x10, too, and makes one number of several texts.
        numbers = all(pa.types.is_integer(table.schema.field(c).type) for c in chosen[:2])
        if table.num_rows and (not numbers or b"x" in content or b"X" in content):
            options = csv.ConvertOptions(
                column_types=dict.fromkeys(chosen, pa.string()),
                null_values=[""],
                strings_can_be_null=True,
                include_columns=chosen,
            )
            words = csv.read_csv(pa.BufferReader(content), convert_options=options)
            for name in chosen[2:]:
                _refuse_hexadecimal(words[name])
                words = words.set_column(2, name, table[name])
            table = _whole_words(words, chosen[:2])
        return edge_table(table, wanted)


def _refuse_hexadecimal(weights: pa.ChunkedArray) -> None:
    """Refuse weights such as 0x10, which Arrow reads as 16 and other readers do not."""
    import pyarrow.compute as pc

    odd = weights.filter(pc.match_substring(weights, "0x", ignore_case=True))
    if len(odd):
        raise InputError(f"the weight {odd[0].as_py()!r} is not a decimal number")


def _whole_words(table: pa.Table, ends: list[str]) -> pa.Table:
    """Return a table with integers for the words in two columns, if all are whole numbers."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for name in ends:
        if not pc.all(pc.match_substring_regex(table[name], WHOLE), skip_nulls=True).as_py():
            return table
    for name in ends:
        digits = pc.replace_substring_regex(table[name], r"\.0*$", "")
        table = table.set_column(table.column_names.index(name), name, digits.cast(pa.int64()))
    return table


def write_parquet(graph: Graph, out: IO[bytes]) -> None:
    """Write columns source, target and, if there are any, weight."""
    from pyarrow import parquet

    parquet.write_table(graph.to_arrow(), out, compression="zstd")


def write_arrow(graph: Graph, out: IO[bytes]) -> None:
    """Write an Arrow IPC file."""
    from pyarrow import ipc

    table = graph.to_arrow()
    with ipc.new_file(out, table.schema) as writer:
        writer.write_table(table)


def write_csv(graph: Graph, out: IO[bytes]) -> None:
    """Write CSV with a header line. CSV cannot say whether edges are directed."""
    from pyarrow import csv

    csv.write_csv(graph.to_arrow(), out)


def read_npz(source: Input, weight: str | bool) -> Graph:
    """Read the graph from the arrays indptr, indices, weights (or data) and directed."""
    content = source.content()
    if not content.startswith(ZIP):  # Python would search for an archive behind other bytes
        raise source.error("not an npz file, which is a zip archive")
    with _damage(source), zipfile.ZipFile(io.BytesIO(content)) as file:
        stored = {i.filename.removesuffix(".npy"): i for i in file.infolist()}
        for info in stored.values():
            file.open(info).close()  # compares the name with that before the data
        wanted = {name: stored[name] for name in ROWS if name in stored}
        source.require(2 * sum(i.file_size for i in wanted.values()), "its arrays")
        found = {name: _stored_array(file, name, info) for name, info in wanted.items()}
    try:
        kind = found["format"].item() if "format" in found else "csr"
        kind = kind.decode(errors="backslashreplace") if isinstance(kind, bytes) else kind
        if kind != "csr":
            raise InputError(f"holds a {kind} matrix: save it as csr")
        if missing := {"indptr", "indices"} - set(found):
            raise InputError(f"there is no array {', '.join(sorted(missing))}")
        directed = bool(found["directed"].item()) if "directed" in found else True
        weights = found.get("weights", found.get("data"))
        if weights is not None and weights.dtype == bool and not weights.all():
            raise InputError("an entry is stored as False: call eliminate_zeros() before saving")
        if weights is not None and (weights.dtype == bool or weight is False):
            weights = None
        made = from_csr(found["indptr"], found["indices"], weights, directed=directed, copy=False)
        shape = tuple(found["shape"].tolist()) if "shape" in found else (made.n, made.n)
        if shape != (made.n, made.n):
            raise InputError(f"a graph needs a square matrix, not {shape}")
    except (ValueError, TypeError) as error:
        raise source.error(str(error)) from None
    return made


def _stored_array(file: zipfile.ZipFile, name: str, info: zipfile.ZipInfo) -> np.ndarray:
    """Return an array of an archive, which must be as long as its header says."""
    with file.open(info) as stream:
        version = np.lib.format.read_magic(stream)
        header = np.lib.format.read_array_header_1_0
        shape, _, kind = (header if version == (1, 0) else np.lib.format.read_array_header_2_0)(
            stream
        )
    if math.prod(shape) * kind.itemsize > info.file_size:
        raise InputError(f"the array {name} is shorter than its header says")
    with file.open(info) as stream:
        return np.asarray(np.lib.format.read_array(stream, allow_pickle=False))


def write_npz(graph: Graph, out: IO[bytes]) -> None:
    """Write the arrays."""
    weights: dict[str, Any] = {} if graph.weights is None else {"weights": graph.weights}
    directed = np.array(graph.directed)
    np.savez(out, indptr=graph.indptr, indices=graph.indices, directed=directed, **weights)


def _gapbs_shape(content: bytes, size: int) -> tuple[bool, int, int, int] | None:
    """Return (directed, arcs, vertices, bytes per arc), or None if they disagree with the size."""
    if size < GAPBS_HEADER_BYTES + 8 or content[0] > 1:
        return None
    arcs, n = (int(x) for x in np.frombuffer(content[1:GAPBS_HEADER_BYTES], np.int64))
    for width in (4, 8):
        rows = (n + 1) * 8 + arcs * width
        if arcs >= 0 and n >= 0 and size == GAPBS_HEADER_BYTES + (1 + content[0]) * rows:
            return bool(content[0]), arcs, n, width
    return None


def is_gapbs(source: Input) -> bool:
    """Whether the counts in the header give exactly the file's size."""
    head = source.head[:GAPBS_HEADER_BYTES]
    return not source.compression and _gapbs_shape(head, source.size) is not None


def read_gapbs(source: Input, weight: str | bool) -> Graph:
    """Read ``.sg`` or ``.wsg``."""
    content = source.content()
    shape = _gapbs_shape(content[:GAPBS_HEADER_BYTES], len(content))
    if shape is None:
        raise source.error("not a GAPBS graph: its size does not match the counts in its header")
    directed, arcs, n, width = shape
    size = (n + 1) * 8 + arcs * 2 * width
    source.require(size, "its arrays")
    # The header's odd length leaves the arrays unaligned, so they are copied.
    offsets = np.frombuffer(content, np.int64, n + 1, GAPBS_HEADER_BYTES).copy()
    begin = GAPBS_HEADER_BYTES + (n + 1) * 8
    pairs = np.frombuffer(content, np.int32, arcs * width // 4, begin)
    indices = np.ascontiguousarray(pairs[:: width // 4])
    weights = np.ascontiguousarray(pairs[1::2]) if width == 8 and weight is not False else None
    return from_csr(offsets, indices, weights, directed=directed, copy=False)


def write_gapbs(graph: Graph, out: IO[bytes], weighted: bool = False) -> None:
    """Write ``.sg``, which leaves weights out, or ``.wsg``."""
    if graph.indices.dtype != np.int32:
        raise InputError("GAPBS files hold 32-bit ids, and this graph needs 64")
    if weighted and (graph.weights is None or graph.weights.dtype != np.int32):
        raise InputError(".wsg files need int32 weights; write .sg to leave weights out")
    out.write(np.array([graph.directed], np.bool_).tobytes())
    out.write(np.array([graph.arcs, graph.n], np.int64).tobytes())
    for rows in (graph, graph.transpose) if graph.directed else (graph,):
        out.write(rows.indptr.tobytes())
        arcs = rows.indices
        if weighted and rows.weights is not None:
            arcs = np.column_stack([arcs, rows.weights])
        out.write(arcs.tobytes())
