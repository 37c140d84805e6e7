from __future__ import annotations

import pytest

import tachograph as tg
from tachograph.decisions.approximation.rules import inaccuracy
from tachograph.papers.approximation import tables
from tachograph.papers.published import published
from tachograph.papers.reproduce import Settings, reproduce


def test_the_best_within_each_error(monkeypatch):
    monkeypatch.setattr(tables, "SCALE", 9)
    table, by_row = reproduce("sssp-table-1", Settings())
    assert len(by_row.rows) == len(published("approximation", "table-1").numbers("speedup")) == 13
    assert all(0 <= row[3] <= 1 and row[5] > 0 for row in by_row.rows)
    measured = [
        tables.of_graph("kronecker-9", algorithm, rounds)["rows"]
        for algorithm in tables.COMPARED_SEARCHES
        for rounds in tables.ITERATION_CAPS
    ]
    errors = {
        (k // len(tables.ITERATION_CAPS), r[2]): r[0] for k, m in enumerate(measured) for r in m
    }
    assert [row[1] for row in table.rows] == [2.27, 3.31, 4.77]
    assert max(published("approximation", "table-1").numbers("speedup")) == 4.77
    for row, limit in zip(table.rows, tables.ERROR_LIMITS, strict=True):
        for algorithm, (speedup, choice, error) in enumerate((row[2:5], row[5:8])):
            assert speedup > 0
            assert error <= limit
            assert (algorithm, choice) in errors
    assert [r[2] for r in table.rows] == sorted(r[2] for r in table.rows)


def test_errors_are_those_of_the_search():
    g = tg.kronecker(9, rng=1, weights=True)
    source = int(g.degrees.argmax())
    exact = tg.sssp(g, source).distances
    rows = tables.of_graph("kronecker-9", "bellman-ford", 1)["rows"]
    assert len({r[2] for r in rows}) == len(rows) > 4
    once = tg.sssp(g, source, algorithm="bellman-ford", approximation=tg.Approximation(1))
    error = inaccuracy(exact, once.distances, source).mean
    assert [r[0] for r in rows if r[2] == "iterations=1"] == [pytest.approx(error, abs=0.05)]
