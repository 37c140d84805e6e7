"""From a NetworkX graph to the backend's, in one pass over its adjacency, and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from ..graph.build import index_type, seal
from ..graph.graph import Graph
from .graph import BackendGraph

__all__ = ["convert_from_nx", "convert_to_nx"]

DENSE = 8  # a table of integer nodes may have so many entries for each node


def convert_from_nx(
    graph: Any,
    *,
    edge_attrs: Mapping[str, Any] | None = None,
    node_attrs: Mapping[str, Any] | None = None,
    preserve_edge_attrs: bool = False,
    preserve_node_attrs: bool = False,
    preserve_graph_attrs: bool = False,
    name: str | None = None,
    graph_name: str | None = None,
) -> BackendGraph:
    """The backend's graph with the same nodes, edges and, of their attributes, ``edge_attrs``.

    Parameters
    ----------
    graph
        A NetworkX graph of any class.
    edge_attrs
        Names of edge attributes to keep, and what an edge without it has.
    node_attrs, preserve_edge_attrs, preserve_node_attrs, preserve_graph_attrs, name, graph_name
        Part of NetworkX's interface; no function of this backend needs other attributes.

    Examples
    --------
    >>> import networkx as nx
    >>> G = convert_from_nx(nx.path_graph(3), edge_attrs={"weight": 1})
    >>> len(G), G.number_of_edges(), G.is_directed()
    (3, 2, False)
    """
    if isinstance(graph, BackendGraph):
        return graph
    nodes, neighbours = _adjacency(graph)
    n = len(nodes)
    lengths = np.fromiter(map(len, neighbours), np.int64, n)
    indptr = np.zeros(n + 1, np.int64)
    np.cumsum(lengths, out=indptr[1:])
    indices = _places(nodes, neighbours, int(indptr[-1]))
    seal(indptr, indices)
    rows = Graph(indptr, indices, directed=graph.is_directed())
    parallel = None
    wanted = dict(edge_attrs or {})
    data: Iterable[Any] = neighbours
    if graph.is_multigraph():
        data = list(chain.from_iterable(row.values() for row in neighbours))
        parallel = np.fromiter(map(len, data), np.int64, indices.size)
    attributes = {key: _values(data, key, default) for key, default in wanted.items()}
    plain = nodes == list(range(n)) and set(map(type, nodes)) <= {int}
    return BackendGraph(range(n) if plain else nodes, rows, attributes, parallel)


def _adjacency(graph: Any) -> tuple[list[Any], list[Any]]:
    """Nodes and, for each, its neighbours with their data."""
    import networkx as nx

    adjacency = graph._adj
    plain = type(graph) in (nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph)
    if plain and isinstance(adjacency, dict):
        return list(adjacency), list(adjacency.values())
    # A class of its own may have neighbours of its own, and a view counts what it does not show.
    pairs = [(node, _row(row, graph.is_multigraph())) for node, row in graph.adjacency()]
    return [node for node, _ in pairs], [row for _, row in pairs]


def _row(row: Any, multigraph: bool) -> dict[Any, Any]:
    """Neighbours with their data, as a dict; neighbours may come as a set, without data."""
    if not isinstance(row, Mapping):
        return {node: {} for node in row}
    return {node: dict(data) if multigraph else data for node, data in row.items()}


def _places(nodes: list[Any], neighbours: Sequence[Any], arcs: int) -> np.ndarray:
    """The places of all neighbours, row by row."""
    n = len(nodes)
    kind = index_type(n)
    every = chain.from_iterable(neighbours)
    if set(map(type, nodes)) <= {int} and n:
        low, high = min(nodes), max(nodes)
        if high - low < DENSE * n + 1024 and abs(low) < 2**62:
            found = np.fromiter(every, np.int64, arcs)
            if low == 0 and nodes == list(range(n)):
                return found.astype(kind)
            table = np.empty(high - low + 1, kind)
            table[np.array(nodes, np.int64) - low] = np.arange(n, dtype=kind)
            placed: np.ndarray = table[found - low]
            return placed
    places = dict(zip(nodes, range(n), strict=True))
    return np.fromiter(map(places.__getitem__, every), kind, arcs)


def _values(data: Iterable[Any], attribute: str, default: Any) -> np.ndarray | str:
    """An attribute of every edge as int64 or float64, or why that cannot be."""
    found = [edge.get(attribute, default) for row in data for edge in row.values()]
    kinds = set(map(type, found))
    if not kinds <= {int, float, bool, np.float64, np.int64}:
        odd = sorted(kind.__name__ for kind in kinds - {int, float, bool, np.float64, np.int64})
        return f"edge attribute {attribute!r} has values of type {', '.join(odd)}"
    whole = not kinds & {float, np.float64}
    try:
        return np.array(found, np.int64 if whole else np.float64)
    except OverflowError:
        return f"edge attribute {attribute!r} has whole numbers that need more than 64 bits"


def convert_to_nx(result: Any, *, name: str | None = None) -> Any:
    """A NetworkX graph from the backend's; anything else as it is.

    It has the edge attributes that were kept, also where they had been missing.
    """
    if not isinstance(result, BackendGraph):
        return result
    import networkx as nx

    lost = [why for why in result.attributes.values() if isinstance(why, str)]
    if lost:
        raise NotImplementedError(lost[0])
    multigraph, directed = result.is_multigraph(), result.is_directed()
    classes = {
        (False, False): nx.Graph,
        (False, True): nx.DiGraph,
        (True, False): nx.MultiGraph,
        (True, True): nx.MultiDiGraph,
    }
    made = classes[multigraph, directed]()
    made.add_nodes_from(result.nodes)
    rows = result.rows
    tails = np.repeat(np.arange(rows.n), rows.degrees)
    heads = rows.indices.astype(np.int64)
    if result.parallel is not None:
        tails, heads = np.repeat(tails, result.parallel), np.repeat(heads, result.parallel)
    once = np.ones(tails.size, np.bool_) if directed else tails <= heads
    kept = {key: np.asarray(v)[once].tolist() for key, v in result.attributes.items()}
    data = (dict(zip(kept, values, strict=True)) for values in zip(*kept.values(), strict=True))
    ends = result.named(tails[once]), result.named(heads[once])
    if kept:
        made.add_edges_from(zip(*ends, data, strict=True))
    else:
        made.add_edges_from(zip(*ends, strict=True))
    return made
