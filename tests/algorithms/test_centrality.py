"""Centralities and clustering beside NetworkX, on graphs of every kind and any number of threads."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tachograph as tg
from tachograph.algorithms import sampled, wedges
from tachograph.kernels.centrality import together
from tachograph.kernels.runtime.launch import SERIAL_BELOW
from tachograph.kernels.runtime.nouns import Rows
from tests.graph.test_build import make
from tests.strategies import edge_lists

CENTRALITIES = {
    "closeness": (tg.closeness_centrality, nx.closeness_centrality),
    "harmonic": (tg.harmonic_centrality, nx.harmonic_centrality),
    "betweenness": (tg.betweenness_centrality, nx.betweenness_centrality),
}


def networkx_of(n, edges, directed):
    made = nx.DiGraph() if directed else nx.Graph()
    made.add_nodes_from(range(n))
    made.add_edges_from((s, t) for s, t, *_ in edges)
    return made


def by_vertex(values, n):
    return [values[v] for v in range(n)]


@pytest.mark.parametrize("name", CENTRALITIES)
@given(case=edge_lists(max_n=30, max_edges=80), directed=st.booleans(), data=st.data())
@settings(max_examples=60, deadline=None)
def test_scores_are_those_of_networkx(name, case, directed, data):
    n, edges = case
    ours, theirs = CENTRALITIES[name]
    g = make(edges, n, directed=directed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(SERIAL_BELOW, "bfs", 0)
        found = ours(g, threads=data.draw(st.sampled_from([1, 3])), verify=True)
    loops_do_not_count = networkx_of(n, edges, directed)
    loops_do_not_count.remove_edges_from(nx.selfloop_edges(loops_do_not_count))
    wanted = by_vertex(theirs(loops_do_not_count), n)
    assert found.scores.tolist() == pytest.approx(wanted, rel=1e-9, abs=1e-12)
    assert found.sources == n


@pytest.mark.parametrize("name", CENTRALITIES)
def test_many_batches_and_both_directions(name, monkeypatch):
    """Several batches of sources, pushed and pulled levels, more threads than cores: equal to the bit."""
    monkeypatch.setitem(SERIAL_BELOW, "bfs", 0)
    ours, theirs = CENTRALITIES[name]
    for g in (
        tg.kronecker(9, rng=3),
        tg.road(20, 30, rng=1),
        tg.kronecker(9, rng=3, directed=True),
    ):
        one, five = (ours(g, threads=t, verify=True).scores for t in (1, 5))
        assert np.array_equal(one, five)
        source, target, _ = g.to_edges()
        plain = networkx_of(g.n, zip(source.tolist(), target.tolist(), strict=True), g.directed)
        assert one.tolist() == pytest.approx(by_vertex(theirs(plain), g.n), rel=1e-9, abs=1e-12)


def test_options_as_in_networkx():
    g = tg.disjoint_union(tg.path(4), tg.star(5))
    plain = nx.disjoint_union(nx.path_graph(4), nx.star_graph(4))
    found = tg.closeness_centrality(g, wf_improved=False).scores
    wanted = nx.closeness_centrality(plain, wf_improved=False)
    assert found.tolist() == pytest.approx(by_vertex(wanted, g.n))
    found = tg.betweenness_centrality(g, normalized=False).scores
    wanted = nx.betweenness_centrality(plain, normalized=False)
    assert found.tolist() == pytest.approx(by_vertex(wanted, g.n))


@pytest.mark.parametrize("name", CENTRALITIES)
def test_odd_graphs(name):
    ours, _ = CENTRALITIES[name]
    assert ours(tg.Graph.from_edges([], [], n=0)).scores.size == 0
    assert ours(tg.Graph.from_edges([], [], n=1), verify=True).scores.tolist() == [0.0]
    assert ours(tg.Graph.from_edges([], [], n=3), max_error=0.5).scores.tolist() == [0.0] * 3
    loops = tg.Graph.from_edges([0, 0, 0, 1], [0, 1, 1, 1], directed=False)
    assert ours(loops, verify=True).scores.tolist() in ([1.0, 1.0], [0.0, 0.0])


@given(case=edge_lists(max_n=40, max_edges=60), size=st.integers(1, 9))
@settings(max_examples=60, deadline=None)
def test_balls_hold_every_vertex_once(case, size):
    n, edges = case
    g = make(edges, n, directed=False)
    order = np.empty(n, np.int64)
    together.run(together.gather, [(Rows(g.indptr, g.indices), size, order)])
    assert sorted(order.tolist()) == list(range(n))


@pytest.mark.parametrize("name", CENTRALITIES)
@pytest.mark.parametrize("graph", ["kronecker", "road", "directed"])
def test_estimates_keep_their_budget(name, graph, monkeypatch):
    monkeypatch.setattr(sampled, "EXACT_FROM_PART", 0.9)
    ours, _ = CENTRALITIES[name]
    g = {
        "kronecker": lambda: tg.kronecker(11, rng=1),
        "road": lambda: tg.road(40, 40, rng=1),
        "directed": lambda: tg.kronecker(11, rng=1, directed=True),
    }[graph]()
    exact, kept, estimated = ours(g).scores, 0, 0
    for seed in range(10):
        found = ours(g, max_error=0.15, confidence=0.8, rng=seed, threads=2)
        if found.budget.exact:
            assert np.array_equal(found.scores, exact)
            continue
        estimated += 1
        off = np.abs(found.scores - exact)
        error = off.max() if name == "betweenness" else off.sum() / exact.sum()
        kept += error <= 0.15
        assert found.budget.bound <= 0.15
        assert found.sources < g.n
    assert kept >= 0.8 * estimated


@pytest.mark.parametrize("normalized", [True, False])
def test_betweenness_within_a_budget_takes_few_sources(normalized):
    """Errors are shares of all pairs, whatever the scores are divided by; the audit says the same."""
    g = tg.kronecker(11, rng=1)
    exact = tg.betweenness_centrality(g).scores
    kept = []
    for seed in range(20):
        found = tg.betweenness_centrality(g, max_error=0.03, rng=seed, normalized=normalized)
        assert not found.budget.exact
        assert found.budget.bound <= 0.03
        assert found.sources <= g.n / 4
        share = found.scores if normalized else found.scores * 2 / ((g.n - 1) * (g.n - 2))
        kept.append(np.abs(share - exact).max() <= 0.03)
    assert sum(kept) >= 18
    audited = tg.betweenness_centrality(
        g, max_error=0.03, rng=seed, normalized=normalized, audit=True
    )
    assert audited.audit.error == pytest.approx(np.abs(share - exact).max())


def test_what_few_sources_have_keeps_the_budget():
    """Forty of 6,000 vertices have all their paths through one: many a sample sees none of them."""
    few, many = np.arange(1, 41), np.arange(41, 6000)
    source = np.concatenate([few, np.zeros_like(many)])
    g = tg.Graph.from_edges(source, np.concatenate([np.zeros_like(few), many]), n=6000)
    exact = tg.betweenness_centrality(g).scores
    runs = [tg.betweenness_centrality(g, max_error=0.006, rng=seed) for seed in range(20)]
    errors = np.array([np.abs(r.scores - exact).max() for r in runs])
    assert sum(r.budget.exact for r in runs) < 15
    assert np.count_nonzero(errors <= 0.006) >= 18


def squares(count):
    """Squares in a row, corner to corner: each doubles the number of shortest paths."""
    first = 3 * np.arange(count)
    return (
        np.concatenate([first, first, first + 1, first + 2]),
        np.concatenate([first + 1, first + 2, first + 3, first + 3]),
    )


@pytest.mark.parametrize("threads", [1, 3])
def test_more_paths_than_float64_can_count(threads):
    """All paths lead through a corner, and half of them through each vertex between two."""
    g = tg.Graph.from_edges(*squares(1100), directed=False)
    found = tg.betweenness_centrality(g, normalized=False, threads=threads).scores
    left = np.arange(g.n)
    corner = left - left % 3
    between = (corner + 1.0) * (g.n - 3.0 - corner) / 2
    beside = (left > 0) * 0.5 + (left < g.n - 1) * 0.5  # paths between the two others of a square
    wanted = np.where(left % 3, between, left * (g.n - 1.0 - left) + beside)
    assert found == pytest.approx(wanted, rel=1e-9)


def test_numbers_of_paths_too_far_apart_are_refused():
    """2**2000 paths lead to the end of the squares, and one to the end of a path of that length."""
    source, target = squares(2000)
    path = target.max() + 1 + np.arange(4001)
    source, target = (
        np.concatenate([source, [0], path[:-1]]),
        np.concatenate([target, path[:1], path[1:]]),
    )
    g = tg.Graph.from_edges(source, target, directed=False)
    with pytest.raises(tg.InputError, match="differ by more than float64"):
        tg.betweenness_centrality(g, max_error=0.3)


def test_the_same_seed_gives_the_same_estimate_on_any_number_of_threads(monkeypatch):
    monkeypatch.setitem(SERIAL_BELOW, "bfs", 0)
    g = tg.kronecker(11, rng=1)
    for ours, _ in CENTRALITIES.values():
        one, four = (ours(g, max_error=0.3, rng=5, threads=t) for t in (1, 4))
        assert np.array_equal(one.scores, four.scores)
        assert one.budget == four.budget
    other = tg.harmonic_centrality(g, max_error=0.3, rng=6)
    assert not np.array_equal(other.scores, tg.harmonic_centrality(g, max_error=0.3, rng=5).scores)


def test_audit_compares_with_exact_scores():
    g = tg.kronecker(11, rng=1)
    found = tg.closeness_centrality(g, max_error=0.2, audit=True)
    exact = tg.closeness_centrality(g, audit=True)
    error = np.abs(found.scores - exact.scores).sum() / exact.scores.sum()
    assert found.audit.error == pytest.approx(error)
    assert exact.audit.error == 0
    assert set(found.facts()) >= {"budget", "audit", "sources"}


@given(case=edge_lists(max_n=20, max_edges=90))
@settings(max_examples=60, deadline=None)
def test_clustering_is_that_of_networkx(case):
    n, edges = case
    found = tg.clustering(make(edges, n, directed=False), verify=True)
    plain = networkx_of(n, edges, False)
    plain.remove_edges_from(list(nx.selfloop_edges(plain)))
    assert found.values.tolist() == pytest.approx(by_vertex(nx.clustering(plain), n))
    assert found.transitivity == pytest.approx(nx.transitivity(plain))
    if n:
        assert found.average == pytest.approx(nx.average_clustering(plain))


def test_sampled_triangles_and_clustering_keep_their_budget(monkeypatch):
    monkeypatch.setattr(wedges, "EXACT_FROM_PART", 10.0)
    g = tg.small_world(20_000, 8, rewired=0.1, rng=1)
    for ours, value in ((tg.triangles, "count"), (tg.clustering, "average")):
        exact = getattr(ours(g), value)
        kept = 0
        for seed in range(20):
            found = ours(g, max_error=0.02, confidence=0.9, rng=seed)
            assert not found.budget.exact
            assert found.budget.bound <= 0.02
            kept += abs(getattr(found, value) - exact) <= 0.02 * exact
        assert kept >= 17
        again = [getattr(ours(g, max_error=0.02, rng=3, threads=t), value) for t in (1, 4)]
        assert again[0] == again[1]


def test_without_triangles_the_answer_is_exact():
    found = tg.triangles(tg.road(60, 60, rng=1, deleted=0), max_error=0.1, audit=True)
    assert found.budget.exact
    assert found.audit.error == 0
    assert tg.clustering(tg.star(9), max_error=0.1).average == 0
    pairs = np.arange(20_000)
    without_wedges = tg.Graph.from_edges(pairs[::2], pairs[1::2], directed=False)
    assert tg.triangles(without_wedges, max_error=0.1).count == 0
    assert tg.clustering(without_wedges, max_error=0.1).average == 0
    with pytest.raises(tg.InputError, match="per_vertex"):
        tg.triangles(tg.star(4), per_vertex=True, max_error=0.1)
    with pytest.raises(tg.InputError, match="undirected"):
        tg.clustering(tg.kronecker(4, directed=True))


def test_pagerank_proves_its_error():
    for g in (
        tg.kronecker(10, rng=1),
        tg.kronecker(10, rng=1, directed=True),
        tg.road(30, 30, rng=1),
    ):
        exact = tg.pagerank(g, tol=1e-14, max_iter=1000).scores
        for most in (0.2, 0.01, 0.0001):
            found = tg.pagerank(g, max_error=most)
            error = np.abs(found.scores - exact).sum()
            assert error <= found.budget.certain + 1e-12
            assert found.budget.certain <= most


def test_pagerank_counts_what_was_rounded():
    """Along a directed path scores are final at once: what is left are errors of 32 bits."""
    g = tg.Graph.from_edges(np.arange(50), np.arange(1, 51))
    wrong = 0
    for seed in range(20):
        told = {"damping": 0.3, "personalization": np.random.default_rng(seed).random(51) ** 8}
        exact = tg.pagerank(g, tol=1e-15, max_iter=1000, **told).scores
        found = tg.pagerank(g, max_error=0.01, **told)
        wrong += np.abs(found.scores - exact).sum() > found.budget.certain
    assert not wrong
    with pytest.raises(tg.InputError, match="damping below 1"):
        tg.pagerank(g, damping=1, max_error=0.1)


def test_a_budget_for_an_algorithm_that_has_none_is_refused():
    with pytest.raises(tg.InputError, match="max_error"):
        tg.bfs(tg.path(4), 0, max_error=0.1)


def test_clustering_is_a_table_with_names():
    g = tg.Graph.from_edges(
        ["a", "b", "c", "c"], ["b", "c", "a", "d"], relabel=True, directed=False
    )
    found = tg.clustering(g).to_pandas()
    assert found["vertex"].tolist() == ["a", "b", "c", "d"]
    assert found["values"].tolist() == pytest.approx([1, 1, 1 / 3, 0])


def test_who_has_the_largest_score_is_named():
    g = tg.Graph.from_edges(["a", "hub", "hub"], ["hub", "b", "c"], relabel=True, directed=False)
    assert tg.betweenness_centrality(g).facts()["vertex"] == "hub"
    assert tg.betweenness_centrality(tg.star(4)).facts()["vertex"] == 0
