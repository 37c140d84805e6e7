"""What all steps of the tour share: the graph, where to begin, the device."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field

import numpy as np

from ...devices.opencl import OpenCL
from ...graph.graph import Graph
from ...plots.report.page import Section

__all__ = ["Outcome", "Setting", "Skip", "nearest"]


class Skip(Exception):
    """A step that says nothing about this graph, and why."""


@dataclass(frozen=True)
class Outcome:
    """A step of the tour: what it shows; what was decided, its time, and that of the naive choice."""

    section: Section
    decided: str = ""
    seconds: float | None = None
    naive: str = ""
    naive_seconds: float | None = None
    predicted: float | None = None


@dataclass
class Setting:
    """The graph of the tour."""

    graph: Graph
    name: str
    notes: list[str] = field(default_factory=list)

    @functools.cached_property
    def source(self) -> int:
        """The vertex of highest degree."""
        if not self.graph.arcs:
            raise Skip("the graph has no edges")
        return int(self.graph.degrees.argmax())

    def called(self, vertex: int) -> str:
        """A vertex as the user knows it."""
        names = self.graph.names
        return str(vertex if names is None else names[vertex])

    @functools.cached_property
    def undirected(self) -> Graph:
        """The graph without directions, names and weights."""
        g = self.graph
        source, target, _ = g.to_edges()
        return Graph.from_edges(source, target, n=g.n, directed=False, dedupe="first",
                                drop_self_loops=True)  # fmt: skip

    @functools.cached_property
    def device(self) -> OpenCL | None:
        """An OpenCL device with its calibration, or None."""
        from ...devices.calibrate import calibrate, calibration
        from ...devices.host import Host
        from ...devices.opencl import open_device
        from ...kernels.runtime.launch import threads_available
        from ...util.errors import TachographError

        try:
            found = open_device()
            for one in (Host(threads_available()), found):
                if calibration(one) is None:
                    calibrate(one)
        except TachographError as problem:
            self.notes.append(f"No second device: {problem}")
            return None
        return found


def nearest(graph: Graph, source: int, arcs: int) -> tuple[Graph, str]:
    """The graph, or if it has more arcs than that, the part nearest to ``source``; and what it is."""
    if graph.arcs <= arcs:
        return graph, "the whole graph"
    from ...algorithms.bfs import bfs

    levels = bfs(graph, source, trace=False).levels
    reached = np.flatnonzero(levels >= 0)
    order = reached[np.argsort(levels[reached], kind="stable")]
    many = max(2, int(np.searchsorted(np.cumsum(graph.degrees[order]), arcs)))
    kept = order[:many]
    new = np.full(graph.n, -1, np.int64)
    new[kept] = np.arange(kept.size)
    source_of, target_of, weights = graph.to_edges()
    inside = (new[source_of] >= 0) & (new[target_of] >= 0)
    part = Graph.from_edges(
        new[source_of[inside]], new[target_of[inside]],
        None if weights is None else weights[inside], n=kept.size, directed=graph.directed,
    )  # fmt: skip
    return part, f"the {kept.size:,} vertices nearest to the source, {part.m:,} edges"
