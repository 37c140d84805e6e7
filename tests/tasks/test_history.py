"""Prediction errors and regret, from runs whose times are made up."""

from __future__ import annotations

import pytest

from tachograph.journal import Journal, Run
from tachograph.tasks.history import regrets, summaries


@pytest.fixture
def runs(tmp_path):
    kept = Journal(tmp_path / "j.db")

    def add(seconds, predicted=None, mark="a", **options):
        kept.record(Run("bfs", {"mark": mark}, seconds, options=options, predicted=predicted))

    add(2.0, 2.2, source=0)
    add(1.0, 2.0, source=0)  # the same question, answered in another way
    add(9.0, source=1)
    add(4.0, 4.0, mark="b", source=0)
    kept.record(Run("spmv", {"mark": "a"}, 1.0))
    return kept.runs()


def test_regret_is_against_the_best_of_the_same_question(runs):
    assert regrets(runs) == {1: 1.0, 2: 0.0}


def test_a_summary_for_each_task(runs):
    first, second = summaries(runs)
    assert (first.task, first.runs, first.seconds, first.predicted) == ("bfs", 4, 16.0, 3)
    assert first.off == pytest.approx(0.1)
    assert first.close == pytest.approx(2 / 3)
    assert (first.regret, first.worst_regret) == (0.5, 1.0)
    assert (second.task, second.off, second.regret) == ("spmv", None, None)
