from __future__ import annotations

import json
import math

import numpy as np
import pytest

import tachograph as tg
from tachograph.algorithms.audit import audit
from tachograph.algorithms.sssp import audited
from tachograph.journal import Run, journal
from tachograph.tasks.table import TASKS

PLANNED = [
    "bfs",
    "sssp",
    "pagerank",
    "connected_components",
    "jaccard",
    "maximal_independent_set",
    "maximum_flow",
]


@pytest.fixture
def graph():
    return tg.kronecker(13, 64, rng=5, weights=True)


def questions(graph):
    """Every task with what it needs to be told."""
    return {
        "bfs": {"source": 1}, "sssp": {"source": 1}, "pagerank": {}, "connected_components": {},
        "jaccard": {}, "maximal_independent_set": {"rng": 3},
        "maximum_flow": {"source": 0, "sink": graph.n - 1},
    }  # fmt: skip


@pytest.mark.parametrize("task", PLANNED)
@pytest.mark.parametrize("directed", [False, True])
def test_every_candidate_of_every_task_gives_the_same_answer(task, directed):
    graph = tg.kronecker(9, rng=5, weights=True, directed=directed)
    told = questions(graph)[task]
    plan = tg.plan(task, graph, **told)
    usual = TASKS[task].function(graph, **told)
    name = next(iter(usual.to_dict()))
    for k, candidate in enumerate(plan.candidates):
        result = plan.run(k)
        assert np.allclose(result.to_dict()[name], usual.to_dict()[name])
        assert result.run.way == candidate.name
        assert candidate.estimate.low <= candidate.seconds <= candidate.estimate.high
        assert candidate.estimate.memory > 0
        assert candidate.name in str(plan)
        assert candidate.reason
    assert plan.candidates[0].name in ("auto", "host")
    assert json.loads(json.dumps(plan.to_dict()))["task"] == task


@pytest.mark.parametrize("graph", [tg.Graph.from_edges([], [], n=0), tg.path(1), tg.star(3)])
def test_plans_for_tiny_graphs(graph):
    tasks = ["pagerank", "components", "similarity", "mis"]
    for task in tasks if graph.directed else [*tasks, "triangles"]:
        assert tg.plan(task, graph).run().seconds >= 0
    if graph.n:
        assert tg.plan("bfs", graph, source=0).run().levels[0] == 0


def test_a_plan_with_an_error_budget(graph):
    plan = tg.plan("sssp", graph, source=7, max_error=0.1, confidence=0.8)
    assert plan.chosen.name in str(plan)
    assert plan.chosen.error_bound <= 0.1
    assert any(c.error_bound == 0 for c in plan.candidates)
    result = plan.run(audit=True, threads=2)
    assert result.budget.bound <= 0.1
    exact = tg.sssp(graph, 7).distances
    assert (result.distances >= exact).all()
    assert result.audit.sample == result.audit.vertices == np.isfinite(exact).sum() - 1
    assert plan.run().audit is None


def test_without_weights_it_says_so():
    plan = tg.plan("sssp", tg.path(5), source=0, max_error=0.1)
    assert "each counts 1" in plan.reason
    assert plan.run(audit=True).audit.error == 0


def test_negative_weights_leave_two_algorithms():
    graph = tg.Graph.from_edges([0, 1], [1, 2], [5, -2])
    plan = tg.plan("sssp", graph, source=0)
    assert {c.name for c in plan.candidates} == {"auto", "bellman-ford", "hybrid"}
    assert plan.run(1).distances.tolist() == [0, 5, 3]


def test_bad_plans(graph):
    with pytest.raises(tg.InputError, match="no task 'tsp': choose bfs, sssp"):
        tg.plan("tsp", graph)
    with pytest.raises(tg.InputError, match="needs source="):
        tg.plan("sssp", graph)
    with pytest.raises(tg.InputError, match="there is no 'speed': it takes source"):
        tg.plan("sssp", graph, source=0, speed=3)
    with pytest.raises(tg.InputError, match="direction is what a plan chooses"):
        tg.plan("bfs", graph, source=0, direction="push")
    with pytest.raises(tg.InputError, match="no vertex 99999"):
        tg.plan("sssp", graph, source=99999, max_error=0.1)
    with pytest.raises(tg.InputError, match=r"no candidate 9: choose 0 \(auto\)"):
        tg.plan("components", graph).run(9)
    with pytest.raises(tg.InputError, match="no candidate fast: choose 0"):
        tg.plan("components", graph).run("fast")
    with pytest.raises(tg.InputError, match="takes no 'audit'"):
        tg.plan("components", graph).run(audit=True)


def test_what_does_not_fit_is_refused_with_numbers(graph, monkeypatch):
    needs = {c.name: c.estimate.memory for c in tg.plan("sssp", graph, source=0).candidates}
    between = (min(needs.values()) + max(needs.values())) // 2
    monkeypatch.setattr("tachograph.util.memory.available", lambda: between)
    plan = tg.plan("sssp", graph, source=0)
    assert {c.name for c in plan.candidates} == {k for k, v in needs.items() if v <= between}
    assert len(plan.refused) == len(needs) - len(plan.candidates) > 0
    assert "are free" in str(plan)
    monkeypatch.setattr("tachograph.util.memory.available", lambda: 10)
    with pytest.raises(tg.TooLargeError, match=r"needs about .*, 10 B are free"):
        tg.plan("sssp", graph, source=0)


def test_more_iterations_take_longer(graph):
    usual = tg.plan("pagerank", graph).chosen.seconds
    assert tg.plan("pagerank", graph, tol=1e-12).chosen.seconds > 1.1 * usual
    assert tg.plan("pagerank", graph, max_iter=10).chosen.seconds < usual / 2


def test_earlier_runs_correct_the_prediction(graph, monkeypatch):
    first = tg.plan("components", graph).chosen.estimate
    for seconds in [3.0, 0.001] * 30:  # short runs say little
        journal().record(Run("connected_components", {}, seconds, plan={"base": 1.0}))
    monkeypatch.setattr("tachograph.tasks.experience.FRESH_SECONDS", 1e-9)
    plan = tg.plan("components", graph)
    assert 2 * first.base < plan.chosen.seconds < 3 * first.base
    assert plan.chosen.estimate.base == first.base
    assert "60 earlier runs" in str(plan)


def test_a_plan_without_times_does_not_speak_of_intervals(graph):
    shown = str(tg.plan("core_number", graph))
    assert "No model predicts the time of this task" in shown
    assert "90 %" not in shown
    assert "Times are predictions with 90 % intervals" in str(tg.plan("components", graph))


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
        for part in [audit(exact, found, np.array([0]), sample=500, rng=seed)]
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


def test_a_graph_is_probed_once_and_not_at_all_if_not_wanted(graph, monkeypatch):
    from tachograph.kernels import features

    probed = []

    def count(*rows):
        probed.append(rows)
        return real(*rows)

    real = features.probe
    monkeypatch.setattr(features, "probe", count)
    blind = tg.plan("bfs", graph, source=0, probe=False)
    assert not probed
    assert "without a probe of this graph" in " ".join(str(blind).split())
    for task in ("bfs", "sssp"):
        for source in (0, 1):
            assert "ns an arc" in " ".join(str(tg.plan(task, graph, source=source)).split())
    assert len(probed) == 1
    assert blind.chosen.seconds > 0


def test_how_far_cores_are_apart_is_not_kept_with_the_graph(graph, monkeypatch):
    from tachograph.kernels import features

    found = []
    monkeypatch.setattr(features, "meeting", lambda: found.append(100.0 + len(found)) or found[-1])
    shapes = [tg.plan("pagerank", graph).question.shape for _ in range(2)]
    assert [shape["log_meeting"] for shape in shapes] == [math.log(x + 0.1) for x in found]
    assert len({shape["log_gather"] for shape in shapes}) == 1
    assert "log_meeting" not in tg.plan("pagerank", graph, probe=False).question.shape
    assert len(found) == 2


def test_one_thread_is_predicted_with_its_own_times(graph, monkeypatch):
    monkeypatch.setattr("tachograph.kernels.features.meeting", lambda: 100.0)
    plan = tg.plan("pagerank", graph)
    alone = next(c for c in plan.candidates if c.name == "one thread")
    with tg.threads(1):
        default = tg.plan("pagerank", graph).chosen
        assert default.name == "auto"
        assert default.seconds == alone.seconds


@pytest.mark.parametrize("width", [60, 80, 120])
def test_plans_and_comparisons_fit_the_terminal(monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    plan = tg.plan("bfs", tg.path(20), source=0)
    for shown in (str(plan), str(tg.what_if("bfs", tg.path(20), ["host"], source=0))):
        assert max(map(len, shown.splitlines())) <= width
        assert "\n   " in shown or width == 120
    assert all(
        " ".join(c.reason.split()) in " ".join(str(plan).split()) for c in plan.candidates[:1]
    )
