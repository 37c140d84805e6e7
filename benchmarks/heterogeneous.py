"""Independent sets and maximum flows beside NetworkX, NetworKit, SciPy and igraph, in one run.

    python benchmarks/heterogeneous.py mis [--full]
    python benchmarks/heterogeneous.py flow [--full] [--igraph-flow]

Candidates take turns; the median of the rounds counts. No constant was fitted to these flow problems,
but two shortcuts (arcs turned round as the network is built; no search if all gets there) were
written after their first results were seen; the sizes of ``--full`` were run only afterwards. igraph's
flow is slow, so it runs only if it is asked for.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from harness import Table, in_turns, main, rounded

import tachograph as tg
from tachograph.decisions.generators import layers
from tachograph.papers.heterogeneous import graphs, stencil

ROUNDS = 5
ONCE_SECONDS = 4.0  # a candidate that takes longer runs once


def row(name: str, graph: tg.Graph, candidates: dict[str, Callable[[], Any]]) -> dict[str, Any]:
    """Return our milliseconds, and how many times as long the others take."""
    timed = {name: partial(_whole, run) for name, run in candidates.items()}
    times = in_turns(timed, ROUNDS, ONCE_SECONDS)
    print(name, file=sys.stderr, flush=True)
    median = {who: statistics.median(taken) for who, taken in times.items()}
    first, *others = median
    made = {"": name, "vertices": graph.n, "edges": graph.m}
    made[f"{first}, ms"] = rounded([1e3 * median[first]])[0]
    return made | {f"{who}, ×": rounded([median[who] / median[first]])[0] for who in others}


def _whole(run: Callable[[], Any]) -> None:
    """Call, and drop the result, so that the whole call is timed."""
    run()


def table(title: str, rows: list[dict[str, Any]]) -> Table:
    columns = list(dict.fromkeys(name for row in rows for name in row))
    return Table(title, columns, [[row.get(name) for name in columns] for row in rows])


def sets(full: bool) -> Table:
    import networkit
    import networkx

    rows = []
    for name, make in graphs(full).items():
        g = make()
        source, target = g.to_edges()[:2]
        other = networkit.GraphFromCoo((source.astype(np.uint64), target.astype(np.uint64)), n=g.n)
        candidates: dict[str, Callable[[], Any]] = {
            "ours": partial(tg.maximal_independent_set, g),
            "ours, 1 thread": partial(tg.maximal_independent_set, g, threads=1),
            "NetworKit": partial(networkit.independentset.Luby().run, other),
        }
        if g.n <= 20_000:  # it takes time with the square of the vertices
            third = networkx.Graph()
            third.add_nodes_from(range(g.n))
            third.add_edges_from(zip(source.tolist(), target.tolist(), strict=True))
            candidates["NetworkX"] = partial(networkx.maximal_independent_set, third, seed=1)
        rows.append(row(name, g, candidates))
    return table("Independent sets", rows)


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
    """Return the graph with a source before some vertices and a sink behind others."""
    source, target, weights = g.to_edges()
    assert weights is not None
    tails = np.concatenate([source, np.full(first.size, g.n), last])
    heads = np.concatenate([target, first, np.full(last.size, g.n + 1)])
    most = np.concatenate([weights, np.full(first.size + last.size, 10**6)])
    made = tg.Graph.from_edges(tails, heads, most, n=g.n + 2, directed=g.directed)
    return made.with_meta(source=g.n, sink=g.n + 1)


def flows(full: bool, everything: bool) -> Table:
    import igraph
    from scipy.sparse.csgraph import maximum_flow

    rows = []
    for name, g in problems(full):
        ends = int(g.meta["source"]), int(g.meta["sink"])
        tails, heads, weights = g.to_edges()
        matrix = g.to_scipy().astype(np.int32)
        other = igraph.Graph(n=g.n, edges=np.column_stack([tails, heads]), directed=g.directed)
        capacity = np.asarray(weights).tolist()
        candidates: dict[str, Callable[[], Any]] = {
            "ours": partial(tg.maximum_flow, g),
            "cut": partial(tg.minimum_cut, g),
            "SciPy flow": partial(maximum_flow, matrix, *ends),
            "igraph value": partial(other.maxflow_value, *ends, capacity),
        }
        if everything:
            candidates["igraph flow"] = partial(other.maxflow, *ends, capacity)
        value = tg.maximum_flow(g, verify=True).value
        assert value == other.maxflow_value(*ends, capacity)
        rows.append(row(name, g, candidates))
    return table("Maximum flow with its cut", rows)


def measure(what: str, full: bool = False, igraph_flow: bool = False) -> Iterator[Table]:
    yield sets(full) if what == "mis" else flows(full, igraph_flow)


if __name__ == "__main__":
    main(measure, ["mis", "flow"])
