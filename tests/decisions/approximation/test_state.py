from __future__ import annotations

from collections import Counter

import networkx as nx
import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import tachograph as tg
from tachograph.decisions.approximation.rules import degree_thresholds
from tachograph.decisions.approximation.state import (
    ALGORITHMS,
    AWAY_ARCS,
    FEATURES,
    Configuration,
    State,
)
from tests.strategies import edge_lists


@given(st.lists(st.integers(0, 60), max_size=400))
@settings(deadline=None)
def test_thresholds_by_the_rule_of_the_paper(degrees):
    """Sort, cut into tenths, cut the last tenth, and for the maximum the last of those."""
    ordered = sorted(d for d in degrees if d > 0)
    total = len(ordered)
    cuts = [k * total // 10 for k in range(1, 10)]
    cuts += [(90 + k) * total // 100 for k in range(1, 10)]
    last = [(990 + k) * total // 1000 for k in range(10)]
    least, most = degree_thresholds(np.bincount(degrees, minlength=1))
    if total == 0:
        assert (least, most) == ([], [])
        return
    assert least == sorted({ordered[c] for c in cuts} - {1})
    assert most == sorted({ordered[c] for c in last})


@given(low=st.integers(0, 70), high=st.integers(1, 70), seed=st.integers(0, 5))
@settings(deadline=None)
def test_shares_of_what_is_left_out(low, high, seed):
    g = tg.power_law(200, exponent=2.0, rng=seed)
    choice = tg.Approximation(min_degree=min(low, high), max_degree=high)
    row = State(g, np.array([0]), 2).rows([Configuration("dijkstra", choice)])[0]
    found = dict(zip(FEATURES, row, strict=True))
    some = g.degrees[g.degrees > 0]
    below, above = some[some < choice.min_degree], some[some > high]
    assert np.isclose(found["vertices_below"], below.size / some.size)
    assert np.isclose(found["arcs_below"], below.sum() / some.sum())
    assert np.isclose(found["vertices_above"], above.size / some.size)
    assert np.isclose(found["arcs_above"], above.sum() / some.sum())
    assert np.isclose(found["arcs_left"], 1 - (below.sum() + above.sum()) / some.sum())
    assert [found[a] for a in ALGORITHMS] == [0, 0, 1, 0]


@given(edges=edge_lists(), low=st.integers(0, 5), high=st.integers(0, 9), source=st.integers(0, 9))
@settings(deadline=None)
def test_what_a_search_reaches_through_vertices_of_some_degrees(edges, low, high, source):
    n, pairs = edges
    assume(source < n)
    g = tg.Graph.from_edges(*np.array(pairs, int).reshape(-1, 2).T, n=n, directed=True)
    degree = Counter(u for u, _ in pairs)
    allowed = {v for v in range(n) if low <= degree[v] <= high and degree[v]} | {source}
    inner = nx.DiGraph([(u, v) for u, v in pairs if u in allowed and v in allowed])
    found = nx.descendants(inner, source) - {source} if source in inner else set()
    state = State(g, np.array([source]), 2)
    depths = nx.single_source_shortest_path_length(inner, source) if source in inner else {}
    reached, hops = state.reach(low, high)
    assert reached == np.log2(1 + sum(degree[v] for v in found))
    assert hops == max(depths.values(), default=0) + 1  # the last finds nothing
    assert not state._room[0].any()


def test_reach_is_counted_up_to_a_limit():
    g = tg.star(2 * AWAY_ARCS)
    assert State(g, np.array([1]), 2).reach(0, g.arcs) == (np.log2(1 + AWAY_ARCS), 1)
    assert State(g, np.array([1]), 2).reach(0, 9) == (
        0,
        1,
    )  # the only way out leads through the hub


def test_candidates_are_distinct_and_approximate():
    for g in (tg.kronecker(10, rng=1), tg.road(30, 30), tg.star(9), tg.path(2)):
        state = State(g, np.array([0]), 2)
        found = state.candidates(ALGORITHMS[:2])
        assert len(set(found)) == len(found) > 0
        assert not any(c.approximation.exact for c in found)
        assert np.isfinite(state.rows(found)).all()


def test_the_state_knows_the_kernel_that_will_run():
    g = tg.kronecker(15, rng=3, weights=True)
    for threads, owned in ((1, True), (2, False)):
        state = State(g, np.array([0]), threads)
        found = tg.sssp(g, 0, algorithm="delta-stepping", threads=threads)
        assert state.owned is owned
        assert state.facts["threads"] == found.trace["threads"][0] == threads
        assert (found.trace["phase"][0] == "settle") is owned
