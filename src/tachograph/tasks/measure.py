"""What training is handed: how a task is run by name, and the ways whose times are learned."""

from __future__ import annotations

from typing import Any

from ..algorithms.result import Lazy
from ..decisions.trainer import Measured, Runner, TimedWay
from ..graph.graph import Graph
from .decide import ASKED_REASON, Candidate
from .estimate import UNKNOWN
from .question import ask
from .road import execute
from .table import TASKS, task_named

__all__ = ["run", "runner"]

#: The tasks whose times are learned; plans of the others have no predictions.
TIMED: tuple[str, ...] = ("bfs", "sssp", "pagerank", "connected_components", "jaccard")
TIMED += ("maximal_independent_set", "maximum_flow")
#: Returns both directions of every level of a search on a simulated GPU.
SIMULATED = "tachograph.simulation.gpus.directions:both_directions"
#: The same on an OpenCL device.
MEASURED = "tachograph.algorithms.bfs_on_device:both_directions"
AS_ASKED = Candidate("as asked", {}, ASKED_REASON, Lazy(lambda: UNKNOWN))


def run(task: str, graph: Graph, /, **options: Any) -> Measured:
    """Run a task exactly as its options say: nothing is decided, and the journal keeps nothing."""
    return execute(ask(task_named(task), graph, **options), AS_ASKED, ASKED_REASON, keep=False)


def runner() -> Runner:
    """Return :func:`run` by its import path, which workers need, and the ways to time."""
    ways = tuple(
        TimedWay(name, way.name, way.where, TASKS[name].needs, dict(way.options))
        for name in TIMED
        for way in TASKS[name].ways
    )
    return Runner(f"{__name__}:run", ways, SIMULATED, MEASURED)
