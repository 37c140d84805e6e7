from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tachograph as tg
from tachograph.algorithms.verify import check_triangles
from tachograph.kernels import triangles as kernel
from tests.algorithms.test_bfs import GRAPHS
from tests.graph.test_build import make
from tests.strategies import edge_lists


def counted(n, edges):
    """Every three vertices that are joined to each other."""
    joined = {frozenset(e[:2]) for e in edges if e[0] != e[1]}
    return sum(
        all(frozenset(p) in joined for p in combinations(t, 2)) for t in combinations(range(n), 3)
    )


@given(case=edge_lists(max_n=14, max_edges=60), rank=st.booleans(), workers=st.sampled_from([1, 3]))
@settings(max_examples=150, deadline=None)
def test_count_is_that_of_the_oracle(case, rank, workers):
    n, edges = case
    kernel.SMALL, kernel.RANKED, before = 0, 0.0 if rank else 1e9, (kernel.SMALL, kernel.RANKED)
    try:
        with tg.threads(workers):
            found = tg.triangles(make(edges, n, directed=False), verify=True)
    finally:
        kernel.SMALL, kernel.RANKED = before
    assert found.count == counted(n, edges)


@pytest.mark.parametrize(
    "name", [name for name in GRAPHS if name not in ("loop", "directed", "single")]
)
def test_graphs_of_every_kind(name):
    tg.triangles(GRAPHS[name](), verify=True)


def test_known_counts_and_threads():
    assert tg.triangles(tg.complete(30)).count == 30 * 29 * 28 // 6
    assert tg.triangles(tg.star(100)).count == 0
    assert tg.triangles(tg.Graph.from_edges([], [], directed=False)).count == 0
    g = tg.kronecker(12, seed=1)
    assert tg.triangles(g).trace["phase"].tolist() == ["ranked by degree"]
    with tg.threads(4):
        assert {tg.triangles(g).count for _ in range(50)} == {tg.triangles(g, threads=1).count}


@pytest.mark.parametrize("weights", [(2, 9), (0.0, 1.0), (0, 0)])
def test_weights_count_for_nothing(weights):
    assert tg.triangles(tg.complete(6, weights=weights), verify=True).count == 20


def test_bad_input_and_verifier():
    with pytest.raises(tg.InputError, match="undirected"):
        tg.triangles(tg.Graph.from_edges([0], [1]))
    with pytest.raises(tg.VerificationError, match="there are 10 triangles, not 9"):
        check_triangles(tg.complete(5), 9)


def test_against_the_cube_of_the_matrix():
    g = tg.kronecker(9, seed=4)
    a = g.to_scipy().toarray().astype(np.int64)
    assert tg.triangles(g).count == np.trace(a @ a @ a) // 6
