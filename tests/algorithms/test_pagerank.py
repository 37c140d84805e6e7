from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tachograph as tg
from tachograph.algorithms.verify import check_pagerank, check_product
from tachograph.kernels.pagerank import pull as kernel
from tachograph.kernels.runtime.launch import SERIAL_BELOW
from tests.algorithms.test_bfs import GRAPHS
from tests.graph.test_build import make
from tests.strategies import WHOLE, edge_lists


def shuffled(g, count):
    """The graph with the ids of so many vertices exchanged among them."""
    random = np.random.default_rng(1)
    ids = np.arange(g.n)
    some = random.choice(g.n, count, replace=False)
    ids[some] = ids[random.permutation(some)]
    source, target = g.to_edges()[:2]
    return tg.Graph.from_edges(ids[source], ids[target], n=g.n, directed=g.directed)


def dense(n, edges, directed, damping, jump, steps=2000):
    """The definition, iterated until nothing changes, on a dense matrix."""
    a = np.zeros((n, n))
    for u, v, *w in edges:
        a[u, v] += w[0] if w else 1
        if not directed and u != v:
            a[v, u] += w[0] if w else 1
    out = a.sum(axis=1)
    follow = np.where(out[:, None] > 0, a / np.where(out > 0, out, 1)[:, None], jump[None, :])
    x = jump
    for _ in range(steps):
        x = damping * (x @ follow) + (1 - damping) * jump
    return x


@given(data=st.data(), directed=st.booleans(), workers=st.sampled_from([1, 3]))
@settings(max_examples=60, deadline=None)
def test_scores_are_those_of_the_definition(data, directed, workers):
    weights = data.draw(st.sampled_from([st.none(), st.integers(0, 5)]))
    n, edges = data.draw(edge_lists(weights=weights, max_n=10, min_edges=1))
    jump = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))) + 0.0
    jump = np.ones(n) if not jump.sum() else jump
    damping = data.draw(st.sampled_from([0.0, 0.5, 0.85]))
    with pytest.MonkeyPatch.context() as patch, tg.threads(workers):
        patch.setitem(SERIAL_BELOW, "pagerank", 0)
        g = make(edges, n, "int32" if len(edges[0]) > 2 else None, directed=directed)
        r = tg.pagerank(
            g, damping=damping, tol=1e-12, max_iter=500, personalization=jump, verify=True
        )
    assert r.converged
    expected = dense(n, edges, directed, damping, jump / jump.sum())
    np.testing.assert_allclose(r.scores, expected, atol=1e-10)


@given(
    case=edge_lists(max_n=12, min_edges=1), directed=st.booleans(), workers=st.sampled_from([1, 3])
)
@settings(max_examples=60, deadline=None)
def test_rough_scores_are_the_same_for_any_number_of_threads(case, directed, workers):
    n, edges = case
    g = make(edges, n, None, directed=directed)
    with pytest.MonkeyPatch.context() as patch, tg.threads(workers):
        patch.setitem(SERIAL_BELOW, "pagerank", 0)
        rough = tg.pagerank(g, tol=1e-4, verify=True)
        with tg.threads(1):
            assert np.array_equal(rough.scores, tg.pagerank(g, tol=1e-4).scores)


@pytest.mark.parametrize("tol", [1e-2, 1e-4, 1e-6, 1e-9])
@pytest.mark.parametrize(
    "make_graph",
    [
        lambda: tg.road(60, 60, rng=4),
        lambda: tg.road(60, 60, rng=4).without_weights(),
        lambda: tg.disjoint_union(tg.small_world(500, rng=1), tg.path(1), tg.path(2)),
        lambda: tg.disjoint_union(tg.star(2000), tg.path(3000)),
    ],
)
def test_what_is_left_to_change_is_not_more_than_the_result_says(make_graph, tol):
    """The residual is updated in each iteration; here it is computed anew."""
    g = make_graph()
    r = tg.pagerank(g, tol=tol)
    matrix = np.asarray(g.to_scipy().todense(), float)
    if g.weights is None:
        matrix = (matrix > 0).astype(float)
    out = matrix.sum(axis=1)
    shares = np.divide(r.scores, out, out=np.zeros(g.n), where=out > 0)
    jumps = 0.15 + 0.85 * r.scores[out == 0].sum()
    change = np.abs(0.85 * matrix.T @ shares + jumps / g.n - r.scores).sum()
    assert change / 0.85 <= r.trace["change"][-1] < tol
    assert abs(r.scores.sum() - 1) < 1e-6


def test_scores_that_settle_slowly_are_left_to_conjugate_gradients(monkeypatch):
    monkeypatch.setitem(SERIAL_BELOW, "pagerank", 0)
    for name, value in (("DEGREE", 0), ("ARCS", 0)):
        monkeypatch.setattr(kernel, f"RICH_FROM_{name}", value)
    monkeypatch.setattr(kernel, "RICH_BELOW_CLOSED", 2.0)
    g = tg.road(90, 90, rng=4).without_weights()
    both = tg.pagerank(g, tol=1e-9, max_iter=500, threads=1, verify=True)
    assert np.array_equal(tg.pagerank(g, tol=1e-9, max_iter=500, threads=3).scores, both.scores)
    monkeypatch.setattr(kernel, "CONJUGATE_FROM_TOLERANCE", 1.0)
    staged = tg.pagerank(g, tol=1e-9, max_iter=500, threads=1)
    assert both.converged
    assert both.iterations < staged.iterations
    np.testing.assert_allclose(both.scores, staged.scores, atol=1e-9)
    monkeypatch.setattr(kernel, "CONJUGATE_FROM_TOLERANCE", 0.0)
    for most in (1, 2, 3, 4):  # ends before, with and after the change of methods
        with pytest.warns(tg.TachographWarning, match="did not converge"):
            few = tg.pagerank(g, tol=1e-9, max_iter=most, threads=1)
        assert few.iterations == most
        assert abs(few.scores.sum() - 1) < 1e-12


def test_small_random_graphs_begin_with_scores_that_follow_the_degrees(monkeypatch):
    g = tg.kronecker(15, edge_factor=8, rng=6)
    few = tg.pagerank(g, tol=1e-4, verify=True)
    monkeypatch.setattr(kernel, "RICH_FROM_ARCS", 1 << 40)
    assert few.iterations < tg.pagerank(g, tol=1e-4).iterations


def test_a_sample_tells_how_often_neighbours_are_neighbours():
    assert kernel.closed_share(tg.complete(200).rows) > 0.95
    assert kernel.closed_share(tg.star(200).rows) == 0
    assert kernel.closed_share(tg.uniform(4000, 8, rng=1).rows) < 0.05


@pytest.mark.parametrize("name", GRAPHS)
def test_against_networkx(name):
    g = GRAPHS[name]()
    ours = tg.pagerank(g, tol=1e-10, max_iter=1000, verify=True).scores
    theirs = nx.pagerank(g.to_networkx(), tol=1e-12, max_iter=2000)
    np.testing.assert_allclose(ours, [theirs[v] for v in range(g.n)], atol=1e-8)


@pytest.mark.parametrize(
    "make_graph",
    [
        lambda: tg.kronecker(13, rng=2, directed=True, weights=True),
        lambda: tg.kronecker(13, rng=3),  # four stages
        lambda: tg.road(90, 90, rng=4),  # conjugate gradients, with weights
        lambda: tg.road(90, 90, rng=4).without_weights(),
        lambda: tg.kronecker(13, rng=3, directed=True),
    ],
)
def test_the_same_scores_for_any_number_of_threads(make_graph, monkeypatch):
    monkeypatch.setitem(SERIAL_BELOW, "pagerank", 0)
    monkeypatch.setattr(kernel, "RICH_FROM_ARCS", 0)
    g = make_graph()
    one = tg.pagerank(g, threads=1)
    for workers in (2, 4):
        for _ in range(10):
            r = tg.pagerank(g, threads=workers)
            assert np.array_equal(r.scores, one.scores)
            assert r.iterations == one.iterations


@pytest.mark.parametrize("tolerance", [1e-3, 1e-6])
@pytest.mark.parametrize(
    "make_graph",
    [
        lambda: tg.kronecker(13, rng=5),
        lambda: tg.uniform(8000, 16, rng=5),
        lambda: tg.kronecker(12, rng=5, directed=True),
        lambda: tg.road(90, 90, rng=5),
        lambda: shuffled(tg.road(90, 90, rng=5), 1000),
        lambda: shuffled(tg.small_world(8000, 6, rng=5), 100),
    ],
)
def test_scores_are_as_near_as_the_tolerance_says(make_graph, tolerance, monkeypatch):
    """What is left to change is at most ``damping / (1 - damping)`` times the last change."""
    monkeypatch.setattr(kernel, "RICH_FROM_ARCS", 0)
    g = make_graph()
    scores = tg.pagerank(g, tol=tolerance, verify=True).scores
    matrix = g.to_scipy().astype(np.float64)
    out = matrix.sum(axis=1)
    exact = np.full(g.n, 1 / g.n)
    for _ in range(200):
        share = np.divide(exact, out, out=np.zeros(g.n), where=out > 0)
        exact = 0.85 * (matrix.T @ share + exact[out == 0].sum() / g.n) + 0.15 / g.n
    assert abs(scores - exact).sum() <= tolerance * 0.85 / 0.15


def test_pairs_and_vertices_without_arcs_beside_a_rich_part(monkeypatch):
    monkeypatch.setattr(kernel, "RICH_FROM_ARCS", 0)
    source, target = tg.uniform(6000, 16, rng=8).to_edges()[:2]
    pairs = np.arange(6000, 6400, 2)
    g = tg.Graph.from_edges(
        np.append(source, pairs), np.append(target, pairs + 1), n=7000, directed=False
    )
    r = tg.pagerank(g, tol=1e-6, verify=True)
    exact = tg.pagerank(g, tol=1e-13, verify=True).scores
    assert abs(r.scores - exact).sum() < 1e-6 * 0.85 / 0.15
    assert r.iterations < 10


def test_an_unreachable_tolerance_asks_for_the_power_method():
    g = tg.kronecker(12, rng=6)
    r = tg.pagerank(g, tol=1e-20, max_iter=4)
    matrix, out = g.to_scipy().astype(np.float64), g.degrees
    x = np.full(g.n, 1 / g.n)
    for _ in range(4):
        share = np.divide(x, out, out=np.zeros(g.n), where=out > 0)
        x = 0.85 * (matrix.T @ share + x[out == 0].sum() / g.n) + 0.15 / g.n
    assert r.iterations == 4
    np.testing.assert_allclose(r.scores, x, rtol=1e-12)


def test_cap_trace_and_empty():
    with pytest.warns(tg.TachographWarning, match="did not converge: after max_iter = 3"):
        r = tg.pagerank(tg.kronecker(9, rng=1), max_iter=3)
    assert (r.iterations, r.converged, len(r.trace)) == (3, False, 3)
    assert (np.diff(r.trace["change"]) < 0).all()
    empty = tg.pagerank(tg.Graph.from_edges([], []))
    assert (empty.scores.size, empty.converged) == (0, True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"damping": 1.5}, "probability"),
        ({"damping": float("nan")}, "probability"),
        ({"tol": 0}, "above 0"),
        ({"max_iter": 0}, "from 1 to"),
        ({"personalization": [1]}, "there are 3 vertices"),
        ({"personalization": [0, 0, 0]}, "not all zero"),
        ({"personalization": [1, -1, 1]}, "none negative"),
        ({"personalization": [1, float("nan"), 1]}, "finite"),
    ],
)
def test_bad_arguments(options, message):
    with pytest.raises(tg.InputError, match=message):
        tg.pagerank(tg.path(3), **options)
    with pytest.raises(tg.InputError, match="not negative"):
        tg.pagerank(tg.Graph.from_edges([0], [1], [-1]))


@given(case=edge_lists(weights=WHOLE, min_edges=1))
@settings(max_examples=50, deadline=None)
def test_products(case):
    n, edges = case
    x = np.linspace(-1, 1, n)
    expected = np.zeros(n)
    for u, v, w in edges:
        expected[u] += w * x[v]
    found = tg.spmv(make(edges, n, "int32"), x, verify=True)
    np.testing.assert_allclose(found.values, expected, atol=1e-9)


def test_verifiers_find_errors():
    g = tg.road(5, 5, rng=1)
    with pytest.raises(tg.InputError, match="the vector has shape"):
        tg.spmv(g, [1, 2])
    with pytest.raises(tg.VerificationError, match="SciPy's product"):
        check_product(g, np.ones(25), np.ones(25))
    scores = tg.pagerank(g).scores.copy()
    jump = np.full(25, 1 / 25)
    check_pagerank(g, scores, 0.85, jump, 1e-6)
    for wrong, message in (
        (scores * 2, "sum to 1"),
        (scores[::-1].copy(), "settle"),
        (-scores, "negative"),
    ):
        with pytest.raises(tg.VerificationError, match=message):
            check_pagerank(g, wrong, 0.85, jump, 1e-6)


def test_scores_that_fall_much_at_first_do_not_end_it():
    """Making changes larger from the beginning let sums become negative, and changes with them."""
    last = tg.Graph.from_edges(np.arange(99), np.full(99, 99), n=100, directed=False)
    pair = tg.Graph.from_edges([0], [1], n=2, directed=False)
    for g, jump in ((last, np.ones(100)), (pair, np.array([1.0, 0.0]))):
        r = tg.pagerank(g, tol=1e-12, personalization=jump, verify=True)
        assert r.converged
        assert (r.trace.to_pandas()["change"] >= 0).all()
    assert r.scores == pytest.approx([0.15 / (1 - 0.85**2), 0.15 * 0.85 / (1 - 0.85**2)])


@pytest.mark.parametrize("tol", [1e-4, 1e-12])
def test_what_no_jump_leads_to_has_no_score(tol):
    g = tg.disjoint_union(tg.path(50), tg.star(60), tg.path(1))
    jump = np.zeros(g.n)
    jump[3] = 1
    scores = tg.pagerank(g, tol=tol, personalization=jump).scores
    assert (scores[50:] == 0).all()
    assert (scores >= 0).all()
    assert abs(scores.sum() - 1) < 1e-6


def test_personalization_by_name():
    g = tg.Graph.from_edges(["a", "b", "c"], ["b", "c", "a"], relabel=True)
    by_name = tg.pagerank(g, personalization={"b": 1, "c": 3}, verify=True)
    assert np.array_equal(by_name.scores, tg.pagerank(g, personalization=[0, 1, 3]).scores)
    plan = tg.plan("pagerank", g, personalization={"b": 2.0})
    assert plan.run().scores.argmax() == 1
    assert np.array_equal(
        tg.pagerank(tg.path(3), personalization={2: 1}).scores,
        tg.pagerank(tg.path(3), personalization=[0, 0, 1]).scores,
    )
    with pytest.raises(tg.InputError, match="no vertex named 'bb'; did you mean b"):
        tg.pagerank(g, personalization={"bb": 1})
    with pytest.raises(tg.InputError, match="none negative"):
        tg.pagerank(g, personalization={"b": -1})
    with pytest.raises(tg.InputError, match="personalization"):
        tg.pagerank(g, personalization={"b": "much"})
    with pytest.raises(tg.InputError, match="one number for each vertex"):
        tg.pagerank(g, personalization={"b": [1, 2]})
    with pytest.raises(tg.InputError, match="a vertex twice: by its name and by its id"):
        tg.pagerank(g, personalization={"b": 1, 1: 5})
