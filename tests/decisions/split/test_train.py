"""``tacho train split``: measured once, fitted, judged, used."""

from __future__ import annotations

import numpy as np
import pytest

import tachograph as tg
from tachograph.decisions.model_files import own_model, shipped_model
from tachograph.decisions.split import train as split
from tachograph.decisions.split.model import model as decision
from tachograph.journal import journal
from tests.devices.support import any_device, needs_pyopencl

GRAPHS = ["kronecker 8 8", "road 20 20", "uniform 500 6", "tree 400 3", "small_world 300 4 0.1",
          "power_law 400 2.5 2", "preferential_attachment 300 4", "bipartite 100 200 4"]  # fmt: skip


def records(slope):
    """Made-up measurements that follow the model exactly."""
    made = []
    for name in GRAPHS:
        state = decision.State.of(split.undirected(name), 0)
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
    model = split.train(GRAPHS, device=device)
    assert len(journal().records("split")) == len(GRAPHS)
    assert model.card["graphs"] == GRAPHS
    again = split.train(GRAPHS, budget=0.0, device=device)  # nothing is left to measure
    assert np.array_equal(again.host, model.host)
    model.write(own_model(decision.FILE))
    assert np.array_equal(decision.model().host, model.host)
    with pytest.raises(tg.InputError, match="at least 6 are needed"):
        split.train(GRAPHS[:2], device=device)


def test_the_model_of_the_package_is_sane():
    shipped = decision.Model.read(shipped_model(decision.FILE))
    state = decision.State.of(tg.kronecker(10, rng=1), 0)
    for weights in (shipped.host, shipped.shared, shipped.apart):
        assert weights.shape == (len(decision.FEATURES),)
        assert 1e-3 < np.exp(state.features @ weights) < 1e3
