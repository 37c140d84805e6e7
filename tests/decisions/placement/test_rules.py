from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import tachograph as tg
from tachograph.decisions import model_file
from tachograph.decisions.placement import hardware
from tachograph.decisions.placement import model as placement
from tachograph.decisions.placement.model import Learned, Model, fit, key_of
from tachograph.decisions.placement.rules import (
    PAPERS_CHIP,
    BreakPoint,
    Fixed,
    break_point,
    hinted,
    published_hints,
)
from tachograph.decisions.placement.state import KERNELS, Call
from tachograph.devices.host import Host
from tachograph.papers.published import published
from tests.devices.support import any_device, needs_pyopencl

CALL = Call("select", 0, 50, 400, 100)
MIS = "maximal_independent_set"


RATIOS = (9.12, 1.02, 0.89)  # equation 2


def test_the_published_example_of_the_break_point():
    assert math.floor(10 * break_point(5.5, 1 / 16, RATIOS)) / 10 == 26.3  # cut, not rounded
    # 100 * 1 / (5.5 / 16) * 1 / 11.03, by hand
    assert break_point(5.5, 1 / 16, RATIOS) == pytest.approx(100 * 16 / (5.5 * 11.03), rel=1e-12)
    for bad in ((0, 1, (1,)), (1, 1, ()), (float("nan"), 1, (1,))):
        with pytest.raises(tg.InputError, match="above zero"):
            break_point(*bad)


class Driver:
    """A device as its driver describes it."""

    def __init__(self, vendor, mhz, width=1, **more):
        self.vendor, self.max_clock_frequency, self.native_vector_width_float = vendor, mhz, width
        self.__dict__.update(more)


def made_up(driver, shares_cores=False):
    return SimpleNamespace(
        context=SimpleNamespace(devices=[driver]),
        found=SimpleNamespace(shares_cores=shares_cores),
        cl=SimpleNamespace(Error=RuntimeError),
    )


def test_the_papers_chip_from_its_hardware(monkeypatch):
    """4 GHz and 720 MHz, SIMD units of 16 lanes: within a hundredth of what the paper prints."""
    monkeypatch.setattr(hardware, "_host_chain", lambda: 4.0)
    chip = hardware.chip_of(Host(4), made_up(Driver("AMD", 720, simd_width_amd=16)))
    assert chip == PAPERS_CHIP
    assert chip.break_point(RATIOS) == pytest.approx(26.3, rel=0.01)


def test_a_real_gpu_gets_work(monkeypatch):
    """The lanes of one unit count, not those of all of them: a large GPU is not always wrong."""
    monkeypatch.setattr(hardware, "_host_chain", lambda: 3.4)
    for units in (8, 108):
        driver = Driver("NVIDIA Corporation", 1410, max_compute_units=units)
        percent = hardware.chip_of(Host(64), made_up(driver)).break_point(RATIOS)
        assert percent == pytest.approx(100 * 16 / (3.4 / 1.41 * 11.03))
        assert percent < 100


@needs_pyopencl
def test_chains_give_the_clock_of_this_machine():
    chip = hardware.chip_of(Host(1), any_device())
    assert 0.1 < chip.host_ghz < 10
    assert 0.1 < chip.device_ghz < 10
    assert chip.lanes >= 1
    assert hardware.chip_of(Host(1), any_device()) == chip  # measured once


def test_the_published_tables():
    flow, sets = published_hints("maximum_flow"), published_hints(MIS)
    for iteration, place in ((0, "device"), (1, "host"), (80, "host")):
        bfs = Call("bfs", iteration, 9, 9, 9)
        assert flow(bfs) == place
        assert flow(bfs._replace(kernel="preflow")) == "device"
        assert flow(bfs._replace(kernel="push-adjust")) == "host"
    for left, places in ((27, ["host", "device", "device"]), (26, ["host"] * 3)):
        assert [sets(Call(k, 0, left, 0, 100)) for k in KERNELS[MIS]] == places


def test_the_papers_accuracy_by_its_own_figure():
    """Its tables place 730 of the 885 calls of figure 17 right: 82.5 %, where the text says 84 %."""
    policy, right, calls = published_hints("maximum_flow"), 0, 0
    for _, kernel, every, host, device in published("heterogeneous", "figure-17").rows:
        assert every == host + device
        # the device's calls are the first ones, as the text says of af_shell9
        best = ["device"] * device + ["host"] * host
        said = [policy(Call(kernel, i, 1, 1, 1)) for i in range(every)]
        right += sum(a == b for a, b in zip(best, said, strict=True))
        calls += every
    assert (right, calls) == (730, 885)


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


def test_what_must_be_copied_is_part_of_the_time():
    times = {"select": {"host": [3e-6, 0, 0], "device": [1e-6, 0, 0]}}
    model = Learned(times, byte_seconds=1e-9)
    assert model(CALL) == "device"
    assert model(CALL._replace(moves=(0, 1999))) == "device"
    assert model(CALL._replace(moves=(0, 2001))) == "host"
    assert model(CALL._replace(moves=(2001, 4000))) == "device"
    assert model.predict(CALL._replace(moves=(0, 2000)), "device") == pytest.approx(3e-6)


def test_what_was_learned_is_used_with_the_rate_of_copies(monkeypatch):
    monkeypatch.setattr(placement, "key_of", lambda *named: "|".join(map(str, named)))
    model = Model({f"{MIS}|host|device": Learned({})}, {})
    for known, seconds in (
        ({"transfer": 4.0, "stream": 9.0}, 0.25e-9),
        ({"stream": 4.0}, 0.5e-9),  # read and written
        ({}, 0),
        (None, 0),
    ):
        monkeypatch.setattr(placement, "calibration", lambda device, known=known: known)
        assert model.policy(MIS, "host", "device").byte_seconds == seconds
        assert model.policy("maximum_flow", "host", "device") is None


def test_hints_for_kernels_and_iterations():
    Path("h.toml").write_text(
        "percent = 10\n[percents]\nselect = 60\n[below]\nselect = 'device'\n"
        "[iterations]\nrandomize = ['device', 'device', 'host']\n"
    )
    rule = hinted(Path("h.toml"), MIS)
    places = [rule(CALL._replace(kernel="randomize", iteration=i)) for i in range(5)]
    assert places == ["device", "device", "host", "host", "host"]
    assert rule(CALL) == "device"  # 50 of 100 are left: below 60
    deactivate = CALL._replace(kernel="deactivate")
    assert [rule(deactivate._replace(vertices=v)) for v in (10, 11)] == ["host", "device"]
    assert (
        rule(deactivate._replace(share=0.05)) == "host"
    )  # what counts is what can be done at once
    Path("all.toml").write_text("[iterations]\nbfs = ['host']\npreflow = ['host']\n[percents]\n"
                                "push-adjust = 5\n")  # fmt: skip
    assert hinted(Path("all.toml"), "maximum_flow")(Call("bfs", 0, 9, 9, 9)) == "host"


def test_hints_from_a_file():
    Path("h.toml").write_text('frequency_ratio = 5.5\nfactor = 0.0625\n[above]\nselect = "host"\n')
    rule = hinted(Path("h.toml"), MIS)
    assert rule.percent == pytest.approx(26.4, abs=0.05)
    assert rule.above == {"randomize": "host", "select": "host", "deactivate": "device"}
    Path("p.toml").write_text("percent = 40\n")
    assert hinted(Path("p.toml"), "maximum_flow").percent == 40


@pytest.mark.parametrize(
    ("text", "problem"),
    [("percent =", "is not TOML"), ("ratios = 3", "ratios = 3 must be a table"),
     ("percent = inf", "percent = inf must be a number"), ("percent = 101", "at most 100"),
     ("factor = 0\nfrequency_ratio = 1", "above zero"), ('[above]\nselect = ""', "not on ''"), ('[above]\nselect = "moon"', "not on 'moon'"),
     ("speed = 1", "unknown: speed"), ("factor = 1", "needs percent"),
     ("[ratios]\nbfs = 1", "unknown: bfs"), ("[percents]\nbfs = 1", "unknown: bfs"),
     ("[percents]\nselect = 101", "at most 100"), ("[iterations]\nselect = []", "names no place"),
     ("percent = 1\n[iterations]\nselect = ['moon']", "not on 'moon'"),
     ("percent = 1\n[below]\nselect = 'moon'", "below: a kernel"),
     ("[iterations]\nselect = ['host']", "hints for deactivate, randomize")],
)  # fmt: skip
def test_hints_that_cannot_be_used(text, problem):
    Path("h.toml").write_text(text)
    with pytest.raises(tg.FileFormatError, match=problem):
        hinted(Path("h.toml"), MIS)
    with pytest.raises(tg.MissingFileError, match="no such file"):
        hinted(Path("missing.toml"), MIS)


@needs_pyopencl
def test_policies_by_name(monkeypatch):
    device, host = any_device(), Host(1)
    monkeypatch.setattr(placement, "chip_of", lambda host, device: PAPERS_CHIP)
    assert placement.named("host", MIS, host, device) == Fixed("host")
    monkeypatch.setattr(device, "threads", 0)  # as if it had processors of its own
    rule = placement.named("auto", MIS, host, device)  # nothing was learned yet
    assert isinstance(rule, BreakPoint)
    monkeypatch.setattr(device, "threads", 1)
    assert placement.named("auto", MIS, host, device) == Fixed("host")
    assert rule.percent == pytest.approx(26.1, abs=0.05)
    assert placement.named("published", MIS, host, device).percent == 26.3
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
