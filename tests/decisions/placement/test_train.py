from __future__ import annotations

import pytest

import tachograph as tg
from tachograph.decisions.placement import train as placement
from tachograph.decisions.placement.model import named, the_model
from tachograph.decisions.placement.state import KERNELS, Call
from tachograph.decisions.trainer import train
from tachograph.devices.host import Host
from tachograph.tasks.measure import runner
from tests.devices.support import any_device, needs_pyopencl

GRAPHS = ["kronecker 8 8", "road 7 7", "layers 4 20"]


@needs_pyopencl
def test_what_is_learned_is_found_again(monkeypatch):
    device = any_device()
    ratios = {"select": 2.0}
    monkeypatch.setattr(
        placement, "count_instructions", lambda task: ratios
    )  # compiles for seconds
    with tg.threads(1):
        done = train(placement.Trainer(GRAPHS, 600.0, runner=runner(), device=device.id))
        assert list(done.file.card["graphs"]) == sorted(GRAPHS)
        counts = {row["task"]: row["calls"] for row in done.file.card["quality"]}
        assert set(counts) == set(KERNELS)
        assert min(counts.values()) >= 3
        for task in KERNELS:
            known = named("learned", task, Host(1), device)
            for kernel in known.times:
                call = Call(kernel, 0, 10, 50, 100)
                assert known(call) in ("host", "device")
                assert min(known.predict(call, p) for p in ("host", "device")) > 0
        # a training of one task leaves what is known of the other
        train(placement.Trainer(GRAPHS[2:], 600.0, runner=runner(), device=device.id))
        assert len(the_model().policies) == len(KERNELS)
        assert the_model().instructions == dict.fromkeys(KERNELS, ratios)


@pytest.mark.slow
@pytest.mark.parametrize("task", KERNELS)
def test_instructions_are_counted(task):
    tg.maximal_independent_set(tg.path(3), device="host")
    tg.maximum_flow(tg.path(3), 0, 2, device="host")
    ratios = placement.count_instructions(task)
    assert set(ratios) == set(KERNELS[task])
    assert all(ratio > 0 for ratio in ratios.values())


def test_flow_problems_are_for_flows():
    assert placement.task_of("layers 4 20") == "maximum_flow"
    assert placement.task_of("kronecker 8 8") == "maximal_independent_set"
