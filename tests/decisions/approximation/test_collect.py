from __future__ import annotations

import pytest

import tachograph as tg
from tachograph.decisions.approximation import collect as measuring
from tachograph.decisions.approximation.rules import inaccuracy
from tachograph.decisions.approximation.state import FEATURES
from tachograph.decisions.approximation.train import Trainer
from tachograph.decisions.trainer import Runner

SIZES = {"delta-stepping": (10, 8), "bellman-ford": (8, 4), "dijkstra": (4, 0), "hybrid": (4, 0)}
COUNT = 34  # all of them, and 4 from each of two random sources


@pytest.fixture
def tiny(monkeypatch):
    """One small graph of the paper's kind, few configurations, two runs of each."""
    g = tg.kronecker(7, rng=1, weights=True)
    monkeypatch.setattr(measuring, "graph_named", lambda name: g)
    monkeypatch.setattr(measuring, "RUNS", 3)
    monkeypatch.setattr(measuring, "SIZES", SIZES)
    monkeypatch.setattr(measuring, "BLOCK_CONFIGURATIONS", 4)
    measuring._loaded.cache_clear()
    yield g
    measuring._loaded.cache_clear()


def collect(size=1.0):
    """How many configurations of the graph are measured."""
    trainer = Trainer(["kronecker-14"], runner=Runner("tachograph.tasks.measure:run"), size=size)
    names = trainer.choose()
    return len(trainer.measured(list(measuring.tasks(names, size, trainer.runner.run))))


def test_what_is_in_the_journal_is_not_measured_again(tiny, monkeypatch):
    assert collect() == COUNT == 10 + 4 + 4 + 8 + 4 + 4
    monkeypatch.setattr(measuring, "measure", None)
    assert collect() == COUNT
    assert collect(size=0.5) == 8 + 4 + 4 + 4 + 4 + 4  # blocks


def test_interrupted_work_goes_on(tiny, monkeypatch):
    measure, calls, stopped = measuring.measure, [], []

    def killed(*arguments):
        calls.append(1)
        if not stopped and len(calls) == 60:
            stopped.append(True)
            raise KeyboardInterrupt
        return measure(*arguments)

    monkeypatch.setattr(measuring, "measure", killed)
    with pytest.raises(KeyboardInterrupt):
        collect()
    assert 0 < len(measuring.records()) < COUNT
    before, calls = len(calls), []
    assert collect() == len(measuring.records()) == COUNT
    monkeypatch.setenv("TACHOGRAPH_HOME", "another")
    again, calls = len(calls), []
    collect()
    assert again < len(calls) < before + again


def test_records_say_what_was_measured(tiny):
    collect()
    source = int(tiny.degrees.argmax())
    exact = tg.sssp(tiny, source).distances
    for r in measuring.records():
        assert r["speedup"] > 0
        assert r["gain"] > 0
        assert set(r["features"]) == set(FEATURES)
        assert len(r["times"]) == 3
        if r["hub"] and r["algorithm"] == "dijkstra" and r["approximation"]["fraction"] == 1:
            choice = tg.Approximation(**r["approximation"])
            found = tg.sssp(tiny, source, algorithm="dijkstra", approximation=choice).distances
            assert r["error"] == pytest.approx(inaccuracy(exact, found, source).mean)


def test_times():
    assert measuring.trimmed([5, 1, 2, 9]) == 3.5


def test_a_machine_that_changes_its_speed_changes_no_speedup():
    """Everything takes three times as long in two of the runs, in one of them but for one exact search."""
    exact = [4, 4, 4, 12, 12, 3, 4, 5, 4]
    assert measuring.times_as_long(exact, [2, 6, 2]) == 2
    assert measuring.times_as_long([4.0, 6.0], [1.0, 2.0]) == 3.5


def test_options_of_the_training(tiny):
    with pytest.raises(tg.InputError, match="size = 2 is a share"):
        Trainer(["kronecker-14"], size=2).collect(["kronecker-14"])
    with pytest.raises(tg.InputError, match="there is no graph 'nonsense': name a file"):
        Trainer(["nonsense"]).choose()


def test_families_and_the_graphs_of_the_paper():
    assert measuring.group_of("luxembourg_osm") == "roads"
    assert measuring.group_of("grid-60") == "road"
    assert measuring.group_of("cit-HepPh") == measuring.group_of("wiki-Vote") == "social"
    assert measuring.in_paper("kronecker-14")
    assert not measuring.in_paper("kronecker-11")
