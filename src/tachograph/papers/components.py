"""Why HitGraph's connected components take longer than simulated: one assumption changed at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ..graph.graph import Graph
from ..simulation.accelerators import HitGraph
from ..simulation.accelerators.problem import Numbers, Question
from .accelerators import TABLE_5, Loaded, error, load_graphs, simulated
from .reproduce import GRAPH_COLUMNS, Cell, Settings, Table

__all__ = ["table"]

GRAPHS = ("rmat-21-86", "rmat-24-16")  # of Table 5, those that are generated
TASK = "connected_components"
#: What is assumed: whether edges are read in both directions, and parameters of the design.
ASSUMED: dict[str, tuple[bool, dict[str, bool]]] = {
    "edges as they are": (False, {}),
    "every vertex sends": (False, {"update_filtering": False, "partition_skipping": False}),
    "edges of 8 bytes": (False, {"edges_as_rtl": True}),
    "both directions": (True, {}),
    "both directions, edges of 8 bytes": (True, {"edges_as_rtl": True}),
}
COLUMNS = ["assumed", *GRAPH_COLUMNS, "iterations", "here, s", "published, s", "error, %"]
COLUMNS += ["here, times PageRank", "published, times PageRank"]


def both_directions(graph: Graph) -> Graph:
    """Return a directed graph with every edge and its reverse."""
    sources = np.repeat(np.arange(graph.n), graph.degrees)
    ends = np.concatenate([sources, graph.indices]), np.concatenate([graph.indices, sources])
    return Graph.from_edges(*ends, n=graph.n, directed=True)


def _row(assumed: str, loaded: Loaded, design: HitGraph, found: Numbers, rank: float) -> list[Cell]:
    seconds = found["seconds"] * loaded.share
    row: list[Cell] = [assumed, *loaded.about(design), found["iterations"], round(seconds, 4)]
    if loaded.name not in TABLE_5[TASK]:  # not in the paper
        return [*row, None, None, round(seconds / rank, 2), None]
    theirs, their_rank = (TABLE_5[task][loaded.name][0] for task in (TASK, "pagerank"))
    off = round(error(seconds, theirs), 1)
    return [*row, theirs, off, round(seconds / rank, 2), round(theirs / their_rank, 2)]


def table(settings: Settings) -> Iterator[Table]:
    """Connected components under each assumption, beside PageRank of the design as it is."""
    rows: list[list[Cell]] = []
    for loaded in load_graphs(GRAPHS, settings, []):
        size = loaded.scaled(HitGraph().partition_size)
        (ranked,) = simulated(
            loaded, [Question("pagerank")], [HitGraph(partition_size=size)], settings
        )
        twice = replace(loaded, graph=both_directions(loaded.graph))
        for assumed, (both, parameters) in ASSUMED.items():
            design = HitGraph(partition_size=size, **parameters)
            graph, question = twice if both else loaded, Question(TASK, along_arcs=True)
            (found,) = simulated(graph, [question], [design], settings)
            rows.append(_row(assumed, loaded, design, found, ranked["seconds"] * loaded.share))
    notes = [
        "a graph marked 1/k is k times smaller, cut into as many partitions; its seconds are times k"
    ]
    yield Table("What HitGraph's connected components could do", COLUMNS, rows, notes, "simulated")
