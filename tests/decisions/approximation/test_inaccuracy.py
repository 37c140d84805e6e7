from __future__ import annotations

import math
import statistics

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tachograph as tg
from tachograph.decisions.approximation.rules import inaccuracy

DISTANCE = st.one_of(st.just(math.inf), st.floats(0, 100))


@given(st.lists(st.tuples(DISTANCE, DISTANCE), min_size=1, max_size=30))
@settings(deadline=None)
def test_errors_one_vertex_at_a_time(pairs):
    errors = []
    for exact, found in pairs[1:]:  # the first is the source
        if exact == math.inf:
            continue
        if found == exact:
            errors.append(0)
        elif found == math.inf or exact == 0:
            errors.append(1)
        else:
            errors.append(min(1, abs(found - exact) / exact))
    result = inaccuracy(*map(np.array, zip(*pairs, strict=True)), 0)
    if not errors:
        assert (result.mean, result.wrong, result.maximum) == (0, 0, 0)
        return
    assert result.mean == pytest.approx(statistics.fmean(errors))
    assert result.wrong == pytest.approx(sum(e > 0 for e in errors) / len(errors))
    assert result.median == pytest.approx(statistics.median(errors))
    assert result.maximum == max(errors)
    lost = sum(f == math.inf for e, f in pairs[1:] if e != math.inf)
    assert result.lost == pytest.approx(lost / len(errors))


def test_negative_distances_count_by_their_size():
    assert inaccuracy(np.array([0, -4.0]), np.array([0, -3.0]), 0).mean == 0.25


def test_distances_of_different_graphs():
    with pytest.raises(tg.InputError, match="same graph"):
        inaccuracy(np.zeros(3), np.zeros(4), 0)
