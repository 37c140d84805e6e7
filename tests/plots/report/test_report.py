"""Runs and trace files become a page that needs nothing else."""

from __future__ import annotations

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

import tachograph as tg
from tachograph.journal import Run, journal
from tachograph.plots.report.page import Figure, Section, page
from tachograph.plots.report.sections import entries, of_entries, trace_figures

VOID = {"meta", "link", "br"}


class Checker(HTMLParser):
    """Collects tags, and complains about those that are not closed in order."""

    def __init__(self):
        super().__init__()
        self.open, self.found = [], []

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def checked(text: str) -> Checker:
    checker = Checker()
    checker.feed(text)
    assert not checker.open
    return checker


def rounds(n):
    return {
        "direction": ["push", "pull"] * n,
        "frontier_vertices": [9] * 2 * n,
        "seconds": [1e-3] * 2 * n,
    }


def test_a_page_needs_nothing_else():
    text = page("A & B", [Section(f"part {k}", ["why <b>"], [("time", "1 s")], trace_figures(rounds(1000)))
                          for k in range(3)])  # fmt: skip
    found = checked(text)
    assert len(text.encode()) < 1_000_000
    assert not [
        a
        for _, a in found.found
        if {"src", "href"} & set(a) and not a.get("href", "").startswith("#")
    ]
    assert not re.search(r"@import|url\(|https?://(?!www\.w3\.org/2000/svg)", text)
    assert "<title>A &amp; B</title>" in text
    assert "why &lt;b&gt;" in text
    assert ("html", {"lang": "en"}) in found.found
    assert [a["href"] for t, a in found.found if t == "a"] == ["#s0", "#s1", "#s2"]
    svgs = [a for t, a in found.found if t == "svg"]
    assert len(svgs) == 6
    assert all(a["role"] == "img" and a["aria-label"] for a in svgs)


def candidate(name, seconds, error=None):
    made = {
        "name": name,
        "seconds": seconds,
        "low": seconds / 2,
        "high": seconds * 2,
        "reason": "why not",
    }
    return made if error is None else {**made, "error": error}


def test_runs_of_the_journal():
    kept = journal()
    graph = {"name": "web<1>", "n": 10, "m": 20, "directed": True}
    plan = {"reason": "it is quick", "way": "auto", "candidates": [candidate("auto", 0.0018)]}
    told = {"predicted": 0.0018, "trace": rounds(2), "facts": {"reached": 9}}
    kept.record(Run("bfs", graph, 0.002, plan=plan, **told))
    found = [candidate("6 rounds", 0.5, 0.04), candidate("exact", 1.0, 0.0)]
    plan = {"reason": "below 5 %", "way": "6 rounds", "candidates": found}
    kept.record(Run("sssp", graph, 0.5, plan=plan, facts={"audit": {"error": 0.03}}))
    series = {"seconds": [0.0, 1e-6], "gbps": [3.0, 5.0], "row_hit_rate": [0.5, None], "end": 2e-6,
              "peak_gbps": 12.8}  # fmt: skip
    facts = {"series": series, "memory": "Memory(DDR3, 1 channel)", "standard": "DDR3",
             "seconds": 2e-6, "gbps": 4.0, "reps": 1.5e9, "row_hit_rate": 0.5, "provenance": "simulated"}  # fmt: skip
    options = {"rate": 2.0}  # the simulation's own facts have another one, which is not known here
    kept.record(Run("wcc", graph, 2e-6, options=options, provenance="simulated", facts=facts))
    parts = of_entries(entries(["1", "2", "last"]))
    assert [p.title for p in parts] == ["run 1: bfs on web<1>", "run 2: sssp on web<1>",
                                        "run 3: wcc on web<1>", "Predicted and actual"]  # fmt: skip
    assert list(parts[0].text) == ["auto: it is quick."]
    assert {("time", "2 ms, measured"), ("vertices", "10"), ("reached", "9")} <= set(parts[0].facts)
    assert parts[2].facts == [  # in words and units, each of them once
        ("time", "2 µs, simulated"), ("vertices", "10"), ("edges", "20"), ("arcs", "directed"),
        ("rate", "2"), ("memory", "Memory(DDR3, 1 channel)"), ("mean GB/s", "4"),
        ("edges read in a second", "1.5G"), ("row hits", "50 %"),
    ]  # fmt: skip
    front, memory, told = (parts[k].figures[0] for k in (1, 2, 3))
    drawn = front.draw(640)
    assert drawn.about == "Time and error of the candidates: 2 candidates, chosen 6 rounds"
    assert "measured: 500 ms, error 3 %" in drawn.svg()
    assert front.table.rows[0] == ("6 rounds", "500 ms", "250 ms to 1 s", "4 %", "why not")
    assert memory.table.rows == [("DDR3", "2 µs", "4", "12.8", "50 %")]
    assert told.table.rows == [("run 1", "bfs", "1.8 ms", "2 ms", "+11%")]
    checked(page("all", parts))


def test_plans_show_themselves():
    g = tg.kronecker(6, rng=1, weights=True)
    text = tg.plan("sssp", g, source=0, max_error=0.05)._repr_html_()
    checked(text)
    assert '<th scope="col">way</th>' in text
    assert "comes first" in text


def test_traces_of_every_algorithm_can_be_shown():
    g = tg.kronecker(7, rng=1, weights=True)
    runs = [tg.bfs(g, 0), tg.bfs(g, 0, direction="oracle"), tg.sssp(g, 0), tg.pagerank(g),
            tg.connected_components(g), tg.jaccard(g), tg.triangles(g),
            tg.maximal_independent_set(g, device="host"), tg.maximum_flow(g, 0, 1)]  # fmt: skip
    parts = [Section(r.task, figures=trace_figures(r.trace.to_dict())) for r in runs]
    checked(page("all", parts))
    assert all(p.figures for p in parts)
    for result in runs:
        checked(result._repr_html_())
        checked(result.trace._repr_html_())


def test_a_figure_without_a_chart_or_a_table():
    assert "<figure>" not in page("x", [Section("y", figures=[Figure()])])


def test_names_that_are_no_runs():
    with pytest.raises(tg.InputError, match="no run 7 in the journal, which has 0"):
        entries(["7"])
    with pytest.raises(tg.InputError, match="'first' is not a run"):
        entries(["first"])
    with pytest.raises(tg.MissingFileError, match="no such file"):
        entries(["none.parquet"])
    Path("bad.parquet").write_text("hello")
    with pytest.raises(tg.InputError, match="not a Parquet file"):
        entries(["bad.parquet"])


def test_the_command_shows_a_trace_file():
    tg.write(tg.kronecker(6, rng=1), "g.tgraph")

    def tacho(*arguments):
        return subprocess.run(
            [sys.executable, "-m", "tachograph", *arguments], capture_output=True, text=True
        )

    run = tacho(
        "run", "bfs", "g.tgraph", "--source", "0", "--trace", "t.parquet", "-o", "levels.parquet"
    )
    assert run.returncode == 0, run.stderr
    made = tacho("report", "t.parquet", "-o", "r.html")
    assert (made.returncode, made.stderr) == (0, "r.html: 1 run\n")
    text = Path("r.html").read_text()
    checked(text)
    assert "Direction of each level" in text
    assert "t.parquet: bfs" in text
    made = tacho("report", "last", "-o", "s.html")
    assert (made.returncode, made.stderr) == (0, "s.html: 1 run\n")
    assert "run 1: bfs on g.tgraph" in Path("s.html").read_text()
    wrong = tacho("report", "levels.parquet")
    assert wrong.returncode == 1
    assert "no trace" in wrong.stderr


@pytest.mark.parametrize(
    ("plan", "facts"),
    [({"candidates": 7}, {}), ({"candidates": [{"name": "x"}]}, {}), ({"candidates": ["x"]}, {}),
     ({}, {"audit": {}}), ({}, {"sources": {}}), ({}, {"notes": 5}), ({}, {"series": 5})],
)  # fmt: skip
def test_runs_of_another_version_are_refused(plan, facts):
    number = journal().record(Run("bfs", {"name": "g"}, 1.0, plan=plan, facts=facts))
    with pytest.raises(tg.InputError, match=f"run {number} cannot be shown: .*another version"):
        of_entries(entries([str(number)]))


@pytest.mark.parametrize("task", ["betweenness_centrality", "closeness_centrality", "clustering"])
def test_facts_that_have_the_names_of_others(task):
    """A number of sources is not the sources of a simulated machine's parameters."""
    result = getattr(tg, task)(tg.path(30))
    facts = {"sources": 30, **result.facts()}
    journal().record(Run(task, {"name": "g", "n": 30, "m": 29}, 0.5, facts=facts))
    (section,) = of_entries(entries(["last"]))
    assert section.title.endswith(f"{task.replace('_', ' ')} on g")
