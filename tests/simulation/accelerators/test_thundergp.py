"""ThunderGP: how it stores a graph, its requests by hand, and what decides its time."""

from __future__ import annotations

import numpy as np
import pytest

import tachograph as tg
from tachograph.simulation.accelerators.streams_of_thundergp import Stored, assigned
from tachograph.simulation.accelerators.validated import cells
from tachograph.util.errors import InputError


def test_edges_as_the_machine_has_them():
    """Vertices 1 and 4 have no edges out; their ids become those of the next that stays, or the last."""
    g = tg.Graph.from_edges([0, 0, 2, 3, 3], [4, 1, 3, 0, 1], n=5)
    stored = Stored.of(g, 2)
    assert stored.vertices == 3
    assert stored.source.tolist() == [0, 2, 2, 0, 1]  # by target, then by source
    assert stored.target.tolist() == [1, 0, 1, 2, 2]
    assert stored.cuts.tolist() == [0, 3, 5]
    assert stored.order() == [0, 1]


def test_chunks():
    """20,480 edges and 4 kernels: 4,096 each (a multiple of 2,048 below 5,120), the last the rest."""
    g = tg.complete(144)  # 20,592 arcs
    stored = Stored.of(g, 1 << 20)
    assert stored.chunks(0, 4) == [(0, 4096), (4096, 8192), (8192, 12288), (12288, 20592)]
    mine = assigned(stored, 4)
    assert sorted(chunk for own in mine for chunk in own) == stored.chunks(0, 4)


def test_requests_by_hand():
    """20,592 edges are read as 4,096 * 3 + 10,240; 16 of them in a line; 256 values are written by each."""
    g = tg.complete(144)
    result = tg.simulate("pagerank", g, tg.ThunderGP(partition_size=1024), iterations=2)
    owned = 2048 // 16  # 144 vertices are rounded up
    each = {
        "sources": (3 * 4096 + 10240) // 16,
        "targets": (3 * 4096 + 10240) // 16,
        "values": 4 * 64,  # a block for each kernel
        "gathered": 4 * 1024 // 16,
        "old values": owned,
        "read back": 4 * owned,
        "degrees": owned,
        "new values": 4 * owned,
    }
    assert result.requests == {name: 2 * count for name, count in each.items()}
    spmv = tg.simulate("spmv", g, tg.ThunderGP(partition_size=1024))
    assert set(spmv.requests) == {"sources", "targets", "weights", "values", "gathered"}


def test_mteps_leave_out_two_supersteps():
    g = tg.complete(60)
    result = tg.simulate("pagerank", g, tg.ThunderGP(partition_size=1024), iterations=4)
    times = result.trace["seconds"]
    assert result.measures["MTEPS"] == pytest.approx(g.arcs / np.mean(times[2:]) / 1e6)
    assert result.numbers()["measures"] == result.measures


def test_gather_decides_where_requests_are_equal():
    """All edges to one target keep one PE busy, two cycles each; dropped edges cost nothing."""
    n = 1 << 14
    into_one = tg.Graph.from_edges(np.arange(1, n), np.zeros(n - 1, int), n=n)
    fast = {"kernel_start_us": 0, "partition_size": n}
    busy = tg.simulate("wcc", into_one, tg.ThunderGP(**fast), iterations=1, along_arcs=True)
    cycles = busy.seconds * 250e6
    assert cycles > 2 * n / 4  # four kernels
    idle = tg.simulate("bfs", into_one, tg.ThunderGP(**fast), source=0, iterations=1)
    assert idle.requests == busy.requests
    assert idle.seconds < 0.8 * busy.seconds
    kept = tg.ThunderGP(drop_inactive=False, **fast)
    assert tg.simulate("bfs", into_one, kept, source=0, iterations=1).seconds == busy.seconds


def test_kernel_starts_count():
    """Three partitions and the last apply start one after the other."""
    g = tg.complete(60)
    times = [
        tg.simulate("spmv", g, tg.ThunderGP(partition_size=20, kernel_start_us=us)).seconds
        for us in (0, 100)
    ]
    assert times[1] - times[0] == pytest.approx(300e-6, rel=0.02)


def test_boards_and_mistakes():
    g = tg.complete(60)
    small = {"partition_size": 1024, "kernel_start_us": 0}
    boards = [
        tg.simulate("wcc", g, tg.ThunderGP(board=b, **small)).seconds for b in ("u250", "vcu1525")
    ]
    assert boards[0] < boards[1]  # 250 and 245 MHz
    with pytest.raises(InputError, match="one of u250, vcu1525"):
        tg.ThunderGP(board="u280")
    with pytest.raises(InputError, match="pagerank reads edges without weights on ThunderGP"):
        tg.simulate("pagerank", tg.kronecker(5, rng=1, weights=True), tg.ThunderGP())
    with pytest.raises(InputError, match="value_bits = 64 must be one of 32"):
        tg.ThunderGP(value_bits=64)


def test_variants_are_other_bitstreams():
    """Equal requests; a slower clock, and queues of 16 words instead of 32 for closeness."""
    g = tg.kronecker(9, rng=1)
    small = {"partition_size": 1024, "kernel_start_us": 0}
    for variant, task in (("closeness", "wcc"), ("articlerank", "pagerank")):
        usual = tg.simulate(task, g, tg.ThunderGP(**small), iterations=3)
        other = tg.simulate(task, g, tg.ThunderGP(variant=variant, **small), iterations=3)
        own = [c.error for c in cells() if (c.accelerator, c.task) == ("ThunderGP", variant)]
        assert other.expected_error == pytest.approx(np.mean(own))  # not that of the task
        assert other.requests == usual.requests
        assert usual.seconds < other.seconds < 1.1 * usual.seconds  # 250 and 242, 243 and 240 MHz
    with pytest.raises(
        InputError, match="'closeness' stands for connected_components, not for bfs"
    ):
        tg.simulate("bfs", g, tg.ThunderGP(variant="closeness"), source=0)
    with pytest.raises(InputError, match="one of closeness, articlerank"):
        tg.ThunderGP(variant="pagerank")


def test_the_memory_of_the_boards():
    """16 GB a DIMM; one array can be read at the peak, as neighbouring lines are in other bank groups."""
    memory = tg.ThunderGP().memory()
    assert memory.capacity == 4 * 16 << 30
    assert (memory.standard.timings["CL"], memory.ranks) == (17, 1)
    run = tg.Memory("DDR4-2400T", density="8Gb", width=4, mapping="RoRaCoBaBgCh").run(
        np.arange(20_000) * 64
    )
    assert 20_000 * 64 / run.seconds > 0.9 * 19.2e9


def test_a_task_that_reads_no_weights_says_how_to_drop_them():
    weighted = tg.kronecker(7, rng=1, weights=True)
    with pytest.raises(tg.InputError, match=r"drop them with graph.without_weights\(\)"):
        tg.simulate("pagerank", weighted, "thundergp")
