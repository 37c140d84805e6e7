"""Data of somebody else: a graph owns its arrays, and no two vertices become one in silence."""

from __future__ import annotations

import array
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse as sp

import tachograph as tg
from tests.graph.test_build import rows_of

ROWS = [[(1, 2.5)], [(0, 2.5), (2, 1.5)], [(1, 1.5)]]


def path_arrays():
    indptr = np.array([0, 1, 3, 4])
    return indptr, np.array([1, 0, 2, 1], np.int32), np.array([2.5, 2.5, 1.5, 1.5])


def spoil(*arrays):
    for a in arrays:
        a[:] = 77


def test_a_graph_does_not_change_with_the_arrays_it_was_made_from():
    arrays = path_arrays()
    g = tg.Graph.from_csr(*arrays)
    spoil(*arrays)
    assert rows_of(g) == ROWS
    assert tg.bfs(g, 0).levels.tolist() == [0, 1, 2]


def test_a_graph_does_not_change_with_its_matrix():
    matrix = sp.csr_array(path_arrays()[::-1], shape=(3, 3))
    g = tg.Graph.from_scipy(matrix)
    matrix.data[:2] = 0
    matrix.eliminate_zeros()
    assert rows_of(g) == ROWS


class Holder:
    """Hands out its own array, as many libraries do."""

    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return self.values


BUFFERS = {
    "view": lambda a: a[:],
    "read-only view of a writable array": lambda a: np.broadcast_to(a, a.shape),
    "memoryview": memoryview,
    "series": lambda a: pd.Series(a, copy=False),
    "holder": Holder,
}


@pytest.mark.parametrize("kind", BUFFERS)
def test_whoever_holds_the_buffer(kind):
    arrays = path_arrays()
    g = tg.Graph.from_csr(*map(BUFFERS[kind], arrays))
    spoil(*arrays)
    assert rows_of(g) == ROWS
    buffers = [array.array(code, a.tolist()) for code, a in zip("qid", path_arrays(), strict=True)]
    g = tg.Graph.from_csr(*buffers)
    buffers[1][0] = 2
    assert rows_of(g) == ROWS


def test_arrays_that_nobody_can_write_are_not_copied():
    arrays = path_arrays()
    for a in arrays:
        a.flags.writeable = False
    g = tg.Graph.from_csr(*arrays)
    assert all(map(np.shares_memory, (g.indptr, g.indices, g.weights), arrays))
    again = tg.Graph.from_csr(g.indptr, g.indices, g.weights)
    assert np.shares_memory(again.indices, g.indices)
    raw = path_arrays()[1].tobytes()
    g = tg.Graph.from_csr(arrays[0], np.frombuffer(raw, np.int32))
    assert np.shares_memory(g.indices, np.frombuffer(raw, np.int32))


def test_who_promises_is_not_copied():
    arrays = path_arrays()
    g = tg.Graph.from_csr(*arrays, copy=False)
    assert all(map(np.shares_memory, (g.indptr, g.indices, g.weights), arrays))
    matrix = sp.csr_array(arrays[::-1], shape=(3, 3))
    assert np.shares_memory(tg.Graph.from_scipy(matrix, copy=False).weights, matrix.data)


def test_meta_belongs_to_the_graph():
    given = np.arange(3)
    g = tg.path(3).with_meta(vertex_weights=given)
    spoil(given)
    assert g.meta["vertex_weights"].tolist() == [0, 1, 2]


# -- nothing is narrowed, and no two vertices become one -----------------------------------------


@pytest.mark.parametrize("bad", [-4294967295, 4294967297, -(2**63), 2**63 - 1])
def test_ids_are_checked_before_they_are_narrowed(bad):
    with pytest.raises(tg.InputError, match=f"{bad}|outside"):
        tg.Graph.from_csr([0, 1, 1], [bad])
    with pytest.raises(tg.InputError, match=rf"{bad}|outside|2\*\*53"):
        tg.Graph.from_csr([0, 1, 1], np.array([float(bad)]))
    with pytest.raises((tg.InputError, tg.TooLargeError)):
        tg.Graph.from_edges([bad], [0])


def test_unsigned_ids_beyond_int64():
    wide = np.array([2**64 - 1], np.uint64)
    with pytest.raises(tg.InputError, match="too large for an id"):
        tg.Graph.from_csr([0, 1, 1], wide)
    with pytest.raises(tg.InputError, match="too large for an id"):
        tg.Graph.from_csr(np.array([0, 2**64 - 1, 1], np.uint64), [1])


@pytest.mark.parametrize("relabel", [False, True])
def test_floats_that_stand_for_several_integers(relabel):
    for column in ([2.0**53 + 2], [2.0**60]):
        with pytest.raises(tg.InputError, match=r"2\*\*53"):
            tg.Graph.from_edges(column, [1.0], relabel=relabel)


def test_masked_entries():
    masked = np.ma.array([0, 1], mask=[False, True])
    for given in ((masked, [1, 1]), ([1, 1], masked), ([0, 1], [1, 0], masked)):
        with pytest.raises(tg.InputError, match="masked"):
            tg.Graph.from_edges(*given)
    with pytest.raises(tg.InputError, match="masked"):
        tg.Graph.from_edges(masked, [1, 1], relabel=True)
    with pytest.raises(tg.InputError, match="masked"):
        tg.Graph.from_csr([0, 1, 2], masked)
    assert tg.Graph.from_edges(np.ma.array([0, 1]), [1, 0]).m == 2


MISSING = [None, float("nan"), pd.NA, np.datetime64("NaT")]


@pytest.mark.parametrize("missing", MISSING, ids=str)
def test_a_hole_is_not_a_name(missing):
    for relabel in (False, True):
        with pytest.raises(tg.InputError):
            tg.Graph.from_edges(np.array(["a", missing], object), ["b", "c"], relabel=relabel)


@pytest.mark.parametrize("odd", [b"a", 1.5, True, ("a",), 10], ids=repr)
def test_names_are_strings_or_whole_numbers(odd):
    names = np.empty(2, object)
    names[:] = ["10", odd]
    with pytest.raises(tg.InputError, match="names"):
        tg.Graph.from_edges(names, ["b", "c"], relabel=True)


def test_whole_numbers_of_any_size_are_names():
    g = tg.Graph.from_edges([2**70, 5], [2**70 + 1, 5], relabel=True)
    assert g.n == 3


@pytest.mark.parametrize("values", [["a", None], [None, "b"]])
def test_a_null_in_a_dictionary(values):
    column = pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(values))
    with pytest.raises(tg.InputError, match="empty cell"):
        tg.Graph.from_arrow(pa.table({"source": column, "target": ["x", "y"]}), relabel=True)


def test_decimals_as_ids():
    import decimal

    wide = [decimal.Decimal(2**53), decimal.Decimal(2**53 + 1)]
    table = pa.table({"source": pa.array(wide, pa.decimal128(30, 0)), "target": [0, 1]})
    g = tg.Graph.from_arrow(table, relabel=True)
    assert (g.n, 2**53 + 1 in g.names.tolist()) == (4, True)
    fraction = pa.array([decimal.Decimal("0.5")], pa.decimal128(5, 2))
    with pytest.raises(tg.InputError, match="source"):
        tg.Graph.from_arrow(pa.table({"source": fraction, "target": [0]}))


def text(content, name="f.txt", **options):
    Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return tg.read(name, **options)


NAMED = {
    "1_0": "1_0 -1\n10 -1\n",
    "full-width digits": "１０ -1\n10 -1\n",
    "no-break space": "a\u00a0b c\na b\n",
    "quotes": 'a "b"\na b\n',
    "more than 64 bits": "99999999999999999999 -1\n99999999999999999998 -1\n",
    "zeros before a word": "007 a\n7 a\n",
}


@pytest.mark.parametrize("kind", NAMED)
def test_distinct_names_stay_distinct(kind):
    g = text(NAMED[kind], relabel=True)
    words = {w for line in NAMED[kind].splitlines() for w in line.split(" ")}
    assert {str(name) for name in g.names.tolist()} == words


def test_text_that_is_not_utf_8():
    with pytest.raises(tg.FileFormatError, match="UTF-8") as caught:
        text(b"x y\na\xff b\na\xfe b\n", relabel=True)
    assert caught.value.line == 2
    assert text("ä ö\n", relabel=True).names.tolist() == ["ä", "ö"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a,,b\n", "empty field"),
        ("a,b,\n", "empty field"),
        ("a b 1_0\n", "expected a weight"),
        ("a b nan\n", "finite"),
        ("a b 1e999\n", "finite"),
        ("a b 9007199254740993\n", r"2\*\*53"),
        ("a b 1 2\nb c 1\n", "columns"),
        ("a " + "b" * 70_000 + "\n", "too long"),
    ],
)
def test_lines_with_names_are_as_strict_as_lines_with_ids(content, message):
    with pytest.raises(tg.FileFormatError, match=message):
        text(content, relabel=True)


CSV = {
    "ids beyond 64 bits": ["18446744073709551616", "18446744073709551617"],
    "decimals": ["0.1234567890123456789", "0.12345678901234567"],
    "dates": ["2020-01-01", "2020-01-01 00:00:00"],
    "truth": ["true", "True"],
    "zeros before a word": ["007", "7", "x"],
}


@pytest.mark.parametrize("kind", CSV)
def test_distinct_cells_stay_distinct(kind):
    cells = CSV[kind]
    content = "source,target\n" + "".join(f"{c},{cells[0]}\n" for c in cells)
    g = text(content, "f.csv", relabel=True)
    assert sorted(g.names.tolist()) == sorted(cells)
    if kind == "truth":  # words only, so they are names
        assert text(content, "f.csv").named
        return
    with pytest.raises(tg.FileFormatError, match="relabel=True"):
        text(content, "f.csv")


def test_cells_that_are_whole_numbers_with_a_point():
    g = text("source,target\n1.0,2\n2.,0.0\n", "f.csv")
    assert rows_of(g) == [[], [(2, None)], [(0, None)]]


@pytest.mark.parametrize(
    "name", ["a.txt", "a.el", "a.gr", "a.mtx", "a.graph", "a.tntp", "a.txt.gz"]
)
@pytest.mark.parametrize("place", ["edges", "comment"])
def test_a_carriage_return_inside_a_line(name, place):
    import gzip

    tg.write(tg.path(5, weights=True), name)
    raw = Path(name).read_bytes()
    raw = gzip.decompress(raw) if name.endswith("gz") else raw
    good = raw.replace(b"\n", b"\r\n")
    bad = raw.replace(b"\n", b"\r") if place == "edges" else raw.replace(b"\n", b"\r1 2\n", 1)
    packed = gzip.compress if name.endswith("gz") else bytes
    kind = Path(name.removesuffix(".gz")).suffix[1:].replace("txt", "edgelist")
    kind = {"graph": "metis"}.get(kind, kind)
    assert text(packed(good), name, format=kind).m == tg.read(name, format=kind).m
    with pytest.raises(tg.FileFormatError, match="carriage return"):
        text(packed(bad), name, format=kind)


# -- tables that are damaged, or larger than they look ------------------------------------------


def strings(offsets, raw):
    buffers = [None, pa.py_buffer(np.array(offsets, np.int32)), pa.py_buffer(raw)]
    return pa.Array.from_buffers(pa.string(), 2, buffers)


WILD = pa.array([0, 5 * 10**8], pa.int32())
DAMAGED = {
    "dictionary": pa.DictionaryArray.from_arrays(WILD, pa.array(["a", "b"]), safe=False),
    "strings beyond their bytes": strings([0, 10**9, 2], b"ab"),
    "bytes that are not text": strings([0, 1, 2], b"\xff\xfe"),
}


@pytest.mark.parametrize("kind", DAMAGED)
def test_a_damaged_table(kind):
    table = pa.Table.from_arrays([DAMAGED[kind], pa.array(["x", "y"])], ["source", "target"])
    with pytest.raises(tg.InputError, match="the table cannot be used"):
        tg.Graph.from_arrow(table, relabel=True)


@pytest.mark.parametrize("kind", [pa.string_view(), pa.dictionary(pa.int32(), pa.string())])
def test_strings_that_share_their_bytes(kind):
    long = pa.DictionaryArray.from_arrays(pa.array([0] * 1000, pa.int32()), pa.array(["x" * 10**6]))
    if kind == pa.string_view():
        views = np.zeros((1000, 4), np.int32)
        views[:, 0] = 10**6
        views[:, 1] = int.from_bytes(b"xxxx", "little")
        buffers = [None, pa.py_buffer(views), pa.py_buffer(b"x" * 10**6)]
        long = pa.Array.from_buffers(kind, 1000, buffers)
    table = pa.table({"source": long, "target": long})
    with tg.limits(memory="100 MB"), pytest.raises(tg.TooLargeError, match="'source' as text"):
        tg.Graph.from_arrow(table, relabel=True)


def test_columns_of_other_types_are_refused():
    for values in ([b"a"], [[1]], [{"a": 1}], pa.array([0], pa.timestamp("s")), [True]):
        table = pa.table({"source": values, "target": [1]})
        with pytest.raises(tg.InputError, match="column 'source' holds"):
            tg.Graph.from_arrow(table, relabel=True)


@pytest.mark.parametrize("relabel", [False, True])
def test_arrays_of_another_byte_order(relabel):
    source, target = np.array([0, 1, 5], ">i8"), np.array([1, 2, 0], ">i4")
    weights = np.array([1.5, 2.0, 3.0], ">f8")
    plain = [source.tolist(), target.tolist(), weights.tolist()]
    swapped = tg.Graph.from_edges(source, target, weights, relabel=relabel)
    same = tg.Graph.from_edges(*plain, relabel=relabel)
    for one, other in ((swapped, same), (tg.Graph.from_csr(*_swapped(same)), same)):
        assert [a.tolist() for a in one.to_edges()] == [a.tolist() for a in other.to_edges()]
        assert np.array_equal(tg.pagerank(one).scores, tg.pagerank(other).scores)


def _swapped(graph):
    """Return the rows of a graph in the other byte order."""
    arrays = (*graph.rows, graph.weights)
    return [a.astype(a.dtype.newbyteorder(">")) for a in arrays]


class Tensor:
    """What another library keeps its numbers in: it knows DLPack, and nothing of NumPy."""

    def __init__(self, values, device=None):
        self.values, self.device = np.array(values), device

    def __dlpack__(self, **options):
        if self.device:
            raise BufferError("it lies on a GPU")
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.device or self.values.__dlpack_device__()


def test_arrays_of_other_libraries_by_dlpack():
    g = tg.Graph.from_edges(Tensor([0, 1]), Tensor([1, 2]), Tensor([0.5, 1.5]))
    assert (g.indices.tolist(), g.weights.tolist()) == ([1, 2], [0.5, 1.5])
    rows = tg.Graph.from_csr(Tensor([0, 1, 2, 2]), Tensor([1, 2]))
    assert rows.indices.tolist() == [1, 2]
    with pytest.raises(tg.InputError, match="source: NumPy cannot take a Tensor .it lies on a GPU"):
        tg.Graph.from_edges(Tensor([0, 1], (2, 0)), [1, 2])
    with pytest.raises(tg.InputError, match="source is a object: pass a list or an array"):
        tg.Graph.from_edges(object(), [1, 2])


class Fails:
    """What another library keeps its numbers in, whose own code fails."""

    def __init__(self, error):
        self.error = error

    def __dlpack__(self, **options):
        raise self.error


class FailsAsArray(Fails):
    def __array__(self, *given, **options):
        raise self.error


@pytest.mark.parametrize("kind", [Fails, FailsAsArray])
@pytest.mark.parametrize("error", [ValueError, AttributeError, OSError, KeyError, RuntimeError])
def test_arrays_whose_own_code_fails(kind, error):
    with pytest.raises(tg.InputError, match="source: NumPy cannot take a Fails.*said so"):
        tg.Graph.from_edges(kind(error("said so")), [1, 2])
    with pytest.raises(tg.TooLargeError, match="source: memory ran out"):
        tg.Graph.from_edges(kind(MemoryError()), [1, 2])
