"""Times and memory of every way of every task on a graph, for training."""

from __future__ import annotations

import math
import statistics
import tracemalloc
from collections.abc import Iterator, Sequence
from itertools import groupby

import numpy as np

from ...graph.graph import Graph
from ...journal.campaign import Record
from ..graphs import family, graph_named, hash_of, weighted
from ..trainer import Run, TimedWay, device_here, run_named
from .state import shape

__all__ = ["measure", "measure_graph"]

TIMED_SECONDS = 0.15  # that the runs of one way take together, about
MOST_RUNS = 5
ON_WEIGHTS = ("sssp", "maximum_flow")
#: Arcs up to which slow ways are measured.
LARGEST_ARCS = {
    "sssp/dijkstra": 3e6, "sssp/hybrid": 3e6, "maximal_independent_set/rounds": 3e6,
    "maximum_flow/auto": 1.5e6, "maximum_flow/rounds": 6e5, "maximum_flow/device": 1e5,
    "bfs/device": 3e6, "sssp/device": 1e6, "jaccard/device": 6e6, "jaccard/both": 6e6,
    "maximal_independent_set/device": 3e6,
}  # fmt: skip


def measure_graph(name: str, run: str, ways: list[list[object]]) -> Record:
    """Return the record of a graph: a task of the campaign."""
    graph = graph_named(name)
    known = [TimedWay(*way) for way in ways]  # type: ignore[arg-type]
    here = [way for way in known if way.where == "host" or device_here() is not None]
    rows = list(measure(run_named(run), graph, here))
    return {"graph": name, "hash": hash_of(graph), "family": family(name), "rows": rows}


def measure(run: Run, graph: Graph, ways: Sequence[TimedWay]) -> Iterator[Record]:
    """Yield rows: a way, the shape of what it ran on, seconds, and bytes."""
    with_weights = graph if graph.weighted else weighted(graph)
    for task, of_task in groupby(ways, lambda way: way.task):
        subject = with_weights if task in ON_WEIGHTS else graph
        some = list(of_task)
        for arguments in _questions(some[0], subject):
            numbers = shape(subject, arguments.get("source"))
            for way in some:
                name = f"{task}/{way.way}"
                if subject.arcs <= LARGEST_ARCS.get(name, math.inf):
                    options = {**arguments, **way.options}
                    yield {"name": name, "shape": numbers, **_timed(run, task, subject, options)}


def _questions(way: TimedWay, graph: Graph) -> list[dict[str, int]]:
    """What to ask of a graph: from the vertex of most arcs, and from another one."""
    if way.task == "jaccard" and graph.directed:
        return []
    if "source" not in way.needs:
        return [{}]
    hub = int(graph.degrees.argmax())
    some = np.flatnonzero(graph.degrees)
    other = int(some[np.random.default_rng(3).integers(some.size)])
    if "sink" in way.needs:
        return [{"source": hub, "sink": other}] if other != hub else []
    return [{"source": hub}, {"source": other}]


def _timed(run: Run, task: str, graph: Graph, options: Record) -> Record:
    """The median of a few runs, and the bytes of one that is not timed."""
    first = run(task, graph, **options).seconds
    tracemalloc.start()
    try:
        taken = [run(task, graph, **options).seconds]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    if first < TIMED_SECONDS:
        count = int(np.clip(TIMED_SECONDS / max(first, 1e-6), 1, MOST_RUNS))
        taken = [run(task, graph, **options).seconds for _ in range(count)]
    return {
        "seconds": statistics.median(taken),
        "bytes": peak,
        "n": graph.n,
        "arcs": graph.arcs,
        "directed": graph.directed,
        "weighted": graph.weighted,
    }
