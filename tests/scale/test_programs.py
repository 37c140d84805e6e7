"""Algorithms on parts of a graph find what they find in the whole, however it is cut."""

from __future__ import annotations

import shutil

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import tachograph as tg

from ..oracles import distances
from ..strategies import edge_lists
from .graphs import TEN, assert_same


@pytest.mark.parametrize("kind", TEN)
def test_the_same_as_on_one_machine(kind):
    graph = TEN[kind]()
    for parts in range(1, 9):
        made = tg.scale.partition(graph, parts=parts, directory=f"parts{parts}")
        assert_same(graph, made, source=graph.n // 2)


@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
@given(edge_lists(max_n=9, max_edges=20), st.integers(1, 4), st.booleans())
def test_odd_graphs(listed, parts, directed):
    n, edges = listed
    ends = np.array(edges, np.int64).reshape(-1, 2)
    graph = tg.Graph.from_edges(ends[:, 0], ends[:, 1], n=n, directed=directed)
    shutil.rmtree("odd", ignore_errors=True)
    assert_same(graph, tg.scale.partition(graph, parts=parts, directory="odd"))


def test_levels_are_those_of_a_slow_search():
    graph = tg.uniform(60, 3, rng=4, directed=True)
    parts = tg.scale.partition(graph, parts=3, directory="parts")
    slow = distances([graph.neighbors(v).tolist() for v in range(graph.n)], 5)
    levels = tg.scale.bfs(parts, 5).levels
    assert {v: int(levels[v]) for v in np.flatnonzero(levels >= 0)} == slow


@pytest.mark.parametrize("direction", ["push", "pull", "gapbs", "enterprise"])
def test_every_direction_gives_the_same_levels(direction):
    graph = tg.kronecker(9, rng=2)
    parts = tg.scale.partition(graph, parts=3, directory="parts")
    found = tg.scale.bfs(parts, [1, 77], direction=direction)
    assert np.array_equal(found.levels, tg.bfs(graph, [1, 77]).levels)
    chosen = set(found.trace["phase"].tolist()) - {"start", "levels"}
    assert chosen == {"push": {"push"}, "pull": {"pull"}}.get(direction, chosen)


def test_one_direction_for_all_parts_and_a_frontier_announced_before_it_is_pulled():
    graph = tg.kronecker(12, rng=2)
    parts = tg.scale.partition(graph, parts=4, directory="parts")
    phases = (
        tg.scale.bfs(parts, int(np.argmin(graph.degrees == 0)), direction="gapbs")
        .trace["phase"]
        .tolist()
    )
    assert "push" in phases
    assert "pull" in phases
    at = phases.index("pull")
    assert phases[at - 1] == "announce"
    assert phases[at - 2] == "push"


def test_arcs_between_large_components_are_looked_at_if_they_have_to_be():
    source, target = np.nonzero(~np.eye(8, dtype=bool))
    # the arc that joins two complete graphs is none of the first of its vertex
    graph = tg.Graph.from_edges(
        np.concatenate([source, source + 8, [7]]), np.concatenate([target, target + 8, [15]])
    )
    found = tg.scale.connected_components(tg.scale.partition(graph, parts=2, directory="parts"))
    assert "all" in found.trace["phase"]
    assert found.labels.tolist() == [0] * 16
    apart = tg.disjoint_union(tg.complete(8), tg.complete(8))
    found = tg.scale.connected_components(tg.scale.partition(apart, parts=2, directory="apart"))
    assert found.labels.tolist() == [0] * 8 + [8] * 8


def test_weights_decide_where_pagerank_goes_and_parts_without_arcs_do_no_harm():
    graph = tg.Graph.from_edges([0, 0, 1], [1, 2, 0], [9.0, 1.0, 1.0], n=20)
    parts = tg.scale.partition(graph, parts=8, directory="parts")
    options = {"tol": 1e-12, "max_iter": 500}
    found, wanted = tg.scale.pagerank(parts, **options), tg.pagerank(graph, **options)
    assert np.abs(found.scores - wanted.scores).max() < 1e-9
    assert found.scores[1] > 2 * found.scores[2]


def test_parts_that_stop_in_the_middle_of_relaxing_go_on_later(monkeypatch):
    graph = tg.kronecker(8, rng=3, weights=True)
    parts = tg.scale.partition(graph, parts=2, directory="parts")
    whole = tg.scale.sssp(parts, 1)
    monkeypatch.setattr("tachograph.scale.programs.sssp.BUSY_ARCS", 1)
    monkeypatch.setattr("tachograph.scale.programs.sssp.ARCS_SHARE", 50)
    found = tg.scale.sssp(parts, 1)
    assert len(found.trace) > len(whole.trace)
    assert np.array_equal(found.distances, tg.sssp(graph, 1).distances)


def test_pagerank_says_when_it_did_not_settle():
    parts = tg.scale.partition(tg.star(9), parts=2, directory="parts")
    with pytest.warns(tg.TachographWarning, match="did not converge: after max_iter = 3"):
        found = tg.scale.pagerank(parts, max_iter=3, tol=1e-9)
    assert found.iterations == 3
    assert not found.converged


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda p: tg.scale.bfs(p, 99), "no vertex 99"),
        (lambda p: tg.scale.bfs(p, 0, direction="sideways"), "direction = 'sideways'"),
        (lambda p: tg.scale.sssp(p, -1), "no vertex -1"),
        (lambda p: tg.scale.sssp(p, 0), "weights of at least 0"),
        (lambda p: tg.scale.pagerank(p), "not negative"),
        (lambda p: tg.scale.pagerank(p, damping=2), "damping = 2"),
        (lambda p: tg.scale.pagerank(p, tol=0), "tol = 0"),
        (lambda p: tg.scale.pagerank(p, max_iter=0), "max_iter = 0"),
        (lambda p: tg.scale.bfs(p, 0, checkpoint=0), "checkpoint = 0"),
    ],
)
def test_what_cannot_be_done_is_said(call, message):
    graph = tg.Graph.from_edges([0, 1], [1, 2], [-1.0, 2.0])
    parts = tg.scale.partition(graph, parts=2, directory="parts")
    with pytest.raises(tg.InputError, match=message):
        call(parts)
