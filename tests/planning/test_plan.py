from __future__ import annotations

import json

import numpy as np
import pytest

import tachograph as tg
from tachograph.algorithms.audit import audit
from tachograph.algorithms.sssp import audited


@pytest.fixture
def graph():
    return tg.kronecker(13, seed=5, weights=True)


def test_a_plan_says_what_it_would_run_and_runs_it(graph):
    plan = tg.plan("sssp", graph, source=7, max_error=0.1, confidence=0.8)
    assert plan.chosen.name in str(plan)
    assert plan.reason in str(plan)
    assert json.loads(json.dumps(plan.to_dict()))["confidence"] == 0.8
    result = plan.run(audit=True, threads=2)
    assert str(result.approximation) in plan.chosen.name
    exact = tg.sssp(graph, 7).distances
    assert (result.distances >= exact).all()
    assert result.audit.sample == result.audit.vertices == np.isfinite(exact).sum() - 1
    assert plan.run().audit is None


def test_without_weights_it_says_so():
    plan = tg.plan("sssp", tg.path(5), source=0, max_error=0.1)
    assert "each counts 1" in plan.reason
    assert plan.run(audit=True).audit.error == 0


def test_bad_plans(graph):
    with pytest.raises(tg.InputError, match="no plan for 'tsp': choose"):
        tg.plan("tsp", graph)
    with pytest.raises(tg.InputError, match="missing 1 required positional argument: 'max_error'"):
        tg.plan("sssp", graph, source=0)
    with pytest.raises(tg.InputError, match="unexpected keyword argument 'speed'"):
        tg.plan("sssp", graph, source=0, max_error=0.1, speed=3)
    with pytest.raises(tg.InputError, match="no vertex 99999"):
        tg.plan("sssp", graph, source=99999, max_error=0.1)


def test_the_interval_of_an_audit_holds_the_mean():
    random = np.random.default_rng(0)
    exact = random.integers(1, 100, 20_000).astype(float)
    found = np.where(
        random.random(exact.size) < 0.1, np.inf, exact * random.uniform(1, 1.3, exact.size)
    )
    whole = audit(exact, found, np.array([0]), sample=exact.size)
    assert whole.low == whole.error == whole.high
    assert "all 19,999 vertices" in str(whole)
    held = [
        part.low <= whole.error <= part.high
        for seed in range(200)
        for part in [audit(exact, found, np.array([0]), sample=500, seed=seed)]
    ]
    assert np.mean(held) >= 0.95
    part = audit(exact, found, np.array([0]), sample=500)
    assert 0 < part.low < part.high < 1
    assert "500 random vertices of 19,999" in str(part)


def test_an_audit_of_what_was_left_out_by_hand(graph):
    one = tg.sssp(graph, 3, algorithm="dijkstra", approximation=tg.Approximation(iterations=1))
    found = audited(graph, 3, one)
    assert found.audit.error > 0
    assert np.array_equal(found.distances, one.distances)
