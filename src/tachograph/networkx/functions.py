"""The functions of NetworkX that the backend has: one table, from which everything else is made.

It imports nothing heavy, because NetworkX reads it whenever it is imported itself.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["FUNCTIONS", "Function"]

#: What a function may take besides the parameters of NetworkX.
PARAMETERS = {
    "threads : int, optional": "How many threads to use. Default: all cores.",
    "direction : str, optional": (
        "How levels are searched: 'push', 'pull', or a policy of tachograph.bfs. Default: chosen for "
        "each level."
    ),
    "max_error : float, optional": (
        "The relative error of the values that is allowed; computing ends when a bound of it is small "
        "enough. Default: exact."
    ),
}

TIES = "Of several equally short paths another one than NetworkX's may be returned."
LEVELS = "In large graphs nodes of one level are in the order of the graph."
IN_DIRECTED = f"In directed graphs: o{TIES[1:]}"
BY_METHOD = f"In directed graphs and with method='bellman-ford': o{TIES[1:]}"
OTHER_CYCLE = "Another negative cycle than NetworkX's may be returned, or from another node on."
UNDIRECTED = "Of undirected graphs, without weights."
NO_WEIGHTS = "Without weights."
ALL_SOURCES = "Without weights, from all nodes and without endpoints."
OTHER_SET = "The same seed gives the same set always, but not the set of NetworkX."
OTHER_PARTS = "The same seed gives the same communities always, but not those of NetworkX."
OTHER_ORDER = "Components are in the order of their first nodes."
OTHER_FLOW = "Of several maximum flows another one may be returned."
DIJKSTRA = "single_source_dijkstra"


class Function(NamedTuple):
    """A function of NetworkX: the module of ours, the kind of cost that its time is predicted by, what
    is different, and what it takes besides.
    """

    name: str
    module: str
    group: str
    cost: str
    notes: str
    parameters: dict[str, str]


#: By module and group: kind of cost, names, notes, names of additional parameters.
_TABLE: dict[tuple[str, str], list[tuple[str, str] | tuple[str, str, str, str]]] = {
    ("paths", "Breadth-first search and paths without weights"): [
        ("tree", "bfs_edges bfs_layers bfs_predecessors bfs_successors bfs_tree generic_bfs_edges"),
        ("tree", "predecessor single_source_shortest_path"),
        ("tree", "single_target_shortest_path", IN_DIRECTED, ""),
        ("hops", "descendants_at_distance"),
        ("hops", "single_source_shortest_path_length", LEVELS, "threads direction"),
        ("hops", "single_target_shortest_path_length", LEVELS, "threads direction"),
        ("all hops", "all_pairs_shortest_path all_pairs_shortest_path_length"),
        ("meeting", "has_path"),
        ("meeting", "bidirectional_shortest_path", IN_DIRECTED, ""),
    ],
    ("paths", "Shortest paths by any method"): [
        ("tree", "shortest_path", BY_METHOD, ""),
        ("hops", "shortest_path_length", "", "max_error threads"),
    ],
    ("paths", "Dijkstra's algorithm"): [
        ("all near", "all_pairs_dijkstra all_pairs_dijkstra_path all_pairs_dijkstra_path_length"),
        ("near", "dijkstra_path dijkstra_path_length dijkstra_predecessor_and_distance"),
        ("near meeting", "bidirectional_dijkstra", IN_DIRECTED, ""),
        ("near", f"multi_source_dijkstra {DIJKSTRA}", "", "threads"),
        ("near", f"multi_source_dijkstra_path {DIJKSTRA}_path", "", "threads"),
        ("near", "multi_source_dijkstra_path_length", "", "max_error threads"),
        ("near", f"{DIJKSTRA}_path_length", "", "max_error threads"),
    ],
    ("paths", "Weights that may be negative"): [
        ("relaxed", "bellman_ford_path bellman_ford_predecessor_and_distance", TIES, ""),
        ("relaxed", "single_source_bellman_ford single_source_bellman_ford_path", TIES, ""),
        ("relaxed", "goldberg_radzik", TIES, ""),
        ("relaxed", "bellman_ford_path_length single_source_bellman_ford_path_length"),
        ("relaxed", "negative_edge_cycle"),
        ("relaxed", "find_negative_cycle", OTHER_CYCLE, ""),
        ("all near", "johnson", TIES, ""),
        ("all relaxed", "all_pairs_bellman_ford_path", TIES, ""),
        ("all relaxed", "all_pairs_bellman_ford_path_length"),
    ],
    ("structure", "Components"): [
        ("components", "connected_components weakly_connected_components", "", "threads"),
        ("components", "is_connected is_weakly_connected node_connected_component", "", "threads"),
        ("components", "number_connected_components", "", "threads"),
        ("components", "number_weakly_connected_components", "", "threads"),
    ],
    # These have the cost of functions that take NetworkX less time, so they are not chosen in vain.
    ("structure", "Strongly connected components"): [
        ("tree", "strongly_connected_components", OTHER_ORDER, "threads"),
        ("tree", "kosaraju_strongly_connected_components", OTHER_ORDER, "threads"),
        ("tree", "number_strongly_connected_components is_strongly_connected", "", "threads"),
    ],
    ("communities", "Communities and cores"): [
        ("tree", "core_number", "", "threads"),
        ("near", "leiden_communities louvain_communities", OTHER_PARTS, "threads"),
        (
            "near",
            "asyn_lpa_communities fast_label_propagation_communities",
            OTHER_PARTS,
            "threads",
        ),
    ],
    ("links", "PageRank"): [("rank", "pagerank", "", "threads")],
    ("links", "Link prediction"): [
        ("pairs", "adamic_adar_index jaccard_coefficient", "", "threads"),
        ("pairs", "preferential_attachment resource_allocation_index", "", "threads"),
    ],
    ("centrality", "Centrality"): [
        ("all hops", "closeness_centrality harmonic_centrality", NO_WEIGHTS, "max_error threads"),
        ("all hops", "betweenness_centrality", ALL_SOURCES, "max_error threads"),
    ],
    ("structure", "Triangles and clustering"): [
        (
            "triangles",
            "average_clustering clustering transitivity triangles",
            UNDIRECTED,
            "threads",
        ),
    ],
    ("structure", "Independent sets"): [("set", "maximal_independent_set", OTHER_SET, "threads")],
    ("structure", "Flows and cuts"): [
        ("flow", "maximum_flow", OTHER_FLOW, ""),
        ("flow", "maximum_flow_value minimum_cut minimum_cut_value"),
    ],
}


def _function(place: tuple[str, str], cost: str, name: str, notes: str, more: str) -> Function:
    texts = {key.partition(" : ")[0]: key for key in PARAMETERS}
    parameters = {texts[key]: PARAMETERS[texts[key]] for key in more.split()}
    return Function(name, *place, cost, notes, parameters)


FUNCTIONS = {
    name: _function(place, cost, name, *(more or ("", "")))
    for place, rows in _TABLE.items()
    for cost, names, *more in rows
    for name in names.split()
}
