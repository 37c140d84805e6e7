"""Learning the direction: what is measured, resumed, fitted and judged."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tachograph as tg
from tachograph.decisions import graphs
from tachograph.decisions.direction import train as direction
from tachograph.decisions.direction.model import learned, policy_named, the_model
from tachograph.decisions.direction.train import Levels, Trainer, levels_of
from tachograph.decisions.trainer import train

SMALL = ["kronecker 9 8", "uniform 600 6", "road 20 20", "tree 500 3", "small_world 400 3 0.1"]


def test_a_search_is_measured_level_by_level():
    g = graphs.graph_named("kronecker 9 8")
    source = int(direction.sources_of(g, 1)[0])
    record = direction.measure(g, "kronecker 9 8", source)
    levels = tg.bfs(g, source).levels
    at = record["levels"]
    sizes = np.bincount(levels[levels >= 0])
    assert at["frontier_vertices"] == sizes.tolist()
    assert at["frontier_edges"] == [int(g.degrees[levels == k].sum()) for k in range(len(sizes))]
    unvisited = g.n - np.cumsum(sizes)
    assert at["unvisited"] == unvisited.tolist()
    hub = g.degrees > g.arcs / g.n
    looked = [0] * len(sizes)
    for k in range(len(sizes)):
        for v in np.flatnonzero((levels > k) | (levels < 0)):
            near = levels[g.neighbors(v)] == k
            looked[k] += int(near.argmax()) + 1 if near.any() else near.size
    timed = np.array(at["pull_nanoseconds"]) >= 0
    assert np.array(at["scanned"])[timed].tolist() == np.array(looked)[timed].tolist()
    hubs = [int(hub[levels == k].sum()) for k in range(len(sizes))]
    assert np.array(at["hubs"])[timed].tolist() == np.array(hubs)[timed].tolist()
    assert min(at["push_nanoseconds"]) > 0


def test_a_rerun_measures_only_what_is_missing(monkeypatch):
    measured = []
    real = direction.measure

    def measure(graph, name, source, repeats):
        measured.append(name)
        if name == "road 20 20" and len(measured) < 4:
            raise KeyboardInterrupt  # killed in the second graph
        return real(graph, name, source, repeats)

    monkeypatch.setattr(direction, "measure", measure)
    with pytest.raises(KeyboardInterrupt):
        Trainer(searches=2).collect(["tree 50 2", "road 20 20"])
    assert measured == ["tree 50 2"] * 2 + ["road 20 20"]
    found = Trainer(searches=2).collect(["tree 50 2", "road 20 20"])
    assert measured[3:] == ["road 20 20"] * 2
    assert [r["graph"] for r in found] == ["tree 50 2"] * 2 + ["road 20 20"] * 2


def test_a_budget_ends_the_measuring_and_absent_graphs_are_left_out(monkeypatch):
    assert Trainer(budget=0).collect(SMALL) == []
    monkeypatch.delenv("TACHOGRAPH_DATA", raising=False)
    assert graphs.present(["socfb-MIT8", "tree 9 2"]) == ["tree 9 2"]
    with pytest.raises(tg.InputError, match="no data set 'socfb-MIT8'"):
        Trainer().collect(["socfb-MIT8"])


@given(data=st.data(), rows=st.integers(1, 7))
@settings(max_examples=100, deadline=None)
def test_best_is_the_best_of_all_choices(data, rows):
    times = st.lists(st.integers(1, 100), min_size=rows, max_size=rows).map(np.array)
    push, pull, bitmap, queue = (data.draw(times).astype(float) for _ in range(4))
    first = np.zeros(rows, bool)
    first[0] = True
    levels = Levels(
        np.zeros(rows), np.zeros(rows), first, np.ones(rows, bool), np.zeros((rows, 18)), push, pull,
        bitmap, queue,
    )  # fmt: skip

    def total(choice):
        spent, previous = 0.0, 0
        for i, c in enumerate(choice):
            spent += (
                (pull[i] + bitmap[i] * (previous == 0)) if c else (push[i] + queue[i] * previous)
            )
            previous = c
        return spent

    best = min(map(total, itertools.product((0, 1), repeat=rows)))
    assert levels.spent(levels.best()).sum() == total(levels.best().tolist()) == best


def test_scores_of_known_choices():
    record = {
        "graph": "g", "family": "f", "source": 0, "threads": 1, "directed": False, "n": 10, "arcs": 40,
        "p_h": 0.1, "hubs": 1,
        "levels": {
            "frontier_vertices": [1, 4, 5], "frontier_edges": [4, 16, 20], "unvisited": [9, 5, 0],
            "unseen_edges": [36, 20, 0], "hubs": [0, 1, 0], "scanned": [9, 5, 0],
            "push_nanoseconds": [10, 100, 50], "pull_nanoseconds": [40, 20, 40],
            "to_bitmap_nanoseconds": [1, 2, 3], "to_queue_nanoseconds": [1, 1, 30],
        },
    }  # fmt: skip
    levels = levels_of([record])
    assert levels.best().tolist() == [0, 1, 1]
    found = direction.score(levels, np.array([0, 0, 1]))
    assert found.accuracy.tolist() == [2 / 3]
    assert found.saved.tolist() == [(30 + 10) / (30 + 80 + 10)]
    assert found.slowdown.tolist() == [(10 + 100 + 3 + 40) / (10 + 2 + 20 + 40)]
    assert levels.chosen_by(policy_named("pull")).tolist() == [1, 1, 1]
    # a level whose pull was not timed counts neither as right nor as wrong, nor does its time
    for name in ("pull_nanoseconds", "to_bitmap_nanoseconds", "to_queue_nanoseconds"):
        record["levels"][name][0] = -1
    levels = levels_of([record])
    for first in (0, 1):
        found = direction.score(levels, np.array([first, 0, 1]))
        assert found.accuracy.tolist() == [1 / 2]
        assert found.saved.tolist() == [10 / (80 + 10)]
    assert direction.score(levels, np.array([0, 1, 1])).slowdown.tolist() == [1.0]
    nothing = {**record, "graph": "h", "levels": {k: v[:1] for k, v in record["levels"].items()}}
    found = direction.score(levels_of([record, nothing]), np.array([0, 1, 1, 0]))
    assert found.graphs == ["g"]


def test_training_writes_a_model_that_can_be_used(tmp_path):
    done = train(Trainer(SMALL, math.inf), tmp_path / "m.json")
    again = the_model.read(tmp_path / "m.json")
    assert np.array_equal(again.cost, done.file.arrays["cost"])
    card = done.file.card
    assert list(card["graphs"]) == sorted(SMALL)
    assert all(len(mark) == 16 for mark in card["graphs"].values())
    assert {"date", "machine", "code", "quality"} <= set(card)
    assert [row["policy"] for row in card["quality"]] == ["cost", "surf"]
    levels = levels_of(Trainer().collect(SMALL))  # from the journal
    for name in ("cost", "surf"):
        summary = direction.score(levels, levels.chosen_by(learned(name, again))).summary()
        assert summary["slowdown"] < 3
    with pytest.raises(tg.InputError, match="4 graphs of 2 families are needed"):
        train(Trainer(SMALL[:2]))
