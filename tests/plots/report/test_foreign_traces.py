"""Parquet files that others wrote: a report of them, or an error that says what is wrong."""

from __future__ import annotations

import json
import random
from datetime import date
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

import tachograph as tg
from tachograph.plots.report.page import write_page
from tachograph.plots.report.sections import entries, of_entries

COLUMNS = ["seconds", "phase", "kernel", "direction", "device", "begin", "edges", "iteration"]
COLUMNS += [
    "frontier_vertices",
    "push_seconds",
    "pull_seconds",
    "host_seconds",
    "device_seconds",
    "x",
]
VALUES = [
    0,
    1,
    7,
    -1,
    2**62,
    0.5,
    -0.5,
    1e308,
    float("nan"),
    float("inf"),
    None,
    "",
    "host",
    "push",
]
VALUES += ["pull", "\x1b[31m", True, [1], {"a": 1}, b"\xff", date(2020, 1, 1)]


def report(path="t.parquet"):
    found = entries([path])
    write_page("r.html", "title", of_entries(found))
    return Path("r.html").read_text(encoding="utf-8")


def written(metadata=None, **columns):
    table = pa.table({name: pa.array(values) for name, values in columns.items()})
    parquet.write_table(table.replace_schema_metadata(metadata), "t.parquet")


@pytest.mark.parametrize(
    ("columns", "problem"),
    [
        ({"seconds": ["a"]}, "column seconds holds something else than numbers"),
        ({"seconds": [None, 1.0]}, "column seconds"),
        ({"seconds": [float("nan")]}, "column seconds"),
        ({"seconds": [[1.0]]}, "column seconds"),
        ({"seconds": [1.0], "phase": [3], "iteration": [0]}, "column phase .* than words"),
        ({"seconds": [1.0], "phase": ["host"], "iteration": [2**62]}, "column iteration"),
        ({"other": [1]}, "a column of seconds"),
    ],
)
def test_columns_that_are_no_trace(columns, problem):
    written(**columns)
    with pytest.raises(tg.InputError, match=problem):
        report()


@pytest.mark.parametrize(
    "said",
    [b"{", b"[1]", b"\xff", b'{"task": 3}', b'{"graph": []}', b'{"seconds": "x"}', b"[" * 10_000,
     b'{"provenance": {}}', b'{"graph": {"n": "many"}}'],
)  # fmt: skip
def test_metadata_that_says_something_else(said):
    written({b"tachograph": said}, seconds=[1.0])
    with pytest.raises(tg.InputError, match="not a Parquet file of tacho run --trace"):
        report()


def test_other_columns_do_no_harm():
    written(
        {
            "pandas": "{",
            b"\xff": b"\xff",
            "tachograph": json.dumps({"task": "<b>", "seconds": 1.5}),
        },
        seconds=[1.0, 2.0],
        when=[date(2020, 1, 1)] * 2,
        nested=[{"a": [1]}] * 2,
        empty=[None, None],
        name=["<script>", "\x1b"],
    )
    text = report()
    assert "&lt;script&gt;" in text
    assert "<script>\x1b" not in text


@pytest.mark.parametrize(
    "count", [300, pytest.param(20_000, marks=pytest.mark.slow)], ids=["some", "many"]
)
def test_any_table_is_drawn_or_refused(count):
    random.seed(1)
    drawn = 0
    for number in range(count):
        rows = random.choice([0, 1, 3])
        columns = {}
        for name in [*random.sample(COLUMNS, random.randint(1, 6)), "seconds"]:
            like = random.choice(VALUES)
            same = [v for v in VALUES if type(v) is type(like) or v is None]
            pick = random.choices(same, k=rows) if random.random() < 0.3 else [like] * rows
            columns[name] = pick
        if random.random() < 0.7:
            columns["seconds"] = [random.random() for _ in range(rows)]
        written(**columns)
        try:
            report()
            drawn += 1
        except tg.TachographError:
            pass
        except Exception as error:
            raise AssertionError(f"table {number}: {columns}") from error
    assert 0 < drawn < count
