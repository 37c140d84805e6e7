"""NetworkX's centralities: closeness, harmonic, betweenness."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

import networkx as nx
import numpy as np

import tachograph as tg

from .graph import Node, Query


def closeness_centrality(q: Query) -> float | dict[Node, float]:
    found = tg.closeness_centrality(
        q.G.rows, wf_improved=q.wf_improved, max_error=q.max_error, threads=q.threads
    )
    if q.nodes is None:
        return q.G.by_node(found.scores)
    at = q.G.find(q.nodes)
    if at < 0:
        raise nx.NodeNotFound(f"{q.nodes} is not in G")
    return cast(float, found.scores[at].item())


def harmonic_centrality(q: Query) -> dict[Node, float]:
    found = tg.harmonic_centrality(q.G.rows, max_error=q.max_error, threads=q.threads)
    if q.nodes is None:
        return q.G.by_node(found.scores)
    at = q.G.find(q.nodes)
    wanted = [q.nodes] if at >= 0 else list(cast(Iterable[Node], q.nodes))
    places = np.array([place for node in wanted if (place := q.G.find(node)) >= 0], np.int64)
    return q.G.labelled(places, found.scores[places].tolist())


def betweenness_centrality(q: Query) -> dict[Node, float]:
    found = tg.betweenness_centrality(
        q.G.rows, normalized=q.normalized, max_error=q.max_error, threads=q.threads
    )
    return q.G.by_node(found.scores)
