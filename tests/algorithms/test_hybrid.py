"""Similarity by a device, and by host and device from both ends of one queue; devices that fail."""

from __future__ import annotations

import os
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tachograph as tg
from tachograph.algorithms import (
    similarity_device,
    similarity_edges,
    similarity_listed,
    similarity_request,
)
from tachograph.algorithms.similarity_device import Apart, InPlace
from tachograph.decisions.split import model as split
from tachograph.devices.calibrate import UNITS
from tachograph.devices.host import Host, cores
from tachograph.devices.memory import resident
from tachograph.devices.opencl import OpenCL
from tachograph.journal import journal
from tachograph.kernels.runtime.team import SIZE
from tachograph.kernels.similarity import edges as kernel
from tachograph.kernels.similarity import listed
from tests.algorithms.test_bfs import GRAPHS
from tests.devices.support import any_device, needs_pyopencl
from tests.graph.test_build import make
from tests.strategies import edge_lists

UNDIRECTED = [name for name, made in GRAPHS.items() if not made().directed]
MASKS = {
    "shared memory": (),
    "own memory": ("shares_memory",),
    "no double": ("shares_memory", "double"),
}
TASKS = {"jaccard": tg.jaccard, "overlap": tg.overlap, "sorensen": tg.sorensen, "cosine": tg.cosine}
pytestmark = needs_pyopencl


@pytest.fixture(autouse=True)
def _many_chunks(monkeypatch):
    monkeypatch.setattr(similarity_edges, "CHUNK_ARCS_AT_LEAST", 1)
    monkeypatch.setattr(similarity_edges, "SERIAL_BELOW_ARCS", 0)
    monkeypatch.setattr(similarity_edges, "DEVICE_CHUNK_SECONDS", 0.0)


@pytest.fixture(params=MASKS)
def device(request):
    return any_device().masked(*MASKS[request.param])


def same(found, expected, device):
    close = 0 if device.capabilities.double else 1e-6
    np.testing.assert_allclose(found.values, expected.values, rtol=close, atol=0)
    assert np.array_equal(found.source, expected.source)
    assert np.array_equal(found.target, expected.target)
    assert found.trace["edges"].sum() == expected.values.size


@pytest.mark.parametrize(
    ("name", "task"), [(n, "jaccard") for n in UNDIRECTED] + [("kronecker", t) for t in TASKS]
)
def test_the_device_alone_and_beside_the_host(device, name, task):
    g = GRAPHS[name]()
    expected = TASKS[task](g, device="host")
    alone = TASKS[task](g, device=[device])
    same(alone, expected, device)
    assert alone.share == (1.0 if not g.arcs else 0.0)
    both = TASKS[task](g, device=["host", device], threads=3)
    same(both, expected, device)


def test_host_and_device_have_cores_of_their_own(monkeypatch):
    device = any_device()
    if not 0 < len(device.workers) < cores():
        pytest.skip("the device has no known threads on cores that it leaves some of to the host")
    everybody = (0, *device.workers)
    before, during = [os.sched_getaffinity(thread) for thread in everybody], []
    lane = similarity_edges._Work._device_lane

    def watched(self, *given):
        during.extend(os.sched_getaffinity(thread) for thread in everybody)
        return lane(self, *given)

    monkeypatch.setattr(similarity_edges._Work, "_device_lane", watched)
    tg.jaccard(GRAPHS["kronecker"](), device=["host", device])
    host, *drivers = during
    assert host
    assert not any(host & cores_of for cores_of in drivers)
    assert [os.sched_getaffinity(thread) for thread in everybody] == before
    during.clear()
    tg.jaccard(GRAPHS["kronecker"](), device=[device])
    assert during == before  # alone it may use all


@given(case=edge_lists(max_n=14, max_edges=60), share=st.sampled_from([0.0, 0.3, 0.7, 1.0, "auto"]))
@settings(max_examples=40, deadline=None)
def test_every_share_gives_the_same(case, share):
    n, edges = case
    g = make(edges, n, directed=False)
    device = any_device()
    found = tg.jaccard(g, device=["host", device], split=share, threads=2)
    expected = tg.jaccard(g, device="host")
    same(found, expected, device)
    m = expected.values.size
    if share != "auto" and m:
        most = max(np.bincount(np.concatenate([found.source, found.target])))  # of one vertex
        assert abs(found.share - share) * m <= most


def test_a_share_is_kept_as_exactly_as_vertices_allow():
    g = tg.kronecker(11, rng=1)
    for share in (0.0, 0.25, 0.5, 1.0):
        found = tg.jaccard(g, device=["host", any_device()], split=share)
        assert found.share == pytest.approx(share, abs=0.02)


@pytest.mark.parametrize("name", ["kronecker", "road", "uniform"])
def test_the_sparse_end_is_the_hosts_on_every_graph(name):
    """A fixed share is ordered by degree, approximately, also where degrees are much the same."""
    made = {"kronecker": (11,), "road": (40, 40), "uniform": (900, 8)}[name]
    g = getattr(tg, name)(*made, rng=1)
    plan = similarity_request.Placement(1, any_device(), share=0.5)
    order, cuts = similarity_edges.in_order(g, plan)
    assert sorted(order.tolist()) == list(range(g.n))
    bits = np.array([int(d).bit_length() for d in g.degrees[order]])
    assert (np.diff(bits) >= 0).all()
    job = similarity_device.Job(g, 0, order, None, kernel.Edges(*[np.empty(g.m)] * 3))
    mine, (place, end) = job.fixed(cuts, 0.5)
    assert mine[-1] == place
    assert end == g.n
    assert bits[:place].max() <= bits[place:].min()


def brute_force(g):
    """What each edge, or arc, has, from sets; the order is that of a list of the edges."""
    rows = [set(g.neighbors(v).tolist()) - {v} for v in range(g.n)]
    arcs = {(u, v) for u in range(g.n) for v in rows[u] if g.directed or u < v}
    every = [(u, v, len(rows[u] & rows[v]), len(rows[u] | rows[v])) for u, v in sorted(arcs)]
    return np.array([(u, v, common / either) for u, v, common, either in every]).reshape(-1, 3)


@given(
    case=edge_lists(max_n=14, max_edges=60),
    directed=st.booleans(),
    share=st.sampled_from([0.0, 0.3, 0.7, 1.0, "auto"]),
    mask=st.sampled_from(list(MASKS)),
)
@settings(max_examples=60, deadline=None)
def test_edges_one_by_one_and_directed_graphs_on_two_devices(case, directed, share, mask):
    """The paper's kernels and its masks, against sets; shares are exact to one edge."""
    n, edges = case
    g = make(edges, n, directed=directed)
    device = any_device().masked(*MASKS[mask])
    expected = brute_force(g)
    ways = [{"device": ["host", device], "split": share}, {"device": [device]}, {"device": "host"}]
    for way in ways:
        found = tg.jaccard(g, algorithm="merge-or-search", threads=2, **way)
        got = np.column_stack([found.source, found.target, found.values])
        np.testing.assert_allclose(got, expected, rtol=1e-15)
        assert found.trace["edges"].sum() == found.values.size
        if "split" in way and share != "auto" and len(expected):
            assert found.share == round(share * len(expected)) / len(expected)
    if directed:  # without naming the algorithm
        found = tg.jaccard(g, device=["host", device], split=share)
        np.testing.assert_allclose(found.values, expected[:, 2], rtol=1e-15)


@pytest.mark.parametrize("task", TASKS)
def test_edges_one_by_one_in_many_pieces(task, device, monkeypatch):
    monkeypatch.setattr(similarity_listed, "PIECE_ARCS", 1000)
    g = tg.kronecker(10, rng=1)
    expected = TASKS[task](g, device="host")
    for part in ("auto", 0.4):
        found = TASKS[task](
            g, device=["host", device], split=part, algorithm="merge-or-search", threads=3
        )
        same(found, expected, device)


@pytest.mark.parametrize("name", ["kronecker", "road", "star"])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 1.0])
def test_masks_have_the_sparse_end(name, share):
    g = {"kronecker": tg.kronecker(10, rng=1), "road": tg.road(30, 30, rng=1), "star": tg.star(50)}[
        name
    ]
    source, target, _ = g.to_edges()
    ends = np.minimum(source, target), np.maximum(source, target)
    for threads in (1, 3):
        with tg.threads(threads):
            mask = listed.mask_of(g.indptr, kernel.Edges(*ends, np.empty(source.size)), share)
        assert mask.sum() == round(share * g.m)
        sizes = g.degrees[ends[0]] + g.degrees[ends[1]]
        bits = np.array([int(s).bit_length() for s in sizes])
        if 0 < mask.sum() < g.m:
            assert bits[mask == 1].max() <= bits[mask == 0].min()


@pytest.mark.parametrize(
    ("options", "problem"),
    [({"algorithm": "best"}, "merge-or-search"),
     ({"algorithm": "merge-or-search", "pairs": [(0, 1)]}, "pairs='edges'")],
)  # fmt: skip
def test_algorithms_that_cannot_be(options, problem):
    with pytest.raises(tg.InputError, match=problem):
        tg.jaccard(tg.path(3), **options)


def test_the_devices_chunks_grow_and_then_shrink(monkeypatch):
    """The first is small; none is more than twice the one before."""
    sizes = []

    class Slow:
        def compute(self, lo, hi):
            sizes.append(hi - lo)
            time.sleep(0.002)

        def finish(self):
            pass

    monkeypatch.setattr(similarity_device.Job, "worker", lambda self, device, threads: Slow())
    walk = kernel.walk

    def late(*arguments):
        time.sleep(0.05)  # the device is there first
        return walk(*arguments)

    monkeypatch.setattr(kernel, "walk", late)
    g = tg.path(20_000)
    plan = similarity_request.Placement(1, any_device(), guess=0.5)
    similarity_edges.edge_similarities(g, 0, plan)
    assert sizes[0] <= g.n / 64
    assert max(sizes) > 4 * sizes[0]
    assert all(b <= 2 * a + g.n // 1024 + 1 for a, b in zip(sizes, sizes[1:], strict=False))
    assert sizes[-1] < max(sizes)


@pytest.mark.parametrize("share", [1.2, 0.8, 0.4])
def test_parts_of_a_graph_that_does_not_fit(share, monkeypatch):
    """Each arc is looked at in one launch, however many pairs of parts there are."""
    g = tg.kronecker(9, rng=1)
    device = any_device().masked("shares_memory", memory=int(share * g.nbytes) + 8000)
    begin, arcs = Apart._begin, []

    def noted(self, piece):
        arcs.append(piece.arcs)
        begin(self, piece)

    monkeypatch.setattr(Apart, "_begin", noted)
    same(tg.jaccard(g, device=[device]), tg.jaccard(g, device="host"), device)
    assert len(resident(device, g).cuts) > 3
    assert sum(arcs) == g.arcs
    resident(device, g).release()
    assert device.room.used == 0


def test_both_ends_of_the_queue_meet_exactly_once():
    """Each chunk is taken by one of them, whoever comes in whatever order."""
    rng = np.random.default_rng(1)
    for chunks in (1, 2, 7, 50):
        for _ in range(50):
            control, taken = np.zeros(SIZE, np.int64), np.zeros(chunks, np.int64)
            for _ in range(4 * chunks):
                if rng.random() < 0.5:
                    first, count = kernel.claim_high(control, chunks, int(rng.integers(1, 5)))
                    taken[first : first + count] += 1
                else:
                    before = control[kernel.CLAIM]
                    control[kernel.CLAIM] += 1
                    low, high = before % kernel.HALF, before // kernel.HALF
                    if low + high < chunks:
                        taken[low] += 1
            assert (taken == 1).all()


# -- faults -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("share", "after"), [(0.3, 0), ("auto", 0), ("auto", 1)])
def test_a_device_lost_in_the_middle_is_replaced_by_the_host(device, monkeypatch, share, after):
    g = tg.kronecker(10, rng=1)
    expected = tg.jaccard(g, device="host")
    launch, calls = OpenCL.launch, []

    def dying(self, kernel, size, *arguments, **options):
        calls.append(size)
        if len(calls) > 1 + after:  # the first one only warms up
            raise tg.DeviceError("made-up failed at the kernel by_marks: OUT_OF_RESOURCES")
        launch(self, kernel, size, *arguments, **options)

    monkeypatch.setattr(OpenCL, "launch", dying)
    walk = kernel.walk

    def late(*arguments):
        time.sleep(0.2)  # the device is there first
        return walk(*arguments)

    monkeypatch.setattr(kernel, "walk", late)
    with pytest.warns(tg.TachographWarning, match="was given up, the host did its part: made-up"):
        found = tg.jaccard(g, device=["host", device], split=share)
    np.testing.assert_array_equal(found.values, expected.values)
    assert np.array_equal(found.source, expected.source)
    assert "given up" in found.run.reason


def test_a_device_alone_that_is_lost(monkeypatch):
    g = tg.kronecker(9, rng=1)
    monkeypatch.setattr(similarity_edges, "ALONE_LAUNCH_ARCS", 1000)
    calls = []

    def dying(self, lo, hi):
        calls.append((lo, hi))
        if len(calls) == 3:
            raise tg.DeviceError("lost")
        compute(self, lo, hi)

    compute = InPlace.compute
    monkeypatch.setattr(InPlace, "compute", dying)
    if not any_device().capabilities.shares_memory:
        pytest.skip("no shared memory")
    with pytest.warns(tg.TachographWarning, match="lost"):
        found = tg.jaccard(g, device="opencl")
    assert np.array_equal(found.values, tg.jaccard(g, device="host").values)


@pytest.mark.parametrize("room", [10, 3000])
@pytest.mark.parametrize(
    "options",
    [{}, {"algorithm": "merge-or-search"}, {"algorithm": "merge-or-search", "split": 0.3}],
)
def test_a_device_without_memory_is_replaced_by_the_host(room, options):
    g = tg.kronecker(9, rng=1)
    device = any_device().masked("shares_memory", memory=room)
    with pytest.warns(tg.TachographWarning, match="use the host"):
        found = tg.jaccard(g, device=["host", device], **options)
    assert np.array_equal(found.values, tg.jaccard(g, device="host").values)
    assert found.share == 1.0
    assert device.room.used == 0


@pytest.mark.parametrize(("share", "after"), [(0.3, 0), (0.3, 2), ("auto", 1)])
@pytest.mark.parametrize("directed", [False, True])
def test_a_device_lost_in_the_middle_of_a_list(device, monkeypatch, share, after, directed):
    monkeypatch.setattr(similarity_listed, "PIECE_ARCS", 500)
    g = tg.kronecker(10, rng=1, directed=directed)
    expected = tg.jaccard(g, device="host")
    launch, calls = OpenCL.launch, []

    def dying(self, kernel, size, *arguments, **options):
        calls.append(size)
        if len(calls) > 1 + after:  # the first one only warms up
            raise tg.DeviceError("made-up failed at the kernel by_list")
        return launch(self, kernel, size, *arguments, **options)

    monkeypatch.setattr(OpenCL, "launch", dying)
    walk = listed.walk_listed

    def late(*arguments):
        time.sleep(0.1)  # the device is there first
        return walk(*arguments)

    monkeypatch.setattr(listed, "walk_listed", late)
    with pytest.warns(tg.TachographWarning, match="was given up, the host did its part: made-up"):
        found = tg.jaccard(
            g, device=["host", device], split=share, algorithm="merge-or-search", threads=2
        )
    np.testing.assert_array_equal(found.values, expected.values)
    assert found.share == 1.0


def test_a_kernel_that_cannot_be_built(monkeypatch):
    def broken(self, *words):
        raise tg.DeviceError("similarity.cl cannot be built for it")

    monkeypatch.setattr(OpenCL, "kernel", broken)
    with pytest.warns(tg.TachographWarning, match="cannot be built"):
        found = tg.jaccard(tg.complete(9), device=["host", "opencl"])
    assert found.values.size == 36


# -- which devices, and which share ---------------------------------------------------------------


def calibrated(device, host_rate, device_rate):
    numbers = dict.fromkeys(UNITS, 1.0) | {"latency": 10.0, "transfer": None}
    for threads in (1, 2, 4):
        journal().put("calibration", Host(threads).key, {**numbers, "gather": host_rate})
    journal().put("calibration", device.key, {**numbers, "gather": device_rate})


def test_auto_takes_the_host_until_a_device_is_calibrated(monkeypatch):
    monkeypatch.setattr(similarity_request, "HOST_BELOW_ARCS", 0)
    found = tg.jaccard(tg.kronecker(8, rng=1))
    assert found.share == 1.0
    assert "no device is calibrated" in found.run.reason


@pytest.mark.parametrize(("rates", "share"), [((100, 1), 1.0), ((1, 100), 0.0), ((10, 10), None)])
def test_auto_takes_what_is_predicted_to_be_fastest(monkeypatch, rates, share):
    device = any_device()
    monkeypatch.setattr(similarity_request, "HOST_BELOW_ARCS", 0)
    zero = np.zeros(len(split.DEGREE_FEATURES))
    monkeypatch.setattr(split, "the_model", lambda: split.Model(zero, zero, zero))
    calibrated(device, *rates)
    g = tg.kronecker(12, rng=1)
    found = tg.jaccard(g, threads=1)
    assert "predicted" in found.run.reason
    if share is not None:
        assert found.share == share
    else:
        assert found.run.reason.startswith("both")
    same(found, tg.jaccard(g, device="host"), device)


def test_a_device_that_would_take_the_hosts_cores_is_left_alone(monkeypatch):
    device = any_device()
    if not device.threads:
        pytest.skip("it has processors of its own")
    monkeypatch.setattr(similarity_request, "HOST_BELOW_ARCS", 0)
    calibrated(device, 1, 100)
    with tg.threads(cores()):
        found = tg.jaccard(tg.kronecker(12, rng=1))
    assert found.share == 1.0
    assert "computes on its cores" in found.run.reason


def test_on_one_core_nothing_is_shared(monkeypatch):
    """A host of one thread beside a device that has all cores: both would take turns on one."""
    device = any_device()
    if not device.threads:
        pytest.skip("it has processors of its own")
    monkeypatch.setattr(similarity_request, "HOST_BELOW_ARCS", 0)
    monkeypatch.setattr(device, "threads", cores())
    calibrated(device, 10, 10)
    found = tg.jaccard(tg.kronecker(12, rng=1), threads=1)
    assert found.share == 1.0
    assert "computes on its cores" in found.run.reason


def test_a_part_of_the_threads_is_taken_to_be_as_much_slower():
    journal().put("calibration", Host(4).key, dict.fromkeys(UNITS, 100.0))
    with tg.threads(4):
        assert similarity_request._of_all(1) == dict.fromkeys(UNITS, 100.0) | {"gather": 25.0}
    with tg.threads(3):
        assert similarity_request._of_all(1) is None  # not calibrated


def test_the_best_device_is_a_matter_of_predicted_times():
    state = split.State.of(tg.kronecker(10, rng=1), transfer=10**9)
    host = dict.fromkeys(UNITS, 100.0)
    near = split.expected(state, host, {**host, "transfer": None}, shares_cores=True)
    far = split.expected(state, host, {**host, "transfer": 1.0}, shares_cores=False)
    assert far.device > 1.0 > near.device  # a gigabyte at a gigabyte per second
    assert far.share > near.share
    assert near.both > near.host / 2
