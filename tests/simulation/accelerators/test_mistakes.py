from __future__ import annotations

import numpy as np
import pytest

import tachograph as tg
from tachograph.simulation.accelerators import Accelerator
from tachograph.util.errors import InputError

G = tg.kronecker(7, rng=1)
WEIGHTED = tg.kronecker(7, rng=1, weights=True)
DIRECTED = tg.kronecker(7, rng=1, directed=True)


@pytest.mark.parametrize(("call", "message"), [
    (lambda: tg.AccuGraph(edge_pipes=3), "no parameter 'edge_pipes'; known: partition_size, vertex_pipelines"),
    (lambda: tg.HitGraph(partition_size=0), "partition_size = 0 must be at least 1: vertices of a partition"),
    (lambda: tg.HitGraph(partition_size="many"), "partition_size = 'many' must be a whole number"),
    (lambda: tg.HitGraph(weighted=1), "weighted = 1 must be yes or no"),
    (lambda: tg.HitGraph(assignment="random"), "one of cyclic, blocks"),
    (lambda: tg.HitGraph(clock_mhz=None), "clock_mhz needs a value"),
    (lambda: tg.HitGraph(value_bits=12), "value_bits = 12 must be one of 8, 16, 32, 64"),
    (lambda: tg.simulate("wcc", G, tg.AccuGraph(bram_bytes=100)), "128 values of 4 bytes need 512 bytes.*at most 25"),
    (lambda: tg.simulate("wcc", G, tg.HitGraph(bram_bytes=100)), "partition_size with 4 PEs: 512 values"),
    (lambda: tg.simulate("pagerank", WEIGHTED, tg.AccuGraph()), "AccuGraph reads edges without weights.*graph.without_weights"),
    (lambda: tg.simulate("sssp", WEIGHTED, tg.HitGraph(weighted=False), source=0), "no room for them in an edge"),
    (lambda: tg.simulate("wcc", DIRECTED, tg.AccuGraph()), "connected_components finds weakly connected components of undirected"),
    (lambda: tg.simulate("spmv", G, tg.AccuGraph()), "AccuGraph does not run 'spmv'; it runs bfs, connected_components"),
    (lambda: tg.simulate("colour", G, tg.HitGraph()), "there is no task 'colour': choose bfs"),
    (lambda: tg.simulate("bfs", G, tg.HitGraph()), "bfs needs a source"),
    (lambda: tg.simulate("bfs", G, tg.HitGraph(), source=999), "there is no vertex 999"),
    (lambda: tg.simulate("bfs", G, tg.HitGraph(), source=[1, 2]), "start from one vertex"),
    (lambda: tg.simulate("wcc", G, tg.HitGraph(), source=1), "connected_components has no source"),
    (lambda: tg.simulate("wcc", G, tg.HitGraph(), iterations=0), "iterations = 0"),
    (lambda: tg.simulate("pagerank", G, tg.HitGraph(), damping=2), "damping = 2"),
    (lambda: tg.simulate("wcc", G, tg.HitGraph(), "DDR9"), "unknown memory 'DDR9'"),
    (lambda: tg.simulate("wcc", G, "graphhit"), "unknown accelerator 'graphhit'; known: hitgraph"),
    (lambda: tg.simulate("wcc", G, tg.HitGraph), "is not an accelerator"),
    (lambda: tg.simulate("jaccard", G, tg.HitGraph()), "HitGraph does not run 'jaccard'"),
    (lambda: tg.simulate("wcc", G, tg.HitGraph(), iterations=1, verify=True), "leave iterations and along_arcs out"),
    (lambda: tg.simulate("bfs", tg.path(300), tg.AccuGraph(), source=0), "levels above 254.*value_bits=32"),
])  # fmt: skip
def test_mistakes_are_explained(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_negative_weights():
    g = tg.Graph.from_edges([0, 1], [1, 2], np.array([1, -1], np.int32))
    for algorithm, source in (("sssp", 0), ("pagerank", None)):
        with pytest.raises(InputError, match="not negative"):
            tg.simulate(algorithm, g, tg.HitGraph(), source=source)


def test_a_graph_that_does_not_fit_the_memory():
    """128 MiB in a channel of the smallest HBM; 2^24 edges of 12 or 8 bytes are more."""
    g = tg.uniform(1 << 20, 16, rng=1, simple=False, directed=True)
    small = tg.Memory("HBM", channels=1, density="1Gb")
    for design in (tg.HitGraph(), tg.AccuGraph(vertex_bits=64)):
        with pytest.raises(InputError, match="use more channels or ranks, or a larger density"):
            tg.simulate("pagerank", g, design, small)


def test_an_accelerator_is_frozen_and_says_what_differs():
    design = tg.AccuGraph(partition_size=7)
    assert repr(design) == "AccuGraph(partition_size=7)"
    with pytest.raises(AttributeError, match="cannot be changed"):
        design.partition_size = 8
    assert design.settings["edge_pipelines"] == 16
    assert all(p.source and p.about for p in Accelerator.declared().values())


def test_every_published_parameter_has_its_default():
    """Tables 2 to 4."""
    hit, accu = tg.HitGraph(), tg.AccuGraph()
    assert (hit.pipelines, hit.partition_size, hit.weighted) == (8, 256_000, True)
    assert (hit.edge_width("wcc"), hit.width("wcc"), hit.vertex_bits) == (12, 4, 32)
    assert (accu.vertex_pipelines, accu.edge_pipelines) == (8, 16)
    assert (accu.vertex_pipeline_size, accu.edge_pipeline_size, accu.partition_size) == (8, 8, None)
    assert [accu.width(a) for a in ("bfs", "wcc", "pagerank")] == [1, 4, 4]
    assert repr(hit.memory()).startswith("Memory(DDR3-1600K, 8Gb x16, 4 channels, 2 ranks")
    assert repr(accu.memory()).startswith("Memory(DDR4-2400R, 4Gb x16, 1 channel, 1 rank")
