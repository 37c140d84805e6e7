"""What is measured of calls with error budgets: first ones and later ones."""

from __future__ import annotations

import pytest

from tachograph.algorithms.sssp_budget import TRIES_IN_VAIN
from tachograph.kernels.runtime.launch import SERIAL_BELOW
from tachograph.kernels.sssp import delta_stepping
from tachograph.papers.approximation import budget

ROUNDS, BUDGETS, CONFIDENCES = 3, (1e-5, 2e-5), (0.8, 0.9)  # nothing can be proved


@pytest.fixture
def said(monkeypatch):
    """What was done: calls, as whether they knew of earlier tries in vain, and what was forgotten."""
    for name, value in (
        ("TIMED_ROUNDS", ROUNDS), ("BUDGETS", BUDGETS), ("CONFIDENCES", CONFIDENCES)
    ):  # fmt: skip
        monkeypatch.setattr(budget, name, value)
    monkeypatch.setitem(SERIAL_BELOW, "sssp", 0)
    monkeypatch.setattr(delta_stepping, "ROAD_MEAN_DEGREE", -1)
    monkeypatch.setattr(delta_stepping, "TRIGGER_PART", 1 << 20)
    done: list[bool | str] = []
    timed, forget = budget._timed, budget.forget_tries

    def called(graph, source, asked=None):
        result, seconds = timed(graph, source, asked)
        if asked:
            done.append("earlier" in result.budget.how)
        return result, seconds

    def forgotten(graph):
        done.append("forgotten")
        forget(graph)

    monkeypatch.setattr(budget, "_timed", called)
    monkeypatch.setattr(budget, "forget_tries", forgotten)
    return done


def test_later_calls_know_of_earlier_tries_and_first_ones_of_none(said):
    found = budget.of_graph("kronecker 11 16", 1)
    kinds = len(BUDGETS) * len(CONFIDENCES)
    first = ["forgotten", False] * len(BUDGETS) * ROUNDS
    assert said[TRIES_IN_VAIN * kinds :] == [True] * kinds * ROUNDS + first
    assert [c["first"] for c in found["cases"]] == [False] * kinds + [True] * len(BUDGETS)
