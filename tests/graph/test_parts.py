"""Graphs made of graphs, tables and things of other libraries; vertices by name."""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

import tachograph as tg
from tests.graph.test_build import make, rows_of
from tests.strategies import WHOLE, edge_lists

FRAME = pd.DataFrame({"package": ["app", "web", "app"], "depends": ["web", "ssl", "log"]})


@pytest.fixture
def packages() -> tg.Graph:
    return tg.Graph.from_pandas(FRAME, "package", "depends")


@given(case=edge_lists(weights=WHOLE), directed=st.booleans(), data=st.data())
@settings(max_examples=60, deadline=None)
def test_subgraphs_have_the_edges_between_their_vertices(case, directed, data):
    n, edges = case
    g = make(edges, n, "int32", directed=directed)
    chosen = sorted(data.draw(st.sets(st.integers(0, max(n - 1, 0)), max_size=n)) if n else [])
    part = g.subgraph(chosen)
    number = {v: i for i, v in enumerate(chosen)}
    rows = rows_of(g)
    assert rows_of(part) == [[(number[t], w) for t, w in rows[v] if t in number] for v in chosen]
    assert part.names.tolist() == chosen
    assert part.directed == directed
    mask = np.zeros(n, bool)
    mask[chosen] = True
    assert rows_of(g.subgraph(mask)) == rows_of(part)


@given(case=edge_lists(weights=WHOLE))
@settings(max_examples=60, deadline=None)
def test_undirected_and_without_weights(case):
    n, edges = case
    g = make(edges, n, "int32")
    pairs = sorted({(min(u, v), max(u, v)) for u, v, _ in edges})
    sums = {p: sum(w for u, v, w in edges if (min(u, v), max(u, v)) == p) for p in pairs}
    found = g.to_undirected("sum")
    source, target, weights = found.to_edges()
    assert sorted(zip(source.tolist(), target.tolist(), strict=True)) == pairs
    assert dict(zip(zip(source, target, strict=True), weights.tolist(), strict=True)) == sums
    assert g.to_undirected("keep").m == g.m
    assert found.to_undirected() is found
    assert rows_of(g.without_weights()) == [[(t, None) for t, _ in row] for row in rows_of(g)]


def test_a_summary_says_how_many_ids_occur():
    assert (
        tg.Graph.from_edges([0, 5], [5, 9]).summary().to_dict()["vertices"]
        == "10, of which 3 have edges"
    )
    assert tg.path(3).summary().to_dict()["vertices"] == "3"
    sparse = tg.Graph.from_edges([0], [1], n=5000).summary().to_dict()
    assert sparse["degrees"].startswith("mean 0.0002,")
    many = tg.Graph.from_edges(np.repeat([0, 1], 2000), np.repeat([1, 0], 2000)).summary()
    assert many.to_dict()["degrees"].startswith("mean 2,000, largest 2,000")


def test_largest_component_and_summary():
    g = tg.disjoint_union(tg.path(3), tg.star(5), tg.path(5))
    part = g.largest_component()
    assert part.names.tolist() == [3, 4, 5, 6, 7]
    assert tg.Graph.from_edges([], []).largest_component().n == 0
    told = tg.Graph.from_edges([0, 1, 3], [1, 0, 3], [2, 5, 1]).summary().to_dict()
    assert told["components"] == "3, the largest of 2 vertices"
    assert told["degrees"] == "mean 0.75, largest 1 (arcs out)"
    assert told["vertices"] == "4, of which 3 have edges"
    assert told["both ways"] == "100.0% of the edges"
    assert told["weights"] == "1 to 5"
    assert "<td>" in tg.path(3).summary()._repr_html_()


def test_names_are_arguments_and_come_back(packages):
    found = tg.bfs(packages, "app")
    assert found.path("ssl").tolist() == ["app", "web", "ssl"]
    assert found.to_pandas().loc[2].tolist() == ["ssl", 2, "web"]
    assert found.to_polars()["vertex"].to_list() == packages.names.tolist()
    parents = tg.bfs(packages, "web").to_polars()["parents"].to_list()
    assert parents == [None, None, "web", "web"]
    assert tg.sssp(packages, source=["web", "log"]).path("ssl").tolist() == ["web", "ssl"]
    assert tg.bfs(packages, "app", target="web").path("web").tolist() == ["app", "web"]
    assert tg.jaccard(packages, [("app", "web")]).to_pandas().loc[0, "source"] == "app"
    assert tg.plan("bfs", packages, source="web").run().path("ssl").tolist() == ["web", "ssl"]
    cut = tg.minimum_cut(packages, "app", sink="ssl")
    assert cut.to_pandas().to_dict("list") == {
        "source": ["web"],
        "target": ["ssl"],
        "capacity": [1],
    }
    flow = tg.maximum_flow(packages, "app", "ssl").to_pandas()
    assert dict(zip(flow["target"], flow["flow"], strict=True)) == {"web": 1, "ssl": 1, "log": 0}
    both = packages.to_undirected()
    assert tg.similar_to(both, "web").to_pandas()["target"].tolist() == ["log"]
    assert tg.connected_components(packages).to_pandas()["labels"].tolist() == ["app"] * 4
    numbers = tg.connected_components(packages, consecutive=True).to_pandas()
    assert numbers["labels"].tolist() == [0] * 4
    with pytest.raises(tg.InputError, match="did you mean web"):
        tg.bfs(packages, "wep")
    with pytest.raises(tg.InputError, match="was not reached"):
        tg.bfs(packages, "ssl").path("app")
    assert tg.bfs(packages, 0).path("ssl").size == 3  # an id, because names are text


def test_numbers_are_names_if_names_are_numbers():
    g = tg.Graph.from_edges([10, 20], [20, 30], relabel=True)
    assert tg.bfs(g, 10).path(30).tolist() == [10, 20, 30]
    with pytest.raises(tg.InputError, match="no vertex named 0"):
        tg.bfs(g, 0)
    with pytest.raises(tg.InputError, match="no vertex 7"):
        tg.bfs(tg.path(3), 0).path(7)


def test_tables_of_edges(packages):
    assert rows_of(tg.Graph.from_pandas(FRAME.astype("category"), "package", "depends")) == rows_of(
        packages
    )
    numbers = pd.DataFrame({"src": [0, 1], "dst": [1, 2], "cost": [0.5, 1.5], "note": ["a", "b"]})
    g = tg.Graph.from_pandas(numbers, weight="cost", directed=False)
    assert (g.names, g.directed, g.weights.tolist()) == (None, False, [0.5, 0.5, 1.5, 1.5])
    with pytest.raises(tg.InputError, match="did you mean package"):
        tg.Graph.from_pandas(FRAME, "pakage", "depends")
    FRAME.assign(version=1).to_csv("depends.csv", index=False)
    for name in ("depends.csv", "depends.parquet"):
        if name.endswith("parquet"):
            FRAME.to_parquet(name)
        found = tg.read(name, source="package", target="depends")
        assert found.names.tolist() == packages.names.tolist()
        assert rows_of(found) == rows_of(packages)
    Path("list.txt").write_text("0 1\n")
    with pytest.raises(tg.InputError, match="no columns"):
        tg.read("list.txt", source="package")


def test_graphs_of_other_libraries_are_taken():
    graph = nx.path_graph(["a", "b", "c"], nx.DiGraph)
    assert tg.bfs(graph, "a").path("c").tolist() == ["a", "b", "c"]
    assert tg.bfs(csr_array([[0, 1], [0, 0]]), 0).levels.tolist() == [0, 1]
    frame = pl.DataFrame({"source": ["a"], "target": ["b"]})
    assert tg.bfs(frame, "a").to_polars()["levels"].to_list() == [0, 1]
    assert tg.bfs(frame.to_pandas(), "a").levels.tolist() == [0, 1]
    with pytest.raises(tg.InputError, match=r"tg\.read"):
        tg.bfs("graph.txt", 0)
    with pytest.raises(tg.InputError, match="from_edges"):
        tg.bfs(7, 0)
    with pytest.raises(tg.InputError, match="from_pandas"):
        tg.bfs(FRAME, "app")


def test_neighbors_are_names_if_vertices_have_names():
    g = tg.Graph.from_edges([10, 10, 30], [20, 30, 20], relabel=True)
    assert g.names.tolist() == [10, 20, 30]
    assert g.neighbors(10).tolist() == [20, 30]  # a number is a name here
    assert g.row(0).tolist() == [1, 2]
    with pytest.raises(tg.InputError, match="no vertex named 0"):
        g.neighbors(0)
    with pytest.raises(tg.InputError, match="no vertex 4"):
        tg.path(4).neighbors(4)


def test_names_may_be_of_any_kind():
    names = [(1, "a"), "None", 7]
    found = tg.bfs(nx.path_graph(names, nx.DiGraph), (1, "a"))
    assert found.path(7).tolist() == names
    table = found.to_pandas()
    assert (list(table.columns), table["vertex"].tolist()) == (
        ["vertex", "levels", "parents"],
        names,
    )
    assert table["parents"].tolist() == [(1, "a"), (1, "a"), "None"]
    with pytest.raises(tg.InputError, match=r"Arrow cannot hold \(int, str, tuple\): to_pandas"):
        found.to_arrow()
    pairs = [(1, "a"), (1, "b")]
    alike = tg.jaccard(nx.Graph([pairs]), [tuple(pairs)]).to_pandas()
    assert alike.values.tolist() == [[*pairs, 0.0]]
    with pytest.raises(tg.InputError, match="no vertex named"):
        found.path((1, "b"))


@pytest.mark.parametrize("column", [pd.Series, pl.Series, np.array, list])
def test_a_column_of_a_table_names_vertices(packages, column):
    ends = column(["app", "web"]), column(["ssl", "ssl"])
    assert tg.distances(packages, *ends, paired=True).distances.tolist() == [2, 1]
    assert packages.subgraph(ends[0]).names.tolist() == ["app", "web"]


def test_what_a_search_with_a_target_left_out_is_not_called_unreachable(packages):
    for search in (tg.bfs, tg.sssp):
        with pytest.raises(
            tg.InputError, match=r"'ssl': it was not reached \(a search with a target"
        ):
            search(packages, "app", target="log").path("ssl")


def test_what_other_libraries_call_a_search_is_known():
    with pytest.raises(AttributeError, match="did you mean sssp"):
        tg.shortest_path  # noqa: B018


def test_graphs_go_back_to_tables(packages):
    frame = packages.to_pandas()
    assert rows_of(tg.Graph.from_pandas(frame)) == rows_of(packages)
    lost = pd.DataFrame({"source": ["a", None], "target": ["b", "c"]})
    with pytest.raises(tg.InputError, match="keep_default_na=False"):
        tg.Graph.from_pandas(lost)


def test_arrays_are_no_graphs_but_can_be_made_some():
    with pytest.raises(tg.InputError, match=r"'ndarray' is not a graph.*csr_array\(array\)"):
        tg.pagerank(np.eye(3))


def test_a_misspelled_kind_of_pairs_is_known(packages):
    with pytest.raises(tg.InputError, match=r"choose edges, two_hop .*; did you mean two_hop\?"):
        tg.jaccard(packages, "twohop")


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("odd", [None, "most", np.array([])], ids=lambda v: type(v).__name__)
def test_what_becomes_of_two_arcs_is_checked(directed, odd):
    """An empty array raised a ValueError, and an undirected graph took anything."""
    with pytest.raises(tg.InputError, match="dedupe=.* is not one of"):
        tg.Graph.from_edges([0], [1], directed=directed).to_undirected(odd)
