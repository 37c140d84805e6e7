"""Shortest paths on a device: whatever its shape, approximations as the host defines them, few trips."""

from __future__ import annotations

import numpy as np
import pytest

import tachograph as tg
from tachograph.algorithms import on_device, sssp_on_device
from tests.algorithms.test_bfs_on_device import SHAPES, trips  # noqa: F401
from tests.devices.support import any_device, needs_pyopencl
from tests.graph.test_build import rows_of
from tests.oracles import shortest

pytestmark = needs_pyopencl


def weighted(g: tg.Graph, least: int = 1, most: int = 50) -> tg.Graph:
    """The same arcs, with random whole weights."""
    lengths = np.random.default_rng(5).integers(least, most, g.arcs).astype(np.int32)
    return tg.Graph.from_edges(np.repeat(np.arange(g.n), g.degrees), g.indices, lengths, n=g.n)


GRAPHS = {
    "kronecker": lambda: weighted(tg.kronecker(7, rng=1)),
    "star": lambda: weighted(tg.star(200)),
    "road": lambda: weighted(tg.road(12, 12, rng=1)),
}


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("alone", [0, 4096])
def test_any_shape_of_work_groups(shape, alone, monkeypatch):
    monkeypatch.setattr(on_device, "shape_of", lambda _: shape)
    monkeypatch.setattr(sssp_on_device, "ALONE_UP_TO_VERTICES", alone)
    for make in GRAPHS.values():
        g = make()
        found = tg.sssp(g, 0, device=any_device(), verify=True)
        assert found.distances.tolist() == shortest(rows_of(g), [0])


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize(
    "limits", [{"min_degree": 4}, {"max_degree": 8}, {"min_degree": 2, "max_degree": 9}]
)
def test_degree_limits_are_those_of_the_host(name, limits):
    """Without a limit of rounds, distances do not depend on the order: they are those of fewer arcs."""
    g, left_out = GRAPHS[name](), tg.Approximation(**limits)
    there = tg.sssp(g, 0, device=any_device(), approximation=left_out).distances
    here = tg.sssp(g, 0, algorithm="bellman-ford", approximation=left_out).distances
    assert np.array_equal(there, here)


@pytest.mark.parametrize("seed", [0, 3])
@pytest.mark.parametrize("fraction", [0.3, 0.8])
def test_the_same_random_choice_as_on_the_host(seed, fraction):
    """Without weights every distance is its round, so the order of a round does not matter."""
    g = tg.kronecker(8, rng=1)
    left_out = tg.Approximation(fraction=fraction, seed=seed, iterations=5)
    there = tg.sssp(g, 0, device=any_device(), approximation=left_out).distances
    here = tg.sssp(g, 0, algorithm="bellman-ford", approximation=left_out).distances
    assert np.array_equal(there, here)


@pytest.mark.parametrize("iterations", [1, 2, 4])
def test_so_many_rounds(iterations):
    """A round may already see what it has lowered itself: never more than in two steps, never too little."""
    g = GRAPHS["kronecker"]()
    left_out = tg.Approximation(iterations=iterations)
    found = tg.sssp(g, 0, device=any_device(), approximation=left_out)
    steps = tg.sssp(g, 0, algorithm="dijkstra", approximation=left_out).distances
    assert (found.distances <= steps).all()
    assert (found.distances >= tg.sssp(g, 0).distances).all()
    assert len(found.trace) == iterations + 1


def test_all_methods_together():
    g = GRAPHS["kronecker"]()
    left_out = tg.Approximation(
        iterations=3, min_degree=2, max_degree=60, fraction=0.8, atomic=False
    )
    found = tg.sssp(g, 0, device=any_device(), approximation=left_out, verify=True)
    assert (found.distances >= tg.sssp(g, 0).distances).all()
    assert 0 < np.isfinite(found.distances).sum() < g.n


def test_distances_beyond_32_bits():
    device, g = any_device(), tg.path(6, weights=(2**30 - 1, 2**30))
    if device.capabilities.int64_atomics:
        assert np.array_equal(tg.sssp(g, 0, device=device).distances, tg.sssp(g, 0).distances)


@pytest.mark.parametrize("name", GRAPHS)
def test_round_trips(name, trips):  # noqa: F811
    device, made = trips
    found = tg.sssp(GRAPHS[name](), 0, device=device)
    assert len(made) <= 2 + len(found.trace) / 8


def test_the_trace_tells_what_was_done():
    g = GRAPHS["road"]()
    trace = tg.sssp(g, 0, device=any_device()).trace
    assert trace["frontier_vertices"][0] == 1
    assert trace["frontier_edges"][0] == g.degrees[0]
    assert trace["frontier_edges"].sum() >= g.arcs  # every vertex is reached
    assert trace["unvisited"][0] == g.n - 1
    assert (np.diff(trace["unvisited"]) <= 0).all()


def test_a_device_that_does_nothing_is_noticed(monkeypatch):
    device = any_device().masked()
    monkeypatch.setattr(device, "launch", lambda *arguments, **group: None)
    with pytest.raises(tg.DeviceError, match="cannot be trusted"):
        tg.sssp(GRAPHS["road"](), 0, device=device)
