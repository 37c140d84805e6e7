"""What earlier runs make of predictions: they are corrected, and intervals are kept as promised."""

from __future__ import annotations

import json
import math
from types import SimpleNamespace

import numpy as np
import pytest
from typer.testing import CliRunner

import tachograph as tg
from tachograph.cli import app
from tachograph.journal import Run, journal
from tachograph.tasks import experience as room
from tachograph.tasks.estimate import Estimate
from tachograph.tasks.experience import Experience, Seen, experience
from tachograph.tasks.history import calibrations, reliability
from tachograph.util.cores import busy


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    monkeypatch.setattr(room, "FRESH_SECONDS", 0.0)


def stream(draw, model_margin=math.log(2.0), length=3000, forgetful=200):
    """Intervals for runs whose errors ``draw(t)`` gives; how often they were kept, and their widths."""
    runs, kept, widths = [], [], []
    for t in range(length):
        known = Experience(tuple(runs[-forgetful:]))
        stretch = known.stretch
        margin = model_margin * stretch
        off = draw(t)
        kept.append(abs(off) <= margin)
        widths.append(margin)
        runs.append(Seen("auto", "a", 1.0, off, kept[-1], True, stretch))
    return np.array(kept), np.array(widths)


@pytest.mark.parametrize("spread", [0.1, 0.4, 1.5])
def test_nine_of_ten_intervals_are_kept_however_wrong_the_model_is(spread):
    random = np.random.default_rng(1)
    kept, widths = stream(lambda t: random.normal(0, spread))
    assert 0.87 <= kept[200:].mean() <= 0.93
    wanted = 1.645 * spread
    assert 0.6 * wanted <= np.median(widths[200:]) <= 1.6 * wanted  # not wider than needed


def test_intervals_follow_a_machine_that_changes():
    random = np.random.default_rng(2)
    kept, _ = stream(lambda t: random.normal(0, 0.2 if t < 1500 else 0.8))
    assert kept[1550:1800].mean() >= 0.82
    assert 0.87 <= kept[1800:].mean() <= 0.93


def test_runs_on_the_graph_say_the_most():
    others = [Seen("auto", str(k), 1.0, math.log(2), True, True) for k in range(40)]
    here = [Seen("auto", "here", 1.0, math.log(0.5), True, True)] * 9
    known = Experience((*others, *here))
    there = known.correct("auto", "unknown graph")
    assert 1.5 < there.factor < 2.1
    assert there.runs == 0
    found = known.correct("auto", "here")
    assert found.factor == pytest.approx(0.5, rel=0.1)
    assert found.runs == 9
    assert found.margin < 0.2
    assert known.correct("push", "here").factor > 1.2  # another way, corrected by the task only


def test_what_disturbed_or_stopped_runs_took_is_not_learned(tmp_path):
    plan = {"way": "auto", "base": 1.0, "low": 0.5, "high": 2.0}
    journal().record(Run("bfs", {"mark": "a"}, 1.0, plan=plan))
    for more in ({"busy": True}, {"stopped": "at the deadline"}):
        for _ in range(20):
            journal().record(Run("bfs", {"mark": "a"}, 3.0, plan=plan | more))
    known = experience("bfs")
    assert known.correct("auto", "a").factor == 1.0
    assert len(known.promised) == 21  # with the busy ones, none of which was kept
    assert known.stretch > 2
    for _ in range(9):
        journal().record(Run("bfs", {"mark": "a"}, 3.0, plan=plan))
    assert experience("bfs").correct("auto", "a").factor == pytest.approx(3, rel=0.1)


def test_a_plan_learns_from_its_own_runs_and_says_so(monkeypatch):
    graph = tg.kronecker(12, rng=1)
    monkeypatch.setattr(room, "FRESH_SECONDS", 1e9)
    monkeypatch.setattr("tachograph.tasks.question.busy", lambda: 0)
    first = tg.plan("components", graph)
    taken = [first.run().seconds for _ in range(12)]
    plan = tg.plan("components", graph)
    assert plan.chosen.estimate.runs == 12
    told = " ".join(str(plan).split())
    assert "12 of them on this graph" in told
    assert "90% promised: kept" in told
    assert plan.chosen.estimate.base == pytest.approx(first.chosen.estimate.base)
    usual = math.exp(np.median(np.log(taken)))  # of an even number: as corrections take it
    before, after = (abs(math.log(p.chosen.seconds / usual)) for p in (first, plan))
    assert after <= 0.1 * before + 0.05


def fake(monkeypatch, estimates, shares_cores):
    monkeypatch.setattr(
        "tachograph.tasks.decide.estimate", lambda name, *rest: estimates[name.partition("/")[2]]
    )
    device = SimpleNamespace(id="opencl:0", found=SimpleNamespace(shares_cores=shares_cores))
    monkeypatch.setattr("tachograph.tasks.decide.known_device", lambda: device)
    monkeypatch.setattr(
        "tachograph.tasks.decide.scale_of", lambda d: SimpleNamespace(why="", factor=1)
    )


def within(seconds, factor, runs=0):
    return Estimate(seconds, seconds / factor, seconds * factor, seconds, 1, runs)


def test_a_device_of_the_hosts_own_cores_is_first_only_if_runs_say_so(monkeypatch):
    graph = tg.kronecker(8, rng=1)
    slow = dict.fromkeys(("surf", "push", "one thread"), within(9.0, 2))
    doubtless = {"auto": within(1.0, 1.2), "device": within(0.1, 1.2), **slow}
    fake(monkeypatch, doubtless, shares_cores=False)
    assert tg.plan("bfs", graph, source=0).chosen.name == "device (opencl:0)"
    fake(monkeypatch, doubtless, shares_cores=True)
    assert tg.plan("bfs", graph, source=0).chosen.name == "auto"
    measured = {"auto": within(1.0, 1.2, 5), "device": within(0.1, 1.2, 5), **slow}
    fake(monkeypatch, measured, shares_cores=True)
    plan = tg.plan("bfs", graph, source=0)
    assert (plan.chosen.name, plan.reason) == (
        "device (opencl:0)",
        "it was faster in 5 runs on this graph",
    )


def test_what_runs_contradicted_is_not_repeated(monkeypatch):
    graph = tg.kronecker(8, rng=1)
    slow = dict.fromkeys(("surf", "one thread", "device"), within(9.0, 2))
    for runs, first in ((1, "auto"), (9, "push")):
        known = {"auto": within(1.3, 1.1, runs), "push": within(0.9, 1.1, runs), **slow}
        fake(monkeypatch, known, shares_cores=True)
        assert tg.plan("bfs", graph, source=0).chosen.name == first


def test_a_busy_machine_is_named_and_widens_the_interval(monkeypatch):
    graph = tg.kronecker(10, rng=1)
    monkeypatch.setattr("tachograph.tasks.question.busy", lambda: 0)
    quiet = tg.plan("bfs", graph, source=0)
    monkeypatch.setattr("tachograph.tasks.question.busy", lambda: 1000)
    loud = tg.plan("bfs", graph, source=0)
    assert loud.chosen.estimate.high > 2 * quiet.chosen.estimate.high
    assert loud.chosen.seconds == quiet.chosen.seconds
    assert "machine is busy" in " ".join(str(loud).split())
    assert "is busy" not in str(quiet)
    assert busy() >= 0


def recorded():
    """Runs of two tasks: 8 of 10 intervals kept, and 5 of 10."""
    for task, hits in (("bfs", 8), ("sssp", 5)):
        for k in range(10):
            plan = {"way": "auto", "base": 1.0, "low": 0.5, "high": 2.0}
            seconds = 1.2 if k < hits else 4.0
            journal().record(Run(task, {"mark": "a"}, seconds, plan=plan, predicted=1.0))
    return journal().runs()


def test_calibration_counts_promises():
    runs = recorded()
    by_task = {c.task: c for c in calibrations(runs)}
    assert {name: c.kept for name, c in by_task.items()} == {"bfs": 0.8, "sssp": 0.5, "all": 0.65}
    assert by_task["bfs"].width == pytest.approx(1.0)  # twice as long or half as long
    assert by_task["bfs"].within_25 == 0.8
    assert by_task["bfs"].worst_regret == pytest.approx(4.0 / 1.2 - 1)
    levels = dict(reliability(runs))
    assert levels[0.9] == 0.65
    assert levels[0.1] == 0.0
    assert levels[0.99] == 0.65  # 4.0 is two margins away
    assert reliability([]) == []


def test_the_command_prints_and_draws_calibration(tmp_path):
    runner = CliRunner()
    assert "no run has an interval yet" in runner.invoke(app, ["journal", "calibration"]).output
    recorded()
    picture = tmp_path / "reliability.svg"
    shown = runner.invoke(app, ["journal", "calibration", "--plot", str(picture)])
    assert shown.exit_code == 0
    assert "65%" in shown.output
    assert "promised and kept" in picture.read_text()
    told = json.loads(
        runner.invoke(app, ["journal", "calibration", "--task", "bfs", "--json"]).output
    )
    assert [c["kept"] for c in told["tasks"]] == [0.8]
