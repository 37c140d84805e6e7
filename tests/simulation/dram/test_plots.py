from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from tachograph.plots.memory import bandwidth
from tachograph.simulation.dram import Memory
from tachograph.util.errors import InputError, MissingDependencyError


def test_pictures_show_the_run():
    pytest.importorskip("matplotlib")
    memory = Memory("HBM", channels=4)
    result = memory.run(np.arange(5000) * 64)
    result.plot("a.svg")
    text = Path("a.svg").read_text()
    assert "DRAM bandwidth over time" in text
    assert "ch 3" in text  # a row of the heat map
    result.plot("a.png")
    assert Path("a.png").read_bytes()[:4] == b"\x89PNG"
    other = Memory("DDR3-1600K").run([0])
    bandwidth({"HBM": result.timeline(), "DDR3": other.timeline()}).save("b.pdf")
    assert Path("b.pdf").read_bytes()[:4] == b"%PDF"
    with pytest.raises(InputError, match=r"written as .svg"):
        result.plot("a.doc")
    assert not [p for p in Path().iterdir() if "tmp" in p.name]


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingDependencyError, match=r"tachograph\[plot\]"):
        Memory("HBM").run([0]).plot("a.png")
