"""Small exercises that together use every compiled loop with every type users meet.

``tacho warm`` does them in processes of their own, so that everything is compiled at once. The first
ones build rows, which all others need. No two others compile the same loops, as far as that can be had.
A new algorithm adds a line for each type of weight it is compiled for.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TypeAlias

import numpy as np

from ..decisions.approximation.model import the_model
from ..decisions.approximation.state import ALGORITHMS, Configuration, State
from ..graph import generate
from ..graph.files import read, write
from ..graph.graph import Graph
from ..kernels.calibration import host as calibrate
from ..kernels.rows.passes import over_rows
from ..kernels.runtime.launch import over_parts, prepare, run
from ..kernels.runtime.nouns import WeightedRows
from ..kernels.similarity import edges as similarity_kernels
from ..kernels.similarity import listed
from ..util.errors import NegativeCycleError
from ..util.exercise import Exercise
from ..util.files import scratch
from .bfs import bfs
from .centrality import betweenness_centrality, closeness_centrality
from .clustering import clustering
from .communities import leiden
from .components import connected_components
from .cores import core_number
from .flow import maximum_flow
from .independent_set import maximal_independent_set
from .pagerank import pagerank, spmv
from .similarity import cosine, jaccard
from .sssp import sssp
from .strong import strongly_connected_components
from .triangles import triangles

__all__ = ["EXERCISES"]

Kind: TypeAlias = type[np.generic] | None  # of weights or ids
SOURCE, TARGET = [0, 0, 0, 1, 2, 2, 3], [1, 1, 2, 2, 0, 3, 4]  # one edge is there twice


def _graph(
    weights: Kind = None, directed: bool = True, ids: Kind = np.int32, dedupe: str = "keep"
) -> Graph:
    """Return a small graph with weights of that type."""
    values = None if weights is None else np.arange(1, len(SOURCE) + 1).astype(weights)
    ends = np.array(SOURCE, ids), np.array(TARGET, ids)
    return Graph.from_edges(*ends, values, directed=directed, dedupe=dedupe)


def _build(ids: Kind, weights: Kind) -> None:
    """Make rows of edges whose ids and weights have these types."""
    _graph(weights, ids=ids)
    _graph(weights, ids=ids, dedupe="min")


def _rows(*weights: Kind) -> None:
    """Everything a graph can be asked, or made from, besides edges."""
    for kind in weights:
        g = _graph(kind, dedupe="sum")
        g.features.to_dict()
        Graph.from_csr(g.indptr, g.indices, g.weights)
        both = _graph(kind, directed=False).sorted
        Graph.from_csr(both.indptr, both.indices, both.weights, directed=False)
        Graph.from_edges(*both.transpose.to_edges(), directed=False)
        for ids in (np.int32, np.int64):
            ends = np.array([0, 1], ids), np.array([1, 0], ids)
            values = None if kind is None else np.ones(2, kind)
            Graph.from_edges(*ends, values, directed=False, symmetrize=False)


def _plans() -> None:
    """What plans look at."""
    from ..decisions.times.model import shape

    shape(_graph(), 0)


def _files() -> None:
    """Text by edges and by rows, with and without weights; binary files that are checked."""
    with scratch() as directory:
        for kind in (np.float64, np.int32, None):
            whole = () if kind is np.float64 else (".graph", ".sg" if kind is None else ".wsg")
            for suffix in (".txt", ".mtx", ".tgraph", ".npz", ".parquet", *whole):
                path = directory / f"graph{suffix}"
                write(_graph(kind, directed=False, dedupe="min"), path)
                for directed in (False, True):
                    read(path, directed=directed).is_sorted  # noqa: B018  (a loop looks)
        far = directory / "far.txt"
        far.write_text(f"0 {2**31}\n")
        read(far, relabel=True)


def _generators() -> None:
    """Every generator with every kind of weights."""
    sizes = {"kronecker": {"scale": 5}, "road": {"rows": 5, "columns": 5}}
    sizes["bipartite"] = {"left": 50, "right": 50}
    for name, make in generate.GENERATORS.items():
        for weights in (None, True, (0.0, 1.0)):
            make(**sizes.get(name, {"n": 50}), weights=weights)


def _oracle() -> None:
    """Both directions, and what a policy would have chosen."""
    from ..decisions.direction.model import State, policy_named
    from ..kernels.bfs import oracle

    bfs(_graph(), 0, direction="oracle")
    policy = policy_named("push")
    first, times = np.ones(1, np.bool_), np.ones(1)
    chosen = np.zeros(1, np.int64)
    states = np.ones((1, len(State._fields)))
    run(oracle.choices, [(policy.address, policy.parameters, 0, states, first, chosen)])
    run(oracle.best, [(first, times, times, times, times, chosen)])
    run(oracle.spent, [(first, times, times, times, times, chosen, times.copy())])


def _strong() -> None:
    from ..kernels import strong

    g = _graph()
    levels, low = np.zeros(g.n, np.int32), np.zeros(g.n, np.int64)
    strong.meet_both(levels, levels, np.zeros(g.n, np.int32), low)
    strong.busiest(g.rows, g.transpose.rows)
    strongly_connected_components(g)


def _triangles() -> None:
    for graph in (generate.path(5), generate.complete(10), generate.complete(400)):
        triangles(graph)  # the last one is ranked by degree


def _similarities() -> None:
    """Edges with and without an order, pairs with and without weights, two hops."""
    g = _graph(np.float64, directed=False)
    order, _ = similarity_kernels.degree_order(g.indptr, g.indices.dtype)
    owned = np.zeros(g.n, np.int64)
    over_rows(similarity_kernels.count_owned, g.indptr, g.indices, owned)
    base = similarity_kernels.edge_numbers(g.indptr, g.indices)
    rows, edges = g.rows, similarity_kernels.Edges(order, order, np.empty(0))
    counted = similarity_kernels.Counted(order, owned, owned, np.empty(0, np.int32))
    run(similarity_kernels.take_counts, [(0, 0, 0, counted, rows, base, 0, edges)])
    prepare(similarity_kernels.claim_high, (owned, 1, 1))
    jaccard(g)
    jaccard(g, algorithm="merge-or-search")
    listed.mask_of(g.indptr, edges, 0.5)
    run(listed.take_listed, [(0, 0, 0, np.empty(0, np.int32), g.indptr, 0, edges)])
    jaccard(g, [(0, 1)])
    cosine(g, [(0, 1)], weight="weight")
    for topk in (None, 1):
        jaccard(g, "two_hop", topk=topk)


def _calibration() -> None:
    """The micro-benchmarks of the host."""
    real, whole, short = np.ones(1), np.zeros(1, np.int32), np.ones(1, np.float32)
    over_parts(calibrate.stream, 1, real, real, real)
    over_parts(calibrate.gather, 1, whole, whole, whole)
    over_parts(calibrate.count, 1, whole, whole)
    over_parts(calibrate.nothing, 1, whole)
    over_parts(calibrate.scalar, 1, whole, 1)
    over_parts(calibrate.vector, 1, short, 1)


def _multiply(weights: Kind) -> None:
    g = _graph(weights)
    spmv(g, np.ones(g.n))
    pagerank(g)
    pagerank(_graph(weights, directed=False))


def _owned(weights: Kind) -> None:
    """Delta-stepping by one worker; the tree of shortest paths."""
    sssp(_graph(weights), 0).to_dict()


def _shared(weights: Kind, far: bool = False) -> None:
    """Delta-stepping by a team. The graph is just large enough to need one."""
    g = generate.complete(400)
    values = np.full(g.arcs, 2**30) if far else np.arange(g.arcs) % 9 + 1
    sssp(Graph(g.indptr, g.indices, values.astype(weights), directed=False), 0, threads=2)


def _wide(algorithm: str) -> None:
    """Whole weights, distances too large for 32 bits."""
    g = Graph.from_edges([0, 1], [1, 2], np.array([2**30, 2**30], np.int32))
    sssp(g, 0, algorithm=algorithm)


def _relaxed(weights: Kind) -> None:
    """Bellman-Ford and its kin; a cycle, if the weights can be negative."""
    g = Graph.from_edges([0, 1, 2], [1, 2, 0], np.array([1, 1, -3], weights))
    with suppress(NegativeCycleError):
        sssp(g, 0)


def _forest() -> None:
    """The trees that advise."""
    state = State(_graph(np.int32), np.zeros(1, np.int64), 2)
    the_model().errors(state.rows([Configuration(ALGORITHMS[0])]), 0.9)


def _flow(weights: Kind, device: str | None = None) -> None:
    for directed in (True, False):
        maximum_flow(_graph(weights, directed=directed), 0, 4, device=device)


def _rounds() -> None:
    from ..kernels.independent_set import rounds

    maximal_independent_set(_graph(), device="host")
    hot, marks = np.zeros(3, np.int32), np.zeros(3, np.uint8)
    tally = np.zeros(rounds.TALLY, np.int32)
    run(rounds.remaining, [(0, hot, marks)])
    words, sharing = rounds.Words(np.uint64(1), 1, hot), rounds.Sharing(True, 0, hot, tally)
    run(rounds.select_shared, [(hot[:0], _graph().rows, words, marks, marks, sharing)])


def _ordered() -> None:
    """Searches that meet vertices in a certain order."""
    from ..kernels.paths.meeting import meeting_path, near_meeting_path
    from ..kernels.paths.ordered import breadth_first, nearest_first, settle

    g = _graph(np.float64)
    back = g.transpose
    assert g.weights is not None
    assert back.weights is not None
    begin = np.zeros(1, np.int32)
    there, behind = g.rows, back.rows
    weighted = WeightedRows(*there, g.weights)
    breadth_first(there, begin, 9)
    distances = nearest_first(weighted, begin)[2]
    settle(weighted, begin, distances)
    meeting_path(there, behind, 0, 4)
    near_meeting_path(weighted, WeightedRows(*behind, back.weights), 0, 4)


EXERCISES: dict[str, Exercise] = {
    "rows of short ids": Exercise(partial(_build, np.int32, np.int32), 4, True),
    "rows of short ids, double weights": Exercise(partial(_build, np.int32, np.float64), 4, True),
    "rows of long ids": Exercise(partial(_build, np.int64, np.int32), 1.5, True),
    "rows of long ids, double weights": Exercise(partial(_build, np.int64, np.float64), 1, True),
    "files": Exercise(_files, 12),
    "graphs": Exercise(partial(_rows, None, np.int32, np.float32), 4),
    "graphs, double weights": Exercise(partial(_rows, np.float64), 1.2),
    "plans": Exercise(_plans, 3),
    "bfs": Exercise(lambda: bfs(_graph(), 0, deterministic=True), 8),
    "bfs, both directions": Exercise(_oracle, 5),
    "searches in order": Exercise(_ordered, 4),
    "generators": Exercise(_generators, 1),
    "components": Exercise(lambda: connected_components(_graph()), 3),
    "strong components": Exercise(_strong, 2),
    "core numbers": Exercise(lambda: core_number(_graph()), 2),
    "communities": Exercise(lambda: leiden(generate.path(50)), 7),  # contracted more than once
    "triangles": Exercise(_triangles, 2.5),
    "sampled wedges": Exercise(lambda: clustering(generate.complete(400), max_error=0.5), 1),
    "closeness": Exercise(lambda: closeness_centrality(generate.path(5)), 4),
    "betweenness": Exercise(lambda: betweenness_centrality(generate.path(5)), 3),
    "similarity": Exercise(_similarities, 7),
    "calibration": Exercise(_calibration, 1),
    "flow": Exercise(partial(_flow, np.int32), 7),
    "flow, float64": Exercise(partial(_flow, np.float64), 5),
    "independent set": Exercise(lambda: maximal_independent_set(_graph()), 3),
    "independent set, rounds": Exercise(_rounds, 2),
    "flow, rounds": Exercise(partial(_flow, np.int32, "host"), 1),
    "flow, rounds, float64": Exercise(partial(_flow, np.float64, "host"), 1),
    "sssp, int32": Exercise(partial(_owned, np.int32), 8),
    "sssp, float32": Exercise(partial(_owned, np.float32), 7),
    "sssp, float64": Exercise(partial(_owned, np.float64), 6),
    "sssp, long distances": Exercise(partial(_wide, "delta-stepping"), 3.5),
    "sssp, dense, int32": Exercise(partial(_shared, np.int32), 7),
    "sssp, dense, float32": Exercise(partial(_shared, np.float32), 7),
    "sssp, dense, float64": Exercise(partial(_shared, np.float64), 7),
    "sssp, dense, long distances": Exercise(partial(_shared, np.int32, far=True), 6),
    "bellman-ford, int32": Exercise(partial(_relaxed, np.int32), 3.5),
    "bellman-ford, float32": Exercise(partial(_relaxed, np.float32), 3),
    "bellman-ford, float64": Exercise(partial(_relaxed, np.float64), 3),
    "bellman-ford, long distances": Exercise(partial(_wide, "bellman-ford"), 2.5),
    "regression trees": Exercise(_forest, 1),
    "pagerank, spmv": Exercise(partial(_multiply, None), 5),
    "pagerank, spmv, int32": Exercise(partial(_multiply, np.int32), 1.7),
    "pagerank, spmv, float32": Exercise(partial(_multiply, np.float32), 1.7),
    "pagerank, spmv, float64": Exercise(partial(_multiply, np.float64), 1.7),
}
