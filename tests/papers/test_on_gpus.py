"""The papers' tables on simulated GPUs."""

from __future__ import annotations

import pytest

import tachograph as tg
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
