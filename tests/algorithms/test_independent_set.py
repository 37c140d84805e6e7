from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tachograph as tg
from tachograph.algorithms.verify import check_independent_set
from tachograph.kernels.independent_set import greedy as kernel
from tachograph.kernels.runtime.random import key_of
from tests import oracles
from tests.algorithms.test_bfs import GRAPHS
from tests.graph.test_build import make
from tests.strategies import edge_lists


def expected(n, edges, seed):
    """The oracle's set. Rows hold the neighbours along and against arcs."""
    rows = [[t for t, _ in row] for row in oracles.rows(edges, n)]
    for u, v in edges:
        rows[v] += [u] if u != v else []
    return oracles.independent_set(rows, int(key_of(seed, "independent set")))


@given(
    case=edge_lists(max_n=25, max_edges=70),
    workers=st.sampled_from([1, 3]),
    seed=st.integers(0, 2**64 - 1),
)
@settings(max_examples=150, deadline=None)
def test_the_set_is_that_of_the_oracle(case, workers, seed):
    n, edges = case
    kernel.SERIAL_BELOW_SIZE, small = 0, kernel.SERIAL_BELOW_SIZE
    try:
        g = make(edges, n, directed=False)
        found = tg.maximal_independent_set(g, rng=seed, threads=workers, verify=True)
    finally:
        kernel.SERIAL_BELOW_SIZE = small
    assert found.vertices.tolist() == expected(n, edges, seed)
    assert found.vertices.tolist() == np.flatnonzero(found.mask).tolist()


@given(case=edge_lists(max_n=20, max_edges=40), seed=st.integers(0, 9))
@settings(max_examples=60, deadline=None)
def test_directions_do_not_matter(case, seed):
    n, edges = case
    loops_apart = [e for e in edges if e[0] != e[1]]
    one = tg.maximal_independent_set(make(loops_apart, n, directed=True), rng=seed, verify=True)
    other = tg.maximal_independent_set(make(loops_apart, n, directed=False), rng=seed)
    assert one.vertices.tolist() == other.vertices.tolist()


@pytest.mark.parametrize("name", GRAPHS)
def test_graphs_of_every_kind(name):
    g = GRAPHS[name]()
    found = tg.maximal_independent_set(g, rng=3, verify=True)
    assert found.vertices.dtype == g.indices.dtype


def test_the_set_is_one_for_networkx_too():
    g = tg.kronecker(9, rng=1)
    chosen = set(tg.maximal_independent_set(g, rng=1).vertices.tolist())
    other = nx.complement(g.to_networkx().subgraph(chosen))
    assert other.number_of_edges() == len(chosen) * (len(chosen) - 1) // 2
    assert nx.is_dominating_set(g.to_networkx(), chosen)


def test_five_hundred_runs_with_more_threads_than_cores(monkeypatch):
    monkeypatch.setattr(kernel, "SERIAL_BELOW_SIZE", 0)
    g = tg.disjoint_union(
        tg.kronecker(12, 8, rng=1), tg.road(80, 80, rng=1, weights=None), tg.path(6000)
    )
    first = tg.maximal_independent_set(g, rng=5, threads=4, verify=True)
    assert first.trace["threads"][0] == 4
    for _ in range(500):
        found = tg.maximal_independent_set(g, rng=5, threads=4)
        assert np.array_equal(found.mask, first.mask)
    assert np.array_equal(tg.maximal_independent_set(g, rng=5, threads=1).mask, first.mask)
    assert not np.array_equal(tg.maximal_independent_set(g, rng=6).mask, first.mask)


def test_empty_graphs():
    assert tg.maximal_independent_set(tg.Graph.from_edges([], [])).vertices.size == 0
    alone = tg.maximal_independent_set(tg.Graph.from_edges([1], [1], n=3), verify=True)
    assert alone.vertices.tolist() == [0, 1, 2]


@pytest.mark.parametrize(("vertex", "problem"), [(2, "could be added"), (1, "are joined")])
def test_the_verifier_finds_errors(vertex, problem):
    mask = np.array([True, False, True, False, True])
    g = tg.Graph.from_edges([0, 1, 2, 3, 2], [1, 2, 3, 4, 2], directed=True)
    check_independent_set(g, mask)
    mask[vertex] = not mask[vertex]
    with pytest.raises(tg.VerificationError, match=problem):
        check_independent_set(g, mask)
