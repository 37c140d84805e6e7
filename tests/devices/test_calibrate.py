"""Calibrations that cannot be right are not used."""

from __future__ import annotations

import math

import pytest

import tachograph as tg
from tachograph.devices import calibrate
from tachograph.devices.host import Host
from tachograph.journal import journal
from tachograph.tasks import estimate

GOOD = dict.fromkeys(calibrate.UNITS, 2.0) | {"transfer": None}


@pytest.mark.parametrize(
    "wrong",
    [{"stream": 0.0}, {"gather": "fast"}, {"gather": None}, {"vector": math.inf},
     {"scalar": -1.0}, {"latency": [1]}, {"stream": math.nan}, None],
    ids=str,
)  # fmt: skip
def test_a_damaged_calibration_counts_as_none_with_one_warning(wrong):
    host = Host(3)
    journal().put("calibration", host.key, GOOD)
    assert calibrate.calibration(host) == GOOD
    journal().put("calibration", host.key, {"stream": 1.0} if wrong is None else GOOD | wrong)
    calibrate._say.cache_clear()
    with pytest.warns(tg.TachographWarning, match="tacho devices --calibrate") as said:
        assert [calibrate.calibration(host), estimate.scale_of(host).factor] == [None, 1.0]
    assert len(said) == 1
