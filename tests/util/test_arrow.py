"""Named columns reach other libraries through ``__arrow_c_stream__``."""

import numpy as np
import pytest

from tachograph.util.arrow import stream_of


class Table:
    def __init__(self, metadata=None, **columns):
        self.columns, self.metadata = columns, metadata

    def __arrow_c_stream__(self, requested_schema=None):
        return stream_of(self.columns, requested_schema, self.metadata)


TABLE = Table(
    {"directed": "True"},
    number=np.arange(3, dtype=np.int32),
    share=np.array([0.5, 1.0, 1.5], np.float32),
    word=np.array(["a", "b", "c"]),
    truth=np.array([True, False, True]),
)


def test_pyarrow():
    pa = pytest.importorskip("pyarrow")
    made = pa.table(TABLE)
    assert made.column_names == ["number", "share", "word", "truth"]
    assert made.schema.metadata == {b"directed": b"True"}
    assert made.schema.field("number").type == pa.int32()
    assert made.column("word").to_pylist() == ["a", "b", "c"]


def test_polars():
    made = pytest.importorskip("polars").DataFrame(TABLE)
    assert made["number"].to_list() == [0, 1, 2]
    assert made["truth"].to_list() == [True, False, True]


def test_duckdb():
    duckdb = pytest.importorskip("duckdb")
    made = duckdb.from_arrow(TABLE)
    assert made.query("made", "SELECT sum(share) FROM made WHERE number > 0").fetchall() == [(2.5,)]


def test_a_requested_schema_is_followed():
    pa = pytest.importorskip("pyarrow")
    wanted = pa.schema([("number", pa.int64())])
    assert pa.table(Table(number=np.arange(3, dtype=np.int32)), schema=wanted).schema == wanted
