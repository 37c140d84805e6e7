from __future__ import annotations

import ctypes

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tachograph as tg
from tachograph.algorithms import bfs_on_host
from tachograph.algorithms.verify import check_bfs
from tachograph.decisions.direction.levels import levels_of
from tachograph.decisions.direction.model import POLICIES, scripted
from tachograph.decisions.direction.train import measure_graph
from tachograph.kernels.bfs import search as kernel
from tachograph.kernels.bfs.hubs import NO_NEIGHBOUR, hubs_of
from tachograph.kernels.bfs.state import PULL, Chooser
from tachograph.kernels.runtime import team
from tachograph.kernels.runtime.launch import SERIAL_BELOW
from tachograph.kernels.runtime.team import SIZE, STOP, Team
from tests import oracles
from tests.devices.support import any_device, needs_pyopencl
from tests.graph.test_build import make
from tests.strategies import edge_lists


def one_worker_never(patch):
    """Let teams search graphs of any size."""
    patch.setitem(SERIAL_BELOW, "bfs", 0)
    patch.setattr(kernel, "SERIAL_UP_TO_VERTICES", 0)


@pytest.fixture(params=[(1, 1), (4, 1), (4, 10**6)], ids=["one", "team", "far"])
def workers(request, monkeypatch):
    """A single worker, or a team larger than small machines have cores, near or far apart."""
    one_worker_never(monkeypatch)
    monkeypatch.setattr(team, "given_meeting", request.param[1])
    with tg.threads(request.param[0]):
        yield request.param[0]


def expected_levels(n, edges, sources, directed):
    rows = [[t for t, _ in row] for row in oracles.rows(edges, n, symmetrize=not directed)]
    found = [oracles.distances(rows, s) for s in sources]
    return [min((d[v] for d in found if v in d), default=-1) for v in range(n)]


SCRIPTS = st.lists(st.integers(0, 1), max_size=20).map(scripted)


@given(
    data=st.data(),
    directed=st.booleans(),
    direction=st.sampled_from((*POLICIES, "oracle")) | SCRIPTS,
)
@settings(max_examples=250, deadline=None)
def test_levels_are_those_of_the_oracle(data, directed, direction):
    """Whatever chooses, be it at random."""
    n, edges = data.draw(edge_lists(min_edges=1, max_n=20, max_edges=60))
    sources = data.draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=3))
    g = make(edges, n, directed=directed)
    deterministic = data.draw(st.booleans())
    meeting = data.draw(st.sampled_from((1, 10**6)))
    with (
        pytest.MonkeyPatch.context() as patch,
        tg.threads(data.draw(st.sampled_from([1, 3]))),
    ):
        one_worker_never(patch)
        patch.setattr(team, "given_meeting", meeting)
        found = tg.bfs(g, sources, verify=True, direction=direction, deterministic=deterministic)
    expected = expected_levels(n, edges, sources, directed)
    assert found.levels.tolist() == expected
    assert found.trace["frontier_vertices"].sum() == sum(x >= 0 for x in expected)
    assert len(found.trace) == max(expected) + 1


@given(data=st.data(), directed=st.booleans())
@settings(max_examples=60, deadline=None)
def test_hubs_are_the_neighbours_of_highest_degree(data, directed):
    n, edges = data.draw(edge_lists(max_n=12, max_edges=50))
    g = make(edges, n, directed=directed)
    found = hubs_of(g.rows, g.transpose.rows).reshape(-1, 2)
    degrees = g.degrees.tolist()
    for v, chosen in enumerate(found.tolist()):
        sources = {u for u in range(n) if v in g.neighbors(u).tolist()}
        most = sorted((degrees[u] for u in sources), reverse=True)[:2]
        hubs = [u for u in chosen if u >= 0]
        assert [degrees[u] for u in hubs] == most
        assert set(hubs) <= sources
        assert len(set(hubs)) == len(hubs)
        assert (chosen[0] == NO_NEIGHBOUR) == (not sources)


@pytest.mark.parametrize("directed", [False, True])
def test_later_searches_of_a_graph_look_at_hubs_first(monkeypatch, directed):
    monkeypatch.setattr(bfs_on_host, "HUBS_AFTER_SEARCHES", 2)
    one_worker_never(monkeypatch)
    g = tg.kronecker(9, rng=3, directed=directed)
    told = []
    for source in range(6):
        found = tg.bfs(g, source, direction="pull", verify=True)
        known = bfs_on_host._known[g]
        assert (known.hubs is not None) == (source >= 2)
        other = tg.bfs(g, source, direction="push")
        assert found.levels.tolist() == other.levels.tolist()
        told += ["found hubs" in result.run.reason for result in (found, other)]
    assert told == [k == 3 for k in range(12)], "it is in the time of one search, which says so"


def test_a_policy_knows_who_pushes_and_what_pulls_look_at_first(monkeypatch):
    one_worker_never(monkeypatch)
    g = tg.kronecker(9, rng=3)

    def pulls(meeting, direction):
        monkeypatch.setattr(team, "given_meeting", meeting)
        with tg.threads(2):
            return "pull" in tg.bfs(g, 0, direction=direction).trace["direction"]

    assert not pulls(1, lambda s: s.near > 0 or s.alone > 0)
    assert pulls(10**9, lambda s: s.alone > 0)  # the cores are far apart
    bfs_on_host.find_hubs(g)
    assert pulls(1, lambda s: s.near > 0)


def test_a_level_that_can_find_nobody_is_not_walked():
    """Walks that time both directions do walk it, and take a thousand times as long for it."""
    apart = tg.disjoint_union(tg.complete(2000), tg.Graph.from_edges([], [], n=3, directed=False))
    for g in (tg.complete(2000), apart):
        with tg.threads(2):
            walked = [tg.bfs(g, 0, direction="oracle").trace["push_seconds"][-1] for _ in range(5)]
            found = [tg.bfs(g, 0, direction="push", verify=True) for _ in range(5)]
        assert 10 * min(f.trace["seconds"][-1] for f in found) < min(walked)
        for f in found:
            assert f.trace["frontier_vertices"].sum() == (f.levels >= 0).sum()


def test_what_was_chosen_for_a_level_that_is_not_walked_is_told(monkeypatch):
    one_worker_never(monkeypatch)
    one_way = tg.Graph.from_edges(np.zeros(400, int), np.arange(1, 401), directed=True)
    for g in (tg.complete(400), one_way):
        with tg.threads(2):
            found = tg.bfs(g, 0, direction=lambda s: s.depth > 0, verify=True)
        assert found.trace["direction"].tolist() == ["push", "pull"]


@pytest.mark.parametrize("many", [False, True])
def test_a_frontier_becomes_a_bitmap_from_its_queue_or_from_the_levels(monkeypatch, many):
    one_worker_never(monkeypatch)
    hub = tg.star(5001 if many else 51)
    g = tg.disjoint_union(hub, tg.path(5000))
    g = tg.Graph.from_edges(
        np.append(g.to_edges()[0], [1, 2]),
        np.append(g.to_edges()[1], [hub.n, hub.n + 9]),
        directed=False,
    )
    with tg.threads(2):
        found = tg.bfs(g, 0, direction=lambda s: s.depth == 1, verify=True)
    assert found.trace["direction"][:3].tolist() == ["push", "pull", "push"]
    assert found.levels[[hub.n, hub.n + 9]].tolist() == [2, 2]


def test_half_of_the_searches_that_are_learned_from_have_hubs(monkeypatch):
    one_worker_never(monkeypatch)
    monkeypatch.setattr(team, "given_meeting", 10**9)
    with tg.threads(2):
        levels = levels_of(measure_graph("kronecker 9 8", 4, 1, 1)["records"])
    assert levels.column("alone").all()
    searches = levels.where(levels.first)
    assert searches.column("near").tolist() == [0, 1, 0, 1]


GRAPHS = {
    "single": lambda: tg.Graph.from_edges([], [], n=1),
    "loop": lambda: tg.Graph.from_edges([0], [0]),
    "path": lambda: tg.path(3000),
    "star": lambda: tg.star(3000),
    "complete": lambda: tg.complete(60),
    "apart": lambda: tg.disjoint_union(tg.path(50), tg.star(70)),
    "kronecker": lambda: tg.kronecker(11, rng=1),
    "directed": lambda: tg.kronecker(11, rng=1, directed=True),
    "parallel": lambda: tg.kronecker(9, rng=1, simple=False),
    "road": lambda: tg.road(60, 60, rng=1),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_graphs_of_every_kind(name, workers):
    g = GRAPHS[name]()
    rows = [g.neighbors(v).tolist() for v in range(g.n)]
    for source in (0, g.n // 2, g.n - 1):
        result = tg.bfs(g, source, verify=True)
        found = oracles.distances(rows, source)
        assert result.levels.tolist() == [found.get(v, -1) for v in range(g.n)]


def test_cutoff_and_target(workers):
    g = tg.path(100)
    assert tg.bfs(g, 0, cutoff=3, verify=True).levels.tolist() == [0, 1, 2, 3] + [-1] * 96
    assert tg.bfs(g, 0, cutoff=0).levels.tolist() == [0] + [-1] * 99
    found = tg.bfs(g, 0, target=5, verify=True).levels
    assert found[5] == 5
    assert found[50] == -1
    apart = tg.disjoint_union(tg.path(3), tg.path(3))
    assert tg.bfs(apart, 0, target=5).levels.tolist() == [0, 1, 2, -1, -1, -1]


def test_two_hundred_runs_with_more_threads_than_cores():
    g = tg.kronecker(16, 4, rng=3)
    source = int(g.degrees.argmax())
    with tg.threads(4):
        first = tg.bfs(g, source, verify=True, deterministic=True)
        assert first.trace["threads"][0] == 4
        for _ in range(200):
            again = tg.bfs(g, source, deterministic=True)
            assert np.array_equal(again.levels, first.levels)
            assert np.array_equal(again.parents, first.parents)


def test_trace():
    g = tg.kronecker(12, rng=1)
    result = tg.bfs(g, int(g.degrees.argmax()))
    t = result.trace
    assert set(t["direction"]) == {"push", "pull"}
    assert t["frontier_edges"][0] == g.features.max_degree
    assert t["unvisited"][0] == g.n - 1
    summary = t.summary()
    assert (
        summary["iterations"]
        == len(t)
        == summary["push"]["iterations"] + summary["pull"]["iterations"]
    )
    assert 0 < summary["seconds"] <= result.seconds
    assert t.to_arrow().num_rows == len(t)
    assert list(t.to_pandas().columns) == list(t.columns)
    assert next(iter(t))["direction"] in ("push", "pull")
    assert len(tg.bfs(g, 0, trace=False).trace) == 0
    with pytest.raises(tg.InputError, match="no column"):
        t["colour"]


def test_result_cannot_be_changed():
    r = tg.bfs(tg.path(3), 0)
    assert r.provenance == "measured"
    assert set(r.to_dict()) == {"levels", "parents"}
    assert "levels: int32[3]" in repr(r)
    with pytest.raises(AttributeError, match="cannot assign to field"):
        r.levels = 1
    with pytest.raises(ValueError, match="read-only"):
        r.levels[0] = 1
    with pytest.raises(AttributeError, match="no attribute 'distances'"):
        r.distances  # noqa: B018


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"source": 5}, "no vertex 5; ids go from 0 to 4"),
        ({"source": -1}, "no vertex -1"),
        ({"source": []}, "not a vertex id"),
        ({"source": "a"}, "not a vertex id"),
        ({"source": 0, "target": 9}, "target: there is no vertex 9"),
        ({"source": 0, "cutoff": -1}, "cutoff = -1 is negative"),
        ({"source": 0, "threads": 0}, "at least one"),
    ],
)
def test_bad_arguments(options, message):
    with pytest.raises(tg.InputError, match=message):
        tg.bfs(tg.path(5), **options)
    with pytest.raises(tg.InputError, match="the graph is empty"):
        tg.bfs(tg.Graph.from_edges([], []), 0)


def wrong(change):
    g = tg.road(8, 8, deleted=0.1, rng=1)
    r = tg.bfs(g, 0)
    levels, parents = r.levels.copy(), r.parents.copy()
    change(levels, parents)
    check_bfs(g, np.array([0]), levels, parents, True)


@pytest.mark.parametrize(
    "change",
    [
        lambda levels, parents: levels.__setitem__(5, 0),
        lambda levels, parents: levels.__setitem__(63, levels[63] + 1),
        lambda levels, parents: levels.__setitem__(63, -1),
        lambda levels, parents: parents.__setitem__(0, 1),
        lambda levels, parents: parents.__setitem__(63, 0),
        lambda levels, parents: (levels.__setitem__(63, -1), parents.__setitem__(63, -1)),
    ],
)
def test_the_verifier_finds_errors(change):
    wrong(lambda levels, parents: None)
    with pytest.raises(tg.VerificationError):
        wrong(change)


def test_a_path_is_not_walked_in_step(workers):
    """Levels of one vertex are left to one worker: a team would wait for each other at every level."""
    n = 30_000
    long_and_bushy = tg.disjoint_union(tg.path(n), tg.kronecker(10, rng=1))
    source, target = long_and_bushy.to_edges()[:2]
    g = tg.Graph.from_edges(
        np.append(source, n - 1), np.append(target, n), n=long_and_bushy.n, directed=False
    )
    result = tg.bfs(g, 0, verify=True)
    assert result.levels[n - 1] == n - 1
    assert len(result.trace) == result.levels.max() + 1
    assert tg.bfs(g, 0, target=500, verify=True).levels[600] == -1
    assert tg.bfs(g, 0, cutoff=7, verify=True).levels.max() == 7


@pytest.mark.parametrize("device", ["host", "auto", ["host"], "host,host"])
def test_the_host_may_be_named(device):
    assert tg.bfs(tg.path(4), 0, device=device, target=2).levels.tolist()[:3] == [0, 1, 2]
    assert tg.sssp(tg.path(4), 0, device=device, algorithm="dijkstra").run.device == "host"


@needs_pyopencl
def test_a_search_is_not_shared_by_host_and_device():
    any_device()
    for search in (tg.bfs, tg.sssp):
        with pytest.raises(tg.InputError, match="on the host or on one device"):
            search(tg.path(4), 0, device=["host", "opencl"])


def test_a_pull_that_is_given_up_early_does_not_part_a_team(monkeypatch):
    """A worker that had just left a pull took the next one, which was given up, for it: no end."""
    one_worker_never(monkeypatch)
    loops, far, near = [(0, 0)] * 3, [(2, 1)] * 4, [(2, 2)] * 3
    g = make([*loops, *far, *near], 3, directed=False)
    for _ in range(200):
        assert tg.bfs(g, 2, threads=4).levels.tolist() == [-1, 1, 0]


def test_a_worker_that_is_told_to_stop_leaves_the_marks_of_vertices_that_others_may_claim(
    monkeypatch,
):
    """It wrote -1 there while others still pushed: who claimed a vertex before that claimed it again,
    and the queue has room for each once.
    """
    control = np.zeros(SIZE, np.int64)

    @ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p)
    def stops(state, parameters):
        control[STOP] = 1
        return PULL

    def alone(walk, workers, *given, **how):
        return [walk(Team(control, 0, 1), *given)]

    monkeypatch.setattr(kernel.teams, "run_team", alone)
    chooser = Chooser(ctypes.cast(stops, ctypes.c_void_p).value, np.zeros(1))
    rows = tg.path(3).rows
    _, parents, _, _ = kernel.traverse(rows, rows, np.zeros(1, rows.indices.dtype), chooser)
    unvisited = -np.diff(rows.indptr)[1:] - 1
    assert parents.tolist() == [0, *unvisited]
