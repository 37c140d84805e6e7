"""NetworkX's connected components, and weakly connected ones of directed graphs."""

from __future__ import annotations

from collections.abc import Iterator

import networkx as nx
import numpy as np

import tachograph as tg

from .graph import BackendGraph, Node


def connected_components(G: BackendGraph, *, threads: int | None = None) -> Iterator[set[Node]]:
    labels = tg.connected_components(G.rows, threads=threads).labels
    order = np.argsort(labels, kind="stable")
    begins = np.flatnonzero(np.diff(labels[order], prepend=-1))
    nodes = G.named(order)
    for a, b in zip(begins.tolist(), [*begins[1:].tolist(), len(nodes)], strict=False):
        yield set(nodes[a:b])


def number_connected_components(G: BackendGraph, *, threads: int | None = None) -> int:
    return int(tg.connected_components(G.rows, threads=threads).count)


def is_connected(G: BackendGraph, *, threads: int | None = None) -> bool:
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    return number_connected_components(G, threads=threads) == 1


def node_connected_component(G: BackendGraph, n: Node, *, threads: int | None = None) -> set[Node]:
    at = G.find(n)
    if at < 0:
        raise KeyError(n)
    labels = tg.connected_components(G.rows, threads=threads).labels
    return set(G.named(np.flatnonzero(labels == labels[at])))
