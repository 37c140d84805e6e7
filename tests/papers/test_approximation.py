from __future__ import annotations

import numpy as np
import pytest

from tachograph.decisions.approximation.collect import Data
from tachograph.decisions.approximation.model import the_model
from tachograph.papers.approximation import figures, tables
from tachograph.papers.reproduce import Settings, reproduce
from tests.decisions.approximation.made_up import records


@pytest.fixture
def measured(monkeypatch):
    """Tables and figures of made-up measurements."""
    data = Data(records())
    for module in (tables, figures):
        monkeypatch.setattr(module, "measurements", lambda full: data)
    return data


def test_as_many_exact_times_count_as_of_others():
    assert tables.shortest([3, 1, 2], 3) == 1
    assert tables.shortest([3, 1, 2, 5], 2) == np.mean([min(3, 2), min(1, 5)])


def test_all_models_beside_the_paper(measured):
    best, models, families, advice = reproduce("sssp-table-4", Settings())
    assert len(models.rows) == 6 * 3 * 3
    assert len(models.columns) == len(models.rows[0]) == 9  # more do not fit into a terminal
    by_name = {tuple(r[:3]): r[3:] for r in models.rows}
    assert all(np.isfinite(row[::2]).all() for row in by_name.values())
    for scenario, inaccuracy, _, speedup, _ in best.rows:
        own = [
            row
            for (_, where, metric), row in by_name.items()
            if (where, metric) == (scenario, "R2")
        ]
        assert inaccuracy.startswith(f"{max(r[2] for r in own):.3f} (")
        assert speedup.startswith(f"{max(r[4] for r in own):.3f} (")
    assert [r[2] for r in best.rows] == [0.999, 0.951, 0.909]
    assert by_name["RF", "random", "MAE"][1::2] == [0.002, 0.001, 0.003]
    assert by_name["RF", "random", "RMSE"][1::2] == [0.005, 0.002, 0.006]
    assert by_name["RF", "random", "R2"][1::2] == 3 * [0.999]
    assert by_name["ours", "large", "R2"][1::2] == 3 * [None]
    assert [r[0] for r in families.rows] == ["kronecker", "roads", "social"]
    assert [r[0] for r in advice.rows] == ["1%", "5%", "10%", "20%"]
    learned = set(the_model().card["graphs"])
    unseen = len(set(measured.only(held_out=True).column("graph").tolist()) - learned)
    for budget, cases, tried, kept, most, gain, best, least, _ in advice.rows:
        assert cases == unseen
        assert kept <= tried <= cases
        assert (kept < tried) == (most > float(budget.rstrip("%")) / 100)
        assert least <= gain
        assert best >= 1


def test_figures_are_files_and_a_page(measured, tmp_path):
    (table,) = reproduce("sssp-figures", Settings(output=tmp_path))
    assert len(table.rows) == len(figures.FIGURES) + 1
    for name in figures.FIGURES:
        assert (tmp_path / f"sssp-{name}.svg").read_text().startswith("<svg")
    page = (tmp_path / "sssp-figures.html").read_text()
    assert page.count("<svg") == len(figures.FIGURES)


def test_the_pareto_front(measured):
    front = figures.pareto_front(measured)
    assert front[0] == (0.0, 1.0)
    for (e1, g1), (e2, g2) in zip(front, front[1:], strict=False):
        assert e1 <= e2
        assert g1 < g2
    for r in measured.records:  # none is better in both
        assert not any(r["error"] < e and r["gain"] > g for e, g in front[1:])
