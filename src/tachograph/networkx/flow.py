"""NetworkX's maximum flow and minimum cut."""

from __future__ import annotations

import networkx as nx
import numpy as np

import tachograph as tg

from ..graph.graph import Graph
from .graph import BackendGraph, Node


def _solved(
    G: BackendGraph, s: Node, t: Node, capacity: str
) -> tuple[float, np.ndarray, np.ndarray]:
    """Return the value, and the capacity and flow of each arc."""
    places = [G.place(node, "node {} not in graph", nx.NetworkXError) for node in (s, t)]
    if s == t:
        raise nx.NetworkXError("source and sink are the same node")
    if G.is_multigraph():
        raise nx.NetworkXError("MultiGraph and MultiDiGraph not supported (yet).")
    limits = np.maximum(G.values(capacity, "sum"), 0)  # NetworkX leaves out what is below
    if np.isnan(limits).any():
        raise NotImplementedError("capacities that are not numbers are left to NetworkX")
    finite = limits[np.isfinite(limits)]
    whole = bool((finite == np.rint(finite)).all()) and limits.dtype.kind == "f"
    found = tg.maximum_flow(G.rows, *places, capacity=limits)
    if found.status == "unbounded":
        raise nx.NetworkXUnbounded("Infinite capacity path, flow unbounded above.")
    flow, value = np.maximum(found.flow, 0), found.value
    if whole and finite.sum() < 2**53 and finite.size < limits.size:
        flow, value = np.rint(flow).astype(np.int64), round(value)
    return value, limits, flow


def maximum_flow(
    flowG: BackendGraph, _s: Node, _t: Node, capacity: str = "capacity", flow_func: None = None
) -> tuple[float, dict[Node, dict[Node, float]]]:
    value, _, flow = _solved(flowG, _s, _t, capacity)
    heads, flows = flowG.named(flowG.rows.indices), flow.tolist()
    ends = flowG.rows.indptr.tolist()
    rows = zip(flowG, ends[:-1], ends[1:], strict=True)
    return value, {node: dict(zip(heads[a:b], flows[a:b], strict=True)) for node, a, b in rows}


def maximum_flow_value(
    flowG: BackendGraph, _s: Node, _t: Node, capacity: str = "capacity", flow_func: None = None
) -> float:
    return _solved(flowG, _s, _t, capacity)[0]


def minimum_cut(
    flowG: BackendGraph, _s: Node, _t: Node, capacity: str = "capacity", flow_func: None = None
) -> tuple[float, tuple[set[Node], set[Node]]]:
    value, limits, flow = _solved(flowG, _s, _t, capacity)
    g = flowG.rows
    tails = g.arc_sources()
    free, used = flow < limits, flow > 0  # along an arc more can flow, against it less
    towards = np.concatenate([g.indices[free], tails[used]])
    away = np.concatenate([tails[free], g.indices[used]])
    residual = Graph.from_edges(towards, away, n=g.n)  # turned round: a search from the sink
    there = tg.bfs(residual, flowG.find(_t), trace=False).levels >= 0
    near, far = (set(flowG.named(np.flatnonzero(side))) for side in (~there, there))
    return value, (near, far)
