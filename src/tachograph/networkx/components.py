"""NetworkX's connected components, and weakly connected ones of directed graphs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np

from ..algorithms.components import connected_components as find_components
from .graph import BackendGraph


def connected_components(G: BackendGraph, *, threads: int | None = None) -> Iterator[set[Any]]:
    labels = find_components(G.rows, threads=threads).labels
    order = np.argsort(labels, kind="stable")
    begins = np.flatnonzero(np.diff(labels[order], prepend=-1))
    nodes = G.named(order)
    for a, b in zip(begins.tolist(), [*begins[1:].tolist(), len(nodes)], strict=False):
        yield set(nodes[a:b])


def number_connected_components(G: BackendGraph, *, threads: int | None = None) -> int:
    return int(find_components(G.rows, threads=threads).count)


def is_connected(G: BackendGraph, *, threads: int | None = None) -> bool:
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    return number_connected_components(G, threads=threads) == 1


def node_connected_component(G: BackendGraph, n: Any, *, threads: int | None = None) -> set[Any]:
    at = G.find(n)
    if at < 0:
        raise KeyError(n)
    labels = find_components(G.rows, threads=threads).labels
    return set(G.named(np.flatnonzero(labels == labels[at])))


weakly_connected_components = connected_components
number_weakly_connected_components = number_connected_components
is_weakly_connected = is_connected
