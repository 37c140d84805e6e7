"""Every fork has the same parts, and is trained by the same six steps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import tachograph as tg
from tachograph.decisions import model_file, trainer
from tachograph.decisions.approximation import collect
from tachograph.decisions.times import train as times
from tachograph.decisions.times.model import SHAPE_FEATURES
from tachograph.decisions.trainer import FORKS, Trainer, run_named, train
from tachograph.journal import Run as JournalRun
from tachograph.journal import journal
from tachograph.journal.campaign import Campaign, measured_code
from tachograph.util.executor import Local


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


def test_measurements_carry_the_code_that_made_them(monkeypatch):
    made = Campaign("toy", "builtins:dict", [{"x": 1}], measured=True).records()
    assert made == [{"x": 1, "code": measured_code()}]
    assert Campaign("plain", "builtins:dict", [{"x": 1}]).records() == [{"x": 1}]


def test_what_other_code_measured_is_measured_again(monkeypatch):
    """The key of a measurement depends on the code, so old ones are not found."""
    keys = []
    monkeypatch.setattr(
        Campaign, "records", lambda self, *a: keys.append(self.keys(Local(1))) or []
    )
    Toy().measured([{"name": "a"}])
    monkeypatch.setattr(trainer, "measured_code", lambda: "other")
    Toy().measured([{"name": "a"}])
    assert keys[0] != keys[1]


def test_a_mix_is_refused(monkeypatch):
    mixed = [{"graph": g, "hash": "h", "x": 1, "code": c} for g, c in (("a", "1"), ("b", "2"))]
    monkeypatch.setattr(Toy, "collect", lambda self, names: mixed)
    with pytest.raises(tg.InputError, match=r"2 versions of the code \(1, 2\)"):
        train(Toy(["a", "b"]))


def test_runs_say_which_code_they_are_of(monkeypatch):
    shape = dict.fromkeys(SHAPE_FEATURES, 1.0)
    run = JournalRun("bfs", {"name": "g", "mark": "m", "shape": shape}, 0.1, plan={"way": "auto"})
    journal().record(run)
    assert journal().runs(last=1)[0].version.endswith(f"+{measured_code()}")
    assert len(times.runs()) == 1
    monkeypatch.setattr(times, "own_version", lambda: "0+other")
    assert times.runs() == []


def test_approximations_of_other_code_are_left_out_loudly():
    journal().put(collect.KIND, "old", {"records": [{}], "code": "other"})
    with pytest.warns(tg.TachographWarning, match="1 of 1 blocks"):
        assert collect.records() == []


def test_runs_are_imported_by_name():
    assert run_named("tachograph.tasks.measure:run")("wcc", tg.path(3)).seconds >= 0
    with pytest.raises(tg.InputError, match="a function that runs tasks"):
        run_named("")
