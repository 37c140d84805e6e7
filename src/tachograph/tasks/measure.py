"""What training is handed: how a task is run by name, and the ways whose times are learned."""

from __future__ import annotations

from ..decisions.trainer import Measured, Runner, TimedWay
from ..graph.graph import Graph
from .table import TASKS, task_named

__all__ = ["run", "runner"]

#: The tasks whose times are learned; plans of the others have no predictions.
TIMED = (
    "bfs", "sssp", "pagerank", "connected_components", "jaccard", "maximal_independent_set",
    "maximum_flow",
)  # fmt: skip


def run(task: str, graph: Graph, /, **options: object) -> Measured:
    """Run the algorithm of a task; nothing is decided for it, and nothing goes into the journal."""
    return task_named(task).function(graph, **options)


def runner() -> Runner:
    """Return :func:`run` by its import path, which workers need, and the ways to time."""
    ways = tuple(
        TimedWay(name, way.name, way.where, TASKS[name].needs, dict(way.options))
        for name in TIMED
        for way in TASKS[name].ways
    )
    return Runner(f"{__name__}:run", ways)
