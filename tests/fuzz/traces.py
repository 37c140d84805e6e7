"""Damaged traces: of memory requests, and of runs that ``tacho report`` is given."""

from __future__ import annotations

import io
import json
import random
import re
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

import tachograph as tg
from tachograph.plots.report.page import page
from tachograph.plots.report.sections import entries, of_entries
from tachograph.simulation.dram.traces import read_trace

from . import must
from .damage import few_places
from .readers import MEMORY

TEXTS = [
    b"0x1A40 W\n0x40 R\n0x80\n\n0xffff R\n",
    b"ST 0x1A40\nLD 64\n ST\t0x40\r\n",
    b"3 6720 6784\n0 0x40\n17 128\n",
]
ADDRESS = np.arange(9, dtype=np.int64) * 64


def tables() -> list[tuple[str, bytes]]:
    """Sound traces as npz and Parquet."""
    found = []
    columns = {"address": ADDRESS, "is_write": (ADDRESS // 64 % 2).astype(np.uint8)}
    for extra in ({}, {"arrival": ADDRESS // 8}):
        for pack in (np.savez, np.savez_compressed):
            pack(out := io.BytesIO(), **columns, **extra)
            found.append((".npz", out.getvalue()))
        for packed in ("none", "zstd", "snappy"):
            out = io.BytesIO()
            parquet.write_table(pa.table({**columns, **extra}), out, compression=packed)
            found.append((".parquet", out.getvalue()))
    return found


def number(word: bytes, base: int) -> int:
    if re.fullmatch(rb"0[xX][0-9a-fA-F]+", word):
        return int(word, 16)
    digits = rb"[0-9]+" if base == 10 else rb"[0-9a-fA-F]+"
    must(re.fullmatch(digits, word) is not None, word)
    return int(word, base)


def requests(raw: bytes) -> list[tuple[int, int]]:
    """What a trace in text says, slowly."""
    lines = [line.split(b" ") for line in re.sub(rb"[\t\r]", b" ", raw).split(b"\n")]
    rows = [[word for word in line if word] for line in lines]
    rows = [row for row in rows if row]
    found = []
    core = len(rows[0]) > 1 and all(re.fullmatch(rb"0[xX][0-9a-fA-F]+|[0-9]+", w) for w in rows[0])
    for row in rows:
        if rows[0][0] in (b"LD", b"ST"):
            must(len(row) == 2 and row[0] in (b"LD", b"ST"), row)
            found.append((number(row[1], 10), int(row[0] == b"ST")))
        elif core:
            must(len(row) in (2, 3) and number(row[0], 10) >= 0, row)
            found += [(number(w, 10), k) for k, w in enumerate(row[1:])]
        else:
            must(len(row) == 1 or (len(row) == 2 and row[1] in (b"R", b"W")), row)
            found.append((number(row[0], 16), int(row[-1] == b"W" and len(row) == 2)))
    return found


class Requests:
    """Traces of memory requests, in text, npz and Parquet."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.seeds = [*((".trace", raw) for raw in TEXTS), *tables()]

    def __call__(self, rng: random.Random) -> bool:
        suffix, raw = rng.choice(self.seeds)
        if rng.random() < 0.5:
            suffix, raw = ".trace", rng.choice(TEXTS)
        raw = few_places(rng, raw)
        path = self.place / f"requests{suffix}"
        path.write_bytes(raw)
        try:
            with tg.limits(memory=MEMORY):
                found = read_trace(path)
        except tg.TachographError:
            return False
        if suffix == ".trace":
            pairs = list(zip(found.addresses.tolist(), found.is_write.tolist(), strict=True))
            must(pairs == requests(raw), f"{pairs} of {raw!r}")
        return True


class Reports:
    """Parquet files of ``tacho run --trace``, made into a page."""

    def __init__(self, place: Path) -> None:
        self.path = place / "trace.parquet"
        g = tg.kronecker(5, rng=1)
        self.tables = [tg.bfs(g, 0).trace.to_arrow(), tg.pagerank(g, trace=True).trace.to_arrow()]

    def __call__(self, rng: random.Random) -> bool:
        table = rng.choice(self.tables)
        about: dict[str, object] = {"task": "bfs", "graph": {"name": "g", "n": 3}, "seconds": 1.0}
        if rng.random() < 0.5:
            about[rng.choice(list(about))] = rng.choice(
                [None, -1, 1e308, "x", [], {"n": -1}, 2**70]
            )
        table = table.replace_schema_metadata({"tachograph": json.dumps(about)})
        if rng.random() < 0.5:
            k = rng.randrange(table.num_columns)
            values = [rng.choice((None, -1, 0, 2**52, 7)) for _ in range(table.num_rows)]
            kind = rng.choice((pa.int64(), pa.float64(), pa.string()))
            table = table.set_column(k, table.column_names[k], pa.array(values).cast(kind))
        parquet.write_table(table, out := io.BytesIO(), compression=rng.choice(("none", "snappy")))
        raw = out.getvalue()
        self.path.write_bytes(few_places(rng, raw) if rng.random() < 0.6 else raw)
        try:
            must("<html" in page("x", of_entries(entries([str(self.path)]))), "no page")
        except tg.TachographError:
            return False
        return True
