"""Times and memory of every way of every task on many graphs, kept in the journal one by one."""

from __future__ import annotations

import math
import statistics
import tracemalloc
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from ...graph.graph import Graph
from ...journal.campaign import Campaign, Executor
from ...tasks.table import TASKS, Task
from ...util.errors import DeviceError, MissingDependencyError
from ..approximation.graphs import with_random_weights
from ..direction.graphs import TRAINING, family, graph_named
from .model import shape

__all__ = ["GRAPHS", "collect", "device_here", "measure"]

KIND = "times"
LONG = 0.15  # seconds that the runs of one way take together, about
MOST = 5  # runs
#: Arcs up to which slow ways are measured.
LARGEST = {"sssp/dijkstra": 3e6, "sssp/hybrid": 3e6, "mis/rounds": 3e6, "max-flow/auto": 1.5e6,
           "max-flow/rounds": 6e5, "max-flow/device": 1e5, "bfs/device": 3e6, "sssp/device": 1e6,
           "similarity/device": 6e6, "similarity/both": 6e6, "mis/device": 3e6}  # fmt: skip
# fmt: off
#: Graphs that times are learned from: those of the directions, and more sizes between.
GRAPHS = (
    *TRAINING, "kronecker 13 16", "kronecker 15 10", "kronecker 17 6", "kronecker 20 8",
    "uniform 30000 20", "uniform 1000000 8", "uniform 20000 64", "road 200 200", "road 450 450",
    "road 1200 1200", "power_law 60000 2.5 2", "power_law 800000 2.5 2", "power_law 40000 2.2 8",
    "small_world 60000 10 0.2", "small_world 800000 3 0.1", "preferential_attachment 60000 12",
    "tree 50000 3", "tree 800000 2", "bipartite 20000 20000 20",
    "kronecker 14 12 directed", "kronecker 16 8 directed", "kronecker 17 16 directed",
    "kronecker 18 4 directed", "kronecker 19 6 directed", "uniform 40000 4 directed",
    "uniform 100000 10 directed", "uniform 300000 5 directed", "uniform 600000 12 directed",
    "kronecker 15 24", "kronecker 17 12", "uniform 90000 14", "uniform 400000 6", "road 250 800",
    "road 800 500", "power_law 150000 2.1 3", "power_law 25000 2.6 6", "small_world 40000 4 0.02",
    "small_world 150000 12 0.15", "preferential_attachment 100000 3", "bipartite 80000 80000 5",
)
# fmt: on


def device_here() -> Any:
    """The OpenCL device that is used by default, or None."""
    from ...devices.opencl import open_device

    try:
        return open_device()
    except (DeviceError, MissingDependencyError, ImportError):
        return None


def collect(
    names: Iterable[str] = GRAPHS,
    budget: float = float("inf"),
    executor: Executor | None = None,
) -> list[dict[str, Any]]:
    """Records of all these graphs; those in the journal are not measured again.

    ``budget`` is in seconds: when it is used up, what there is is returned.
    """
    device = device_here()
    campaign = Campaign(
        KIND, f"{__name__}:measure_graph", [{"name": name} for name in names], measured=True,
        mark=str(device and device.key), label="measuring",
    )  # fmt: skip
    return [record for record in campaign.records(executor, budget) if record is not None]


def measure_graph(name: str) -> dict[str, Any]:
    """The record of a graph: a task of the campaign."""
    rows = list(measure(graph_named(name), device_here()))
    return {"graph": name, "family": family(name), "rows": rows}


def measure(graph: Graph, device: Any) -> Iterator[dict[str, Any]]:
    """Rows: a way, the shape of what it ran on, seconds, and bytes."""
    weighted = graph if graph.weighted else with_random_weights(graph)
    for task in TASKS.values():
        subject = weighted if task.name in ("sssp", "max-flow") else graph
        for arguments in _questions(task, subject):
            numbers = shape(subject, arguments.get("source"))
            for way in task.ways:
                if way.where != "host" and device is None:
                    continue
                if subject.arcs > LARGEST.get(f"{task.name}/{way.name}", math.inf):
                    continue
                options = {**arguments, **way.on(getattr(device, "id", "host"))}
                yield {"name": f"{task.name}/{way.name}", "shape": numbers,
                       **_timed(task, subject, options)}  # fmt: skip


def _questions(task: Task, graph: Graph) -> list[dict[str, Any]]:
    """What to ask of a graph: from the vertex of most arcs, and from another one."""
    if task.name == "similarity" and graph.directed:
        return []
    if "source" not in task.needs:
        return [{}]
    hub = int(graph.degrees.argmax())
    some = np.flatnonzero(graph.degrees)
    other = int(some[np.random.default_rng(3).integers(some.size)])
    if "sink" in task.needs:
        return [{"source": hub, "sink": other}] if other != hub else []
    return [{"source": hub}, {"source": other}]


def _timed(task: Task, graph: Graph, options: dict[str, Any]) -> dict[str, Any]:
    """The median of a few runs, and the bytes of one that is not timed."""
    run = task.function
    first = run(graph, **options).seconds
    tracemalloc.start()
    try:
        taken = [run(graph, **options).seconds]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    if first < LONG:
        count = int(np.clip(LONG / max(first, 1e-6), 1, MOST))
        taken = [run(graph, **options).seconds for _ in range(count)]
    return {
        "seconds": statistics.median(taken),
        "bytes": peak,
        "n": graph.n,
        "arcs": graph.arcs,
        "directed": graph.directed,
        "weighted": graph.weighted,
    }
