from __future__ import annotations

from unittest.mock import patch

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow as scipy_flow

import tachograph as tg
from tachograph.algorithms.verify import check_cut, check_flow
from tachograph.kernels.flow import push_relabel
from tachograph.papers.heterogeneous import stencil
from tests import oracles
from tests.algorithms.test_bfs import GRAPHS
from tests.graph.test_build import make
from tests.graph.test_datasets import DATA
from tests.strategies import edge_lists


@given(
    case=edge_lists(st.integers(0, 9), max_n=9, max_edges=30, min_edges=1),
    directed=st.booleans(),
    kind=st.sampled_from([np.int32, np.float64]),
    data=st.data(),
)
@settings(max_examples=250, deadline=None)
def test_value_and_flow_are_right(case, directed, kind, data):
    """Augmenting paths give the value; the properties show that flow and cut are as large."""
    n, edges = case
    n += 1  # a vertex more, so that there are two
    source = data.draw(st.integers(0, n - 1))
    sink = (source + data.draw(st.integers(1, n - 1))) % n
    g = make(edges, n, kind, directed=directed)
    found = tg.maximum_flow(g, source, sink, verify=True)
    assert found.value == oracles.maximum_flow(edges, n, source, sink, directed)
    assert (found.flow.dtype, found.status) == (
        np.dtype(np.int64 if kind is np.int32 else kind),
        "optimal",
    )
    cut = tg.minimum_cut(g, source, sink, verify=True)
    assert cut.value == found.value
    assert sum(g.weights[cut.arcs].tolist()) == found.value
    every = [[u, int(v)] for u in range(n) for v in g.neighbors(u)]  # of arcs, not of edges
    assert cut.edges.tolist() == [every[arc] for arc in cut.arcs]


@given(
    case=edge_lists(st.integers(0, 9), max_n=9, max_edges=30, min_edges=1),
    directed=st.booleans(),
    part=st.sampled_from([0, 0.3, 1, 3, 1e6]),
    data=st.data(),
)
@settings(max_examples=250, deadline=None)
def test_single_paths_go_as_far_as_they_may(case, directed, part, data):
    """With any limit on their work, push-relabel finds the rest; without one, nothing is left to it."""
    n, edges = case
    n += 1
    source = data.draw(st.integers(0, n - 1))
    sink = (source + data.draw(st.integers(1, n - 1))) % n
    g = make(edges, n, np.int32, directed=directed)
    with patch.multiple(push_relabel, ARCS_OF_AN_END=10**9, PATHS_SHARE=part):
        found = tg.maximum_flow(g, source, sink, verify=True)
        cut = tg.minimum_cut(g, source, sink, verify=True)
    assert found.value == cut.value == oracles.maximum_flow(edges, n, source, sink, directed)
    if part == 1e6:
        assert found.trace["work"][2] == 0


@pytest.mark.parametrize("kind", [np.int32, np.float64])
def test_single_paths_rearrange_their_trees(kind):
    """On grids and power laws many paths are filled, after each of which trees lose branches."""
    rng = np.random.default_rng(4)
    for g in (
        tg.road(30, 20, rng=1),
        stencil((12, 30)),
        tg.kronecker(9, 8, rng=2, directed=True),
    ):
        capacity = rng.integers(1, 40, g.arcs).astype(kind) / (1 if kind is np.int32 else 8)
        whole = np.round(capacity * 8).astype(np.int32)
        for _ in range(8):
            source, sink = rng.choice(g.n, 2, replace=False).tolist()
            with patch.multiple(push_relabel, ARCS_OF_AN_END=10**9, PATHS_SHARE=1e6):
                found = tg.maximum_flow(g, source, sink, capacity=capacity, verify=True)
            matrix = csr_array((whole, g.indices, g.indptr), shape=(g.n, g.n))
            expected = scipy_flow(matrix, source, sink).flow_value
            assert found.value * 8 == expected
            assert found.trace["work"][2] == 0


def test_near_ends_take_little_work():
    g = stencil((300, 300))
    near = tg.maximum_flow(g, 150 * 300 + 150, 150 * 300 + 155, verify=True)
    assert near.value == 4
    assert near.trace["work"][1] < 5000
    assert near.trace["work"][2] == 0
    far = tg.maximum_flow(g, 0, g.n - 1, verify=True)
    assert far.value == 2
    assert far.trace["work"][1] < g.arcs / 16


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("directed", [True, False])
def test_as_scipy_networkx_and_igraph_find(seed, directed):
    igraph = pytest.importorskip("igraph")
    rng = np.random.default_rng(seed)
    for _ in range(15):
        n = int(rng.integers(5, 60))
        ends = rng.integers(0, n, (2, int(rng.integers(n, 6 * n))))
        g = tg.Graph.from_edges(*ends, rng.integers(0, 50, ends.shape[1]), n=n, directed=directed,
                                dedupe="sum", drop_self_loops=True)  # fmt: skip
        source, sink = rng.choice(n, 2, replace=False).tolist()
        value = tg.maximum_flow(g, source, sink, verify=True).value
        assert value == scipy_flow(g.to_scipy().astype(np.int32), source, sink).flow_value
        kind = nx.DiGraph if directed else nx.Graph
        other = kind()
        other.add_nodes_from(range(n))
        arcs = list(zip(*(a.tolist() for a in g.to_edges()), strict=True))
        other.add_weighted_edges_from(arcs, weight="capacity")
        assert value == nx.maximum_flow_value(other, source, sink)
        third = igraph.Graph(n=n, edges=[a[:2] for a in arcs], directed=directed)
        assert value == third.maxflow_value(source, sink, capacity=[a[2] for a in arcs])


@pytest.mark.parametrize("name", [name for name in GRAPHS if name not in ("single", "loop")])
def test_graphs_of_every_kind(name):
    g = GRAPHS[name]()
    found = tg.maximum_flow(g, 0, g.n - 1, capacity=np.arange(g.arcs) % 7 if g.directed else None,
                            verify=True)  # fmt: skip
    assert found.trace["kernel"].tolist() == ["network", "paths", "push-relabel", "return"]


@given(case=edge_lists(st.floats(0, 1, allow_subnormal=False), max_n=12, min_edges=1))
@settings(max_examples=80, deadline=None)
def test_real_capacities(case):
    n, edges = case
    tg.maximum_flow(make(edges, n + 1, np.float64), 0, n, verify=True)
    tg.maximum_flow(make(edges, n + 1, np.float32, directed=False), 0, n, verify=True)


@pytest.mark.parametrize(("name", "value"), [("gl1", 156545), ("gw1", 1202018), ("wlm3", 11875108)])
def test_published_values(name, value):
    path = DATA / "maxflow" / f"{name}.max.gz"
    if not path.exists():
        pytest.skip("no maxflow in $TACHOGRAPH_DATA")
    assert tg.maximum_flow(tg.read(path), verify=True).value == value


def test_a_hundred_thousand_vertices_do_not_overflow():
    """Capacities near 2**31 on a hundred thousand disjoint paths: the value is beyond 2**47."""
    n, most = 100_000, 2**31 - 1
    middle = np.arange(n)
    ends = np.concatenate([np.full(n, n), middle]), np.concatenate([middle, np.full(n, n + 1)])
    g = tg.Graph.from_edges(*ends, np.full(2 * n, most))
    assert tg.maximum_flow(g, n, n + 1, verify=True).value == n * most
    long = tg.maximum_flow(tg.path(n, weights=True), 0, n - 1, verify=True)
    assert long.value == tg.path(n, weights=True).weights.min()


def test_infinite_capacities():
    g = tg.Graph.from_edges([0, 0, 1, 2], [1, 2, 3, 3])
    inf = np.inf
    found = tg.maximum_flow(g, 0, 3, capacity=[inf, 2.5, 4, inf], verify=True)
    assert (found.value, found.flow.tolist()) == (6.5, [4, 2.5, 4, 2.5])
    endless = tg.maximum_flow(g, 0, 3, capacity=[inf, 1, inf, 1])
    assert (endless.status, endless.value, endless.flow.tolist()) == (
        "unbounded",
        inf,
        [inf, 0, inf, 0],
    )
    cut = tg.minimum_cut(g, 0, 3, capacity=[inf, 1, inf, 1])
    assert (cut.status, cut.value) == ("unbounded", inf)


def test_nothing_flows():
    apart = tg.Graph.from_edges([0, 2, 2], [1, 3, 2], n=5)
    found = tg.maximum_flow(apart, 0, 3, verify=True)
    assert (found.value, found.flow.any()) == (0, False)
    zero = tg.maximum_flow(tg.path(4), 0, 3, capacity=np.zeros(6, int), verify=True)
    assert zero.value == 0
    loops = tg.Graph.from_edges([0, 0, 1], [0, 1, 1], [5, 7, 9], directed=False)
    assert tg.maximum_flow(loops, 1, 0, verify=True).flow.tolist().count(7) == 1


@pytest.mark.parametrize(
    ("ends", "capacity", "problem"),
    [
        ((1, 1), None, "the same vertex, 1"),
        ((0, 9), None, "sink: there is no vertex 9"),
        ((None, 2), None, "source = None: name one vertex"),
        (([0, 1], 2), None, "source = .* name one vertex"),
        ((0, 2), [1, -2.0, 1, 1], "from vertex 1 to vertex 0 is -2.0"),
        ((0, 2), [1, 1, float("nan"), 1], "from vertex 1 to vertex 2 is nan"),
        ((0, 2), [1, 1], "has shape"),
        ((0, 2), ["a"] * 4, "numbers are needed"),
        ((0, 2), [2**61] * 4, "more than 2\\*\\*62"),
    ],
)
def test_what_is_refused(ends, capacity, problem):
    with pytest.raises(tg.InputError, match=problem):
        tg.maximum_flow(tg.path(3), *ends, capacity=capacity)


def test_a_capacity_that_cannot_be_is_told_by_names():
    g = tg.Graph.from_edges(["a", "b"], ["b", "c"], [1, -5], relabel=True)
    with pytest.raises(tg.InputError, match="the capacity from vertex 'b' to vertex 'c' is -5"):
        tg.minimum_cut(g, "a", "c")


def test_ends_named_by_the_graph():
    g = tg.path(3).with_meta(source=0, sink=2)
    assert tg.maximum_flow(g).value == tg.minimum_cut(g).value == 1


@pytest.mark.parametrize(
    ("flow", "problem"),
    [([3, 3, 2], "exceeds its capacity"), ([2, 1, 2], "is not the flow out of it"), ([2, 2, 1], "is not the flow out of it"),
     ([-1, -1, 2], "negative"), ([1, 1, 1], "is not the flow out of it")],
)  # fmt: skip
def test_the_verifier_finds_errors(flow, problem):
    g = tg.Graph.from_edges([0, 1, 0], [1, 2, 2], [2, 4, 2])
    check_flow(g, g.weights, 0, 2, 4, np.array([2, 2, 2]))
    check_cut(g, g.weights, 0, 2, 4, np.array([True, False, False]))
    with pytest.raises(tg.VerificationError, match=problem):
        check_flow(g, g.weights, 0, 2, 4, np.array(flow))
    with pytest.raises(tg.VerificationError, match="capacity of the cut is not the value"):
        check_cut(g, g.weights, 0, 2, 4, np.array([True, True, False]))
    with pytest.raises(tg.VerificationError, match="does not separate"):
        check_cut(g, g.weights, 0, 2, 4, np.array([True, True, True]))


def test_rounding_cannot_make_flow_circle_for_ever():
    """Flow that goes to and fro by the last digit only is none: it was cancelled again and again."""
    n = 50
    at = np.arange(n)
    ends = np.concatenate([at, at]), np.concatenate([(at + 1) % n, (at + 2) % n])
    capacity = np.random.default_rng(3).random(2 * n)
    g = tg.Graph.from_edges(*ends, capacity, directed=False)
    found = tg.maximum_flow(g, 0, n // 2, verify=True)
    assert found.value == pytest.approx(tg.minimum_cut(g, 0, n // 2).value)
