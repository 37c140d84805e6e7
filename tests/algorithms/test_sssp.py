from __future__ import annotations

import math
import pickle
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tachograph as tg
from tachograph.algorithms.sssp import ALGORITHMS
from tachograph.algorithms.verify import check_sssp
from tachograph.kernels.runtime import team
from tachograph.kernels.runtime.launch import SERIAL_BELOW
from tachograph.kernels.sssp import bellman_ford, delta_stepping
from tests import oracles
from tests.graph.test_build import make
from tests.strategies import edge_lists

PARALLEL = ("delta-stepping", "bellman-ford", "dijkstra", "hybrid")
# sums of these are exact in any order, so distances are equal, not close
EIGHTHS = st.integers(0, 4000).map(lambda x: x / 8)
WEIGHTS = {
    "whole": st.integers(0, 60),
    "wide": st.integers(0, 2**31 - 1),
    "large": st.one_of(st.integers(0, 3), st.integers(2**29, 2**30 - 1)),
    "eighths": EIGHTHS,
    "spread": st.integers(-40, 40).map(lambda x: 2.0**x),
    "zero": st.sampled_from([0, 0, 1]),
}


@pytest.fixture
def teams(monkeypatch):
    """Teams also for small graphs."""
    monkeypatch.setitem(SERIAL_BELOW, "sssp", 0)
    monkeypatch.setattr(team, "given_meeting", 1)


def dtype(edges):
    return "float64" if any(isinstance(e[2], float) for e in edges) else "int32"


def expected(n, edges, sources, directed):
    return oracles.shortest(oracles.rows(edges, n, symmetrize=not directed), sources)


@pytest.mark.parametrize("kind", WEIGHTS)
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_distances_are_those_of_the_oracle(kind, data):
    """Every algorithm, with owned and shared vertices, with and without pulling."""
    n, edges = data.draw(edge_lists(WEIGHTS[kind], min_edges=1, max_n=20, max_edges=60))
    directed = data.draw(st.booleans())
    sources = data.draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=3))
    g = make(edges, n, dtype(edges), directed=directed)
    if data.draw(st.booleans()):
        assert g.transpose is not None  # now there is something to pull along
    algorithm = data.draw(st.sampled_from(ALGORITHMS))
    delta = data.draw(st.sampled_from([None, 0.25, 1, 64, 1e12]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(SERIAL_BELOW, "sssp", 0)
        patch.setattr(team, "given_meeting", 1)
        patch.setattr(delta_stepping, "ROAD_MEAN_DEGREE", data.draw(st.sampled_from([-1, 8])))
        patch.setattr(delta_stepping, "TRIGGER_PART", data.draw(st.sampled_from([1, 256])))
        patch.setattr(delta_stepping, "PULL_REACH", data.draw(st.sampled_from([0, 7])))
        patch.setattr(delta_stepping, "OWNED_BLOCK_BITS", 1)
        with tg.threads(data.draw(st.sampled_from([1, 2, 3]))):
            found = tg.sssp(g, sources, algorithm=algorithm, delta=delta, verify=True)
    assert found.distances.tolist() == expected(n, edges, sources, directed)


@given(data=st.data(), algorithm=st.sampled_from(["auto", "bellman-ford", "hybrid"]))
@settings(max_examples=150, deadline=None)
def test_negative_weights(data, algorithm):
    weights = st.one_of(st.integers(-6, 30), st.integers(-48, 240).map(lambda x: x / 8))
    n, edges = data.draw(edge_lists(weights, min_edges=1, max_n=12, max_edges=20))
    source = data.draw(st.integers(0, n - 1))
    g = make(edges, n, dtype(edges), directed=True)
    wanted = expected(n, edges, [source], True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(SERIAL_BELOW, "sssp", 0)
        patch.setattr(team, "given_meeting", 1)
        patch.setattr(bellman_ford, "TURNS_BEFORE_LOOK", data.draw(st.sampled_from([1, 8])))
        with tg.threads(2):
            if wanted is not None:
                found = tg.sssp(g, source, algorithm=algorithm, verify=True)
                assert found.distances.tolist() == wanted
                return
            with pytest.raises(tg.NegativeCycleError) as problem:
                tg.sssp(g, source, algorithm=algorithm)
    cycle = problem.value.cycle
    lightest = {}
    for u, v, w in edges:
        lightest[u, v] = min(w, lightest.get((u, v), math.inf))
    steps = zip(cycle, cycle[1:] + cycle[:1], strict=True)
    # the cycle exists, and there is one at least as light along the same vertices
    assert sum(lightest[step] for step in steps) <= problem.value.weight < 0


def weighted(g, seed=1, top=256, kind=np.int32):
    """The graph with random weights, the same in both directions."""
    source = np.repeat(np.arange(g.n), g.degrees)
    low, high = np.minimum(source, g.indices), np.maximum(source, g.indices)
    mixed = (low * 1_000_003 + high * 7919 + seed) % 104_729
    return tg.Graph.from_csr(g.indptr, g.indices, (mixed % top).astype(kind), directed=g.directed)


GRAPHS = {
    "single": lambda: tg.Graph.from_edges([], [], [], n=1),
    "loop": lambda: tg.Graph.from_edges([0], [0], [5]),
    "path": lambda: weighted(tg.path(3000)),
    "star": lambda: weighted(tg.star(3000)),
    "complete": lambda: weighted(tg.complete(60)),
    "apart": lambda: weighted(tg.disjoint_union(tg.path(50), tg.star(70))),
    "kronecker": lambda: weighted(tg.kronecker(11, rng=1)),
    "directed": lambda: weighted(tg.kronecker(11, rng=1, directed=True)),
    "floats": lambda: weighted(tg.kronecker(10, rng=2), kind=np.float64),
    "narrow": lambda: weighted(tg.kronecker(10, rng=2), kind=np.float32),
    "zeros": lambda: weighted(tg.kronecker(10, rng=3), top=2),
    "road": lambda: weighted(tg.road(60, 60, rng=1)),
    "wide road": lambda: weighted(tg.road(60, 60, rng=1), top=10**5),
}


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("algorithm", PARALLEL)
@pytest.mark.parametrize("name", GRAPHS)
def test_graphs_of_every_kind(name, algorithm, threads, teams):
    from scipy.sparse.csgraph import dijkstra

    g = GRAPHS[name]()
    unequal = g.weights.size and g.weights.min() == 0  # SciPy takes zeros for missing edges
    for source in (0, g.n - 1):
        found = tg.sssp(g, source, algorithm=algorithm, threads=threads, verify=True)
        if not unequal:
            assert np.array_equal(found.distances, dijkstra(g.to_scipy(), indices=source))
        reached = found.trace["unvisited"]
        assert reached[0] == g.n - 1


@pytest.mark.parametrize("name", ["kronecker", "road"])
def test_200_runs_of_four_threads_agree(name, teams):
    g = GRAPHS[name]()
    with tg.threads(1):
        first = tg.sssp(g, 1)
    for _ in range(200):
        again = tg.sssp(g, 1, threads=4)
        assert np.array_equal(again.distances, first.distances)
    assert np.array_equal(again.predecessors, first.predecessors)


@pytest.mark.parametrize("algorithm", PARALLEL)
def test_distances_too_large_for_32_bits(algorithm, teams):
    g = tg.Graph.from_edges(range(9), range(1, 10), [2**29] * 9)
    found = tg.sssp(g, 0, algorithm=algorithm, threads=2, verify=True)
    assert found.distances.tolist() == [i * 2**29 for i in range(10)]


def test_distances_that_float64_cannot_hold():
    n = (1 << 22) + 9
    g = tg.Graph.from_csr(
        np.append(np.arange(n), n - 1), np.arange(1, n, dtype=np.int32),
        np.full(n - 1, 2**31 - 1, np.int32), directed=True,
    )  # fmt: skip
    with pytest.raises(tg.InputError, match="2\\*\\*53"):
        tg.sssp(g, 0, threads=1)


@pytest.mark.parametrize("degree", [-1, 8], ids=["shared", "owned"])
def test_buckets_are_cleaned_when_full(degree, teams, monkeypatch):
    """A vertex whose distance is lowered again and again leaves entries that are not valid: here the
    last one, by 40 arcs from each of 400 others, more than its worker has room for.
    """
    n, many = 400, 40
    middle = np.arange(1, n - 1)
    source = np.r_[np.zeros(n - 2, int), np.repeat(middle, many)]
    target = np.r_[middle, np.full(middle.size * many, n - 1)]
    falling = (100 * (n - middle)[:, None] + np.arange(many, 0, -1)).ravel()
    g = tg.Graph.from_edges(source, target, np.r_[middle, falling])
    monkeypatch.setattr(delta_stepping, "ROAD_MEAN_DEGREE", degree)
    monkeypatch.setattr(delta_stepping, "ROAD_LARGEST_DEGREE", n)
    found = tg.sssp(g, 0, delta=1024, threads=2, verify=True)
    assert found.distances[n - 1] == (middle + 100 * (n - middle) + 1).min()


@pytest.mark.parametrize("make", [lambda: tg.kronecker(12, rng=1), lambda: tg.road(60, 60, rng=1)])
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_the_kernel_that_was_chosen_runs(make, threads, teams):
    g = weighted(make())
    choice = delta_stepping.choose(g.rows, g.features.max_degree, threads)
    found = tg.sssp(g, 0, algorithm="delta-stepping", threads=threads)
    assert set(found.trace["threads"]) == {choice.workers}
    assert (found.trace["phase"][0] == "settle") == choice.owned


def test_the_predecessor_is_the_smallest():
    g = tg.Graph.from_edges([0, 0, 0, 3, 2, 1], [1, 2, 3, 4, 4, 4], [1, 1, 1, 1, 1, 1])
    found = tg.sssp(g, 0, algorithm="delta-stepping")
    assert found.predecessors.tolist() == [0, 0, 0, 0, 1]
    assert found.path(4).tolist() == [0, 1, 4]


def test_a_second_source_may_be_reached_by_negative_arcs():
    g = tg.Graph.from_edges([0, 1], [1, 2], [-3, 1])
    found = tg.sssp(g, [0, 1], verify=True)
    assert found.distances.tolist() == [0, -3, -2]
    assert found.path(2).tolist() == [0, 1, 2]


def test_without_weights_hops_are_counted():
    g = tg.path(4)
    for algorithm in ALGORITHMS:
        found = tg.sssp(g, 1, algorithm=algorithm, verify=True)
        assert found.distances.tolist() == [1, 0, 1, 2]
        assert found.path(3).tolist() == [1, 2, 3]


def test_bad_input():
    g = tg.Graph.from_edges([0, 1], [1, 2], [3, -1], n=4)
    with pytest.raises(tg.InputError, match="no vertex 9"):
        tg.sssp(g, 9)
    with pytest.raises(tg.InputError, match="choose auto, delta-stepping"):
        tg.sssp(g, 0, algorithm="astar")
    with pytest.raises(tg.InputError, match="delta"):
        tg.sssp(g, 0, delta=0)
    for algorithm in ("dijkstra", "delta-stepping"):
        with pytest.raises(tg.InputError, match="from 1 to 2 has weight -1.*'hybrid'"):
            tg.sssp(g, 0, algorithm=algorithm)
    found = tg.sssp(g, 0)
    with pytest.raises(tg.InputError, match="no path to vertex 3"):
        found.path(3)
    with pytest.raises(tg.InputError, match="no vertex 7"):
        found.path(7)
    with pytest.raises(tg.InputError, match="graph is empty"):
        tg.sssp(tg.Graph.from_edges([], [], []), 0)


def test_an_undirected_negative_edge_is_a_cycle():
    g = tg.Graph.from_edges([0, 1], [1, 2], [5, -1], directed=False)
    with pytest.raises(tg.NegativeCycleError, match="-> .* has the negative weight -2") as problem:
        tg.sssp(g, 0)
    assert sorted(problem.value.cycle) == [1, 2]


def test_a_negative_cycle_of_a_large_graph_is_found_early():
    n = 20_000
    ring = np.arange(n)
    g = tg.Graph.from_edges(
        np.r_[ring, 7], np.r_[(ring + 1) % n, 3], np.r_[np.ones(n, int), -5], n=n
    )
    with pytest.raises(tg.NegativeCycleError) as problem:
        tg.sssp(g, 0)
    assert problem.value.cycle == [3, 4, 5, 6, 7]
    assert problem.value.weight == -1


def test_a_result_can_be_pickled():
    found = pickle.loads(pickle.dumps(tg.sssp(weighted(tg.path(5)), 0)))
    assert found.path(4).tolist() == [0, 1, 2, 3, 4]


def test_verification_finds_wrong_results():
    g = GRAPHS["road"]()
    found = tg.sssp(g, 0)
    sources = np.array([0])
    near, far = found.distances.copy(), found.distances.copy()
    v = int(np.flatnonzero(np.isfinite(near) & (near > 0))[5])
    near[v] -= 1
    far[v] += 1
    astray = found.predecessors.copy()
    astray[v] = v
    for distances, predecessors in [
        (near, found.predecessors), (far, found.predecessors), (found.distances, astray)
    ]:  # fmt: skip
        with pytest.raises(tg.TachographError, match="the result is wrong"):
            check_sssp(g, g.weights, sources, distances, predecessors)


@pytest.mark.parametrize("algorithm", ["auto", "bellman-ford"])
def test_rounding_around_a_cycle_of_weight_zero(algorithm):
    g = tg.Graph.from_edges([0, 1, 2], [1, 2, 1], [0.1, 0.7, -0.7])
    found = tg.sssp(g, 0, algorithm=algorithm, verify=True)
    assert found.distances == pytest.approx([0, 0.1, 0.8])
    assert found.path(2).tolist() == [0, 1, 2]


@pytest.mark.parametrize("threads", [1, 2])
def test_extreme_weights(threads, teams):
    g = tg.Graph.from_edges([0, 0, 4], [1, 3, 2], [1.7e308, 5e-324, 1e308])
    found = tg.sssp(g, 0, threads=threads)
    assert found.distances.tolist() == [0, 1.7e308, math.inf, 5e-324, math.inf]
    g = weighted(tg.complete(60), kind=np.float64)
    narrow, wide = (tg.sssp(g, 0, delta=d, threads=threads) for d in (1e-300, 1e300))
    assert np.array_equal(narrow.distances, wide.distances)


def test_without_weights_predecessors_do_not_depend_on_threads():
    g = tg.uniform(60_000, 4, rng=1)
    one, four = (tg.sssp(g, 0, threads=t) for t in (1, 4))
    assert np.array_equal(one.predecessors, four.predecessors)
    assert set(four.trace["phase"].tolist()) <= {"push", "pull"}


@pytest.mark.parametrize("threads", [1, 2])
def test_hardly_an_arc_of_a_mesh_is_looked_at_twice(threads, teams):
    side = 120  # a torus whose vertices have twelve neighbours
    ids = np.arange(side * side).reshape(side, side)
    steps = [(1, 0), (0, 1), (1, 1), (1, -1), (2, 0), (0, 2)]
    target = np.concatenate([np.roll(ids, step, (0, 1)).ravel() for step in steps])
    source = np.tile(ids.ravel(), len(steps))
    weights = np.random.default_rng(1).integers(1, 256, source.size)
    mesh = tg.Graph.from_edges(source, target, weights, directed=False)
    found = tg.sssp(mesh, 0, threads=threads)
    assert found.trace["threads"][0] == threads
    assert found.trace["frontier_edges"].sum() < 1.25 * mesh.arcs
    assert (found.distances == tg.sssp(mesh, 0, algorithm="dijkstra").distances).all()


def test_workers_that_are_far_apart_are_replaced_by_one(teams, monkeypatch):
    """If few arcs leave a vertex: of many, each worker has enough to do."""
    thin, dense = (tg.kronecker(10, factor, rng=1, weights=True) for factor in (4, 16))
    monkeypatch.setattr(delta_stepping, "ROAD_MEAN_DEGREE", -1)
    with tg.threads(3):
        assert tg.sssp(thin, 0).trace["threads"].max() == 3
        monkeypatch.setattr(team, "given_meeting", 10**6)
        assert tg.sssp(thin, 0, verify=True).trace["threads"].max() == 1
        assert tg.sssp(dense, 0, verify=True).trace["threads"].max() == 3


def test_owners_that_are_far_apart_are_replaced_by_one(teams, monkeypatch):
    g = weighted(tg.road(60, 60, rng=1))
    assert tg.sssp(g, 0, threads=2).trace["threads"].max() == 2
    monkeypatch.setattr(team, "given_meeting", 10**6)
    assert tg.sssp(g, 0, threads=2, verify=True).trace["threads"].max() == 1


def test_far_from_a_hub_is_not_in_a_mesh(teams):
    """The way to the hubs is one long arc: no bucket on it has to be emptied, and a pull ends it."""
    rows = tg.kronecker(12, rng=1, weights=True).to_edges()
    hub = int(np.bincount(rows[0]).argmax())
    source, target = (np.append(ends, end) for ends, end in zip(rows[:2], (4096, hub), strict=True))
    g = tg.Graph.from_edges(source, target, np.append(rows[2], 2000), directed=False)
    assert "pull" in tg.sssp(g, 4096, threads=2, verify=True).trace["phase"].tolist()


def test_a_team_that_was_far_apart_is_not_started_again_at_once(teams, monkeypatch):
    g = tg.kronecker(10, 4, rng=1, weights=True)
    monkeypatch.setattr(delta_stepping, "ROAD_MEAN_DEGREE", -1)
    begin, started = delta_stepping.run_team, []

    def noted(walk, workers, *given, **how):
        started.append(workers)
        return begin(walk, workers, *given, **how)

    monkeypatch.setattr(delta_stepping, "run_team", noted)
    with tg.threads(3):
        monkeypatch.setattr(team, "_found_far", {3: time.monotonic()})
        tg.sssp(g, 0)
        assert started.pop() == 3  # how far is given
        monkeypatch.setattr(team, "given_meeting", 0)
        monkeypatch.setattr(team, "_found_far", {3: time.monotonic() + 60})  # however long it takes
        tg.sssp(g, 0, verify=True)
        assert started == [1]
        started.clear()
        monkeypatch.setattr(team, "_found_far", {2: time.monotonic() + 60})
        tg.sssp(g, 0, verify=True)
        assert started[0] == 3  # of other threads nothing is known


def test_a_graph_whose_arcs_lead_to_other_owners_is_not_owned(monkeypatch):
    monkeypatch.setattr(delta_stepping, "OWNED_BLOCK_BITS", 5)
    monkeypatch.setattr(delta_stepping, "one_is_enough", lambda n, arcs: False)
    near = tg.road(40, 40, rng=1)
    order = np.random.default_rng(1).permutation(near.n)
    source, target, _ = near.to_edges()
    mixed = tg.Graph.from_edges(order[source], order[target], n=near.n, directed=False)
    assert delta_stepping.choose(near.rows, 8, 2) == delta_stepping.Choice(2, False)
    monkeypatch.setattr(delta_stepping, "OWNED_BLOCK_BITS", 9)
    assert delta_stepping.choose(near.rows, 8, 2) == delta_stepping.Choice(2, True)
    assert delta_stepping.choose(mixed.rows, 8, 2) == delta_stepping.Choice(2, False)
    assert delta_stepping.choose(tg.tree(2000, 2).rows, 8, 2) == delta_stepping.Choice(2, True)
