"""Breadth-first searches and shortest paths without weights, as NetworkX has them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np

from .graph import BackendGraph
from .search import as_sources, hops, hops_tree, pred_lists, steps

Pairs = Iterator[tuple[Any, Any]]


def _source(G: BackendGraph, source: Any) -> int:
    """The place of a node that a traversal begins at."""
    at = G.find(source)
    if at < 0:
        raise nx.NetworkXError(f"The node {source} is not in the graph.")
    return at


def _tree(G: BackendGraph, source: Any, depth_limit: float | None) -> tuple[list[Any], list[Any]]:
    """Parents and children of a search's tree, as it meets them."""
    found = hops_tree(G, _source(G, source), steps(depth_limit))
    met = found.order[1:]
    return G.named(found.parent[met]), G.named(met)


def bfs_edges(
    G: BackendGraph, source: Any, reverse: bool = False, depth_limit: float | None = None,
    sort_neighbors: None = None,
) -> Pairs:  # fmt: skip
    yield from zip(*_tree(G, source, depth_limit), strict=True)


def generic_bfs_edges(
    G: BackendGraph, source: Any, neighbors: None = None, depth_limit: float | None = None
) -> Pairs:
    yield from zip(*_tree(G, source, depth_limit), strict=True)


def bfs_tree(
    G: BackendGraph, source: Any, reverse: bool = False, depth_limit: float | None = None,
    sort_neighbors: None = None,
) -> Any:  # fmt: skip
    T = nx.DiGraph()
    T.add_node(source)
    T.add_edges_from(zip(*_tree(G, source, depth_limit), strict=True))
    return T


def bfs_predecessors(
    G: BackendGraph, source: Any, depth_limit: float | None = None, sort_neighbors: None = None
) -> Pairs:
    parents, children = _tree(G, source, depth_limit)
    yield from zip(children, parents, strict=True)


def bfs_successors(
    G: BackendGraph, source: Any, depth_limit: float | None = None, sort_neighbors: None = None
) -> Iterator[tuple[Any, list[Any]]]:
    found = hops_tree(G, _source(G, source), steps(depth_limit))
    children = found.order[1:]
    if not children.size:
        yield source, []
        return
    parents = found.parent[children]
    begins = np.flatnonzero(np.diff(parents, prepend=-1))
    nodes = G.named(children)
    ends = [*begins[1:].tolist(), len(nodes)]
    for parent, a, b in zip(G.named(parents[begins]), begins.tolist(), ends, strict=True):
        yield parent, nodes[a:b]


def bfs_layers(G: BackendGraph, sources: Any) -> Iterator[list[Any]]:
    from ..kernels.paths.ordered import breadth_first

    first = list({sources} if G.find(sources) >= 0 else set(sources))
    places = as_sources(G.rows, (_source(G, node) for node in first))
    order, _, ends = breadth_first(G.rows.indptr, G.rows.indices, places, G.rows.n)
    if first:
        yield first
    nodes = G.named(order)
    for a, b in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
        yield nodes[a:b]


def descendants_at_distance(G: BackendGraph, source: Any, distance: Any) -> set[Any]:
    found = hops_tree(G, _source(G, source), steps(distance))
    return set(G.named(found.order[found.distances == distance]))


def _end(G: BackendGraph, node: Any, what: str, problem: str = "is not in G") -> int:
    at = G.find(node)
    if at < 0:
        raise nx.NodeNotFound(f"{what} {node} {problem}")
    return at


def single_source_shortest_path_length(
    G: BackendGraph, source: Any, cutoff: float | None = None, *, direction: Any = None,
    threads: int | None = None,
) -> dict[Any, int]:  # fmt: skip
    at = _end(G, source, "Source")
    return hops(G, at, steps(cutoff), direction=direction, threads=threads).lengths()


def single_target_shortest_path_length(
    G: BackendGraph, target: Any, cutoff: float | None = None, *, direction: Any = None,
    threads: int | None = None,
) -> dict[Any, int]:  # fmt: skip
    at = _end(G, target, "Target")
    return hops(G, at, steps(cutoff), G.rows.transpose, direction, threads).lengths()


def all_pairs_shortest_path_length(
    G: BackendGraph, cutoff: float | None = None
) -> Iterator[tuple[Any, dict[Any, int]]]:
    for at, node in enumerate(G):
        yield node, hops(G, at, steps(cutoff)).lengths()


def single_source_shortest_path(
    G: BackendGraph, source: Any, cutoff: float | None = None
) -> dict[Any, list[Any]]:
    return hops_tree(G, _end(G, source, "Source", "not in G"), steps(cutoff)).paths()


def single_target_shortest_path(
    G: BackendGraph, target: Any, cutoff: float | None = None
) -> dict[Any, list[Any]]:
    at = _end(G, target, "Target", "not in G")
    found = hops_tree(G, at, steps(cutoff), G.rows.transpose)
    return {node: path[::-1] for node, path in found.paths().items()}


def all_pairs_shortest_path(
    G: BackendGraph, cutoff: float | None = None
) -> Iterator[tuple[Any, dict[Any, list[Any]]]]:
    for at, node in enumerate(G):
        yield node, hops_tree(G, at, steps(cutoff)).paths()


def bidirectional_shortest_path(G: BackendGraph, source: Any, target: Any) -> list[Any]:
    from ..kernels.paths.meeting import meeting_path

    ends = _end(G, source, "Source"), _end(G, target, "Target")
    back = G.rows.transpose
    path = meeting_path(G.rows.indptr, G.rows.indices, back.indptr, back.indices, *ends)
    if not path:
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.")
    return G.named(np.array(path))


def has_path(G: BackendGraph, source: Any, target: Any) -> bool:
    try:
        bidirectional_shortest_path(G, source, target)
    except nx.NetworkXNoPath:
        return False
    return True


def predecessor(
    G: BackendGraph, source: Any, target: Any = None, cutoff: float | None = None,
    return_seen: bool | None = None,
) -> Any:  # fmt: skip
    limit = max(1, steps(cutoff)) if cutoff else steps(None)
    found = hops_tree(G, _end(G, source, "Source", "not in G"), limit)
    pred, seen = pred_lists(found, G.rows), found.lengths()
    if target is None:
        return (pred, seen) if return_seen else pred
    if target not in pred:
        return ([], -1) if return_seen else []
    return (pred[target], seen[target]) if return_seen else pred[target]
