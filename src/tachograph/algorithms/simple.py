"""Graphs as sets of neighbours: sorted rows, no loops, no parallel edges."""

from __future__ import annotations

import weakref
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..graph.graph import Graph

__all__ = ["RARITY", "rarity", "simple"]

#: How much a common neighbour counts that so many vertices have. Two have it, unless a vertex is
#: compared with itself: such neighbours count nothing for Adamic and Adar.
RARITY: dict[str, Callable[[NDArray[np.float64]], NDArray[np.float64]]] = {
    "adamic_adar": lambda degrees: np.where(degrees > 1, 1 / np.log(np.maximum(degrees, 2)), 0),
    "resource_allocation": lambda degrees: 1 / np.maximum(degrees, 1),
}

# What was made of graphs that are not simple, without and with weights; None if sorting was enough.
_made: weakref.WeakKeyDictionary[Graph, dict[bool, Graph | None]] = weakref.WeakKeyDictionary()


def simple(graph: Graph, weights: bool = False) -> Graph:
    """Return the graph with sorted rows, without loops and parallel edges.

    With ``weights`` those of parallel edges are added, otherwise they count for nothing. The graph
    itself if it is so already; what is made is kept as long as the graph.
    """
    made = _made.setdefault(graph, {})
    if weights not in made:
        from ..kernels.rows import passes as rows

        ready = graph.sorted
        odd = max(rows.over_rows(rows.repeated_row, ready.indptr, ready.indices))
        made[weights] = None
        if odd >= 0:
            source, target, weight = graph.to_edges()
            edges = (source, target, weight if weights else None)
            dedupe, directed = "sum" if weights else "first", graph.directed
            made[weights] = Graph.from_edges(
                *edges, n=graph.n, directed=directed, dedupe=dedupe, drop_self_loops=True
            )
    return made[weights] or graph.sorted


def rarity(graph: Graph, task: str) -> NDArray[np.float64] | None:
    """Return what each arc of a simple graph counts as a common neighbour; None if all count alike."""
    if task not in RARITY:
        return None
    worth = RARITY[task](graph.transpose.degrees.astype(np.float64))
    return worth.take(graph.indices)
