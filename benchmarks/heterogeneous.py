"""Independent sets and maximum flows beside NetworkX, NetworKit, SciPy and igraph, in one run.

    python benchmarks/heterogeneous.py mis [--full] [--record]
    python benchmarks/heterogeneous.py flow [--full] [--record]

Candidates take turns; the median of the rounds counts. No constant was fitted to these flow problems,
but two shortcuts (arcs turned round as the network is built; no search if all gets there) were
written after their first results were seen; the sizes of ``--full`` were run only afterwards.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from record import rounded, show

import tachograph as tg
from tachograph.decisions.graphs import layers
from tachograph.papers.heterogeneous import graphs, stencil
from tachograph.papers.reproduce import Table

ROUNDS = 5
LONG = 4.0  # seconds beyond which a candidate runs once


def in_turns(candidates: dict[str, Callable[[], Any]]) -> dict[str, float]:
    """The median seconds of each."""
    taken: dict[str, list[float]] = {name: [] for name in candidates}
    for turn in range(ROUNDS + 1):
        for name, run in candidates.items():
            if turn > 1 and taken[name][0] > LONG:
                continue
            begin = time.perf_counter()
            run()
            if turn or time.perf_counter() - begin > LONG:  # the first warms up
                taken[name].append(time.perf_counter() - begin)
    return {name: statistics.median(seconds) for name, seconds in taken.items()}


def row(name: str, graph: tg.Graph, seconds: dict[str, float], peers: list[str]) -> list[Any]:
    """Our milliseconds, and how many times as long the others take."""
    ours = next(iter(seconds.values()))
    ratios = [rounded([seconds[p] / ours])[0] if p in seconds else None for p in peers]
    print(name, file=sys.stderr, flush=True)
    return [name, graph.n, graph.m, *rounded([1e3 * ours]), *ratios]


def sets(full: bool) -> Table:
    import networkit
    import networkx

    peers = ["ours, 1 thread", "NetworKit", "NetworkX"]
    rows = []
    for name, make in graphs(full).items():
        g = make()
        source, target = g.to_edges()[:2]
        other = networkit.GraphFromCoo((source.astype(np.uint64), target.astype(np.uint64)), n=g.n)
        candidates: dict[str, Callable[[], Any]] = {
            "ours": lambda g=g: tg.maximal_independent_set(g),
            "ours, 1 thread": lambda g=g: tg.maximal_independent_set(g, threads=1),
            "NetworKit": lambda other=other: networkit.independentset.Luby().run(other),
        }
        if g.n <= 20_000:  # it takes time with the square of the vertices
            third = networkx.Graph()
            third.add_nodes_from(range(g.n))
            third.add_edges_from(zip(source.tolist(), target.tolist(), strict=True))
            candidates["NetworkX"] = lambda third=third: networkx.maximal_independent_set(
                third, rng=1
            )
        rows.append(row(name, g, in_turns(candidates), peers))
    columns = ["graph", "vertices", "edges", "ours, ms", *(f"{peer}, ×" for peer in peers)]
    return Table("Independent sets", columns, rows)


def problems(full: bool) -> Iterator[tuple[str, tg.Graph]]:
    wide = 2 if full else 1
    rng = np.random.default_rng(5)

    def weighted(g: tg.Graph) -> tg.Graph:
        source, target = g.to_edges()[:2]
        weights = rng.integers(1, 200, source.size).astype(np.int32)
        return tg.Graph.from_edges(source, target, weights, n=g.n, directed=g.directed)

    side = 220 * wide
    square = weighted(stencil((side, side)))
    yield "grid", square.with_meta(source=side + 1, sink=square.n - side - 2)
    yield "grid, rows", ends_joined(square, np.arange(side), np.arange(square.n - side, square.n))
    yield "layers, wide", layers(24, 1500 * wide, rng=5)
    yield "layers, long", layers(1500 * wide, 24, rng=5)
    for scale in (13, 15 + wide):
        g = weighted(tg.kronecker(scale, 8, rng=5, directed=True))
        order = np.argsort(-g.degrees)
        yield f"power law {scale}", g.with_meta(source=int(order[2]), sink=int(order[20]))


def ends_joined(g: tg.Graph, first: np.ndarray, last: np.ndarray) -> tg.Graph:
    """With a source before some vertices and a sink behind others."""
    source, target, weights = g.to_edges()
    assert weights is not None
    ends = [np.concatenate([source, np.full(first.size, g.n), last]),
            np.concatenate([target, first, np.full(last.size, g.n + 1)])]  # fmt: skip
    most = np.full(first.size + last.size, 10**6)
    made = tg.Graph.from_edges(
        *ends, np.concatenate([weights, most]), n=g.n + 2, directed=g.directed
    )
    return made.with_meta(source=g.n, sink=g.n + 1)


def flows(full: bool, everything: bool) -> Table:
    import igraph
    from scipy.sparse.csgraph import maximum_flow

    peers = ["cut", "SciPy flow", "igraph value"] + ["igraph flow"] * everything
    rows = []
    for name, g in problems(full):
        source, sink = int(g.meta["source"]), int(g.meta["sink"])
        tails, heads, weights = g.to_edges()
        matrix = g.to_scipy().astype(np.int32)
        other = igraph.Graph(n=g.n, edges=np.column_stack([tails, heads]), directed=g.directed)
        capacity = np.asarray(weights).tolist()
        candidates: dict[str, Callable[[], Any]] = {
            "flow": lambda g=g: tg.maximum_flow(g),
            "cut": lambda g=g: tg.minimum_cut(g),
            "SciPy flow": lambda m=matrix, s=source, t=sink: maximum_flow(m, s, t),
            "igraph value": lambda o=other, s=source, t=sink, c=capacity: o.maxflow_value(s, t, c),
        }
        if everything:
            candidates["igraph flow"] = lambda o=other, s=source, t=sink, c=capacity: o.maxflow(
                s, t, c
            )
        value = tg.maximum_flow(g, verify=True).value
        assert value == other.maxflow_value(source, sink, capacity)
        rows.append(row(name, g, in_turns(candidates), peers))
    columns = ["problem", "vertices", "edges", "ours, ms", *(f"{peer}, ×" for peer in peers)]
    return Table("Maximum flow with its cut", columns, rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["mis", "flow"])
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--igraph-flow", action="store_true", help="its flow, too, which is slow")
    parser.add_argument("--record", action="store_true", help="keep it in results")
    given = parser.parse_args()
    made = sets(given.full) if given.what == "mis" else flows(given.full, given.igraph_flow)
    show({"mis": "independent-sets", "flow": "maximum-flow"}[given.what], [made], given.record)
