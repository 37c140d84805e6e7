from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tachograph.kernels.rows import build as csr
from tachograph.kernels.rows import passes as rows
from tachograph.kernels.runtime import launch
from tests import oracles
from tests.strategies import edge_lists


def built(n, edges, **options):
    source = np.array([e[0] for e in edges], np.int32)
    target = np.array([e[1] for e in edges], np.int32)
    weight = np.array([e[2] for e in edges], np.int32) if edges and len(edges[0]) > 2 else None
    return csr.build(source, target, weight, n, **options)


@given(edge_lists())
@settings(deadline=None)
def test_counts_and_checks(case):
    n, edges = case
    indptr, indices, _ = built(n, edges)
    assert sum(rows.over_rows(rows.count_loops, indptr, indices)) == sum(
        e[0] == e[1] for e in edges
    )
    expected = oracles.rows(edges, n)
    is_sorted = all(row == sorted(row) for row in ([t for t, _ in r] for r in expected))
    assert (max(rows.over_rows(rows.unsorted_row, indptr, indices)) < 0) == is_sorted
    assert max(rows.over_rows(rows.bad_row, indptr, indices)) == -1


@pytest.mark.parametrize("bad", [-1, 3, 2**31 - 1])
def test_a_neighbour_that_does_not_exist_is_found(bad):
    indptr, indices = np.array([0, 1, 2, 3]), np.array([1, bad, 0], np.int32)
    assert rows.over_rows(rows.bad_row, indptr, indices) == [1]


@given(st.data(), st.booleans())
@settings(deadline=None, max_examples=200)
def test_symmetry_is_recognised(data, mirrored):
    weights = data.draw(st.sampled_from([st.none(), st.integers(1, 3)]))
    n, edges = data.draw(edge_lists(weights=weights, max_n=4, max_edges=8))
    if mirrored:
        edges = edges + [(e[1], e[0], *e[2:]) for e in edges]
    indptr, indices, weight = built(n, edges)
    bits, weighted = csr.as_bits(weight)
    found = rows.over_rows(rows.asymmetry, indptr, indices, bits, weighted)
    assert (sum(map(int, found)) % 2**64 == 0) == oracles.is_symmetric(edges)


@pytest.mark.parametrize("n", [0, 1, 300_000])
def test_every_row_is_in_exactly_one_part(monkeypatch, n):
    monkeypatch.setattr(launch, "threads_available", lambda: 5)
    seen = []
    rows.over_rows(lambda stop, lo, hi, indptr: seen.append((lo, hi)), np.arange(n + 1))
    seen.sort()
    assert seen[0][0] == 0
    assert seen[-1][1] == n
    assert all(a[1] == b[0] for a, b in zip(seen[:-1], seen[1:], strict=True))
