"""What accelerators should compute, slowly; and graphs to compute it on."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

import tachograph as tg
from tests.strategies import edge_lists


def smallest_ancestor(g):
    """For every vertex the smallest id with a path to it (itself included)."""
    labels = np.arange(g.n)
    changed = True
    while changed:
        changed = False
        for v in range(g.n):
            for u in g.neighbors(v):
                if labels[v] < labels[u]:
                    labels[u], changed = labels[v], True
    return labels


def ranks(g, iterations, damping=0.85):
    """PageRank by its definition."""
    values = np.full(g.n, 1 / max(1, g.n))
    for _ in range(iterations):
        new = np.zeros(g.n)
        for v in range(g.n):
            row = slice(*g.indptr[v : v + 2])
            weights = np.ones(g.degrees[v]) if g.weights is None else g.weights[row]
            if weights.sum() > 0:
                np.add.at(new, g.indices[row], values[v] * weights / weights.sum())
            else:
                new += values[v] / g.n
        values = (1 - damping) / g.n + damping * new
    return values


@st.composite
def graphs(draw, weighted=False, directed=None):
    """Small graphs of every awkward kind, with a vertex at least."""
    n, edges = draw(edge_lists(weights=st.integers(0, 9) if weighted else st.none()))
    n = max(n, 1)
    columns = list(zip(*edges, strict=True)) or [[], []]
    weights = np.array(columns[2], np.int32) if len(columns) > 2 else None
    if weighted and weights is None:
        weights = np.zeros(0, np.int32)
    directed = draw(st.booleans()) if directed is None else directed
    return tg.Graph.from_edges(columns[0], columns[1], weights, n=n, directed=directed)
