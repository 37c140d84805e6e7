"""Searches on a device take the decisions of the host, in few round trips, whatever its shape."""

from __future__ import annotations

import numpy as np
import pytest

import tachograph as tg
from tachograph.algorithms import on_device
from tachograph.algorithms.on_device import Shape
from tachograph.decisions.direction.rules import RULES
from tests.algorithms.test_bfs import GRAPHS
from tests.devices.support import any_device, needs_pyopencl

pytestmark = needs_pyopencl
SHAPES = [
    Shape(1, 1, 2, 4, 3), Shape(3, 1, 3, 4, 8), Shape(3, 3, 5, 4, 8), Shape(32, 32, 32, 8, 64),
    Shape(64, 16, 64, 32, 100), Shape(256, 32, 256, 32, 1024),
]  # fmt: skip


@pytest.fixture
def trips(monkeypatch):
    """A device, and a list of what the host waits for."""
    device, made = any_device().masked(), []
    for name in ("copy_back", "write", "finish"):
        inner = getattr(device, name)

        def counted(*arguments, name=name, inner=inner):
            made.append(name)
            return inner(*arguments)

        monkeypatch.setattr(device, name, counted)
    return device, made


@pytest.mark.parametrize("direction", RULES)
@pytest.mark.parametrize("kind", ["cpu", "gpu"])
def test_rules_choose_what_they_choose_on_the_host(direction, kind):
    device = any_device().masked(kind=kind)
    for name in ("kronecker", "star", "path"):
        g = GRAPHS[name]() if name in GRAPHS else tg.kronecker(9, rng=3)
        there, here = (tg.bfs(g, 0, direction=direction, device=d) for d in (device, "host"))
        for column in ("direction", "frontier_vertices", "frontier_edges", "unvisited"):
            assert there.trace[column].tolist() == here.trace[column].tolist(), (name, column)
        assert np.array_equal(there.levels, here.levels)
        assert (there.trace["seconds"] > 0).all()


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_any_shape_of_work_groups(shape, monkeypatch):
    device = any_device()
    monkeypatch.setattr(on_device, "shape_of", lambda _: shape)
    for g in (tg.kronecker(7, rng=1), tg.star(200), tg.road(12, 12, rng=1)):
        expected = tg.bfs(g, 0).levels
        for direction in ("push", "pull", "auto"):
            found = tg.bfs(g, 0, device=device, direction=direction, verify=True)
            assert np.array_equal(found.levels, expected)


@pytest.mark.parametrize(
    "direction", ["push", "pull", "auto", "hbfs", "gunrock", "surf", "lagraph"]
)
@pytest.mark.parametrize("graph", ["road", "path", "kronecker"])
def test_round_trips(direction, graph, trips):
    """At most two, and one for each eight levels, unless a policy has to be asked about a large one."""
    device, made = trips
    g = {"road": lambda: tg.road(40, 40, rng=1), "path": lambda: tg.path(900),
         "kronecker": lambda: tg.kronecker(10, rng=1)}[graph]()  # fmt: skip
    tg.bfs(g, 0, device=device, direction=direction)
    made.clear()
    found = tg.bfs(g, 0, device=device, direction=direction)
    asked = 0
    if direction not in ("push", "pull"):
        large = found.trace["frontier_edges"] > 4096
        asked = int((large | (found.trace["direction"] == "pull")).sum())
        asked += int((np.diff(found.trace["direction"] == "pull") != 0).sum())
    assert len(made) <= 2 + len(found.trace) / 8 + asked


def test_levels_that_a_policy_wants_pulled_are_taken_back():
    """One launch pushes many small levels; a policy that pulls every third of them is obeyed."""
    device, g = any_device(), tg.road(20, 20, rng=2)

    def every_third(state):
        return state.depth % 3 == 2

    found = tg.bfs(g, 0, device=device, direction=every_third, verify=True)
    expected = ["pull" if depth % 3 == 2 else "push" for depth in range(len(found.trace))]
    assert found.trace["direction"].tolist() == expected
    assert np.array_equal(found.levels, tg.bfs(g, 0).levels)


def test_what_else_can_be_asked_of_a_search():
    device, g = any_device(), tg.kronecker(8, rng=1)
    here, there = (tg.bfs(g, [0, 5], deterministic=True, device=d) for d in ("host", device))
    assert np.array_equal(here.parents, there.parents)
    both = tg.bfs(g, 0, direction="oracle", device=device)
    assert {"push_seconds", "pull_seconds"} <= set(both.trace.columns)
    assert np.isfinite(both.trace["pull_seconds"]).any()
    assert len(tg.bfs(g, 0, cutoff=0, device=device).trace) == 0
    with pytest.raises(tg.InputError, match="takes no target"):
        tg.bfs(g, 0, direction="oracle", target=3, device=device)
    with pytest.raises(tg.InputError, match="cannot be compiled"):
        tg.bfs(g, 0, direction=lambda state: state.nothing, device=device)
    with pytest.raises(tg.InputError, match="direction = 'sideways'"):
        tg.bfs(g, 0, direction="sideways", device=device)


def test_a_device_that_does_nothing_is_noticed(monkeypatch):
    device = any_device().masked()
    monkeypatch.setattr(device, "launch", lambda *arguments, **group: None)
    with pytest.raises(tg.DeviceError, match="cannot be trusted"):
        tg.bfs(tg.path(5), 0, device=device, direction="push")
