"""Small searches: compared with a plain one, on any graph."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tachograph as tg
from tachograph.kernels import features
from tachograph.kernels.features import ARCS_PER_VERTEX, BALL, LIMIT, PROBED_ARCS, balls, probe


def plain(graph, start):
    """Everything that can be reached, level by level."""
    seen, level, levels, arcs = {start}, [start], 0, 0
    while level:
        after = []
        for v in level:
            for t in graph.indices[graph.indptr[v] : graph.indptr[v + 1]].tolist():
                arcs += 1
                if t not in seen:
                    seen.add(t)
                    after.append(t)
        level = after
        levels += 1
    return len(seen), arcs, levels


@settings(deadline=None, max_examples=60)
@given(
    st.integers(1, 40).flatmap(
        lambda n: st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=150)
    ),
    st.booleans(),
)
def test_small_graphs_are_seen_whole(edges, directed):
    source, target = zip(*edges, strict=True) if edges else ((), ())
    graph = tg.Graph.from_edges(list(source), list(target), n=40, directed=directed)
    found = balls(graph.indptr, graph.indices, np.arange(40))
    for start in range(40):
        row = dict(zip(BALL, found[start], strict=True))
        seen, arcs, levels = plain(graph, start)
        assert (row["vertices"], row["arcs"], row["levels"]) == (seen, arcs, levels)
        assert row["closing"] == arcs - (seen - 1)
        assert row["whole"]


def test_large_graphs_are_seen_in_part():
    for graph in (tg.complete(1200), tg.star(50_000), tg.road(100, 100, rng=1)):
        row = dict(zip(BALL, balls(graph.indptr, graph.indices, np.array([0]))[0], strict=True))
        assert row["vertices"] == LIMIT
        assert row["arcs"] <= 2 * ARCS_PER_VERTEX * LIMIT
        assert not row["whole"]


def test_grids_open_slowly_and_random_graphs_fast():
    road, random = (g.features.opening for g in (tg.road(100, 100, rng=1), tg.uniform(9000, 9)))
    assert road["levels"] > 3 * random["levels"]
    assert road["bits"] < random["bits"]
    assert tg.Graph.from_edges([], [], n=4).features.opening["small"] == 1


@pytest.mark.parametrize("n", [3, 60])
def test_a_probe_of_a_small_graph_looks_at_every_arc(n):
    graph = tg.uniform(n, 6, rng=2, directed=True) if n > 9 else tg.star(n)
    assert graph.arcs <= PROBED_ARCS
    found, own = probe(*graph.rows), np.repeat(graph.degrees, graph.degrees)
    there = graph.degrees[graph.indices]
    assert found["further"] == pytest.approx(there.mean())
    assert found["common"] == pytest.approx(np.minimum(own, there).mean())
    assert found["nanoseconds"] >= 0


def test_a_probe_of_a_large_graph_is_a_sample():
    graph = tg.kronecker(12, rng=1)
    there = graph.degrees[graph.indices]
    assert probe(*graph.rows)["further"] == pytest.approx(there.mean(), rel=0.3)
    assert probe(*tg.path(1).rows)["further"] == 0


def test_meetings_take_time_where_there_are_several_workers(monkeypatch):
    monkeypatch.setattr(features, "_known", {})
    with tg.threads(1):
        assert features.meeting() == 0
    with tg.threads(2):
        first = features.meeting()
        assert 0 < first < 1e9
        monkeypatch.setattr(features, "run_team", None)
        monkeypatch.setattr(features, "KNOWN_SECONDS", 60)
        assert features.meeting() == first  # not measured again at once
        monkeypatch.setattr(features, "KNOWN_SECONDS", 0)
        with pytest.raises(TypeError):
            features.meeting()
