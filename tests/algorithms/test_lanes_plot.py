from __future__ import annotations

import pytest

import tachograph as tg
from tachograph.algorithms.lanes_plot import plot_lanes


def test_two_lanes_are_drawn(tmp_path):
    trace = tg.Trace({"phase": ["host", "host", "opencl:0"], "begin": [0.0, 0.001, 0.0],
                      "seconds": [0.01, 0.009, 0.008], "edges": [3, 3, 4]})  # fmt: skip
    plot_lanes(tg.Result("jaccard", {}, seconds=0.01, trace=trace), tmp_path / "lanes.svg")
    drawn = (tmp_path / "lanes.svg").read_text()
    assert drawn.count("<path") > 3
    with pytest.raises(tg.InputError, match="written as .png"):
        plot_lanes(tg.Result("jaccard", {}, seconds=0.01, trace=trace), tmp_path / "lanes.txt")
