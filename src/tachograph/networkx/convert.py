"""From a NetworkX graph to the backend's, in one pass over its adjacency, and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np

from ..graph.build import index_type
from ..graph.foreign import seal
from ..graph.graph import Graph
from .graph import BackendGraph, Node

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["convert_from_nx", "convert_to_nx"]

#: The neighbours of a node, with their data.
Row: TypeAlias = Mapping[Node, Any]
NUMBERS = {int, float, bool, np.float64, np.int64}

TABLE_ENTRIES_PER_NODE = 8  # up to which integer nodes are looked up in a table, not in a dict


def convert_from_nx(
    graph: nx.Graph[Any] | BackendGraph,
    *,
    edge_attrs: Mapping[str, object] | None = None,
    node_attrs: Mapping[str, object] | None = None,
    preserve_edge_attrs: bool = False,
    preserve_node_attrs: bool = False,
    preserve_graph_attrs: bool = False,
    name: str | None = None,
    graph_name: str | None = None,
) -> BackendGraph:
    """Return the backend's graph with the same nodes and edges, and some attributes of the edges.

    Parameters
    ----------
    graph
        A NetworkX graph of any class.
    edge_attrs
        The edge attributes to keep, and the value for edges that lack one.
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
    nodes, neighbours, computed = _adjacency(graph)
    n = len(nodes)
    if computed and not all(map(set(nodes).issuperset, neighbours)):
        raise NotImplementedError("the graph has a neighbour that is not among its nodes")
    lengths = np.fromiter(map(len, neighbours), np.int64, n)
    indptr = np.zeros(n + 1, np.int64)
    np.cumsum(lengths, out=indptr[1:])
    indices = _places(nodes, neighbours, int(indptr[-1]))
    seal(indptr, indices)
    rows = Graph(indptr, indices, directed=graph.is_directed())
    parallel = None
    wanted = dict(edge_attrs or {})
    data: Iterable[Row] = neighbours
    if graph.is_multigraph():
        data = list(chain.from_iterable(row.values() for row in neighbours))
        parallel = np.fromiter(map(len, data), np.int64, indices.size)
    if computed and not graph.is_directed() and not _symmetric(rows, parallel):
        raise NotImplementedError("the graph is undirected, but shows an edge from one end only")
    attributes = {key: _values(data, key, default) for key, default in wanted.items()}
    plain = nodes == list(range(n)) and set(map(type, nodes)) <= {int}
    return BackendGraph(range(n) if plain else nodes, rows, attributes, parallel)


def _adjacency(graph: nx.Graph[Any]) -> tuple[list[Node], list[Row], bool]:
    """Return the nodes, the neighbours of each with their data, and whether the graph computes them."""
    import networkx as nx

    adjacency = graph._adj
    plain = type(graph) in (nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph)
    if plain and isinstance(adjacency, dict):
        return list(adjacency), list(adjacency.values()), False
    # A subclass may define neighbours itself, and the length of a view counts hidden nodes.
    pairs = [(node, _row(row, graph.is_multigraph())) for node, row in graph.adjacency()]
    return [node for node, _ in pairs], [row for _, row in pairs], True


def _symmetric(rows: Graph, parallel: np.ndarray | None) -> bool:
    """Return whether every arc has its reverse, with as many parallel edges."""
    tails, heads = rows.arc_sources().astype(np.int64), rows.indices.astype(np.int64)
    out, back = tails * rows.n + heads, heads * rows.n + tails
    by_out, by_back = np.argsort(out), np.argsort(back)
    same = np.array_equal(out[by_out], back[by_back])
    return same and (parallel is None or np.array_equal(parallel[by_out], parallel[by_back]))


def _row(row: Row | Iterable[Node], multigraph: bool) -> Row:
    """Return neighbours with their data as a dict; a subclass may give a set, without data."""
    if not isinstance(row, Mapping):
        return {node: {} for node in row}
    return {node: dict(data) if multigraph else data for node, data in row.items()}


def _places(nodes: list[Node], neighbours: Sequence[Row], arcs: int) -> np.ndarray:
    """Return the places of all neighbours, row by row."""
    n = len(nodes)
    kind = index_type(n)
    every = chain.from_iterable(neighbours)
    if set(map(type, nodes)) <= {int} and n:
        whole = cast("list[int]", nodes)
        low, high = min(whole), max(whole)
        if high - low < TABLE_ENTRIES_PER_NODE * n + 1024 and abs(low) < 2**62:
            found = np.fromiter(every, np.int64, arcs)
            if low == 0 and nodes == list(range(n)):
                return found.astype(kind)
            table = np.empty(high - low + 1, kind)
            table[np.array(nodes, np.int64) - low] = np.arange(n, dtype=kind)
            placed: np.ndarray = table[found - low]
            return placed
    places = dict(zip(nodes, range(n), strict=True))
    return np.fromiter(map(places.__getitem__, every), kind, arcs)


def _values(data: Iterable[Row], attribute: str, default: object) -> np.ndarray | str:
    """Return an attribute of every edge as int64 or float64, or why that is impossible."""
    found = [edge.get(attribute, default) for row in data for edge in row.values()]
    kinds = set(map(type, found))
    if kinds - NUMBERS:
        odd = sorted(kind.__name__ for kind in kinds - NUMBERS)
        return f"edge attribute {attribute!r} has values of type {', '.join(odd)}"
    whole = not kinds & {float, np.float64}
    try:
        return np.array(found, np.int64 if whole else np.float64)
    except OverflowError:
        return f"edge attribute {attribute!r} has whole numbers that need more than 64 bits"


def convert_to_nx(result: object, *, name: str | None = None) -> object:
    """Return a NetworkX graph of the backend's graph; anything else as it is.

    It has the edge attributes that were kept, also on edges that lacked them.
    """
    if not isinstance(result, BackendGraph):
        return result
    import networkx as nx

    lost = [why for why in result.attributes.values() if isinstance(why, str)]
    if lost:
        raise NotImplementedError(lost[0])
    directed = result.is_directed()
    if result.is_multigraph():
        made = nx.MultiDiGraph() if directed else nx.MultiGraph()
    else:
        made = nx.DiGraph() if directed else nx.Graph()
    made.add_nodes_from(result.nodes)
    rows = result.rows
    tails = rows.arc_sources()
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
