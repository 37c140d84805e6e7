"""Which functions of NetworkX the backend has: one table, from which everything else is made.

Nothing is imported here: NetworkX reads it whenever it is imported itself.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["FUNCTIONS", "Function"]

THREADS = {"threads : int, optional": "How many threads to use. Default: all cores."}
DIRECTION = {
    "direction : str, optional": (
        "How levels are searched: 'push', 'pull', or a policy of tachograph.bfs. Default: chosen for "
        "each level."
    )
}
MAX_ERROR = {
    "max_error : float, optional": (
        "The mean relative error of lengths that is allowed; a faster, approximate search is taken if "
        "it is predicted to keep it. Default: exact."
    )
}

TIES = "Of several equally short paths another one than NetworkX's may be returned."
LEVELS = "In large graphs nodes of one level are in the order of the graph."


class Function(NamedTuple):
    """A function of NetworkX: where ours is, what is different, what it takes besides."""

    name: str
    module: str
    notes: str = ""
    parameters: dict[str, str] = {}  # noqa: RUF012  (never changed)


def _of(module: str, *names: str, notes: str = "", **parameters: dict[str, str]) -> list[Function]:
    more = {key: text for group in parameters.values() for key, text in group.items()}
    return [Function(name, module, notes, more) for name in names]


_TABLE = [
    *_of(
        "unweighted", "bfs_edges", "bfs_layers", "bfs_predecessors", "bfs_successors", "bfs_tree",
        "descendants_at_distance", "generic_bfs_edges", "predecessor", "single_source_shortest_path",
        "all_pairs_shortest_path", "all_pairs_shortest_path_length",
    ),
    *_of(
        "unweighted", "single_source_shortest_path_length", "single_target_shortest_path_length",
        notes=LEVELS, a=THREADS, b=DIRECTION,
    ),
    *_of("unweighted", "has_path"),
    *_of(
        "unweighted", "bidirectional_shortest_path", "single_target_shortest_path",
        notes=f"In directed graphs: {TIES[0].lower()}{TIES[1:]}",
    ),
    *_of("generic", "shortest_path", notes=TIES),
    *_of("generic", "shortest_path_length", a=MAX_ERROR, b=THREADS),
    *_of(
        "dijkstra", "all_pairs_dijkstra", "all_pairs_dijkstra_path",
        "all_pairs_dijkstra_path_length", "dijkstra_path", "dijkstra_path_length",
        "dijkstra_predecessor_and_distance",
    ),
    *_of(
        "dijkstra", "multi_source_dijkstra", "multi_source_dijkstra_path", "single_source_dijkstra",
        "single_source_dijkstra_path", a=THREADS,
    ),
    *_of(
        "dijkstra", "multi_source_dijkstra_path_length", "single_source_dijkstra_path_length",
        a=MAX_ERROR, b=THREADS,
    ),
    *_of("dijkstra", "bidirectional_dijkstra", notes=TIES),
    *_of(
        "bellman_ford", "all_pairs_bellman_ford_path", "bellman_ford_path",
        "bellman_ford_predecessor_and_distance", "goldberg_radzik", "single_source_bellman_ford",
        "single_source_bellman_ford_path", "johnson", notes=TIES,
    ),
    *_of(
        "bellman_ford", "all_pairs_bellman_ford_path_length", "bellman_ford_path_length",
        "negative_edge_cycle", "single_source_bellman_ford_path_length",
    ),
    *_of(
        "bellman_ford", "find_negative_cycle",
        notes="Of several negative cycles another one than NetworkX's may be returned.",
    ),
    *_of(
        "components", "connected_components", "is_connected", "is_weakly_connected",
        "node_connected_component", "number_connected_components",
        "number_weakly_connected_components", "weakly_connected_components", a=THREADS,
    ),
    *_of("rank", "pagerank", a=THREADS),
    *_of("links", "jaccard_coefficient", "preferential_attachment", a=THREADS),
    *_of(
        "clusters", "average_clustering", "clustering", "transitivity", "triangles",
        notes="Of undirected graphs, without weights.", a=THREADS,
    ),
    *_of(
        "independent", "maximal_independent_set",
        notes="The same seed gives the same set always, but not the set of NetworkX.", a=THREADS,
    ),
    *_of(
        "flow", "maximum_flow", notes="Of several maximum flows another one may be returned.",
    ),
    *_of("flow", "maximum_flow_value", "minimum_cut", "minimum_cut_value"),
]  # fmt: skip
FUNCTIONS = {function.name: function for function in sorted(_TABLE)}
