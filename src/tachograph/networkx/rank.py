"""NetworkX's PageRank."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import networkx as nx
import numpy as np

from .graph import BackendGraph


def _shares(G: BackendGraph, given: Mapping[Any, float]) -> np.ndarray:
    """A number for each node, from a dict that may lack some."""
    values = np.array([given.get(node, 0) for node in G], float)
    return values


def pagerank(
    G: BackendGraph, alpha: float = 0.85, personalization: Mapping[Any, float] | None = None,
    max_iter: int = 100, tol: float = 1e-06, nstart: Mapping[Any, float] | None = None,
    weight: str | None = "weight", dangling: Mapping[Any, float] | None = None, *,
    threads: int | None = None,
) -> dict[Any, float]:  # fmt: skip
    """The iteration that NetworkX has, step by step: where it ends depends on every one."""
    from ..kernels.pagerank.pull import multiply
    from ..kernels.runtime.launch import threads as using
    from ..kernels.runtime.nouns import Rows

    n = len(G)
    if n == 0:
        return {}
    g = G.weighted(weight, "sum")
    if weight is None and G.parallel is not None:
        g = g._replace(weights=G.parallel.astype(np.int32))
    back = g.transpose
    with using(threads):
        out = multiply(Rows(g.indptr, g.indices), g.weights, np.ones(n))
        inverse = np.divide(1.0, out, out=np.zeros(n), where=out != 0)
        lost = np.flatnonzero(inverse == 0)
        uniform = np.full(n, 1 / n)
        x = uniform
        if nstart is not None:
            x = _shares(G, nstart)
            x /= x.sum()
        jump = uniform
        if personalization is not None:
            jump = _shares(G, personalization)
            if jump.sum() == 0:
                raise ZeroDivisionError
            jump /= jump.sum()
        spread = jump
        if dangling is not None:
            spread = _shares(G, dangling)
            spread /= spread.sum()
        for _ in range(max_iter):
            last = x
            followed = multiply(Rows(back.indptr, back.indices), back.weights, x * inverse)
            x = alpha * (followed + x[lost].sum() * spread) + (1 - alpha) * jump
            if np.absolute(x - last).sum() < n * tol:
                return G.by_node(x)
    raise nx.PowerIterationFailedConvergence(max_iter)
