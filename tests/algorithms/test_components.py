from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tachograph as tg
from tachograph.algorithms.verify import check_components
from tachograph.kernels import components as kernel
from tachograph.kernels.runtime.launch import SERIAL_BELOW
from tests import oracles
from tests.algorithms.test_bfs import GRAPHS
from tests.graph.test_build import make
from tests.strategies import edge_lists


def expected_labels(n, edges):
    rows = [[t for t, _ in row] for row in oracles.rows(edges, n, symmetrize=True)]
    return [min(oracles.distances(rows, v)) for v in range(n)]


@given(
    case=edge_lists(max_n=25, max_edges=50), directed=st.booleans(), workers=st.sampled_from([1, 3])
)
@settings(max_examples=150, deadline=None)
def test_labels_are_those_of_the_oracle(case, directed, workers):
    n, edges = case
    with pytest.MonkeyPatch.context() as patch, tg.threads(workers):
        patch.setitem(SERIAL_BELOW, "components", 0)
        found = tg.connected_components(make(edges, n, directed=directed), verify=True)
    expected = expected_labels(n, edges)
    assert found.labels.tolist() == expected
    assert found.count == len(set(expected))


@pytest.mark.parametrize("name", GRAPHS)
def test_graphs_of_every_kind(name):
    tg.connected_components(GRAPHS[name](), verify=True)


def test_two_hundred_runs_with_more_threads_than_cores(monkeypatch):
    monkeypatch.setitem(SERIAL_BELOW, "components", 0)
    g = tg.disjoint_union(*(tg.kronecker(12, 8, rng=s) for s in range(8)))
    with tg.threads(4):
        first = tg.connected_components(g, verify=True)
        assert first.trace["threads"][0] == 4
        for _ in range(200):
            assert np.array_equal(tg.connected_components(g).labels, first.labels)


def test_trace_and_empty_graph():
    r = tg.connected_components(tg.kronecker(10, rng=1))
    assert r.trace["phase"].tolist() == list(kernel.PHASES)
    assert r.trace.summary()["iterations"] == len(kernel.PHASES)
    empty = tg.connected_components(tg.Graph.from_edges([], []), verify=True)
    assert (empty.count, empty.labels.size) == (0, 0)


@pytest.mark.parametrize("change", [(3, 3), (0, 1), (5, 2), (6, 0)])
def test_the_verifier_finds_errors(change):
    g = tg.disjoint_union(tg.path(6), tg.path(3))
    labels = tg.connected_components(g).labels.copy()
    check_components(g, labels)
    labels[change[0]] = change[1]
    with pytest.raises(tg.VerificationError):
        check_components(g, labels)


def test_the_verifier_notices_joined_components():
    g = tg.disjoint_union(tg.path(2), tg.path(2))
    with pytest.raises(tg.VerificationError, match="the same label are not connected"):
        check_components(g, np.zeros(4, np.int32))
