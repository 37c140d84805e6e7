"""Deadlines: the most accurate way in time, and answers that were stopped say what they are."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import tachograph as tg
from tachograph.decisions.approximation.state import Configuration
from tachograph.journal import journal
from tachograph.tasks.estimate import Estimate
from tachograph.util.limits import Deadline, deadline, was_cut


@pytest.fixture(scope="module")
def graph():
    return tg.kronecker(15, 16, rng=5, weights=True)


@pytest.fixture(params=[0, 1, 3, 30], ids=lambda looks: f"cut at look {looks}")
def cut(request, monkeypatch):
    """The deadline passes at a certain look at the clock, whatever the machine does meanwhile."""
    looks = iter(range(10**9))
    monkeypatch.setattr(Deadline, "left", property(lambda _: float(next(looks) < request.param)))
    monkeypatch.setattr("tachograph.kernels.runtime.launch.WAITING_SECONDS", 1e-5)


def test_levels_of_a_search_that_was_stopped(graph, cut):
    source = int(graph.degrees.argmax())
    whole = tg.bfs(graph, source)
    found = tg.bfs(graph, source, deadline=1, verify=True)
    known = found.levels >= 0
    assert np.array_equal(found.levels[known], whole.levels[known])
    assert np.array_equal(known, found.parents >= 0)
    assert found.levels[source] == 0
    below = known & (np.arange(graph.n) != source)
    assert (found.levels[found.parents[below]] == found.levels[below] - 1).all()
    if found.run.stopped:
        complete = int(found.run.stopped.rsplit(" ", 1)[1])
        within = (whole.levels >= 0) & (whole.levels <= complete)
        assert known[within].all()
    else:
        assert np.array_equal(found.levels, whole.levels)


@pytest.mark.parametrize("algorithm", ["auto", "bellman-ford", "dijkstra", "hybrid"])
@pytest.mark.parametrize("what", ["kronecker", "road", "hops"])
def test_distances_of_a_search_that_was_stopped(graph, cut, algorithm, what):
    g = tg.road(60, 60, rng=1, weights=(1, 9)) if what == "road" else graph
    if what == "hops":
        g = tg.Graph.from_edges(*graph.to_edges()[:2], n=graph.n, directed=False)
    source = int(g.degrees.argmax())
    exact = tg.sssp(g, source).distances
    found = tg.sssp(g, source, algorithm=algorithm, deadline=1, verify=True)
    assert found.distances[source] == 0
    assert (found.distances >= exact).all()
    assert found.exact == (not found.run.stopped)
    assert found.run.stopped or np.array_equal(found.distances, exact)


@pytest.mark.parametrize("kind", [np.int32, np.float64], ids=lambda kind: kind.__name__)
def test_a_team_that_is_far_apart_as_the_time_ends(monkeypatch, kind):
    """It leaves all to one worker, who has no time left: memory as it was found is no distance."""
    thin = tg.kronecker(15, 4, rng=1, weights=True)
    g = tg.Graph.from_csr(*thin.rows, thin.weights.astype(kind), directed=False)
    monkeypatch.setattr("tachograph.kernels.runtime.team.given_meeting", 10**9)
    assert set(tg.sssp(g, 5, threads=2).trace["threads"]) == {1}  # and all is compiled
    monkeypatch.setattr("tachograph.kernels.sssp.delta_stepping.was_cut", lambda: True)
    monkeypatch.setattr(np, "empty", lambda shape, dtype=float: np.full(shape, 7, dtype))
    found = tg.sssp(g, 5, threads=2).distances
    assert np.flatnonzero(np.isfinite(found)).tolist() == [5]


def test_a_budget_says_that_nothing_is_proved(graph, monkeypatch):
    monkeypatch.setattr(Deadline, "left", 0.0)
    source = int(graph.degrees.argmax())
    found = tg.plan("sssp", graph, source=source, max_error=0.05, deadline=1).run()
    assert found.run.stopped
    assert not found.exact
    again = tg.sssp(graph, source, max_error=0.05)  # must not believe what that search has reached
    assert again.budget.bound <= 0.05
    exact = tg.sssp(graph, source).distances
    assert np.isfinite(again.distances).sum() >= 0.95 * np.isfinite(exact).sum()


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("scale", [10, 15])
def test_scores_of_whole_iterations(directed, scale):
    g = tg.kronecker(scale, 8, rng=2, directed=directed)
    exact = tg.pagerank(g, tol=1e-12)
    found = tg.pagerank(g, deadline=1e-9)
    assert found.run.stopped
    assert not found.converged
    assert found.iterations < tg.pagerank(g).iterations
    assert found.scores.sum() == pytest.approx(1)
    assert found.iterations <= 2
    left = (float(found.trace["change"][-1]) + 1e-6) / (1 - 0.85)
    assert np.abs(found.scores - exact.scores).sum() <= left


def test_nothing_to_show_is_an_error(graph, monkeypatch):
    monkeypatch.setattr(Deadline, "left", 0.0)
    with pytest.raises(tg.TimeLimitError, match="deadline of 1 seconds, with nothing to show"):
        tg.plan("components", graph, deadline=1).run()
    with pytest.raises(tg.TimeLimitError):
        tg.triangles(graph, deadline=1)
    assert tg.connected_components(graph).count


def test_a_search_that_others_build_on_must_be_finished(monkeypatch):
    def late(self, partial):  # in the midst of the search
        self.cut |= partial
        return partial

    monkeypatch.setattr("tachograph.algorithms.strong.SEARCH_FROM_ARCS", 1)
    monkeypatch.setattr(Deadline, "late", late)
    ring = tg.Graph.from_edges([0, 1, 2], [1, 2, 0])
    with pytest.raises(tg.TimeLimitError, match="nothing to show"):
        tg.strongly_connected_components(ring, deadline=1)
    with pytest.raises(tg.TimeLimitError, match="nothing to show"):
        tg.maximum_flow(ring, 0, 2, capacity=[np.inf, np.inf, 1.0], deadline=1)


def test_no_time_is_lost_by_compiling():
    with deadline(1.0, 1.0) as end:
        before = end.left
        end.put_off(2.0)
        assert end.left > before + 1
        assert not was_cut()
    assert not was_cut()


def fake(monkeypatch, times):
    """Let ways be predicted to take so many seconds, up to twice as long or half as long."""

    def estimated(name, *rest):
        seconds = times.get(name.partition("/")[2], 5.0)
        return Estimate(seconds, seconds / 2, seconds * 2, seconds, 1)

    monkeypatch.setattr("tachograph.tasks.decide.estimate", estimated)


def test_the_most_accurate_way_in_time_comes_first(graph, monkeypatch):
    source = int(graph.degrees.argmax())
    fake(monkeypatch, {"auto": 1.0, "dijkstra": 0.1})

    def first(**told):
        return tg.plan("sssp", graph, source=source, **told)

    assert first(deadline=3).chosen.name == "auto"  # the default, though another is faster
    assert first(deadline=0.5).chosen.name == "dijkstra"  # exact, and in time
    late = first(deadline=0.01)
    assert late.chosen.name == "auto"
    assert "no way is predicted to keep the deadline with 90%" in late.reason
    approximate = first(deadline=3, max_error=0.1)
    assert approximate.chosen.error_bound == 0  # no error is needed
    sure = first(deadline=2.0, max_error=0.1, confidence=0.99)
    assert sure.chosen.name == "dijkstra"


def test_a_deadline_of_a_task_that_nobody_has_timed_promises_nothing(graph):
    unknown = tg.plan("betweenness_centrality", graph, deadline=10)
    assert unknown.reason.startswith("no times are predicted")


def test_an_approximation_is_taken_if_nothing_else_is_in_time(graph, monkeypatch):
    fake(monkeypatch, {"auto": 1.0})
    few = Configuration("delta-stepping", tg.Approximation(iterations=2))
    fast = SimpleNamespace(configuration=few, gain=10, gain_bound=9, error=0.01, error_bound=0.05)
    advice = SimpleNamespace(chosen=fast, others=(), reason="")
    monkeypatch.setattr("tachograph.tasks.decide._advice", lambda question: advice)
    source = int(graph.degrees.argmax())
    for seconds, bound in ((3, 0.0), (0.5, 0.05), (0.01, 0.05)):
        plan = tg.plan("sssp", graph, source=source, max_error=0.1, deadline=seconds)
        assert plan.chosen.error_bound == bound
        assert plan.reason.startswith("no way" if seconds == 0.01 else "the most accurate")
    assert plan.run().approximation.iterations == 2


def test_chances_follow_the_interval():
    guess = Estimate(1.0, 0.5, 2.0)
    assert guess.chance(1.0) == 0.5
    assert guess.chance(0.5) == pytest.approx(0.05, abs=1e-6)
    assert guess.chance(2.0) == pytest.approx(0.95, abs=1e-6)
    assert Estimate().chance(1.0) is None
    assert guess.chance(0.0) == Estimate(3.0, 2.0, 4.0).chance(5e-324) == 0
    assert Estimate(0.0, 0.0, 0.0).chance(0.1) == 1


def test_plans_and_the_journal_tell_of_deadlines(graph):
    plan = tg.plan("bfs", graph, source=0, deadline=60)
    assert plan.deadline == plan.to_dict()["deadline"] == 60
    assert plan.to_dict()["candidates"][0]["in_time"] > 0.99
    assert "in time" in str(plan)
    assert "deadline=60" in str(plan)
    assert not plan.run().run.stopped
    kept = journal().runs(task="bfs", last=1)[0].plan
    assert kept["deadline"] == 60
    assert kept["stopped"] == ""


@pytest.mark.parametrize("bad", [0, -1, float("nan"), float("inf"), "soon"])
def test_bad_deadlines(graph, bad):
    with pytest.raises(tg.InputError, match="deadline"):
        tg.plan("bfs", graph, source=0, deadline=bad)


@pytest.mark.parametrize("odd", [5e-324, 9.3e9, 1e300])
@pytest.mark.parametrize("task", ["bfs", "pagerank"])
def test_the_shortest_and_the_longest_deadlines(task, odd):
    given = {"source": 0} if task == "bfs" else {}
    plan = tg.plan(task, tg.path(9), deadline=odd, **given)
    assert len(str(plan))
    if odd > 1:
        assert not plan.run().run.stopped
