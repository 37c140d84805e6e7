"""NetworkX's components, triangles and clustering coefficients, independent sets, flows and cuts."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from typing import cast

import networkx as nx
import numpy as np

import tachograph as tg

from ..algorithms.simple import simple
from ..graph.graph import Graph
from .graph import Node, Query


def _components(q: Query) -> tg.ComponentsResult:
    return tg.connected_components(q.G.rows, threads=q.threads)


def grouped(q: Query, labels: np.ndarray) -> Iterator[set[Node]]:
    """Yield the nodes that have the same label, in the order of the labels."""
    order = np.argsort(labels, kind="stable")
    begins = np.flatnonzero(np.diff(labels[order], prepend=-1))
    nodes = q.G.named(order)
    for a, b in zip(begins.tolist(), [*begins[1:].tolist(), len(nodes)], strict=False):
        yield set(nodes[a:b])


def connected_components(q: Query) -> Iterator[set[Node]]:
    return grouped(q, _components(q).labels)


def number_connected_components(q: Query) -> int:
    return int(_components(q).count)


def is_connected(q: Query) -> bool:
    if len(q.G) == 0:
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    return number_connected_components(q) == 1


def node_connected_component(q: Query) -> set[Node]:
    at = q.G.find(q.source)
    if at < 0:
        raise KeyError(q.source)
    labels = _components(q).labels
    return set(q.G.named(np.flatnonzero(labels == labels[at])))


weakly_connected_components = connected_components
number_weakly_connected_components = number_connected_components
is_weakly_connected = is_connected


def strongly_connected_components(q: Query) -> Iterator[set[Node]]:
    found = tg.strongly_connected_components(q.G.rows, threads=q.threads, trace=False)
    return grouped(q, found.labels)


kosaraju_strongly_connected_components = strongly_connected_components


def number_strongly_connected_components(q: Query) -> int:
    return tg.strongly_connected_components(q.G.rows, threads=q.threads, trace=False).count


def is_strongly_connected(q: Query) -> bool:
    if len(q.G) == 0:
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    return number_strongly_connected_components(q) == 1


def _counts(q: Query) -> tuple[np.ndarray, np.ndarray]:
    """Return the triangles of each vertex, and its pairs of neighbours in both orders; no loops."""
    found = tg.triangles(q.G.rows, per_vertex=True, threads=q.threads, trace=False).per_vertex
    assert found is not None
    degrees = simple(q.G.rows).degrees
    return found, degrees * (degrees - 1)


def _chosen(q: Query, values: np.ndarray) -> float | dict[Node, float]:
    """Return the values of all nodes, of one, or of those in ``nodes`` that are in the graph."""
    if q.nodes is None:
        return q.G.by_node(values)
    at = q.G.find(q.nodes)
    if at >= 0:
        return cast(float, values[at].item())
    try:
        found = map(q.G.find, cast(Iterable[Node], q.nodes))
        places = np.array([place for place in found if place >= 0], np.int64)
    except TypeError:
        raise nx.NetworkXError(f"Node {q.nodes} is not in the graph.") from None
    return q.G.labelled(places, values[places].tolist())


def _simple_only(q: Query) -> None:
    if q.G.is_multigraph():
        raise nx.NetworkXNotImplemented("not implemented for multigraph type")


def triangles(q: Query) -> float | dict[Node, float]:
    if q.nodes is not None:
        _simple_only(q)
    return _chosen(q, _counts(q)[0])


def clustering(q: Query) -> float | dict[Node, float]:
    _simple_only(q)
    found, pairs = _counts(q)
    made = _chosen(q, np.divide(2 * found, pairs, out=np.zeros(len(q.G)), where=found > 0))
    # NetworkX gives a whole 0 where there are no triangles
    return {node: v or 0 for node, v in made.items()} if isinstance(made, dict) else made or 0


def average_clustering(q: Query) -> float:
    values = list(cast("dict[Node, float]", clustering(q)).values())
    if not q.count_zeros:
        values = [value for value in values if value > 0]
    return float(sum(values) / len(values))


def transitivity(q: Query) -> float:
    _simple_only(q)
    found, pairs = _counts(q)
    total = int(found.sum())
    return 2 * total / int(pairs.sum()) if total else 0


def maximal_independent_set(q: Query) -> list[Node]:
    """Return a set with ``nodes`` in it; the same for the same seed, but not that of NetworkX."""
    G, g, seed = q.G, q.G.rows, q.seed
    chosen = set(cast(Iterable[Node], q.nodes or ()))
    places = np.array([G.find(node) for node in chosen], np.int64)
    if (places < 0).any():
        raise nx.NetworkXUnfeasible(f"{chosen} is not a subset of the nodes of G")
    if len(G) == 0:
        raise IndexError("Cannot choose from an empty sequence")
    assert seed is not None  # NetworkX makes one of whatever is given
    number = seed.getrandbits(32) if isinstance(seed, random.Random) else seed.randint(2**32)
    if not places.size:
        return G.named(tg.maximal_independent_set(g, rng=number, threads=q.threads).vertices)
    taken, near = np.zeros((2, g.n), np.bool_)
    taken[places] = True
    tails = g.arc_sources()
    near[g.indices[taken[tails]]] = True
    if (near & taken).any():
        raise nx.NetworkXUnfeasible(f"{chosen} is not an independent set of G")
    free = ~(near | taken)
    inside = free[tails] & free[g.indices]
    numbers = np.cumsum(free) - 1
    ends = numbers[tails[inside]], numbers[g.indices[inside]]
    rest = Graph.from_edges(*ends, n=int(free.sum()), directed=True)
    more = tg.maximal_independent_set(rest, rng=number, threads=q.threads).vertices
    return [*G.named(places), *G.named(np.flatnonzero(free)[more])]


def _solved(q: Query) -> tuple[float, np.ndarray, np.ndarray]:
    """Return the value of a maximum flow, and the capacity and flow of each arc."""
    lost = "node {} not in graph"
    places = [q.G.place(node, lost, nx.NetworkXError) for node in (q.source, q.target)]
    if q.source == q.target:
        raise nx.NetworkXError("source and sink are the same node")
    if q.G.is_multigraph():
        raise nx.NetworkXError("MultiGraph and MultiDiGraph not supported (yet).")
    limits = np.maximum(q.G.values(q.capacity, "sum"), 0)  # NetworkX leaves out what is below
    if np.isnan(limits).any():
        raise NotImplementedError("capacities that are not numbers are left to NetworkX")
    finite = limits[np.isfinite(limits)]
    whole = bool((finite == np.rint(finite)).all()) and limits.dtype.kind == "f"
    found = tg.maximum_flow(q.G.rows, *places, capacity=limits)
    if found.status == "unbounded":
        raise nx.NetworkXUnbounded("Infinite capacity path, flow unbounded above.")
    flow, value = np.maximum(found.flow, 0), found.value
    if whole and finite.sum() < 2**53 and finite.size < limits.size:
        flow, value = np.rint(flow).astype(np.int64), round(value)
    return value, limits, flow


def maximum_flow(q: Query) -> tuple[float, dict[Node, dict[Node, float]]]:
    value, _, flow = _solved(q)
    heads, flows = q.G.named(q.G.rows.indices), flow.tolist()
    ends = q.G.rows.indptr.tolist()
    rows = zip(q.G, ends[:-1], ends[1:], strict=True)
    return value, {node: dict(zip(heads[a:b], flows[a:b], strict=True)) for node, a, b in rows}


def maximum_flow_value(q: Query) -> float:
    return _solved(q)[0]


minimum_cut_value = maximum_flow_value


def minimum_cut(q: Query) -> tuple[float, tuple[set[Node], set[Node]]]:
    value, limits, flow = _solved(q)
    g = q.G.rows
    tails = g.arc_sources()
    free, used = flow < limits, flow > 0  # along an arc more can flow, against it less
    towards = np.concatenate([g.indices[free], tails[used]])
    away = np.concatenate([tails[free], g.indices[used]])
    residual = Graph.from_edges(towards, away, n=g.n)  # turned round: a search from the sink
    there = tg.bfs(residual, q.G.find(q.target), trace=False).levels >= 0
    near, far = (set(q.G.named(np.flatnonzero(side))) for side in (~there, there))
    return value, (near, far)
