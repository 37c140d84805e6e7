"""Programs, buffers, graphs on a device, and what is said when something does not work."""

from __future__ import annotations

import gc
import os
import re

import numpy as np
import pytest

import tachograph as tg
from tachograph.devices import calibrate, groups, opencl
from tachograph.devices.driver_threads import THREAD_VARIABLES, advice
from tachograph.devices.host import Host, cores
from tachograph.devices.memory import resident
from tachograph.devices.opencl import open_device
from tests.devices.support import any_device, needs_pyopencl, python

pytestmark = needs_pyopencl


def increment(device, array):
    """``array + 1``, computed there."""
    there = device.output(array)
    kernel = device.kernel("increment", "increment")
    device.launch(kernel, array.size, there, np.int64(array.size))
    there.fetch()
    return array


def content(buffer):
    """What is in a buffer whose array is not to be written."""
    found = np.empty_like(buffer.array)
    buffer.device.copy_back(buffer, found, 0)
    return found


@pytest.fixture
def sources(tmp_path, monkeypatch):
    """A directory for kernels of tests."""
    monkeypatch.setattr(opencl, "SOURCES", tmp_path)
    (tmp_path / "increment.cl").write_text(
        "__kernel void increment(__global int *a, long n)"
        "{ long i = get_global_id(0); if (i < n) a[i] += 1; }"
    )
    device = any_device()
    before = dict(device._programs)
    yield tmp_path
    device._programs.clear()
    device._programs.update(before)


@pytest.mark.parametrize("mask", [(), ("shares_memory",)])
@pytest.mark.parametrize("size", [1, 63, 1000])
def test_results_come_back_from_shared_and_from_own_memory(sources, mask, size):
    device = any_device().masked(*mask)
    assert increment(device, np.arange(size, dtype=np.int32)).tolist() == list(range(1, size + 1))
    assert device.room.used == 0


@pytest.mark.parametrize("kind", ["cpu", "gpu"])
def test_memory_of_the_device_is_copied_although_it_could_be_shared(sources, kind):
    """How a buffer was made decides, not what the device can do."""
    device = any_device().masked(kind=kind)
    there = device.scratch(10, np.int32)
    there.array = np.zeros(10, np.int32)
    device.fill(there, np.int32(4), 10)
    device.launch(device.kernel("increment", "increment"), 10, there, np.int64(10))
    assert there.fetch().tolist() == [5] * 10


def test_a_part_is_fetched_and_nothing_else(sources):
    device = any_device().masked("shares_memory")
    array = np.zeros(10, np.int32)
    there = device.output(array)
    device.launch(device.kernel("increment", "increment"), 10, there, np.int64(10))
    assert there.fetch(3, 5).tolist() == [1, 1]
    assert array.tolist() == [0, 0, 0, 1, 1, 0, 0, 0, 0, 0]


def test_a_kernel_that_does_not_build_says_where(sources):
    (sources / "broken.cl").write_text("__kernel void f(__global int *a) { a[0] = nonsense; }")
    with pytest.raises(tg.DeviceError, match=r"(?s)broken\.cl cannot be built for .*nonsense"):
        any_device().kernel("broken", "f")
    with pytest.raises(tg.DeviceError, match="failed at the kernel missing"):
        any_device().kernel("increment", "missing")


def test_memory_that_is_not_there_is_refused_with_sizes():
    small = any_device().masked("shares_memory", memory=1000, largest=800)
    with pytest.raises(tg.TooLargeError, match=r"a list takes 900 B, but the largest .* 800 B"):
        small.upload(np.zeros(900, np.uint8), "a list")
    kept = small.upload(np.zeros(700, np.uint8))
    with pytest.raises(tg.TooLargeError, match="takes 400 B.* has 1.0 kB, of which 700 B are in"):
        small.scratch(100, np.int32)
    del kept
    small.scratch(100, np.int32)
    assert small.room.used == 0
    shared = any_device().masked(largest=100)
    if shared.capabilities.shares_memory:
        with pytest.raises(tg.TooLargeError, match="largest buffer"):
            shared.upload(np.zeros(101, np.uint8))


def test_shared_arrays_only_where_both_may_write_at_once(sources):
    device = any_device()
    with pytest.raises(tg.DeviceError, match="at the same time"):
        device.masked("svm").shared(10, np.int32)
    if device.capabilities.svm != "fine":
        pytest.skip("no fine-grained shared memory")
    array = device.shared(100, np.int32)
    array[:] = 5
    device.launch(device.kernel("increment", "increment"), 100, array, np.int64(100))
    device.finish()
    assert (array == 6).all()


def taken(g):
    """Bytes of a graph on a device, where places of arcs have 32 bits."""
    return g.indices.nbytes + 4 * (g.n + 1)


def test_a_graph_is_uploaded_once_and_leaves_with_it():
    device = any_device().masked("shares_memory")
    g = tg.kronecker(8, rng=1)
    there = resident(device, g)
    assert there.whole
    part = there.part(0)
    assert there.part(0) is part
    assert resident(device, g) is there
    assert device.room.used == taken(g)
    assert content(part.indices).tolist() == g.indices.tolist()
    del g, there, part
    gc.collect()
    assert device.room.used == 0


def test_the_graph_not_used_for_longest_makes_room():
    graphs = [tg.kronecker(8, rng=s) for s in (1, 2, 3)]
    device = any_device().masked("shares_memory", memory=2 * taken(graphs[0]) + 8000)
    for g in (*graphs[:2], graphs[0]):
        resident(device, g).part(0)
    resident(device, graphs[2]).part(0)
    assert resident(device, graphs[0]).part(0) is not None
    held = [bool(resident(device, g)._parts) for g in graphs]
    assert held == [True, False, True]


@pytest.mark.parametrize("share", [2, 5, 20])
def test_a_graph_too_large_comes_in_parts_two_at_a_time(share):
    g = tg.kronecker(9, rng=1)
    device = any_device().masked("shares_memory", memory=taken(g) // share + 2000)
    there = resident(device, g)
    assert there.cuts[0] == 0
    assert there.cuts[-1] == g.n
    assert len(there.cuts) > share
    rows = []
    for which in range(len(there.cuts) - 1):
        part = there.part(which)
        assert device.room.used <= device.room.memory
        places = content(part.indptr) - part.begin
        arcs = content(part.indices)
        rows += [arcs[a:b].tolist() for a, b in zip(places[:-1], places[1:], strict=True)]
    assert rows == [g.neighbors(v).tolist() for v in range(g.n)]


def test_a_row_too_large_for_any_part_is_named():
    device = any_device().masked("shares_memory", memory=1500)
    with pytest.raises(tg.TooLargeError, match="vertex 0 has 499 neighbours, which take 2.0 kB"):
        resident(device, tg.star(500))


def test_threads_are_divided_with_a_device_on_the_same_cores():
    device = any_device()
    if not device.found.shares_cores:
        pytest.skip("the device has processors of its own")
    assert 1 <= device.threads <= cores()
    assert device.host_threads(64) == max(1, cores() - device.threads)
    assert device.host_threads(1) == 1
    other = 1 if device.threads > 1 else cores()  # more than there are mean all
    if other != device.threads:
        said = f"cannot change to {other}: {advice(device.found.platform, other)}"
        with pytest.raises(tg.DeviceError, match=re.escape(said)):
            open_device(device.id, threads=1 if other == 1 else 10**6)


def test_a_driver_takes_the_threads_it_is_given():
    variable = THREAD_VARIABLES.get(any_device().found.platform)
    if variable is None:
        pytest.skip("the driver has no setting for its threads")
    code = (
        "import os, sys; from tachograph.devices.opencl import open_device;"
        "d = open_device(threads=1); print(d.threads, os.environ.get(sys.argv[1]))"
    )
    env = {k: v for k, v in os.environ.items() if k != variable}
    run = python("-c", code, variable, env=env)
    assert run.stdout.split() == ["1", "None"]


@pytest.mark.parametrize("mask", [(), ("shares_memory",)])
def test_calibration_goes_to_the_journal(mask, monkeypatch):
    from tachograph.devices import calibrate as room

    for name in ("STREAM_FLOATS", "GATHER_INTEGERS"):
        monkeypatch.setattr(room, name, 1 << 12)
    monkeypatch.setattr(room, "TIMED_ROUNDS", 1)
    device = any_device().masked(*mask)
    for one in (Host(2), device):
        assert calibrate.calibration(one) is None
        numbers = calibrate.calibrate(one)
        assert calibrate.calibration(one) == numbers
        assert set(numbers) == set(calibrate.UNITS)
        copied = one is device and not device.capabilities.shares_memory
        assert (numbers.pop("transfer") is not None) == copied
        assert all(value > 0 for value in numbers.values())


@pytest.mark.parametrize(("most", "local", "group"), [(512, 0, 64), (40, 0, 32), (512, 99, 8)])
def test_groups_are_as_large_as_kernels_allow(most, local, group):
    """By their registers, of which the driver knows, and by their local memory."""
    device = any_device().masked(group=64)
    asked, size = device.cl.kernel_work_group_info, device.context.devices[0].local_mem_size

    class Kernel:
        function_name = "made up"

        def __init__(self):
            self.told = {asked.WORK_GROUP_SIZE: most, asked.LOCAL_MEM_SIZE: 0}
            if local and device.group > group:
                self.told[asked.LOCAL_MEM_SIZE] = size + local

        def get_work_group_info(self, what, there):
            return self.told[what]

    groups.fitting(device, lambda: {"made up": Kernel()})
    assert device.group == group
    Kernel.get_work_group_info = lambda self, what, there: 0
    with pytest.raises(tg.DeviceError, match="no room for made up: use the host"):
        groups.fitting(device, lambda: {"made up": Kernel()})
