"""What ``tacho warm`` does to have the loops over parts of graphs compiled."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from ..graph.files import write
from ..graph.generate import kronecker
from ..graph.graph import Graph
from ..util.exercise import Exercise
from .manifest import Partition
from .partitioning import partition
from .programs.bfs import bfs
from .programs.components import connected_components
from .programs.independent_set import maximal_independent_set
from .programs.jaccard import jaccard
from .programs.pagerank import pagerank
from .programs.sssp import sssp

__all__ = ["EXERCISES"]


def _parts() -> None:
    """All algorithms on a small graph, and what depends on the type of its weights."""
    with tempfile.TemporaryDirectory() as place:
        write(kronecker(5, rng=1), Path(place) / "plain.parquet")
        parts = _cut(Path(place) / "plain.parquet", Path(place) / "plain")
        for direction in ("push", "pull"):
            bfs(parts, 0, direction=direction)
        for algorithm in (connected_components, maximal_independent_set, jaccard, pagerank):
            algorithm(parts)
        sssp(parts, 0)
        for kind in (np.int32, np.float32, np.float64):
            weights = np.ones(3, kind)
            graph = Graph.from_edges([0, 1, 2], [1, 2, 3], weights)
            write(graph, Path(place) / f"{kind.__name__}.parquet")
            parts = _cut(Path(place) / f"{kind.__name__}.parquet", Path(place) / kind.__name__)
            sssp(parts, 0)
            pagerank(parts)


def _cut(edges: Path, directory: Path) -> Partition:
    return partition(edges, parts=2, directory=directory)


EXERCISES = {"graphs in parts": Exercise(_parts, 20.0)}
