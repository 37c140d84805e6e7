from __future__ import annotations

import os
import threading

import pytest

from tachograph.devices.cores import apart, thread_ids

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
