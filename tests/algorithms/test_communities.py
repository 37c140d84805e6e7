"""Communities: as good as the best partition, or as that of others, and the same on any threads."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tachograph as tg
from tachograph.algorithms.verify import check_communities
from tachograph.kernels.runtime.launch import SERIAL_BELOW
from tests.algorithms.test_bfs import GRAPHS
from tests.strategies import edge_lists

TASKS = {"leiden": tg.leiden, "louvain": tg.louvain, "label_propagation": tg.label_propagation}
EIGHTHS = st.integers(0, 40).map(lambda w: w / 8)


def weighted(n, edges):
    source, target, weights = (
        (list(column) for column in zip(*edges, strict=True)) if edges else ([],) * 3
    )
    return tg.Graph.from_edges(source, target, weights, n=n, directed=False)


def partitions(n):
    """Yield every partition of n vertices, as labels."""
    if n == 0:
        yield []
        return
    for rest in partitions(n - 1):
        yield from ([*rest, label] for label in range(max(rest, default=-1) + 2))


def modularity(n, edges, labels):
    """By the definition: one pair of vertices after the other."""
    weight = np.zeros((n, n))
    for u, v, w in edges:
        weight[u, v] += w
        weight[v, u] += w
    strength, whole = weight.sum(axis=1), weight.sum()
    return sum(
        weight[u, v] / whole - strength[u] * strength[v] / whole**2
        for u in range(n)
        for v in range(n)
        if labels[u] == labels[v]
    )


def test_narrow_weights_are_summed_as_wide_ones():
    edges = [(0, 0, 1.375), (0, 1, 2.75), (0, 1, 0.875), (1, 1, 3.25)]
    narrow = tg.Graph.from_edges(
        *np.array(edges)[:, :2].astype(int).T,
        np.array([w for *_, w in edges], np.float32),
        directed=False,
    )
    found = tg.leiden(narrow)
    assert found.modularity == pytest.approx(modularity(2, edges, found.labels), rel=1e-12)


@given(case=edge_lists(max_n=6, max_edges=12, min_edges=1, weights=EIGHTHS))
@settings(max_examples=60, deadline=None)
def test_small_graphs_have_the_best_partition_or_nearly(case):
    n, edges = case
    if not any(w for _, _, w in edges):
        return
    every = [tg.leiden(weighted(n, edges), rng=seed, verify=True) for seed in range(10)]
    for found in every:
        assert found.modularity == pytest.approx(modularity(n, edges, found.labels))
    best = max(modularity(n, edges, labels) for labels in partitions(n))
    assert best - 0.04 <= max(found.modularity for found in every) <= best + 1e-9


@given(
    case=edge_lists(max_n=25, max_edges=60, weights=EIGHTHS),
    task=st.sampled_from(sorted(TASKS)),
    workers=st.sampled_from([2, 3]),
    resolution=st.sampled_from([0.5, 1.0, 2.0]),
)
@settings(max_examples=60, deadline=None)
def test_threads_change_nothing(case, task, workers, resolution):
    n, edges = case
    g = weighted(n, edges)
    told = {} if task == "label_propagation" else {"resolution": resolution}
    with pytest.MonkeyPatch.context() as patch:
        for kind in ("communities", "rows", "items"):
            patch.setitem(SERIAL_BELOW, kind, 0)
        many = TASKS[task](g, threads=workers, verify=True, **told)
    one = TASKS[task](g, threads=1, **told)
    assert np.array_equal(many.labels, one.labels)
    assert many.modularity == one.modularity


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("name", GRAPHS)
def test_graphs_of_every_kind(name, task):
    g = GRAPHS[name]()
    if g.weights is not None and g.weights.size and g.weights.min() < 0:
        with pytest.raises(tg.InputError, match="not negative"):
            TASKS[task](g.to_undirected())
        g = g.without_weights()
    TASKS[task](g.to_undirected(), verify=True)


def test_planted_communities_are_found():
    rng = np.random.default_rng(1)
    planted = np.repeat(np.arange(20), 50)
    u, v = rng.integers(0, 1000, (2, 300_000))
    kept = rng.random(u.size) < np.where(planted[u] == planted[v], 0.8, 0.004)
    g = tg.Graph.from_edges(u[kept], v[kept], n=1000, directed=False, dedupe="first")
    for seed in range(3):
        found = tg.leiden(g, rng=seed, verify=True).labels
        assert np.array_equal(found, planted)  # both are numbered by their smallest ids


def test_as_good_as_networkx_and_better_by_refinement():
    for seed in range(3):
        graph = nx.powerlaw_cluster_graph(400, 3, 0.5, seed=seed)
        g = tg.Graph.from_networkx(graph)
        theirs = nx.community.louvain_communities(graph, seed=seed)
        least = nx.community.modularity(graph, theirs) * 0.99
        assert tg.leiden(g, rng=seed).modularity >= least
        assert tg.louvain(g, rng=seed).modularity >= least * 0.98


def test_many_runs_with_more_threads_than_cores():
    g = tg.kronecker(13, 16, rng=1)
    with tg.threads(4):
        first = {name: task(g, verify=True) for name, task in TASKS.items()}
        for _ in range(10):
            for name, task in TASKS.items():
                assert np.array_equal(task(g).labels, first[name].labels)
    assert first["leiden"].trace["threads"][0] == 4
    assert {"move", "refine", "contract", "split"} == set(first["leiden"].trace["phase"])
    assert not np.array_equal(tg.leiden(g, rng=1).labels, first["leiden"].labels)


def test_resolution_and_iterations():
    g = tg.road(40, 40, rng=1).without_weights()
    few, many = (tg.leiden(g, resolution=r, verify=True).count for r in (0.2, 5.0))
    assert few < tg.leiden(g).count < many
    assert tg.leiden(g, iterations=3).modularity >= tg.leiden(g, iterations=1).modularity
    with pytest.raises(tg.InputError, match="resolution"):
        tg.leiden(g, resolution=-1)
    with pytest.raises(tg.InputError, match="iterations"):
        tg.leiden(g, iterations=0)
    with pytest.raises(tg.InputError, match="to_undirected"):
        tg.leiden(tg.Graph.from_edges([0], [1]))


def test_weights_of_any_size():
    ends = [0, 0, 1, 3, 3, 4, 2], [1, 2, 2, 4, 5, 5, 3]
    for weight in (1e-200, 1e200, 1e308, 3.7):
        g = tg.Graph.from_edges(*ends, [weight] * 7, directed=False)
        assert tg.leiden(g, verify=True).labels.tolist() == [0, 0, 0, 1, 1, 1]
    g = tg.Graph.from_edges([0], [1], [0.0], n=3, directed=False)
    assert tg.leiden(g).labels.tolist() == [0, 1, 2]


@pytest.mark.parametrize("labels", [[0, 0, 1, 1, 2, 2], [0, 1, 0, 1, 2, 2], [1, 1, 1, 0, 0, 0]])
def test_the_verifier_finds_errors(labels):
    g = tg.disjoint_union(tg.complete(3), tg.complete(3))
    check_communities(g, np.array([0, 0, 0, 1, 1, 1]), 2, 0.5, 1.0)
    with pytest.raises(tg.VerificationError):
        check_communities(g, np.array(labels), max(labels) + 1, 0.5, 1.0)
    with pytest.raises(tg.VerificationError, match="modularity"):
        check_communities(g, np.array([0, 0, 0, 1, 1, 1]), 2, 0.51, 1.0)


def test_many_iterations_end_when_nothing_moves_any_more():
    g = tg.kronecker(6, rng=1)
    with tg.limits(seconds=60):
        found = tg.leiden(g, iterations=2**40)
        none = tg.leiden(tg.Graph.from_edges([], [], n=3, directed=False), iterations=2**40)
    assert found.modularity >= tg.leiden(g).modularity
    assert none.labels.tolist() == [0, 1, 2]
