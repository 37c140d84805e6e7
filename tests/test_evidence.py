"""Numbers in README and docs come from somewhere: a result, a published table, or the code."""

from __future__ import annotations

import pytest

from tachograph.graph import generate
from tachograph.papers.published import published

from .test_results import ROOT, module

TYPED = [
    "It takes 3 ms.",
    "That is 25\n% faster.",
    "1.3 to 1.6 times the speed",
    "on 22 unseen graphs",
    "180 million edges",
    "an R² of 0.95",
    "a factor of 30",
    "needs 300 MB",
    "about 0.84 at most",
]
NO_CLAIMS = [
    "ids are int32, offsets int64",
    "Python 3.11 or newer",
    "Table 4, section 3.3.1, figure 12",
    "(Dann, Ritter, Fröning; 2021)",
    "`tol=0.5 ms` in code",
    "```\n3 ms\n```",
    "numbered from 0",
    "DDR4-2400 and HBM2",
    "[link](page-0.5.md)",
]


def typed(text: str, defined=()) -> list[str]:
    return [
        f.text
        for f in module("evidence").claims("page.md", text, list(defined))
        if f.state == "typed"
    ]


@pytest.mark.parametrize("text", TYPED)
def test_claims_are_found(text):
    assert len(typed(text)) == 1


@pytest.mark.parametrize("text", NO_CLAIMS)
def test_other_numbers_are_not(text):
    assert typed(text) == []


def test_definitions_cover_their_words_only():
    defined = [{"page": "page.md", "text": "at least 5 % faster", "why": "a setting"}]
    assert typed("It is at least 5\n% faster, or 5 % slower.", defined) == ["5 %"]
    assert typed("It is at least 5 % faster.", [{**defined[0], "page": "other.md"}]) == ["5 %"]


def test_places_in_sentences_show_their_source():
    render = module("references").render
    mean = published("surf", "table-3").row("mean")["saved surf"]
    given = '<!--= published surf table-3 mean "saved surf" -->1<!----> %'
    shown = render(given)
    assert shown == given.replace(">1<", f">{mean}<")
    assert render(shown) == shown
    assert typed(shown) == []
    low, high = (published("surf", "table-3").row("LJ")[name] for name in ("gunrock", "surf"))
    assert f"{low:.1f}" in render("<!--= published surf table-3 LJ gunrock .1f --><!---->")
    largest = render("<!--= max published surf table-3 LJ surf --><!---->")
    assert f">{high}<" in largest
    most = "<!--= code tachograph.graph.generate MOST_VERTICES x1e-6 +1 .0f --><!---->"
    assert f">{generate.MOST_VERTICES * 1e-6 + 1:.0f}<" in render(most)


def test_words_of_a_published_figure_must_be_there():
    resolve = module("references").resolve
    assert resolve('published heterogeneous figure-12 "1.3 to 1.6"').state == "published"
    for wrong in (
        'published heterogeneous figure-12 "1.3 to 1.9"',
        "published surf table-3 XX surf",
        "code tachograph.graph.generate NOTHING",
        "result latency 0 nothing ms",
        "nowhere a b",
    ):
        with pytest.raises(SystemExit, match="names nothing"):
            resolve(wrong)


def test_numbers_that_are_not_fresh_are_marked(tmp_path, monkeypatch):
    result_file, references = module("result_file"), module("references")
    old = {"command": "x", "date": "2020-01-02", "tables": [
        {"title": "", "columns": ["", "ms"], "rows": [["a", [1.0, 2.0, 9.0]], ["b", 4]], "notes": []}
    ]}  # fmt: skip
    monkeypatch.setattr(result_file, "read", lambda name: old)
    assert ">2<sup>kept</sup><" in references.render("<!--= result old 0 a ms --><!---->")
    assert ">3<sup>kept</sup><" in references.render("<!--= mean result old 0 * ms --><!---->")
    monkeypatch.setattr(result_file, "state", lambda kept: "stale: code changed since")
    assert ">4<sup>stale</sup><" in references.render("<!--= result old 0 b ms --><!---->")
    monkeypatch.setattr(result_file, "state", lambda kept: "measured")
    assert ">4<" in references.render("<!--= result old 0 b ms --><!---->")


def test_pages_say_how_large_the_graph_of_the_readme_is():
    graph = generate.kronecker(17, 16, rng=1, weights=True)
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"{graph.n:,} vertices and {graph.m / 1e6:.1f} million edges" in text


def test_no_place_begins_a_line():
    """There Markdown would take it for a block, and end the paragraph."""
    for path in module("render").documents():
        for line in path.read_text(encoding="utf-8").splitlines():
            assert not line.lstrip(" >-*").startswith("<!--="), f"{path.name}: {line}"


def test_definitions_are_used():
    evidence = module("evidence")
    assert evidence.unused(evidence.definitions()) == []


def test_tables_that_were_never_measured_say_so(monkeypatch):
    result_file = module("result_file")
    row = result_file.Command("tacho bench x", 1)
    monkeypatch.setattr(result_file, "commands", lambda: {"nothing": row})
    shown = module("render").rendered("<!-- results nothing -->\n3 ms\n<!-- end -->")
    assert "3 ms" not in shown
    assert "not measured yet" in shown
    with pytest.raises(SystemExit, match="there is no"):
        module("render").rendered("<!-- results unknown -->\n<!-- end -->")


def test_no_number_is_typed():
    """``python benchmarks/evidence.py`` lists all numbers; benchmarks/README.md says what to do."""
    evidence = module("evidence")
    typed = [
        f"{f.page}:{f.line}: {f.text}" for f in evidence.everything() if f.state == evidence.TYPED
    ]
    assert typed == []
