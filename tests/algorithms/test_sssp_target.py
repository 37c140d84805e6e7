"""A search that ends at a target: right up to there, and no farther."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tachograph as tg
from tachograph.algorithms.sssp import ALGORITHMS
from tachograph.algorithms.verify import check_sssp
from tachograph.kernels.runtime.launch import SERIAL_BELOW
from tachograph.kernels.sssp import delta_stepping
from tachograph.util.limits import Deadline
from tests import oracles
from tests.graph.test_build import make
from tests.strategies import edge_lists

WEIGHTS = {
    "whole": st.integers(0, 60),
    "far": st.one_of(st.integers(0, 3), st.integers(2**29, 2**30 - 1)),
    "eighths": st.integers(0, 4000).map(lambda x: x / 8),
}


@pytest.mark.parametrize("kind", [*WEIGHTS, "none"])
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_distances_up_to_the_target_are_those_of_the_oracle(kind, data):
    """Every algorithm, with owned and shared vertices, with and without pulling."""
    weights = WEIGHTS.get(kind, st.just(1))
    n, edges = data.draw(edge_lists(weights, min_edges=1, max_n=20, max_edges=60))
    source, target = data.draw(st.integers(0, n - 1)), data.draw(st.integers(0, n - 1))
    directed = data.draw(st.booleans())
    rows = oracles.rows(edges, n, symmetrize=not directed)
    whole = np.array(oracles.shortest(rows, [source]), float)
    g = make(edges, n, "float64" if kind == "eighths" else "int32", directed=directed)
    g = g.without_weights() if kind == "none" else g
    if data.draw(st.booleans()):
        assert g.transpose is not None  # now there is something to pull along
    algorithm = data.draw(st.sampled_from(ALGORITHMS))
    delta = data.draw(st.sampled_from([None, 0.25, 64]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(SERIAL_BELOW, "sssp", data.draw(st.sampled_from([0, 10**6])))
        patch.setattr(delta_stepping, "ROAD_MEAN_DEGREE", data.draw(st.sampled_from([0, 10**6])))
        patch.setattr(delta_stepping, "TRIGGER_PART", data.draw(st.sampled_from([1, 256])))
        options = {"algorithm": algorithm, "delta": delta, "threads": 2}
        found = tg.sssp(g, source, target=target, verify=True, **options)
    assert np.array_equal(found.distances, np.where(whole <= whole[target], whole, np.inf))
    if np.isfinite(whole[target]):
        path = found.path(target).tolist()
        assert (path[0], path[-1]) == (source, target)


@pytest.mark.parametrize("n", [3000, 70_000], ids=["one worker", "a team"])
@pytest.mark.parametrize("degree", [3, 12], ids=["owned", "shared"])
def test_little_is_looked_at_if_the_target_is_near(n, degree):
    g = tg.uniform(n, degree, rng=1, weights=(1, 100))
    whole = tg.sssp(g, 0)
    near = int(np.argsort(whole.distances)[5])
    ended = tg.sssp(g, 0, target=near)
    arcs = [int(r.trace["frontier_edges"].sum()) for r in (ended, whole)]
    assert arcs[0] < arcs[1] / 10
    assert ended.distances[near] == whole.distances[near]


def test_searches_that_do_not_end_there():
    """Negative weights make later paths shorter; nothing is known of approximate ones."""
    g = tg.Graph.from_edges([0, 0, 2, 1], [1, 2, 1, 3], [4, 9, -7, 1])
    assert tg.sssp(g, 0, target=1, verify=True).distances.tolist() == [0, 2, 9, 3]
    h = tg.kronecker(8, rng=1, weights=(1, 9))
    whole = tg.sssp(h, 0, approximation=tg.Approximation(min_degree=3), algorithm="dijkstra")
    left = tg.sssp(
        h, 0, target=5, approximation=tg.Approximation(min_degree=3), algorithm="dijkstra"
    )
    assert np.array_equal(left.distances, whole.distances)
    with pytest.raises(tg.InputError, match="target"):
        tg.sssp(h, 0, target=h.n)


def test_the_verifier_knows_where_the_search_ended():
    g = tg.path(4)
    weights = np.ones(g.arcs, np.int32)
    right = np.array([0, 1, 2, np.inf]), np.array([0, 0, 1, -1])
    check_sssp(g, weights, np.array([0]), *right, True, 2.0)
    with pytest.raises(tg.VerificationError, match="nearer place"):
        check_sssp(g, weights, np.array([0]), *right)
    all_of_it = np.array([0.0, 1, 2, 3]), np.array([0, 0, 1, 2])
    with pytest.raises(tg.VerificationError, match="beyond the end"):
        check_sssp(g, weights, np.array([0]), *all_of_it, True, 2.0)


def test_plans_know_targets():
    g = tg.Graph.from_edges(["a", "b", "c"], ["b", "c", "d"], [1, 2, 3], relabel=True)
    plan = tg.plan("sssp", g, source="a", target="b")
    assert "target='b'" in str(plan).replace("target=b", "target='b'")
    assert plan.run().to_pandas()["distances"].tolist() == [0, 1, np.inf, np.inf]


def test_a_search_that_is_cut_short_after_the_target_was_reached(monkeypatch):
    """Its distances beyond the target are kept: any of them may be too long, also that of the target."""

    def late(self, partial):
        self.cut |= partial
        return False

    monkeypatch.setattr(Deadline, "late", late)
    g = tg.uniform(3000, 6, rng=1, weights=(1, 100))
    near = int(np.argsort(tg.sssp(g, 0).distances)[5])
    found = tg.sssp(g, 0, target=near, deadline=60, verify=True)
    reached = np.isfinite(found.distances)
    assert (found.distances[reached] > found.distances[near]).any()
