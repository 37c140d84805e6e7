from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from tachograph.cli import app, train
from tachograph.cli.options import duration

NAMES = ("direction", "approximation", "times", "split", "placement", "networkx")


@pytest.fixture
def called(monkeypatch):
    """Trainings that are only noted, with their options."""
    done: dict[str, dict[str, object]] = {}
    monkeypatch.setattr(train, "trained", lambda name, **options: done.update({name: options}))
    return done


def invoked(*words):
    found = CliRunner().invoke(app, ["train", *words], catch_exceptions=False)
    assert found.exit_code == 0, found.output
    return found


@pytest.mark.parametrize("device", [None, "a device"])
def test_all_models_are_trained_that_can_be(called, monkeypatch, device):
    monkeypatch.setattr(train, "device_here", lambda: device)
    invoked("--all")
    needs = {"split", "placement"}
    assert set(called) == {n for n in NAMES if device is not None or n not in needs}


def test_without_a_model_there_is_help(called):
    shown = invoked().output
    assert "--all" in shown
    assert all(name in shown for name in NAMES)
    assert called == {}


def test_options_are_those_of_the_trainer(called):
    invoked("approximation", "--size", "0.5", "--budget", "5m", "--csv", "x.csv")
    given = called["approximation"]
    assert (given["size"], given["budget"], str(given["csv"])) == (0.5, "5m", "x.csv")
    invoked("split", "--device", "opencl:0", "--graphs", "tree 9 2,path")
    given = called["split"]
    assert (given["device"], given["graphs"]) == ("opencl:0", "tree 9 2,path")
    assert "size" not in given
    invoked("networkx", "--largest", "30")
    assert called["networkx"]["largest"] == 30


def test_budgets_are_times():
    assert [duration(text) for text in ("90", "5m", "1.5h")] == [90, 300, 5400]


def test_a_training_prints_its_card():
    graphs = "kronecker 8 8,uniform 300 6,road 12 12,tree 200 3"
    card = json.loads(
        invoked("direction", "--graphs", graphs, "--output", "mine.json", "--json").stdout
    )
    assert card["file"] == "mine.json"
    assert len(card["graphs"]) == 4
    assert "slowdown" in invoked("direction", "--graphs", graphs).output
