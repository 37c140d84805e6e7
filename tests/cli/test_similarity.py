"""``tacho run jaccard`` and its kin."""

from __future__ import annotations

import json

import numpy as np
import pyarrow.parquet as pq

import tachograph as tg
from tests.cli.command import tacho
from tests.devices.support import any_device, needs_pyopencl


def test_values_are_written_and_printed():
    g = tg.kronecker(8, rng=1)
    tg.write(g, "k.tgraph")
    run = tacho("run", "jaccard", "k.tgraph", "--json", "--verify", "--output", "out.parquet")
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["pairs"] == g.m
    table = pq.read_table("out.parquet")
    assert table.column_names == ["source", "target", "values"]
    assert np.array_equal(table["values"].to_numpy(), tg.jaccard(g).values)
    best = tacho("run", "cosine", "k.tgraph", "--pairs", "two_hop", "--topk", "2", "--json")
    assert json.loads(best.stdout)["pairs"] <= 2 * g.n
    streamed = tacho("run", "overlap", "k.tgraph", "--pairs", "two_hop", "--stream", "s.parquet",
                     "--memory-limit", "200 kB")  # fmt: skip
    assert streamed.returncode == 0, streamed.stderr
    assert pq.read_metadata("s.parquet").num_rows == tg.overlap(g, "two_hop").values.size
    for words, said in ((["--split", "half"], "--split half"), (["--pairs", "all"], "two_hop")):
        bad = tacho("run", "jaccard", "k.tgraph", *words)
        assert bad.returncode == 1
        assert said in bad.stderr


@needs_pyopencl
def test_host_and_device_with_a_timeline():
    any_device()
    g = tg.kronecker(9, rng=1)
    tg.write(g, "k.tgraph")
    run = tacho("run", "jaccard", "k.tgraph", "--device", "host,opencl", "--split", "0.5", "--json",
                "--plot", "lanes.png", "--trace", "trace.parquet")  # fmt: skip
    assert run.returncode == 0, run.stderr
    data = json.loads(run.stdout)
    assert 0.4 < data["host share"] < 0.6
    assert set(pq.read_table("trace.parquet")["phase"].to_pylist()) == {"host", "opencl:0"}
