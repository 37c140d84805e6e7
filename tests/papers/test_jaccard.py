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
    small = {name: partial(generate.kronecker, 6, rng=s) for s, name in enumerate("ab")}
    monkeypatch.setattr(jaccard, "_graphs", lambda full: small)
    monkeypatch.setattr(jaccard, "ROUNDS", 1)
    monkeypatch.setattr(jaccard, "calibrated", lambda device, threads: device)
    summary, curve, whether, how = reproduce("jaccard-figure-1", Settings(output=Path()))
    cells = [dict(zip(summary.columns, row, strict=True)) for row in summary.rows]
    assert [row[0] for row in curve.rows] == pytest.approx([k / 20 for k in range(21)])
    assert {cell["graph"] for cell in cells} == set(small)
    assert any("A100" in note for note in summary.notes)
    beside = cells[0]["threads"]
    for cell in cells:
        assert cell["gain over device"] == pytest.approx(1 - cell["at it, s"] / cell["device, s"])
        assert (cell["graph is"], cell["chosen on it"]) == ("stand-in", "")
        if cell["threads"] == beside:
            at = list(curve.columns).index(cell["graph"])
            assert cell["at it, s"] == min(point[at] for point in curve.rows)
    assert len(whether.rows) == len(how.rows) == len(cells)
    assert Path("jaccard-figure-1.svg").exists()


def test_what_takes_long_runs_once():
    """The paper's kernels take ten seconds where ours take a tenth of one."""
    runs = {
        "short": [jaccard.LONG_SECONDS, 0.2, 0.1, 0.3],
        "brief": [0.01, 3.0, 1.0, 2.0],
        "long": [7.0, 1.0],
    }
    done = dict.fromkeys(runs, 0)

    def seconds(way):
        done[way] += 1
        return runs[way][done[way] - 1]

    assert jaccard._medians(list(runs), seconds, 3) == {"short": 0.2, "brief": 2.0, "long": 7.0}
    assert done == {"short": 4, "brief": 4, "long": 1}


def record(graph, host, device, best, both, auto, said):
    """A made-up measurement whose best share is 0.3."""
    seconds = {str(share): 9.0 for share in jaccard.SHARES} | {"0.3": best}
    seconds |= {f"{jaccard.PAPERS} {share}": 9.0 for share in jaccard.SHARES}
    seconds |= {"host": host, "device": device, "both": both, "auto": auto}
    return {"graph": graph, "gini": 0.1, "count": 1, "seconds": seconds, "said": said}


def test_precision_recall_and_regret_by_hand():
    records = [
        record(
            "road 9 9", 2.0, 2.0, 1.0, 1.1, 1.1, "host,opencl:0"
        ),  # both is right, and was taken
        record("road 8 8", 2.0, 2.0, 1.2, 1.0, 2.0, "host"),  # both is right, and was not
        record("road 7 7", 1.0, 2.0, 1.5, 1.5, 1.5, "host,opencl:0"),  # one is right, and was not
        record("road 6 6", 1.0, 2.0, 1.5, 1.5, 1.0, "host"),  # one is right, and was taken
        record("road 5 5", 1.0, 2.0, 0.99, 1.0, 1.0, "host"),  # nothing at stake
    ]
    whether, how = jaccard._whether(records, []), jaccard._how(records, [])
    assert [row[-2:] for row in whether.rows] == [
        ["both", "both"], ["both", "one"], ["one", "both"], ["one", "one"], ["no matter", "one"],
    ]  # fmt: skip
    assert whether.notes[0] == (
        "4 cases, 2 of which are better on one; precision 50 % (1 of 2); recall 50 % (1 of 2)."
    )
    assert [row[-3:] for row in how.rows][:2] == [[0.3, 1.1, 0.55], [0.3, 2.0 / 1.2, 1.0]]
