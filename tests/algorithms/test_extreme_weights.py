"""Weights near both ends of float64: the answer is right, or the error says which range works."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np
import pytest

import tachograph as tg
from tachograph.algorithms.scaling import LEAST_OUT_WEIGHT, MOST_OUT_WEIGHT

ENDS = {
    "huge": [1e308, 1.5e308, 9e307, 1.7e308],
    "tiny": [1e-310, 3e-310, 5e-324, 2e-310],
    "both": [1e308, 3e-310, 1.0, 1e-310],
    "squares": [1e200, 3e200, 1e-200, 5e-200],
}
ARCS = [(0, 1), (0, 2), (1, 2), (2, 3), (3, 1), (4, 0), (5, 4), (0, 5), (5, 2), (3, 5)]


def awkward(which: str, directed: bool) -> tg.Graph:
    source, target = zip(*ARCS, strict=True)
    weights = [ENDS[which][(7 * k + k // 3) % 4] for k in range(len(ARCS))]
    return tg.Graph.from_edges(source, target, weights, n=7, directed=directed)


def weight_of(graph: tg.Graph, arc: int) -> Fraction:
    return Fraction(1) if graph.weights is None else Fraction(float(graph.weights[arc]))


def row(graph: tg.Graph, v: int) -> dict[int, Fraction]:
    """The exact weights of a vertex's arcs."""
    made: dict[int, Fraction] = {}
    for k in range(graph.indptr[v], graph.indptr[v + 1]):
        end = int(graph.indices[k])
        made[end] = made.get(end, Fraction(0)) + weight_of(graph, k)
    return made


def exact_pagerank(graph: tg.Graph, jump: list[Fraction], damping: float) -> np.ndarray:
    """Solve the system of equations with probabilities that were computed exactly."""
    matrix = np.zeros((graph.n, graph.n))
    for v in range(graph.n):
        arcs = row(graph, v)
        whole = sum(arcs.values())
        for end in range(graph.n):
            probability = arcs.get(end, 0) / whole if whole else jump[end]
            matrix[end, v] = float(probability)
    start = np.array([float(p) for p in jump])
    return np.linalg.solve(np.eye(graph.n) - damping * matrix, (1 - damping) * start)


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("which", ENDS)
def test_pagerank(which: str, directed: bool) -> None:
    graph = awkward(which, directed)
    found = tg.pagerank(graph, tol=1e-12, max_iter=1000, verify=True)
    uniform = [Fraction(1, graph.n)] * graph.n
    assert found.converged
    np.testing.assert_allclose(found.scores, exact_pagerank(graph, uniform, 0.85), atol=1e-10)


@pytest.mark.parametrize("which", ENDS)
def test_personalisation(which: str) -> None:
    graph = tg.Graph.from_edges([0, 1, 2, 3], [1, 2, 0, 0], directed=True)
    numbers = [Fraction(x) for x in ENDS[which]]
    jump = [x / sum(numbers) for x in numbers]
    found = tg.pagerank(graph, personalization=ENDS[which], tol=1e-12, max_iter=1000, verify=True)
    np.testing.assert_allclose(found.scores, exact_pagerank(graph, jump, 0.85), atol=1e-10)


@pytest.mark.parametrize("which", ["huge", "tiny"])
def test_partitioned_pagerank_names_the_range(which: str) -> None:
    parts = tg.scale.partition(awkward(which, True), parts=2, directory="parts")
    works = re.escape(f"from {LEAST_OUT_WEIGHT:.0e} to {MOST_OUT_WEIGHT:.0e}")
    with pytest.raises(tg.InputError, match=works):
        tg.scale.pagerank(parts)


def exact_similarity(task: str, a: dict[int, Fraction], b: dict[int, Fraction]) -> float:
    if task == "cosine":
        both = sum(a[x] * b[x] for x in a.keys() & b.keys())
        norms = sum(x * x for x in a.values()) * sum(x * x for x in b.values())
        return float(both * both / norms) ** 0.5 if norms else 0.0
    common = sum(min(a[x], b[x]) for x in a.keys() & b.keys())
    one, other = sum(a.values()), sum(b.values())
    whole = {"jaccard": one + other - common, "overlap": min(one, other)}
    divisor = whole.get(task, (one + other) / 2)
    return float(Fraction(common) / divisor) if common else 0.0


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("which", ENDS)
@pytest.mark.parametrize("task", ["cosine", "jaccard", "overlap", "sorensen"])
def test_similarity(task: str, which: str, directed: bool) -> None:
    graph = awkward(which, directed)
    function = getattr(tg, task)
    if which == "both" and task != "cosine":
        with pytest.raises(tg.InputError, match=r"from \de-310 to 1e\+308"):
            function(graph, weight="weight")
        return
    everyone = [(u, v) for u in range(graph.n) for v in range(u)]
    for pairs in ("edges", everyone, "two_hop"):
        found = function(graph, pairs, weight="weight", verify=True)
        if pairs == "edges":
            assert found.count == graph.m  # scaling must not change what an edge is
        want = [
            exact_similarity(task, row(graph, u), row(graph, v))
            for u, v in zip(found.source.tolist(), found.target.tolist(), strict=True)
        ]
        np.testing.assert_allclose(found.values, want, rtol=1e-9, atol=1e-12)


def test_parallel_edges_with_an_infinite_sum() -> None:
    graph = tg.Graph.from_edges([0, 0, 1], [1, 1, 2], [1e308, 1e308, 1.0])
    with pytest.raises(tg.InputError, match="sum of parallel weights at vertex 0"):
        tg.jaccard(graph, weight="weight")


@pytest.mark.parametrize("algorithm", ["auto", "bellman-ford", "dijkstra", "hybrid"])
def test_distances_beyond_the_range_are_not_unreachable(algorithm: str) -> None:
    graph = tg.Graph.from_edges([0, 1, 2, 0], [1, 2, 3, 4], [1e308, 1e308, 1.0, 1.7e308])
    with pytest.raises(tg.InputError, match=r"vertex 2 .*1\.8e\+308"):
        tg.sssp(graph, 0, algorithm=algorithm)
    # long arcs that no shortest path takes, or that end where a shorter path leads, are fine
    around = tg.Graph.from_edges([0, 1, 0], [1, 2, 2], [1e308, 1e308, 1e308])
    assert tg.sssp(around, 0, algorithm=algorithm).distances.tolist() == [0, 1e308, 1e308]


def test_flow_says_which_range_works() -> None:
    fan = tg.Graph.from_edges([0, 0, 1, 2], [1, 2, 3, 3], [1e308] * 4)
    for function in (tg.maximum_flow, tg.minimum_cut):
        with pytest.raises(tg.InputError, match=r"1\.8e\+308.*divide"):
            function(fan, 0, 3)
    with pytest.raises(tg.InputError, match=r"1\.8e\+308"):
        tg.maximum_flow(fan, 0, 3, capacity=[1e308, np.inf, 1e308, 1e308])
    with pytest.raises(tg.InputError, match=r"1\.8e\+308"):
        tg.maximum_flow(fan, 0, 3, device="host")


def test_tiny_capacities_beside_huge_ones() -> None:
    graph = tg.Graph.from_edges([0, 1, 0], [1, 2, 2], [1e307, 3e-310, 1e-310])
    for device in (None, "host"):
        found = tg.maximum_flow(graph, 0, 2, device=device, verify=True)
        assert found.value == 4e-310
    assert tg.minimum_cut(graph, 0, 2).arcs.tolist() == [1, 2]


def test_infinite_capacities_beside_large_ones_are_not_cut() -> None:
    # one more than 1e300 is 1e300: an infinite arc must still cost more than all finite ones
    graph = tg.Graph.from_edges([0, 1], [1, 2], [1.0, 1.0])
    cut = tg.minimum_cut(graph, 0, 2, capacity=[np.inf, 1e300], verify=True)
    assert (cut.value, cut.arcs.tolist()) == (1e300, [1])
