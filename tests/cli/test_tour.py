"""The tour works on any graph, and what it says is what was measured."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import pytest

import tachograph as tg
from tachograph.cli.tour import guide, race
from tachograph.cli.tour.race import Setting, nearest

STEPS = list(guide.STEPS)


@pytest.fixture
def tour(monkeypatch, capsys):
    """Run the tour here, without compiling first, and with one turn of each race."""
    monkeypatch.setattr(guide, "prepare", lambda *_, **__: False)
    monkeypatch.setattr(race, "RACE_SECONDS", 0.0)

    def run(name: str | None) -> tuple[str, str]:
        guide.run(name, Path("tour.html"))
        return capsys.readouterr().out, Path("tour.html").read_text()

    return run


def test_a_small_graph(tour):
    tg.write(tg.kronecker(8, rng=1, weights=True), "g.tgraph")
    shown, page = tour("g.tgraph")
    assert "Left out" not in shown
    assert shown.count("all ways agree") == 2
    assert " NO" not in shown
    for part in (
        "push or pull",
        "error budget",
        "Audit:",
        "host's share",
        "Maximum flow",
        "AccuGraph",
    ):
        assert part in shown
        assert part.replace("'", "&#x27;") in page
    assert len(page.encode()) < 1_000_000
    assert page.count("<svg") >= 2 * 7
    short = shown[shown.index("In short") :]
    assert all(re.search(rf"{title.split()[0]}.*(?:\d+ %|as fast)", short) for title in STEPS[1:6])


def test_directed_edges_between_names_without_weights(tour):
    Path("names.csv").write_text("source,target\nana,bob\nbob,cid\ncid,dan\nana,dan\nana,eve\n")
    shown = " ".join(tour("names.csv")[0].split())
    assert "From vertex ana, that of the highest degree" in shown
    assert "random ones from 1 to 255 were drawn" in shown
    assert "From vertex ana to vertex" in shown
    assert "without directions" in shown
    assert "Left out" not in shown


def test_parts_that_are_not_joined(tour):
    tg.write(tg.disjoint_union(tg.complete(4), tg.path(3)), "two.tgraph")
    shown, _ = tour("two.tgraph")
    assert "Left out" not in shown
    assert re.search(r"vertices reached +4\b", shown)


@pytest.mark.parametrize("n", [0, 1, 3])
def test_without_edges_it_says_so(tour, n):
    tg.write(tg.Graph.from_edges([], [], n=n), "none.tgraph")
    shown, page = tour("none.tgraph")
    assert shown.count("Left out: the graph has no edges.") == 6
    assert page.count("Left out: the graph has no edges.") == 6


def test_a_negative_cycle_is_left_out(tour):
    tg.write(tg.Graph.from_edges([0, 1, 0], [1, 0, 2], [1, -3, 1]), "cycle.tgraph")
    shown, _ = tour("cycle.tgraph")
    assert "Left out: there are no shortest paths" in shown
    assert "each edge carries 1" in shown


def test_without_a_second_device(tour, monkeypatch):
    monkeypatch.setattr(Setting, "device", None)
    tg.write(tg.kronecker(7, rng=1, weights=True), "g.tgraph")
    shown, _ = tour("g.tgraph")
    assert "Left out" not in shown
    assert shown.count("Without a second device every kernel runs on the host.") == 2


def test_the_part_of_a_large_graph():
    g = tg.kronecker(10, rng=1, weights=True)
    source = int(g.degrees.argmax())
    assert nearest(g, source, g.arcs) == (g, "the whole graph")
    part, what = nearest(g, source, g.arcs // 2)
    assert 0 < part.arcs <= g.arcs // 2
    assert f"{part.n:,} vertices" in what
    levels = tg.bfs(g, source).levels
    assert part.n >= 2
    assert tg.bfs(part, 0).levels.max() <= levels.max()
    assert part.weighted


def test_races_take_turns(monkeypatch):
    order = []

    def way(name, seconds):
        def run():
            order.append(name)
            return SimpleNamespace(seconds=seconds)

        return run

    laps = race.race({"a": way("a", 1e-3), "b": way("b", 2e-3)})
    assert order == ["a", "b"] * (1 + race.RACE_ROUNDS)
    assert (laps["a"].median, len(laps["b"].runs)) == (1e-3, race.RACE_ROUNDS)
    table = race.times_table(laps, "b", {"b": 1.5e-3})
    assert table.rows == [("b", "1.5 ms", "2 ms", "1×", "7"), ("a", "–", "1 ms", "0.5×", "7")]
    order.clear()
    race.race({"slow": way("slow", race.ONCE_SECONDS * 2)})
    assert order == ["slow"]


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("weights", [None, "int32", "float64"])
def test_rehearsals_are_on_graphs_of_the_same_kind(directed, weights):
    g = guide.small(directed, weights)
    assert g.directed == directed
    assert (None if g.weights is None else str(g.weights.dtype)) == weights
