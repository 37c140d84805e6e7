"""What all charts have in common, for data of every size."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tachograph.plots.axes import Axis
from tachograph.plots.charts import (
    Candidate,
    Predicted,
    Series,
    bars,
    boxes,
    front,
    pareto,
    prediction,
    ratios,
    xy,
)
from tachograph.plots.drawing import NARROW, WIDE, Drawing, stacked
from tachograph.plots.intervals import Guess, intervals
from tachograph.plots.memory import bandwidth, heat
from tachograph.plots.render import svg
from tachograph.plots.tables import Table, table_of
from tachograph.plots.traces import charts_of, directions, lanes, placements, rates_of, split_curve
from tachograph.util.errors import InputError, MissingDependencyError

SVG = "{http://www.w3.org/2000/svg}"
seconds = st.floats(0, 1e4) | st.sampled_from([0.0, 1e-9, 3e-7])
rows = st.lists(st.tuples(seconds, seconds, st.integers(0, 10**9)), max_size=30)


def levels(found, both=False):
    columns = {
        "direction": ["pull" if t > b else "push" for t, b, _ in found],
        "frontier_vertices": [n for *_, n in found],
        "seconds": [t for t, *_ in found],
    }
    if both:
        columns["push_seconds"] = [t for t, *_ in found]
        columns["pull_seconds"] = [b if n % 3 else math.nan for _, b, n in found]
    return columns


def pieces(found):
    return {
        "phase": ["host" if n % 2 else "opencl:0" for *_, n in found],
        "begin": [b for _, b, _ in found],
        "seconds": [t for t, *_ in found],
        "edges": [n for *_, n in found],
    }


def kernels(found):
    return {
        "kernel": [f"kernel {n % 3}" for *_, n in found],
        "iteration": [k // 3 for k in range(len(found))],
        "device": ["host" if n % 2 else "device" for *_, n in found],
        "seconds": [t for t, *_ in found],
    }


CHARTS = {
    "directions": lambda f, w: directions(levels(f), w),
    "both directions": lambda f, w: directions(levels(f, both=True), w),
    "lanes": lambda f, w: lanes(pieces(f), w),
    "placements": lambda f, w: placements(kernels(f), w),
    "pareto": lambda f, w: pareto([Candidate("x" * (n % 90), t, b, n % 2 == 1) for t, b, n in f],
                                  (1.0, 0.1), 0.05, w),
    "split": lambda f, w: split_curve((sum(t for t, *_ in f), sum(b for _, b, _ in f)),
                                      [(0.5, 1.0, "this run")], w),
    "bandwidth": lambda f, w: bandwidth({"DDR3": {
        "seconds": [float(k) for k in range(len(f))], "gbps": [t for t, *_ in f],
        "row_hit_rate": [None if n % 5 == 0 else n % 100 / 100 for *_, n in f], "peak_gbps": 10.0}}, w),
    "prediction": lambda f, w: prediction([Predicted(f"run {n}", "bfs", t, b) for t, b, n in f], w),
    "bars": lambda f, w: bars([("name " * (n % 40), t, "measured") for t, _, n in f], "Time", w),
    "heat": lambda f, w: heat([[n for *_, n in f]], ["ch 0"], [str(k) for k, _ in enumerate(f)], "Requests", w),
    "xy": lambda f, w: xy("Lines", [Series("a", [(t, b) for t, b, _ in f]),
                                    Series("b", [(t, n) for t, _, n in f], "steps", right=True),
                                    Series("", [(0, 0), (1, 1)], "curve", role="axis")],
                          (Axis("time"), Axis("left"), Axis("right")), w),
    "dots": lambda f, w: xy("Dots", [Series("a", [(t, b) for t, b, _ in f], "dots")],
                            (Axis("x", kind="log"), Axis("y", kind="near")), w),
    "boxes": lambda f, w: boxes("Boxes", {"one": [0.0, *(t for t, *_ in f)], "two": [1.0]},
                                Axis("time"), w),
    "ratios": lambda f, w: ratios("Ratios", {f"task {k}": {"a": t, "b": 1.0} for k, (t, *_) in enumerate(f)},
                                  "their time / ours", (), w),
}  # fmt: skip


def parsed(drawing: Drawing):
    return ElementTree.fromstring(drawing.svg())


@pytest.mark.parametrize("name", CHARTS)
@settings(max_examples=25, deadline=None)
@given(found=rows, width=st.sampled_from([WIDE, NARROW]))
def test_everything_is_on_the_sheet(name, found, width):
    drawing = CHARTS[name](found, width)
    assert (drawing.width, drawing.about != "") == (width, True)
    parsed(drawing)
    for mark in drawing.marks:
        if mark.kind == "dot":
            assert math.isfinite(mark.size)
        for x, y in mark.points:
            assert -0.01 <= x <= width + 0.01, mark
            assert -0.01 <= y <= drawing.height + 0.01, mark


def test_every_level_has_a_bar_and_its_value():
    found = [(1e-3 * (k + 1), 0.0, 10**k) for k in range(6)]
    drawn = parsed(directions(levels(found), WIDE))
    tips = [t.text for t in drawn.iter(f"{SVG}title")]
    assert [t for t in tips if "100,000 vertices" in t] == [
        "level 5: pull\n100,000 vertices in the frontier"
    ]
    assert sum("ms" in t for t in tips) == 6
    heights = [float(r.get("height")) for r in drawn.iter(f"{SVG}rect") if len(r)]
    assert heights[:6] == sorted(heights[:6])
    times = heights[6:]  # on a linear scale
    assert times[5] / times[0] == pytest.approx(6, rel=0.02)


def test_the_other_direction_is_a_ring():
    columns = {"direction": ["push", "pull"], "frontier_vertices": [1, 9], "seconds": [1e-3, 2e-3],
               "push_seconds": [1e-3, 8e-3], "pull_seconds": [math.nan, 2e-3]}  # fmt: skip
    rings = [m for m in directions(columns).marks if m.hollow]
    assert [m.tip for m in rings] == ["level 1: push would have taken 8 ms"]
    dot = next(m for m in directions(columns).marks if m.tip == "level 1: pull\n2 ms")
    assert rings[0].points[0][1] < dot.points[0][1]  # longer is higher


def test_long_traces_are_put_together_without_losing_time():
    n = 5000
    columns = {"direction": ["push"] * n, "frontier_vertices": [2] * n, "seconds": [1e-3] * n}
    drawn = directions(columns)
    bars_drawn = [m for m in drawn.marks if m.kind == "rect" and "\n" in m.tip and "s" in m.tip]
    assert len(bars_drawn) < 2 * WIDE / 4
    assert drawn.about == "Direction of each level: 5000 push, 5 s"
    assert len(drawn.svg()) < 60_000


def test_workers_that_overlap_do_not_cover_each_other():
    columns = {"phase": ["host", "host", "host"], "begin": [0.0, 0.0, 5.0], "seconds": [4.0, 9.0, 4.0],
               "edges": [1, 2, 1]}  # fmt: skip
    (a, b), (c, d), (e, f) = (m.points for m in lanes(columns).marks if m.tip)
    assert b[1] <= c[1]
    assert (a[1], b[1]) == (e[1], f[1])
    assert b[0] <= e[0]
    assert d[0] > c[0]


def test_a_split_has_the_rates_of_the_run():
    trace = pieces([(2.0, 0.0, 30), (1.0, 0.0, 31), (2.0, 0.0, 32)])
    host, device = rates_of(trace)
    assert (host, device) == pytest.approx((93 / 31, 2 * 93 / 62))
    assert rates_of(pieces([(1.0, 0.0, 1)])) is None
    drawn = charts_of(trace)
    assert [d.title for d in drawn] == [
        "Devices over time",
        "Time by the host's share of the edges",
    ]
    assert "best 1.5 s at 50 %" in drawn[1].about


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=12))
def test_the_front_is_what_none_beats(points):
    def beaten(p):
        return any(q != p and q[0] <= p[0] and q[1] <= p[1] for q in points)

    assert front(points) == sorted({p for p in points if not beaten(p)})


def test_a_time_that_was_only_measured_is_not_written_over():
    rows = [Guess("auto", None, None, None, "", actual=0.1), Guess("other", None, None, None, "")]
    assert intervals(rows).svg().count(">not known<") == 1


def test_text_is_escaped():
    drawn = bars([("<b>&", 1.0, "measured")], title="a<b")
    assert "<b>" not in drawn.svg()
    assert parsed(drawn).get("aria-label") == "a<b: <b>& 1 s measured"
    assert "<i>" not in Table("<i>", ("<i>",), [("<i>",)]).html()


def test_a_table_of_a_long_trace_says_what_it_leaves_out():
    table = table_of({"phase": ["x"] * 100, "seconds": [1.0] * 100, "joules": [math.nan] * 100})
    assert table.columns == ["row", "phase", "time"]
    assert "the first and last 30 of 100 rows" in table.title
    assert [row[0] for row in table.rows] == [str(k) for k in [*range(30), *range(70, 100)]]


def test_files(tmp_path, monkeypatch):
    drawing = stacked([CHARTS[name]([(0.1, 0.2, 3), (0.3, 0.1, 8)], WIDE) for name in CHARTS])
    drawing.save("a.svg")
    assert ElementTree.parse("a.svg").getroot().tag == f"{SVG}svg"
    drawing.save("a.html")
    assert Path("a.html").read_text().startswith("<!doctype html>")
    assert drawing._repr_html_().startswith("<div")
    assert "prefers-color-scheme: dark" in svg(drawing, styled=True)
    with pytest.raises(InputError, match=r"written as \.svg, \.png"):
        drawing.save("a.doc")
    pytest.importorskip("matplotlib")
    drawing.save("a.png")
    assert Path("a.png").read_bytes()[:4] == b"\x89PNG"
    drawing.save("a.pdf")
    assert Path("a.pdf").read_bytes()[:4] == b"%PDF"
    assert sorted(p.name for p in Path().iterdir()) == ["a.html", "a.pdf", "a.png", "a.svg"]
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    drawing.save("b.svg")
    with pytest.raises(MissingDependencyError, match=r"tachograph\[plot\]"):
        drawing.save("b.png")


def test_side_by_side():
    one = bars([("a", 1.0, "measured")], width=NARROW)
    sheet = stacked([one, one, one], columns=2, title="All")
    assert (sheet.title, sheet.width > 2 * NARROW, sheet.height > 2 * one.height) == (
        "All",
        True,
        True,
    )
    parsed(sheet)
    drawn = [m for m in sheet.marks if m.tip]
    left, right, below = (m.points[0] for m in drawn)
    assert left[1] == right[1] < below[1]
    assert left[0] == below[0] < right[0]


def test_boxes_hold_half_of_the_values():
    drawn = boxes("Errors", {"LR": [0, 10, 20, 30, 40, 1000]}, Axis("%"))
    (box,) = (m for m in drawn.marks if m.kind == "rect" and m.tip)
    assert box.tip == "LR\nmedian 25\nhalf from 12.5 to 37.5"
    assert drawn.about == "Errors: LR 25"


def test_no_mark_is_more_than_opaque():
    """Matplotlib refuses an opacity above 1, which rounding gave for some largest values."""
    for most in (5, 9, 49, 71):
        drawn = heat([[most]], ["r"], ["a"], "Requests")
        assert max(m.opacity for m in drawn.marks) <= 1


def test_ratios_point_to_their_side_of_one():
    drawn = ratios("kron", {"bfs": {"faster": 0.5, "slower": 4.0}}, "their time / ours")
    one = next(m for m in drawn.marks if m.kind == "line" and m.role == "ink").points[0][0]
    fast, slow = (m for m in drawn.marks if m.tip)
    assert fast.points[1][0] == pytest.approx(one) == slow.points[0][0]
    assert 2 * (one - fast.points[0][0]) == pytest.approx(slow.points[1][0] - one)


def test_choices_mark_what_flipped_and_survive_odd_sizes():
    from tachograph.plots.policies import Choices, Layers, choices, neurons

    rows = [
        Choices("changed", [True, False], 1e-3, [True, False]),
        Choices("surf", [False] * 2, 0.0),
    ]
    text = choices(rows, [0, 7]).svg()
    assert text.count("flipped") == 1
    assert "level 7: push" in text
    assert "<svg" in choices([], []).svg()
    assert "<svg" in choices([Choices("<b>", [False] * 500, 1.0)], range(500), width=300).svg()
    still = Layers(["a"], [0.0], [[0.0], [1.0]], [0.0, 0.0], [1.0, 1.0], 0.0)
    assert neurons(still, chosen=1).about.endswith("+0.00: push")
