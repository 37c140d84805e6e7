"""Measure how long calls take in NetworkX and here.

For each kind of cost one call stands for all. Graphs grow until NetworkX needs seconds; a time is the
best of a few calls.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from ..journal.campaign import Record
from ..util.errors import MissingDependencyError
from .decide import sizes, terms

__all__ = ["CALLS", "graphs", "measure", "timed"]

try:
    import networkx as nx
except ImportError:
    raise MissingDependencyError(
        "NetworkX is not installed: pip install 'tachograph[networkx]'"
    ) from None

NODES = (10, 30, 100, 300, 1000, 3000, 10_000, 30_000)
ALL_PAIRS_NODES = 300  # up to which all pairs are measured


def _pairs(graph: Any) -> list[tuple[Any, Any]]:
    """Some pairs of nodes; the same for the same graph."""
    dice, nodes = random.Random(1), list(graph)
    return [(dice.choice(nodes), dice.choice(nodes)) for _ in range(len(nodes))]


def _ends(graph: Any) -> tuple[Any, Any]:
    """Two nodes that a search has to go some way between."""
    nodes = list(graph)
    return nodes[0], nodes[len(nodes) // 2]


# For each kind of cost: a call that has it, whose result is used up.
CALLS: dict[str, Callable[..., Any]] = {
    "hops": lambda G, **b: nx.single_source_shortest_path_length(G, next(iter(G)), **b),
    "tree": lambda G, **b: nx.single_source_shortest_path(G, next(iter(G)), **b),
    "meeting": lambda G, **b: nx.has_path(G, *_ends(G), **b),
    "all hops": lambda G, **b: dict(nx.all_pairs_shortest_path_length(G, **b)),
    "near": lambda G, **b: nx.single_source_dijkstra_path_length(G, next(iter(G)), **b),
    "near meeting": lambda G, **b: _or_none(nx.bidirectional_dijkstra, G, *_ends(G), **b),
    "all near": lambda G, **b: dict(nx.all_pairs_dijkstra_path_length(G, **b)),
    "relaxed": lambda G, **b: nx.single_source_bellman_ford_path_length(G, next(iter(G)), **b),
    "components": lambda G, **b: list(nx.connected_components(G, **b)),
    "rank": lambda G, **b: nx.pagerank(G, **b),
    "pairs": lambda G, **b: list(nx.jaccard_coefficient(G, _pairs(G), **b)),
    "triangles": lambda G, **b: nx.triangles(G, **b),
    "set": lambda G, **b: nx.maximal_independent_set(G, seed=1, **b),
    "flow": lambda G, **b: _or_none(
        nx.maximum_flow_value, G, *_ends(G), capacity="weight", **b
    ),
}  # fmt: skip


def _or_none(function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    try:
        return function(*arguments, **options)
    except nx.NetworkXNoPath:
        return None


def graphs(most: int, seed: int = 1) -> Iterator[Any]:
    """Undirected graphs with weights: uniform, skewed and long ones, sparse and dense."""
    for n in (size for size in NODES if size <= most):
        for degree in (3, 12):
            for make in (
                lambda n, d: nx.gnm_random_graph(n, n * d // 2, seed=seed),
                lambda n, d: nx.barabasi_albert_graph(n, max(1, d // 2), seed=seed),
                lambda n, d: nx.watts_strogatz_graph(n, d + 1, 0.01, seed=seed),
            ):
                made = make(n, min(degree, n - 1))
                dice = random.Random(seed)
                for _, _, data in made.edges(data=True):
                    data["weight"] = dice.random()
                yield made


def timed(call: Callable[..., Any], graph: Any, backend: str, least: float = 0.02) -> float:
    """Seconds of one call: the best of several, of which there are more if they are short."""
    best, spent, count = np.inf, 0.0, 0
    while count < 2 or (spent < least and count < 20):
        begin = time.perf_counter()
        call(graph, backend=backend)
        seconds = time.perf_counter() - begin
        best, spent, count = min(best, seconds), spent + seconds, count + 1
    return float(best)


def measure(
    made: Iterable[Any], limit: float = 2.0, report: Callable[[str], None] = lambda _: None
) -> dict[str, list[Record]]:
    """For each kind of cost rows with terms and seconds: in NetworkX, here, and here if the graph has
    to be converted first; under ``named``, what nodes that are not integers add to that.
    """
    rows: dict[str, list[Record]] = {cost: [] for cost in (*CALLS, "named")}
    slow: set[str] = set()
    before = set(nx.config.warnings_to_ignore)
    nx.config.warnings_to_ignore.add("cache")
    try:
        for graph in made:
            n = len(graph)
            report(f"{n:,} nodes, {graph.size():,} edges")
            rows["named"].append({"terms": (1.0, n, 2 * graph.size()), "seconds": named(graph)})
            for cost, call in CALLS.items():
                if cost in slow or (cost.startswith("all ") and n > ALL_PAIRS_NODES):
                    continue
                row: Record = {"terms": terms(cost, *sizes(graph), float(n))}
                row["cold"] = timed(_cold(call), graph, "tachograph")
                row |= {who: timed(call, graph, who) for who in ("tachograph", "networkx")}
                rows[cost].append(row)
                if row["networkx"] > limit:
                    slow.add(cost)
    finally:
        nx.config.warnings_to_ignore = before
    return rows


def _cold(call: Callable[..., Any]) -> Callable[..., Any]:
    """The call on a graph that is not converted yet."""

    def cold(graph: Any, **backend: str) -> Any:
        graph.__networkx_cache__.clear()
        return call(graph, **backend)

    return cold


def named(graph: Any) -> float:
    """Seconds that it takes longer to convert a graph whose nodes are strings."""
    from .convert import convert_from_nx

    def convert(graph: Any, backend: str) -> Any:
        return convert_from_nx(graph)

    other = nx.relabel_nodes(graph, str)
    return max(timed(convert, other, "tachograph") - timed(convert, graph, "tachograph"), 0.0)
