from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tachograph as tg
from tachograph.algorithms import independent_rounds
from tachograph.algorithms.independent_rounds import Rounds
from tests.algorithms.test_bfs import GRAPHS
from tests.devices.support import any_device, needs_pyopencl
from tests.graph.test_build import make
from tests.strategies import edge_lists


@given(case=edge_lists(max_n=20, max_edges=50), directed=st.booleans(), seed=st.integers(0, 99))
@settings(max_examples=60, deadline=None)
def test_rounds_give_the_greedy_set(case, directed, seed):
    n, edges = case
    g = make(edges, n, directed=directed)
    rounds = tg.maximal_independent_set(g, seed=seed, devices="host", verify=True)
    assert np.array_equal(rounds.mask, tg.maximal_independent_set(g, seed=seed).mask)
    assert rounds.trace.columns[:4] == ("kernel", "iteration", "device", "work")


def test_several_threads_make_the_same_set(monkeypatch):
    monkeypatch.setattr(independent_rounds, "SMALL", 0)
    g = tg.kronecker(12, seed=1)
    expected = tg.maximal_independent_set(g, seed=2).mask
    for _ in range(20):
        found = tg.maximal_independent_set(g, seed=2, devices="host", threads=4)
        assert np.array_equal(found.mask, expected)


@needs_pyopencl
@pytest.mark.parametrize("name", GRAPHS)
def test_every_place_makes_the_same_set(name):
    g = GRAPHS[name]()
    device = any_device()
    expected = tg.maximal_independent_set(g, seed=1).mask
    for masked in ((), ("svm",), ("svm", "shares_memory")):
        for placement in ("device", _in_turns):
            found = tg.maximal_independent_set(
                g, seed=1, devices=device.masked(*masked), placement=placement, threads=1
            )
            assert np.array_equal(found.mask, expected)
            assert found.trace["iteration"].max() + 1 == len(found.trace) // 3


def _in_turns(call):
    """Another place for every kernel and round."""
    return "host" if (call.iteration + len(call.kernel)) % 2 else "device"


@needs_pyopencl
def test_the_oracle_marks_the_better_place():
    found = tg.maximal_independent_set(
        tg.kronecker(10, seed=1), devices=any_device(), placement="oracle"
    )
    t = found.trace
    better = np.where(t["host_seconds"] <= t["device_seconds"], "host", "device")
    assert (t["best"] == better).all()
    assert (t["device"] == better).all()
    assert np.array_equal(found.mask, tg.maximal_independent_set(tg.kronecker(10, seed=1)).mask)


@needs_pyopencl
@pytest.mark.parametrize("producer", ["host", "device"])
@pytest.mark.parametrize("masked", [(), ("svm_atomics",), ("svm", "shares_memory")])
def test_overlapping_makes_the_same_set(producer, masked, monkeypatch):
    monkeypatch.setattr(independent_rounds, "FEW", 1)
    g = tg.kronecker(13, seed=1)
    device = any_device().masked(*masked)
    expected = tg.maximal_independent_set(g, seed=3).mask
    for overlap, hot in ((20, 0), (80, 10), (99, 2), (99, 20)) * (5 if not masked else 1):
        found = tg.maximal_independent_set(g, seed=3, devices=device, placement="device", overlap=overlap,
                                           hot=hot, producer=producer, threads=2)  # fmt: skip
        assert np.array_equal(found.mask, expected)
        rows = [r for r in found.trace if r["kernel"] == "randomize+select"]
        assert len(rows) == found.trace["iteration"].max() + 1
        assert {r["device"] for r in rows} == {
            f"{producer}+{'device' if producer == 'host' else 'host'}"
        }
        if masked:
            assert all(r["note"].startswith("bulk-synchronous") for r in rows)
            assert not found.trace["polls"].any()
    assert (found.trace["kernel"] == "hot vertices").sum() == 1


@needs_pyopencl
def test_a_producer_that_stands_still_is_noticed(monkeypatch):
    """The consumer gives up within a second; the rest is selected when all is produced."""
    waited = []

    def slow(self, name, lo, hi, patience=0):
        if name == "randomize" and lo > 0:
            begin = time.perf_counter()
            self.device.finish()  # the consumer, which waits for marks that do not come
            waited.append(time.perf_counter() - begin)
        original(self, name, lo, hi, patience)

    original = Rounds.host
    monkeypatch.setattr(Rounds, "host", slow)
    g = tg.uniform(1 << 14, 16, seed=1)
    found = tg.maximal_independent_set(g, devices=any_device(), placement="device", overlap=50)
    assert waited
    assert max(waited) < 1
    assert "left waiting" in found.trace["note"][0]
    assert found.trace["polls"][0] > 0
    assert np.array_equal(found.mask, tg.maximal_independent_set(g).mask)


@needs_pyopencl
@pytest.mark.parametrize("after", [0, 2, 9])
@pytest.mark.parametrize("masked", [(), ("svm", "shares_memory")])
def test_a_device_that_is_lost(after, masked):
    device = any_device().masked(*masked)
    working, calls = device.launch, []

    def launch(*arguments, **options):
        calls.append(1)
        if len(calls) > 4 + after:  # the first four are for nothing
            raise tg.DeviceError("the device has gone")
        working(*arguments, **options)

    device.launch = launch
    g = tg.kronecker(11, seed=1)
    found = tg.maximal_independent_set(g, devices=device, placement="device", verify=True)
    assert np.array_equal(found.mask, tg.maximal_independent_set(g).mask)
    assert found.trace["note"][-1] == "the device has gone"
    assert found.trace["device"][-1] == "host"


@needs_pyopencl
def test_a_graph_that_does_not_fit_stays_on_the_host():
    device = any_device().masked("svm", "shares_memory", memory=1 << 20, largest=1 << 12)
    found = tg.maximal_independent_set(tg.kronecker(11, seed=1), devices=device, placement="device",
                                       verify=True)  # fmt: skip
    assert "use the host" in found.trace["note"][-1]


@pytest.mark.parametrize(
    ("options", "problem"),
    [({"overlap": 100}, "from 0 to 99"), ({"hot": -1}, "from 0 to 100"), ({"overlap": 5}, "name one"),
     ({"producer": "x"}, "'host' or 'device'"), ({"devices": "moon:1"}, "moon|pyopencl")],
)  # fmt: skip
def test_what_is_refused(options, problem):
    with pytest.raises(tg.TachographError, match=problem):
        tg.maximal_independent_set(tg.path(3), **options)


@pytest.mark.parametrize("share", [0.02, 0.1, 0.2, 1.0])
def test_hot_vertices_are_those_of_high_degree(share):
    from tachograph.kernels.independent_rounds import front

    degree = tg.kronecker(12, seed=1).degrees.astype(np.int64)
    work = np.full(degree.size, -1, np.int32)
    found = front(np.zeros(1, np.int64), degree, share, work)
    assert sorted(work.tolist()) == list(range(degree.size))
    assert share * degree.size / 4 < found <= share * degree.size
    if found < degree.size:
        assert degree[work[:found]].min() > degree[work[found:]].max()
