"""Graphs of all kinds that partitioned algorithms are tried on, and what they are compared with."""

from __future__ import annotations

import numpy as np

import tachograph as tg


def _random(directed, weights, n=70, edges=240):
    rng = np.random.default_rng(7)
    source, target = rng.integers(0, n - 8, edges), rng.integers(0, n - 8, edges)
    values = {"none": None, "whole": rng.integers(0, 9, edges), "real": rng.random(edges)}[weights]
    return tg.Graph.from_edges(source, target, values, n=n, directed=directed)


TEN = {
    "kronecker": lambda: tg.kronecker(8, rng=1),
    "road": lambda: tg.road(9, 9, rng=1),
    "path": lambda: tg.path(12),
    "star": lambda: tg.star(30),
    "complete": lambda: tg.complete(12),
    "islands": lambda: tg.disjoint_union(tg.tree(15), tg.star(9), tg.path(1)),
    "loops and parallel arcs": lambda: _random(True, "none"),
    "real weights": lambda: _random(True, "real"),
    "whole weights": lambda: _random(False, "whole"),
    "one vertex": lambda: tg.Graph.from_edges([0], [0], n=1),
}


def assert_same(graph, parts, source=0, **where):
    """Everything of ``parts`` is what one machine finds in ``graph``."""
    if graph.n:
        found, wanted = (
            tg.scale.bfs(parts, source, **where),
            tg.bfs(graph, source, deterministic=True),
        )
        assert np.array_equal(found.levels, wanted.levels)
        assert np.array_equal(found.parents, wanted.parents)
        found = tg.scale.sssp(parts, source, **where)
        assert np.array_equal(found.distances, tg.sssp(graph, source).distances)
    found, wanted = tg.scale.connected_components(parts, **where), tg.connected_components(graph)
    assert np.array_equal(found.labels, wanted.labels)
    assert found.count == wanted.count
    found = tg.scale.maximal_independent_set(parts, rng=3, **where)
    assert np.array_equal(found.vertices, tg.maximal_independent_set(graph, rng=3).vertices)
    assert_same_ranks(graph, parts, **where)
    assert_same_similarities(graph, parts, **where)


def assert_same_ranks(graph, parts, **where):
    # with so little damping iterations are few, and what is left of the way to the limit is below 1e-10
    options = {"damping": 0.1, "tol": 1e-10}
    found = tg.scale.pagerank(parts, **options, **where)
    wanted = tg.pagerank(graph, **options)
    assert found.converged
    assert np.abs(found.scores - wanted.scores).max(initial=0.0) < 1e-9


def assert_same_similarities(graph, parts, **where):
    found, wanted = tg.scale.jaccard(parts, **where), tg.jaccard(graph)
    assert np.array_equal(found.source, wanted.source)
    assert np.array_equal(found.target, wanted.target)
    assert np.allclose(found.values, wanted.values, rtol=0, atol=1e-12)
