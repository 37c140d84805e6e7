"""NetworkX's functions for weights that may be negative."""

from __future__ import annotations

from collections.abc import Iterator

import networkx as nx
import numpy as np
import numpy.typing as npt

import tachograph as tg

from ..graph.graph import Graph
from ..util.errors import NegativeCycleError
from .graph import BackendGraph, Node
from .query import Query
from .search import Found, Paths, as_numbers, as_sources, near_tree, pred_lists

UNBOUNDED = "Negative cycle detected."
LOST = "Source {} not in G"
LOST_HERE = "Node {} is not found in the graph"


def _negative(g: Graph) -> bool:
    known = g.features.weights
    return known is not None and bool(known["min"] < 0)


def _distances(g: Graph, sources: npt.ArrayLike) -> tg.ShortestPaths:
    """Search in a graph that may have a negative cycle."""
    try:
        return tg.sssp(g, sources, trace=False)
    except NegativeCycleError:
        raise nx.NetworkXUnbounded(UNBOUNDED) from None


def _search(G: BackendGraph, g: Graph, source: int) -> Found:
    """Return distances and parents; a parent comes before its children."""
    if not _negative(g):
        return near_tree(G, g, [source])
    from ..kernels.paths.ordered import breadth_first

    result = _distances(g, source)
    parents = result.predecessors
    children = np.flatnonzero((parents >= 0) & (parents != np.arange(g.n)))
    tree = Graph.from_edges(parents[children], children, n=g.n)
    order, parent, _ = breadth_first(tree.rows, as_sources(tree, [source]), g.n)
    return Found(G, order, as_numbers(g, result.distances[order]), parent)


def single_source_bellman_ford(q: Query) -> tuple[object, object]:
    if q.source == q.target:
        q.G.place(q.source, LOST_HERE)
        return 0, [q.source]
    found = _search(q.G, q.G.weighted(q.weight), q.G.place(q.source, LOST))
    if q.target is None:
        return found.lengths(), found.paths()
    at = q.G.find(q.target)
    if at < 0 or found.parent[at] < 0:
        raise nx.NetworkXNoPath(f"Node {q.target} not reachable from {q.source}")
    return found.distances[found.order == at][0].item(), found.path(at)


def bellman_ford_path(q: Query) -> object:
    return single_source_bellman_ford(q)[1]


def bellman_ford_path_length(q: Query) -> object:
    return single_source_bellman_ford(q)[0]


def single_source_bellman_ford_path(q: Query) -> Paths:
    return _search(q.G, q.G.weighted(q.weight), q.G.place(q.source, LOST)).paths()


def single_source_bellman_ford_path_length(q: Query) -> dict[Node, float]:
    return _lengths(q.G, q.G.weighted(q.weight), q.G.place(q.source, LOST))


def _lengths(G: BackendGraph, g: Graph, source: int) -> dict[Node, float]:
    distances = _distances(g, source).distances
    order = np.argsort(distances, kind="stable")[: np.count_nonzero(np.isfinite(distances))]
    return G.labelled(order, as_numbers(g, distances[order]).tolist())


def all_pairs_bellman_ford_path_length(q: Query) -> Iterator[tuple[Node, dict[Node, float]]]:
    g = q.G.weighted(q.weight)
    return ((node, _lengths(q.G, g, at)) for at, node in enumerate(q.G))


def all_pairs_bellman_ford_path(q: Query) -> Iterator[tuple[Node, Paths]]:
    g = q.G.weighted(q.weight)
    return ((node, _search(q.G, g, at).paths()) for at, node in enumerate(q.G))


def _loops_checked(q: Query) -> tuple[Graph, int]:
    """Refuse a negative loop anywhere before the search, as NetworkX does."""
    at = q.G.place(q.source, LOST_HERE)
    g = q.G.weighted(q.weight)
    if g.weights is not None and (g.weights[g.arc_sources() == g.indices] < 0).any():
        raise nx.NetworkXUnbounded(UNBOUNDED)
    return g, at


def bellman_ford_predecessor_and_distance(q: Query) -> tuple[Paths, dict[Node, float]]:
    g, at = _loops_checked(q)
    if len(q.G) == 1:
        return {q.source: []}, {q.source: 0}
    found = _search(q.G, g, at)
    return pred_lists(found, g), found.lengths()


def goldberg_radzik(q: Query) -> tuple[dict[Node, Node], dict[Node, float]]:
    found = _search(q.G, *_loops_checked(q))
    pred = q.G.labelled(found.order, q.G.named(found.parent[found.order]))
    pred[q.source] = None
    return pred, found.lengths()


def _negative_cycle(g: Graph, sources: npt.ArrayLike) -> list[int]:
    """Return a negative cycle that can be reached from the sources, or an empty list."""
    try:
        if _negative(g):
            tg.sssp(g, sources, trace=False)
    except NegativeCycleError as found:
        return [*found.cycle, found.cycle[0]]
    return []


def negative_edge_cycle(q: Query) -> bool:
    g = q.G.weighted(q.weight)
    return bool(_negative_cycle(g, np.arange(g.n)))


def find_negative_cycle(q: Query) -> list[Node]:
    at = q.G.place(q.source, LOST)
    cycle = _negative_cycle(q.G.weighted(q.weight), at)
    if not cycle:
        raise nx.NetworkXError("No negative cycles detected.")
    return q.G.named(np.array(cycle))


def johnson(q: Query) -> dict[Node, Paths]:
    g = q.G.weighted(q.weight)
    if _negative(g):
        assert g.weights is not None
        potential = _distances(g, np.arange(g.n)).distances
        lifted = g.weights + potential[g.arc_sources()] - potential[g.indices]
        g = g._replace(weights=np.maximum(lifted, 0.0))  # rounding must not make any negative
    return {node: near_tree(q.G, g, [at]).paths() for at, node in enumerate(q.G)}
