"""Loops over eight entries at once, beside plain ones."""

from __future__ import annotations

import numpy as np
import pytest

from tachograph.kernels.runtime.lanes import MISSING, least_key, least_time, raise_where
from tachograph.kernels.runtime.launch import kernel

APART = 40  # words from times to masks; keys follow


@kernel
def first(m, n, now, late):
    best = least_time(m, n, 0, APART, 2 * APART, now, late)
    return best, least_key(m, n, 0, APART, 2 * APART, now, late, best)


@kernel
def raised(m, at, n, wanted, value):
    raise_where(m, at, at + APART, wanted, value, n)


def table(seed: int, n: int) -> np.ndarray:
    """Times, masks and keys; half of the entries have no key, and all behind the last one."""
    rng = np.random.default_rng(seed)
    m = np.zeros(3 * APART, np.int64)
    m[:APART] = rng.integers(0, 6, APART) * 2
    m[APART : 2 * APART] = rng.choice([-1, 0], APART)
    keys = rng.permutation(APART) + (1 << 40)
    m[2 * APART :] = np.where((rng.random(APART) < 0.5) & (np.arange(APART) < n), keys, MISSING)
    return m


@pytest.mark.parametrize("n", [1, 4, 8, 16, 31, 32])
@pytest.mark.parametrize("late", [0, 1, MISSING])
def test_the_first_is_the_oldest_of_those_that_can_go_first(n, late):
    for seed in range(20):
        m, now = table(seed, n), seed % 7
        times, masks, keys = m.reshape(3, APART)
        chosen = [
            (max(t, now) | (late if closed else 0), k)
            for t, closed, k in zip(*(x[:n].tolist() for x in (times, masks, keys)), strict=True)
            if k != MISSING and not (closed and late == MISSING)
        ]
        assert first(m, n, now, late) == min(chosen, default=(MISSING, MISSING))


@pytest.mark.parametrize("n", [1, 4, 8, 13, 16])
def test_only_entries_asked_for_are_raised(n):
    for seed in range(20):
        m, at, wanted = table(seed, APART), seed % 5, -(seed % 2)
        expected = m.copy()
        for i in range(at, at + n):
            if m[i + APART] == wanted:
                expected[i] = max(m[i], 5)
        raised(m, at, n, wanted, 5)
        np.testing.assert_array_equal(m, expected)
