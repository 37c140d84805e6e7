"""NetworkX's PageRank."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import networkx as nx
import numpy as np

import tachograph as tg

from .graph import BackendGraph, Node

Shares: TypeAlias = Mapping[Node, float]


def _shares(G: BackendGraph, given: Shares | None, default: np.ndarray) -> np.ndarray:
    """Return a share for each node, from a dict that may lack some; ``default`` without a dict."""
    if given is None:
        return default
    values = np.array([given.get(node, 0) for node in G], float)
    values /= values.sum()
    return values


def pagerank(
    G: BackendGraph,
    alpha: float = 0.85,
    personalization: Shares | None = None,
    max_iter: int = 100,
    tol: float = 1e-06,
    nstart: Shares | None = None,
    weight: str | None = "weight",
    dangling: Shares | None = None,
    *,
    threads: int | None = None,
) -> dict[Node, float]:
    """Iterate exactly as NetworkX does, because the result depends on every step."""
    from ..kernels.pagerank.pull import multiply

    n = len(G)
    if n == 0:
        return {}
    g = G.weighted(weight, "sum")
    if weight is None and G.parallel is not None:
        g = g._replace(weights=G.parallel.astype(np.int32))
    back = g.transpose
    with tg.threads(threads):
        out = multiply(g.rows, g.weights, np.ones(n))
        inverse = np.divide(1.0, out, out=np.zeros(n), where=out != 0)
        lost = np.flatnonzero(inverse == 0)
        uniform = np.full(n, 1 / n)
        if personalization is not None and sum(personalization.get(v, 0) for v in G) == 0:
            raise ZeroDivisionError
        x = _shares(G, nstart, uniform)
        jump = _shares(G, personalization, uniform)
        spread = _shares(G, dangling, jump)
        for _ in range(max_iter):
            last = x
            followed = multiply(back.rows, back.weights, x * inverse)
            x = alpha * (followed + x[lost].sum() * spread) + (1 - alpha) * jump
            if np.absolute(x - last).sum() < n * tol:
                return G.by_node(x)
    raise nx.PowerIterationFailedConvergence(max_iter)
