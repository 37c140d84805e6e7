"""Every fork has the same parts, and is trained by the same six steps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import tachograph as tg
from tachograph.decisions import model_file
from tachograph.decisions.trainer import FORKS, Trainer, run_named, train


@pytest.mark.parametrize("fork", FORKS.values(), ids=list(FORKS))
def test_every_fork_tells_the_whole_story(fork):
    assert fork.question.endswith("?")
    assert len(fork.state) >= 5
    assert isinstance(fork.rules, tuple)
    assert issubclass(fork.trainer, Trainer)
    assert fork.trainer.name == fork.model.fork == fork.name
    assert fork.trainer.state == fork.model.state == fork.state
    assert "tacho train" in fork.trainer.__doc__


class Mean(float):
    def arrays(self):
        return {"mean": np.array([float(self)])}


@dataclass(frozen=True)
class Toy(Trainer[Mean]):
    name = "toy"
    state = ("x",)

    def collect(self, names):
        return [{"graph": name, "hash": "h", "x": len(name)} for name in names]

    def fit(self, records):
        return Mean(np.mean([r["x"] for r in records]))

    def evaluate(self, model, records):
        return [{"error": max(abs(r["x"] - model) for r in records)}]

    def facts(self, model):
        return {"toys": 1}


def test_the_six_steps():
    done = train(Toy(["a", "bcd"]))
    assert done.path == model_file.own_model("toy")
    back = model_file.read(done.path, "toy", ("x",))
    assert back.array("mean", (1,)).tolist() == [2.0]
    assert back.card["graphs"] == {"a": "h", "bcd": "h"}
    assert back.card["quality"] == [{"error": 1.0}]
    assert back.card["toys"] == 1


def test_runs_are_imported_by_name():
    assert run_named("tachograph.tasks.measure:run")("wcc", tg.path(3)).seconds >= 0
    with pytest.raises(tg.InputError, match="a function that runs tasks"):
        run_named("")
