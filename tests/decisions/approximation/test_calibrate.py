from __future__ import annotations

import numpy as np
import pytest

from tachograph.decisions.approximation.calibrate import budget_cases, shares_of
from tachograph.decisions.approximation.model import CONFIDENCES, LEAST_SHARE


def test_the_family_with_the_largest_errors_counts():
    easy = {"family": "easy", "scores": np.linspace(0, 0.5, 400).tolist()}
    hard = {"family": "hard", "scores": np.linspace(0, 1, 400).tolist()}
    found = shares_of([easy, hard])
    assert found == pytest.approx([max(c, LEAST_SHARE) for c in CONFIDENCES], abs=0.01)
    assert shares_of([easy]) == (LEAST_SHARE,) * len(CONFIDENCES)


def test_too_little_tells_nothing():
    assert shares_of([]) == (1.0,) * len(CONFIDENCES)
    few = {"family": "few", "scores": [0.1] * 12}
    assert shares_of([few])[:2] == (LEAST_SHARE, LEAST_SHARE)
    assert shares_of([few])[-1] == 1.0


def test_scores_come_from_live_calls():
    found = budget_cases("uniform-13", "tachograph.tasks.measure:run")
    assert found["family"] == "uniform"
    assert len(found["scores"]) > 5
    assert all(0 <= score <= 1 for score in found["scores"])
