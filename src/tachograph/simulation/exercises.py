"""What ``tacho warm`` runs to compile the loops of the simulators."""

from __future__ import annotations

import numpy as np

from ..graph.graph import Graph
from ..util.exercise import Exercise
from ..util.files import scratch
from .accelerators import AccuGraph, HitGraph, simulate
from .dram import Memory, read_trace, write_trace
from .gpus import simulate as on_gpu

__all__ = ["EXERCISES"]


def _memories() -> None:
    Memory("DDR4-2400R").run([0, 64], commands=True, completion=True)
    with scratch() as directory:
        write_trace(directory / "a.trace", [0, 64])
        read_trace(directory / "a.trace")


def _accelerators() -> None:
    """Run streams with the memory, one partition and several, weights and none."""
    for weights in (np.ones(29, np.int32), None):
        path = Graph.from_edges(np.arange(29), np.arange(1, 30), weights, directed=False)
        simulate("sssp", path, HitGraph(partition_size=10), source=0)
    for size in (10, 100):  # AccuGraph takes no weights
        simulate("bfs", path, AccuGraph(partition_size=size), source=0)


def _gpus() -> None:
    """Run a search, a relaxation and rounds; the generator of warps is one loop for all of them."""
    path = Graph.from_edges(np.arange(29), np.arange(1, 30), np.ones(29, np.int32), directed=False)
    for task in ("bfs", "sssp", "maximal_independent_set"):
        on_gpu(task, path, "v100", source=0)


EXERCISES = {
    "memories": Exercise(_memories, 24.0),
    "accelerators": Exercise(_accelerators, 16.0),
    "gpus": Exercise(_gpus, 12.0),
}
