from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tachograph as tg
from tachograph.algorithms.verify import check_core_numbers
from tachograph.kernels.runtime.launch import SERIAL_BELOW
from tests.algorithms.test_bfs import GRAPHS
from tests.graph.test_build import make
from tests.strategies import edge_lists


def expected(n, edges, directed):
    """Remove a vertex of the fewest neighbours, one after the other."""
    arcs = {(u, v) for u, v in edges if u != v}
    ends = [*arcs, *((v, u) for u, v in arcs)] if directed else {*arcs, *((v, u) for u, v in arcs)}
    near = [[v for u, v in ends if u == w] for w in range(n)]
    left, core, k = set(range(n)), [0] * n, 0
    while left:
        degrees = {v: sum(u in left for u in near[v]) for v in left}
        v = min(left, key=degrees.__getitem__)
        k = max(k, degrees[v])
        core[v] = k
        left.remove(v)
    return core


@given(
    case=edge_lists(max_n=14, max_edges=50), directed=st.booleans(), workers=st.sampled_from([1, 3])
)
@settings(max_examples=100, deadline=None)
def test_numbers_are_those_of_the_oracle(case, directed, workers):
    n, edges = case
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(SERIAL_BELOW, "cores", 0)
        found = tg.core_number(make(edges, n, directed=directed), threads=workers, verify=True)
    assert found.cores.tolist() == expected(n, edges, directed)


@pytest.mark.parametrize("name", GRAPHS)
def test_graphs_of_every_kind(name):
    tg.core_number(GRAPHS[name](), verify=True)


def test_more_threads_than_cores_and_networkx():
    g = tg.kronecker(13, 16, rng=1)
    first = tg.core_number(g, threads=1, verify=True)
    with tg.threads(4):
        for _ in range(20):
            assert np.array_equal(tg.core_number(g).cores, first.cores)
    graph = nx.Graph(g.to_networkx())
    graph.remove_edges_from(list(nx.selfloop_edges(graph)))
    wanted = nx.core_number(graph)
    assert first.cores.tolist() == [wanted[v] for v in range(g.n)]
    assert first.facts()["largest"] == first.cores.max()


@pytest.mark.parametrize("change", [(0, 3), (0, 1), (5, 2), (5, 0)])
def test_the_verifier_finds_errors(change):
    g = tg.disjoint_union(tg.complete(3), tg.path(3))
    cores = tg.core_number(g).cores.copy()
    check_core_numbers([g], cores)
    cores[change[0]] = change[1]
    with pytest.raises(tg.VerificationError):
        check_core_numbers([g], cores)
