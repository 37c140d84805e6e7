"""Every reproduction on tiny graphs that the user names: shapes, finite numbers, where each cell comes from."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tachograph.papers import accelerators, heterogeneous, jaccard, surf
from tachograph.papers.approximation import budget, figures, methods, tables
from tachograph.papers.reproduce import EXPERIMENTS, GRAPH_COLUMNS, Settings, needs, reproduce
from tests.decisions.approximation.made_up import records
from tests.devices.support import needs_pyopencl

KINDS = {"same", "generated alike", "stand-in", "yours"}
DEVICE = tuple(name for name in EXPERIMENTS if needs(name).startswith("OpenCL"))
TINY = {
    "flow-switch": ("layers 4 16", "uniform 200 6"),
    "sssp-table-1": ("uniform 400 8",),
    "sssp-methods": ("uniform 300 8",),
}


@pytest.fixture
def quick(monkeypatch):
    """Fewer rounds, roots and runs; models are fitted to made-up measurements."""
    monkeypatch.setenv("NUMBA_NUM_THREADS", "1")
    monkeypatch.setattr(surf, "SEARCH_ROUNDS", 2)
    monkeypatch.setattr(accelerators, "PAPER_ROOTS", 2)
    monkeypatch.setattr(heterogeneous, "REPEAT_SECONDS", 0.0)
    monkeypatch.setattr(heterogeneous, "TURNS", 2)
    monkeypatch.setattr(jaccard, "ROUNDS", 1)
    monkeypatch.setattr(tables, "ITERATION_CAPS", (1, 2))
    monkeypatch.setattr(tables, "PAPER_RUNS", 3)
    monkeypatch.setattr(methods, "RUNS", 3)
    monkeypatch.setattr(budget, "TIMED_ROUNDS", 1)
    from tachograph.decisions.approximation.collect import Data

    made = Data(records(9))
    for module in (tables, figures):
        monkeypatch.setattr(module, "measurements", lambda settings: made)


def check(table, named):
    assert table.provenance in ("measured", "modelled", "simulated")
    assert table.rows
    for row in table.rows:
        assert len(row) == len(table.columns)
        assert all(math.isfinite(v) for v in row if isinstance(v, int | float | np.number))
    if "graph" in table.columns:
        at = list(table.columns).index("graph")
        assert tuple(table.columns[at : at + 3]) == GRAPH_COLUMNS
        assert {row[at + 1] for row in table.rows} <= KINDS | {""}  # means are of no graph
        assert set(named) <= {row[at] for row in table.rows}


def some(names):
    """All of them; those that fit or measure for long are for the exhaustive run."""
    slow = ("sssp-table-4", "sssp-figures", "mis-switch", "flow-switch")
    return [pytest.param(n, marks=[pytest.mark.slow] if n in slow else []) for n in names]


@pytest.mark.parametrize("name", some(n for n in EXPERIMENTS if n not in DEVICE))
def test_on_graphs_that_the_user_names(name, quick, tmp_path):
    named = TINY.get(name, ("tree 31 2", "uniform 200 6"))
    for table in reproduce(name, Settings(output=tmp_path, graphs=named)):
        check(table, named)


@needs_pyopencl
@pytest.mark.parametrize("name", some(DEVICE))
def test_on_devices(name, quick):
    named = TINY.get(name, ("uniform 300 6",))
    first, *_ = reproduce(name, Settings(graphs=named))
    check(first, named)


def test_a_file_is_the_users_own_graph_everywhere(quick, tmp_path):
    file = tmp_path / "mine.txt"
    file.write_text("".join(f"{i} {(i + 1) % 60}\n{i} {(7 * i + 3) % 60}\n" for i in range(60)))
    named = Settings(graphs=(str(file),))
    for name in ("scalabfs-table-2", "thundergp-table-9", "hitgraph-table-5", "surf-table-2"):
        table = next(reproduce(name, named))
        own = [row for row in table.rows if str(file) in row]
        at = list(table.columns).index("graph is")
        assert {row[at] for row in own} == {"yours"}, name
    (errors,) = reproduce("errors-figure-2b", named)
    assert errors.rows == [
        ["none", "", 0, *[None] * 6]
    ]  # nothing is published, so nothing is right


def test_what_a_method_gains_stands_beside_what_the_paper_says(quick, tmp_path):
    *_, table = reproduce("sssp-methods", Settings(output=tmp_path, graphs=("uniform 300 8",)))
    told = " ".join(table.notes)
    assert "25 % faster" in told
    assert "uniform 300 8 (stand-in)" in told


def test_without_kronecker_graphs_there_is_no_front():
    from tachograph.decisions.approximation.collect import Data

    roads = [r for r in records(9) if r["family"] != "kronecker"]
    assert figures.pareto(Data(roads)) is None
