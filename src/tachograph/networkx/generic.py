"""NetworkX's functions that choose a search by their arguments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from . import bellman_ford, dijkstra, unweighted
from .graph import BackendGraph
from .query import Query

#: Paths, by what is given (both ends, the source, neither) and by the method.
PATHS: dict[str, dict[str, Callable[[Query], object]]] = {
    "both": {
        "hops": unweighted.bidirectional_shortest_path,
        "dijkstra": lambda q: dijkstra.bidirectional_dijkstra(q)[1],
        "bellman-ford": bellman_ford.bellman_ford_path,
    },
    "source": {
        "hops": unweighted.single_source_shortest_path,
        "dijkstra": dijkstra.paths,
        "bellman-ford": bellman_ford.single_source_bellman_ford_path,
    },
    "neither": {
        "hops": unweighted.all_pairs_shortest_path,
        "dijkstra": dijkstra.all_pairs_dijkstra_path,
        "bellman-ford": bellman_ford.all_pairs_bellman_ford_path,
    },
}
#: The same for lengths.
LENGTHS: dict[str, dict[str, Callable[[Query], object]]] = {
    "both": {
        "hops": lambda q: len(unweighted.bidirectional_shortest_path(q)) - 1,
        "dijkstra": dijkstra.dijkstra_path_length,
        "bellman-ford": bellman_ford.bellman_ford_path_length,
    },
    "source": {
        "hops": unweighted.single_source_shortest_path_length,
        "dijkstra": dijkstra.lengths,
        "bellman-ford": bellman_ford.single_source_bellman_ford_path_length,
    },
    "neither": {
        "hops": unweighted.all_pairs_shortest_path_length,
        "dijkstra": dijkstra.all_pairs_dijkstra_path_length,
        "bellman-ford": bellman_ford.all_pairs_bellman_ford_path_length,
    },
}


def _chosen(q: Query, table: dict[str, dict[str, Callable[[Query], object]]]) -> object:
    given = "both" if q.target is not None else "source" if q.source is not None else "neither"
    return table[given]["hops" if q.weight is None else q.method](q)


def _turned(q: Query) -> Query:
    """Return the query from the target in the graph with every edge turned round."""
    rows = q.G.weighted(q.weight)
    G = q.G
    if rows.directed:
        G = BackendGraph(G.nodes, rows.transpose, {})
        if q.weight is not None:
            G._weighted[q.weight, "min"] = rows.transpose
    return replace(q, G=G, source=q.target, target=None)


def shortest_path(q: Query) -> object:
    if q.source is not None or q.target is None:
        return _chosen(q, PATHS)
    if q.weight is None:
        return unweighted.single_target_shortest_path(q)
    paths = PATHS["source"][q.method](_turned(q))
    assert isinstance(paths, dict)
    return {node: path[::-1] for node, path in paths.items()}


def shortest_path_length(q: Query) -> object:
    if q.source is not None or q.target is None:
        return _chosen(q, LENGTHS)
    if q.weight is None:
        return unweighted.single_target_shortest_path_length(q)
    return _chosen(_turned(q), LENGTHS)
