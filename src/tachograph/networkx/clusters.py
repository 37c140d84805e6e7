"""NetworkX's triangles and clustering coefficients of undirected graphs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias, cast

import networkx as nx
import numpy as np

import tachograph as tg

from ..algorithms.simple import simple
from .graph import BackendGraph, Node

Nodes: TypeAlias = "Node | Iterable[Node]"


def _counts(G: BackendGraph, threads: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Return the triangles and the neighbours of each vertex, loops left out."""
    found = tg.triangles(G.rows, per_vertex=True, threads=threads, trace=False).per_vertex
    assert found is not None
    return found, simple(G.rows).degrees


def _chosen(G: BackendGraph, nodes: Nodes, values: np.ndarray) -> float | dict[Node, float]:
    """Return the values of all nodes, of one, or of those in ``nodes`` that are in the graph."""
    if nodes is None:
        return G.by_node(values)
    at = G.find(nodes)
    if at >= 0:
        return cast(float, values[at].item())
    try:
        found = map(G.find, cast(Iterable[Node], nodes))
        places = np.array([place for place in found if place >= 0], np.int64)
    except TypeError:
        raise nx.NetworkXError(f"Node {nodes} is not in the graph.") from None
    return G.labelled(places, values[places].tolist())


def _simple_only(G: BackendGraph) -> None:
    if G.is_multigraph():
        raise nx.NetworkXNotImplemented("not implemented for multigraph type")


def triangles(
    G: BackendGraph, nodes: Nodes = None, *, threads: int | None = None
) -> float | dict[Node, float]:
    if nodes is not None:
        _simple_only(G)
    return _chosen(G, nodes, _counts(G, threads)[0])


def _coefficients(G: BackendGraph, threads: int | None) -> np.ndarray:
    _simple_only(G)
    found, degrees = _counts(G, threads)
    pairs = degrees * (degrees - 1)
    ratio: np.ndarray = np.divide(2 * found, pairs, out=np.zeros(len(G)), where=found > 0)
    return ratio


def clustering(
    G: BackendGraph, nodes: Nodes = None, weight: None = None, *, threads: int | None = None
) -> float | dict[Node, float]:
    return _chosen(G, nodes, _coefficients(G, threads))


def average_clustering(
    G: BackendGraph,
    nodes: Nodes = None,
    weight: None = None,
    count_zeros: bool = True,
    *,
    threads: int | None = None,
) -> float:
    found = clustering(G, nodes, threads=threads)
    values = list(cast("dict[Node, float]", found).values())
    if not count_zeros:
        values = [value for value in values if value > 0]
    return float(sum(values) / len(values))


def transitivity(G: BackendGraph, *, threads: int | None = None) -> float:
    _simple_only(G)
    found, degrees = _counts(G, threads)
    total = int(found.sum())
    return 2 * total / int((degrees * (degrees - 1)).sum()) if total else 0
