"""A device that fails, at whatever step: a clear outcome, nothing leaked, nothing freed too early."""

from __future__ import annotations

import gc
import itertools
import os
import threading
from contextlib import contextmanager

import numpy as np
import pytest

import tachograph as tg
from tachograph.algorithms import independent_overlap
from tachograph.devices import discovery, driver_threads, memory, opencl
from tachograph.devices.discovery import discover
from tachograph.devices.host import cores
from tachograph.devices.opencl import open_device
from tests.devices.support import any_device, needs_pyopencl, python

pytestmark = needs_pyopencl
MASKS = {"in place": (), "own memory": ("shares_memory", "svm"), "no doubles": ("svm", "double")}
FAILURES_EACH = 100  # of one task with one mask, at most; quick tests take every 7th


def network():
    g = tg.kronecker(6, rng=1)
    source, target = g.to_edges()[:2]
    lengths = (np.arange(source.size) % 7 + 1).astype(np.int32)
    return tg.Graph.from_edges(source, target, lengths, n=g.n)


#: What runs on devices, and what of its result does not depend on where.
TASKS = {
    "bfs": lambda device: tg.bfs(network(), 0, device=device).levels,
    "sssp": lambda device: tg.sssp(network(), 0, device=device).distances,
    "jaccard": lambda device: tg.jaccard(tg.kronecker(7, rng=1), device=device).values,
    "directed jaccard": lambda device: (
        tg.jaccard(network(), device=device, algorithm="merge-or-search").values
    ),
    "set": lambda device: (
        tg.maximal_independent_set(
            tg.kronecker(7, rng=1), rng=1, device=device, placement="device"
        ).mask
    ),
    "overlapping set": lambda device: (
        tg.maximal_independent_set(
            tg.kronecker(7, rng=1), rng=1, device=device, placement="device", overlap=50, hot=10
        ).mask
    ),
    "flow": lambda device: (
        tg.maximum_flow(network(), 0, 40, device=device, placement="device").value
    ),
}
HOST = {"overlapping set": "set"}


def failing(device, when, code):
    """Let the driver fail at the ``when``-th thing that it is asked for, and at all after it."""
    asked = itertools.count()
    ours = type(device)._failures

    @contextmanager
    def failures(what):
        with ours(device, what):
            if next(asked) >= when:
                raised = device.cl.MemoryError if code == -4 else device.cl.RuntimeError
                raise raised(device.cl._cl._ErrorRecord("made up", code, "clMadeUp"))
            yield

    device._failures = failures
    return asked


@pytest.mark.filterwarnings("ignore:.*was given up")
@pytest.mark.parametrize(
    ("mask", "code", "step"),
    [("in place", -5, 7), ("own memory", -4, 7)]
    + [pytest.param(m, c, 1, marks=pytest.mark.slow) for m in MASKS for c in (-4, -5)],
)
@pytest.mark.parametrize("task", TASKS)
def test_a_failure_at_any_step_leaves_nothing_behind(task, mask, code, step, monkeypatch):
    """The answer is right, or an error says what to do; the device's memory is free again, at once."""
    monkeypatch.setattr(independent_overlap, "OVERLAP_FROM_WORK", 1)
    expected = TASKS[HOST.get(task, task)]("host")
    device = any_device().masked(*MASKS[mask])
    if task == "sssp" and not device.capabilities.int64_atomics:
        pytest.skip("no atomic minimum of 64 bits")
    gc.collect()
    gc.disable()  # memory must not wait for it
    try:
        for when in (*range(0, FAILURES_EACH, step), 2 * FAILURES_EACH):
            asked = failing(device, when, code)
            outcome, said = expected, "use the host"
            try:
                outcome = TASKS[task](device)
            except (tg.DeviceError, tg.TooLargeError) as problem:
                said = str(problem)
            assert np.array_equal(outcome, expected)
            assert "use the host" in said
            for graph in list(device.room.graphs.values()):
                graph.release()
            assert device.room.used == 0, f"at step {when}"
            if next(asked) < when:
                return  # it had ended before
    finally:
        gc.enable()


#: What a driver is asked for in each phase, as errors name it.
PHASES = {
    "allocation": lambda what: what.endswith(("B)", "bytes)")),
    "build": lambda what: what == "building",
    "launch": lambda what: what.startswith("the kernel "),
    "read": lambda what: what == "reading a buffer",
    "write": lambda what: what in ("writing a buffer", "filling a buffer"),
    "finish": lambda what: what.startswith("a kernel"),
}


class FailingIn:
    """Let the driver fail once, at the ``when``-th thing that it is asked for in a phase."""

    def __init__(self, device, phase, when):
        self.asked, self.ours, self.device = 0, type(device)._failures, device
        self.belongs = PHASES[phase]
        self.codes = (-4,) if phase == "allocation" else (-5, -36, -9999)
        self.when, self.fired = when, False
        device._failures = self.failures
        built, device._programs, device._kernels = type(device)._built, {}, threading.local()

        def build(*given):
            try:
                self.count("building")
            except device.cl.Error as problem:
                return f"made up: {problem}; use the host"
            return built(device, *given)

        if phase == "build":
            device._built = build
        else:
            device._programs = PROGRAMS.setdefault(device.id, {})

    def count(self, what):
        if not self.belongs(what):
            return
        self.asked += 1
        if self.asked == self.when + 1:
            self.fired = True
            cl, code = self.device.cl, self.codes[self.when % len(self.codes)]
            raised = cl.MemoryError if code == -4 else cl.RuntimeError
            raise raised(cl._cl._ErrorRecord("made up", code, "clMadeUp"))

    @contextmanager
    def failures(self, what):
        with self.ours(self.device, what):
            self.count(what)
            yield


PROGRAMS: dict[str, dict] = {}  # built once for each device
#: Tasks on very small graphs, with memory of the device's own, so that there is something to copy.
SMALL = {
    "bfs": lambda d: tg.bfs(tg.star(40), 0, device=d).levels,
    "bfs, asked": lambda d: (
        tg.bfs(tg.star(40), 0, device=d, direction=lambda s: s.depth > 0).levels
    ),
    "sssp": lambda d: tg.sssp(SMALL_NETWORK, 0, device=d).distances,
    "components": lambda d: tg.connected_components(tg.star(40), device=d).labels,
    "pagerank": lambda d: np.round(tg.pagerank(tg.star(40), device=d).scores, 5),
    "jaccard": lambda d: tg.jaccard(tg.complete(6), device=d).values,
    "jaccard, edge by edge": lambda d: (
        tg.jaccard(tg.complete(6), device=d, algorithm="merge-or-search").values
    ),
    "set": lambda d: (
        tg.maximal_independent_set(SMALL_NETWORK, device=d, **placed(d, "device")).mask
    ),
    "set, by turns": lambda d: (
        tg.maximal_independent_set(SMALL_NETWORK, device=d, **placed(d, by_turns)).mask
    ),
    "flow": lambda d: tg.maximum_flow(SMALL_NETWORK, 0, 20, device=d, **placed(d, "device")).value,
    "flow, by turns": lambda d: (
        tg.maximum_flow(SMALL_NETWORK, 0, 20, device=d, **placed(d, by_turns)).value
    ),
}
SMALL_NETWORK = tg.road(5, 5, rng=1)


def placed(device, placement):
    return {} if device == "host" else {"placement": placement}


def by_turns(call):
    return "device" if call.kernel in ("select", "push-adjust") else "host"


@pytest.mark.filterwarnings("ignore:.*was given up")
@pytest.mark.parametrize("count", [8, pytest.param(FAILURES_EACH, marks=pytest.mark.slow)])
@pytest.mark.parametrize("phase", PHASES)
def test_failures_in_each_phase(phase, count):
    """So many, in all tasks by turns, each at another step, once; nothing is kept, nothing is wrong."""
    expected = {task: run("host") for task, run in SMALL.items()}
    chances = {task: _failed(task, phase, 10**6, expected[task]).asked for task in SMALL}
    tasks = [task for task, steps in chances.items() if steps]
    assert len(tasks) >= 2
    gc.collect()
    gc.disable()  # memory must not wait for it
    try:
        for which in range(count):
            task = tasks[which % len(tasks)]
            when = which // len(tasks) % chances[task]
            assert _failed(task, phase, when, expected[task]).fired, (task, when)
    finally:
        gc.enable()


def _failed(task, phase, when, expected):
    """Run a task with a failure; the answer is right, or an error says what to do; nothing is kept."""
    device = any_device().masked("shares_memory", "svm")
    failing = FailingIn(device, phase, when)
    outcome, said = expected, "use the host"
    try:
        outcome = SMALL[task](device)
    except (tg.DeviceError, tg.TooLargeError) as problem:
        said = str(problem)
    assert "use the host" in said
    assert np.allclose(outcome, expected, atol=2e-5), (task, when)
    for graph in list(device.room.graphs.values()):
        graph.release()
    assert device.room.used == 0, (task, when)
    return failing


@pytest.mark.parametrize("count", [3, pytest.param(FAILURES_EACH, marks=pytest.mark.slow)])
def test_a_tuning_file_that_makes_no_sense_stops_before_anything_is_taken(count, tmp_path):
    device = any_device().masked("shares_memory", "svm")
    bad = (
        "[percents]\nselect = 200",
        "[iterations]\nbfs = ['host']",
        "percent = 5\n[below]\nselect='x'",
    )
    for which in range(count):
        file = tmp_path / f"{which}.toml"
        file.write_text(bad[which % len(bad)])
        with pytest.raises(tg.FileFormatError, match=file.name):
            tg.maximal_independent_set(SMALL_NETWORK, device=device, placement=str(file))
        assert device.room.used == 0


@pytest.mark.parametrize("count", [4, pytest.param(FAILURES_EACH, marks=pytest.mark.slow)])
def test_overlapping_on_one_unit(count, monkeypatch):
    """Producer and consumer may have to take turns: the set is right, and the trace says so."""
    monkeypatch.setattr(independent_overlap, "OVERLAP_FROM_WORK", 1)
    device, g = any_device().masked(), tg.kronecker(9, rng=1)
    device.units = 1
    expected = tg.maximal_independent_set(g).mask
    gc.collect()
    before = device.room.used
    for which in range(count):
        found = tg.maximal_independent_set(
            g, device=device, placement="device", overlap=(20, 99)[which % 2], hot=(0, 10)[which % 2],
            producer=("host", "device")[which // 2 % 2], helping=which % 3 == 0,
        )  # fmt: skip
        assert np.array_equal(found.mask, expected)
        del found
        gc.collect()
        assert device.room.used == before


AFTER_LAUNCH = """
import sys
import numpy as np
from tachograph.devices import opencl
from pathlib import Path
opencl.SOURCES = Path(sys.argv[1])
device = opencl.open_device()
if sys.argv[2] == "copy":
    device = device.masked("shares_memory", "svm")
def work(svm):
    size = 1 << 20
    there = device.shared(size, np.int32) if svm else device.output(np.zeros(size, np.int32))
    device.launch(device.kernel("slow", "slow"), size, there, np.int64(size))
    device.flush()
    raise KeyboardInterrupt
for _ in range(2):
    for svm in {False, device.capabilities.svm == "fine"}:
        try:
            work(svm)
        except KeyboardInterrupt:
            pass
        taken = [np.ones(1 << 20, np.int32) for _ in range(3)]
        device.finish()
        assert all((array == 1).all() for array in taken)
        assert device.room.used == 0
print("alive")
"""


@pytest.mark.parametrize("how", ["in place", "copy"])
def test_memory_is_not_freed_while_a_kernel_uses_it(how, tmp_path):
    """An exception comes between a launch and its end: the kernel wrote to freed memory."""
    any_device()
    (tmp_path / "slow.cl").write_text(
        "__kernel void slow(__global int *a, long n) { long i = get_global_id(0); if (i >= n) return;"
        "uint x = (uint)i + 1u; for (int k = 0; k < 100; k++) { x ^= x << 13; x ^= x >> 17; x ^= x << 5; }"
        "a[i] = (int)x; }"
    )
    run = python("-c", AFTER_LAUNCH, str(tmp_path), how)
    assert run.returncode == 0, run.stderr[-2000:]
    assert run.stdout.split() == ["alive"]


@pytest.mark.parametrize("task", ["bfs", "set", "overlapping set", "flow"])
@pytest.mark.parametrize("counted", [1, -1, 2**30])
def test_a_device_that_counts_wrong_is_noticed(task, counted, monkeypatch):
    """Kernels that do nothing, while counters say that there is something to do: no loop is endless."""
    monkeypatch.setattr(independent_overlap, "OVERLAP_FROM_WORK", 1)
    device = any_device().masked("shares_memory", "svm")
    monkeypatch.setattr(device, "launch", lambda *arguments, **options: None)
    fetch = memory.Buffer.fetch

    def wrong(self, lo=0, hi=None):
        part = fetch(self, lo, hi)
        if self.array.dtype == np.int32 and self.array.size < 64:  # counters
            part[:] = counted
        return part

    monkeypatch.setattr(memory.Buffer, "fetch", wrong)
    if task == "bfs":
        with pytest.raises(tg.DeviceError, match="cannot be trusted; use the host"):
            TASKS[task](device)
    else:
        assert np.array_equal(TASKS[task](device), TASKS[HOST.get(task, task)]("host"))


TWO = """
import itertools
from tachograph.devices.discovery import discover
from tachograph.devices.opencl import open_device
import pyopencl as cl
alike = [(a, b) for a, b in itertools.pairwise(discover()) if a.name == b.name]
for pair in alike[:1]:
    every = [platform.get_devices() for platform in cl.get_platforms()]
    opened = [open_device(found).context.devices[0].int_ptr for found in reversed(pair)]
    a, b = pair
    assert a.place != b.place
    assert opened == [every[p][d].int_ptr for p, d in (b.place, a.place)], opened
print(len(alike))
"""


def test_the_second_of_two_equal_devices_is_opened():
    any_device()
    env = {**os.environ, "POCL_DEVICES": "pthread pthread"}  # one driver can show a device twice
    run = python("-c", TWO, env=env)
    assert run.returncode == 0, run.stderr[-2000:]
    if run.stdout.strip() == "0":
        pytest.skip("no two devices have the same name")


def test_a_device_that_has_disappeared(monkeypatch):
    found = any_device().found
    monkeypatch.setattr(opencl, "_open", {})
    monkeypatch.setattr(opencl, "loaded_devices", list)
    with pytest.raises(tg.DeviceError, match=r"is no longer there: tacho devices --again"):
        open_device(found)


def test_graphs_that_kernels_cannot_count_stay_on_the_host(monkeypatch):
    monkeypatch.setattr(memory, "MOST_VERTICES", 50)
    with pytest.raises(tg.DeviceError, match="count up to 50 vertices, and the graph has 64: use"):
        TASKS["bfs"](any_device())
    for task in ("set", "flow"):
        assert np.array_equal(TASKS[task](any_device()), TASKS[task]("host"))


def test_capabilities_are_masked_by_the_environment(monkeypatch):
    device = any_device()
    monkeypatch.setenv(discovery.WITHOUT, "svm, double")
    assert all(d.capabilities.svm == "none" and not d.capabilities.double for d in discover())
    less = open_device(device.id)
    assert less.capabilities == device.capabilities.without("svm", "double")
    assert np.array_equal(TASKS["jaccard"](less), TASKS["jaccard"]("host"))
    monkeypatch.setenv(discovery.WITHOUT, "speed")
    with pytest.raises(
        tg.DeviceError, match="DEVICE_WITHOUT: there is no capability speed; there are svm"
    ):
        discover()
    monkeypatch.delenv(discovery.WITHOUT)
    assert open_device(device.id).capabilities == device.capabilities


def test_what_a_driver_refuses_is_not_counted(monkeypatch):
    """Out of memory in the allocation itself, of each kind of memory."""
    device = any_device().masked("shares_memory")

    def refused(*given, **named):
        raise device.cl.MemoryError(device.cl._cl._ErrorRecord("made up", -4, "clMadeUp"))

    makes = [lambda: device.upload(np.ones(9)), lambda: device.scratch(9, np.int32)]
    if device.capabilities.svm == "fine":
        makes.append(lambda: device.shared(9, np.int32))
    for name in ("Buffer", "svm_empty"):
        monkeypatch.setattr(device.cl, name, refused)
    for make in makes:
        with pytest.raises(tg.TooLargeError, match="has no memory for .*; use the host"):
            make()
        assert device.room.used == 0
    assert device.staging(9, np.int32).size == 9  # only slower


def test_a_device_takes_no_more_cores_than_there_are(monkeypatch):
    """A driver may count cores that this process may not use."""
    device = any_device()
    if not device.found.shares_cores:
        pytest.skip("the device has processors of its own")
    monkeypatch.setattr(opencl, "cores", lambda: 0)
    assert opencl.OpenCL(device.found, device.context.devices[0]).threads == 0


def test_threads_are_capped_by_the_cores(monkeypatch):
    device = any_device()
    if not device.found.shares_cores:
        pytest.skip("the device has processors of its own")
    assert device.threads <= cores()
    with driver_threads.limited(10**6):
        for name in driver_threads.THREAD_VARIABLES.values():
            assert int(os.environ[name]) <= cores()
    assert not set(driver_threads.THREAD_VARIABLES.values()) & set(os.environ)
    assert "LP_NUM_THREADS=3 before Python" in driver_threads.advice("rusticl", 3)
    assert "no setting" in driver_threads.advice("Some Other", 3)


@pytest.mark.parametrize("variable", ["RUSTICL_ENABLE", "OPENCL_VENDOR_PATH", "OCL_ICD_VENDORS"])
def test_other_settings_mean_other_drivers(variable, monkeypatch, tmp_path):
    before = discovery._surroundings()
    monkeypatch.setenv(variable, str(tmp_path))
    first = discovery._surroundings()
    assert first != before
    if variable != "RUSTICL_ENABLE":
        (tmp_path / "driver.log").write_text("what a driver writes there says nothing about it")
        assert discovery._surroundings() == first
        (tmp_path / "new.icd").write_text("libnew.so")
        assert discovery._surroundings() != first


def test_kinds_of_memory_are_told_apart():
    """Fine-grained memory behind a bus is no reason to compute in it."""
    device = any_device().masked("shares_memory")
    arrays = memory.Common(device, {"a": np.zeros(3, np.int32)})
    assert isinstance(arrays.there("a"), memory.Buffer)
