from __future__ import annotations

from pathlib import Path

import duckdb
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import tachograph as tg
from tests.graph.test_build import make, rows_of
from tests.strategies import WHOLE, edge_lists


@given(edge_lists(weights=WHOLE))
@settings(max_examples=50, deadline=None)
def test_scipy_there_and_back(case):
    n, edges = case
    g = make(edges, n, "int32", dedupe="first")
    matrix = g.to_scipy()
    assert matrix.shape == (n, n)
    assert {(i, j): matrix[i, j] for i, j, _ in edges} == {(i, j): w for i, j, w in reversed(edges)}
    assert rows_of(tg.Graph.from_scipy(matrix)) == rows_of(g)


def test_scipy_kinds():
    assert tg.Graph.from_scipy(sp.coo_array(([True], ([0], [1])), shape=(2, 2))).weights is None
    assert tg.Graph.from_scipy(sp.eye_array(3)).weights.tolist() == [1, 1, 1]
    with pytest.raises(tg.InputError, match="square"):
        tg.Graph.from_scipy(sp.coo_array((2, 3)))
    with pytest.raises(tg.InputError, match="sparse matrix"):
        tg.Graph.from_scipy([[1]])
    with pytest.raises(tg.InputError, match="reverse"):
        tg.Graph.from_scipy(sp.csr_array(np.triu(np.ones((2, 2)))), directed=False)


CLASSES = [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]


@pytest.mark.parametrize("kind", CLASSES)
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_networkx_there_and_back(kind, data):
    n, edges = data.draw(edge_lists(weights=WHOLE, max_n=6))
    original = kind()
    names = [f"v{i}" for i in range(n)]
    original.add_nodes_from(names)
    original.add_weighted_edges_from((names[u], names[v], w) for u, v, w in edges)
    g = tg.Graph.from_networkx(original)
    assert (g.n, g.m, g.directed) == (n, original.number_of_edges(), original.is_directed())
    back = g.to_networkx()
    assert list(back) == names

    def listed(graph):
        ends = graph.edges(data="weight")
        return sorted((*((u, v) if graph.is_directed() else sorted((u, v))), w) for u, v, w in ends)

    assert listed(back) == listed(original)
    assert back.is_multigraph() <= original.is_multigraph()


def test_networkx_details():
    g = nx.Graph([(0, 1), (1, 2, {"weight": 2.5})])
    assert tg.Graph.from_networkx(g).weights.tolist() == [1, 1, 2.5, 2.5]
    assert tg.Graph.from_networkx(g).names is None
    assert tg.Graph.from_networkx(g, weight=None).weights is None
    assert tg.Graph.from_networkx(nx.path_graph(3)).weights is None
    grid = tg.Graph.from_networkx(nx.grid_2d_graph(2, 2))
    assert grid.id_of((1, 0)) == list(nx.grid_2d_graph(2, 2)).index((1, 0))


EDGES = {"src": [0, 0, 2], "dst": [1, 2, 2], "w": [1.5, 2.0, 3.0]}


def by_duckdb():
    return duckdb.sql(
        "select * from (values (0, 1, 1.5::double), (0, 2, 2.0), (2, 2, 3.0)) t(src, dst, w)"
    )


@pytest.mark.parametrize(
    "table",
    [lambda: pa.table(EDGES), lambda: pd.DataFrame(EDGES), lambda: pl.DataFrame(EDGES), by_duckdb],
    ids=["pyarrow", "pandas", "polars", "duckdb"],
)
def test_arrow_from_anything(table):
    g = tg.Graph.from_arrow(table())
    assert rows_of(g) == [[(1, 1.5), (2, 2.0)], [], [(2, 3.0)]]
    assert rows_of(tg.Graph.from_arrow(g.to_arrow())) == rows_of(g)


STREAMED = {
    "directed": lambda: tg.Graph.from_edges([0, 0, 2], [1, 2, 2], [1.5, 2.0, 3.0]),
    "undirected": lambda: tg.path(4),
    "named": lambda: tg.Graph.from_edges(["b", "c"], ["a", "b"], relabel=True),
    "empty": lambda: tg.Graph.from_edges([], [], n=3),
}


@pytest.mark.parametrize("kind", STREAMED)
def test_other_libraries_take_a_graph_for_a_table(kind):
    g = STREAMED[kind]()
    source, target, weights = g.to_edges()
    ends = (source, target) if g.names is None else (g.names[source], g.names[target])
    listed = [a.tolist() for a in (*ends, *([] if weights is None else [weights]))]
    columns = ["source", "target", "weight"][: len(listed)]
    rows = list(zip(*listed, strict=True))
    assert pa.table(g).to_pydict() == dict(zip(columns, listed, strict=True))
    assert pl.DataFrame(g).rows() == rows
    assert pl.DataFrame(g).columns == columns
    assert duckdb.from_arrow(g).fetchall() == rows
    assert duckdb.sql("select * from g").fetchall() == rows
    assert rows_of(tg.Graph.from_arrow(g)) == rows_of(g)
    assert tg.Graph.from_arrow(g).directed == g.directed


def test_a_requested_schema_is_followed():
    wanted = pa.schema([("source", pa.int64()), ("target", pa.int64())])
    assert pa.table(tg.path(3), schema=wanted).schema.types == wanted.types


def test_arrow_columns():
    table = pa.table({"a": [1], "b": [0], "c": [7], "d": [8]})
    g = tg.Graph.from_arrow(table, source="a", target="b", weight="d", n=5, directed=False)
    assert (g.n, g.weights.tolist()) == (5, [8, 8])
    named = tg.Graph.from_arrow(pa.table({"source": ["x"], "target": ["y"]}), relabel=True)
    assert named.names.tolist() == ["x", "y"]
    assert named.to_arrow()["source"].to_pylist() == ["x"]
    for kind in (pa.table, pl.DataFrame):  # text is a name, with or without digits
        g = tg.Graph.from_polars(kind({"src": ["7z", "a"], "dst": ["a", "b"], "cost": [1, 2]}))
        assert (g.names.tolist(), g.weights.tolist()) == (["7z", "a", "b"], [1, 2])
    for bad, message in [
        (
            pa.table({"source": [0], "target": [1], "weight": ["two"]}),
            "'weight' has text, such as 'two'",
        ),
        (pa.table({"source": [0], "target": [1], "weight": ["2"]}), "'weight' has numbers as text"),
        (pa.table({"p": [1], "q": [1], "r": [1], "s": [1]}), "which column holds the source"),
        (pa.table({"source": [1, None], "target": [1, 2]}), "cell, in row 1, counted from 0"),
        (pa.table({"source": [1]}), "which column holds the target"),
        (
            pa.table({"x": [1], "y": [0]}),
            "holds the source.* 'x', 'y': pass source= and target= and a name$",
        ),
        (pa.table({"when": [1], "buyer": [1], "seller": [1]}), "'when', 'buyer', 'seller'"),
        (pa.table({"source": [1], "target": [1], "price": [1]}), "weight.*'price'.*weight=None"),
        (pa.table({"u": [1], "v": [1], "cost": [1], "capacity": [2]}), "holds the weight"),
        (pa.table({"from": [1], "u": [1], "to": [1]}), "holds the source"),
    ]:
        with pytest.raises(tg.InputError, match=message):
            tg.Graph.from_arrow(bad)
    extra = pa.table({"source": [1], "target": [0], "weight": [7], "when": [8], "cost": [9]})
    assert tg.Graph.from_arrow(extra).weights.tolist() == [7]
    assert tg.Graph.from_arrow(extra, weight="when").weights.tolist() == [8]
    for nothing in (None, False):
        assert tg.Graph.from_arrow(extra, weight=nothing).weights is None
        assert tg.Graph.from_pandas(extra.to_pandas(), weight=nothing).weights is None
    with pytest.raises(tg.InputError, match="no column 'z'"):
        tg.Graph.from_arrow(table, source="z")
    with pytest.raises(tg.InputError, match="__arrow_c_stream__"):
        tg.Graph.from_arrow([1, 2])


@pytest.mark.parametrize(
    ("metadata", "problem"),
    [
        ({b"directed": b"perhaps"}, "directed = 'perhaps': write True or False"),
        ({b"directed": b"\xff"}, r"directed = '\\\\xff'"),
        ({b"named": b"1"}, "named = '1'"),
        ({b"vertices": b"many"}, "vertices = 'many': write a number"),
        ({b"vertices": b"-3"}, "vertices = '-3'"),
        ({b"vertices": b"9" * 40}, "vertices = '999"),
        ({b"vertices": "\u0663".encode()}, "vertices = '\u0663'"),
    ],
)
def test_odd_metadata_is_refused(metadata, problem, tmp_path):
    table = pa.table({"source": [0], "target": [1]}).replace_schema_metadata(metadata)
    with pytest.raises(tg.InputError, match=problem):
        tg.Graph.from_arrow(table)
    pa.parquet.write_table(table, "odd.parquet")
    with pytest.raises(tg.FileFormatError, match=f"odd.parquet.*{problem}"):
        tg.read("odd.parquet")


def test_foreign_metadata_does_no_harm():
    said = {b"pandas": b"{", b"\xff": b"\xff", b"directed": b"false", b"vertices": b"7"}
    table = pa.table({"source": [0], "target": [1]}).replace_schema_metadata(said)
    g = tg.Graph.from_arrow(table)
    assert (g.n, g.m, g.directed) == (7, 1, False)


def test_halves_of_characters_in_names_are_refused():
    half = b"a\xff".decode(errors="surrogateescape")
    with pytest.raises(tg.InputError, match="half a character"):
        tg.Graph.from_edges([half], ["b"], relabel=True)
    nx = pytest.importorskip("networkx")
    g = tg.Graph.from_networkx(nx.Graph([(half, "b")]))
    assert g.id_of(half) == 0  # in memory it is a name like others
    for name in ("g.tgraph", "g.parquet", "g.csv", "g.arrow"):
        with pytest.raises(tg.InputError, match="half a character"):
            tg.write(g, name)
        assert not Path(name).exists()


@pytest.mark.parametrize("make", [tg.Graph.from_pandas, tg.Graph.from_arrow])
def test_a_table_may_have_more_vertices_than_occur_but_not_than_names(make):
    assert make(pd.DataFrame({"source": [0, 1], "target": [1, 2]}), n=5).n == 5
    with pytest.raises(tg.InputError, match="n cannot be given with relabel=True or text"):
        make(pd.DataFrame({"source": ["a"], "target": ["b"]}), n=5)
    with pytest.raises(tg.InputError, match="n cannot be given with relabel=True or text"):
        make(pd.DataFrame({"source": [7], "target": [9]}), n=5, relabel=True)


@pytest.mark.parametrize("make", [tg.Graph.from_pandas, tg.Graph.from_arrow])
def test_a_misspelled_argument_is_named_before_the_table_is_looked_at(make):
    frame = pd.DataFrame({"source": ["a", None], "target": ["b", "c"], "kb": [1, 2]})
    with pytest.raises(TypeError, match="no argument 'weigth'; did you mean weight"):
        make(frame, weigth="kb")


def test_words_in_files_are_names_and_damaged_numbers_are_not(tmp_path):
    path = tmp_path / "a.csv"
    tg.write(tg.Graph.from_edges(["b", "c"], ["a", "b"], relabel=True), path)
    assert tg.read(path).names.tolist() == ["a", "b", "c"]
    for damaged in ("1o", "-1x", " 2.y"):
        path.write_text(f"source,target\nb,{damaged}\n")
        with pytest.raises(tg.FileFormatError, match="names need relabel=True"):
            tg.read(path)
