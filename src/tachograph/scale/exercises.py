"""What ``tacho warm`` does to have the loops over parts of graphs compiled."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import numpy as np

from .. import scale
from ..graph.files import write
from ..graph.generate import path
from ..graph.graph import Graph
from ..util.exercise import Exercise
from ..util.files import scratch

__all__ = ["EXERCISES"]


def _parts() -> None:
    """Run what does not depend on weights."""
    with _cut(path(40)) as parts:
        for direction in ("push", "pull"):
            scale.bfs(parts, 0, direction=direction)
        scale.connected_components(parts)
        scale.maximal_independent_set(parts)


def _similarity() -> None:
    with _cut(path(40)) as parts:
        scale.jaccard(parts)


def _weighted(kind: type[np.number] | None) -> None:
    """Run what depends on the type of weights. PageRank's loop is that of one machine."""
    weights = None if kind is None else np.ones(3, kind)
    with _cut(Graph.from_edges([0, 1, 2], [1, 2, 3], weights)) as parts:
        scale.sssp(parts, 0)
        scale.pagerank(parts)


@contextmanager
def _cut(graph: Graph) -> Iterator[scale.Partition]:
    """Cut a graph in two, from a file of its edges."""
    with scratch() as place:
        edges = place / "edges.parquet"
        write(graph, edges)
        yield scale.partition(edges, parts=2, directory=place / "parts")


EXERCISES = {
    "parts": Exercise(_parts, 12.0),
    "parts, similarity": Exercise(_similarity, 3.0),
    "parts, no weights": Exercise(partial(_weighted, None), 1.5),
    "parts, int32": Exercise(partial(_weighted, np.int32), 1.6),
    "parts, float32": Exercise(partial(_weighted, np.float32), 1.6),
    "parts, float64": Exercise(partial(_weighted, np.float64), 1.6),
}
