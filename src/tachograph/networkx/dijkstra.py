"""NetworkX's functions of Dijkstra's algorithm."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np

from .graph import BackendGraph
from .search import (
    Found,
    as_numbers,
    checked,
    float_weights,
    near,
    near_tree,
    pred_lists,
)

Weight = str | None


def _places(G: BackendGraph, sources: Any) -> list[int]:
    """The places of the sources; all of them have to be there."""
    if not sources:
        raise ValueError("sources must not be empty")
    return [_place(G, node) for node in sources]


def _place(G: BackendGraph, node: Any) -> int:
    at = G.find(node)
    if at < 0:
        raise nx.NodeNotFound(f"Node {node} not found in graph")
    return at


def _to_target(
    G: BackendGraph, sources: list[int], target: Any, cutoff: float | None, weight: Weight,
    message: str,
) -> tuple[Any, Found, int]:  # fmt: skip
    """The distance of a target, the search that found it, and the target's place."""
    at = G.find(target)
    found = near_tree(G, checked(G.weighted(weight)), sources, at, cutoff)
    if at < 0 or not found.order.size or found.order[-1] != at:
        raise nx.NetworkXNoPath(message)
    return found.distances[-1].item(), found, at


def multi_source_dijkstra(
    G: BackendGraph, sources: Any, target: Any = None, cutoff: float | None = None,
    weight: Weight = "weight", *, threads: int | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    places = _places(G, sources)
    if target is None:
        g = checked(G.weighted(weight))
        found = near_tree(G, g, places, cutoff=cutoff, threads=threads)
        return found.lengths(), found.paths()
    if target in sources:
        return 0, [target]
    length, found, at = _to_target(G, places, target, cutoff, weight, f"No path to {target}.")
    return length, found.path(at)


def multi_source_dijkstra_path(
    G: BackendGraph, sources: Any, cutoff: float | None = None, weight: Weight = "weight", *,
    threads: int | None = None,
) -> dict[Any, list[Any]]:  # fmt: skip
    g = checked(G.weighted(weight))
    return near_tree(G, g, _places(G, sources), cutoff=cutoff, threads=threads).paths()


def multi_source_dijkstra_path_length(
    G: BackendGraph, sources: Any, cutoff: float | None = None, weight: Weight = "weight", *,
    max_error: float | None = None, threads: int | None = None,
) -> dict[Any, Any]:  # fmt: skip
    places = _places(G, sources)
    return near(G, checked(G.weighted(weight)), places, cutoff, max_error, threads).lengths()


def single_source_dijkstra(
    G: BackendGraph, source: Any, target: Any = None, cutoff: float | None = None,
    weight: Weight = "weight", *, threads: int | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    return multi_source_dijkstra(G, [source], target, cutoff, weight, threads=threads)


def single_source_dijkstra_path(
    G: BackendGraph, source: Any, cutoff: float | None = None, weight: Weight = "weight", *,
    threads: int | None = None,
) -> dict[Any, list[Any]]:  # fmt: skip
    return multi_source_dijkstra_path(G, [source], cutoff, weight, threads=threads)


def single_source_dijkstra_path_length(
    G: BackendGraph, source: Any, cutoff: float | None = None, weight: Weight = "weight", *,
    max_error: float | None = None, threads: int | None = None,
) -> dict[Any, Any]:  # fmt: skip
    options: Any = {"max_error": max_error, "threads": threads}
    return multi_source_dijkstra_path_length(G, [source], cutoff, weight, **options)


def dijkstra_path(G: BackendGraph, source: Any, target: Any, weight: Weight = "weight") -> Any:
    return single_source_dijkstra(G, source, target, weight=weight)[1]


def dijkstra_path_length(
    G: BackendGraph, source: Any, target: Any, weight: Weight = "weight"
) -> Any:
    place = _place(G, source)
    if source == target:
        return 0
    message = f"Node {target} not reachable from {source}"
    return _to_target(G, [place], target, None, weight, message)[0]


def bidirectional_dijkstra(
    G: BackendGraph, source: Any, target: Any, weight: Weight = "weight"
) -> tuple[Any, list[Any]]:
    for what, node in (("Source", source), ("Target", target)):
        if G.find(node) < 0:
            raise nx.NodeNotFound(f"{what} {node} is not in G")
    if source == target:
        return 0, [source]
    from ..kernels.paths.meeting import near_meeting_path

    g = checked(G.weighted(weight))
    back = g.transpose
    rows = (g.indptr, g.indices, float_weights(g), back.indptr, back.indices, float_weights(back))
    length, path = near_meeting_path(*rows, G.find(source), G.find(target))
    if not path:
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.")
    return as_numbers(g, np.array([length]))[0].item(), G.named(np.array(path))


def dijkstra_predecessor_and_distance(
    G: BackendGraph, source: Any, cutoff: float | None = None, weight: Weight = "weight"
) -> tuple[dict[Any, list[Any]], dict[Any, Any]]:
    place = G.find(source)
    if place < 0:
        raise nx.NodeNotFound(f"Node {source} is not found in the graph")
    g = checked(G.weighted(weight))
    found = near_tree(G, g, [place], cutoff=cutoff)
    return pred_lists(found, g), found.lengths()


def all_pairs_dijkstra(
    G: BackendGraph, cutoff: float | None = None, weight: Weight = "weight"
) -> Iterator[tuple[Any, tuple[dict[Any, Any], dict[Any, list[Any]]]]]:
    searches = _from_all(G, cutoff, weight)
    return ((node, (found.lengths(), found.paths())) for node, found in searches)


def all_pairs_dijkstra_path_length(
    G: BackendGraph, cutoff: float | None = None, weight: Weight = "weight"
) -> Iterator[tuple[Any, dict[Any, Any]]]:
    g = checked(G.weighted(weight))
    return ((node, near(G, g, [at], cutoff).lengths()) for at, node in enumerate(G))


def all_pairs_dijkstra_path(
    G: BackendGraph, cutoff: float | None = None, weight: Weight = "weight"
) -> Iterator[tuple[Any, dict[Any, list[Any]]]]:
    return ((node, found.paths()) for node, found in _from_all(G, cutoff, weight))


def _from_all(G: BackendGraph, cutoff: float | None, weight: Weight) -> Iterator[tuple[Any, Found]]:
    """A search from each node; refuses what it cannot use before the first."""
    g = checked(G.weighted(weight))
    return ((node, near_tree(G, g, [at], cutoff=cutoff)) for at, node in enumerate(G))
