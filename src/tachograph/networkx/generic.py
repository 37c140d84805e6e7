"""NetworkX's functions that choose a search by their arguments."""

from __future__ import annotations

from typing import Any

from ..graph.graph import Graph
from . import bellman_ford, dijkstra, unweighted
from .graph import BackendGraph

Weight = str | None


def _turned(G: BackendGraph, weight: Weight) -> BackendGraph:
    """The graph with every edge turned round."""
    rows: Graph = G.weighted(weight)
    if not rows.directed:
        return G
    turned = BackendGraph(G.nodes, rows.transpose, {})
    if weight is not None:
        turned._weighted[weight, "min"] = rows.transpose
    return turned


def shortest_path(
    G: BackendGraph, source: Any = None, target: Any = None, weight: Weight = None,
    method: str = "dijkstra",
) -> Any:  # fmt: skip
    positive = method == "dijkstra"
    if source is None and target is None:
        if weight is None:
            return unweighted.all_pairs_shortest_path(G)
        every = dijkstra.all_pairs_dijkstra_path if positive else None
        return (every or bellman_ford.all_pairs_bellman_ford_path)(G, weight=weight)
    if source is None:
        if weight is None:
            return unweighted.single_target_shortest_path(G, target)
        paths = shortest_path(_turned(G, weight), target, None, weight, method)
        return {node: path[::-1] for node, path in paths.items()}
    if target is None:
        if weight is None:
            return unweighted.single_source_shortest_path(G, source)
        if positive:
            return dijkstra.single_source_dijkstra_path(G, source, weight=weight)
        return bellman_ford.single_source_bellman_ford_path(G, source, weight)
    if weight is None:
        return unweighted.bidirectional_shortest_path(G, source, target)
    if positive:
        return dijkstra.bidirectional_dijkstra(G, source, target, weight)[1]
    return bellman_ford.bellman_ford_path(G, source, target, weight)


def shortest_path_length(
    G: BackendGraph, source: Any = None, target: Any = None, weight: Weight = None,
    method: str = "dijkstra", *, max_error: float | None = None, threads: int | None = None,
) -> Any:  # fmt: skip
    positive = method == "dijkstra"
    if source is None and target is None:
        if weight is None:
            return unweighted.all_pairs_shortest_path_length(G)
        every = dijkstra.all_pairs_dijkstra_path_length if positive else None
        return (every or bellman_ford.all_pairs_bellman_ford_path_length)(G, weight=weight)
    if source is None:
        if weight is None:
            return unweighted.single_target_shortest_path_length(G, target, threads=threads)
        turned = _turned(G, weight)
        options: Any = {"max_error": max_error, "threads": threads}
        return shortest_path_length(turned, target, None, weight, method, **options)
    if target is None:
        if weight is None:
            return unweighted.single_source_shortest_path_length(G, source, threads=threads)
        if positive:
            return dijkstra.single_source_dijkstra_path_length(
                G, source, weight=weight, max_error=max_error, threads=threads
            )
        return bellman_ford.single_source_bellman_ford_path_length(G, source, weight)
    if weight is None:
        return len(unweighted.bidirectional_shortest_path(G, source, target)) - 1
    if positive:
        return dijkstra.dijkstra_path_length(G, source, target, weight)
    return bellman_ford.bellman_ford_path_length(G, source, target, weight)
