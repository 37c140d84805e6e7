"""Compressed tables that unpack to much more than they seem to: refused before they are unpacked."""

from __future__ import annotations

import io
import resource
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import ipc, parquet

import tachograph as tg
from tachograph.simulation.dram.traces import read_trace
from tachograph.util.packed import arrow_bytes, page_bytes

MEMORY = "50 MB"
MOST_BYTES = 200_000_000  # that the process may grow by
ZEROS = pa.table({name: np.zeros(5_000_000, np.int64) for name in ("source", "target")})
LONG = pa.array(["x" * 30_000_000])


def in_arrow(table: pa.Table, opener: object, compression: str) -> bytes:
    out = io.BytesIO()
    options = ipc.IpcWriteOptions(compression=compression)
    with opener(out, table.schema, options=options) as writer:
        writer.write_table(table)
    return out.getvalue()


def in_parquet(table: pa.Table, **options: object) -> bytes:
    parquet.write_table(table, out := io.BytesIO(), compression="zstd", **options)
    return out.getvalue()


def with_a_forged_page(*names: str) -> bytes:
    """A page whose header says 100 MB instead of 1.6."""
    table = pa.table({name: np.arange(200_000) for name in names or ("source", "target")})
    raw = in_parquet(table, use_dictionary=False, data_page_size=1 << 30, max_rows_per_page=1 << 30)
    at = parquet.read_metadata(io.BytesIO(raw)).row_group(0).column(0).data_page_offset
    # the first field: a data page; then the size, twice as large to make room for a sign, in groups of 7 bits
    assert raw[at : at + 3] == b"\x15\x00\x15"
    groups = [2 * 100_000_000 >> shift & 127 for shift in (0, 7, 14, 21)]
    return raw[: at + 3] + bytes([*(g | 128 for g in groups[:3]), groups[3]]) + raw[at + 7 :]


BOMBS = {
    "file.arrow": lambda: in_arrow(ZEROS, ipc.new_file, "zstd"),
    "stream.arrow": lambda: in_arrow(ZEROS, ipc.new_stream, "lz4"),
    "dictionary.arrow": lambda: in_arrow(
        pa.table({n: LONG.dictionary_encode() for n in ("source", "target")}), ipc.new_file, "zstd"
    ),
    "text.parquet": lambda: in_parquet(pa.table({"source": LONG, "target": LONG})),
    "repeated.parquet": lambda: in_parquet(
        pa.table({n: pa.array(["x" * 10**6] * 60) for n in ("source", "target")}),
        store_schema=False,
    ),
    "page.parquet": with_a_forged_page,
}


@pytest.mark.parametrize("name", BOMBS)
def test_what_does_not_fit_is_not_unpacked(name):
    raw = BOMBS[name]()
    Path(name).write_bytes(raw)
    assert len(raw) < 3_000_000
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with tg.limits(memory=MEMORY), pytest.raises(tg.TooLargeError, match="unpacked|as text"):
        tg.read(name)
    more = 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
    assert more < MOST_BYTES


def test_pages_of_traces_and_of_edges_to_partition():
    raw = with_a_forged_page()
    Path("edges.parquet").write_bytes(raw)
    with tg.limits(memory=MEMORY), pytest.raises(tg.TachographError, match="unpacked"):
        tg.scale.partition("edges.parquet", parts=2, directory="parts")
    Path("trace.parquet").write_bytes(with_a_forged_page("address", "is_write"))
    with tg.limits(memory=MEMORY), pytest.raises(tg.TachographError, match="unpacked"):
        read_trace("trace.parquet")


@pytest.mark.parametrize("options", [
    {}, {"use_dictionary": False}, {"data_page_version": "2.0"}, {"compression": "none"},
    {"write_page_index": True, "row_group_size": 1000}, {"write_page_checksum": True}, {"compression": "snappy"},
])  # fmt: skip
def test_sizes_of_pages_are_those_of_the_footer(options):
    """The footer of a sound file counts the same bytes, with the headers of the pages."""
    table = pa.table({"a": np.arange(5000) % 97, "b": [f"name {i % 50}" for i in range(5000)]})
    parquet.write_table(table, out := io.BytesIO(), data_page_size=2000, **options)
    raw, about = out.getvalue(), parquet.read_metadata(io.BytesIO(out.getvalue()))
    for k, name in enumerate(table.column_names):
        pages = list(page_bytes(lambda at, most: raw[at : at + most], len(raw), [name]))
        chunks = [about.row_group(g).column(k) for g in range(about.num_row_groups)]
        told = sum(chunk.total_uncompressed_size for chunk in chunks)
        assert 0 <= told - sum(pages) <= 200 * len(pages)


@pytest.mark.parametrize("opener", [ipc.new_file, ipc.new_stream])
@pytest.mark.parametrize("compression", ["lz4", "zstd", None])
def test_sizes_of_buffers_are_those_of_the_table(opener, compression):
    table = pa.table(
        {"a": np.arange(50_000), "b": pa.array(["x" * (i % 9) for i in range(50_000)])}
    )
    table = table.append_column("c", pa.array(["a", "b"] * 25_000).dictionary_encode())
    found = arrow_bytes(in_arrow(table, opener, compression))
    assert found == 0 if compression is None else 0 <= found - table.nbytes < 1000
