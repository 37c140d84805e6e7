"""The functions of NetworkX that the backend has: one table, from which everything else is made.

It imports nothing heavy, because NetworkX reads it whenever it is imported itself.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["BY_QUERY", "FUNCTIONS", "Function"]

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
    """A function of NetworkX: the module of ours, the kind of cost that its time is predicted by, what
    is different, what it takes besides, and the name of ours if it is another.
    """

    name: str
    module: str
    cost: str
    notes: str = ""
    parameters: dict[str, str] = {}  # noqa: RUF012  (never changed)
    answer: str = ""


#: Modules whose functions take a Query; those of the others have the signatures of NetworkX.
BY_QUERY = ("unweighted", "generic", "dijkstra", "bellman_ford")


def _of(
    module: str, cost: str, names: str, notes: str = "", *more: dict[str, str], answer: str = ""
) -> list[Function]:
    parameters = {key: text for group in more for key, text in group.items()}
    return [Function(name, module, cost, notes, parameters, answer) for name in names.split()]


def _lower(text: str) -> str:
    return f"{text[0].lower()}{text[1:]}"


IN_DIRECTED = f"In directed graphs: {_lower(TIES)}"
BY_METHOD = f"In directed graphs and with method='bellman-ford': {_lower(TIES)}"
OTHER_CYCLE = "Another negative cycle than NetworkX's may be returned, or from another node on."
UNDIRECTED = "Of undirected graphs, without weights."
OTHER_SET = "The same seed gives the same set always, but not the set of NetworkX."
OTHER_FLOW = "Of several maximum flows another one may be returned."
WEAK = "weakly_connected_components"
_TABLE = [
    *_of("unweighted", "tree", "bfs_layers bfs_predecessors bfs_successors bfs_tree predecessor"),
    *_of("unweighted", "tree", "bfs_edges generic_bfs_edges", answer="bfs_edges"),
    *_of("unweighted", "tree", "single_source_shortest_path"),
    *_of("unweighted", "tree", "single_target_shortest_path", IN_DIRECTED),
    *_of("unweighted", "hops", "descendants_at_distance"),
    *_of("unweighted", "hops", "single_source_shortest_path_length", LEVELS, THREADS, DIRECTION),
    *_of("unweighted", "hops", "single_target_shortest_path_length", LEVELS, THREADS, DIRECTION),
    *_of("unweighted", "all hops", "all_pairs_shortest_path all_pairs_shortest_path_length"),
    *_of("unweighted", "meeting", "has_path"),
    *_of("unweighted", "meeting", "bidirectional_shortest_path", IN_DIRECTED),
    *_of("generic", "tree", "shortest_path", BY_METHOD),
    *_of("generic", "hops", "shortest_path_length", "", MAX_ERROR, THREADS),
    *_of("dijkstra", "all near", "all_pairs_dijkstra all_pairs_dijkstra_path"),
    *_of("dijkstra", "all near", "all_pairs_dijkstra_path_length"),
    *_of("dijkstra", "near", "dijkstra_path dijkstra_path_length"),
    *_of("dijkstra", "near", "dijkstra_predecessor_and_distance"),
    *_of("dijkstra", "near meeting", "bidirectional_dijkstra", IN_DIRECTED),
    *_of(
        "dijkstra",
        "near",
        "multi_source_dijkstra single_source_dijkstra",
        "",
        THREADS,
        answer="lengths_and_paths",
    ),
    *_of(
        "dijkstra",
        "near",
        "multi_source_dijkstra_path single_source_dijkstra_path",
        "",
        THREADS,
        answer="paths",
    ),
    *_of(
        "dijkstra",
        "near",
        "multi_source_dijkstra_path_length single_source_dijkstra_path_length",
        "",
        MAX_ERROR,
        THREADS,
        answer="lengths",
    ),
    *_of("bellman_ford", "relaxed", "bellman_ford_path goldberg_radzik", TIES),
    *_of("bellman_ford", "relaxed", "bellman_ford_predecessor_and_distance", TIES),
    *_of("bellman_ford", "relaxed", "single_source_bellman_ford", TIES),
    *_of("bellman_ford", "relaxed", "single_source_bellman_ford_path", TIES),
    *_of("bellman_ford", "relaxed", "bellman_ford_path_length negative_edge_cycle"),
    *_of("bellman_ford", "relaxed", "single_source_bellman_ford_path_length"),
    *_of("bellman_ford", "relaxed", "find_negative_cycle", OTHER_CYCLE),
    *_of("bellman_ford", "all near", "all_pairs_bellman_ford_path johnson", TIES),
    *_of("bellman_ford", "all near", "all_pairs_bellman_ford_path_length"),
    *_of("components", "components", "connected_components is_connected", "", THREADS),
    *_of("components", "components", "node_connected_component", "", THREADS),
    *_of("components", "components", "number_connected_components", "", THREADS),
    *_of("components", "components", WEAK, "", THREADS, answer="connected_components"),
    *_of("components", "components", "is_weakly_connected", "", THREADS, answer="is_connected"),
    *_of(
        "components",
        "components",
        f"number_{WEAK}",
        "",
        THREADS,
        answer="number_connected_components",
    ),
    *_of("rank", "rank", "pagerank", "", THREADS),
    *_of("links", "pairs", "jaccard_coefficient preferential_attachment", "", THREADS),
    *_of("clusters", "triangles", "average_clustering clustering", UNDIRECTED, THREADS),
    *_of("clusters", "triangles", "transitivity triangles", UNDIRECTED, THREADS),
    *_of("independent", "set", "maximal_independent_set", OTHER_SET, THREADS),
    *_of("flow", "flow", "maximum_flow", OTHER_FLOW),
    *_of("flow", "flow", "maximum_flow_value minimum_cut"),
    *_of("flow", "flow", "minimum_cut_value", answer="maximum_flow_value"),
]
FUNCTIONS = {function.name: function for function in sorted(_TABLE)}
