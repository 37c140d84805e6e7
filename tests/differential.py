"""Every algorithm on random graphs of all kinds, with 1 to 4 threads and on every device, against others.

    python -m tests.differential --graphs 18000     # how many comparisons there were, and what differed
    python -m tests.differential leiden louvain     # of some tasks only

All thresholds below which one thread works are 1 at most, so that small graphs are enough. Weights are eighths of
small whole numbers, whose sums are exact in any order: distances and flows must be equal, not close.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import networkx as nx
import numpy as np
import pytest

import tachograph as tg
from tachograph.algorithms import (
    flow_solve,
    independent_rounds,
    similarity_edges,
    strong,
    two_hop,
)
from tachograph.devices.discovery import discover
from tachograph.kernels.bfs import search
from tachograph.kernels.independent_set import greedy
from tachograph.kernels.runtime import team
from tachograph.kernels.runtime.launch import SERIAL_BELOW
from tachograph.kernels.similarity import pairs
from tachograph.kernels.sssp import delta_stepping
from tests.peer_answers import HAS_IGRAPH, Case

GRAPHS = 200  # in the default tests
BATCH = 250  # graphs that a process takes at a time
THREADS = [{"threads": count} for count in (1, 2, 3, 4)]
THRESHOLDS = [
    (search, "SERIAL_UP_TO_VERTICES"),
    (delta_stepping, "OWNED_BLOCK_BITS"),  # else one worker would own all vertices
    (strong, "SEARCH_FROM_ARCS"),
    (similarity_edges, "SERIAL_BELOW_ARCS"),
    (similarity_edges, "CHUNK_ARCS_AT_LEAST"),
    (pairs, "SERIAL_BELOW_PAIRS"),
    (two_hop, "SERIAL_BELOW_SIZE"),
    (greedy, "SERIAL_BELOW_SIZE"),
    (flow_solve, "SERIAL_BELOW_VERTICES"),
    (independent_rounds, "SERIAL_BELOW_VERTICES"),
    (team, "given_meeting"),
]
Ways = list[dict[str, Any]]


def check_bfs(case: Case, ways: Ways) -> None:
    answers = case.levels
    for way in ways:
        for direction in ["auto"] if "device" in way else ["auto", "push", "pull"]:
            found = tg.bfs(case.graph, case.source, direction=direction, **way)
            reached = np.flatnonzero(found.levels >= 0).tolist()
            for answer in answers:
                assert {v: int(found.levels[v]) for v in reached} == answer
            for v in reached:
                parent = int(found.parents[v])
                if v != case.source:
                    assert answers[0][v] == answers[0][parent] + 1
                    assert case.neighbours[parent, v]


def check_sssp(case: Case, ways: Ways) -> None:
    answers = case.distances
    for way in ways:
        ours = {"algorithm": "bellman-ford"} if "device" in way else {}
        if ours and (case.weights is None or case.weights.dtype.kind == "f"):
            continue  # devices relax whole weights only
        found = tg.sssp(case.graph, case.source, **ours, **way)
        reached = np.flatnonzero(np.isfinite(found.distances)).tolist()
        for answer in answers:
            assert {v: found.distances[v] for v in reached} == answer
        for v in reached:
            assert found.path(v)[0] == case.source


def check_sssp_with_negative_weights(case: Case, ways: Ways) -> None:
    rng = np.random.default_rng(case.seed)
    weights = rng.integers(-2, 30, len(case.edges))
    graph = tg.Graph.from_edges(*case.edges.T, weights, n=case.n)
    other = nx.MultiDiGraph()
    other.add_nodes_from(range(case.n))
    other.add_weighted_edges_from(np.c_[case.edges, weights].tolist())
    try:
        answer = dict(nx.single_source_bellman_ford_path_length(other, case.source))
    except nx.NetworkXUnbounded:
        for way in ways:
            with pytest.raises(tg.NegativeCycleError):
                tg.sssp(graph, case.source, **way)
        return
    for way in ways:
        found = tg.sssp(graph, case.source, **way).distances
        assert {int(v): found[v] for v in np.flatnonzero(np.isfinite(found))} == answer


def check_pagerank(case: Case, ways: Ways) -> None:
    for way in ways[:1] if "threads" in ways[0] else ways:  # threads are compared below
        found = tg.pagerank(case.graph, tol=1e-11, max_iter=2000, **way)
        for answer in case.pageranks:
            np.testing.assert_allclose(found.scores, answer, atol=1e-9)
    few = [tg.pagerank(case.graph, tol=1e-3, **way).scores for way in ways]
    for scores in few:  # not close to those of one thread, but equal
        np.testing.assert_array_equal(scores, few[0])


def check_connected_components(case: Case, ways: Ways) -> None:
    answers = case.components
    for way in ways:
        found = tg.connected_components(case.graph, **way)
        assert [found.labels.tolist()] * len(answers) == answers
        assert found.count == len(set(answers[0]))


def check_triangles(case: Case, ways: Ways) -> None:
    if case.directed:
        return
    answers = case.triangles
    for way in ways:
        found = tg.triangles(case.graph, per_vertex=True, **way)
        assert [found.per_vertex.tolist()] * len(answers) == answers
        assert found.count == sum(answers[0]) // 3 == tg.triangles(case.graph, **way).count


def check_similarity(case: Case, ways: Ways) -> None:
    arcs = {(int(u), int(v)) for u, v in np.argwhere(case.neighbours)}
    wanted = sorted(a for a in arcs if case.directed or a[0] < a[1])
    for task in ("jaccard", "overlap", "sorensen", "cosine"):
        want = case.similarities(task)
        for way in ways:
            if "device" in way and case.directed:
                continue
            found = getattr(tg, task)(case.graph, **way)
            assert sorted(zip(found.source.tolist(), found.target.tolist(), strict=True)) == wanted
            for answer in [want, *(case.jaccards if task == "jaccard" else [])]:
                other = answer[found.source, found.target]
                np.testing.assert_allclose(found.values, other, atol=1e-12)
    if not case.directed:
        for u, v, value in nx.jaccard_coefficient(case.simple, wanted):
            assert value == pytest.approx(case.similarities("jaccard")[u, v])


def check_adamic_adar(case: Case, ways: Ways, task: str = "adamic_adar") -> None:
    degrees = case.neighbours.sum(axis=0, dtype=np.float64)
    with np.errstate(divide="ignore"):
        worth = 1 / (degrees if task == "resource_allocation" else np.log(degrees))
    worth[degrees < 2] = 0  # neighbours of one vertex only are common to none
    want = (case.neighbours * worth) @ case.neighbours.T
    for way in ways:
        found = getattr(tg, task)(case.graph, **way)
        np.testing.assert_allclose(found.values, want[found.source, found.target], atol=1e-12)
    if not case.directed:
        index = getattr(nx, f"{task}_index")
        pairs = zip(found.source.tolist(), found.target.tolist(), strict=True)
        other = [value for _, _, value in index(case.simple, list(pairs))]
        np.testing.assert_allclose(found.values, other, atol=1e-12)


def check_resource_allocation(case: Case, ways: Ways) -> None:
    check_adamic_adar(case, ways, "resource_allocation")


def check_two_hop(case: Case, ways: Ways) -> None:
    common = case.neighbours.astype(int) @ case.neighbours.T
    far = sorted((int(u), int(v)) for u, v in np.argwhere(np.triu(common, 1)))
    want = case.similarities("cosine")
    for way in ways:
        found = tg.cosine(case.graph, "two_hop", **way)
        assert sorted(zip(found.source.tolist(), found.target.tolist(), strict=True)) == far
        given = tg.cosine(case.graph, np.c_[found.source, found.target], **way)
        for values in (found.values, given.values):
            np.testing.assert_allclose(values, want[found.source, found.target], atol=1e-12)


def check_maximal_independent_set(case: Case, ways: Ways) -> None:
    joined = case.neighbours | case.neighbours.T
    sets = set()
    rounds = [{"device": "host", **way} for way in ways[-1:] if "threads" in way]
    for way in [*ways, *rounds]:
        mask = tg.maximal_independent_set(case.graph, rng=case.seed, **way).mask
        assert not joined[np.ix_(mask, mask)].any()
        assert (mask | joined[mask].any(axis=0)).all()
        sets.add((mask.tobytes(), "device" in way))
    assert len(sets) <= 2  # one by the default method, one by rounds: on any threads or device


def check_maximum_flow(case: Case, ways: Ways) -> None:
    if case.source == case.sink:
        return
    answers = case.flows
    rounds = [{"device": "host", **way} for way in ways if "threads" in way]
    for way in [ways[0], *(rounds or ways)]:  # the default method has one thread
        found = tg.maximum_flow(case.graph, case.source, case.sink, verify=way is ways[0], **way)
        assert [found.value] * len(answers) == answers


def check_minimum_cut(case: Case, ways: Ways) -> None:
    if case.source == case.sink:
        return
    answers = case.flows
    for way in ways:
        found = tg.minimum_cut(case.graph, case.source, case.sink, **way)
        assert [found.value] * len(answers) == answers
        for u, v in found.edges.tolist():
            assert found.source_side[u] > found.source_side[v]
        weights = case.graph.weights
        cost = found.arcs.size if weights is None else weights[found.arcs].sum()
        assert cost == found.value


def check_spmv(case: Case, ways: Ways) -> None:
    vector = np.arange(case.n) % 7 - 2.0
    for way in ways:
        np.testing.assert_array_equal(
            tg.spmv(case.graph, vector, **way).values, case.product(vector)
        )


def check_strongly_connected_components(case: Case, ways: Ways) -> None:
    answers = case.strong_components
    for way in ways:
        found = tg.strongly_connected_components(case.graph, **way)
        assert [found.labels.tolist()] * len(answers) == answers
        assert found.count == len(set(answers[0]))


def check_distances(case: Case, ways: Ways) -> None:
    """Each source's row is what a search of NetworkX finds; pairs are entries of that matrix."""
    asked = np.random.default_rng(case.seed).integers(0, case.n, (6, 2))
    for graph, weight in ((case.graph, "weight"), (case.graph.without_weights(), None)):
        none = -1 if graph.weights is None else np.inf
        far = [
            nx.single_source_dijkstra_path_length(case.nx, s, weight=weight) for s in asked[:, 0]
        ]
        want = [[one.get(v, none) for v in range(case.n)] for one in far]
        ends = [row[end] for row, end in zip(want, asked[:, 1], strict=True)]
        for way in ways:
            assert tg.distances(graph, asked[:, 0], **way).distances.tolist() == want
            assert tg.distances(graph, *asked.T, paired=True, **way).distances.tolist() == ends


def check_core_number(case: Case, ways: Ways) -> None:
    numbers = nx.core_number(case.simple_arcs)
    answers = [[numbers[v] for v in range(case.n)]]
    if HAS_IGRAPH:
        answers.append(case.igraph_simple.coreness())
    for way in ways:
        assert [tg.core_number(case.graph, **way).cores.tolist()] * len(answers) == answers


def check_leiden(case: Case, ways: Ways, task: str = "leiden") -> None:
    if case.directed or case.seed % 8:
        return  # barriers of many threads on few cores take their time
    found = [getattr(tg, task)(case.graph, rng=case.seed, **way) for way in ways[::2]]
    for other in found:
        np.testing.assert_array_equal(other.labels, found[0].labels)
    parts = [set(np.flatnonzero(found[0].labels == c)) for c in range(found[0].count)]
    graph = nx.MultiGraph()
    graph.add_nodes_from(range(case.n))
    source, target, weights = case.graph.to_edges()
    weights = np.ones(source.size) if weights is None else weights.astype(float)
    graph.add_weighted_edges_from(zip(source, target, weights, strict=True))
    if case.n and graph.size("weight"):
        assert all(nx.is_connected(graph.subgraph(part)) for part in parts)
        assert found[0].modularity == pytest.approx(nx.community.modularity(graph, parts))


def check_louvain(case: Case, ways: Ways) -> None:
    check_leiden(case, ways, "louvain")


def check_label_propagation(case: Case, ways: Ways) -> None:
    check_leiden(case, ways, "label_propagation")


def check_closeness_centrality(case: Case, ways: Ways) -> None:
    _same_scores(case, ways, "closeness_centrality", [])


def check_harmonic_centrality(case: Case, ways: Ways) -> None:
    others = (
        [case.igraph_simple.harmonic_centrality(mode="in", normalized=False)] if HAS_IGRAPH else []
    )
    _same_scores(case, ways, "harmonic_centrality", others if case.n > 1 else [])


def check_betweenness_centrality(case: Case, ways: Ways) -> None:
    others = []
    if HAS_IGRAPH and case.n > 2:
        pairs = (case.n - 1) * (case.n - 2) / (1 if case.directed else 2)
        others = [np.array(case.igraph_simple.betweenness()) / pairs]
    _same_scores(case, ways, "betweenness_centrality", others)


def _same_scores(case: Case, ways: Ways, name: str, others: list[Any]) -> None:
    theirs = getattr(nx, name)(case.simple_arcs)
    answers = [[theirs[v] for v in range(case.n)], *others]
    found = [getattr(tg, name)(case.graph, **way).scores for way in ways]
    for scores in found:
        np.testing.assert_array_equal(scores, found[0])
        for answer in answers:
            np.testing.assert_allclose(scores, answer, rtol=1e-9, atol=1e-12)


def check_clustering(case: Case, ways: Ways) -> None:
    if case.directed:
        return
    theirs = nx.clustering(case.simple)
    answers = [[theirs[v] for v in range(case.n)]]
    if HAS_IGRAPH:
        answers.append(case.igraph_simple.transitivity_local_undirected(mode="zero"))
    for way in ways:
        for answer in answers:
            np.testing.assert_allclose(tg.clustering(case.graph, **way).values, answer, atol=1e-12)


def check_similar_to(case: Case, ways: Ways) -> None:
    for measure in ("jaccard", "cosine"):
        want = case.similarities(measure)[case.source]
        near = [v for v in np.flatnonzero(want > 0).tolist() if v != case.source]
        near.sort(key=lambda v: (-round(want[v], 12), v))
        for way in ways:
            found = tg.similar_to(case.graph, case.source, 5, measure=measure, **way)
            np.testing.assert_allclose(found.values, want[near[:5]], atol=1e-12)
            np.testing.assert_allclose(found.values, want[found.target], atol=1e-12)


CHECKS: dict[str, Callable[[Case, Ways], None]] = {
    name.removeprefix("check_"): check
    for name, check in globals().items()
    if name.startswith("check_")
}
ON_DEVICES = ("bfs", "sssp", "similarity", "maximal_independent_set", "maximum_flow", "pagerank")
ON_DEVICES += ("connected_components",)


def always_several(put: Callable[[Any, str, int], None]) -> None:
    """Let even the smallest graph use all threads; ``put`` sets an attribute."""
    for kind in SERIAL_BELOW:
        SERIAL_BELOW[kind] = 0
    for module, name in THRESHOLDS:
        put(module, name, 1)


def devices() -> list[str]:
    """The OpenCL devices that work."""
    return [found.id for found in discover() if found.problem is None]


def there(name: str, found: list[str]) -> Ways:
    """The ways on devices; similarities are also split between the host and each."""
    both: Ways = [{"device": ["host", d]} for d in found] if name == "similarity" else []
    return [*({"device": d} for d in found), *both] if name in ON_DEVICES else []


def differ(case: Case, name: str, ways: Ways) -> Iterator[str]:
    """Yield what differs on a graph."""
    try:
        CHECKS[name](case, ways)
    except Exception as error:
        yield f"Case({case.seed}), {name}, {ways[0]}: {type(error).__name__}: {error}"


def compare(seeds: range, names: list[str]) -> tuple[Counter[str], list[str]]:
    """Compare these tasks on these graphs; return how many graphs each task was run on, and what differs."""
    os.environ["TACHOGRAPH_JOURNAL"] = "off"
    warnings.simplefilter("ignore")
    always_several(setattr)
    found = devices()
    runs: Counter[str] = Counter()
    problems: list[str] = []
    for case in map(Case, seeds):
        for name in names:
            for place, ways in (("threads", THREADS), ("devices", there(name, found))):
                if ways:
                    runs[f"{name}, {place}"] += 1
                    problems += differ(case, name, ways)
    return runs, problems


def main() -> int:
    options = argparse.ArgumentParser(
        prog="python -m tests.differential",
        description="Every algorithm on random graphs against others.",
    )
    options.add_argument("--graphs", type=int, default=18_000)
    options.add_argument("--first", type=int, default=GRAPHS, help="the seed of the first graph")
    options.add_argument("--processes", type=int, default=2)
    options.add_argument("tasks", nargs="*", metavar="TASK", help=", ".join(CHECKS))
    told = options.parse_args()
    if wrong := set(told.tasks) - set(CHECKS):
        options.error(f"nothing is called {', '.join(sorted(wrong))}")
    last = told.first + told.graphs
    parts = [range(lo, min(lo + BATCH, last)) for lo in range(told.first, last, BATCH)]
    runs: Counter[str] = Counter()
    problems: list[str] = []
    done = 0
    with ProcessPoolExecutor(told.processes, multiprocessing.get_context("spawn")) as pool:
        names = [told.tasks or list(CHECKS)] * len(parts)
        for part, (counted, found) in zip(parts, pool.map(compare, parts, names), strict=True):
            runs += counted
            problems += found
            done += len(part)
            told_now = [f"{done:,} graphs, {len(problems)} differences", *found]
            print(*told_now, sep="\n", file=sys.stderr, flush=True)
    for name, count in runs.items():
        print(f"{name:45} {count:>8,} graphs")
    peers = "SciPy, NetworkX" + (", igraph" if HAS_IGRAPH else "")
    there_are = ", ".join(devices()) or "none"
    print(f"{done:,} graphs against {peers}; devices: {there_are}; {len(problems)} differences")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
