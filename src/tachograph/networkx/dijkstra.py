"""NetworkX's functions of Dijkstra's algorithm."""

from __future__ import annotations

from collections.abc import Iterator

import networkx as nx
import numpy as np

from .graph import Node
from .query import Query
from .search import Found, Paths, as_numbers, checked, float_weights, near, near_tree, pred_lists

LOST = "Node {} not found in graph"


def _sources(q: Query) -> list[int]:
    """Return the places of the sources, which must all be in the graph."""
    nodes = [q.source] if q.sources is None else list(q.sources)
    if not nodes:
        raise ValueError("sources must not be empty")
    return [q.G.place(node, LOST) for node in nodes]


def _to_target(q: Query, sources: list[int], message: str) -> tuple[float, Found, int]:
    """Return the distance of the target, the search that found it, and the target's place."""
    at = q.G.find(q.target)
    found = near_tree(q.G, checked(q.G.weighted(q.weight)), sources, at, q.cutoff)
    if at < 0 or not found.order.size or found.order[-1] != at:
        raise nx.NetworkXNoPath(message)
    return found.distances[-1].item(), found, at


def _search(q: Query) -> Found:
    g = checked(q.G.weighted(q.weight))
    return near_tree(q.G, g, _sources(q), cutoff=q.cutoff, threads=q.threads)


def lengths_and_paths(q: Query) -> tuple[object, object]:
    """All lengths and paths, or those of one target."""
    if q.target is None:
        found = _search(q)
        return found.lengths(), found.paths()
    sources = _sources(q)
    if q.G.find(q.target) in sources:
        return 0, [q.target]
    length, found, at = _to_target(q, sources, f"No path to {q.target}.")
    return length, found.path(at)


def paths(q: Query) -> Paths:
    return _search(q).paths()


def lengths(q: Query) -> dict[Node, float]:
    g, sources = checked(q.G.weighted(q.weight)), _sources(q)
    return near(q.G, g, sources, q.cutoff, q.max_error, q.threads).lengths()


def dijkstra_path(q: Query) -> object:
    return lengths_and_paths(q)[1]


def dijkstra_path_length(q: Query) -> float:
    place = q.G.place(q.source, LOST)
    if q.source == q.target:
        return 0
    return _to_target(q, [place], f"Node {q.target} not reachable from {q.source}")[0]


def bidirectional_dijkstra(q: Query) -> tuple[float, list[Node]]:
    from ..kernels.paths.meeting import near_meeting_path
    from ..kernels.runtime.nouns import WeightedRows

    ends = (
        q.G.place(q.source, "Source {} is not in G"),
        q.G.place(q.target, "Target {} is not in G"),
    )
    if q.source == q.target:
        return 0, [q.source]
    g = checked(q.G.weighted(q.weight))
    rows, back = (WeightedRows(*side.rows, float_weights(side)) for side in (g, g.transpose))
    length, path = near_meeting_path(rows, back, *ends)
    if not path:
        raise nx.NetworkXNoPath(f"No path between {q.source} and {q.target}.")
    return as_numbers(g, np.array([length]))[0].item(), q.G.named(np.array(path))


def dijkstra_predecessor_and_distance(q: Query) -> tuple[Paths, dict[Node, float]]:
    place = q.G.place(q.source, "Node {} is not found in the graph")
    g = checked(q.G.weighted(q.weight))
    found = near_tree(q.G, g, [place], cutoff=q.cutoff)
    return pred_lists(found, g), found.lengths()


def _from_all(q: Query) -> Iterator[tuple[Node, Found]]:
    """Search from each node; weights that cannot be used are refused before the first search."""
    g = checked(q.G.weighted(q.weight))
    return ((node, near_tree(q.G, g, [at], cutoff=q.cutoff)) for at, node in enumerate(q.G))


def all_pairs_dijkstra(q: Query) -> Iterator[tuple[Node, tuple[dict[Node, float], Paths]]]:
    return ((node, (found.lengths(), found.paths())) for node, found in _from_all(q))


def all_pairs_dijkstra_path(q: Query) -> Iterator[tuple[Node, Paths]]:
    return ((node, found.paths()) for node, found in _from_all(q))


def all_pairs_dijkstra_path_length(q: Query) -> Iterator[tuple[Node, dict[Node, float]]]:
    g = checked(q.G.weighted(q.weight))
    return ((node, near(q.G, g, [at], q.cutoff).lengths()) for at, node in enumerate(q.G))
