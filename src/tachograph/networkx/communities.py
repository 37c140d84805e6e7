"""NetworkX's communities and core numbers."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import networkx as nx
import numpy as np

import tachograph as tg

from ..graph.graph import Graph
from .graph import Node, Query
from .structure import grouped


def _graph(q: Query) -> Graph:
    """Return the graph with its weights; parallel edges weigh together."""
    g = q.G.weighted(q.weight, "sum")
    if q.weight is None and q.G.parallel is not None:
        g = g._replace(weights=q.G.parallel.astype(np.int32))
    return g


def _found(q: Query, find: Callable[..., tg.CommunitiesResult], **told: Any) -> list[set[Node]]:
    seed = q.seed
    assert seed is not None  # NetworkX makes one of whatever is given
    number = seed.getrandbits(32) if isinstance(seed, random.Random) else seed.randint(2**32)
    found = find(_graph(q), rng=number, threads=q.threads, trace=False, **told)
    return list(grouped(q, found.labels))


def leiden_communities(q: Query) -> list[set[Node]]:
    return _found(q, tg.leiden, resolution=q.resolution)


def louvain_communities(q: Query) -> list[set[Node]]:
    return _found(q, tg.louvain, resolution=q.resolution)


def asyn_lpa_communities(q: Query) -> Iterator[set[Node]]:
    return iter(_found(q, tg.label_propagation))


fast_label_propagation_communities = asyn_lpa_communities


def core_number(q: Query) -> dict[Node, int]:
    if q.G.is_multigraph():
        raise nx.NetworkXNotImplemented("not implemented for multigraph type")
    if q.G.rows.self_loops:
        raise nx.NetworkXNotImplemented("Input graph has self loops which is not permitted")
    return q.G.by_node(tg.core_number(q.G.rows, threads=q.threads, trace=False).cores)
