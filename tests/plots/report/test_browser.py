"""The page in a real browser, if there is one: layout of a phone, tips, keys, colours."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tachograph.plots.report.page import Section, page
from tachograph.plots.report.sections import trace_figures

BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
QUIET = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--virtual-time-budget=5000")  # fmt: skip
PROBE = """
<script>
onload = function () {
  var f = document.querySelector("iframe"), d = f.contentDocument, w = f.contentWindow;
  var seen = {}, svg = Array.from(d.querySelectorAll("figure svg")).filter(s => s.getBoundingClientRect().width)[0];
  seen.wide = d.documentElement.scrollWidth;
  seen.titles = d.querySelectorAll("figure title").length;
  seen.chart = svg.getBoundingClientRect().width;
  seen.text = parseFloat(w.getComputedStyle(svg.querySelector("text")).fontSize) * seen.chart / svg.viewBox.baseVal.width;
  var tip = d.getElementById("tip"), mark = svg.querySelector("[data-tip]");
  mark.dispatchEvent(new w.PointerEvent("pointerover", {bubbles: true}));
  seen.hover = tip.textContent;
  var box = tip.getBoundingClientRect();
  seen.inside = box.left >= 0 && box.right <= w.innerWidth && box.width > 20;
  mark.dispatchEvent(new w.PointerEvent("pointerout", {bubbles: true}));
  seen.gone = tip.textContent;
  function key(name) { svg.dispatchEvent(new w.KeyboardEvent("keydown", {key: name, bubbles: true})); return tip.textContent; }
  svg.focus();
  seen.focus = d.activeElement === svg;
  seen.keys = [key("ArrowRight"), key("ArrowRight"), key("ArrowLeft"), key("Escape")];
  var paper = () => w.getComputedStyle(d.body).backgroundColor;
  seen.colours = [paper()];
  d.getElementById("theme").click();
  seen.colours.push(paper());
  document.body.insertAdjacentHTML("beforeend", "<pre id=seen>" + JSON.stringify(seen) + "</pre>");
};
</script>
"""


def look(text: str, width: int, tmp_path: Path) -> dict:
    frame = f"<iframe style='width:{width}px;height:900px;border:0' srcdoc=\"{html.escape(text)}\"></iframe>"
    (tmp_path / "probe.html").write_text(f"<!doctype html><body>{frame}{PROBE}")
    run = subprocess.run(
        [BROWSER, *QUIET, f"--user-data-dir={tmp_path / 'user'}", "--window-size=1300,1000", "--dump-dom",
         (tmp_path / "probe.html").as_uri()], capture_output=True, text=True, timeout=60)  # fmt: skip
    found = re.search(r'<pre id="seen">(.*?)</pre>', run.stdout, re.DOTALL)
    assert found, run.stderr[-2000:]
    return json.loads(html.unescape(found[1]))


@pytest.mark.skipif(BROWSER is None, reason="needs Chromium")
@pytest.mark.parametrize("width", [360, 1200])
def test_in_a_browser(width, tmp_path):
    trace = {"direction": ["push", "pull", "push"], "frontier_vertices": [1, 5000, 3],
             "frontier_edges": [9, 10**9, 7], "seconds": [1e-5, 2e-3, 1e-5]}  # fmt: skip
    parts = [Section("A search from a vertex with a_very_long_name_that_does_not_break", ["x " * 200],
                     [("time", "1 ms, measured"), ("why", "y" * 60)], trace_figures(trace))]  # fmt: skip
    seen = look(page("A run", parts), width, tmp_path)
    assert seen["wide"] <= width  # nothing to scroll sideways
    assert seen["chart"] >= 320
    assert seen["text"] >= 10  # pixels, as it is shown
    assert seen["titles"] == 0
    first = "level 0: push\n1 vertices in the frontier"
    assert (seen["hover"], seen["gone"], seen["inside"], seen["focus"]) == (first, "", True, True)
    assert seen["keys"] == [first, "level 1: pull\n5,000 vertices in the frontier", first, ""]
    light, dark = (sum(map(int, re.findall(r"\d+", c)[:3])) for c in seen["colours"])
    assert abs(light - dark) > 500
