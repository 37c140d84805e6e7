"""What all steps of the tour share: the graph, where to begin, the device."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field

import numpy as np

import tachograph as tg

from ...devices.opencl import OpenCL
from ...graph.graph import Graph
from ...plots.report.page import Section
from ...util.errors import TachographError

__all__ = ["Outcome", "Setting", "Skip", "nearest", "weighted"]

HEAVIEST = 255  # random weights are from 1 to this


class Skip(Exception):
    """A step that says nothing about this graph, and why."""


@dataclass(frozen=True)
class Outcome:
    """A step of the tour: what it shows; what was decided, its time, and that of the naive way."""

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
        """Return a vertex as the user knows it."""
        names = self.graph.names
        return str(vertex if names is None else names[vertex])

    @functools.cached_property
    def undirected(self) -> Graph:
        """The graph without directions, names and weights."""
        source, target, _ = self.graph.to_edges()
        return Graph.from_edges(
            source, target, n=self.graph.n, directed=False, dedupe="first", drop_self_loops=True
        )

    @functools.cached_property
    def device(self) -> OpenCL | None:
        """An OpenCL device with its calibration, or None."""
        from ...devices.calibrate import calibrate, calibration
        from ...devices.host import Host
        from ...devices.opencl import open_device
        from ...kernels.runtime.launch import threads_available

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
    """Return the graph, or its part of at most ``arcs`` arcs nearest to ``source``; and what it is."""
    if graph.arcs <= arcs:
        return graph, "the whole graph"
    levels = tg.bfs(graph, source, trace=False).levels
    reached = np.flatnonzero(levels >= 0)
    order = reached[np.argsort(levels[reached], kind="stable")]
    kept = order[: max(2, int(np.searchsorted(np.cumsum(graph.degrees[order]), arcs)))]
    new = np.full(graph.n, -1, np.int64)
    new[kept] = np.arange(kept.size)
    ends = [new[end] for end in graph.to_edges()[:2]]
    inside = (ends[0] >= 0) & (ends[1] >= 0)
    all_weights = graph.to_edges()[2]
    weights = None if all_weights is None else all_weights[inside]
    tails, heads = (end[inside] for end in ends)
    part = Graph.from_edges(tails, heads, weights, n=kept.size, directed=graph.directed)
    return part, f"the {kept.size:,} vertices nearest to the source, {part.m:,} edges"


def weighted(graph: Graph) -> tuple[Graph, str]:
    """Return the graph, with random weights if it has none, and a sentence that says so."""
    if graph.weights is not None:
        return graph, ""
    source, target, _ = graph.to_edges()
    weights = np.random.default_rng(1).integers(1, HEAVIEST + 1, source.size, np.int32)
    made = Graph.from_edges(source, target, weights, n=graph.n, directed=graph.directed)
    return made, f"The graph has no weights: random ones from 1 to {HEAVIEST} were drawn."
