"""Times: a model that learns a known law, says how sure it is, and survives a file."""

from __future__ import annotations

import math

import numpy as np
import pytest

import tachograph as tg
from tachograph.decisions import model_file
from tachograph.decisions.model_file import ModelFile
from tachograph.decisions.times.model import SHAPE_FEATURES, shape, the_model
from tachograph.decisions.times.train import Trainer, fit, measure
from tachograph.decisions.trainer import train
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


def test_the_model_of_the_package_knows_every_task():
    tasks = {name.partition("/")[0] for name in the_model().curves}
    assert tasks == {way.task for way in runner().ways}
    assert tasks <= set(NAMES)


def test_every_way_on_the_host_is_measured():
    ways = [way for way in runner().ways if way.where == "host"]
    rows = list(measure(run, tg.uniform(60, 4, rng=1), ways))
    assert {row["name"] for row in rows} == {f"{way.task}/{way.way}" for way in ways}
    assert all(row["seconds"] > 0 and row["bytes"] > 0 for row in rows)
    assert [row["weighted"] for row in rows] == [
        row["name"].startswith(("sssp", "maximum_flow")) for row in rows
    ]


def test_too_few_graphs_are_refused():
    with pytest.raises(tg.InputError, match="0 graphs were measured, and 8 graphs are needed"):
        train(Trainer(["tree 50 2"], 0.0, runner=runner()))


@pytest.mark.parametrize("graph", [tg.Graph.from_edges([], [], n=0), tg.path(1), tg.star(9)])
def test_every_graph_has_a_finite_shape(graph):
    assert list(shape(graph)) == list(SHAPE_FEATURES)
    assert np.isfinite(list(shape(graph, 0 if graph.n else None).values())).all()
