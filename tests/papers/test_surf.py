"""SURF's tables on tiny graphs: shapes, finite numbers, and cells that are worked out by hand."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

import tachograph as tg
from tachograph.decisions.direction.levels import Levels
from tachograph.decisions.direction.model import Network, policy_named, surf_policy
from tachograph.decisions.direction.state import State
from tachograph.papers import surf, surf_features
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
    bare, guarded = reproduce("surf-table-3", settings)
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
    spread = next(row for row in bare.rows if row[0] == "spread")
    assert spread[3] == pytest.approx(np.std(ours, ddof=1), abs=0.1)  # as the paper's are computed


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


def test_validation_is_beside_the_papers(settings):
    (table,) = reproduce("surf-validation", settings)
    assert [row[0] for row in table.rows][-2:] == ["mean", "paper: mean"]
    assert table.rows[-1][3] == 93


def test_what_features_do(settings, tmp_path):
    *tables, effects = reproduce("surf-features", Settings(graphs=settings.graphs, output=tmp_path))
    overall = tables[-1]
    assert [row[:2] for row in overall.rows[:2]] == [["surf-paper", "m_d"], ["surf-paper", "p_h"]]
    assert len(overall.rows) == 12
    assert [row[0] for row in tables[1].rows] == ["early", "middle", "late"]
    assert (tmp_path / "surf-features.svg").read_text().count("Effect of") >= 6
    assert effects.rows[0][1].endswith("surf-features.svg")


def test_observations_have_verdicts(settings, tmp_path):
    table, _ = reproduce("surf-observations", Settings(graphs=settings.graphs, output=tmp_path))
    assert [row[1] for row in table.rows] == ["s_f", "c_f", "r_f", "r_u"]
    assert {row[-1] for row in table.rows} <= {"holds", "undecided", "the opposite holds"}
    assert (tmp_path / "surf-observations.svg").exists()


def levels_with(**columns):
    """Levels of one graph of a thousand vertices with these columns of the state."""
    count = len(next(iter(columns.values())))
    states = np.zeros((count, len(State._fields)))
    states[:, State._fields.index("n")] = 1000
    states[:, State._fields.index("arcs")] = 8000
    for name, values in columns.items():
        states[:, State._fields.index(name)] = values
    one = np.ones(count)
    same = dict.fromkeys(("push", "pull", "to_bitmap", "to_queue", "push_mean", "pull_mean"), one)
    return Levels(
        graph=np.full(count, "g"), family=np.full(count, "f"), first=one > 0, timed=one > 0,
        thin=one < 0, weight=one, states=states, **same,
    )  # fmt: skip


def test_accumulated_effects_of_a_network_that_adds_up_two_features():
    """Output = 3 r_f - 2 r_u + 1 by units that are always active: the effects are the two slopes."""
    weights = np.zeros((2, 6))
    weights[0, 4], weights[1, 5] = (
        1e-3,
        1e-3,
    )  # a sigmoid is straight near zero, with a slope of 1/4
    net = Network(np.zeros(6), np.ones(6), weights, np.zeros(2), np.array([12e3, -8e3]), np.ones(1))
    rng = np.random.default_rng(1)
    levels = levels_with(n_f=rng.integers(1, 500, 300), n_u=rng.integers(1, 500, 300))
    policy = surf_policy(net, as_published=True)
    for name, slope in (("r_f", 3.0), ("r_u", -2.0), ("s_f", 0.0)):
        points = surf_features.accumulated_effects(levels, policy, name)
        for (x0, y0), (x1, y1) in itertools.pairwise(points):
            assert y1 - y0 == pytest.approx(slope * (x1 - x0), rel=1e-3, abs=1e-9)


def test_a_shuffled_feature_costs_what_it_decided():
    """The policy pulls where r_f > 1/4, and that is right; no other feature matters."""
    weights = np.zeros((1, 6))
    weights[0, 4] = 1e3
    net = Network(
        np.zeros(6), np.ones(6), weights, np.array([-250.0]), np.array([2.0]), -np.ones(1)
    )
    n_f = np.tile([100, 400], 50)
    levels = levels_with(n_f=n_f, n_u=np.arange(100))
    levels = replace(levels, push=np.where(n_f == 400, 9.0, 1.0), pull=np.full(100, 5.0))
    policy = surf_policy(net, as_published=True)
    assert surf_features.losses(levels, policy, "r_u").tolist() == [[0.0], [0.0]]
    accuracy, saved = surf_features.losses(levels, policy, "r_f")[:, 0]
    assert 30 < accuracy < 70  # half of the levels meet the other half's value
    assert saved == pytest.approx(accuracy)  # the same is at stake at every level
