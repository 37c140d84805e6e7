"""NetworkX's maximal independent set."""

from __future__ import annotations

import random
from collections.abc import Iterable

import networkx as nx
import numpy as np

import tachograph as tg

from ..graph.graph import Graph
from .graph import BackendGraph, Node


def maximal_independent_set(
    G: BackendGraph,
    nodes: Iterable[Node] | None = None,
    seed: random.Random | np.random.RandomState | None = None,
    *,
    threads: int | None = None,
) -> list[Node]:
    """Return a set with ``nodes`` in it; the same for the same seed, but not that of NetworkX."""
    chosen = set(nodes or ())
    places = np.array([G.find(node) for node in chosen], np.int64)
    if (places < 0).any():
        raise nx.NetworkXUnfeasible(f"{chosen} is not a subset of the nodes of G")
    if len(G) == 0:
        raise IndexError("Cannot choose from an empty sequence")
    g = G.rows
    assert seed is not None  # NetworkX makes one of whatever is given
    number = seed.getrandbits(32) if isinstance(seed, random.Random) else seed.randint(2**32)
    taken = np.zeros(g.n, np.bool_)
    taken[places] = True
    tails = g.arc_sources()
    near = np.zeros(g.n, np.bool_)
    near[g.indices[taken[tails]]] = True
    if (near & taken).any():
        raise nx.NetworkXUnfeasible(f"{chosen} is not an independent set of G")
    free = ~(near | taken)
    if not places.size:
        return G.named(tg.maximal_independent_set(g, rng=number, threads=threads).vertices)
    inside = free[tails] & free[g.indices]
    numbers = np.cumsum(free) - 1
    ends = numbers[tails[inside]], numbers[g.indices[inside]]
    rest = Graph.from_edges(*ends, n=int(free.sum()), directed=True)
    more = tg.maximal_independent_set(rest, rng=number, threads=threads).vertices
    return [*G.named(places), *G.named(np.flatnonzero(free)[more])]
