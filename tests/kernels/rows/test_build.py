from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tachograph.kernels.rows import build as csr
from tachograph.kernels.runtime import launch
from tests import oracles
from tests.strategies import edge_lists


def rows_of(indptr, indices, weights):
    values = [None] * indices.size if weights is None else weights.tolist()
    pairs = list(zip(indices.tolist(), values, strict=True))
    return [pairs[lo:hi] for lo, hi in zip(indptr[:-1], indptr[1:], strict=True)]


def columns(edges, ids, dtype=None):
    source = np.array([e[0] for e in edges], ids)
    target = np.array([e[1] for e in edges], ids)
    return source, target, None if dtype is None else np.array([e[2] for e in edges], dtype)


@pytest.mark.parametrize("dtype", [None, np.int32, np.float32, np.float64])
@pytest.mark.parametrize(
    ("ids", "out"), [(np.int32, np.int32), (np.int64, np.int32), (np.int64, np.int64)]
)
@given(data=st.data(), symmetrize=st.booleans(), drop=st.booleans(), sort=st.booleans())
@settings(max_examples=40, deadline=None)
def test_rows_are_those_of_the_oracle(ids, out, dtype, data, symmetrize, drop, sort):
    weights = st.none() if dtype is None else st.integers(-9, 9)
    n, edges = data.draw(edge_lists(weights=weights))
    built = csr.build(
        *columns(edges, ids, dtype), n, out, symmetrize=symmetrize, drop_loops=drop, sort=sort
    )
    expected = oracles.rows(edges, n, symmetrize=symmetrize, drop_self_loops=drop)
    if sort:
        expected = [sorted(row, key=lambda pair: pair[0]) for row in expected]  # stable
    assert rows_of(*built) == expected
    assert built[1].dtype == out


@pytest.mark.parametrize("n", [1, 63, 64, 65, 1 << 12, 70_000, (1 << 24) + 5])
def test_any_number_of_buckets_and_digits(n):
    rng = np.random.default_rng(n)
    source, target = rng.integers(0, n, (2, 5000)).astype(np.int32)
    source[:10] = n - 1
    indptr, indices, _ = csr.build(source, target, None, n, sort=True)
    order = np.lexsort((target, source))
    assert np.array_equal(indices, target[order])
    assert np.array_equal(np.diff(indptr), np.bincount(source, minlength=n))


@pytest.mark.parametrize("sort", [False, True])
def test_same_rows_for_any_number_of_threads(monkeypatch, sort):
    rng = np.random.default_rng(1)
    n, m = 5000, 200_000
    source, target = rng.integers(0, n, (2, m)).astype(np.int32)
    source[: m // 2] = 7  # one bucket holds half of the work
    weight = np.arange(m, dtype=np.int32)
    expected = None
    for threads in (1, 2, 3, 7):
        monkeypatch.setattr(launch, "threads_available", lambda threads=threads: threads)
        built = csr.build(source, target, weight, n, symmetrize=True, sort=sort)
        if expected is None:
            expected = built
        for a, b in zip(built, expected, strict=True):
            assert np.array_equal(a, b)


def test_wide_ids_need_four_digits():
    n = 1 << 25
    source = np.array([n - 1, 0, n - 1, 5], np.int64)
    target = np.array([n - 1, n - 2, 3, 0], np.int64)
    indptr, indices, _ = csr.build(source, target, None, n, np.int64, sort=True)
    assert indices.tolist() == [n - 2, 0, 3, n - 1]
    assert indptr[-1] == 4
