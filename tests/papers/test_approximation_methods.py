from __future__ import annotations

import numpy as np
import pytest

import tachograph as tg
from tachograph.decisions.approximation.collect import exact_records, signals
from tachograph.decisions.approximation.rules import inaccuracy
from tachograph.papers.approximation import methods
from tachograph.papers.approximation.models import PAPER_FEATURES, paper_data, paper_rows
from tests.decisions.approximation import made_up


@pytest.fixture
def once(monkeypatch):
    monkeypatch.setattr(methods, "RUNS", 3)


@pytest.mark.parametrize("algorithm", methods.ALGORITHMS)
def test_fewer_rounds_make_larger_errors(algorithm, once):
    found = methods.of_method("kronecker-9", algorithm, "iterations")["rows"]
    assert [row[0] for row in found] == sorted((row[0] for row in found), reverse=True)
    assert found[0][2] == 0  # as many as the exact search has
    errors = [row[2] for row in found]
    assert errors == sorted(errors)
    assert errors[-1] > 0
    if algorithm == "dijkstra":
        g = tg.kronecker(9, rng=1, weights=True)
        source = int(g.degrees.argmax())
        exact, one = (
            tg.sssp(g, source, algorithm="dijkstra", faithful=True, approximation=choice).distances
            for choice in (None, tg.Approximation(iterations=1))
        )
        assert inaccuracy(exact, one, source).mean == pytest.approx(errors[-1])


def test_dijkstra_and_hybrid_make_the_same_errors(once):
    """As the paper says of figure 3: both run the same algorithm."""
    for method in ("iterations", "min_degree", "max_degree"):
        one, two = (methods.of_method("kronecker-8", a, method) for a in ("dijkstra", "hybrid"))
        assert [r[2] for r in one["rows"]] == [r[2] for r in two["rows"]]


def test_scales_that_fit_into_memory(monkeypatch):
    monkeypatch.setattr(methods, "available", lambda: 2 * 16 * 2**21 * methods.BYTES_PER_ARC)
    sizes, said = methods.scales(True)
    assert sizes == (19, 20, 21)
    assert "19, 20, 21 of the paper's 19 to 24" in said
    assert methods.scales(False)[0] == methods.SCALES


def test_exact_rows_are_among_the_papers_data():
    from tachograph.decisions.approximation.collect import Data

    records = made_up.records(6)
    exact = exact_records(records)
    kinds = {(r["graph"], r["source"], r["algorithm"]) for r in records}
    assert len(exact) == len(kinds)
    assert all(not any(signals(r).values()) and r["speedup"] == 1 for r in exact)
    part = paper_data(Data(records))["random"]
    original = paper_rows(part)[:, PAPER_FEATURES.index("sOriginalDistance")]
    assert original.sum() == len({r["graph"] for r in part.records})
    assert np.array_equal(original == 1, part.column("error") == 0)
