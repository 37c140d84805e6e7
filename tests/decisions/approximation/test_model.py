from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tachograph as tg
from tachograph.decisions import model_file
from tachograph.decisions.approximation import model as models
from tachograph.decisions.approximation.model import WORTH, Trees, advise, best
from tachograph.decisions.model_file import ModelFile, own_model, shipped_model
from tachograph.kernels.runtime.launch import SERIAL_BELOW


@pytest.fixture
def graph():
    return tg.kronecker(15, rng=3, weights=True)


@given(st.floats(0, 1))
@settings(deadline=None)
def test_the_scale_of_errors(error):
    assert models.from_scale(models.to_scale(error)) == pytest.approx(error, abs=1e-9)


def test_advice_keeps_the_budget(graph):
    source = [int(graph.degrees.argmax())]
    previous = 0.0
    for budget in (0.001, 0.01, 0.05, 0.2, 0.5):
        advice = advise(graph, source, budget)
        assert advice.chosen.error_bound <= budget
        assert all(o.error_bound <= budget for o in advice.others)
        assert advice.chosen.gain == 1 or advice.chosen.gain >= WORTH
        assert advice.chosen.gain >= previous  # a larger budget never costs time
        previous = advice.chosen.gain
    assert advise(graph, source, 0.2) is advise(graph, source, 0.2)


def test_the_choice_by_hand():
    upper, gain = np.array([0.01, 0.04, 0.2, 0.03]), np.array([1.1, 1.4, 3.0, 1.3])
    assert best(upper, gain, 0.05) == 1
    assert best(upper, gain, 0.5) == 2
    assert best(upper, gain, 0.001) is None
    assert best(upper, np.full(4, 1.04), 0.5) is None  # not worth it


def test_where_only_exact_will_do(monkeypatch):
    monkeypatch.setitem(SERIAL_BELOW, "sssp", 0)  # a team searches small graphs, too
    plain = advise(tg.path(5), [0], 0.1)
    assert "no weights" in plain.reason
    negative = tg.Graph.from_edges([0, 1], [1, 2], [3, -1])
    found = advise(negative, [0], 0.1)
    assert found.chosen.configuration.algorithm == "hybrid"
    assert "negative" in found.reason
    quick = advise(tg.kronecker(13, weights=True), [0], 0.1)
    assert quick.chosen.configuration.approximation.exact
    assert "takes little longer" in quick.reason
    few = advise(tg.kronecker(15, weights=True), [0], 0.1, confidence=0.99999)
    assert few.chosen.configuration.approximation.exact
    assert "too few graphs" in few.reason
    assert "a road network" in advise(tg.road(9, 9), [0], 0.1).reason


@pytest.mark.parametrize("budget", [0, 1, -0.1, 5, float("nan"), "5%", None])
def test_bad_budgets(graph, budget):
    with pytest.raises(tg.InputError, match="max_error = .* is a share"):
        advise(graph, [0], budget)
    with pytest.raises(tg.InputError, match="confidence = .* is a share"):
        advise(graph, [0], 0.1, budget)


def test_a_graph_without_edges():
    with pytest.raises(tg.InputError, match="no edges: nothing to approximate"):
        advise(tg.Graph.from_edges([], [], n=3), [0], 0.1)


def test_the_model_is_small_and_needs_no_scikit_learn():
    assert shipped_model("approximation").stat().st_size < 300_000
    code = (
        "import sys, tachograph as tg; g = tg.kronecker(15, weights=True); "
        "tg.plan('sssp', g, source=0, max_error=0.1).run(); print('sklearn' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["False"]


def test_the_quantile_of_split_conformal_prediction():
    scores = np.arange(1.0, 20)  # 19 of them
    assert models.conformal(scores, 0.9) == 18  # rank ceil(20 * 0.9)
    assert models.conformal(scores, 0.95) == 19
    assert models.conformal(scores, 0.96) == np.inf


def kept(path, model):
    model_file.write(path, ModelFile("approximation", models.FEATURES, model.arrays(), model.card))


def test_models_are_kept_as_they_are(tmp_path):
    model = models.the_model()
    kept(tmp_path / "copy.json", model)
    again = models.the_model.read(tmp_path / "copy.json")
    rows = np.random.default_rng(0).random((50, len(models.FEATURES)))
    assert np.array_equal(model.errors(rows, 0.9), again.errors(rows, 0.9))
    assert np.array_equal(model.gains(rows, 0.9), again.gains(rows, 0.9))


def test_a_model_of_this_machine_comes_first():
    model = models.the_model()
    own = models.Model(model.error, model.gain, model.scores + 9, model.gain_scores, {})
    kept(own_model("approximation"), own)
    assert models.the_model().margin(0.9) == model.margin(0.9) + 9


def test_bad_models(tmp_path):
    file = model_file.read(shipped_model("approximation"), "approximation")
    path = tmp_path / "altered.json"
    for change, message in (
        ({"error.left": 0 * file.arrays["error.left"]}, "damaged"),
        ({"error.left": file.arrays["error.left"][:-1]}, "damaged"),
        ({"scores": np.array([np.nan])}, "not finite"),
    ):
        arrays = {**file.arrays, **change}
        model_file.write(path, ModelFile("approximation", file.state, arrays, file.card))
        with pytest.raises(tg.FileFormatError, match=message):
            models.the_model.read(path)
    fewer = {k: v for k, v in file.arrays.items() if k != "gain.roots"}
    model_file.write(path, ModelFile("approximation", file.state, fewer, file.card))
    with pytest.raises(tg.FileFormatError, match="gain.roots is missing"):
        models.the_model.read(path)


def test_trees_by_hand():
    # one tree: feature 0 at most 0.5 gives 1, else 2; and a tree that is a leaf
    trees = Trees(np.array([0, 3]), np.array([0, -1, -1, -1]), np.array([0.5, 1, 2, 10.0]),
                  np.array([1, 0, 0, 0]), np.array([100.0]))  # fmt: skip
    assert trees.predict(np.array([[0.5, 9], [0.6, 9]])).tolist() == [111, 112]
    with pytest.raises(tg.InputError, match="more than 0 features"):
        trees.predict(np.empty((1, 0)))
    with pytest.raises(tg.InputError, match="damaged"):
        Trees(np.array([0]), np.array([0]), np.array([0.5]), np.array([1]), np.array([0.0]))


def test_sssp_with_a_budget(graph):
    source = int(graph.degrees.argmax())
    found = tg.sssp(graph, source, max_error=0.2, verify=True)
    assert found.budget.bound <= 0.2
    with pytest.raises(tg.InputError, match="give either"):
        tg.sssp(graph, source, max_error=0.2, approximation=tg.Approximation(iterations=2))
    with pytest.raises(tg.InputError, match="give either"):
        tg.sssp(graph, source, max_error=0.2, algorithm="dijkstra")


def test_what_errors_keep_of_doubts(tmp_path):
    model = models.the_model()
    assert len(model.shares) == len(models.CONFIDENCES)
    assert all(models.LEAST_SHARE <= share <= 1 for share in model.shares)
    assert model.share(0.5) == model.shares[0]
    assert model.share(0.91) == model.shares[2]
    assert model.share(0.999) == 1.0
    assert (
        models.Model(model.error, model.gain, model.scores, model.gain_scores, {}).share(0.9) == 1
    )
