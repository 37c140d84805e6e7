"""The papers' tables on simulated GPUs."""

from __future__ import annotations

import pytest

import tachograph as tg
from tachograph.algorithms.result import Trace
from tachograph.papers import on_gpus
from tachograph.papers.reproduce import EXPERIMENTS, Settings, reproduce


def test_every_table_on_a_gpu_is_an_experiment():
    assert set(on_gpus.ON_GPUS) <= set(EXPERIMENTS)
    with pytest.raises(tg.InputError, match="cannot be simulated on a GPU"):
        next(reproduce("hitgraph-table-5", Settings(gpu="v100")))


def test_placed_kernels(monkeypatch):
    monkeypatch.setattr(on_gpus, "GRID_SIDE", 12)
    for name in ("mis-switch", "flow-switch"):
        (table,) = reproduce(name, Settings(gpu="a10-7850k"))
        assert table.provenance == "simulated"
        *kernels, total = table.rows
        assert sum(row[1] for row in kernels) == total[1]
        assert all(row[2] <= row[1] for row in table.rows)
        assert all(0 <= row[3] <= 100 for row in table.rows)
        rights = sum(row[1] * row[3] for row in kernels) / total[1]
        assert total[3] == pytest.approx(rights, abs=0.1)
        assert "by the paper's own tables" in table.notes[0]


def test_the_papers_tables_on_calls_by_hand():
    """Two rounds of a set: 100 of 100 vertices, then 20; a change of place takes a second."""
    kernels = ["randomize", "select", "deactivate"] * 2
    trace = Trace({"kernel": kernels, "iteration": [0] * 3 + [1] * 3, "items": [100] * 3 + [20] * 3,
                   "host_seconds": [1.0] * 6, "seconds": [5.0] * 6})  # fmt: skip
    places = on_gpus._by_the_tables(trace, "maximal_independent_set", 100)
    assert places == ["host", "gpu", "gpu", "host", "host", "host"]
    assert on_gpus._seconds_of(places, trace, 1.0) == 1 + 5 + 5 + 3 + 2


def test_approximations_beside_the_published(monkeypatch):
    monkeypatch.setattr(on_gpus, "KRONECKER_SCALE", 7)
    (table,) = reproduce("sssp-table-1", Settings(gpu="p4000"))
    assert len(table.rows) == 13
    assert all(row[2] > 0 for row in table.rows)


def test_surf_on_small_graphs(monkeypatch):
    monkeypatch.setattr(on_gpus, "STAND_INS", {"LJ": "kronecker 9 16", "PT": "uniform 500 8"})
    tables = list(reproduce("surf-table-4", Settings(gpu="rtx3080")))
    assert len(tables) == 3
    for table in tables:
        assert {row[0] for row in table.rows} == {"LJ", "PT"}
    accuracy, times, rates = tables
    assert all(0 <= cell <= 100 for row in accuracy.rows for cell in row[2:7])
    assert all(cell > 0 for table in (times, rates) for row in table.rows for cell in row[2:7])
