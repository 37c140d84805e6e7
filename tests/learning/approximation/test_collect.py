from __future__ import annotations

import numpy as np
import pytest

import tachograph as tg
from tachograph.algorithms.inaccuracy import inaccuracy
from tachograph.decisions.approximation_state import FEATURES
from tachograph.learning.approximation import collect as measuring
from tachograph.learning.approximation.graphs import Subject, available, with_random_weights

SIZES = {"delta-stepping": (8, 8), "bellman-ford": (8, 4), "dijkstra": (4, 0), "hybrid": (4, 0)}


@pytest.fixture
def tiny(monkeypatch):
    """One small graph of the paper's kind, few configurations, two runs of each."""
    g = tg.kronecker(7, seed=1, weights=True)
    subjects = {"tiny": Subject("tiny", "kronecker", lambda: g)}
    monkeypatch.setattr(measuring, "available", lambda: subjects)
    monkeypatch.setattr(measuring, "RUNS", 3)
    monkeypatch.setattr(measuring, "SIZES", SIZES)
    monkeypatch.setattr(measuring, "BLOCK", 4)
    return g


def test_what_is_in_the_journal_is_not_measured_again(tiny, monkeypatch):
    assert measuring.collect() == 8 + 4 + 8 + 4 + 4
    monkeypatch.setattr(measuring, "measure", None)
    assert measuring.collect() == 28
    assert measuring.collect(["tiny"], size=0.5) == 4 + 4 + 4 + 4 + 4  # a part of the same


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
        measuring.collect()
    assert 0 < len(measuring.records()) < 28
    before, calls = len(calls), []
    assert measuring.collect() == len(measuring.records()) == 28
    monkeypatch.setenv("TACHOGRAPH_HOME", "another")
    again, calls = len(calls), []
    measuring.collect()
    assert again < len(calls) < before + again


def test_records_say_what_was_measured(tiny):
    measuring.collect()
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
    assert measuring.shortest([3, 1, 2], 3) == 1
    assert measuring.shortest([3, 1, 2, 5], 2) == np.mean([min(3, 2), min(1, 5)])


def test_random_weights_are_the_same_both_ways():
    g = with_random_weights(tg.kronecker(6, seed=2))
    assert g.weights.min() >= 1
    assert np.array_equal(g.to_scipy().toarray(), g.to_scipy().toarray().T)


def test_graphs_to_learn_from_and_others_differ():
    names = available()
    assert any(s.held_out for s in names.values())
    assert any(not s.held_out for s in names.values())
    for subject in names.values():
        if subject.data is None and subject.name.endswith(("-11", "-60")):
            assert subject.make().weighted
