from __future__ import annotations

import numpy as np
import pytest

import tachograph as tg
from tachograph.decisions.generators import layers
from tachograph.decisions.placement import model
from tachograph.decisions.placement.train import Trainer
from tachograph.devices import calibrate
from tachograph.papers import heterogeneous, switching
from tachograph.papers.published import published
from tachograph.papers.reproduce import Settings, reproduce
from tachograph.tasks.measure import runner
from tests.devices.support import any_device, needs_pyopencl

FIGURES = {
    "mis-overlap": ["figure-12"],
    "mis-power": ["figure-13"],
    "mis-hot": ["figure-14"],
    "mis-switch": ["figure-15-speedup", "figure-15-placements"],
    "flow-switch": ["figure-17-speedup", "figure-17-placements"],
    "break-point": [],
}


@pytest.fixture
def small(monkeypatch):
    made = {
        "grid": lambda: heterogeneous.stencil((9, 9)),
        "power law": lambda: tg.kronecker(7, rng=1),
    }
    flows = {"layers": lambda: layers(4, 20)}
    problems = {switching.SET: made, switching.FLOW: flows}
    monkeypatch.setattr(heterogeneous, "graphs", lambda full: made)
    monkeypatch.setattr(switching, "graphs", lambda full: made)
    monkeypatch.setattr(switching, "_problems", lambda task, full: problems[task])
    monkeypatch.setattr(heterogeneous, "TURNS", 1)
    monkeypatch.setattr(heterogeneous, "REPEAT_SECONDS", 0.0)
    monkeypatch.setattr(switching, "TURNS", 1)
    monkeypatch.setattr(Trainer, "choose", lambda self: ["kronecker 7 16", "layers 4 30"])
    return problems


@needs_pyopencl
@pytest.mark.parametrize("name", FIGURES)
def test_tables_have_a_row_for_each_graph_and_figures_are_files(name, small, tmp_path):
    any_device()
    output = tmp_path / "figures"
    output.mkdir()
    tables = list(reproduce(name, Settings(output=output)))
    own = small[switching.FLOW if name.startswith("flow") else switching.SET]
    for table in tables:
        assert all(len(row) == len(table.columns) for row in table.rows)
        assert any("Published" in note for note in table.notes)
        if table.columns[0] == "graph":
            assert [row[0] for row in table.rows] == list(own)
    if name.endswith("switch"):
        _, calls, kernels = tables
        at = calls.columns.index("learned, time")
        assert all(row[at] >= 1 for row in calls.rows)  # nobody beats the oracle on its own times
        assert kernels.rows[-1][0] == "all"
        if name == "flow-switch":  # by hand from figure 17
            theirs = {row[0]: row[-1] for row in kernels.rows}
            assert theirs == {"preflow": 100.0, "push-adjust": 64.4, "bfs": 83.1, "all": 82.5}
    assert sorted(path.stem for path in output.iterdir()) == sorted(
        f"fine-grain-{figure}" for figure in FIGURES[name]
    )


@needs_pyopencl
def test_the_learned_policy_that_is_timed_knows_the_cost_of_copies(monkeypatch):
    """As the one does that users run."""
    calls = {kernel: [[1.0, 2.0, 3.0, 4.0]] for kernel in ("randomize", "select", "deactivate")}
    monkeypatch.setattr(switching.Trainer, "collect", lambda self, names: [{"calls": calls}])
    for known in ({"transfer": 2.0}, {"transfer": None, "stream": 4.0}):  # GB a second
        monkeypatch.setattr(model, "calibration", lambda device, known=known: known)
        learned = switching._learned(Settings(), switching.SET, any_device())
        assert learned.byte_seconds == 0.5e-9


def test_one_place_is_the_best_only_if_it_is_in_every_row():
    assert switching._one_place([(9, 9), (5, 5)])
    assert not switching._one_place([(9, 9), (5, 3)])
    assert not switching._one_place([(9, 9), (5, 0)])


@needs_pyopencl
def test_a_device_behind_a_bus_is_calibrated_before_placements_are_learned(monkeypatch):
    device, measured = any_device().masked("shares_memory"), []
    monkeypatch.setattr(Trainer, "opened", device)
    monkeypatch.setattr(calibrate, "calibration", lambda one: None)
    monkeypatch.setattr(calibrate, "calibrate", measured.append)
    Trainer(None, 1.0, None, runner()).how()
    assert measured == [device]


@needs_pyopencl
def test_the_host_has_all_its_threads_beside_a_device_that_has_cores_of_its_own(monkeypatch):
    device = any_device().masked()
    device.threads = 0
    monkeypatch.setattr(heterogeneous, "open_device", lambda name: device)
    with tg.threads(3):
        assert heterogeneous.both()[1].threads == 3


@needs_pyopencl
def test_every_published_overlap_is_measured_both_ways(small):
    published, helping = reproduce("mis-overlap", Settings())
    heads = [f"{o} %" for o in (20, 30, 40, 50, 60, 70, 80, 95, 99)]
    for table in (published, helping):
        assert [c for c in table.columns if c in heads] == heads
    assert "no help, as in the paper" in published.title
    assert "helps" in helping.title
    assert any("unlike in the paper" in note for note in published.notes)


def test_the_equation_is_the_papers_to_the_digit():
    """It needs no device."""
    (table,) = reproduce("break-point", Settings())
    rows = {row[0]: dict(zip(table.columns, row, strict=True)) for row in table.rows}
    assert rows["the paper's inputs"]["cut"] == 26.3
    assert rows["the paper's inputs"]["break point, %"] == 26.37  # 1600 / (5.5 * 11.03)
    assert rows["the paper's hardware"]["break point, %"] == 26.11  # with 4 / 0.72


@pytest.mark.slow
def test_ecology1_is_the_papers_graph():
    g = heterogeneous.graphs(False)["ecology1"]()
    sizes = published("heterogeneous", "table-1").row("ecology1")
    assert (g.n, g.m) == (sizes["vertices"], sizes["edges"]) == (1_000_000, 1_998_000)
    assert np.bincount(g.degrees).tolist() == [0, 0, 4, 4 * 998, 998 * 998]


def test_stencils():
    assert heterogeneous.stencil((3, 4)).m == 3 * 3 + 2 * 4
    assert heterogeneous.stencil((3, 4), corners=True).m == 17 + 2 * 2 * 3
    cube = heterogeneous.stencil((5, 5, 5), corners=True)
    assert cube.degrees.max() == 26
    assert heterogeneous.stencil((5, 5), 2).degrees[12] == 8
    assert np.array_equal(heterogeneous.stencil((4, 4), links=5).indices,
                          heterogeneous.stencil((4, 4), links=5).indices)  # fmt: skip
    assert len(heterogeneous.graphs(False)) == 9
