"""SURF's tables on tiny graphs: shapes, finite numbers, and cells that are worked out by hand."""

from __future__ import annotations

import math

import pytest

import tachograph as tg
from tachograph.decisions.direction.model import policy_named
from tachograph.papers import surf
from tachograph.papers.reproduce import GRAPH_COLUMNS, Settings, reproduce

TINY = ("tree 15 2", "kronecker 9 8")


@pytest.fixture
def settings(monkeypatch, tmp_path):
    monkeypatch.setattr(surf, "SEARCH_ROUNDS", 2)
    path = str(tmp_path / "cliques.tgraph")
    tg.write(tg.complete(40), path)
    return Settings(graphs=(*TINY, path))


def test_guards_can_be_given_to_any_policy():
    assert not policy_named("gunrock").guarded
    assert surf.named("gunrock guarded").guarded
    assert not surf.named("cost").guarded
    assert policy_named("cost").guarded


def test_the_graphs(settings):
    (table,) = reproduce("surf-table-2", settings)
    assert table.columns[:3] == list(GRAPH_COLUMNS)
    rows = {row[0]: row[1:] for row in table.rows}
    # 15 vertices, 14 edges both ways, mean degree 28 / 15
    assert rows["tree 15 2"][:4] == ["stand-in", "", 15, 28]
    assert rows["tree 15 2"][5] == round(28 / 15, 2)
    # every vertex of a clique is found in one step; the second frontier finds nothing
    assert rows[settings.graphs[2]][2:6] == [40, 40 * 39, 2, 39]
    assert rows["paper: LJ"] == ["same", "", 4847571, 137987546, 14, 28.47, 0.25]


def test_accuracy_and_time_saved(settings):
    bare, guarded, features = reproduce("surf-table-3", settings)
    assert len(features.rows) == 6
    for table in (bare, guarded):
        ours = [row for row in table.rows if row[0] in settings.graphs]
        assert len(ours) == 3
        assert all(0 <= value <= 100 for row in ours for value in row[3:])
    row = next(row for row in bare.rows if row[0] == "paper: OR")
    assert dict(zip(bare.columns, row, strict=True))["saved surf"] == 99.77
    assert not any(str(row[0]).startswith("paper") for row in guarded.rows)
    mean = next(row for row in bare.rows if row[0] == "mean")
    ours = [row[3] for row in bare.rows if row[0] in settings.graphs]
    assert mean[3] == pytest.approx(sum(ours) / 3, abs=0.06)  # rows have one digit


def test_run_times_with_and_without_guards(settings):
    bare, guarded, overhead = reproduce("surf-table-4", settings)
    assert "gunrock" in bare.columns
    assert "gunrock guarded" in guarded.columns
    for table in (bare, guarded, overhead):
        ours = [row for row in table.rows if row[0] in settings.graphs]
        assert [row[0] for row in ours] == list(settings.graphs)
        assert all(value > 0 and math.isfinite(value) for row in ours for value in row[3:])
        assert "(ms" in table.title
    least = next(row for row in bare.rows if row[0] == "time / best, least")
    assert least[-1] == 1.0  # best over best
    row = next(row for row in overhead.rows if row[0] == "paper: UU")
    assert dict(zip(overhead.columns, row, strict=True))["enterprise"] == 33.01


def test_rates(settings):
    (table,) = reproduce("surf-table-5", settings)
    ours = [row for row in table.rows if row[0] in settings.graphs]
    assert all(value >= 0 and math.isfinite(value) for row in ours for value in row[3:])
    row = dict(zip(table.columns, next(r for r in table.rows if r[0] == "paper: IC"), strict=True))
    assert (row["surf"], row["gunrock"], row["surf guarded"]) == (22.52, 4.01, None)
