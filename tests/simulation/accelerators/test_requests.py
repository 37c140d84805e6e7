"""Requests are those that one counts by hand from n, m, the partitions and the widths of Table 3."""

from __future__ import annotations

import numpy as np
import pytest

import tachograph as tg


def lines(size):
    return -(-size // 64)


def part_edges(g, size):
    """Edges by partition of the source."""
    sources = np.repeat(np.arange(g.n), g.degrees)
    return np.bincount(sources // size, minlength=-(-g.n // size)).tolist()


def test_accugraph_with_one_partition():
    g = tg.complete(200)  # 200 vertices, 39,800 arcs; all labels are 0 after the first iteration
    result = tg.simulate("wcc", g, tg.AccuGraph())
    assert result.iterations == 2
    assert result.requests == {
        "writes": lines(200 * 4),  # vertices 1 to 199 change once: all lines
        "neighbours": 2 * lines(39_800 * 4),
        "values": 0,  # all on chip
        "pointers": 2 * lines(201 * 4),
        "prefetch": 2 * lines(200 * 4),
    }
    assert result.memory_used == 64 * (lines(800) + lines(804) + lines(159_200))
    assert result.reps == pytest.approx(2 * 39_800 / result.seconds)
    assert result.teps == pytest.approx(39_800 / result.seconds)


def test_accugraph_reads_other_values_in_every_partition():
    g = tg.kronecker(10, rng=2)
    result = tg.simulate("pagerank", g, tg.AccuGraph(partition_size=256), iterations=3)
    assert result.requests["prefetch"] == 3 * lines(1024 * 4)
    assert result.requests["values"] == 3 * 4 * lines(768 * 4)
    assert result.requests["pointers"] == 3 * 4 * lines(1025 * 4)
    assert result.requests["neighbours"] == 3 * sum(lines(m * 4) for m in part_edges(g, 256))
    narrow = tg.simulate("bfs", g, tg.AccuGraph(partition_size=256), source=0)
    assert narrow.requests["prefetch"] == narrow.iterations * lines(1024)  # 8 bits each


def hit_counts(g, size, merged, edge):
    """Lines of edges and of updates of an iteration in which all vertices are active."""
    sources = np.repeat(np.arange(g.n), g.degrees) // size
    queues = g.indices // size
    updates = 0
    for p in range(-(-g.n // size)):
        for q in range(-(-g.n // size)):
            targets = g.indices[(sources == p) & (queues == q)]
            updates += lines((np.unique(targets).size if merged else targets.size) * 8)
    return sum(lines(m * edge) for m in part_edges(g, size)), updates


@pytest.mark.parametrize("merged", [True, False])
@pytest.mark.parametrize(("weighted", "edge"), [(True, 12), (False, 8)])
def test_hitgraph_of_stationary_algorithms(merged, weighted, edge):
    g = tg.kronecker(9, rng=1, directed=True)
    design = tg.HitGraph(partition_size=128, update_merging=merged, weighted=weighted)
    result = tg.simulate("spmv", g, design, iterations=2)
    edges, updates = hit_counts(g, 128, merged, edge)
    assert result.requests["edges"] == 2 * edges
    assert result.requests["updates"] == result.requests["updates read"] == 2 * updates
    assert result.requests["prefetch"] == 2 * 2 * lines(512 * 4)
    assert result.trace["phase"].tolist() == ["scatter", "gather"] * 2


def test_hitgraph_leaves_out_what_is_not_needed():
    """A star: 1,000 updates from its centre, then each leaf has one for the centre, merged to one."""
    g = tg.star(1001)
    result = tg.simulate("bfs", g, tg.HitGraph(partition_size=2000, weighted=False), source=0)
    assert result.iterations == 2
    assert result.requests["updates"] == lines(1000 * 8) + lines(8)
    assert result.requests["edges"] == 2 * lines(2000 * 8)
    assert result.requests["prefetch"] == (2 + 2) * lines(1001 * 4)
    plain = tg.simulate("bfs", g, tg.HitGraph(
        partition_size=2000, weighted=False, update_filtering=False, partition_skipping=False,
        update_merging=False), source=0)  # fmt: skip
    assert plain.levels.tolist() == result.levels.tolist()
    assert plain.iterations == 2
    assert plain.requests["updates"] == 2 * lines(2000 * 8)
    assert plain.requests["prefetch"] == 2 * 2 * lines(1001 * 4)


def test_partitions_are_on_the_channels_of_their_pes():
    g = tg.kronecker(10, rng=1)
    cyclic = tg.simulate("wcc", g, tg.HitGraph(partition_size=128)).memory
    assert len(cyclic.channels) == 4
    assert all(c["requests"] for c in cyclic.channels)
    one = tg.simulate("wcc", g, tg.HitGraph(partition_size=128, pes=1)).memory
    assert [c["requests"] > 0 for c in one.channels] == [True, False, False, False]


def test_wide_and_narrow_memories():
    """Every memory, with lines of its own size."""
    g = tg.kronecker(9, rng=1)
    for name in ("HBM", "HBM2", "LPDDR4", "GDDR5", "DDR3-1600K"):
        for design in (tg.HitGraph(partition_size=100), tg.AccuGraph(partition_size=100)):
            result = tg.simulate("wcc", g, design, name)
            assert (result.labels == tg.connected_components(g).labels).all()
    size = tg.Memory("HBM2").standard.request_bytes
    assert size == 32
    result = tg.simulate("pagerank", g, tg.AccuGraph(), "HBM2")
    assert result.requests["neighbours"] == -(-g.arcs * 4 // size)


def test_stages_of_the_rtl():
    """One bank serves a word of 8 edges in 8 cycles; one update a cycle takes as long as there are some."""
    g = tg.complete(128)  # 16,256 edges, 2,032 words
    memory = tg.Memory("DDR3-1600K", channels=1)

    def cycles(merging=False, **settings):
        design = tg.HitGraph(update_merging=merging, **settings)
        return tg.simulate("pagerank", g, design, memory).trace["seconds"][0] * 200e6

    assert 16_256 < cycles(vertex_banks=1) < 16_256 * 1.1
    assert 16_256 < cycles(updates_a_cycle=1) < 16_256 * 1.1
    assert 16_256 / 2 < cycles(updates_a_cycle=2) < 16_256 / 2 * 1.2
    # sorted by target, the sources of a word are neighbours: 8 of 32 banks, no stalls
    assert cycles(merging=True, vertex_banks=32) < 1.1 * cycles(merging=True)


def test_edges_as_in_the_rtl_and_whole_intervals():
    g = tg.complete(64)  # 4,032 edges
    result = tg.simulate("pagerank", g, tg.HitGraph(edges_as_rtl=True, write_intervals=True))
    assert result.requests["edges"] == 4032 * 8 // 64
    assert result.requests["writes"] == 64 * 4 // 64
    assert (
        tg.simulate("spmv", g, tg.HitGraph(edges_as_rtl=True)).requests["edges"] == 4032 * 12 // 64
    )
    merged = tg.simulate("pagerank", g, tg.HitGraph(update_bits=64))
    assert merged.requests["updates"] == 64 * 12 // 64
