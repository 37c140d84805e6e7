"""Times: a model that learns a known law, says how sure it is, and survives a file."""

from __future__ import annotations

import math

import numpy as np
import pytest

import tachograph as tg
from tachograph.decisions.times.fit import fit
from tachograph.decisions.times.model import FEATURES, Model, shape, the_model

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
    return fit(records(GRAPHS), {"made": "today"})


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
    model.write(tmp_path / "times.npz")
    back = Model.read(tmp_path / "times.npz")
    numbers = shape(tg.uniform(3000, 5))
    one, other = (m.predict("bfs/auto", numbers) for m in (model, back))
    assert one.seconds == pytest.approx(other.seconds, rel=1e-9)
    assert back.card == model.card


def test_a_file_of_another_version_is_refused(model, tmp_path, monkeypatch):
    monkeypatch.setattr("tachograph.decisions.times.model.FORMAT", 1)
    model.write(tmp_path / "times.npz")
    monkeypatch.undo()
    with pytest.raises(tg.InputError, match="make it anew with tacho train times"):
        Model.read(tmp_path / "times.npz")


def test_the_model_of_the_package_knows_every_task():
    tasks = {name.partition("/")[0] for name in the_model().curves}
    assert tasks == {"bfs", "sssp", "pagerank", "components", "similarity", "mis", "max-flow"}


@pytest.mark.parametrize("graph", [tg.Graph.from_edges([], [], n=0), tg.path(1), tg.star(9)])
def test_every_graph_has_a_finite_shape(graph):
    assert list(shape(graph)) == list(FEATURES)
    assert np.isfinite(list(shape(graph, 0 if graph.n else None).values())).all()
