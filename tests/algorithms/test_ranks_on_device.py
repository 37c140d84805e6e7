"""PageRank and components on a device: whatever its shape, in few round trips."""

from __future__ import annotations

import numpy as np
import pytest

import tachograph as tg
from tachograph.algorithms import on_device
from tests.algorithms.test_bfs_on_device import SHAPES, trips  # noqa: F401
from tests.devices.searches import label, rank
from tests.devices.support import any_device, needs_pyopencl

pytestmark = needs_pyopencl


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_any_shape_of_work_groups(shape, monkeypatch):
    monkeypatch.setattr(on_device, "shape_of", lambda _: shape)
    for g in (tg.kronecker(6, rng=1), tg.star(200), tg.road(9, 9, rng=1)):
        label(any_device(), g, monkeypatch)
        rank(any_device(), g, monkeypatch)


def test_scores_do_not_depend_on_the_shape(monkeypatch):
    g, made = tg.kronecker(8, rng=2), set()
    for shape in [*SHAPES[-1:], on_device.Shape(32, 1, 32, 32, 1024)]:
        monkeypatch.setattr(on_device, "shape_of", lambda _, shape=shape: shape)
        made.add(tg.pagerank(g, device=any_device()).scores.tobytes())
    assert len(made) == 1


def test_round_trips(trips):  # noqa: F811
    device, made = trips
    found = tg.pagerank(tg.kronecker(7, rng=1), device=device)
    assert len(found.trace) == found.iterations
    assert len(made) <= 3 + found.iterations / 8
    made.clear()
    tg.connected_components(tg.kronecker(7, rng=1), device=device)
    assert len(made) <= 2


def test_single_precision_is_refused_where_it_does_not_suffice():
    device = any_device().masked("double")
    with pytest.raises(tg.DeviceError, match="needs double precision"):
        tg.pagerank(tg.path(5), tol=1e-9, device=device)


def test_what_else_can_be_asked():
    device, empty = any_device(), tg.Graph.from_edges([], [], n=0)
    assert tg.connected_components(empty, device=device).count == 0
    assert tg.pagerank(empty, device=device).scores.size == 0
    g = tg.disjoint_union(tg.path(3), tg.path(2))
    assert (
        tg.connected_components(g, device=device, consecutive=True).labels.tolist()
        == [0] * 3 + [1] * 2
    )
    with pytest.warns(tg.TachographWarning, match="did not converge"):
        assert tg.pagerank(g, max_iter=3, tol=1e-9, device=device).iterations == 3
    assert tg.pagerank(g, device="opencl").run.way == "device"
    assert np.isclose(tg.pagerank(g, device=device).scores.sum(), 1)
