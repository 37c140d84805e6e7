"""The earliest and oldest of many banks, eight at once, beside a plain loop."""

from __future__ import annotations

import numpy as np
import pytest

from tachograph.kernels.runtime.lanes import MISSING
from tachograph.kernels.runtime.launch import kernel
from tachograph.simulation.dram.engine.earliest import least_time_and_key

APART = 40  # words from times to masks; keys follow


@kernel
def first(m, n, now, late):
    return least_time_and_key(m, n, 0, APART, 2 * APART, now, late)


@pytest.mark.parametrize("n", [1, 4, 8, 16, 31, 32])
@pytest.mark.parametrize("late", [0, 1, MISSING])
def test_the_oldest_of_those_that_can_go_first(n, late):
    for seed in range(40):
        rng, now = np.random.default_rng(seed), seed % 7
        m = np.zeros(3 * APART, np.int64)
        times, masks, keys = m.reshape(3, APART)
        times[:] = rng.integers(0, 6, APART) * 2
        masks[:] = rng.choice([-1, 0], APART)
        keys[:] = np.where(rng.random(APART) < 0.5, rng.permutation(APART) + (1 << 40), MISSING)
        keys[n:] = MISSING
        chosen = [
            (max(t, now) | (late if closed else 0), k)
            for t, closed, k in zip(*(x[:n].tolist() for x in (times, masks, keys)), strict=True)
            if k != MISSING and not (closed and late == MISSING)
        ]
        assert first(m, n, now, late)[0] == min(chosen, default=(MISSING, MISSING))[0]
        if chosen:
            assert first(m, n, now, late) == min(chosen)
