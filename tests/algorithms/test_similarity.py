"""Similarities of edges, given pairs and two-hop pairs on the host, against dictionaries and NetworkX."""

from __future__ import annotations

import dataclasses

import networkx as nx
import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tachograph as tg
from tachograph.algorithms import similarity_edges
from tachograph.algorithms.verify import check_similarity
from tachograph.kernels.similarity import pairs as pair_kernel
from tachograph.util.memory import as_bytes
from tests.algorithms.test_bfs import GRAPHS
from tests.graph.test_build import make
from tests.oracles import similarity
from tests.strategies import edge_lists

TASKS = {"jaccard": tg.jaccard, "overlap": tg.overlap, "sorensen": tg.sorensen, "cosine": tg.cosine}
FEW = st.integers(0, 9)


def rows_of(n, edges, directed, weighted):
    """For each vertex its neighbours (not itself) with the sum of their weights, or 1."""
    made = [{} for _ in range(n)]
    for u, v, *rest in edges:
        for a, b in [(u, v)] if directed else [(u, v), (v, u)]:
            if a != b:
                made[a][b] = made[a].get(b, 0) + rest[0] if weighted else 1
    return made


def compare(found, rows, task):
    for u, v, value in zip(found.source, found.target, found.values, strict=True):
        assert value == pytest.approx(similarity(task, rows[u], rows[v]), abs=1e-12), (u, v)


@pytest.fixture
def split_work(monkeypatch):
    """Several workers and chunks, however small the graph."""
    monkeypatch.setattr(similarity_edges, "SERIAL_BELOW_ARCS", 0)
    monkeypatch.setattr(similarity_edges, "CHUNK_ARCS_AT_LEAST", 1)
    monkeypatch.setattr(pair_kernel, "SERIAL_BELOW_PAIRS", 0)


@given(case=edge_lists(max_n=14, max_edges=60), task=st.sampled_from(sorted(TASKS)),
       directed=st.booleans(), workers=st.sampled_from([1, 3]))  # fmt: skip
@settings(max_examples=100, deadline=None)
def test_edges_against_the_oracle(case, task, directed, workers):
    n, edges = case
    similarity_edges.SERIAL_BELOW_ARCS, similarity_edges.CHUNK_ARCS_AT_LEAST, before = (
        0,
        1,
        (similarity_edges.SERIAL_BELOW_ARCS, similarity_edges.CHUNK_ARCS_AT_LEAST),
    )
    try:
        found = TASKS[task](make(edges, n, directed=directed), threads=workers, verify=True)
    finally:
        similarity_edges.SERIAL_BELOW_ARCS, similarity_edges.CHUNK_ARCS_AT_LEAST = before
    compare(found, rows_of(n, edges, directed, False), task)
    ends = {(u, v) if directed or u < v else (v, u) for u, v in edges if u != v}
    assert list(zip(found.source.tolist(), found.target.tolist(), strict=True)) == sorted(ends)


@given(case=edge_lists(max_n=14, max_edges=60, weights=FEW), task=st.sampled_from(sorted(TASKS)),
       directed=st.booleans(), data=st.data())  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_pairs_with_and_without_weights_against_the_oracle(case, task, directed, data):
    n, edges = case
    vertex = st.integers(0, max(0, n - 1))
    pairs = data.draw(st.lists(st.tuples(vertex, vertex), max_size=30 if n else 0))
    g = make(edges, n, "float64" if edges else None, directed=directed)
    for weight in (None, "weight") if edges else (None,):
        found = TASKS[task](g, pairs, weight=weight, verify=True)
        assert list(zip(found.source, found.target, strict=True)) == pairs
        compare(found, rows_of(n, edges, directed, weight is not None), task)


@given(case=edge_lists(max_n=12, max_edges=40, weights=st.integers(-9, 9), min_edges=1))
@settings(max_examples=30, deadline=None)
def test_the_cosine_takes_negative_weights(case):
    n, edges = case
    rows = rows_of(n, edges, False, True)
    compare(
        tg.cosine(make(edges, n, "float64", directed=False), weight="weight", verify=True),
        rows,
        "cosine",
    )


@given(case=edge_lists(max_n=14, max_edges=60, weights=FEW), task=st.sampled_from(sorted(TASKS)),
       directed=st.booleans(), k=st.integers(1, 4), weighted=st.booleans())  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_two_hop_pairs_and_the_best_of_them(case, task, directed, k, weighted):
    n, edges = case
    weighted = weighted and bool(edges)
    weight = "weight" if weighted else None
    rows = rows_of(n, edges, directed, weighted)
    g = make(edges, n, "float64" if weighted else None, directed=directed)
    with tg.threads(3):
        found = TASKS[task](g, "two_hop", weight=weight, verify=True)
        best = TASKS[task](g, "two_hop", weight=weight, topk=k)
    compare(found, rows, task)
    joined = [(u, v) for u in range(n) for v in range(u + 1, n) if rows[u].keys() & rows[v].keys()]
    assert list(zip(found.source.tolist(), found.target.tolist(), strict=True)) == joined
    for u in range(n):
        mine = [(-round(similarity(task, rows[u], rows[v]), 12), v) for v in range(n)
                if v != u and rows[u].keys() & rows[v].keys()]  # fmt: skip
        at = best.source == u
        got = [(-round(float(x), 12), int(v))
               for v, x in zip(best.target[at], best.values[at], strict=True)]  # fmt: skip
        if weighted:  # sums of products may differ in the last digit, and so may the order
            assert [a for a, _ in got] == pytest.approx([a for a, _ in sorted(mine)[:k]])
        else:
            assert got == sorted(mine)[:k]
    compare(best, rows, task)


@given(case=edge_lists(max_n=14, max_edges=60), directed=st.booleans(), k=st.integers(1, 4),
       task=st.sampled_from(["adamic_adar", "resource_allocation"]), data=st.data())  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_rare_neighbours_count_more(case, directed, k, task, data):
    n, edges = case
    rows = rows_of(n, edges, directed, False)
    having = [sum(w in row for row in rows) for w in range(n)]
    worth = [{w: having[w] for w in row} for row in rows]
    function = getattr(tg, task)
    g = make(edges, n, directed=directed)
    vertex = st.integers(0, max(0, n - 1))
    pairs = data.draw(st.lists(st.tuples(vertex, vertex), max_size=30 if n else 0))
    with tg.threads(3):
        for found in (
            function(g, verify=True),
            function(g, pairs, verify=True),
            function(g, "two_hop", verify=True),
            function(g, "two_hop", topk=k),
        ):
            compare(found, worth, task)
    joined = [(u, v) for u in range(n) for v in range(u + 1, n) if rows[u].keys() & rows[v].keys()]
    every = function(g, "two_hop")
    assert list(zip(every.source.tolist(), every.target.tolist(), strict=True)) == joined
    if n:
        near = tg.similar_to(g, 0, k=n, measure=task, verify=True)
        compare(near, worth, task)
        assert set(near.target.tolist()) == {
            v for v in range(1, n) if rows[0].keys() & rows[v].keys()
        }


def test_the_indices_of_networkx():
    g = tg.kronecker(6, rng=3)
    pairs = [(u, v) for u in range(g.n) for v in range(u + 1, g.n)]
    theirs = g.to_networkx()
    theirs.remove_edges_from(list(nx.selfloop_edges(theirs)))
    for function, other in (
        (tg.adamic_adar, nx.adamic_adar_index),
        (tg.resource_allocation, nx.resource_allocation_index),
    ):
        expected = [v for *_, v in other(theirs, pairs)]
        np.testing.assert_allclose(function(g, pairs).values, expected)
    found = tg.adamic_adar(g)
    wrong = dataclasses.replace(found, values=found.values + 0.1)
    with pytest.raises(tg.VerificationError, match="adamic_adar similarity of"):
        check_similarity(g, "adamic_adar", False, wrong)


@pytest.mark.parametrize("name", ["loop", "star", "path", "disconnected", "empty", "multi"])
def test_answers_of_networkx_for_edges(name):
    """Also with loops: a common neighbour is then neither end, and both ends are in the union."""
    kinds = {
        "loop": ([0, 0, 0, 1, 2], [0, 1, 2, 2, 2]),
        "star": ([0] * 6, range(1, 7)),
        "path": (range(5), range(1, 6)),
        "disconnected": ([0, 1, 0, 4], [1, 2, 2, 5]),
        "empty": ([], []),
        "multi": ([0, 0, 1, 1, 2], [1, 1, 2, 2, 0]),
    }
    source, target = (list(x) for x in kinds[name])
    g = tg.Graph.from_edges(source, target, directed=False, n=7)
    theirs = nx.Graph()
    theirs.add_nodes_from(range(7))
    theirs.add_edges_from(zip(source, target, strict=True))
    found = tg.jaccard(g)
    ends = list(zip(found.source.tolist(), found.target.tolist(), strict=True))
    assert [v for *_, v in nx.jaccard_coefficient(theirs, ends)] == pytest.approx(
        found.values.tolist()
    )
    assert set(ends) == {(min(e), max(e)) for e in theirs.edges if e[0] != e[1]}


def test_all_pairs_of_networkx():
    g = tg.kronecker(6, rng=3)
    theirs = g.to_networkx()
    pairs = [(u, v) for u in range(g.n) for v in range(u + 1, g.n)]
    expected = [v for *_, v in nx.jaccard_coefficient(theirs, pairs)]
    np.testing.assert_allclose(tg.jaccard(g, pairs).values, expected)
    two = tg.jaccard(g, "two_hop")
    assert two.values.sum() == pytest.approx(sum(expected))
    assert (two.values > 0).all()


@pytest.mark.parametrize("name", list(GRAPHS))
def test_graphs_of_every_kind(name, split_work):
    g = GRAPHS[name]()
    once = tg.jaccard(g, threads=1, verify=True)
    again = tg.jaccard(g, threads=4)
    assert np.array_equal(once.values, again.values)
    assert np.array_equal(once.source, again.source)


def test_the_trace_counts_every_edge(split_work):
    g = tg.kronecker(10, rng=1)
    found = tg.jaccard(g, threads=4)
    assert found.trace["edges"].sum() == g.m
    assert set(found.trace["phase"]) == {"host"}
    assert found.share == 1.0
    assert "small" in found.run.reason
    assert found.trace.summary()["host"]["iterations"] == len(found.trace)


def test_merging_searching_and_marking_agree():
    """One pair of an owner is merged or searched, many are marked."""
    g = tg.kronecker(9, rng=2)
    hub = int(g.degrees.argmax())
    single = np.array([tg.jaccard(g, [(hub, v)]).values[0] for v in range(g.n)])
    many = tg.jaccard(g, [(hub, v) for v in range(g.n)]).values
    assert np.array_equal(single, many)


def test_best_of_edges_and_of_given_pairs():
    g = tg.kronecker(7, rng=1)
    every = tg.jaccard(g)
    best = tg.jaccard(g, topk=2)
    for u in range(g.n):
        mine = [(-x, b if a == u else a) for a, b, x in
                zip(every.source.tolist(), every.target.tolist(), every.values.tolist(), strict=True)
                if u in (a, b)]  # fmt: skip
        at = best.source == u
        got = list(zip((-best.values[at]).tolist(), best.target[at].tolist(), strict=True))
        assert got == sorted(mine)[:2]
    twice = tg.jaccard(g, [(0, 1), (0, 1), (1, 0), (0, 2)], topk=1)
    assert twice.source.tolist() == [0, 1, 2]
    assert tg.jaccard(g, [], topk=1).values.size == 0


def test_two_hop_pairs_are_streamed_to_a_file_in_bounded_memory(tmp_path):
    g = tg.kronecker(8, rng=1)
    arrays = tg.jaccard(g, "two_hop")
    found = tg.jaccard(g, "two_hop", output=tmp_path / "pairs.parquet", memory_limit="150 kB")
    assert len(found.trace) > 3  # several blocks
    assert found.count == arrays.values.size == found.trace["edges"].sum()
    table = pq.read_table(tmp_path / "pairs.parquet")
    for name in ("source", "target", "values"):
        assert np.array_equal(table[name].to_numpy(), getattr(arrays, name))
    assert list(tmp_path.glob("*.parquet")) == [tmp_path / "pairs.parquet"]
    empty = tg.jaccard(
        tg.Graph.from_edges([], [], n=3, directed=False), "two_hop", output="e.parquet"
    )
    assert empty.count == 0
    assert pq.read_table("e.parquet").num_rows == 0


def test_names_are_written_to_the_file():
    g = tg.Graph.from_edges(["a", "b"], ["x", "x"], relabel=True, directed=False)
    tg.jaccard(g, "two_hop", output="named.parquet")
    assert pq.read_table("named.parquet").to_pylist() == [
        {"source": "a", "target": "b", "values": 1.0}
    ]


def test_a_limit_that_is_too_small_says_the_least_that_works():
    g = tg.kronecker(8, rng=1)
    for options in ({}, {"pairs": "two_hop"}, {"pairs": "two_hop", "topk": 3},
                    {"pairs": "two_hop", "output": "x.parquet"}, {"pairs": [(0, 1)]}):  # fmt: skip
        with pytest.raises(tg.TooLargeError, match="memory_limit") as problem:
            tg.jaccard(g, memory_limit=1000, **options)
        least = int(str(problem.value).split("memory_limit=")[1].split(",")[0])
        try:
            tg.jaccard(g, memory_limit=least, **options)
        except tg.TooLargeError as second:  # two steps, each with its own need
            least = int(str(second).split("memory_limit=")[1].split(",")[0])
            tg.jaccard(g, memory_limit=least, **options)
    assert as_bytes("1.5 MB", "memory_limit") == 1_500_000
    assert as_bytes(7, "memory_limit") == 7


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"pairs": "all"}, "choose edges, two_hop or an array"),
        ({"pairs": [(0, 99)]}, r"pairs\[0\] = \(0, 99\): ids go from 0 to 4"),
        ({"pairs": [(0, 1), (-1, 2)]}, r"pairs\[1\] = \(-1, 2\)"),
        ({"pairs": [0, 1]}, "two columns"),
        ({"pairs": [(0.5, 1)]}, "two columns"),
        ({"topk": 0}, "topk = 0"),
        ({"weight": "weight"}, "has no weights"),
        ({"weight": "length"}, "weight = 'length'"),
        ({"memory_limit": "lots"}, "memory_limit = 'lots'"),
        ({"output": "x.parquet"}, "two_hop"),
        ({"split": 0.5}, "needs two devices"),
        ({"device": "host", "split": 0.5}, "needs two devices"),
        ({"split": 1.5, "device": "host"}, "from 0 to 1"),
        ({"device": "cuda"}, "no device 'cuda'"),
        ({"device": ["opencl:0", "opencl:1"]}, "the host and a device"),
        ({"device": []}, "the host and a device"),
        ({"device": "opencl", "pairs": "two_hop"}, "all edges of graphs without weights"),
    ],
)
def test_bad_input(options, said):
    with pytest.raises(tg.InputError, match=said):
        tg.jaccard(tg.path(5), **options)


def test_negative_weights_and_the_verifier():
    g = make([(0, 1, -1.0), (1, 2, 2.0)], 3, "float64", directed=False)
    with pytest.raises(tg.InputError, match="not negative"):
        tg.jaccard(g, weight="weight")
    found = tg.jaccard(tg.complete(4))
    wrong = dataclasses.replace(found, values=found.values + 0.1)
    with pytest.raises(tg.VerificationError, match="similarity of 0 and 1 is 0.5, not 0.6"):
        check_similarity(tg.complete(4), "jaccard", False, wrong)
