"""The papers' tables on simulated GPUs."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import numpy as np
import pytest

import tachograph as tg
from tachograph.algorithms.result import Trace
from tachograph.decisions.approximation.rules import EXACT
from tachograph.papers import on_gpus, sssp_on_gpus, surf_on_gpus
from tachograph.papers.published import published
from tachograph.papers.reproduce import EXPERIMENTS, ON_GPUS, Settings, reproduce
from tachograph.simulation.gpus.chip import Chip
from tachograph.simulation.gpus.rounds import independent


def test_every_table_on_a_gpu_is_an_experiment():
    assert set(ON_GPUS) <= set(EXPERIMENTS)
    for place in ON_GPUS.values():
        module, function = place.split(":")
        assert function in import_module(f"tachograph.papers.{module}").__all__
    with pytest.raises(tg.InputError, match="cannot be simulated on a GPU"):
        next(reproduce("hitgraph-table-5", Settings(gpu="v100")))


def test_listing_experiments_loads_nothing_that_simulates():
    code = "import sys; from tachograph.papers.reproduce import EXPERIMENTS, needs; "
    code += "print(*map(needs, EXPERIMENTS)); print('tachograph.simulation' in sys.modules, "
    code += "'scipy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False False"


def test_placed_kernels(monkeypatch):
    monkeypatch.setattr(on_gpus, "SIDES", dict.fromkeys(on_gpus.SIDES, 12))
    for name in ("mis-switch", "flow-switch"):
        table, said = reproduce(name, Settings(gpu="a10-7850k"))
        assert {row[-1] for row in said.rows} <= {"yes", "no"}
        assert table.provenance == "simulated"
        *kernels, total = table.rows
        assert sum(row[1] for row in kernels) == total[1]
        assert all(row[2] <= row[1] for row in table.rows)
        assert all(0 <= row[3] <= 100 for row in table.rows)
        rights = sum(row[1] * row[3] for row in kernels) / total[1]
        assert total[3] == pytest.approx(rights, abs=0.1)
        assert "by the paper's own tables" in table.notes[0]


def test_overlap_on_small_graphs(monkeypatch):
    """A path waits for the next vertex only, a random graph for almost all of them."""
    made = {"ecology1": lambda: tg.path(6000), "cage15": lambda: tg.uniform(3000, 18, rng=1)}
    monkeypatch.setattr(on_gpus, "graphs", lambda full: made)
    table, said = reproduce("mis-overlap", Settings(gpu="a10-7850k"))
    assert table.provenance == "simulated"
    assert [row[0] for row in table.rows] == list(made)
    for row in table.rows:
        gains = row[5:-1]
        assert sorted(gains) == gains  # a consumer that begins earlier is not done later
        most = 100 / max(100 - row[4] - 0.05, 1)  # all of the producer hidden; digits are rounded
        assert 1 <= gains[0] <= gains[-1] <= most + 0.001
    assert {row[-1] for row in said.rows} <= {"yes", "no"}


def test_parts_of_a_list_wait_for_their_neighbours():
    """In the first round every vertex of a path looks at its neighbours until one is before it."""
    chip = Chip(tg.GPU("a10-7850k"), tg.path(64))
    independent(chip, 0, 4)
    produced, work = next(row["waits"] for row in chip.rows if row["kernel"] == "select")
    assert work.sum() == pytest.approx(1)
    for part, share in enumerate(produced):
        own = (part + 1) / 4
        assert own <= share <= min(1, own + 1 / 64)


def test_the_papers_tables_on_calls_by_hand():
    """Two rounds of a set: 100 of 100 vertices, then 20; a change of place takes a second."""
    kernels = ["randomize", "select", "deactivate"] * 2
    trace = Trace({"kernel": kernels, "iteration": [0] * 3 + [1] * 3, "items": [100] * 3 + [20] * 3,
                   "host_seconds": [1.0] * 6, "seconds": [5.0] * 6})  # fmt: skip
    places = on_gpus._by_the_tables(trace, "maximal_independent_set", 100)
    assert places == ["host", "gpu", "gpu", "host", "host", "host"]
    assert on_gpus._seconds_of(places, trace, 1.0) == 1 + 5 + 5 + 3 + 2


def test_approximations_beside_the_published(monkeypatch):
    monkeypatch.setattr(sssp_on_gpus, "KRONECKER_SCALE", 7)
    table, said = reproduce("sssp-table-1", Settings(gpu="p4000"))
    faster = sum(row[2] > 1 for row in table.rows)
    assert said.rows[0][1:] == [13, faster, "yes" if faster == 13 else "no"]
    assert len(table.rows) == 13
    assert all(row[2] > 0 for row in table.rows)


def test_figure_1_and_methods_beside_the_published(monkeypatch):
    monkeypatch.setattr(sssp_on_gpus, "SCALES_LESS", 12)
    figure, methods, said = reproduce("sssp-methods", Settings(gpu="p4000"))
    assert [row[:4] for row in figure.rows] == [
        [f"Graph{k + 1}", "generated alike", 19 + k, 7 + k] for k in range(6)]  # fmt: skip
    for row in figure.rows:
        assert row[6] == pytest.approx(2 * row[5], abs=2e-3)  # the hybrid is two searches
        assert row[7] == pytest.approx(row[5] / row[4], abs=0.02)
    assert len(methods.rows) == 3 * 8
    dijkstra, hybrid = ([r[2:] for r in methods.rows if r[1] == n] for n in ("dijkstra", "hybrid"))
    assert dijkstra == hybrid
    first = sum(row[7] > 1 for row in figure.rows)
    assert said.rows[0][1:] == [6, first, "yes" if first == 6 else "no"]


def test_what_is_a_little_faster_is_faster_though_the_table_rounds(monkeypatch):
    def run(self, algorithm, approximation):
        seconds = 1.0 if algorithm == "bellman-ford" else 1.001
        if approximation is not EXACT:
            seconds -= 1 / self.graph.n
        away = 1.0 if approximation is EXACT else 1.0 + 1 / self.graph.n
        return sssp_on_gpus.Found(np.full(self.graph.n, away), seconds, 8)

    monkeypatch.setattr(sssp_on_gpus, "SCALES_LESS", 14)
    monkeypatch.setattr(sssp_on_gpus.Paths, "run", run)
    figure, _, said = reproduce("sssp-methods", Settings(gpu="p4000"))
    assert [row[7:] for row in figure.rows] == 6 * [[1.0, 1.0]]
    assert said.rows[0][1:] == [6, 6, "yes"]
    assert {row[-1] for row in said.rows} <= {"yes", "no"}


def test_what_holds_is_counted():
    """Two settings: one is slower than the exact search, and the published order is turned round."""
    found = np.array([[10.0, 40.0], [3.0, 0.5], [9.0, 19.0], [2.0, 3.0]])
    holds = {row[0].partition(":")[0]: row[-1] for row in sssp_on_gpus._sssp_conclusions(found)}
    assert holds["settings of 2 that are faster than the exact search"] is False
    assert holds["largest speedup"] is True
    assert holds["largest inaccuracy (%), below 30"] is False
    assert holds["more speed costs accuracy"] is False
    assert holds["settings rank as published"] is False


def test_surf_on_small_graphs(monkeypatch, tmp_path):
    """Also on a GPU of one's own, which the catalogue does not know."""
    own = tmp_path / "mine.toml"
    own.write_text('like = "rtx3080"\nname = "mine"\nsms = 50\n')
    small = {"LJ": "kronecker 9 16", "PT": "uniform 500 8"}
    monkeypatch.setattr(surf_on_gpus, "STAND_INS", small)
    *tables, said = list(reproduce("surf-table-4", Settings(gpu=str(own))))
    assert len(tables) == 3
    assert "mine" in said.notes[0]
    for table in tables:
        assert {row[0] for row in table.rows} == {"LJ", "PT"}
    accuracy, times, rates = tables
    for row in times.rows:
        (rate,) = [r for r in rates.rows if r[0] == row[0]]
        arcs = published("surf", "table-2").row(row[0])["arcs"]
        assert rate[2] == pytest.approx(arcs / (row[2] * 1e6), rel=0.01)
    first = sum(row[2] <= min(row[3:6]) for row in times.rows)
    assert said.rows[2][1:] == [2, first, "yes" if first == 2 else "no"]
    assert all(0 <= cell <= 100 for row in accuracy.rows for cell in row[2:7])
    assert all(cell > 0 for table in (times, rates) for row in table.rows for cell in row[2:7])


def test_a_range_holds_only_if_all_of_it_does():
    degrees = np.arange(1, 200)
    words = {w for a in sssp_on_gpus.SEARCHES for w in sssp_on_gpus._settings(degrees, a, 8)}
    pairs = [(1.0, 1.0), (1.1, 0.9)]
    found = {(a, w): pairs for a in sssp_on_gpus.SEARCHES for w in words}
    for rounds, holds in (([7, 8], True), ([7, 9], False), ([6, 8], False)):
        said = {row[0]: row[-1] for row in sssp_on_gpus._method_conclusions(found, 2, rounds)}
        assert said["searches end after 7 or 8 iterations"] is holds
