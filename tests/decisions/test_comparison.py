"""A new model is installed only if it is not worse than the one in use."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
import pytest
from typer.testing import CliRunner

from tachograph.cli import app
from tachograph.decisions import comparison, trainer
from tachograph.decisions.model_file import own_model, read


@dataclass
class Level:
    """A model that predicts one number."""

    value: float

    def arrays(self):
        return {"value": np.array([self.value])}


@dataclass(frozen=True)
class Mean(trainer.Trainer):
    """Learns the mean of what was measured."""

    name = "direction"

    def collect(self, names):
        return [{"graph": f"g{i}", "value": 10.0} for i in range(8)]

    def fit(self, records):
        return Level(float(np.mean([r["value"] for r in records])))

    def evaluate(self, model, records):
        return []


@pytest.fixture(params=[9.0, 10.5])
def used(request, monkeypatch):
    """A model in use that is off by some, and how models are judged."""
    judged = type("Judge", (), {"WHAT": "off by", "judge": staticmethod(
        lambda model, records: [abs(model.value - r["value"]) for r in records]
    )})  # fmt: skip
    model = type("Module", (), {"the_model": staticmethod(lambda: Level(request.param))})
    parts = {"judge": judged, "model": model}
    monkeypatch.setattr(comparison, "part", lambda fork, name: parts[name])
    return request.param


def test_a_better_model_is_installed(used):
    done = trainer.train(Mean())
    assert done.comparison.better
    assert done.comparison.new == 1.0
    assert done.comparison.used == pytest.approx(np.exp(abs(used - 10.0)))
    assert done.written
    assert read(own_model("direction"), "direction").arrays["value"].tolist() == [10.0]


def test_a_worse_model_is_not_installed_unless_forced(used, monkeypatch):
    monkeypatch.setattr(Mean, "fit", lambda self, records: Level(20.0))
    done = trainer.train(Mean())
    assert not done.written
    assert not own_model("direction").exists()
    assert not trainer.train(Mean(), dry_run=True, force=True).written
    assert trainer.train(Mean(), force=True).written
    assert own_model("direction").exists()


def test_models_are_listed_and_reset():
    path = own_model("direction")
    shown = CliRunner().invoke(app, ["models", "--json"], catch_exceptions=False)
    rows = {row["model"]: row for row in json.loads(shown.stdout)}
    assert rows["direction"]["from"] == "the package"
    assert rows["placement"]["from"] == "none: tacho train placement"
    assert all(row["quality"] for row in rows.values() if row["from"] == "the package")
    assert rows["split"]["quality"].startswith("median error of a time ")
    assert "saved spread" in rows["direction"]["quality"]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("mine")
    CliRunner().invoke(app, ["train", "direction", "--reset"], catch_exceptions=False)
    assert not path.exists()
    listed = CliRunner().invoke(app, ["models"], catch_exceptions=False).stdout
    lines = [line.split() for line in listed.splitlines()]
    assert "  from the package, trained 20" in listed
    assert ["none:", "tacho", "train", "placement"] in lines
