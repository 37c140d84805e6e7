"""Legal but awkward input, and what used to go wrong with it."""

from __future__ import annotations

import copy
import gzip
import os
import pickle
import sys
import threading
from pathlib import Path

import duckdb
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tachograph as tg
from tests.graph.test_build import rows_of


def text(content, name="f.txt", **options):
    Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return tg.read(name, **options)


def test_columns_are_never_used_twice():
    table = pa.table({"to": [1, 2], "origin": [0, 1]})
    g = tg.Graph.from_arrow(table, source="origin")
    assert rows_of(g) == [[(1, None)], [(2, None)], []]
    with pytest.raises(tg.InputError, match="which column holds the target"):
        tg.Graph.from_arrow(pa.table({"source": [1], "x": [1], "y": [2]}))


def test_columns_of_every_type():
    names = {"source": ["a", "b"], "target": ["b", "c"]}
    for kind in (pl.Categorical, pl.Enum(["a", "b", "c"]), pl.String):
        table = pl.DataFrame(names, schema={"source": kind, "target": kind})
        assert tg.Graph.from_arrow(table, relabel=True).names.tolist() == ["a", "b", "c"]
    g = tg.Graph.from_arrow(duckdb.sql("select 0 as source, 1 as target, 1.5 as weight"))
    assert g.weights.tolist() == [1.5]
    g = tg.Graph.from_arrow(
        duckdb.sql("select 0 as source, 1 as target, sum(i) as weight from range(4) t(i)")
    )
    assert g.weights.tolist() == [6]


def test_directed_graph_of_undirected_edges_has_both_arcs():
    matrix = "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n"
    for g in (
        text(matrix, "m.mtx", directed=True),
        text("# Undirected graph\n0 1\n1 2\n", directed=True),
        text("3 2\n2\n1 3\n2\n", "m.graph", directed=True),
    ):
        assert (g.directed, g.m, g.neighbors(1).tolist()) == (True, 4, [0, 2])
    tg.write(tg.path(3), "p.tgraph")
    assert tg.read("p.tgraph", directed=True).m == 4
    assert text("# Undirected graph\n0 1\n", directed=True, symmetrize=False).m == 1


def test_undirected_edges_listed_both_ways_and_several_times():
    listed = "# Undirected graph\n0 1 5\n0 1 7\n1 0 7\n1 0 5\n"
    assert text(listed).m == 2
    assert text(listed, dedupe="first").weights.tolist() == [5, 5]
    assert text(listed, dedupe="sum").weights.tolist() == [12, 12]
    assert text(listed, dedupe="min").weights.tolist() == [5, 5]
    g = tg.Graph.from_edges([0, 0, 1, 1], [1, 1, 0, 0], [.1, .3, .3, .1], directed=False,
                            symmetrize=False, dedupe="first")  # fmt: skip
    assert g.weights.tolist() == [0.1, 0.1]


def test_relabelling_takes_meta_along():
    flow = "p max 14 2\nn 11 s\nn 14 t\na 11 12 5\na 12 14 6\n"
    assert dict(text(flow, "f.max", relabel=True).meta) == {"source": 0, "sink": 2}
    g = text("3 1 010\n7\n5 3\n6 2\n", "w.graph", relabel=True)
    assert g.meta["vertex_weights"].tolist() == [[5], [6]]


def test_names_survive_what_they_can():
    g = tg.Graph.from_edges([10, 20], [20, 30], relabel=True)
    tg.write(g, "n.tgraph")
    assert tg.read("n.tgraph", drop_self_loops=True).names.tolist() == [10, 20, 30]
    assert tg.read("n.tgraph", relabel=True).names.tolist() == [10, 20, 30]
    tg.write(g, "n.parquet")
    assert tg.read("n.parquet").names.tolist() == [10, 20, 30]
    assert tg.Graph.from_arrow(g.to_arrow()).names.tolist() == [10, 20, 30]
    with pytest.warns(tg.TachographWarning, match="hold ids only"):
        tg.write(g, "n.mtx")
    from_nx = tg.Graph.from_networkx(nx.Graph([(30, 20), (20, 10)]))
    assert [from_nx.id_of(x) for x in (30, 20, 10)] == [0, 1, 2]
    tg.write(from_nx, "x.tgraph")
    assert tg.read("x.tgraph").names.tolist() == [30, 20, 10]
    huge = tg.Graph.from_edges(
        np.array([2**63 + 5], np.uint64), np.array([7], np.uint64), relabel=True
    )
    assert huge.names.tolist() == [7, 2**63 + 5]
    assert text("-5 3\n3 -7\n", relabel=True).names.tolist() == [-7, -5, 3]


def test_tgraph_keeps_meta_apart_and_checks_names(monkeypatch):
    from tachograph.graph.files import tgraph

    g = tg.path(5).with_meta(
        indices=np.zeros(8, np.int32), weights=np.arange(8.0), k=np.int64(3), ok=np.array([True])
    )
    tg.write(g, "m.tgraph")
    back = tg.read("m.tgraph")
    assert rows_of(back) == rows_of(tg.path(5))
    assert (back.meta["weights"].tolist(), back.meta["k"], back.meta["ok"].tolist()) == (
        list(range(8)),
        3,
        [True],
    )
    for bad in (np.array(["a"]), {1, 2}):
        with pytest.raises(tg.InputError, match="cannot hold|plain values"):
            tg.write(tg.path(2).with_meta(x=bad), "bad.tgraph")
    monkeypatch.setattr(tgraph, "CHECK_ON_OPENING_BYTES", 0)
    tg.write(tg.Graph.from_edges(["aa", "bb"], ["bb", "cc"], relabel=True), "s.tgraph")
    raw = Path("s.tgraph").read_bytes()
    at = raw.index(b"aabbcc")
    Path("s.tgraph").write_bytes(raw[:at] + b"xx" + raw[at + 2 :])
    with pytest.raises(tg.FileFormatError, match="checksum of names"):
        tg.read("s.tgraph").names  # noqa: B018


def test_nothing_makes_a_graph_writable():
    g = tg.path(10, weights=True).with_meta(x=np.arange(3))
    for made in (g, g.sorted, pickle.loads(pickle.dumps(g)), copy.deepcopy(g)):
        for array in (
            made.indptr,
            made.indices,
            made.weights,
            made.meta["x"],
            made.features.degree_counts,
        ):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 1
    with pytest.raises(ValueError, match="WRITEABLE"):
        g.indices.flags.writeable = True
    assert g.to_scipy().sum_duplicates() is None


def test_unweighted_matrices_do_not_overflow():
    assert tg.Graph.from_edges([0] * 200, [1] * 200).to_scipy().toarray()[0, 1] == 200
    a = tg.complete(300).to_scipy()
    assert (a @ a)[0, 0] == 299


def test_weights_at_the_ends_of_their_range():
    skew = "%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 -2147483648\n"
    assert text(skew, "s.mtx").weights.tolist() == [2147483648, -2147483648]
    assert text("p sp 2 1\na 1 2 9007199254740992\n", "w.gr").weights.tolist() == [2.0**53]
    with pytest.raises(tg.FileFormatError, match=r"beyond 2\*\*53"):
        text("p sp 2 1\na 1 2 9007199254740993\n", "w.gr")
    real = "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 123456789012345678\n"
    assert text(real, "r.mtx").weights.tolist() == [123456789012345678.0]
    whole = text("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 7\n", "r.mtx").weights
    assert whole.dtype == np.float64


@pytest.mark.parametrize("compressed", [False, True])
def test_long_comments_and_marks(compressed):
    padding = 70_000
    cases = {
        "a.txt": "# a comment of some length\n" * (padding // 27) + "0 1\n1 2\n",
        "a.mtx": "%%MatrixMarket matrix coordinate pattern general\n"
        + "% comment\n" * (padding // 10)
        + "3 3 2\n1 2\n2 3\n",
        "a.gr": "c comment\n" * (padding // 10) + "p sp 3 2\na 1 2 5\nc\na 2 3 5\n",
        "a.graph": "% comment\n" * (padding // 10) + "3 2\n2\n1 3\n2\n",
        "b.txt": "#" * 65_530 + "\n0 1\n1 2\n",
        "c.txt": "\ufeff# a comment with words\n0 1\n1 2\n",
        "d.txt": "\ufeff0 1\r\n1 2",
    }
    for name, content in cases.items():
        raw = content.encode()
        g = text(gzip.compress(raw) if compressed else raw, name + ".gz" * compressed)
        assert (g.n, g.m) == (3, 2), name


def test_content_overrules_a_wrong_name():
    assert text("5 4\n2 3 4 5\n1\n1\n1\n1\n", "metis.txt").m == 4
    assert text("source,target\n0,1\n1,2\n", "table.txt").m == 2
    tg.write(tg.path(9), "g.sg")
    for name in ("g.txt", "g.parquet", "g"):
        Path(name).write_bytes(Path("g.sg").read_bytes())
        assert tg.read(name).m == 8
    assert not text("% sym unweighted\n1 2\n2 3\n", "konect").directed


def test_our_own_output_can_be_read():
    empty = tg.Graph.from_edges([], [], n=3)
    for suffix in ("txt", "parquet", "mtx", "gr", "npz", "tgraph", "arrow"):
        tg.write(empty, f"e.{suffix}")
        assert (tg.read(f"e.{suffix}").n, tg.read(f"e.{suffix}").m) == (3, 0)
    tg.write(tg.Graph.from_edges([], [], [], n=3), "w.csv")
    assert tg.read("w.csv").m == 0
    negative = tg.Graph.from_edges([0], [1], [-5], directed=False)
    for bad, name, message in [
        (negative, "n.graph", "negative weights"),
        (tg.path(3).with_meta(vertex_weights=[1, 2]), "n.graph", "each of the 3 vertices"),
        (tg.path(3).with_meta(vertex_weights=[1, 2, -3]), "n.graph", "negative numbers"),
        (tg.path(3).with_meta(source=0, sink=9), "n.max", "that are vertices"),
        (tg.path(3).with_meta(source="a", sink=1), "n.max", "that are vertices"),
    ]:
        with pytest.raises(tg.InputError, match=message):
            tg.write(bad, name)
    tg.write(tg.path(3).with_meta(vertex_weights=[1, 2, 3]), "v.graph")
    assert tg.read("v.graph").meta["vertex_weights"].tolist() == [[1], [2], [3]]
    with pytest.raises(tg.InputError, match="finite"):
        tg.write_coordinates(np.array([[1.0, np.nan]]), "c.co")
    long = "a" * 245 + ".txt"
    tg.write(tg.path(3), long)
    assert tg.read(long).m == 2
    assert not list(Path().glob(".*tmp"))


def test_errors_that_were_tracebacks():
    np.savez("f.npz", indptr=[0, 0], indices=np.empty(0, int), format=np.array(["a", "b"]))
    np.savez("s.npz", indptr=[0, 0], indices=np.empty(0, int), shape=np.array(5))
    for name in ("f.npz", "s.npz", "a\0b"):
        with pytest.raises(tg.TachographError):
            tg.read(name)
    with pytest.raises(tg.FileFormatError, match="too many"):
        text("0 0 10 999999999999\n", "n.graph")
    with pytest.raises(tg.InputError, match="dedupe='bogus'"):
        tg.read("f.npz", dedupe="bogus")
    with pytest.raises(tg.InputError, match="no columns to choose from"):
        text("0 1 2\n", weight="cost")
    with pytest.raises(tg.InputError, match="stands for several ids"):
        tg.Graph.from_edges([1e30], [0])
    with pytest.raises(tg.InputError, match="n = 2.5 is not a whole number"):
        tg.Graph.from_edges([0], [1], n=2.5)
    with pytest.raises(tg.InputError, match="add the reverses with from_edges"):
        tg.Graph.from_csr([0, 1, 1], [1], directed=False)
    with pytest.raises(tg.FileFormatError, match="number with a comma"):
        text("a b 1,5\n", relabel=True)
    with pytest.raises(tg.FileFormatError, match="for names, say relabel"):
        text("anna bert\n")


@pytest.mark.parametrize(
    "call",
    [
        lambda: tg.kronecker(10, 10**9), lambda: tg.complete(10**6), lambda: tg.path(10**12),
        lambda: tg.road(10**6, 10**6), lambda: tg.power_law(10**11), lambda: tg.star(10**11),
        lambda: tg.preferential_attachment(10**11), lambda: tg.uniform(3 * 10**9, 1e-6),
        lambda: tg.bipartite(10, 3 * 10**9), lambda: tg.tree(10**11),
        lambda: tg.uniform(10, float("nan")), lambda: tg.power_law(10, exponent=float("nan")),
        lambda: tg.uniform(10, float("inf")),
    ],
)  # fmt: skip
def test_generators_refuse_what_cannot_be(call):
    with pytest.raises((tg.InputError, tg.TooLargeError)):
        call()


@pytest.mark.skipif(sys.platform == "win32", reason="needs named pipes")
def test_a_pipe_can_be_read():
    os.mkfifo("pipe")
    writer = threading.Thread(target=lambda: Path("pipe").write_text("0 1\n1 2\n"))
    writer.start()
    assert tg.read("pipe", pipe=True).m == 2
    writer.join()


@pytest.mark.parametrize("odd", ["x", 1.5, [1], np.array([1, 2]), None, (1, [2]), {}])
def test_what_is_no_vertex_is_refused(odd):
    named = tg.Graph.from_edges(["a", "b"], ["b", "c"], relabel=True)
    for ask in (tg.path(4).neighbors, tg.path(4).id_of, named.id_of):
        with pytest.raises(tg.InputError, match="there is no vertex"):
            ask(odd)
    assert tg.path(4).neighbors(np.int64(1)).tolist() == [0, 2]


@pytest.mark.parametrize("odd", [10**30, "\ud800"])
def test_a_frame_of_what_arrow_cannot_hold(odd):
    frame = pd.DataFrame({"source": pd.Series([odd, odd], dtype=object), "target": [0, 1]})
    with pytest.raises(tg.InputError, match="the table cannot be used"):
        tg.Graph.from_pandas(frame)


def test_weights_of_different_shapes_in_networkx():
    graph = nx.Graph([(0, 1, {"weight": [1, 2]}), (1, 2, {"weight": 3})])
    with pytest.raises(tg.InputError, match="the attribute weight"):
        tg.Graph.from_networkx(graph)
