"""What happens when the system gives no more threads or memory: an error of ours that says what to do."""

from __future__ import annotations

import errno
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import tachograph as tg
from tachograph.kernels.runtime import workers
from tachograph.kernels.runtime.launch import SERIAL_BELOW
from tachograph.util import memory

CALLS = {
    "connected_components": lambda g: tg.connected_components(g, threads=3).count,
    "pagerank": lambda g: tg.pagerank(g, threads=3).scores.argmax(),
}


@pytest.mark.parametrize("task", CALLS)
def test_no_more_threads(task: str, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = tg.kronecker(7, rng=1)
    want = CALLS[task](graph)
    for kind in SERIAL_BELOW:
        monkeypatch.setitem(SERIAL_BELOW, kind, 0)
    monkeypatch.setattr(workers, "_idle", [])
    before = workers._made

    def start(thread: threading.Thread, start=threading.Thread.start) -> None:
        if workers._made > before:  # the system has given one
            raise RuntimeError("can't start new thread")
        start(thread)

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", start)
        with pytest.raises(
            tg.TooLargeError, match="no more than 1 of 2 more threads: pass threads=1,"
        ):
            CALLS[task](graph)
    assert CALLS[task](graph) == want  # nothing is left behind


LIMITED = """
import resource
import numpy as np
import tachograph as tg
g = tg.uniform(1 << 15, 8, rng=1, directed=True)
w = g._replace(weights=np.ones(g.arcs))
calls = {
    "two_hop": lambda: tg.jaccard(g, "two_hop"),
    "maximum_flow": lambda: tg.maximum_flow(w, 0, 5),
    "from_edges": lambda: tg.Graph.from_edges(*edges),
    "from_csr": lambda: tg.Graph.from_csr(*rows),
    "generator": lambda: tg.uniform(1 << 20, 32, rng=1),
    "spmv": lambda: tg.spmv(big, ones),
}
edges = np.zeros((2, 1 << 22), np.int64)
rows = np.arange((1 << 22) + 1), np.zeros(1 << 22, np.int64)
big = tg.Graph(np.zeros((1 << 24) + 1, np.int64), np.zeros(0, np.int32), directed=True)
ones = np.ones(big.n)
tg.maximum_flow(w, 0, 5), tg.spmv(w, np.ones(w.n)), tg.jaccard(tg.path(5), "two_hop")
held = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (held + (1 << 20), resource.RLIM_INFINITY))
for name, call in calls.items():
    for _ in range(2):  # memory of earlier calls may suffice for the first
        try:
            call()
            print(name, "ok")
        except tg.TooLargeError as error:
            print(name, "refused" if "memory" in str(error) or "more threads" in str(error) else error)
        except BaseException as error:
            print(name, type(error), error)
resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
print("end", tg.bfs(g, 0).levels[0])
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
def test_a_limit_of_the_address_space() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LIMITED], capture_output=True, text=True, check=True
    )
    said = done.stdout.splitlines()
    assert said[-1] == "end 0", done.stdout
    assert {line.split(maxsplit=1)[1] for line in said[:-1]} <= {"ok", "refused"}, done.stdout
    assert sum(line.endswith("refused") for line in said) >= 6, done.stdout


def test_memory_that_runs_out_is_said_once() -> None:
    refused = pytest.raises(
        tg.TooLargeError, match=r"^counting: memory ran out \(Unable to allocate"
    )
    with refused, memory.enough("outer"), memory.enough("counting"):
        np.empty(1 << 60, np.int8)


def test_code_that_cannot_be_loaded_because_files_run_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.EMFILE, "Too many open files", "bfs.py")

    monkeypatch.setattr("importlib.import_module", full)
    with pytest.raises(tg.TooLargeError, match=r"^tachograph.bfs: too many files are open: close"):
        tg.__getattr__("bfs")
