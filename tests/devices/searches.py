"""What the contract asks of searches on devices, and the kernels that they consist of."""

from __future__ import annotations

import numpy as np

import tachograph as tg
from tests.graph.test_build import rows_of
from tests.oracles import distances, shortest

#: Policies that the device asks. With each, and with each size of groups, kernels are another program, which takes
#: seconds to build; on a graphics processor they differ by these lines only, so odd sizes have one, even ones the other.
POLICIES = ("auto", "gapbs")


def search(device, g, monkeypatch):
    """Levels by every kind of policy, and as far as a cutoff or a target."""
    neighbours = [[t for t, _ in row] for row in rows_of(g)]
    found = distances(neighbours, 0)
    expected = [found.get(v, -1) for v in range(g.n)]
    written = POLICIES if device.kind == "cpu" else POLICIES[device.group % 2 :][:1]
    asked = ("push", "pull", "oracle", lambda state: state.depth % 2 == 0)
    for direction in (*asked, *written):
        made = tg.bfs(g, 0, device=device, direction=direction, verify=True)
        assert made.levels.tolist() == expected, direction
    cut = tg.bfs(g, 0, device=device, cutoff=1, verify=True).levels
    assert cut.tolist() == [x if x <= 1 else -1 for x in expected]
    end = max(found, key=found.__getitem__)
    assert tg.bfs(g, 0, device=device, target=end).levels[end] == found[end]


def relax(device, g, monkeypatch):
    """Distances with weights that may be zero, and what is left out on purpose."""
    lengths = (np.arange(g.arcs) % 7).astype(np.int32)
    ends = np.repeat(np.arange(g.n), g.degrees), g.indices
    w = tg.Graph.from_edges(*ends, lengths, n=g.n)
    expected = shortest(rows_of(w), [0])
    assert tg.sssp(w, 0, device=device, verify=True).distances.tolist() == expected
    able = device.capabilities.double and device.capabilities.int64_atomics
    if able and (device.kind == "cpu" or device.group % 2 == 0):  # likewise
        real = tg.Graph.from_edges(*ends, (np.arange(g.arcs) % 13 / 10), n=g.n)
        found = tg.sssp(real, 0, device=device, verify=True).distances
        assert np.array_equal(found, tg.sssp(real, 0, algorithm="dijkstra").distances)
    few = tg.Approximation(iterations=2, fraction=0.9, min_degree=1, max_degree=50, atomic=False)
    assert (tg.sssp(w, 0, device=device, approximation=few).distances >= expected).all()


def label(device, g, monkeypatch):
    """The smallest id of each component."""
    found = tg.connected_components(g, device=device, verify=True)
    both: list[list[int]] = [[] for _ in range(g.n)]
    for u, row in enumerate(rows_of(g)):
        for v, _ in row:
            both[u].append(v)
            both[v].append(u)
    expected = [-1] * g.n
    for v in range(g.n):
        if expected[v] < 0:
            for u in distances(both, v):
                expected[u] = v
    assert found.labels.tolist() == expected


def rank(device, g, monkeypatch):
    """Scores as the host's, with and without weights, from everywhere and from one vertex."""
    weights = (np.arange(g.arcs) % 5).astype(np.int32)
    w = tg.Graph.from_edges(np.repeat(np.arange(g.n), g.degrees), g.indices, weights, n=g.n)
    for graph, given in ((g, None), (w, None), (g, np.arange(g.n) == 0)):
        found = tg.pagerank(graph, personalization=given, device=device, verify=True)
        expected = tg.pagerank(graph, personalization=given, tol=1e-12, max_iter=1000).scores
        assert abs(found.scores - expected).sum() < 1e-5


SEARCHES = {
    search: [f"bfs: {name}" for name in
             ("make_unvisited", "enter", "end_level", "push", "push_wide", "alone", "turn_to", "clear_bitmap", "to_bitmap",
              "to_queue", "list_wide", "pull", "pull_wide", "take_back", "restore", "complete")],
    relax: [f"bellman_ford: {name}" for name in
            ("begin_distances", "enter_sources", "relax", "relax_wide", "end_round", "split", "end_split",
             "relax_alone")],
    label: [f"components: {name}" for name in
            ("hook", "link_second", "shorten", "sample", "link_rest", "link_wide")],
    rank: [f"pagerank: {name}" for name in
           ("first_scores", "list_tasks", "sum_pieces", "settle", "end_iteration")],
}  # fmt: skip
