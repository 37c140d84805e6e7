from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tachograph as tg
from tachograph.algorithms.verify import check_triangles
from tachograph.kernels import triangles as kernel
from tachograph.kernels.runtime.launch import SERIAL_BELOW
from tests.algorithms.test_bfs import GRAPHS
from tests.graph.test_build import make
from tests.strategies import edge_lists


def counted(n, edges):
    """Every three vertices that are joined to each other."""
    joined = {frozenset(e[:2]) for e in edges if e[0] != e[1]}
    return sum(
        all(frozenset(p) in joined for p in combinations(t, 2)) for t in combinations(range(n), 3)
    )


@given(
    case=edge_lists(max_n=14, max_edges=60),
    sparse=st.sampled_from([0.0, 1e9]),
    ranked=st.sampled_from([0.0, 1e9]),
    workers=st.sampled_from([1, 3]),
)
@settings(max_examples=200, deadline=None)
def test_count_is_that_of_the_oracle(case, sparse, ranked, workers):
    n, edges = case
    with pytest.MonkeyPatch.context() as patch, tg.threads(workers):
        patch.setitem(SERIAL_BELOW, "triangles", 0)
        patch.setattr(kernel, "SPARSE_UP_TO_DEGREE", sparse)
        patch.setattr(kernel, "RANKED_FROM_DEGREE", ranked)
        found = tg.triangles(make(edges, n, directed=False), verify=True)
    assert found.count == counted(n, edges)


@pytest.mark.parametrize("sparse", [0.0, 1e9])
def test_vertices_with_many_neighbours_beside_ones_with_few(sparse, monkeypatch):
    """A hub of any id that everybody knows closes a triangle with each edge of a road."""
    monkeypatch.setattr(kernel, "SPARSE_UP_TO_DEGREE", sparse)
    road = tg.road(40, 40, rng=3)
    source, target = road.to_edges()[:2]
    for hub in (0, 700, 1600):
        others = np.delete(np.arange(1601), hub)
        ends = np.append(others[source], others), np.append(others[target], np.full(1600, hub))
        g = tg.Graph.from_edges(*ends, directed=False)
        assert tg.triangles(g).count == road.m + tg.triangles(road).count


@pytest.mark.parametrize(
    "name", [name for name in GRAPHS if name not in ("loop", "directed", "single")]
)
def test_graphs_of_every_kind(name):
    tg.triangles(GRAPHS[name](), verify=True)


def test_triangles_behind_a_tree_are_found():
    """A chunk that begins like a tree is not looked through as the others are."""
    child = np.arange(1, 3000)
    sister = np.array([900, 1500, 2600])  # of the one before: both have the same parent
    source, target = np.append(child, sister), np.append((child - 1) // 2, sister - 1)
    g = tg.Graph.from_edges(source, target, directed=False)
    assert tg.triangles(g, verify=True).count == 3


def test_known_counts_and_threads():
    assert tg.triangles(tg.complete(30)).count == 30 * 29 * 28 // 6
    assert tg.triangles(tg.star(100)).count == 0
    assert tg.triangles(tg.Graph.from_edges([], [], directed=False)).count == 0
    g = tg.kronecker(14, rng=1)
    assert tg.triangles(g).trace["phase"].tolist() == ["ranked by degree"]
    with tg.threads(4):
        assert {tg.triangles(g).count for _ in range(20)} == {tg.triangles(g, threads=1).count}


@pytest.mark.parametrize("weights", [(2, 9), (0.0, 1.0), (0, 0)])
def test_weights_count_for_nothing(weights):
    assert tg.triangles(tg.complete(6, weights=weights), verify=True).count == 20


def test_bad_input_and_verifier():
    with pytest.raises(tg.InputError, match="undirected"):
        tg.triangles(tg.Graph.from_edges([0], [1]))
    with pytest.raises(tg.VerificationError, match="there are 10 triangles, not 9"):
        check_triangles(tg.complete(5), 9)


def test_against_the_cube_of_the_matrix():
    g = tg.kronecker(9, rng=4)
    a = g.to_scipy().toarray().astype(np.int64)
    assert tg.triangles(g).count == np.trace(a @ a @ a) // 6
