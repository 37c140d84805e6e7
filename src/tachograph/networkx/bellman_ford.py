"""NetworkX's functions for weights that may be negative."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np

from ..algorithms.sssp import sssp
from ..graph.graph import Graph
from ..util.errors import NegativeCycleError
from .graph import BackendGraph
from .search import Found, as_numbers, as_sources, near_tree, pred_lists

Weight = str | None
UNBOUNDED = "Negative cycle detected."


def _place(G: BackendGraph, source: Any, message: str = "Source {} not in G") -> int:
    at = G.find(source)
    if at < 0:
        raise nx.NodeNotFound(message.format(source))
    return at


def _negative(g: Graph) -> bool:
    known = g.features.weights
    return known is not None and bool(known["min"] < 0)


def _distances(g: Graph, sources: Any) -> Any:
    """A search that may meet a negative cycle."""
    try:
        return sssp(g, sources, trace=False)
    except NegativeCycleError:
        raise nx.NetworkXUnbounded(UNBOUNDED) from None


def _search(G: BackendGraph, g: Graph, source: int) -> Found:
    """Distances and parents; a parent stands before its children."""
    if not _negative(g):
        return near_tree(G, g, [source])
    from ..kernels.paths.ordered import breadth_first

    result = _distances(g, source)
    parents = result.predecessors
    children = np.flatnonzero((parents >= 0) & (parents != np.arange(g.n)))
    tree = Graph.from_edges(parents[children], children, n=g.n)
    order, parent, _ = breadth_first(tree.indptr, tree.indices, as_sources(tree, [source]), g.n)
    return Found(G, order, as_numbers(g, result.distances[order]), parent)


def single_source_bellman_ford(
    G: BackendGraph, source: Any, target: Any = None, weight: Weight = "weight"
) -> tuple[Any, Any]:
    if source == target:
        _place(G, source, "Node {} is not found in the graph")
        return 0, [source]
    found = _search(G, G.weighted(weight), _place(G, source))
    if target is None:
        return found.lengths(), found.paths()
    at = _reached(found, source, target)
    return found.distances[found.order == at][0].item(), found.path(at)


def _reached(found: Found, source: Any, target: Any) -> int:
    at = found.graph.find(target)
    if at < 0 or found.parent[at] < 0:
        raise nx.NetworkXNoPath(f"Node {target} not reachable from {source}")
    return at


def single_source_bellman_ford_path(
    G: BackendGraph, source: Any, weight: Weight = "weight"
) -> dict[Any, list[Any]]:
    return _search(G, G.weighted(weight), _place(G, source)).paths()


def single_source_bellman_ford_path_length(
    G: BackendGraph, source: Any, weight: Weight = "weight"
) -> dict[Any, Any]:
    return _lengths(G, G.weighted(weight), _place(G, source))


def _lengths(G: BackendGraph, g: Graph, source: int) -> dict[Any, Any]:
    distances = _distances(g, source).distances
    order = np.argsort(distances, kind="stable")[: np.count_nonzero(np.isfinite(distances))]
    return G.labelled(order, as_numbers(g, distances[order]).tolist())


def bellman_ford_path(G: BackendGraph, source: Any, target: Any, weight: Weight = "weight") -> Any:
    return single_source_bellman_ford(G, source, target, weight)[1]


def bellman_ford_path_length(
    G: BackendGraph, source: Any, target: Any, weight: Weight = "weight"
) -> Any:
    return single_source_bellman_ford(G, source, target, weight)[0]


def all_pairs_bellman_ford_path_length(
    G: BackendGraph, weight: Weight = "weight"
) -> Iterator[tuple[Any, dict[Any, Any]]]:
    g = G.weighted(weight)
    return ((node, _lengths(G, g, at)) for at, node in enumerate(G))


def all_pairs_bellman_ford_path(
    G: BackendGraph, weight: Weight = "weight"
) -> Iterator[tuple[Any, dict[Any, list[Any]]]]:
    g = G.weighted(weight)
    return ((node, _search(G, g, at).paths()) for at, node in enumerate(G))


def _loops_checked(G: BackendGraph, source: Any, weight: Weight) -> tuple[Graph, int]:
    """NetworkX refuses a negative loop anywhere before it searches."""
    at = _place(G, source, "Node {} is not found in the graph")
    g = G.weighted(weight)
    if g.weights is not None:
        tails = np.repeat(np.arange(g.n), g.degrees)
        if (g.weights[tails == g.indices] < 0).any():
            raise nx.NetworkXUnbounded(UNBOUNDED)
    return g, at


def bellman_ford_predecessor_and_distance(
    G: BackendGraph, source: Any, target: Any = None, weight: Weight = "weight",
    heuristic: bool = False,
) -> tuple[dict[Any, list[Any]], dict[Any, Any]]:  # fmt: skip
    g, at = _loops_checked(G, source, weight)
    if len(G) == 1:
        return {source: []}, {source: 0}
    found = _search(G, g, at)
    return pred_lists(found, g), found.lengths()


def goldberg_radzik(
    G: BackendGraph, source: Any, weight: Weight = "weight"
) -> tuple[dict[Any, Any], dict[Any, Any]]:
    found = _search(G, *_loops_checked(G, source, weight))
    pred = G.labelled(found.order, G.named(found.parent[found.order]))
    pred[source] = None
    return pred, found.lengths()


def negative_edge_cycle(G: BackendGraph, weight: Weight = "weight", heuristic: bool = True) -> bool:
    g = G.weighted(weight)
    if not _negative(g):
        return False
    try:
        sssp(g, np.arange(g.n), trace=False)
    except NegativeCycleError:
        return True
    return False


def find_negative_cycle(G: BackendGraph, source: Any, weight: Weight = "weight") -> list[Any]:
    at = _place(G, source)
    g = G.weighted(weight)
    try:
        if _negative(g):
            sssp(g, at, trace=False)
    except NegativeCycleError as found:
        return G.named(np.array([*found.cycle, found.cycle[0]]))
    raise nx.NetworkXError("No negative cycles detected.")


def johnson(G: BackendGraph, weight: Weight = "weight") -> dict[Any, dict[Any, list[Any]]]:
    g = G.weighted(weight)
    if _negative(g):
        assert g.weights is not None
        potential = _distances(g, np.arange(g.n)).distances
        tails = np.repeat(np.arange(g.n), g.degrees)
        lifted = g.weights + potential[tails] - potential[g.indices]
        # Rounding must not leave anything below zero.
        g = g._replace(weights=np.maximum(lifted, 0.0))
    return {node: near_tree(G, g, [at]).paths() for at, node in enumerate(G)}
