from __future__ import annotations

import pytest
from typer.testing import CliRunner

from tachograph.cli import train
from tachograph.cli.app import app

NAMES = ("direction", "approximation", "times", "split", "placement", "networkx")


@pytest.fixture
def called(monkeypatch):
    """Trainings that are only noted."""
    done: list[str] = []
    for name in NAMES:

        def note(name: str = name) -> None:
            done.append(name)

        note.__name__ = name
        monkeypatch.setattr(train, name, note)
    return done


@pytest.mark.parametrize("device", [None, "a device"])
def test_all_models_are_trained_that_can_be(called, monkeypatch, device):
    monkeypatch.setattr("tachograph.decisions.times.collect.device_here", lambda: device)
    assert CliRunner().invoke(app, ["train", "--all"], catch_exceptions=False).exit_code == 0
    needs = {"split", "placement"}
    assert set(called) == {n for n in NAMES if device is not None or n not in needs}


def test_without_a_model_there_is_help(called):
    shown = CliRunner().invoke(app, ["train"], catch_exceptions=False)
    assert "--all" in shown.output
    assert called == []
