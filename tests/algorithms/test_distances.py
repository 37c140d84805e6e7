from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tachograph as tg
from tachograph.algorithms.verify import check_distances
from tachograph.kernels.runtime.launch import SERIAL_BELOW
from tests.algorithms.test_bfs import GRAPHS
from tests.strategies import edge_lists


def expected(n, edges, weights, directed):
    """The matrix of all distances by Floyd and Warshall."""
    far = np.full((n, n), np.inf)
    np.fill_diagonal(far, 0)
    for (u, v), w in zip(edges, weights, strict=True):
        far[u, v] = min(far[u, v], w)
        if not directed:
            far[v, u] = min(far[v, u], w)
    for k in range(n):
        far = np.minimum(far, far[:, k : k + 1] + far[k])
    return far


@given(
    case=edge_lists(max_n=14, max_edges=50),
    directed=st.booleans(),
    weighted=st.booleans(),
    workers=st.sampled_from([1, 3]),
    data=st.data(),
)
@settings(max_examples=100, deadline=None)
def test_distances_are_those_of_floyd_and_warshall(case, directed, weighted, workers, data):
    n, edges = case
    weights = [(7 * i) % 5 for i in range(len(edges))] if weighted else [1] * len(edges)
    want = expected(n, edges, weights, directed)
    if not weighted:
        want[np.isinf(want)] = -1
    columns = [[e[i] for e in edges] for i in range(2)]
    g = tg.Graph.from_edges(*columns, weights if weighted else None, n=n, directed=directed)
    vertex = st.integers(0, n - 1)
    pairs = data.draw(st.lists(st.tuples(vertex, vertex), max_size=20)) if n else []
    begins, ends = [a for a, _ in pairs], [b for _, b in pairs]
    with pytest.MonkeyPatch.context() as patch:
        for kind in ("bfs", "sssp"):
            patch.setitem(SERIAL_BELOW, kind, 0)
        some = tg.distances(g, begins, ends, paired=True, threads=workers, verify=True).distances
        part = tg.distances(g, begins, ends, threads=workers, verify=True)
        whole = tg.distances(g, range(n), threads=workers).distances
    assert some.tolist() == [want[a, b] for a, b in pairs]
    assert part.distances.tolist() == want[np.ix_(begins, ends)].tolist()
    assert whole.tolist() == want.tolist()


@pytest.mark.parametrize("name", GRAPHS)
def test_graphs_of_every_kind(name):
    g = GRAPHS[name]()
    ids = range(min(g.n, 5))
    found = tg.distances(g, ids, verify=True)
    assert found.distances.shape == (len(ids), g.n)


@pytest.mark.parametrize("weights", [None, True])
def test_more_sources_than_fit_into_one_batch_and_more_threads_than_cores(weights):
    g = tg.kronecker(10, 8, rng=1, weights=weights or False)
    sources = np.random.default_rng(0).integers(0, g.n, 700)
    one = [tg.sssp(g, s).distances if weights else tg.bfs(g, s).levels for s in sources.tolist()]
    want = np.array(one)
    for threads in (1, 4):
        found = tg.distances(g, sources, threads=threads)
        assert np.array_equal(found.distances, want)
        some = tg.distances(g, sources, sources[::-1], paired=True, threads=threads)
        assert np.array_equal(some.distances, want[np.arange(700), sources[::-1]])
    assert some.facts()["pairs"] == 700
    assert set(found.trace.to_dict()) == {"sources", "seconds", "threads"}


def test_tables_have_names():
    g = tg.Graph.from_edges(["a", "b"], ["b", "c"], relabel=True)
    assert tg.distances(g, ["a", "c"], ["c", "a"], paired=True).to_pandas().values.tolist() == [
        ["a", "c", 2],
        ["c", "a", -1],
    ]
    square = tg.distances(g, ["a", "b"], ["c"]).to_pandas()
    assert square.values.tolist() == [["a", "c", 2], ["b", "c", 1]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0], None, True), r"source \(1\) and target \(none\) must agree"),
        (([0], [1, 2], True), r"source \(1\) and target \(2\) must agree"),
        (([0], [9]), "no vertex 9"),
        (([0.5],), "not a vertex id"),
        (([[0, 1]],), "a list of vertices"),
        ((-1,), "no vertex -1"),
    ],
)
def test_clear_errors(arguments, message):
    source, target, paired = (*arguments, None, False)[:3] if len(arguments) < 3 else arguments
    with pytest.raises(tg.InputError, match=message):
        tg.distances(tg.path(3), source, target, paired=bool(paired))


def test_negative_weights_and_matrices_that_do_not_fit_are_refused():
    with pytest.raises(tg.InputError, match="negative"):
        tg.distances(tg.Graph.from_edges([0], [1], [-1.0]), 0)
    with tg.limits(memory="1 MB"), pytest.raises(tg.TooLargeError, match="matrix of distances"):
        tg.distances(tg.path(2000), range(2000))


def test_the_verifier_finds_errors():
    g = tg.path(4)
    found = tg.distances(g, [0, 2])
    wrong = found.distances.copy()
    wrong[1, 3] = 2
    with pytest.raises(tg.VerificationError):
        check_distances(g, found.source, found.target, wrong)
