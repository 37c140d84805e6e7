"""``tacho train split``: measured once, fitted, judged, used."""

from __future__ import annotations

import numpy as np
import pytest

import tachograph as tg
from tachograph.decisions.model_file import shipped_model
from tachograph.decisions.split import train as split
from tachograph.decisions.split.model import DEGREE_FEATURES, State, the_model
from tachograph.decisions.trainer import train
from tachograph.journal import journal
from tachograph.tasks.measure import runner
from tests.devices.support import any_device, needs_pyopencl

GRAPHS = ["kronecker 8 8", "road 20 20", "uniform 500 6", "tree 400 3", "small_world 300 4 0.1",
          "power_law 400 2.5 2", "preferential_attachment 300 4", "bipartite 100 200 4"]  # fmt: skip


def records(slope):
    """Made-up measurements that follow the model exactly."""
    made = []
    for name in GRAPHS:
        state = State.of(split.undirected(name), 0)
        x = state.features
        made.append({"graph": name, "family": name.split()[0], "features": x.tolist(),
                     "host": 1.0, "device": 2.0, "host factor": float(np.exp(x @ slope)),
                     "device factor": float(np.exp(x @ slope / 2))})  # fmt: skip
    return made


def test_the_fit_finds_what_measurements_follow(monkeypatch):
    monkeypatch.setattr(split, "RIDGE", 1e-9)
    slope = np.array([0.3, -0.2, 1.0, 0.1, 0.2, -0.1])
    found = split.fit(records(slope), "host")
    for r in records(slope):
        assert np.exp(np.array(r["features"]) @ found) == pytest.approx(r["host factor"], rel=1e-3)
    assert split.judged(records(np.zeros(6)))["median error of a time"] < 1e-6


@needs_pyopencl
def test_measurements_are_kept_and_the_model_is_used():
    device = any_device()
    done = train(split.Trainer(GRAPHS, 600.0, runner=runner(), device=device.id))
    assert len(journal().records("split")) == len(GRAPHS)
    assert list(done.file.card["graphs"]) == sorted(GRAPHS)
    assert done.file.card["device"] == device.name
    host = the_model().host
    assert np.array_equal(host, done.file.arrays["host"])
    again = split.Trainer(GRAPHS, 0.0, runner=runner(), device=device.id)  # all was measured
    assert np.array_equal(again.fit(again.collect(GRAPHS)).host, host)
    with pytest.raises(tg.InputError, match="6 graphs are needed"):
        train(split.Trainer(GRAPHS[:2], 0.0, runner=runner(), device=device.id))


def test_the_model_of_the_package_is_sane():
    shipped = the_model.read(shipped_model("split"))
    state = State.of(tg.kronecker(10, rng=1), 0)
    for weights in (shipped.host, shipped.shared, shipped.apart):
        assert weights.shape == (len(DEGREE_FEATURES),)
        assert 1e-3 < np.exp(state.features @ weights) < 1e3
