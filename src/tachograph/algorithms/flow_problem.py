"""A flow problem from the arguments of a call, checked."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..graph.graph import Graph
from ..util.errors import InputError
from .bfs import bfs, vertices

__all__ = ["Problem", "problem_of"]

LARGEST_SUM = 2.0**62  # of whole capacities: beyond it sums of int64 could overflow


class Problem(NamedTuple):
    """A flow problem with finite capacities: infinite ones are more than can flow."""

    graph: Graph
    capacity: np.ndarray  # of each arc, int64 or float64
    source: int
    sink: int
    endless: np.ndarray  # arcs of a path without limit; empty if there is none


def problem_of(
    graph: Graph, source: int | None, sink: int | None, capacity: ArrayLike | None
) -> Problem:
    """Check the arguments of a call."""
    ends = []
    for what, given in (("source", source), ("sink", sink)):
        found = graph.meta.get(what) if given is None else given
        if found is None or np.ndim(found) != 0:
            raise InputError(
                f"{what} = {given!r}: name one vertex, or read a file that does (.max)"
            )
        ends.append(int(vertices(graph, found, what)[0]))
    if ends[0] == ends[1]:
        raise InputError(f"source and sink are the same vertex, {ends[0]}")
    limits, path = _limits(graph, capacity), np.empty(0, np.int64)
    if limits.dtype.kind == "f" and (endless := np.isinf(limits)).any():
        path = _endless_path(graph, endless, *ends)
        if not path.size:  # then there is a cut without infinite arcs
            limits = np.where(endless, limits[~endless].sum() + 1, limits)
    return Problem(graph, limits, ends[0], ends[1], path)


def _limits(graph: Graph, capacity: ArrayLike | None) -> np.ndarray:
    """Return the capacity of each arc, int64 or float64; refuse what cannot be one."""
    given = graph.weights if capacity is None else np.asarray(capacity)
    if given is None:
        return np.ones(graph.arcs, np.int64)
    if given.shape != (graph.arcs,):
        raise InputError(
            f"capacity has shape {given.shape}, but there are {graph.arcs:,} arcs: one number for "
            "each entry of graph.indices"
        )
    if given.dtype.kind not in "iubf":
        raise InputError(f"capacity has type {given.dtype}; capacities are numbers")
    if given.size and not given.min() >= 0:  # NaN is not, either
        arc = int(np.flatnonzero(~(given >= 0))[0])
        tail = int(np.searchsorted(graph.indptr, arc, "right")) - 1
        raise InputError(
            f"the capacity from vertex {tail} to vertex {graph.indices[arc]} is {given[arc]}: "
            "capacities are numbers from 0 on"
        )
    if given.dtype.kind == "f":
        return given.astype(np.float64, copy=False)
    most = float(given.max()) if given.size else 0.0
    if most * given.size > LARGEST_SUM and float(given.sum(dtype=np.float64)) > LARGEST_SUM:
        raise InputError("whole capacities sum to more than 2**62: scale them, or pass floats")
    return given.astype(np.int64, copy=False)


def _endless_path(graph: Graph, endless: np.ndarray, source: int, sink: int) -> np.ndarray:
    """Return arcs of infinite capacity that lead from the source to the sink, if any do."""
    arcs = np.flatnonzero(endless)
    tails = graph.arc_sources()[arcs]
    part = Graph.from_edges(tails, graph.indices[arcs], n=graph.n, directed=True)
    parents = bfs(part, source, target=sink, trace=False).parents
    if parents[sink] < 0:
        return np.empty(0, np.int64)
    path, at = [], sink
    while at != source:
        before = int(parents[at])
        path.append(int(arcs[(tails == before) & (graph.indices[arcs] == at)][0]))
        at = before
    return np.array(path[::-1])
