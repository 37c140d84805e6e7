from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tachograph as tg
from tachograph.decisions.approximation.collect import Data
from tachograph.decisions.approximation.model import best, from_scale
from tachograph.decisions.approximation.state import FEATURES
from tachograph.decisions.approximation.train import (
    Trainer,
    _score,
    boosted,
    evaluate,
    fitted,
    trees_of,
)
from tachograph.decisions.trainer import train
from tests.decisions.approximation.made_up import records


@pytest.fixture(scope="module")
def data():
    return Data(records())


@pytest.fixture(scope="module")
def model(data):
    return Trainer().fit(Trainer().used(data.records))


def test_trees_predict_what_scikit_learn_predicts():
    random = np.random.default_rng(1)
    rows = random.random((500, len(FEATURES)))
    wanted = rows[:, 3] * 2 + np.sin(9 * rows[:, 7]) + (rows[:, 9] > 0.5)
    learned = fitted(boosted(False, max_iter=30), rows, wanted)
    new = random.random((300, len(FEATURES)))
    assert np.allclose(trees_of(learned).predict(new), learned.predict(new), rtol=0, atol=1e-12)
    # values that lie exactly on a threshold go the same way
    assert np.allclose(trees_of(learned).predict(rows), learned.predict(rows), rtol=0, atol=1e-12)


def test_the_advisor_keeps_budgets_of_graphs_it_has_not_seen(data, model):
    verdicts = evaluate(model, data.only(held_out=True), 0.9)
    assert {v.graph for v in verdicts}.isdisjoint(r["graph"] for r in Trainer().used(data.records))
    assert np.mean([v.kept for v in verdicts]) >= 0.9
    assert any(v.chosen != "exact" for v in verdicts)
    for v in verdicts:
        assert v.gain <= v.best_gain or not v.kept


def test_more_confidence_needs_a_wider_margin(model):
    assert 0 <= model.margin(0.5) <= model.margin(0.9) <= model.margin(0.97)
    assert model.margin(0.9999) == np.inf  # too few graphs to say that


@given(st.data())
@settings(deadline=None)
def test_from_the_score_on_the_budget_is_kept(data):
    size = data.draw(st.integers(1, 8))
    floats = st.lists(st.floats(0, 1), min_size=size, max_size=size).map(np.array)
    level, error = 6 * data.draw(floats) - 5, data.draw(floats)
    gain = 0.9 + data.draw(floats)
    budget = data.draw(st.floats(0.01, 0.5))
    score = _score(level, gain, error, budget)
    for margin in np.linspace(score, 6, 40):
        chosen = best(from_scale(level + margin), gain, budget)
        assert chosen is None or error[chosen] <= budget


def test_the_score_lies_between_no_steps():
    # 6 * 0.45 - 5 is rounded: a score that is a step of a grid lies just below the place that matters
    level = np.array([-5, -5, -5, -5, -5, 6 * 0.45 - 5, -5])
    error, gain = np.array([0, 0, 0, 0, 0, 1.0, 0]), np.array([0.9] * 5 + [1.9, 0.9])
    score = _score(level, gain, error, 0.5)
    assert best(from_scale(level + score), gain, 0.5) is None
    assert best(from_scale(level + score - 1e-6), gain, 0.5) == 5


def test_too_few_graphs(data, monkeypatch):
    some = data.only(graph="kronecker-14").records
    for found, count in ((some, 1), ([], 0)):
        monkeypatch.setattr(Trainer, "collect", lambda self, names, found=found: found)
        with pytest.raises(tg.InputError, match=f"{count} graphs? w.* 5 graphs are needed"):
            train(Trainer())


def test_the_table_has_a_row_for_each_budget(data, model):
    rows = Trainer().evaluate(model, data.records)
    assert [row["budget"] for row in rows] == [0.01, 0.05, 0.1, 0.2]
    assert all(0 <= row["kept"] <= row["searches"] for row in rows)
    assert Trainer().evaluate(model, []) == []
