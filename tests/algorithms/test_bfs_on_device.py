"""Searches on a device take the decisions of the host, in few round trips, whatever its shape."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import tachograph as tg
from tachograph.algorithms import bfs_on_device, on_device
from tachograph.algorithms.on_device import Shape
from tachograph.decisions.direction.model import POLICIES, policy_named
from tachograph.decisions.direction.rules import RULES, SCRIPT
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


def growing(state):
    """Pull while the frontier grows; a device can ask this itself."""
    return state.s_f > 0


@pytest.mark.parametrize("kind", ["cpu", "gpu"])
@pytest.mark.parametrize("direction", [*POLICIES, growing])
def test_round_trips(direction, kind, trips):
    """At most two, and one for each eight levels: the device asks the policy itself."""
    device, made = trips
    device.kind = kind
    for g in (tg.road(40, 40, rng=1), tg.path(900), tg.kronecker(10, rng=1)):
        tg.bfs(g, 0, device=device, direction=direction)
        made.clear()
        found = tg.bfs(g, 0, device=device, direction=direction)
        assert len(made) <= 2 + len(found.trace) / 8


@pytest.mark.parametrize("without", [(), ("double",)])
def test_round_trips_if_the_host_has_to_be_asked(without, trips):
    """It is asked once for each large level, and for each that is pulled or comes after such a one."""
    device, made = trips
    device.capabilities = device.capabilities.without(*without)
    direction = "hbfs" if without else lambda state: state.n_f > state.n / 24
    for g in (tg.road(40, 40, rng=1), tg.path(900), tg.kronecker(10, rng=1)):
        made.clear()
        found = tg.bfs(g, 0, device=device, direction=direction, verify=True)
        pulled = found.trace["direction"] == "pull"
        asked = int((found.trace["frontier_edges"] > 4096).sum() + pulled.sum())
        asked += int((np.diff(pulled) != 0).sum())
        assert len(made) <= 2 + len(found.trace) / 8 + asked


def test_a_pull_that_looks_at_too_many_arcs_is_given_up(monkeypatch):
    """The rest of its level is pushed; the guards of a policy are those of the host."""
    monkeypatch.setattr(bfs_on_device, "COUNTED_FROM_ARCS", 16)
    always = policy_named("pull")
    for kind in ("cpu", "gpu"):
        device = any_device().masked(kind=kind)
        script = replace(always, name="script", parameters=np.array([SCRIPT, 3.0, 0.0, 1.0, 1.0]))
        # few arcs out of a frontier, and many of vertices that are not reached: those are looked at
        g = tg.disjoint_union(tg.tree(2000, 40), tg.complete(500))
        for guarded, expected in ((False, ["push", "pull", "pull"]), (True, ["push"] * 3)):
            policy = replace(script, guarded=guarded)
            found = tg.bfs(g, 0, device=device, direction=policy, verify=True)
            assert found.trace["direction"].tolist()[:3] == expected
            assert np.array_equal(found.levels, tg.bfs(g, 0).levels)


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
