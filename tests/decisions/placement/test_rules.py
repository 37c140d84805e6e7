from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tachograph as tg
from tachograph.decisions import model_file
from tachograph.decisions.placement import model as placement
from tachograph.decisions.placement.model import Learned, Model, fit, key_of
from tachograph.decisions.placement.rules import BreakPoint, Fixed, break_point, hinted
from tachograph.decisions.placement.state import Call
from tachograph.devices.host import Host
from tests.devices.support import any_device, needs_pyopencl

CALL = Call("select", 0, 50, 400, 100)
MIS = "maximal_independent_set"


def test_the_published_example_of_the_break_point():
    assert break_point(5.5, 1 / 16, (9.12, 1.02, 0.89)) == pytest.approx(26.4, abs=0.05)
    for bad in ((0, 1, (1,)), (1, 1, ()), (float("nan"), 1, (1,))):
        with pytest.raises(tg.InputError, match="above zero"):
            break_point(*bad)


def test_fixed_places():
    assert Fixed("device")(CALL) == "device"
    assert Fixed({"select": "device"})(CALL) == "device"
    assert Fixed({"select": "device"})(CALL._replace(kernel="randomize")) == "host"
    with pytest.raises(tg.InputError, match="'host' or 'device'"):
        Fixed("moon")


@pytest.mark.parametrize(("vertices", "place"), [(26, "host"), (27, "device"), (100, "device")])
def test_below_the_break_point_all_is_on_the_host(vertices, place):
    rule = BreakPoint(26.4, {"randomize": "host"})
    assert rule(CALL._replace(vertices=vertices)) == place
    assert rule(CALL._replace(kernel="randomize")) == "host"


def test_times_are_learned():
    rng = np.random.default_rng(1)
    rows = []
    for _ in range(60):
        n, arcs = int(rng.integers(1, 10**5)), int(rng.integers(1, 10**6))
        rows.append((n, arcs, 1e-6 + 4e-9 * n + 2e-9 * arcs, 1e-4 + 1e-9 * n + 1e-9 * arcs))
    model = fit({"select": rows})
    small, large = CALL._replace(vertices=10, arcs=100), CALL._replace(vertices=10**5, arcs=10**6)
    assert (model(small), model(large)) == ("host", "device")
    assert model.predict(large, "device") == pytest.approx(1e-4 + 1e-4 + 1e-3, rel=1e-6)
    with pytest.raises(tg.InputError, match="tacho train placement"):
        Learned({})(CALL)


def test_hints_from_a_file():
    Path("h.toml").write_text('frequency_ratio = 5.5\nfactor = 0.0625\n[above]\nselect = "host"\n')
    rule = hinted(Path("h.toml"), MIS)
    assert rule.percent == pytest.approx(26.4, abs=0.05)
    assert rule.above == {"randomize": "host", "select": "host", "deactivate": "device"}
    Path("p.toml").write_text("percent = 40\n")
    assert hinted(Path("p.toml"), "maximum_flow").percent == 40


@pytest.mark.parametrize(
    ("text", "problem"),
    [("percent =", "no hints"), ("speed = 1", "unknown: speed"), ("factor = 1", "needs percent"),
     ("[ratios]\nbfs = 1", "unknown: bfs")],
)  # fmt: skip
def test_hints_that_cannot_be_used(text, problem):
    Path("h.toml").write_text(text)
    with pytest.raises(tg.FileFormatError, match=problem):
        hinted(Path("h.toml"), MIS)
    with pytest.raises(tg.FileFormatError, match="no hints"):
        hinted(Path("missing.toml"), MIS)


@needs_pyopencl
def test_policies_by_name(monkeypatch):
    device, host = any_device(), Host(1)
    rates = {"scalar": 2.0, "vector": 32.0}
    monkeypatch.setattr(placement, "calibration", lambda d: rates if d is not host else None)
    monkeypatch.setattr(placement, "calibrate", lambda d: {"scalar": 11.0, "vector": 1.0})
    assert placement.named("host", MIS, host, device) == Fixed("host")
    monkeypatch.setattr(device, "threads", 0)  # as if it had processors of its own
    rule = placement.named("auto", MIS, host, device)  # nothing was learned yet
    assert isinstance(rule, BreakPoint)
    monkeypatch.setattr(device, "threads", 1)
    assert placement.named("auto", MIS, host, device) == Fixed("host")
    assert rule.percent == pytest.approx(26.4, abs=0.05)
    with pytest.raises(tg.InputError, match="tacho train"):
        placement.named("learned", MIS, host, device)
    with pytest.raises(tg.InputError, match="known are auto"):
        placement.named("best", MIS, host, device)
    times = {"select": {"host": [1, 0, 0], "device": [0, 0, 0]}}
    model = Model({key_of(MIS, host, device): Learned(times)}, {MIS: {"select": 2.0}})
    file = model_file.ModelFile("placement", Call._fields, model.arrays(), {})
    model_file.write(model_file.own_model("placement"), file)
    assert placement.the_model().policies.keys() == model.policies.keys()
    assert placement.the_model().instructions == model.instructions
    assert placement.named("auto", MIS, host, device)(CALL) == "device"
