from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from tachograph.plots.axes import scale as scale_of
from tachograph.plots.numbers import seconds

numbers = st.lists(st.floats(1e-9, 1e9), min_size=1, max_size=20)


@given(numbers, st.booleans())
def test_scales_hold_their_values_in_order(values, log):
    scale = scale_of("log" if log else "linear", values, 0.0, 100.0)
    placed = [scale(v) for v in sorted(values)]
    assert placed == sorted(placed)
    assert placed[0] >= 0
    assert placed[-1] <= 100
    assert scale.low <= min(values)
    assert max(values) <= scale.high


@given(numbers, st.booleans(), st.integers(2, 8))
def test_ticks_are_few_and_inside(values, log, many):
    scale = scale_of("log" if log else "linear", values, 0.0, 100.0)
    ticks = scale.ticks(many)
    assert 1 <= len(ticks) <= max(2 * many, 9)
    assert ticks == sorted(set(ticks))
    for tick in ticks:
        assert scale.low * (1 - 1e-6) - 1e-12 <= tick <= scale.high * (1 + 1e-6)


@given(st.floats(1e-9, 1e5))
def test_seconds_can_be_read_back(value):
    number, unit = seconds(value).split()
    size = {"s": 1, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}[unit]
    assert math.isclose(float(number.replace(",", "")) * size, value, rel_tol=6e-3)


def test_the_smallest_number_is_as_good_as_zero():
    assert scale_of("log", [5e-324], 0.0, 100.0).ticks()
