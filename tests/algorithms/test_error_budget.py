"""Shortest paths within an error budget: what is proved holds, on any graph, and repair is exact."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tachograph as tg
from tachograph.algorithms import sssp_budget
from tachograph.algorithms.budget import Budget
from tachograph.decisions import graphs as registry
from tachograph.decisions.approximation.calibrate import sources_of
from tachograph.decisions.approximation.rules import inaccuracy
from tachograph.kernels.runtime.launch import SERIAL_BELOW
from tachograph.kernels.sssp import certificate, delta_stepping
from tests.algorithms.test_sssp import dtype, expected, weighted
from tests.graph.test_build import make
from tests.strategies import edge_lists

WEIGHTS = st.one_of(
    st.integers(1, 60), st.integers(50, 60), st.integers(1, 400).map(lambda x: x / 8)
)


@pytest.fixture
def eager(monkeypatch):
    """Every graph is searched by a team that may stop early."""
    monkeypatch.setitem(SERIAL_BELOW, "sssp", 0)
    monkeypatch.setattr(delta_stepping, "ROAD_MEAN_DEGREE", -1)
    monkeypatch.setattr(delta_stepping, "TRIGGER_PART", 1 << 20)


@pytest.fixture
def shared(monkeypatch):
    """Small graphs are searched by a team, too."""
    monkeypatch.setitem(SERIAL_BELOW, "sssp", 0)


@given(data=st.data(), most=st.sampled_from([0.01, 0.05, 0.2, 0.6]))
@settings(max_examples=100, deadline=None)
def test_what_is_certain_holds_on_any_graph(data, most):
    n, edges = data.draw(edge_lists(WEIGHTS, min_edges=1, max_n=24, max_edges=90))
    directed = data.draw(st.booleans())
    sources = data.draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=3, unique=True))
    g = make(edges, n, dtype(edges), directed=directed)
    g.transpose  # noqa: B018
    exact = np.array(expected(n, edges, sources, directed))
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(SERIAL_BELOW, "sssp", 0)
        patch.setattr(delta_stepping, "ROAD_MEAN_DEGREE", -1)
        patch.setattr(delta_stepping, "TRIGGER_PART", 1 << 20)
        for _ in range(2):  # the second time, what can be reached may be known
            found = tg.sssp(g, sources, max_error=most, confidence=0.9, threads=2, verify=True)
            assert (found.distances >= exact).all()
            error = inaccuracy(exact, found.distances, sources).mean
            assert error <= found.budget.certain + 1e-6
            assert found.budget.bound <= most
            if found.budget.exact:
                assert found.distances.tolist() == exact.tolist()


@pytest.mark.parametrize("kind", [np.int32, np.float64])
def test_some_searches_stop_early_and_are_good_enough(kind, eager):
    g = weighted(tg.kronecker(12, rng=3), kind=kind)
    stopped = 0
    for source in (int(g.degrees.argmax()), 5, 77):
        exact = tg.sssp(g, source).distances
        for most in (0.01, 0.05, 0.2):
            found = tg.sssp(g, source, max_error=most, threads=2, verify=True)
            error = inaccuracy(exact, found.distances, source).mean
            assert error <= min(found.budget.certain, 1.5 * most)
            stopped += not found.exact
            assert found.exact == found.budget.exact == (found.budget.certain == 0)
    assert stopped >= 4


def test_threads_do_not_change_the_answer(eager):
    g = weighted(tg.kronecker(12, rng=3))
    found = [tg.sssp(g, 5, max_error=0.1, threads=t) for t in (2, 3, 4)]
    assert not found[0].exact
    for other in found[1:]:
        assert np.array_equal(found[0].distances, other.distances)
        assert found[0].budget == other.budget


def arcs_of(n, *arcs):
    """A graph with its transpose from groups of arcs: sources, targets, one weight."""
    ends = [np.broadcast_arrays(s, t) for s, t, _ in arcs]
    source, target = (np.concatenate([e[side] for e in ends]) for side in (0, 1))
    weights = np.concatenate([np.full(e[0].size, a[2]) for e, a in zip(ends, arcs, strict=True)])
    g = tg.Graph.from_edges(source, target, weights, n=n)
    g.transpose  # noqa: B018
    return g


def test_an_arc_that_was_left_out_is_doubted(shared):
    """Most vertices are found at 3040 before arcs are left out, and at 2125 by an arc that is left out."""
    rng = np.random.default_rng(0)
    near, busy, next_, late = np.split(np.arange(20_001, 22_701), [100, 200, 2200])
    many = np.arange(1, 20_001)
    g = arcs_of(
        22_701,
        (0, many, 3040),
        (0, near, 1010),
        (0, busy, 1000),
        (rng.choice(near, many.size), many, 1115),
        (rng.choice(busy, 5 * next_.size), np.repeat(next_, 5), 1000),
        (rng.choice(next_, late.size), late, 10_000),
        (rng.choice(late, 14 * many.size), np.repeat(many, 14), 1000),
    )
    exact = tg.sssp(g, 0).distances
    found = tg.sssp(g, 0, max_error=0.05, confidence=0.999, threads=2)
    assert not found.exact
    assert inaccuracy(exact, found.distances, 0).mean <= found.budget.certain


def test_what_ends_beyond_the_type_is_not_out_of_reach(eager):
    """Most vertices are so far away that int32 does not hold their distances."""
    rng = np.random.default_rng(0)
    far = 2**30 - 1
    busy, next_, gates, many = np.split(np.arange(2, 21_007), [500, 1000, 1005])
    g = arcs_of(
        21_007,
        (0, np.array([1]), 1000),
        (1, busy, 10**8),
        (1, gates, far),
        (rng.choice(busy, 10 * next_.size), np.repeat(next_, 10), 10**8),
        (rng.choice(gates, 15 * many.size), np.repeat(many, 15), far),
    )
    exact = tg.sssp(g, 0).distances
    assert np.isfinite(exact).all()
    found = tg.sssp(g, 0, max_error=0.05, confidence=0.999, threads=2)
    assert inaccuracy(exact, found.distances, 0).mean <= found.budget.certain


@pytest.mark.parametrize("directed", [False, True])
def test_an_answer_that_is_not_good_enough_is_continued_to_the_exact_one(
    directed, eager, monkeypatch
):
    """The sample is made to promise too much, so that the certificate refuses."""
    g = weighted(tg.kronecker(11, rng=2, directed=directed))
    g.transpose  # noqa: B018
    wanted = sssp_budget.Wanted.allowance

    def bold(self, *given):
        return wanted(self, *given)._replace(error=1e-4, share=2e-4)

    monkeypatch.setattr(sssp_budget.Wanted, "allowance", bold)
    monkeypatch.setattr(certificate, "FEWEST_SAMPLED", 1)
    monkeypatch.setattr(sssp_budget, "TRIES_IN_VAIN", 1000)
    repaired = 0
    for source in range(0, 60, 3):
        exact = tg.sssp(g, source, algorithm="bellman-ford").distances
        found = tg.sssp(g, source, max_error=0.2, threads=3, verify=True)
        if found.budget.repaired:
            repaired += 1
            assert found.budget.exact
            assert "went on" in found.budget.how
        if found.budget.exact:
            assert np.array_equal(found.distances, exact)
    assert repaired


def test_vertices_in_other_parts_are_not_lost(eager):
    """Until something is known, all that was not reached counts; then only what can be reached."""
    one = tg.kronecker(11, rng=2).to_edges()
    n = 1 << 11
    source, target = (np.concatenate([side, side + n]) for side in one[:2])
    weights = np.random.default_rng(1).integers(1, 200, source.size).astype(np.int32)
    g = tg.Graph.from_edges(source, target, weights, n=2 * n, directed=False)
    begin = int(g.degrees[:n].argmax())
    first, second = (tg.sssp(g, begin, max_error=0.2, threads=2) for _ in range(2))
    assert first.exact
    assert not second.exact
    assert second.budget.seen["lost"] < 0.2
    other = tg.sssp(g, begin + n, max_error=0.2, threads=2)
    assert other.exact  # nothing is known of that part


def test_what_was_tried_in_vain_is_not_tried_again(eager):
    """Then the answer is exact at once, which costs nothing; but only if no more is allowed."""
    g = weighted(tg.kronecker(11, rng=2))
    begin = int(g.degrees.argmax())
    said = [tg.sssp(g, begin, max_error=1e-5, threads=2).budget for _ in range(4)]
    assert all(budget.exact for budget in said)
    assert ["earlier" in budget.how for budget in said] == [False, False, False, True]
    assert not tg.sssp(g, begin, max_error=0.2, threads=2).budget.exact
    # what was possible with more allowed is no reason to try it again with less
    assert "earlier" in tg.sssp(g, begin, max_error=1e-5, threads=2).budget.how


def test_a_sample_must_be_sure_before_a_certificate_is_made(shared):
    """With one standard deviation, two of these six searches were continued to the exact answer."""
    name = "kronecker 14 16"
    g = registry.weighted(registry.graph_named(name))
    for source in sources_of(name, g, 3):
        for most in (0.05, 0.1):
            found = tg.sssp(g, source, max_error=most, threads=2)
            assert not found.budget.exact


def test_where_nothing_can_be_gained_the_answer_is_exact_and_says_why():
    small = tg.sssp(weighted(tg.star(5)), 0, max_error=0.1)
    assert small.budget.exact
    assert "small" in small.budget.how
    assert "breadth-first" in tg.sssp(tg.path(5), 0, max_error=0.1).budget.how
    negative = tg.Graph.from_edges([0, 1], [1, 2], [2, -1])
    assert "negative" in tg.sssp(negative, 0, max_error=0.1).budget.how


def test_a_directed_graph_without_its_transpose_is_searched_exactly(eager):
    g = weighted(tg.kronecker(10, rng=2, directed=True))
    found = tg.sssp(g, 3, max_error=0.1, threads=2)
    if not g.has_transpose:
        assert "transpose" in found.budget.how


def test_audit_and_facts_tell_of_the_budget(eager):
    g = weighted(tg.kronecker(12, rng=3))
    found = tg.sssp(g, 5, max_error=0.1, threads=2, audit=True)
    assert found.audit.error <= found.budget.certain
    assert found.facts()["budget"] is found.budget
    assert set(found.budget.seen) == {"doubt", "lost"}
    assert "certify" in found.trace["phase"].tolist()


@pytest.mark.parametrize("bad", [{"max_error": 0}, {"max_error": 1.5}, {"confidence": 1}])
def test_what_is_not_a_share_is_refused(bad):
    with pytest.raises(tg.InputError, match="is a share"):
        tg.sssp(weighted(tg.path(4)), 0, **{"max_error": 0.1, **bad})


def test_ctrl_c_during_a_search_returns_nothing(eager, monkeypatch):
    """A state that was reached when the run was stopped is not an answer."""

    def stopped(*_, **__):
        raise KeyboardInterrupt

    g = weighted(tg.kronecker(10, rng=3))
    monkeypatch.setattr(delta_stepping, "run_team", stopped)
    with pytest.raises(KeyboardInterrupt):
        tg.sssp(g, 5, max_error=0.1, threads=2)


def test_a_budget_in_words():
    said = Budget(0.05, 0.9, 0.0, 0.0, "nothing would be gained")
    assert str(said) == "exact (5.00% allowed): nothing would be gained"
    assert said.to_dict()["certain"] == 0.0
