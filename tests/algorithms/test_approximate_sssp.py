from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tachograph as tg
from tachograph.decisions.approximation.rules import inaccuracy
from tachograph.kernels.runtime import team
from tachograph.kernels.runtime.launch import SERIAL_BELOW
from tachograph.kernels.sssp import delta_stepping
from tests import oracles
from tests.algorithms.test_sssp import GRAPHS, dtype, expected, weighted
from tests.graph.test_build import make
from tests.strategies import edge_lists

ALGORITHMS = ("delta-stepping", "bellman-ford", "dijkstra", "hybrid")
# no zeros among the floats: a vertex at distance 0 is taken for a source
WEIGHTS = st.one_of(st.integers(1, 60), st.integers(1, 400).map(lambda x: x / 8))


@st.composite
def approximations(draw):
    least = draw(st.integers(0, 4))
    return tg.Approximation(
        iterations=draw(st.one_of(st.none(), st.integers(1, 6))),
        min_degree=least,
        max_degree=draw(st.one_of(st.none(), st.integers(max(least, 1), 8))),
    )


@pytest.fixture
def teams(monkeypatch):
    monkeypatch.setitem(SERIAL_BELOW, "sssp", 0)
    monkeypatch.setattr(team, "given_meeting", 1)


@given(data=st.data(), choice=approximations(), algorithm=st.sampled_from(ALGORITHMS))
@settings(max_examples=100, deadline=None)
def test_paths_are_those_that_may_be_walked(data, choice, algorithm):
    """Two-step algorithms find exactly the best of the paths that are left; the others may be faster
    than their rounds say, but never find what does not exist.
    """
    n, edges = data.draw(edge_lists(WEIGHTS, min_edges=1, max_n=20, max_edges=60))
    directed = data.draw(st.booleans())
    sources = data.draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=3))
    g = make(edges, n, dtype(edges), directed=directed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(SERIAL_BELOW, "sssp", 0)
        patch.setattr(team, "given_meeting", 1)
        patch.setattr(delta_stepping, "ROAD_MEAN_DEGREE", data.draw(st.sampled_from([-1, 8])))
        patch.setattr(delta_stepping, "TRIGGER_PART", data.draw(st.sampled_from([1, 256])))
        threads = data.draw(st.sampled_from([1, 2, 3]))
        found = tg.sssp(g, sources, algorithm=algorithm, approximation=choice, threads=threads,
                        verify=True).distances  # fmt: skip
    exact = np.array(expected(n, edges, sources, directed))
    assert (found >= exact).all()
    rounds = 1 + (choice.iterations or n)
    most = choice.max_degree or math.inf
    rows = oracles.rows(edges, n, symmetrize=not directed)
    limit = oracles.limited(rows, sources, rounds, choice.min_degree, most)
    if algorithm in ("dijkstra", "hybrid"):
        assert found.tolist() == limit
    elif algorithm == "bellman-ford" or choice.iterations is None:
        assert (found <= limit).all()


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("name", ["kronecker", "road", "floats", "apart"])
def test_limits_that_leave_nothing_out_change_nothing(name, algorithm, teams):
    g = GRAPHS[name]()
    loose = tg.Approximation(iterations=g.n, min_degree=1, max_degree=g.n)
    exact = tg.sssp(g, 0, algorithm=algorithm, threads=3)
    again = tg.sssp(g, 0, algorithm=algorithm, approximation=loose, threads=3, verify=True)
    assert np.array_equal(exact.distances, again.distances)
    assert np.array_equal(exact.predecessors, again.predecessors)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_fraction_of_the_queue(algorithm, teams):
    g = GRAPHS["kronecker"]()
    source = int(g.degrees.argmax())
    exact = tg.sssp(g, source).distances
    errors = []
    for share in (0.9, 0.5, 0.1):
        some = tg.Approximation(fraction=share, seed=1)
        found = tg.sssp(g, source, algorithm=algorithm, approximation=some, threads=3, verify=True)
        assert (found.distances >= exact).all()
        errors.append(inaccuracy(exact, found.distances, source).mean)
    assert 0 < errors[0] < errors[1] < errors[2]


@pytest.mark.parametrize("algorithm", ["dijkstra", "hybrid"])
def test_two_steps_do_not_depend_on_threads(algorithm, teams):
    g = GRAPHS["kronecker"]()
    some = tg.Approximation(iterations=3, min_degree=2, fraction=0.7, seed=5)
    one, four = (
        tg.sssp(g, 3, algorithm=algorithm, approximation=some, threads=t).distances for t in (1, 4)
    )
    assert np.array_equal(one, four)
    other = tg.Approximation(iterations=3, min_degree=2, fraction=0.7, seed=6)
    assert not np.array_equal(
        one, tg.sssp(g, 3, algorithm=algorithm, approximation=other).distances
    )


@pytest.mark.parametrize("kind", [np.int32, np.float64])
@pytest.mark.parametrize("algorithm", ["auto", "bellman-ford", "dijkstra", "hybrid"])
def test_without_atomics(algorithm, kind, teams):
    """One worker loses nothing; of several, each may lose what another writes."""
    g = weighted(tg.kronecker(11, rng=1), kind=kind)
    exact = tg.sssp(g, 0).distances
    plain = tg.Approximation(atomic=False)
    alone = tg.sssp(g, 0, algorithm=algorithm, approximation=plain, threads=1)
    assert np.array_equal(alone.distances, exact)
    for _ in range(20):
        found = tg.sssp(g, 0, algorithm=algorithm, approximation=plain, threads=4).distances
        assert (found >= exact).all()
        assert np.array_equal(np.isfinite(found), np.isfinite(exact))


def test_the_source_is_never_left_out(teams):
    g = weighted(tg.star(50))
    for algorithm in ALGORITHMS:
        few = tg.Approximation(max_degree=1, iterations=1)
        found = tg.sssp(g, 0, algorithm=algorithm, approximation=few, threads=2)
        assert np.array_equal(found.distances, tg.sssp(g, 0).distances)


def test_after_the_last_round_everyone_looks_around(teams):
    """Delta-stepping ends with a pull, which reaches what as many rounds of Dijkstra's do not."""
    g = weighted(tg.kronecker(11, rng=1))
    source = int(g.degrees.argmax())
    exact = tg.sssp(g, source).distances
    one = tg.Approximation(iterations=1)
    found = {
        a: inaccuracy(
            exact, tg.sssp(g, source, algorithm=a, approximation=one, threads=2).distances, source
        )
        for a in ("delta-stepping", "dijkstra")
    }
    assert found["delta-stepping"].mean < found["dijkstra"].mean


def test_unit_weights():
    g = tg.path(9)
    found = tg.sssp(g, 0, approximation=tg.Approximation(iterations=3), algorithm="dijkstra")
    assert found.distances.tolist() == [0, 1, 2, 3, 4] + [math.inf] * 4
    found = tg.sssp(g, 0, approximation=tg.Approximation(max_degree=1))
    assert found.distances.tolist() == [0, 1] + [math.inf] * 7


def test_negative_weights_and_few_iterations():
    g = tg.Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 4], [5, -2, 4, 1])
    for algorithm in ("bellman-ford", "hybrid", "auto"):
        some = tg.Approximation(iterations=20, max_degree=3)
        found = tg.sssp(g, 0, algorithm=algorithm, approximation=some, verify=True)
        assert found.distances.tolist() == [0, 5, 3, 7, 8]
    endless = tg.Graph.from_edges([0, 1, 2], [1, 2, 1], [5, -2, 1])
    found = tg.sssp(endless, 0, algorithm="bellman-ford", approximation=tg.Approximation(4))
    assert np.isfinite(found.distances).all()  # ends, though distances never settle
    with pytest.raises(tg.NegativeCycleError):
        tg.sssp(endless, 0, approximation=tg.Approximation(max_degree=9))


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"iterations": 0}, "iterations = 0 must be from 1"),
        ({"iterations": 2.5}, "iterations = 2.5 must be a whole number"),
        ({"min_degree": -1}, "min_degree = -1"),
        ({"max_degree": 0}, "max_degree = 0 must be from 1"),
        ({"min_degree": 5, "max_degree": 4}, "leave no vertex"),
        ({"fraction": 0}, "fraction = 0 is the share that is kept: above 0"),
        ({"fraction": 1.5}, "fraction = 1.5"),
        ({"fraction": math.nan}, "fraction = nan"),
        ({"seed": -3}, "seed = -3"),
    ],
)
def test_bad_approximations(arguments, problem):
    with pytest.raises(tg.InputError, match=problem):
        tg.Approximation(**arguments)


def test_delta_stepping_keeps_its_atomics():
    with pytest.raises(tg.InputError, match="use algorithm='bellman-ford'"):
        tg.sssp(weighted(tg.path(4)), 0, algorithm="delta-stepping",
                approximation=tg.Approximation(atomic=False))  # fmt: skip


def test_descriptions():
    assert str(tg.Approximation()) == "exact"
    some = tg.Approximation(iterations=2, fraction=0.5, atomic=False)
    assert some.methods == ("iterations", "fraction", "atomic")
    assert str(some) == "iterations=2, fraction=0.5, atomic=False"
    assert tg.Approximation(**some.to_dict()) == some


@given(data=st.data(), choice=approximations(), algorithm=st.sampled_from(ALGORITHMS[1:]))
@settings(max_examples=50, deadline=None)
def test_faithful_variants_find_the_paths_that_may_be_walked(data, choice, algorithm):
    """The paper's Dijkstra takes vertices that exceed the minimum; scans of the hybrid change nothing."""
    n, edges = data.draw(edge_lists(WEIGHTS, min_edges=1, max_n=20, max_edges=60))
    directed = data.draw(st.booleans())
    source = data.draw(st.integers(0, n - 1))
    g = make(edges, n, dtype(edges), directed=directed)
    threads = data.draw(st.sampled_from([1, 3]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(SERIAL_BELOW, "sssp", 0)
        patch.setattr(team, "given_meeting", 1)
        told = {"algorithm": algorithm, "faithful": True, "threads": threads}
        exact = tg.sssp(g, source, **told).distances
        found = tg.sssp(g, source, approximation=choice, verify=True, **told).distances
    assert exact.tolist() == expected(n, edges, [source], directed)
    rounds = 1 + (choice.iterations or n)
    least = choice.min_degree + (algorithm != "bellman-ford" and choice.min_degree > 0)
    rows = oracles.rows(edges, n, symmetrize=not directed)
    most = choice.max_degree or math.inf
    limit = oracles.limited(rows, [source], rounds, least, most)
    if algorithm == "bellman-ford":
        assert (found <= limit).all()
    else:
        assert found.tolist() == limit


def test_the_faithful_hybrid_scans_twice(teams):
    g = weighted(tg.kronecker(9, rng=1))
    once = tg.sssp(g, 0, algorithm="dijkstra", faithful=True, threads=2)
    twice = tg.sssp(g, 0, algorithm="hybrid", faithful=True, threads=2)
    assert len(twice.trace) == 2 * len(once.trace)
    with pytest.raises(tg.InputError, match="faithful is for"):
        tg.sssp(g, 0, faithful=True)
    negative = tg.Graph.from_edges([0, 1, 2], [1, 2, 0], [1, 1, -3])
    with pytest.raises(tg.NegativeCycleError):
        tg.sssp(negative, 0, algorithm="hybrid", faithful=True)
