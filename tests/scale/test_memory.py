"""A graph whose edges are more than a worker may hold is cut and searched by such workers."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import tachograph as tg
from tachograph.scale.exercises import EXERCISES
from tachograph.util.cores import THREADS

# Of this a worker takes 65 MB when it starts, and 205 when it has loaded Numba and compiled loops; with Arrow,
# as the process that partitions, it would be 250. More than half of that are pages of libraries, which
# Dask counts, too. It gives a worker no new task above 80 % of the limit, and kills it above 95 %.
LIMIT = 300_000_000
EDGES = 40_000_000  # eight bytes each
VERTICES = 400_000
FILES = 10
PARTS = 32


class Watch(threading.Thread):
    """The most memory that each of some processes had."""

    def __init__(self, pids):
        import psutil

        super().__init__(daemon=True)
        self.processes = [psutil.Process(pid) for pid in pids]
        self.peaks = dict.fromkeys(pids, 0)
        self.enough = threading.Event()

    def run(self):
        import psutil

        while not self.enough.wait(0.005):
            for process in self.processes:
                try:
                    now = process.memory_info().rss
                except psutil.NoSuchProcess:  # the assertion that no worker was killed says more
                    continue
                self.peaks[process.pid] = max(self.peaks[process.pid], now)


def write_edges():
    """Files of random edges, none of them at vertex 0; the degree of each vertex."""
    degrees = np.zeros(VERTICES, np.int64)
    files = []
    for i in range(FILES):
        ends = np.random.default_rng(i).integers(1, VERTICES, (2, EDGES // FILES), dtype=np.int32)
        for end in ends:
            degrees += np.bincount(end, minlength=VERTICES)
        files.append(str(Path(f"{i}.parquet").resolve()))
        table = pa.table({"source": ends[0], "target": ends[1]})
        parquet.write_table(table, files[-1], row_group_size=1 << 18)
    return files, degrees


def partitioned(files, directory):
    """Partition in a process of its own, as a user would; the most memory that it had."""
    command = [sys.executable, "-m", "tachograph", "scale", "partition", *files, "--undirected",
               "--parts", str(PARTS), "--directory", directory]  # fmt: skip
    with subprocess.Popen(command) as process:
        watch = Watch([process.pid])
        watch.start()
        assert process.wait() == 0
    watch.enough.set()
    return watch.peaks[process.pid]


@pytest.mark.slow
def test_a_graph_larger_than_the_memory_of_a_worker():
    import dask
    from distributed import Client, LocalCluster

    assert EDGES * 8 > LIMIT
    files, degrees = write_edges()
    for exercise in EXERCISES.values():
        exercise.run()  # compiling takes more memory than such a worker has
    directory = str(Path("parts").resolve())
    assert partitioned(files, directory) < LIMIT
    with (
        dask.config.set({"distributed.worker.multiprocessing-method": "spawn"}),
        LocalCluster(
            n_workers=2, threads_per_worker=1, memory_limit=LIMIT, dashboard_address=None,
            env=dict.fromkeys(THREADS, "1"), silence_logs=logging.CRITICAL,
        ) as cluster,
        Client(cluster) as client,
    ):  # fmt: skip
        pids = list(client.run(os.getpid).values())
        watch = Watch(pids)
        watch.start()
        labels = tg.scale.connected_components(directory).labels
        scores = tg.scale.pagerank(directory, max_iter=3).scores
        levels = tg.scale.bfs(directory, 1).levels
        assert sorted(client.run(os.getpid).values()) == sorted(pids)  # none was killed
        watch.enough.set()
        watch.join()
    assert max(watch.peaks.values()) < 0.95 * LIMIT
    # a random graph of mean degree 200: all in one component, but for the vertex that is in no edge
    assert labels[0] == 0
    assert set(np.unique(labels[1:])) == {1}
    assert scores.sum() == pytest.approx(1.0)
    # in such a graph nearly all of a score comes from the degree
    assert np.corrcoef(scores, degrees)[0, 1] > 0.95
    # the neighbours of a vertex are a few hundred, theirs a tenth of all, and theirs all
    assert levels[0] == -1
    assert levels.max() == 3
    assert np.count_nonzero(levels == 1) <= degrees[1]
