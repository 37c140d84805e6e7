"""Cores of their own for host and device, and the energy that processors use."""

from __future__ import annotations

import math
import os
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from tachograph.devices import host
from tachograph.devices.host import Meter, apart, thread_ids

needs_affinity = pytest.mark.skipif(
    not hasattr(os, "sched_getaffinity") or len(os.sched_getaffinity(0)) < 2,
    reason="needs two cores and Linux",
)


@needs_affinity
def test_a_worker_gets_a_core_of_its_own_for_a_while():
    own, done = os.sched_getaffinity(0), threading.Event()
    worker = threading.Thread(target=done.wait)
    worker.start()
    try:
        assert worker.native_id not in thread_ids()  # Python's own are not a driver's
        with apart([worker.native_id]) as possible:
            there, here = os.sched_getaffinity(worker.native_id), os.sched_getaffinity(0)
        assert possible
        assert len(there) == 1
        assert here == own - there
        assert os.sched_getaffinity(0) == os.sched_getaffinity(worker.native_id) == own
    finally:
        done.set()
        worker.join()


@needs_affinity
def test_more_workers_than_cores_and_workers_that_have_ended():
    own = os.sched_getaffinity(0)
    for workers in ([], [threading.get_native_id()] * len(own), [2**22 + 1]):
        with apart(workers) as possible:
            assert not possible
            assert os.sched_getaffinity(0) == own
        assert os.sched_getaffinity(0) == own


@needs_affinity
def test_two_runs_at_once_leave_a_worker_where_it_was():
    """The one that begins last ends last, and must not put it back on the first one's core."""
    own, done = os.sched_getaffinity(0), threading.Event()
    worker = threading.Thread(target=done.wait)
    worker.start()
    there = ThreadPoolExecutor(1)
    there.submit(os.sched_getaffinity, 0).result()  # it has begun, on all cores
    try:
        first, second = apart([worker.native_id]), apart([worker.native_id])
        assert first.__enter__()
        assert not there.submit(second.__enter__).result()
        assert len(os.sched_getaffinity(worker.native_id)) == 1
        first.__exit__(None, None, None)
        there.submit(second.__exit__, None, None, None).result()
        assert os.sched_getaffinity(0) == os.sched_getaffinity(worker.native_id) == own
        with apart([worker.native_id]) as again:
            assert again
    finally:
        done.set()
        worker.join()
        there.shutdown()


def test_counters_are_summed_and_may_go_round(tmp_path, monkeypatch):
    monkeypatch.setattr(host, "POWERCAP", tmp_path)
    assert not Meter().available
    assert math.isnan(Meter().joules())
    for zone, now in (
        ("intel-rapl:0", 9_000_000),
        ("intel-rapl:1", 5_000_000),
        ("intel-rapl:0:0", 1),
    ):
        (tmp_path / zone).mkdir()
        (tmp_path / zone / "energy_uj").write_text(str(now))
        (tmp_path / zone / "max_energy_range_uj").write_text("10000000")
    meter = Meter()
    assert meter.available
    (tmp_path / "intel-rapl:0" / "energy_uj").write_text("1000000")  # 2 J, past the end
    (tmp_path / "intel-rapl:1" / "energy_uj").write_text("5500000")
    assert meter.joules() == 2.5
    assert meter.joules() == 0
