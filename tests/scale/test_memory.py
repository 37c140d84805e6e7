"""A graph whose edges are more than a worker may hold is cut and searched by such workers."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import tachograph as tg

LIMIT = 500_000_000  # Python, Numba's compiler and Arrow alone take half of it
EDGES = 65_000_000  # eight bytes each
VERTICES = 1_000_000
FILES = 10


@pytest.mark.slow
def test_a_graph_larger_than_the_memory_of_a_worker(tmp_path):
    import dask
    from distributed import Client, LocalCluster

    assert EDGES * 8 > LIMIT
    degrees = np.zeros(VERTICES, np.int64)
    files = []
    for i in range(FILES):
        rng = np.random.default_rng(i)
        ends = rng.integers(1, VERTICES, (2, EDGES // FILES), dtype=np.int32)  # vertex 0 is alone
        degrees += np.bincount(ends[0], minlength=VERTICES) + np.bincount(
            ends[1], minlength=VERTICES
        )
        files.append(str(tmp_path / f"{i}.parquet"))
        parquet.write_table(
            pa.table({"source": ends[0], "target": ends[1]}), files[-1], row_group_size=1 << 18
        )
    del ends
    with (
        dask.config.set({"distributed.worker.multiprocessing-method": "spawn"}),
        LocalCluster(
            n_workers=2, threads_per_worker=1, memory_limit=LIMIT, dashboard_address=None
        ) as cluster,
        Client(cluster) as client,
    ):
        client.submit(
            tg.scale.partition, files, parts=256, directory=str(tmp_path / "parts"), directed=False
        ).result()
        labels = tg.scale.connected_components("parts").labels
        scores = tg.scale.pagerank("parts", max_iterations=3).scores
    # a random graph of mean degree 130: all in one component, but for the vertex that is in no edge
    assert labels[0] == 0
    assert set(np.unique(labels[1:])) == {1}
    assert scores.sum() == pytest.approx(1.0)
    # in such a graph nearly all of a score comes from the degree
    assert np.corrcoef(scores, degrees)[0, 1] > 0.95
