from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tachograph as tg
from tests import oracles
from tests.graph.test_build import make
from tests.strategies import edge_lists


@given(edge_lists(), st.booleans())
@settings(max_examples=120, deadline=None)
def test_features_are_those_of_the_oracle(case, directed):
    n, edges = case
    f = make(edges, n, directed=directed).features
    rows = [[t for t, _ in row] for row in oracles.rows(edges, n, symmetrize=not directed)]
    degrees = [len(row) for row in rows]
    mean = sum(degrees) / n if n else 0
    assert (f.n, f.m) == (n, len(edges))
    assert f.mean_degree == pytest.approx(mean)
    assert (f.min_degree, f.max_degree) == (min(degrees, default=0), max(degrees, default=0))
    assert f.degree_variance == pytest.approx(np.var(degrees) if n else 0)
    assert f.gini == pytest.approx(oracles.gini(degrees), abs=1e-12)
    assert f.hub_probability == pytest.approx(sum(d > mean for d in degrees) / n if n else 0)
    touched = {v for e in edges for v in e[:2]}
    assert f.isolated_share == pytest.approx((n - len(touched)) / n if n else 0)
    assert f.self_loops == sum(e[0] == e[1] for e in edges)
    has_arcs = any(e[0] != e[1] for e in edges)
    expected = oracles.reciprocity(edges) if directed else float(has_arcs)
    assert f.reciprocity == pytest.approx(expected)


@given(edge_lists(), st.booleans())
@settings(max_examples=60, deadline=None)
def test_diameter_is_a_lower_bound_and_exact_on_trees(case, directed):
    n, edges = case
    g = make(edges, n, directed=directed)
    both = [[t for t, _ in row] for row in oracles.rows(edges, n, symmetrize=True)]
    start = int(g.degrees.argmax()) if n else 0
    if n:
        component = oracles.distances(both, start)
        true = max(max(oracles.distances(both, v).values()) for v in component)
        assert g.features.diameter <= true
        assert g.features.diameter >= max(component.values())
    tree = tg.tree(max(n, 1), 2)
    rows = [tree.neighbors(v).tolist() for v in range(tree.n)]
    assert tree.features.diameter == oracles.diameter(rows)


def test_known_graphs():
    assert tg.path(100).features.diameter == 99
    assert tg.star(50).features.diameter == 2
    assert tg.complete(6).features.gini == 0
    assert tg.road(20, 30, deleted=0).features.diameter == 48


def test_sampled_hub_probability_is_close():
    f = tg.kronecker(14, rng=3).features
    assert abs(f.hub_probability - f.hub_probability_sampled) < 0.07
    small = tg.star(3).features
    assert 0 <= small.hub_probability_sampled <= 1


def test_weights_and_dict():
    f = tg.Graph.from_edges([0, 1], [1, 2], [1, 3]).features
    assert f.weights == {"min": 1.0, "mean": 2.0, "max": 3.0, "std": 1.0}
    assert f.to_dict()["weights"] == f.weights
    assert tg.path(3).features.weights is None
    assert "gini=" in repr(f)
    assert all(v in (0, None) for v in tg.Graph.from_edges([], []).features.to_dict().values())
