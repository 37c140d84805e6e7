from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from tachograph.graph import generate
from tachograph.papers import jaccard
from tachograph.papers.reproduce import Settings, reproduce
from tests.devices.support import any_device, needs_pyopencl


@needs_pyopencl
def test_the_figure_has_every_share_and_says_where_it_comes_from(monkeypatch):
    any_device()
    small = {name: partial(generate.kronecker, 6, rng=s) for s, name in enumerate("abcd")}
    monkeypatch.setattr(jaccard, "_graphs", lambda full: small)
    summary, curve = reproduce("jaccard-figure-1", Settings(output=Path()))
    assert [row[0] for row in summary.rows] == list(small)
    assert [row[0] for row in curve.rows] == pytest.approx([k / 10 for k in range(11)])
    assert any("A100" in note for note in summary.notes)
    for row in summary.rows:
        best = min(point[1 + list(small).index(row[0])] for point in curve.rows)
        cell = dict(zip(summary.columns, row, strict=True))
        assert cell["at it, s"] == best
        assert cell["gain over device"] == pytest.approx(1 - best / cell["device, s"])
        assert (cell["graph is"], cell["chosen on it"]) == ("stand-in", "")
    assert Path("jaccard-figure-1.svg").exists()
