"""Breadth-first searches and shortest paths without weights, as NetworkX has them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, cast

import networkx as nx
import numpy as np

from .graph import Node
from .query import Query
from .search import Found, Paths, as_sources, hops, hops_tree, pred_lists, steps

Pairs = Iterator[tuple[Node, Node]]


def _search(q: Query) -> Found:
    """Search from a node that a traversal begins at."""
    place = q.G.place(q.source, "The node {} is not in the graph.", nx.NetworkXError)
    return hops_tree(q.G, place, steps(q.cutoff))


def _tree(q: Query) -> tuple[list[Node], list[Node]]:
    """Return parents and children of a search's tree, in the order of the search."""
    found = _search(q)
    met = found.order[1:]
    return q.G.named(found.parent[met]), q.G.named(met)


def bfs_edges(q: Query) -> Pairs:
    yield from zip(*_tree(q), strict=True)


def bfs_tree(q: Query) -> nx.DiGraph[Any]:
    tree = nx.DiGraph()
    tree.add_node(q.source)
    tree.add_edges_from(bfs_edges(q))
    return tree


def bfs_predecessors(q: Query) -> Pairs:
    parents, children = _tree(q)
    yield from zip(children, parents, strict=True)


def bfs_successors(q: Query) -> Iterator[tuple[Node, list[Node]]]:
    found = _search(q)
    children = found.order[1:]
    if not children.size:
        yield q.source, []
        return
    parents = found.parent[children]
    begins = np.flatnonzero(np.diff(parents, prepend=-1))
    nodes = q.G.named(children)
    ends = [*begins[1:].tolist(), len(nodes)]
    for parent, a, b in zip(q.G.named(parents[begins]), begins.tolist(), ends, strict=True):
        yield parent, nodes[a:b]


def bfs_layers(q: Query) -> Iterator[list[Node]]:
    from ..kernels.paths.ordered import breadth_first

    G, rows = q.G, q.G.rows
    given = cast(Iterable[Node], [q.sources] if q.sources in G else q.sources)
    first = list(set(given))
    lost = "The node {} is not in the graph."
    places = as_sources(rows, (G.place(node, lost, nx.NetworkXError) for node in first))
    order, _, ends = breadth_first(rows.rows, places, rows.n)
    if first:
        yield first
    nodes = G.named(order)
    for a, b in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
        yield nodes[a:b]


def descendants_at_distance(q: Query) -> set[Node]:
    q.cutoff = q.distance
    found = _search(q)
    return set(q.G.named(found.order[found.distances == q.distance]))


def single_source_shortest_path_length(q: Query) -> dict[Node, float]:
    place = q.G.place(q.source, "Source {} is not in G")
    return hops(q.G, place, steps(q.cutoff), None, q.direction, q.threads).lengths()


def single_target_shortest_path_length(q: Query) -> dict[Node, float]:
    place, back = q.G.place(q.target, "Target {} is not in G"), q.G.rows.transpose
    return hops(q.G, place, steps(q.cutoff), back, q.direction, q.threads).lengths()


def all_pairs_shortest_path_length(q: Query) -> Iterator[tuple[Node, dict[Node, float]]]:
    for at, node in enumerate(q.G):
        yield node, hops(q.G, at, steps(q.cutoff)).lengths()


def single_source_shortest_path(q: Query) -> Paths:
    return hops_tree(q.G, q.G.place(q.source, "Source {} not in G"), steps(q.cutoff)).paths()


def single_target_shortest_path(q: Query) -> Paths:
    place = q.G.place(q.target, "Target {} not in G")
    found = hops_tree(q.G, place, steps(q.cutoff), q.G.rows.transpose)
    return {node: path[::-1] for node, path in found.paths().items()}


def all_pairs_shortest_path(q: Query) -> Iterator[tuple[Node, Paths]]:
    for at, node in enumerate(q.G):
        yield node, hops_tree(q.G, at, steps(q.cutoff)).paths()


def bidirectional_shortest_path(q: Query) -> list[Node]:
    from ..kernels.paths.meeting import meeting_path

    ends = (
        q.G.place(q.source, "Source {} is not in G"),
        q.G.place(q.target, "Target {} is not in G"),
    )
    rows = q.G.rows
    path = meeting_path(rows.rows, rows.transpose.rows, *ends)
    if not path:
        raise nx.NetworkXNoPath(f"No path between {q.source} and {q.target}.")
    return q.G.named(np.array(path))


def has_path(q: Query) -> bool:
    try:
        bidirectional_shortest_path(q)
    except nx.NetworkXNoPath:
        return False
    return True


def predecessor(q: Query) -> object:
    limit = max(1, steps(q.cutoff)) if q.cutoff else steps(None)
    found = hops_tree(q.G, q.G.place(q.source, "Source {} not in G"), limit)
    pred, seen = pred_lists(found, q.G.rows), found.lengths()
    if q.target is None:
        return (pred, seen) if q.return_seen else pred
    before, level = pred.get(q.target, []), seen.get(q.target, -1)
    return (before, level) if q.return_seen else before
