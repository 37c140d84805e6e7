"""Published reference results: the graph p2p-31 of libgrape-lite, found in $TACHOGRAPH_DATA."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

import tachograph as tg
from tests.graph.test_datasets import DATA

PLACE = DATA / "orig" / "p2p-31"
pytestmark = pytest.mark.skipif(not PLACE.is_dir(), reason="no orig/p2p-31 in $TACHOGRAPH_DATA")
SOURCE = 6  # where the reference searches begin


def graph(directed: bool) -> tg.Graph:
    symmetrize = None if directed else True  # the file lists each edge once
    return tg.read(PLACE / "p2p-31.e.gz", relabel=True, directed=directed, symmetrize=symmetrize)


def reference(name: str, g: tg.Graph) -> np.ndarray:
    """The published value of every vertex, in the order of our ids."""
    with gzip.open(PLACE / f"p2p-31-{name}.gz", "rt") as file:
        values = dict(line.split() for line in file)
    assert len(values) == g.n
    return np.array([float(values[str(x)]) for x in g.names.tolist()])


@pytest.mark.parametrize("directed", [False, True])
def test_bfs(directed):
    g = graph(directed)
    expected = reference("BFS-directed" if directed else "BFS", g)
    expected[expected > g.n] = -1  # their mark for "not reached"
    assert np.array_equal(tg.bfs(g, SOURCE, verify=True).levels, expected)


@pytest.mark.parametrize("algorithm", ["delta-stepping", "bellman-ford", "dijkstra", "hybrid"])
@pytest.mark.parametrize("directed", [False, True])
def test_shortest_paths(directed, algorithm):
    g = graph(directed)
    expected = reference("SSSP-directed" if directed else "SSSP", g)
    expected[expected > 1e300] = np.inf  # their mark for "not reached"
    found = tg.sssp(g, SOURCE, algorithm=algorithm, verify=True)
    assert np.array_equal(found.distances, expected)


def test_components():
    g = graph(directed=True)
    theirs = reference("WCC", g)
    ours = tg.connected_components(g, verify=True).labels
    assert len(set(theirs)) == len(set(ours)) == len(set(zip(theirs, ours, strict=True)))


def test_pagerank():
    """Ten iterations, unweighted. (Their directed run drops the score of vertices without out-arcs
    instead of spreading it, so its scores do not sum to 1 and are not comparable.)"""
    g = graph(directed=False)._replace(weights=None)
    ours = tg.pagerank(g, max_iter=10, tol=1e-30).scores
    np.testing.assert_allclose(ours, reference("PR", g), rtol=1e-12)
