from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tachograph as tg
from tachograph.algorithms import flow_solve
from tachograph.decisions.generators import layers
from tests import oracles
from tests.devices.support import any_device, needs_pyopencl
from tests.graph.test_build import make
from tests.strategies import edge_lists


@given(
    case=edge_lists(st.integers(0, 9), max_n=9, max_edges=30, min_edges=1),
    directed=st.booleans(),
    workers=st.sampled_from([1, 3]),
    data=st.data(),
)
@settings(max_examples=80, deadline=None)
def test_rounds_find_the_value(case, directed, workers, data):
    n, edges = case
    n += 1
    source = data.draw(st.integers(0, n - 1))
    sink = (source + data.draw(st.integers(1, n - 1))) % n
    g = make(edges, n, np.int32, directed=directed)
    flow_solve.SERIAL_BELOW_VERTICES, small = 0, flow_solve.SERIAL_BELOW_VERTICES
    try:
        found = tg.maximum_flow(g, source, sink, device="host", threads=workers, verify=True)
    finally:
        flow_solve.SERIAL_BELOW_VERTICES = small
    assert found.value == oracles.maximum_flow(edges, n, source, sink, directed)


PROBLEMS = {
    "layers": lambda: layers(12, 64, rng=1),
    "power law": lambda: tg.kronecker(9, rng=1, directed=True, weights=True).with_meta(
        source=3, sink=9
    ),
    "path": lambda: tg.path(200, weights=True).with_meta(source=0, sink=199),
    "apart": lambda: tg.disjoint_union(tg.path(5), tg.path(5)).with_meta(source=0, sink=9),
    "real": lambda: tg.kronecker(8, rng=1, weights=(0.0, 1.0)).with_meta(source=3, sink=9),
}


@needs_pyopencl
@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("masked", [(), ("svm", "shares_memory")])
def test_every_place_finds_the_same_flow(name, masked):
    g = PROBLEMS[name]()
    device = any_device().masked(*masked)
    expected = tg.maximum_flow(g, device="host", verify=True)
    assert expected.value == pytest.approx(tg.maximum_flow(g).value, rel=1e-9)
    for placement in ("device", lambda c: "device" if c.iteration % 2 else "host", "oracle"):
        found = tg.maximum_flow(g, device=device, placement=placement, verify=True)
        assert np.array_equal(found.flow, expected.flow)  # nothing depends on the order of lists
        assert np.array_equal(found.source_side, expected.source_side)
    assert set(found.trace["best"]) <= {"host", "device"}


@needs_pyopencl
@pytest.mark.parametrize("after", [0, 3])
def test_a_device_that_is_lost(after):
    device = any_device().masked()
    working, calls = device.launch, []

    def launch(*arguments, **options):
        calls.append(1)
        if len(calls) > 4 + after:
            raise tg.DeviceError("the device has gone")
        working(*arguments, **options)

    device.launch = launch
    g = layers(6, 30, rng=1)
    found = tg.maximum_flow(g, device=device, placement="device", verify=True)
    assert found.value == tg.maximum_flow(g).value
    assert found.trace["note"][-1] == "the device has gone"


@needs_pyopencl
def test_reals_need_double_precision():
    device = any_device().masked("double")
    found = tg.maximum_flow(PROBLEMS["real"](), device=device, placement="device", verify=True)
    assert "double precision" in found.trace["note"][-1]
