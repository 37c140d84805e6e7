from __future__ import annotations

import pytest

import tachograph as tg
from tachograph.decisions.placement import train as placement
from tachograph.decisions.placement.rules import KERNELS, Call, named
from tachograph.devices.host import Host
from tachograph.journal import journal
from tests.devices.support import any_device, needs_pyopencl


@needs_pyopencl
def test_what_is_learned_is_found_again(monkeypatch):
    device = any_device()
    graphs = {"mis": [tg.kronecker(8, rng=1), tg.path(50)], "maxflow": [placement.layers(4, 20)]}
    small = {
        task: ([lambda graph=graph: graph for graph in graphs[task]], run)
        for task, (_, run) in placement.TASKS.items()
    }
    monkeypatch.setattr(placement, "TASKS", small)
    monkeypatch.setattr(placement, "count_instructions", lambda task: {})  # compiles for seconds
    with tg.threads(1):
        for task in small:
            model, calls = placement.train_placement(task, device)
            assert calls >= 3
            known = named("learned", task, Host(1), device)
            for kernel in model.times:
                call = Call(kernel, 0, 10, 50, 100)
                assert known(call) == model(call)
                assert min(known.predict(call, p) for p in ("host", "device")) > 0


@pytest.mark.slow
@pytest.mark.parametrize("task", KERNELS)
def test_instructions_are_counted(task):
    tg.maximal_independent_set(tg.path(3), device="host")
    tg.maximum_flow(tg.path(3), 0, 2, device="host")
    ratios = placement.count_instructions(task)
    assert journal().get("instructions", task) == ratios
    assert set(ratios) == set(KERNELS[task])
    assert all(ratio > 0 for ratio in ratios.values())


def test_layers_are_a_flow_problem():
    g = placement.layers(5, 7, 2, seed=1)
    assert (g.n, g.m) == (37, 4 * 7 * 2 + 14)
    assert 0 < tg.maximum_flow(g, verify=True).value < 7 * 2 * 1000
    assert g.degrees[:28].tolist() == [2] * 28
    assert pytest.approx(g.meta["sink"]) == 36
