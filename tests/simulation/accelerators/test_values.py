"""Accelerators compute what the exact algorithms compute, whatever their settings."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tachograph as tg
from tachograph.simulation.accelerators.partitions import edges_of, parts_of
from tests.simulation.accelerators.support import graphs, ranks, smallest_ancestor

switch = st.booleans()
shared = {
    "partition_size": st.sampled_from([1, 2, 5, 100]),
    "permute_ids": st.sampled_from([None, 0, 7]),
    "inject": st.sampled_from([None, 1]),
    "value_bits": st.sampled_from([None, 32, 64]),
}
hit = st.builds(
    tg.HitGraph, update_merging=switch, update_filtering=switch, partition_skipping=switch,
    write_unchanged=switch, assignment=st.sampled_from(["cyclic", "blocks"]),
    pes=st.sampled_from([None, 1, 3]), edges_as_rtl=switch, write_intervals=switch,
    vertex_banks=st.sampled_from([None, 1, 32]), updates_a_cycle=st.sampled_from([None, 1]),
    update_bits=st.sampled_from([None, 32]), **shared,
)  # fmt: skip
accu = st.builds(
    tg.AccuGraph, prefetch_skipping=switch, partition_skipping=switch, stalls=switch,
    edge_pipelines=st.sampled_from([1, 16]), vertex_pipeline_size=st.sampled_from([1, 8]),
    pointer_bits=st.sampled_from([32, 64]), **shared,
)  # fmt: skip
thunder = st.builds(
    tg.ThunderGP, board=st.sampled_from(["u250", "vcu1525"]), drop_inactive=switch,
    partition_size=st.sampled_from([1, 5, 100]), gather_pes=st.sampled_from([1, 16]),
    kernel_start_us=st.sampled_from([0, 3]), permute_ids=st.sampled_from([None, 7]),
)  # fmt: skip
scala = st.builds(
    tg.ScalaBFS, push_to_pull=st.just(1), pull_to_push=st.sampled_from([1, 2, 99]),
    pes_of_port=st.sampled_from([1, 2]), rows_ahead=st.sampled_from([2, 64]),
    beats_waiting=st.sampled_from([4, 64]),
)  # fmt: skip
either = st.one_of(hit, accu, thunder)
DESIGNS = (tg.HitGraph(), tg.AccuGraph(), tg.ThunderGP(partition_size=64), tg.ForeGraph())
few = settings(max_examples=60, deadline=None)


def accounts(result):
    """The books balance: requests by kind, by phase and in the memory are the same."""
    stats = result.memory
    assert sum(result.requests.values()) == stats.requests
    assert int(result.trace["reads"].sum()) == stats.reads
    assert int(result.trace["writes"].sum()) == stats.writes
    assert stats.wrapped == 0
    assert result.trace["seconds"].sum() <= result.seconds * (1 + 1e-9)
    assert result.provenance == "simulated"


@few
@given(graphs(), st.one_of(hit, accu, thunder, scala, st.just(tg.ScalaBFS())), st.data())
def test_bfs(g, accelerator, data):
    source = data.draw(st.integers(0, g.n - 1))
    result = tg.simulate("bfs", g, accelerator, source=source)
    assert result.levels.tolist() == tg.bfs(g, source).levels.tolist()
    accounts(result)


@few
@given(graphs(directed=False), either)
def test_wcc(g, accelerator):
    result = tg.simulate("wcc", g, accelerator)
    assert result.labels.tolist() == tg.connected_components(g).labels.tolist()
    accounts(result)


@few
@given(graphs(directed=True), either)
def test_labels_along_arcs(g, accelerator):
    result = tg.simulate("wcc", g, accelerator, along_arcs=True)
    assert result.labels.tolist() == smallest_ancestor(g).tolist()


@few
@given(graphs(weighted=True), st.one_of(hit, thunder), st.data())
def test_sssp(g, accelerator, data):
    source = data.draw(st.integers(0, g.n - 1))
    result = tg.simulate("sssp", g, accelerator, source=source)
    assert result.distances.tolist() == tg.sssp(g, source).distances.tolist()
    accounts(result)


@few
@given(st.one_of(graphs(), graphs(weighted=True)), either, st.integers(1, 4))
def test_pagerank(g, accelerator, iterations):
    if g.weighted and not isinstance(accelerator, tg.HitGraph):
        return  # the others have no weights in their edges
    result = tg.simulate("pagerank", g, accelerator, iterations=iterations)
    assert result.iterations == iterations
    assert np.allclose(result.scores, ranks(g, iterations), atol=1e-12)
    accounts(result)


@few
@given(st.one_of(graphs(), graphs(weighted=True)), st.one_of(hit, thunder))
def test_spmv(g, accelerator):
    result = tg.simulate("spmv", g, accelerator)
    assert np.allclose(result.values, tg.spmv(g.transpose, np.ones(g.n)).values)


@pytest.mark.parametrize("accelerator", [tg.HitGraph(partition_size=100), tg.AccuGraph()])
def test_pagerank_goes_where_the_exact_one_goes(accelerator):
    g = tg.kronecker(8, rng=3)
    result = tg.simulate("pagerank", g, accelerator, iterations=60)
    assert np.abs(result.scores - tg.pagerank(g, tol=1e-12).scores).sum() < 1e-6


def test_edgeless_and_single():
    for n in (1, 3):
        g = tg.Graph.from_edges([], [], n=n, directed=False)
        for accelerator in DESIGNS:
            assert tg.simulate("wcc", g, accelerator).labels.tolist() == list(range(n))
    empty = tg.Graph.from_edges([], [], n=0, directed=False)
    for accelerator in DESIGNS:
        result = tg.simulate("wcc", empty, accelerator)
        assert (result.labels.size, result.iterations) == (0, 0)


@pytest.mark.parametrize("size", [1, 7, 39, 40, 100])
def test_partitions_by_target(size):
    rng = np.random.default_rng(3)
    ends = rng.integers(0, 40, (2, 300))  # parallel edges and loops among them
    g = tg.Graph.from_edges(*ends, rng.integers(1, 9, 300), n=40)
    own = [slice(a, b) for a, b in itertools.pairwise(g.indptr)]
    rows = [zip(g.indices[row].tolist(), g.weights[row].tolist(), strict=True) for row in own]
    arcs = [(source, target, weight) for source, row in enumerate(rows) for target, weight in row]
    wanted = []
    for lo in range(0, 40, size):
        own = [arc for arc in arcs if lo <= arc[0] < lo + size]
        wanted.append(sorted(own, key=lambda arc: arc[1::-1]))
    found = []
    for pointers, sources, lengths in parts_of(g, size, True):
        targets = np.repeat(np.arange(40), np.diff(pointers))
        found.append(list(zip(sources.tolist(), targets.tolist(), lengths.tolist(), strict=True)))
    assert found == wanted
    assert edges_of(g, size).tolist() == [len(own) for own in wanted]


@pytest.mark.parametrize("design", [tg.HitGraph, tg.AccuGraph])
def test_a_graph_in_partitions_is_never_turned_round_as_a_whole(design):
    g = tg.kronecker(7, directed=True, rng=1)
    tg.simulate("pagerank", g, design(partition_size=50))
    assert "transpose" not in vars(g)
