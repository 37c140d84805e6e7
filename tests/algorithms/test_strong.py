from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tachograph as tg
from tachograph.algorithms import strong
from tachograph.algorithms.verify import check_strong_components
from tests import oracles
from tests.algorithms.test_bfs import GRAPHS
from tests.graph.test_build import make
from tests.strategies import edge_lists


def expected(n, edges):
    """Those that each vertex reaches, and that reach it."""
    rows = [[t for t, _ in row] for row in oracles.rows(edges, n)]
    reach = [set(oracles.distances(rows, v)) for v in range(n)]
    return [min(u for u in reach[v] if v in reach[u]) for v in range(n)]


@given(
    case=edge_lists(max_n=14, max_edges=40),
    first=st.sampled_from([0, 1 << 60]),
    workers=st.sampled_from([1, 3]),
)
@settings(max_examples=150, deadline=None)
def test_labels_are_those_of_the_oracle(case, first, workers):
    n, edges = case
    if n == 0 and first == 0:
        return  # nobody to begin at
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(strong, "SEARCH_FROM_ARCS", first)
        found = tg.strongly_connected_components(make(edges, n), threads=workers, verify=True)
    assert found.labels.tolist() == expected(n, edges)
    assert found.count == len(set(expected(n, edges)))


@pytest.mark.parametrize("name", GRAPHS)
def test_graphs_of_every_kind(name):
    g = GRAPHS[name]()
    found = tg.strongly_connected_components(g, verify=True)
    if not g.directed:
        assert np.array_equal(found.labels, tg.connected_components(g).labels)


def test_a_long_cycle_and_a_long_path_need_no_recursion():
    n = 200_000
    ids = np.arange(n)
    cycle = tg.Graph.from_edges(ids, (ids + 1) % n)
    found = tg.strongly_connected_components(cycle, verify=True)
    assert (found.count, found.largest) == (1, n)
    path = tg.Graph.from_edges(ids[:-1], ids[1:])
    assert tg.strongly_connected_components(path, verify=True).count == n


def test_consecutive_and_empty():
    g = tg.Graph.from_edges([0, 3, 4], [1, 4, 3])
    found = tg.strongly_connected_components(g, consecutive=True)
    assert found.labels.tolist() == [0, 1, 2, 3, 3]
    assert tg.strongly_connected_components(tg.Graph.from_edges([], [])).count == 0


@pytest.mark.parametrize("change", [(1, 1), (2, 0), (3, 1)])
def test_the_verifier_finds_errors(change):
    g = tg.Graph.from_edges([0, 1, 1, 2], [1, 0, 2, 3])
    labels = tg.strongly_connected_components(g).labels.copy()
    check_strong_components(g, labels)
    labels[change[0]] = change[1]
    with pytest.raises(tg.VerificationError):
        check_strong_components(g, labels)


def test_the_verifier_is_right_about_parallel_arcs():
    """SciPy counts 11 components of 6 if a matrix holds entries twice, or its search does not end."""
    draw = np.random.default_rng(5)
    g = tg.Graph.from_edges(draw.integers(0, 30, 90), draw.integers(0, 30, 90), n=33)
    arcs = list(zip(g.arc_sources().tolist(), g.indices.tolist(), [1] * g.arcs, strict=True))
    for check in (tg.strongly_connected_components, tg.connected_components):
        assert check(g, verify=True).count <= g.n
    found = tg.strongly_connected_components(g, verify=True)
    assert found.labels.tolist() == expected(g.n, arcs)
