"""The same on a cluster of two processes, also when a worker or the scheduler is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import tachograph as tg
from tachograph.scale.cluster import connect

from .graphs import TEN, assert_same

GRAPH = tg.road(40, 3, rng=2)


@pytest.fixture(scope="module")
def client():
    with connect(workers=2) as found:
        yield found


@pytest.mark.parametrize("kind", ["kronecker", "real weights"])
def test_the_same_as_in_one_process(client, kind):
    graph = TEN[kind]()
    parts = tg.scale.partition(graph, parts=3, directory="parts")
    with client.as_current():
        assert_same(graph, parts, source=graph.n // 2)


def test_processes_of_this_machine_need_no_cluster():
    graph = TEN["whole weights"]()
    parts = tg.scale.partition(graph, parts=3, directory="parts")
    assert_same(graph, parts, source=graph.n // 2, workers=2)


class Killer(threading.Thread):
    """Kills a process as soon as a run has written a file of a superstep."""

    def __init__(self, pid, step):
        super().__init__(daemon=True)
        self.pid, self.step, self.at = pid, step, None

    def run(self):
        begin = time.monotonic()
        while time.monotonic() < begin + 60:
            if list(Path("parts/runs").glob(f"*/{self.step:06d}-*.step")):
                os.kill(self.pid, signal.SIGKILL)
                self.at = time.monotonic()
                return
            time.sleep(0.001)


ALGORITHMS = {
    "bfs": (3, lambda p: tg.scale.bfs(p, 0), lambda g: tg.bfs(g, 0), "levels"),
    "sssp": (1, lambda p: tg.scale.sssp(p, 0), lambda g: tg.sssp(g, 0), "distances"),
    "pagerank": (
        3,
        lambda p: tg.scale.pagerank(p, tol=1e-4, max_iter=100),
        lambda g: tg.scale.pagerank("parts", tol=1e-4, max_iter=100),
        "scores",
    ),
    "components": (0, tg.scale.connected_components, tg.connected_components, "labels"),
    "mis": (0, tg.scale.maximal_independent_set, tg.maximal_independent_set, "mask"),
    "jaccard": (0, tg.scale.jaccard, tg.jaccard, "values"),
}


@pytest.mark.parametrize("task", ALGORITHMS)
def test_a_worker_is_killed_in_the_middle(client, task):
    step, scaled, single, name = ALGORITHMS[task]
    tg.scale.partition(GRAPH, parts=3, directory="parts")
    client.wait_for_workers(2, timeout=60)  # one may still be starting again
    pid = min(client.run(os.getpid).values())
    killer = Killer(pid, step)
    killer.start()
    with client.as_current():
        found = scaled("parts")
    ended = time.monotonic()
    killer.join()
    assert killer.at is not None
    assert killer.at < ended
    assert np.array_equal(getattr(found, name), getattr(single(GRAPH), name))


def test_the_scheduler_is_killed_and_another_run_goes_on():
    graph = tg.path(120)
    tg.scale.partition(graph, parts=2, directory="parts")
    program = (
        "import sys\n"
        "from distributed import LocalCluster\n"
        "if __name__ == '__main__':\n"
        "    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as c:\n"
        "        print(c.scheduler_address, flush=True)\n"
        "        sys.stdin.read()\n"
    )
    Path("scheduler.py").write_text(program)
    scheduler = subprocess.Popen(
        [sys.executable, "scheduler.py"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        address = scheduler.stdout.readline().strip()
        Killer(scheduler.pid, 12).start()
        with pytest.raises(tg.TachographError, match="goes on from the last checkpoint"):
            tg.scale.bfs("parts", 0, cluster=address, checkpoint=5)
    finally:
        scheduler.kill()
        scheduler.wait()
    found = tg.scale.bfs("parts", 0, checkpoint=5)
    assert found.trace["superstep"][0] > 10
    assert np.array_equal(found.levels, np.arange(120))


def test_workers_that_do_not_see_the_directory(client, monkeypatch):
    parts = tg.scale.partition(tg.path(9), parts=2, directory="parts")
    tg.scale.partition(tg.star(9), parts=2, directory="other")
    monkeypatch.setattr(
        tg.scale.Partition, "key", property(lambda self: "what the client sees, but no worker")
    )
    with client.as_current(), pytest.raises(tg.InputError, match="another graph here"):
        tg.scale.bfs(parts, 0)


def test_the_only_worker_is_killed_and_its_successor_goes_on():
    tg.scale.partition(tg.path(60), parts=3, directory="parts")
    with connect(workers=1) as client, client.as_current():
        Killer(next(iter(client.run(os.getpid).values())), 5).start()
        assert np.array_equal(tg.scale.bfs("parts", 0).levels, np.arange(60))
