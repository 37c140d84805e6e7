"""NetworkX's maximal independent set."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import networkx as nx
import numpy as np

from ..algorithms.independent_set import maximal_independent_set as find_set
from ..graph.graph import Graph
from .graph import BackendGraph


def maximal_independent_set(
    G: BackendGraph, nodes: Iterable[Any] | None = None, seed: Any = None, *,
    threads: int | None = None,
) -> list[Any]:  # fmt: skip
    """A set with ``nodes`` in it. A seed gives the same set always, but not that of NetworkX."""
    chosen = set(nodes or ())
    places = np.array([G.find(node) for node in chosen], np.int64)
    if (places < 0).any():
        raise nx.NetworkXUnfeasible(f"{chosen} is not a subset of the nodes of G")
    if len(G) == 0:
        raise IndexError("Cannot choose from an empty sequence")
    g = G.rows
    number = seed.getrandbits(32) if hasattr(seed, "getrandbits") else seed.randint(2**32)
    taken = np.zeros(g.n, np.bool_)
    taken[places] = True
    tails = np.repeat(np.arange(g.n), g.degrees)
    near = np.zeros(g.n, np.bool_)
    near[g.indices[taken[tails]]] = True
    if (near & taken).any():
        raise nx.NetworkXUnfeasible(f"{chosen} is not an independent set of G")
    free = ~(near | taken)
    if not places.size:
        return G.named(find_set(g, rng=number, threads=threads).vertices)
    inside = free[tails] & free[g.indices]
    numbers = np.cumsum(free) - 1
    ends = numbers[tails[inside]], numbers[g.indices[inside]]
    rest = Graph.from_edges(*ends, n=int(free.sum()), directed=True)
    more = find_set(rest, rng=number, threads=threads).vertices
    return [*G.named(places), *G.named(np.flatnonzero(free)[more])]
