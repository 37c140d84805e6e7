"""Times: a model that learns a known law, says how sure it is, and survives a file."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import tachograph as tg
from tachograph.decisions import model_file
from tachograph.decisions.graphs import family, names_of, present
from tachograph.decisions.model_file import ModelFile
from tachograph.decisions.times.model import KERNELS, PROBED, SHAPE_FEATURES, shape, the_model
from tachograph.decisions.times.train import VISITS, Trainer, _margins, fit, grouped, measure
from tachograph.decisions.trainer import train
from tachograph.journal.code import code_hash
from tachograph.tasks.measure import run, runner
from tachograph.util.names import NAMES

GRAPHS = [tg.uniform(2**k, d, rng=k) for k in range(8, 14) for d in (3, 8)] + [
    tg.road(2**k, 2**k, rng=k) for k in range(4, 8)
]


def law(graph):
    """Seconds and bytes that depend on the sizes only."""
    return 2e-6 * graph.n + 5e-7 * graph.arcs, 100 + 8 * graph.n + 4 * graph.arcs


def records(graphs):
    return [
        {"graph": str(k), "family": str(k % 4),
         "rows": [{"name": "bfs/auto", "shape": shape(g), "seconds": law(g)[0], "bytes": law(g)[1],
                   "n": g.n, "arcs": g.arcs, "directed": g.directed, "weighted": g.weighted}]}
        for k, g in enumerate(graphs)
    ]  # fmt: skip


@pytest.fixture(scope="module")
def model():
    return fit(records(GRAPHS))


@pytest.mark.parametrize("graph", [tg.uniform(3000, 5), tg.road(50, 50), tg.uniform(30_000, 6)])
def test_a_law_is_learned_from_sizes(model, graph):
    found = model.predict("bfs/auto", shape(graph))
    seconds, size = law(graph)
    assert abs(math.log(found.seconds / seconds)) < 0.2
    assert found.low < found.seconds < found.high
    assert model.peak("bfs/auto", graph) == pytest.approx(size, rel=0.02)


def test_what_was_never_measured_is_not_predicted(model):
    assert model.predict("bfs/guess", shape(tg.path(5))) is None
    assert model.peak("bfs/guess", tg.path(5)) is None


def test_a_file_keeps_the_model(model, tmp_path):
    path = tmp_path / "times.json"
    model_file.write(path, ModelFile("times", SHAPE_FEATURES, model.arrays(), model.card))
    back = the_model.read(path)
    numbers = shape(tg.uniform(3000, 5))
    one, other = (m.predict("bfs/auto", numbers) for m in (model, back))
    assert one == other
    assert back.card == model.card


def test_files_with_wrong_curves_are_refused(model, tmp_path):
    path = tmp_path / "times.json"
    for name, wrong in (
        ("bfs/auto.points", np.ones((3, 4))),
        ("bfs/auto.numbers", np.ones(3)),
        ("bfs/auto.widths", np.zeros(len(SHAPE_FEATURES))),
    ):
        arrays = {**model.arrays(), name: wrong}
        model_file.write(path, ModelFile("times", SHAPE_FEATURES, arrays, {}))
        with pytest.raises(tg.FileFormatError, match=name):
            the_model.read(path)


def test_a_probe_that_tells_the_times_narrows_intervals():
    """Seconds follow what an arc takes, which nothing else tells."""
    made = records(GRAPHS * 4)
    for k, record in enumerate(made):
        numbers = record["rows"][0]["shape"]
        numbers[PROBED[0]] = math.log(1 + k * 7 % 5)
        record["rows"][0]["seconds"] *= 1 + k * 7 % 5
    learned = fit(made)
    numbers = made[3]["rows"][0]["shape"]
    blind = {name: x for name, x in numbers.items() if name not in PROBED}
    probed, usual = (learned.predict("bfs/auto", x) for x in (numbers, blind))
    assert probed.low <= made[3]["rows"][0]["seconds"] <= probed.high
    assert probed.high / probed.low < 1.5 < usual.high / usual.low


def test_without_a_probe_only_what_it_finds_is_missing():
    graph = tg.uniform(300, 4)
    whole, less = shape(graph, 0), shape(graph, 0, probe=False)
    assert tuple(whole) == SHAPE_FEATURES
    assert set(whole) - set(less) == set(PROBED)
    assert all(whole[name] == less[name] for name in less)


def test_kinds_have_margins_of_their_own_where_enough_was_measured():
    errors = np.concatenate([np.linspace(0, 1, 99), np.linspace(0, 3, 99), [9.0]])
    margins = _margins(errors, [0] * 99 + [1] * 99 + [2])
    assert margins[0] == pytest.approx(0.9, abs=0.02)
    assert margins[1] == pytest.approx(2.7, abs=0.05)
    every = np.sort(errors)[math.ceil(200 * 0.9) - 1]
    assert margins[2] == every  # one error is not enough


def test_changed_kernels_make_times_stale(model, monkeypatch):
    assert model.stale("bfs"), "the card does not say what was timed"
    assert not model.stale("triangles"), "it has no times"
    timed = {task: code_hash(*rooms) for task, rooms in KERNELS.items()}
    assert len(set(timed.values())) == len(timed), "each task has kernels"
    known = replace(model, card={"kernels": timed})
    assert not known.stale("bfs")
    changed = replace(model, card={"kernels": timed | {"bfs": "0" * 16}})
    assert changed.stale("bfs")
    assert not changed.stale("pagerank")
    monkeypatch.setattr("tachograph.tasks.decide.the_model", lambda: changed)
    told = [" ".join(str(tg.plan(task, tg.path(9))).split()) for task in ("components", "mis")]
    assert not any("kernels changed" in text for text in told)
    text = " ".join(str(tg.plan("bfs", tg.path(9), source=0)).split())
    assert "measured before its kernels changed" in text


def test_the_model_of_the_package_knows_every_task():
    tasks = {name.partition("/")[0] for name in the_model().curves}
    assert tasks == {way.task for way in runner().ways}
    assert tasks <= set(NAMES)


def test_a_model_is_shown_in_one_line(model):
    assert repr(model) == "Model(times of 1 ways, of 0 graphs, ?)"


def test_every_way_on_the_host_is_measured():
    ways = [way for way in runner().ways if way.where == "host"]
    rows = list(measure(run, tg.uniform(60, 4, rng=1), ways))
    assert {row["name"] for row in rows} == {f"{way.task}/{way.way}" for way in ways}
    assert all(row["seconds"] > 0 and row["bytes"] > 0 for row in rows)
    assert [row["weighted"] for row in rows] == [
        row["name"].startswith(("sssp", "maximum_flow")) for row in rows
    ]


def test_what_was_measured_on_a_busy_machine_is_left_out():
    made = records(GRAPHS)
    for record in made[:3]:
        record["rows"][0] |= {"busy": True, "seconds": 1e3}
    assert {row["graph"] for row in grouped(made)["bfs/auto"]} == {r["graph"] for r in made[3:]}
    for record in made:
        record["rows"][0]["busy"] = True
    assert len(grouped(made)["bfs/auto"]) == len(made)  # better than nothing


def test_families_are_measured_in_turns():
    names = Trainer(runner=runner()).choose()
    kinds = [family(name) for name in names]
    assert sorted(names) == sorted(present(names_of("times", "fit")))
    assert set(kinds[: len(set(kinds))]) == set(kinds)


def test_all_graphs_are_visited_before_one_is_visited_again(monkeypatch):
    asked = []
    monkeypatch.setattr(Trainer, "measured", lambda self, tasks, mark: asked.extend(tasks))
    Trainer(runner=runner()).collect(["path 3", "path 4"])
    visits = [(task["name"], task["visit"]) for task in asked]
    assert visits == [(name, k) for k in range(VISITS) for name in ("path 3", "path 4")]
    ways = [way for way in runner().ways if way.task == "bfs" and way.where == "host"]
    first, second = (list(measure(run, tg.path(99), ways, visit)) for visit in (0, 1))
    assert all("bytes" in row for row in first)
    assert not any("bytes" in row for row in second)
    assert first[-1]["shape"] != second[-1]["shape"]  # from other vertices


def test_too_few_graphs_are_refused():
    with pytest.raises(tg.InputError, match="0 graphs were measured, and 8 graphs are needed"):
        train(Trainer(["tree 50 2"], 0.0, runner=runner()))


@pytest.mark.parametrize("graph", [tg.Graph.from_edges([], [], n=0), tg.path(1), tg.star(9)])
def test_every_graph_has_a_finite_shape(graph):
    assert list(shape(graph)) == list(SHAPE_FEATURES)
    assert np.isfinite(list(shape(graph, 0 if graph.n else None).values())).all()
