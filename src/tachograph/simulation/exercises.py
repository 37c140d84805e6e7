"""What ``tacho warm`` runs to compile the loops of the simulators."""

from __future__ import annotations

from ..graph.generate import kronecker, path
from ..util.exercise import Exercise
from .accelerators import AccuGraph, HitGraph, simulate
from .dram import Memory

__all__ = ["EXERCISES"]


def _accelerators() -> None:
    """Run streams with a memory, one partition and several, with and without weights."""
    Memory("DDR4-2400R").run([0, 64], commands=True, completion=True)
    for weights in (None, True):
        g = kronecker(5, weights=weights)
        simulate("sssp", g, HitGraph(partition_size=10), source=0)
    for size in (10, 100):
        simulate("bfs", path(30), AccuGraph(partition_size=size), source=0)


EXERCISES = {"memories, accelerators": Exercise(_accelerators, 20.0)}
