"""Every format: what is written is read back."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tachograph as tg
from tachograph.graph.files import FORMATS
from tachograph.graph.files.streams import COMPRESSIONS
from tests.graph.test_build import make, rows_of
from tests.strategies import FLOAT32, REAL, WHOLE, edge_lists

SUFFIXES = [s for f in FORMATS.values() for s in f.suffixes]
BINARY = {".tgraph", ".parquet", ".pq", ".arrow", ".feather", ".arrows", ".npz", ".sg", ".wsg"}
WEIGHTS = {None: st.none(), "int32": WHOLE, "float32": FLOAT32, "float64": REAL}
ARCS_ONLY = {".gr", ".max", ".tntp"}  # hold arcs, with weights
SILENT = {".csv", ".el", ".wel"}  # do not say n or whether edges are directed


def as_format(g: tg.Graph, suffix: str) -> tg.Graph | None:
    """What the format keeps of a graph; None if it cannot hold it."""
    if suffix in (".graph", ".metis"):
        ok = not g.directed and (g.weights is None or g.weights.dtype == np.int32)
        ok = ok and (g.weights is None or g.weights.min(initial=0) >= 0)
        return g if ok and g.n else None
    if suffix == ".wsg":
        return g if g.m and g.weights is not None and g.weights.dtype == np.int32 else None
    if suffix in (".sg", ".el"):
        return g._replace(weights=None) if g.m or suffix == ".sg" else None
    if suffix == ".wel":
        weights = np.ones(g.arcs, np.int32) if g.weights is None else g.weights
        return g._replace(weights=weights) if g.m else None
    if suffix in ARCS_ONLY:
        if not g.arcs:
            return None  # nothing tells whether there are weights
        weights = np.ones(g.arcs, np.int32) if g.weights is None else g.weights
        return g._replace(directed=True, weights=weights, m=None)
    if suffix not in BINARY and not g.m:
        return None  # a list of no edges cannot be told from a damaged one
    return g


def same(found: tg.Graph, expected: tg.Graph) -> None:
    assert (found.n, found.m, found.directed) == (expected.n, expected.m, expected.directed)
    assert (found.weights is None) == (expected.weights is None)
    if expected.weights is not None:
        # Text has no -0.0 among whole numbers; adding 0 makes it 0.0, which is sorted like it.
        expected = expected._replace(weights=expected.weights.astype(np.float64) + 0.0)
        weights = found.weights.astype(np.float64)
        if found.weights.dtype != expected.weights.dtype:
            weights = weights.astype(found.weights.dtype).astype(np.float64)
        found = found._replace(weights=weights + 0.0)
    assert [sorted(r, key=str) for r in rows_of(found)] == [
        sorted(r, key=str) for r in rows_of(expected)
    ]


@pytest.mark.parametrize("suffix", SUFFIXES)
@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_round_trip(tmp_path_factory, suffix, data):
    dtype = data.draw(st.sampled_from(list(WEIGHTS)))
    n, edges = data.draw(edge_lists(weights=WEIGHTS[dtype]))
    g = make(edges, n, dtype, directed=data.draw(st.booleans()))
    if suffix == ".max":
        if not n:
            return
        g = g.with_meta(source=0, sink=n - 1)
    expected = as_format(g, suffix)
    path = tmp_path_factory.mktemp("r") / f"graph{suffix}"
    if expected is None:
        return
    tg.write(g, path)
    found = tg.read(path, **({"directed": g.directed} if suffix in SILENT else {}))
    if suffix in SILENT:
        found = padded(found, g.n)
        if not g.directed and found.m != g.m:
            return  # parallel edges in both directions, which these lists cannot tell from one
    if expected.weights is not None and dtype == "float32" and found.weights.dtype == np.float64:
        found = found._replace(weights=found.weights.astype(np.float32))
    same(found, expected)
    if suffix == ".max":
        assert dict(found.meta) == {"source": 0, "sink": n - 1}


def padded(g: tg.Graph, n: int) -> tg.Graph:
    """The same with vertices up to ``n``, which a bare list does not mention."""
    indptr = np.concatenate([g.indptr, np.full(n - g.n, g.arcs)])
    return tg.Graph.from_csr(indptr, g.indices, g.weights, directed=g.directed)


@pytest.mark.parametrize("compression", COMPRESSIONS)
@pytest.mark.parametrize("suffix", [s for s in SUFFIXES if s not in BINARY])
def test_compression(suffix, compression):
    g = tg.road(30, 30, rng=1).with_meta(source=0, sink=5)
    path = f"graph{suffix}{compression}"
    tg.write(g, path)
    options = {"directed": False} if suffix in SILENT or suffix in ARCS_ONLY else {}
    found = tg.read(path, **options)
    assert (found.n, found.m) == (g.n, g.m)
    if suffix != ".el":
        assert np.array_equal(found.sorted.weights, g.weights)


@pytest.mark.parametrize("compression", COMPRESSIONS)
@pytest.mark.parametrize("suffix", sorted(BINARY))
def test_compressed_binary(suffix, compression):
    g = tg.road(30, 30, rng=1)
    tg.write(g, f"graph{suffix}{compression}")
    assert np.array_equal(tg.read(f"graph{suffix}{compression}").indices, g.indices)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_content_tells_the_format_whatever_the_name(suffix):
    g = tg.road(40, 40, rng=2).with_meta(source=0, sink=5)
    tg.write(g, f"graph{suffix}")
    shutil.copy(f"graph{suffix}", "unknown")
    found = tg.read("unknown")
    assert found.n == g.n
    assert found.arcs in (g.m, g.arcs)


def test_names_survive():
    g = tg.Graph.from_edges(["x", "ü", "z"], ["ü", "z", "x"], [1, 2, 3], relabel=True)
    tg.write(g, "n.tgraph")
    assert tg.read("n.tgraph").names.tolist() == g.names.tolist()
    tg.write(g, "n.parquet")
    back = tg.read("n.parquet", relabel=True)
    assert back.names.tolist() == g.names.tolist()
    assert rows_of(back) == rows_of(g)
    big = tg.Graph.from_edges([10**12], [5], relabel=True)
    tg.write(big, "b.tgraph")
    assert tg.read("b.tgraph").id_of(10**12) == 1
    odd = tg.Graph.from_networkx(tg.path(2).to_networkx())._replace(
        names=np.array([(1,), None], object)
    )
    with pytest.raises(tg.InputError, match="strings or integers"):
        tg.write(odd, "o.tgraph")


def test_coordinates():
    points = np.array([[-73530767, 41085396], [5, 6]])
    for name in ("a.co", "a.co.gz"):
        tg.write_coordinates(points, name)
        assert np.array_equal(tg.read_coordinates(name), points)
    tg.write_coordinates(points / 7, "b.co")
    assert np.array_equal(tg.read_coordinates("b.co"), points / 7)
    with pytest.raises(tg.FileFormatError, match="read_coordinates"):
        tg.read("a.co")
    with pytest.raises(tg.InputError, match="shape"):
        tg.write_coordinates(np.ones(3), "c.co")


def test_scipy_npz():
    import scipy.sparse as sp

    sp.save_npz("m.npz", sp.csr_array(([1.5], ([0], [2])), shape=(3, 3)))
    assert rows_of(tg.read("m.npz")) == [[(2, 1.5)], [], []]
    sp.save_npz("c.npz", sp.csc_array(([1.5], ([0], [2])), shape=(3, 3)))
    with pytest.raises(tg.FileFormatError, match="save it as csr"):
        tg.read("c.npz")


def test_metis_vertex_weights_and_sizes():
    with open("v.graph", "w") as f:
        f.write("% all of fmt\n3 2 111 2\n7 1 2 2 10\n8 3 4 1 10 3 20\n9 5 6 2 20\n")
    g = tg.read("v.graph")
    assert rows_of(g) == [[(1, 10)], [(0, 10), (2, 20)], [(1, 20)]]
    assert g.meta["vertex_sizes"].tolist() == [7, 8, 9]
    assert g.meta["vertex_weights"].tolist() == [[1, 2], [3, 4], [5, 6]]
    for name in ("w.graph", "w.tgraph"):
        tg.write(g, name)
        again = tg.read(name)
        assert rows_of(again) == rows_of(g)
        assert again.meta["vertex_weights"].tolist() == [[1, 2], [3, 4], [5, 6]]


@pytest.mark.parametrize(("fmt", "rows"), [("", "2\n1\n"), (" 0", "2\n1\n"), (" 1", "2 5\n1 5\n"),
    (" 10", "3 2\n4 1\n"), (" 11", "3 2 5\n4 1 5\n"), (" 100", "3 2\n4 1\n"), (" 101", "3 2 5\n4 1 5\n"),
    (" 110", "9 3 2\n9 4 1\n"), (" 011 1", "3 2 5\n4 1 5\n")])  # fmt: skip
def test_metis_codes(fmt, rows):
    with open("c.graph", "w") as f:
        f.write(f"2 1{fmt}\n{rows}")
    g = tg.read("c.graph")
    assert g.indices.tolist() == [1, 0]
    assert (g.weights is None) == (not fmt.strip()[:3].endswith("1") or fmt.strip() == "")


def test_matrix_market_kinds():
    def read(banner, *lines):
        with open("m.mtx", "w") as f:
            f.write(f"%%MatrixMarket matrix coordinate {banner}\n% c\n\n" + "\n".join(lines) + "\n")
        return tg.read("m.mtx")

    assert rows_of(read("pattern general", "3 3 2", "1 3", "3 1")) == [[(2, None)], [], [(0, None)]]
    g = read("integer symmetric", "2 2 2", "1 1 4", "2 1 -7")
    assert (rows_of(g), g.directed) == ([[(0, 4), (1, -7)], [(0, -7)]], False)
    assert rows_of(read("real general", "2 2 1", "1 2 1.5e-3")) == [[(1, 0.0015)], []]
    skew = read("real skew-symmetric", "2 2 1", "2 1 2.5")
    assert (rows_of(skew), skew.directed) == ([[(1, -2.5)], [(0, 2.5)]], True)


def test_edge_list_headers():
    def read(text, **options):
        with open("e.txt", "w") as f:
            f.write(text)
        return tg.read("e.txt", **options)

    assert read("# Nodes: 9 Edges: 1\n0 1\n").n == 9
    assert not read("# Undirected graph: x\n0 1\n1 2\n").directed
    both = read("0 1\n1 0\n1 2\n2 1\n", directed=False)
    assert (both.m, both.arcs) == (2, 4)
    once = read("0 1\n1 2\n", directed=False)
    assert (once.m, once.arcs) == (2, 4)
    ring = "".join(f"{i} {(i + 1) % 10}\n" for i in range(10))
    with pytest.warns(tg.TachographWarning, match="its first line, 12 10, is taken"):
        assert read("12 10\n" + ring).n == 12
    assert read("12 11\n" + ring).n == 13, "an edge like any other"
    named = read("a b\nb c\n", relabel=True)
    assert named.names.tolist() == ["a", "b", "c"]
    assert read("7 900000000000\n", relabel=True).names.tolist() == [7, 900000000000]
    assert read("\ufeff0 1\n").m == 1
    assert read("0 1 5 999\n1 2 6 999\n").weights.tolist() == [5, 6]
    for nothing in (None, False):
        assert read("0 1 5\n", weight=nothing).weights is None
    wide = read("0,1,0.12345678901234567890123\n").weights
    assert wide.tolist() == [float("0.12345678901234567890123")]
    with pytest.warns(tg.TachographWarning, match="promises 5 edges but 1"):
        assert read("# Nodes: 9 Edges: 5\n0 1\n").n == 9


def test_reading_again_with_other_options():
    g = tg.Graph.from_edges([0, 0, 1, 2], [1, 1, 1, 0], [1, 2, 3, 4])
    for name in ("g.tgraph", "g.npz", "g.wsg"):
        tg.write(g, name)
        assert tg.read(name, dedupe="sum").m == 3
        assert tg.read(name, drop_self_loops=True).m == 3
        assert not tg.read(name, directed=False).directed
        assert tg.read(name, weight=None).weights is None
        assert tg.read(name, weight=False).weights is None
    tg.write(tg.path(3), "u.tgraph")
    assert tg.read("u.tgraph", directed=True).m == 4


def test_no_weights_are_read_where_none_are_asked_for():
    Path("w.csv").write_text("package,depends,w\na,b,2\nb,c,3\n")
    ends = {"source": "package", "target": "depends"}
    assert tg.read("w.csv", **ends).weights.tolist() == [2, 3]
    assert tg.read("w.csv", **ends, weight=None).weights is None


def test_tgraph_opens_at_once_and_checks_when_used(monkeypatch):
    from tachograph.graph.files import tgraph

    monkeypatch.setattr(tgraph, "CHECK_ON_OPENING_BYTES", 0)
    tg.write(tg.kronecker(8, rng=1), "k.tgraph")
    checked = []
    check = tgraph.check_rows
    monkeypatch.setattr(tgraph, "check_rows", lambda *a: (checked.append(1), check(*a)))
    g = tg.read("k.tgraph")
    assert (g.n, g.m > 0, checked) == (256, True, [])
    g.neighbors(0)
    g.transpose.degrees.sum()
    assert checked == [1]
