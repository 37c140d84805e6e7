"""Public functions are plans that were run: same answers, what took long is kept."""

from __future__ import annotations

import pytest

import tachograph as tg
from tachograph.algorithms.bfs import bfs
from tachograph.devices.host import Host
from tachograph.journal import journal
from tachograph.tasks import calls
from tachograph.tasks.record import way_of
from tachograph.tasks.table import TASKS


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("TACHOGRAPH_HOME", str(tmp_path))


def test_a_call_has_the_help_of_its_function():
    assert tg.bfs.__doc__ == bfs.__doc__
    assert tg.bfs is calls.bfs


def test_only_long_calls_are_kept(home, monkeypatch):
    graph = tg.kronecker(8, rng=1)
    tg.bfs(graph, 0)
    assert journal().runs() == []
    monkeypatch.setattr(calls, "WORTH_KEEPING", 0.0)
    result = tg.bfs(graph, 5, verify=True)
    (run,) = journal().runs()
    assert (run.task, run.seconds) == ("bfs", result.seconds)
    assert run.options == {"source": 5, "verify": True}
    assert (run.graph["n"], run.plan["way"]) == (256, "auto")
    assert run.predicted > 0
    assert journal().trace(run.id)["direction"] == result.trace["direction"].tolist()


def test_with_a_device_apart_a_call_is_a_plan(home, monkeypatch):
    monkeypatch.setattr(calls, "apart", lambda: True)
    graph = tg.kronecker(8, rng=1, weights=True)
    assert tg.bfs(graph, 0, verify=True).plan.task == "bfs"
    assert tg.sssp(graph, 0, max_error=0.1).plan.arguments == {"source": 0}
    assert tg.bfs(graph, 0, direction="push").plan is None
    assert len(journal().runs()) == 2


def test_which_way_was_gone():
    graph = tg.kronecker(8, rng=1)
    result = tg.bfs(graph, 0)
    task = TASKS["bfs"]
    assert way_of(task, {"source": 0}, result).name == "auto"
    assert way_of(task, {"source": 0, "direction": "auto", "cutoff": None}, result).name == "auto"
    assert way_of(task, {"source": 0, "direction": "surf"}, result).name == "surf"
    assert way_of(task, {"source": 0, "device": "opencl:0"}, result).name == "device"
    assert way_of(task, {"source": 0, "cutoff": 2}, result) is None
    assert way_of(task, {"source": 0, "direction": "hbfs"}, result) is None
    both = tg.jaccard(graph)
    assert way_of(TASKS["similarity"], {}, both).name == "host"
    assert way_of(TASKS["similarity"], {"pairs": "two_hop"}, both) is None


def test_a_host_is_no_device_apart(home):
    journal().put("calibration", Host(2).key, {"gather": 1.0})
    assert not calls.apart()
