from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from types import SimpleNamespace
from typing import ClassVar

import numba
import numpy as np
import pytest

import tachograph as tg
from tachograph.kernels.runtime import launch as runtime
from tachograph.kernels.runtime.atomics import stopped
from tachograph.util.limits import Deadline, deadline


@runtime.kernel
def wait_for_stop(stop, limit):
    spins = 0
    while not stopped(stop) and spins < limit:
        spins += 1
    return spins


def test_results_come_in_the_order_of_the_calls():
    assert runtime.run(lambda stop, x: x * x, [(i,) for i in range(9)]) == [i * i for i in range(9)]


def test_a_failing_worker_stops_the_others_and_is_raised():
    def worker(stop, i):
        if i == 1:
            raise ValueError("broken")
        while not stop[0]:
            time.sleep(0.001)

    with pytest.raises(ValueError, match="broken"):
        runtime.run(worker, [(0,), (1,), (2,)])


def test_a_worker_that_fails_while_a_deadline_is_looked_at_stops_the_others(monkeypatch):
    stop, begun, fails, seen = np.zeros(1, np.int64), threading.Event(), threading.Event(), []

    def late(self, partial):
        if begun.is_set() and not fails.is_set():
            fails.set()
            while not stop[0]:
                time.sleep(0.001)
        return False

    def worker(stop, i):
        begun.set()
        fails.wait()
        if i == 1:
            raise ValueError("broken")
        time.sleep(0.05)
        seen.append(int(stop[0]))

    monkeypatch.setattr(Deadline, "late", late)
    with deadline(9.0, 9.0), pytest.raises(ValueError, match="broken"):
        runtime.run(worker, [(0,), (1,)], stop)
    assert seen == [1]


def test_ctrl_c_stops_compiled_workers_within_a_second():
    wait_for_stop(np.ones(1, np.int64), 1)  # compiles
    # A shell that starts us in the background makes us deaf to Ctrl-C: listen again.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    gc.disable()  # a finalizer that runs when the signal comes would swallow the exception
    threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    begin = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            runtime.run(wait_for_stop, [(10**10,), (10**10,)])
    finally:
        gc.enable()
        signal.signal(signal.SIGINT, before)
    assert time.monotonic() - begin < 1.2


@pytest.mark.parametrize("variable", ["NUMBA_NUM_THREADS", "OMP_NUM_THREADS"])
def test_threads_follow_the_environment(monkeypatch, variable):
    monkeypatch.delenv("NUMBA_NUM_THREADS", raising=False)
    for value in ("3", "3,2", " 3 "):
        monkeypatch.setenv(variable, value)
        assert runtime.threads_available() == 3
    for value in ("nonsense", "0", "-1", ""):
        monkeypatch.setenv(variable, value)
        assert runtime.threads_available() == len(os.sched_getaffinity(0))


def test_algorithms_use_the_threads_of_the_environment_unless_told_otherwise(monkeypatch):
    g = tg.uniform(1 << 16, 4, rng=1)
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    monkeypatch.setenv("NUMBA_NUM_THREADS", "3")
    assert set(tg.bfs(g, 0).trace["threads"]) == {3}
    monkeypatch.delenv("NUMBA_NUM_THREADS")
    assert set(tg.bfs(g, 0).trace["threads"]) == {2}
    with tg.threads(4):
        assert set(tg.bfs(g, 0).trace["threads"]) == {4}
        assert set(tg.bfs(g, 0, threads=1).trace["threads"]) == {1}


def test_the_clock_stands_still_while_a_kernel_is_compiled_for_each_new_type():
    @numba.njit(nogil=True)
    def double(stop, x):
        return x + x

    for argument in (1, 1.5, np.ones(3)):
        wall, ours = time.perf_counter(), runtime.clock()
        runtime.run(double, [(argument,)])
        ours, wall = runtime.clock() - ours, time.perf_counter() - wall
        assert ours < wall / 2
    assert len(double.overloads) == 3


def test_compiling_is_mentioned_once_a_call_and_loading_is_not(monkeypatch, capsys):
    class Kernel:
        __name__ = "slow"
        overloads: ClassVar[dict] = {}
        stats = SimpleNamespace(cache_path="somewhere", cache_misses=Counter())

        def __init__(self, misses):
            self.misses = misses

        def compile(self, types):
            self.stats.cache_misses["a type"] += self.misses
            time.sleep(0.3)
            return lambda stop: 1  # what runs it for these types

    monkeypatch.setattr(runtime, "SILENT_COMPILING_SECONDS", 0.05)
    monkeypatch.setattr(runtime, "told", threading.Event())
    for misses, said in [(0, 0), (1, 1), (1, 0)]:
        assert runtime.run(Kernel(misses), [()]) == [1]
        assert capsys.readouterr().err.count("compiling") == said
    runtime.tell_compiled()  # the call ends; the next one that takes long says so again
    assert runtime.run(Kernel(1), [()]) == [1]
    assert "compiling" in capsys.readouterr().err


def test_calls_of_other_types_are_not_taken_for_those_of_the_first():
    from tachograph.kernels.runtime.launch import kernel

    @kernel
    def half(stop, value):
        return value / 2

    values = [(4,), (5.0,), (np.float32(3),)]
    assert runtime.run(half, values) == [2.0, 2.5, 1.5]


def test_what_is_kept_for_a_type_that_is_gone_is_compiled_anew(tmp_path):
    code = (
        "from typing import NamedTuple\n"
        "from tachograph.kernels.runtime.launch import kernel\n"
        "class {name}(NamedTuple):\n"
        "    x: int\n"
        "@kernel\n"
        "def next_one(box):\n"
        "    return box.x + 1\n"
        "print(next_one({name}(1)))\n"
    )
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "kept")}
    for name in ("Before", "After"):
        (tmp_path / "boxes.py").write_text(code.format(name=name))
        call = [sys.executable, "-c", "import boxes"]
        done = subprocess.run(
            call, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert (done.stdout, done.returncode) == ("2\n", 0), done.stderr
