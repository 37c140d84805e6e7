"""A device that never answers: its user is told so, and gets the answer from the host."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

import tachograph as tg
from tachograph.devices import waiting
from tests.devices.support import any_device, needs_pyopencl, python

HANGS = """
import sys
import numpy as np
from pathlib import Path
import tachograph as tg
from tachograph.devices import opencl, waiting
ours, opencl.SOURCES = opencl.SOURCES, Path(sys.argv[1])
device = opencl.open_device()
if sys.argv[2] == "copy":
    device = device.masked("shares_memory", "svm")
waiting.PATIENCE_SECONDS = 0.1
there = device.output(np.zeros(64, np.int32))
svm = [device.shared(9, np.int32)] if device.capabilities.svm == "fine" else []
device.launch(device.kernel("hangs", "hangs"), 64, there)
later = device.fetch_later(there, np.empty(64, np.int32), None)
for wait in (there.fetch, device.finish, lambda: device.wait(later), lambda: device.upload(np.ones(9))):
    try:
        wait()
        print("answered")
    except tg.DeviceError as error:
        assert "has not answered for" in str(error) and "use the host" in str(error)
del there, svm, later
opencl.SOURCES = ours
g = tg.star(9)
found = tg.maximal_independent_set(g, device=device, placement="device")
assert np.array_equal(found.mask, tg.maximal_independent_set(g).mask)
assert "has not answered for" in found.trace["note"][0]
try:
    tg.bfs(g, 0, device=device)
except tg.DeviceError:
    print("given up")
"""
#: It ends where a driver limits loops, as rusticl does.
KERNEL = "__kernel void hangs(volatile __global int *a) { while (a[0] == 0) {} }"


@needs_pyopencl
@pytest.mark.parametrize("how", ["in place", pytest.param("copy", marks=pytest.mark.slow)])
def test_a_kernel_that_never_ends(how, tmp_path):
    """Neither waiting, nor freeing memory, nor the end of the process takes for ever."""
    any_device()
    (tmp_path / "hangs.cl").write_text(KERNEL)
    run = python("-c", HANGS, str(tmp_path), how)
    if "answered" in run.stdout:
        pytest.skip("this driver ends such kernels")
    assert run.returncode == 0, run.stderr[-2000:]
    assert run.stdout.split() == ["given", "up"]


class Queue:
    """Commands that end after so many looks, and what was asked of it."""

    def __init__(self, looks: int) -> None:
        self.looks, self.asked = looks, list[str]()
        self.context = object()

    def flush(self) -> None:
        self.asked.append("flush")

    def marker(self, queue) -> Queue:
        self.asked.append("marker")
        return self

    def wait(self) -> None:
        assert self.looks <= 0, "the driver was asked to wait for what has not ended"
        self.asked.append("wait")

    @property
    def command_execution_status(self) -> int:
        self.looks -= 1
        return int(self.looks > 0)


def test_nothing_is_asked_of_a_queue_in_which_nothing_is_under_way():
    """Each buffer that is freed waits first."""
    queue = Queue(looks=3)
    line = waiting.Line(queue, waiting.Pulse("it", spins=True), queue.marker)
    line.finish()
    assert queue.asked == []
    with pytest.raises(KeyboardInterrupt), line.begins():
        raise KeyboardInterrupt  # who knows whether it was enqueued
    line.finish()
    line.finish()
    assert queue.asked == ["marker", "flush", "wait"]


def test_patience_is_for_each_launch_and_grows_with_what_was_seen(monkeypatch):
    now = [0.0]
    clock = SimpleNamespace(perf_counter=lambda: now[0], sleep=lambda s: None)
    monkeypatch.setattr(waiting, "time", clock)

    def seconds(pulse, launches, looks):
        """Of a wait whose looks are a second apart."""
        queue = Queue(looks)
        begin, look = now[0], type(queue).command_execution_status.fget

        class Slow(Queue):
            @property
            def command_execution_status(self):
                now[0] += 1
                return look(self)

        slow = Slow(looks)
        waiting.Line(slow, pulse, slow.marker)
        pulse.until(slow, launches)
        return now[0] - begin

    pulse, most = waiting.Pulse("it", spins=True), waiting.PATIENCE_SECONDS
    assert seconds(pulse, 2, most + 9) == most + 9
    assert (
        seconds(pulse, 1, 10 * most) == 10 * most
    )  # 20 times as long as the one before is possible
    for launches in (1, 3):
        fresh = waiting.Pulse("it", spins=True)
        begin = now[0]
        with pytest.raises(tg.DeviceError, match="it has not answered for .* use the host"):
            seconds(fresh, launches, 10**9)
        assert now[0] - begin == pytest.approx(launches * most, abs=3)
        with pytest.raises(tg.DeviceError, match="has not answered"):
            fresh.check()


def test_a_wait_beside_the_hosts_work_leaves_its_cores_alone():
    """A share of the edges is the host's, which has a thread on every other core."""
    queue = Queue(looks=0)
    line = waiting.Line(queue, waiting.Pulse("it", spins=True), queue.marker)
    line.wait(queue, beside=True)
    assert queue.looks == 0
    line.wait(queue)
    assert queue.looks < 0
