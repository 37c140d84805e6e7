"""Searches in a certain order, beside plain Python that has the same order by its queue or heap."""

from __future__ import annotations

import heapq
from collections import deque

import numpy as np
import pytest

import tachograph as tg
from tachograph.kernels.paths import ordered
from tachograph.kernels.paths.meeting import meeting_path, near_meeting_path
from tachograph.kernels.paths.ordered import breadth_first, nearest_first, settle
from tachograph.kernels.runtime import launch
from tachograph.kernels.runtime.nouns import WeightedRows


def random_rows(seed, whole):
    dice = np.random.default_rng(seed)
    n = int(dice.integers(1, 25))
    m = int(dice.integers(0, 4 * n))
    weights = dice.integers(0, 4, m) if whole else dice.random(m)
    ends = dice.integers(0, n, m), dice.integers(0, n, m)
    return tg.Graph.from_edges(*ends, weights.astype(np.float64), n=n)


def by_queue(g, sources, limit):
    level, parent, queue = {}, {}, deque()
    for s in sources:
        if s not in level:
            level[s], parent[s] = 0, s
            queue.append(s)
    while queue:
        v = queue.popleft()
        if level[v] >= limit:
            continue
        for u in g.neighbors(v).tolist():
            if u not in level:
                level[u], parent[u] = level[v] + 1, v
                queue.append(u)
    return level, parent


def by_heap(g, sources, target, cutoff):
    best, parent, heap, settled, count = {}, {}, [], {}, 0
    for s in sources:
        if s not in best:
            best[s], parent[s] = 0.0, s
            heapq.heappush(heap, (0.0, count, s))
            count += 1
    while heap:
        d, _, v = heapq.heappop(heap)
        if v in settled:
            continue
        settled[v] = d
        if v == target:
            break
        for k in range(g.indptr[v], g.indptr[v + 1]):
            u, there = int(g.indices[k]), d + float(g.weights[k])
            if u not in settled and there <= cutoff and there < best.get(u, np.inf):
                best[u], parent[u] = there, v
                heapq.heappush(heap, (there, count, u))
                count += 1
    return settled, parent


@pytest.mark.parametrize("seed", range(30))
def test_breadth_first(seed):
    g = random_rows(seed, True)
    sources = np.array([0, g.n // 2, 0], np.int32)
    for limit in (0, 1, 2, np.inf):
        order, parent, ends = breadth_first(g.rows, sources, limit)
        level, expected = by_queue(g, sources.tolist(), limit)
        assert order.tolist() == list(level)
        assert {v: int(parent[v]) for v in order.tolist()} == expected
        assert np.repeat(np.arange(ends.size), np.diff(ends, prepend=0)).tolist() == list(
            level.values()
        )


def test_no_sources():
    g = tg.path(3)
    order, _, ends = breadth_first(g.rows, np.empty(0, np.int32), 5)
    assert (order.size, ends.size) == (0, 0)


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("seed", range(30))
def test_nearest_first(seed, whole):
    g = random_rows(seed, whole)
    rows = WeightedRows(*g.rows, g.weights)
    sources = np.array([0, g.n - 1, 0], np.int32)
    for target, cutoff in ((-1, np.inf), (g.n // 2, np.inf), (-1, 1.5)):
        order, parent, key = nearest_first(rows, sources, target, cutoff)
        settled, expected = by_heap(g, sources.tolist(), target, cutoff)
        assert order.tolist() == list(settled)
        assert key[order].tolist() == list(settled.values())
        assert [int(parent[v]) for v in order] == [expected[v] for v in settled]
    order, parent, key = nearest_first(rows, sources)
    again = settle(rows, sources, key)
    assert again[0].tolist() == order.tolist()
    assert again[1].tolist() == parent.tolist()


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("seed", range(20))
def test_paths_from_both_ends(seed, whole):
    g = random_rows(seed, whole)
    back = g.transpose
    there, behind = g.rows, back.rows
    ways = WeightedRows(*there, g.weights), WeightedRows(*behind, back.weights)
    hops = tg.bfs(g, 0).levels
    settled, _ = by_heap(g, [0], -1, np.inf)
    for target in range(g.n):
        path = meeting_path(there, behind, 0, target)
        assert len(path) == hops[target] + 1
        check(g, path, target)
        if target:
            length, path = near_meeting_path(*ways, 0, target)
            check(g, path, target)
            assert length == pytest.approx(settled.get(target, np.inf))
            if path:
                assert lightest(g, path) == pytest.approx(length)


def check(g, path, target):
    if path:
        assert (path[0], path[-1]) == (0, target)
        assert all(v in g.neighbors(u) for u, v in zip(path, path[1:], strict=False))


def lightest(g, path):
    total = 0.0
    for u, v in zip(path, path[1:], strict=False):
        arcs = slice(int(g.indptr[u]), int(g.indptr[u + 1]))
        total += min(w for x, w in zip(g.indices[arcs], g.weights[arcs], strict=True) if x == v)
    return total


def test_only_brief_searches_run_where_ctrl_c_must_wait_for_their_end(monkeypatch):
    brief, run = [], ordered.run
    monkeypatch.setattr(
        ordered, "run", lambda *call, **how: brief.append(how["brief"]) or run(*call, **how)
    )
    monkeypatch.setattr(launch, "BRIEF_BELOW", 1 << 18)
    for n in (9, 1 << 18):
        g = tg.path(n)
        rows = WeightedRows(*g.rows, np.ones(g.arcs))
        breadth_first(g.rows, np.zeros(1, np.int32), np.inf)
        settle(rows, np.zeros(1, np.int32), nearest_first(rows, np.zeros(1, np.int32))[2])
        meeting_path(g.rows, g.rows, 0, n - 1)
        near_meeting_path(rows, rows, 0, n - 1)
    assert brief == [True] * 5 + [False] * 5
