from __future__ import annotations

import csv

import numpy as np
import pytest

from tachograph.decisions.approximation.collect import CSV_COLUMNS, Data, write_csv
from tachograph.decisions.approximation.state import FEATURES
from tachograph.papers.approximation.models import (
    MODELS,
    OURS,
    PAPER_FEATURES,
    joint_score,
    leave_family_out,
    paper_rows,
    scenario,
    score,
    split,
    with_trend,
)
from tests.decisions.approximation.made_up import records


@pytest.fixture(scope="module")
def data():
    return Data(records(9)).only(algorithm="bellman-ford")


def test_scores_are_those_of_scikit_learn():
    from sklearn.metrics import mean_absolute_error, r2_score, root_mean_squared_error

    random = np.random.default_rng(0)
    wanted, found = random.random(50), random.random(50)
    mae, rmse, r2 = score(wanted, found)
    assert mae == pytest.approx(mean_absolute_error(wanted, found))
    assert rmse == pytest.approx(root_mean_squared_error(wanted, found))
    assert r2 == pytest.approx(r2_score(wanted, found))


def test_the_joint_score_is_that_of_all_squares():
    wanted = np.zeros((2, 2))
    wanted[0] = 1.0
    mae, rmse, r2 = joint_score(wanted, np.array([[1.0, 0.0], [0.0, 0.0]]))
    assert (mae, rmse) == (0.25, 0.5)  # errors 0, 0, 1, 0
    assert r2 == pytest.approx((1 + (1 - 1 / 0.5)) / 2)


def test_numbers_of_few_graphs_do_not_spoil_the_trend():
    """Two graphs have two values of each number, whose squares only differ by rounding: R2 was -inf."""
    random = np.random.default_rng(1)
    size, left = map(FEATURES.index, ("log_arcs", "arcs_left"))
    rows = np.repeat(random.random((2, len(FEATURES))), 150, axis=0)
    rows[:, FEATURES.index("log_iterations") :] = 0.1  # the rest says what is left out
    rows[:, size] = np.repeat([18.7, 19.75], 150)
    rows[:, left] = random.random(300)
    wanted = rows[:50] + 1e-2
    wanted[:, size] = 20.8  # a larger graph
    targets = (rows[:, size] - 18) * rows[:, left]
    found = with_trend(rows, targets, wanted)
    assert np.abs(found - 2.8 * wanted[:, left]).max() < 0.4


def test_features_of_the_paper(data):
    rows = paper_rows(data)
    assert rows.shape == (len(data), len(PAPER_FEATURES))
    assert rows[:, 0].min() == 1
    assert rows[:, 0].max() == 32
    assert rows[:, 1:].min() >= 0
    assert rows[:, 1:].max() <= 1
    reduced = [r["approximation"]["iterations"] is not None for r in data.records]
    assert rows[:, PAPER_FEATURES.index("sReduceExecution")].tolist() == reduced


def test_splits(data):
    for name in ("random", "large", "real"):
        train, test = split(data, name)
        assert sorted([*train, *test]) == list(range(len(data)))
    _, test = split(data, "large")
    assert set(data.column("n")[test]) == {data.column("n").max()}


def test_every_model_in_a_scenario(data):
    found = {(m, o): score(w.ravel(), f.ravel())[2] for m, o, w, f in scenario(data, "random")}
    assert {m for m, _ in found} == {*MODELS, OURS}
    assert found[OURS, "inaccuracy"] > 0.7  # it is given what the truth is made of
    assert found["RF", "speedup"] > 0.5


def test_a_family_is_predicted_from_the_others(data):
    families = [name for name, wanted, found in leave_family_out(data) if len(wanted) == len(found)]
    assert sorted(families) == ["kronecker", "roads", "social"]


def test_csv_with_the_columns_of_the_paper(data, tmp_path):
    path = tmp_path / "all.csv"
    write_csv(data.records, path)
    with path.open() as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == list(CSV_COLUMNS)
    first = data.records[0]
    assert int(rows[0]["vertices"]) == first["n"]
    assert float(rows[0]["inaccuracy"]) == first["error"]
    exact = [row for row in rows if row["sOriginalDistance"] == "1"]
    assert len(rows) - len(exact) == len(data)
    searches = {(r["graph"], r["source"], r["algorithm"]) for r in data.records}
    assert len(exact) == len(searches)
    assert {float(row["inaccuracy"]) for row in exact} == {0.0}
