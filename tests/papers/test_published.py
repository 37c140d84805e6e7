"""Published numbers are data, and every experiment has its page."""

from __future__ import annotations

import importlib
import tomllib
from pathlib import Path

import numpy as np
import pytest

from tachograph.papers import published as room
from tachograph.papers.published import published
from tachograph.papers.reproduce import EXPERIMENTS

PAGES = Path(__file__).parents[2] / "docs" / "papers"
FILES = sorted(Path(room.__file__).parent.glob("*.toml"))


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_every_table_says_where_it_stands_and_its_unit(file):
    for name in tomllib.loads(file.read_text(encoding="utf-8")).keys() - {"paper"}:
        table = published(file.stem, name)
        assert table.paper
        assert table.where
        assert table.unit
        assert table.rows or table.text
        assert {len(row) for row in table.rows} <= {len(table.columns)}


def test_means_and_spreads_of_surf_are_those_of_its_rows():
    """So the table was typed in correctly."""
    table = published("surf", "table-3")
    for column in table.columns[1:]:
        *graphs, mean, spread = table.numbers(column)
        assert np.mean(graphs) == pytest.approx(mean, abs=0.01)
        assert np.std(graphs, ddof=1) == pytest.approx(spread, abs=0.1)


def test_joint_scores_are_about_the_mean_of_both():
    """They are those of a model of their own."""
    table = published("approximation", "table-4")
    both = np.mean([table.numbers("inaccuracy"), table.numbers("speedup")], axis=0)
    assert table.numbers("joint") == pytest.approx(both, abs=0.004)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_is_a_function_and_on_its_page(name):
    module, function = EXPERIMENTS[name].function.split(":")
    assert callable(getattr(importlib.import_module(f"tachograph.papers.{module}"), function))
    page = (PAGES / f"{EXPERIMENTS[name].page}.md").read_text(encoding="utf-8")
    assert f"tacho reproduce {name}" in page
