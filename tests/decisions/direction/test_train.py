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
from tachograph.decisions.direction.levels import Levels, levels_of, score
from tachograph.decisions.direction.model import learned, policy_named, the_model
from tachograph.decisions.direction.train import Trainer
from tachograph.decisions.trainer import Runner, train
from tests.devices.support import any_device, needs_pyopencl

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

    def measure(graph, name, source, repeats, hubs):
        measured.append(name)
        if name == "road 20 20" and len(measured) < 4:
            raise KeyboardInterrupt  # killed in the second graph
        return real(graph, name, source, repeats, hubs)

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
    none = np.zeros(rows)
    levels = Levels(
        graph=none, family=none, first=first, timed=none == 0, thin=none > 0, weight=none + 1,
        states=np.zeros((rows, 18)), push=push, pull=pull, to_bitmap=bitmap, to_queue=queue,
        push_mean=push, pull_mean=pull,
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


def made_up(rows):
    """A search of a graph of 1,024 vertices: rows of arcs of the frontier, push, pull, bitmap, queue."""
    arcs, push, pull, bitmap, queue = (list(column) for column in zip(*rows, strict=True))
    count = len(rows)
    return {
        "graph": "g", "family": "f", "source": 0, "threads": 1, "directed": False, "n": 1024,
        "arcs": 4096, "p_h": 0.1, "hubs": 1,
        "levels": {
            "frontier_vertices": [1] * count, "frontier_edges": arcs, "unvisited": [9] * count,
            "unseen_edges": [36] * count, "hubs": [0] * count, "scanned": [9] * count,
            "push_nanoseconds": push, "pull_nanoseconds": pull, "to_bitmap_nanoseconds": bitmap,
            "to_queue_nanoseconds": queue, "push_mean_nanoseconds": push,
            "pull_mean_nanoseconds": pull,
        },
    }  # fmt: skip


def test_scores_of_known_choices():
    levels = levels_of([made_up([(5, 10, 40, 1, 1), (16, 100, 20, 2, 1), (20, 50, 40, 3, 30)])])
    assert levels.best().tolist() == [0, 1, 1]
    assert not levels.thin.any()  # 1,024 / 256 = 4 arcs would be
    found = score(levels, np.array([0, 0, 1]))
    assert found.accuracy.tolist() == [2 / 3]
    assert found.saved.tolist() == [(30 + 10) / (30 + 80 + 10)]
    assert found.slowdown.tolist() == [(10 + 100 + 3 + 40) / (10 + 2 + 20 + 40)]
    assert levels.chosen_by(policy_named("pull")).tolist() == [1, 1, 1]


def test_a_thin_level_stands_for_those_after_it_that_were_not_timed():
    untimed = (-1, -1, -1)
    rows = [
        (4, 10, 40, 1, 1),
        (3, 11, *untimed),
        (50, 90, 20, 2, 2),
        (2, 12, *untimed),
        (1, 9, 50, 4, 5),
    ]
    levels = levels_of([made_up(rows)])
    assert levels.thin.tolist() == [True, True, False, True, True]
    assert levels.weight.tolist() == [3, 0, 1, 0, 1]
    assert levels.push.tolist() == [10, 11, 90, 12, 9]  # pushes are always timed
    assert levels.pull.tolist() == [40, 40, 20, 40, 50]
    assert levels.to_queue.tolist() == [1, 1, 2, 1, 5]
    found = score(levels, np.array([0, 1, 1, 0, 1]))
    assert found.accuracy.tolist() == [
        4 / 5
    ]  # three of the first, one of the third; the last is wrong
    assert found.saved.tolist() == [(3 * 30 + 70) / (3 * 30 + 70 + 41)]


def test_thin_levels_are_timed_less_and_less_often():
    g = graphs.graph_named("road 20 400")
    record = direction.measure(g, "road", 0, repeats=1)
    pull = np.array(record["levels"]["pull_nanoseconds"])
    thin = np.array(record["levels"]["frontier_edges"]) <= g.n // 256
    wanted, first, stride = [], 0, 1
    while first < thin.sum():
        wanted += range(first, first + 16 * stride, stride)
        first, stride = first + 16 * stride, 2 * stride
    timed = np.flatnonzero((pull >= 0)[thin])
    assert timed.tolist() == [k for k in wanted if k < thin.sum()]
    assert (pull[~thin] >= 0).all()
    levels = levels_of([record])
    assert levels.weight.sum() == len(levels)


def test_records_are_written_in_the_papers_format(tmp_path):
    import csv

    path = tmp_path / "levels.csv"
    train(Trainer(SMALL, math.inf, records=path), tmp_path / "m.json")
    with path.open() as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0])[:7] == ["m_d", "p_h", "s_f", "c_f", "r_f", "r_u", "L"]
    assert {row["graph"] for row in rows} == set(SMALL)
    first = rows[0]  # one vertex of a graph: its share is the frontier's, and how that has varied
    n = graphs.graph_named(first["graph"]).n
    assert float(first["r_f"]) == float(first["s_f"]) == float(first["c_f"]) == 1 / n
    assert float(first["r_u"]) == 1 - 1 / n
    with pytest.raises(tg.InputError, match="must say the format"):
        Trainer(SMALL, math.inf, records=tmp_path / "levels.txt").collect(SMALL)


def test_one_class_only_is_refused():
    levels = levels_of([made_up([(5, 10, 40, 1, 1), (16, 10, 20, 2, 1)])])
    with pytest.raises(tg.InputError, match="a push was faster at every level"):
        direction.fit_surf_paper(levels)


def test_training_writes_a_model_that_can_be_used(tmp_path):
    done = train(Trainer(SMALL, math.inf), tmp_path / "m.json")
    again = the_model.read(tmp_path / "m.json")
    assert np.array_equal(again.cost, done.file.arrays["cost"])
    card = done.file.card
    assert list(card["graphs"]) == sorted(SMALL)
    assert all(len(mark) == 16 for mark in card["graphs"].values())
    assert {"date", "machine", "code", "quality"} <= set(card)
    assert [row["policy"] for row in card["quality"]] == ["cost", "surf", "surf-paper"]
    levels = levels_of(Trainer().collect(SMALL))  # from the journal
    for name in ("cost", "surf"):
        summary = score(levels, levels.chosen_by(learned(name, again))).summary()
        assert summary["slowdown"] < 3
    with pytest.raises(
        tg.InputError, match="4 graphs of 2 families are needed: .*files are one family"
    ):
        train(Trainer(SMALL[:2]))


def pulls_wide_levels(graph, source, device):
    """What a device measures, but with times that are known: a pull takes as long as the graph has arcs."""
    from tachograph.algorithms.bfs_on_device import both_directions

    levels = both_directions(graph, source, device)
    assert min(levels["push_nanoseconds"]) > 0
    for name in ("", "_mean"):
        levels[f"push{name}_nanoseconds"] = [50 * (m + 1) for m in levels["frontier_edges"]]
        pulls = levels[f"pull{name}_nanoseconds"]
        levels[f"pull{name}_nanoseconds"] = [-1 if t < 0 else 10 * graph.arcs for t in pulls]
    return levels


@needs_pyopencl
def test_a_model_for_a_device_is_used_there_only():
    device = any_device()
    runner = Runner(measured=f"{__name__}:pulls_wide_levels")
    done = train(Trainer(SMALL, math.inf, runner=runner, device=device.id, searches=1))
    assert done.path.stem == f"direction-{device.slug}"
    assert done.file.card["device"] == device.name
    assert done.file.card["provenance"] == "measured"
    there, here = policy_named("auto", device.slug), policy_named("auto")
    assert np.array_equal(there.parameters[1:], done.file.arrays["cost"])
    assert not np.array_equal(there.parameters, here.parameters)
    asked = []
    g = graphs.graph_named(SMALL[0])
    with pytest.MonkeyPatch.context() as patch:
        on = "tachograph.algorithms.bfs_on_device.levels_on"
        patch.setattr(on, lambda *given: asked.append(given[3]) or 1 / 0)
        with pytest.raises(ZeroDivisionError):
            tg.bfs(g, 0, device=device)
    assert np.array_equal(asked[0].parameters, there.parameters)
    assert tg.bfs(g, 0, device=device, verify=True).levels.max() > 1
