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
IN_DIRECTED = f"In directed graphs: {TIES[0].lower()}{TIES[1:]}"
LEVELS = "In large graphs nodes of one level are in the order of the graph."


class Function(NamedTuple):
    """A function of NetworkX: where ours is, how its time is predicted, what is different, what it
    takes besides.
    """

    name: str
    module: str
    cost: str
    notes: str = ""
    parameters: dict[str, str] = {}  # noqa: RUF012  (never changed)


def _of(
    module: str, cost: str, *names: str, notes: str = "", more: tuple[dict[str, str], ...] = ()
) -> list[Function]:
    parameters = {key: text for group in more for key, text in group.items()}
    return [Function(name, module, cost, notes, parameters) for name in names]


_TABLE = [
    *_of(
        "unweighted", "tree", "bfs_edges", "bfs_layers", "bfs_predecessors", "bfs_successors",
        "bfs_tree", "generic_bfs_edges", "predecessor", "single_source_shortest_path",
    ),
    *_of("unweighted", "hops", "descendants_at_distance"),
    *_of(
        "unweighted", "hops", "single_source_shortest_path_length",
        "single_target_shortest_path_length", notes=LEVELS, more=(THREADS, DIRECTION),
    ),
    *_of("unweighted", "all hops", "all_pairs_shortest_path", "all_pairs_shortest_path_length"),
    *_of("unweighted", "meeting", "has_path"),
    *_of("unweighted", "meeting", "bidirectional_shortest_path", notes=IN_DIRECTED),
    *_of("unweighted", "tree", "single_target_shortest_path", notes=IN_DIRECTED),
    *_of(
        "generic", "tree", "shortest_path",
        notes=f"In directed graphs and with method='bellman-ford': {TIES[0].lower()}{TIES[1:]}",
    ),
    *_of("generic", "hops", "shortest_path_length", more=(MAX_ERROR, THREADS)),
    *_of(
        "dijkstra", "all near", "all_pairs_dijkstra", "all_pairs_dijkstra_path",
        "all_pairs_dijkstra_path_length",
    ),
    *_of(
        "dijkstra", "near", "dijkstra_path", "dijkstra_path_length",
        "dijkstra_predecessor_and_distance",
    ),
    *_of(
        "dijkstra", "near", "multi_source_dijkstra", "multi_source_dijkstra_path",
        "single_source_dijkstra", "single_source_dijkstra_path", more=(THREADS,),
    ),
    *_of(
        "dijkstra", "near", "multi_source_dijkstra_path_length",
        "single_source_dijkstra_path_length", more=(MAX_ERROR, THREADS),
    ),
    *_of("dijkstra", "near meeting", "bidirectional_dijkstra", notes=IN_DIRECTED),
    *_of(
        "bellman_ford", "relaxed", "bellman_ford_path", "bellman_ford_predecessor_and_distance",
        "goldberg_radzik", "single_source_bellman_ford", "single_source_bellman_ford_path",
        notes=TIES,
    ),
    *_of(
        "bellman_ford", "relaxed", "bellman_ford_path_length", "negative_edge_cycle",
        "single_source_bellman_ford_path_length",
    ),
    *_of("bellman_ford", "all near", "all_pairs_bellman_ford_path", "johnson", notes=TIES),
    *_of("bellman_ford", "all near", "all_pairs_bellman_ford_path_length"),
    *_of(
        "bellman_ford", "relaxed", "find_negative_cycle",
        notes="Another negative cycle than NetworkX's may be returned, or from another node on.",
    ),
    *_of(
        "components", "components", "connected_components", "is_connected", "is_weakly_connected",
        "node_connected_component", "number_connected_components",
        "number_weakly_connected_components", "weakly_connected_components", more=(THREADS,),
    ),
    *_of("rank", "rank", "pagerank", more=(THREADS,)),
    *_of("links", "pairs", "jaccard_coefficient", "preferential_attachment", more=(THREADS,)),
    *_of(
        "clusters", "triangles", "average_clustering", "clustering", "transitivity", "triangles",
        notes="Of undirected graphs, without weights.", more=(THREADS,),
    ),
    *_of(
        "independent", "set", "maximal_independent_set",
        notes="The same seed gives the same set always, but not the set of NetworkX.",
        more=(THREADS,),
    ),
    *_of(
        "flow", "flow", "maximum_flow",
        notes="Of several maximum flows another one may be returned.",
    ),
    *_of("flow", "flow", "maximum_flow_value", "minimum_cut", "minimum_cut_value"),
]  # fmt: skip
FUNCTIONS = {function.name: function for function in sorted(_TABLE)}
