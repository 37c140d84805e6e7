"""Counting triangles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..graph.graph import Graph
from ..util.errors import InputError
from .result import Result, Run, Trace
from .simple import simple
from .verify import check_triangles

__all__ = ["TrianglesResult", "triangles"]


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class TrianglesResult(Result):
    """The number of triangles, and, if it was asked for, the number at each vertex.

    >>> import tachograph as tg
    >>> found = tg.triangles(tg.complete(4), per_vertex=True)
    >>> found.count, found.per_vertex.tolist()
    (4, [3, 3, 3, 3])
    """

    task: ClassVar[str] = "triangles"

    count: int
    per_vertex: NDArray[np.int64] | None = None

    def columns(self) -> dict[str, NDArray[Any]]:
        """The triangles at each vertex, if they were asked for."""
        if self.per_vertex is None:
            return {}
        return {"vertex": self.named(np.arange(self.per_vertex.size)), "triangles": self.per_vertex}


def triangles(
    graph: Graph,
    *,
    per_vertex: bool = False,
    threads: int | None = None,
    trace: bool = True,
    verify: bool = False,
) -> TrianglesResult:
    """Count the triangles of an undirected graph; loops and parallel edges count for nothing.

    Parameters
    ----------
    graph
        An undirected graph.
    per_vertex
        Count also, for each vertex, the triangles that it is a corner of.
    threads
        The number of threads; by default all cores.
    trace
        Keep a row for each phase.
    verify
        Count again with sparse matrix products, which is slow; ``VerificationError`` if that differs.

    Returns
    -------
    TrianglesResult
        ``count``; ``per_vertex`` (int64), None unless asked for; the trace has one row, which says
        whether vertices were ranked by degree.

    Raises
    ------
    InputError
        For a directed graph.

    Examples
    --------
    >>> import tachograph as tg
    >>> tg.triangles(tg.complete(5)).count
    10
    >>> tg.triangles(tg.complete(4), per_vertex=True).per_vertex.tolist()
    [3, 3, 3, 3]
    """
    from ..kernels import triangles as kernel
    from ..kernels.runtime.launch import clock, threads_available
    from ..kernels.runtime.launch import threads as using

    if graph.directed:
        raise InputError("triangles are counted in undirected graphs: make one with directed=False")
    rows = simple(graph)
    corners = None
    with using(threads):
        begin = clock()
        if per_vertex:
            corners = _corners(rows)
            count, phase, workers = int(corners.sum()) // 3, "per vertex", threads_available()
        else:
            count, ranked, workers = kernel.count_triangles(rows.rows)
            phase = "ranked by degree" if ranked else "as it is"
        seconds = clock() - begin
    if verify:
        check_triangles(rows, count)
    columns = {"phase": phase, "seconds": seconds, "threads": workers}
    run = Run(seconds, Trace(columns, trace))
    return TrianglesResult(count=count, per_vertex=corners, run=run)


def _corners(graph: Graph) -> NDArray[np.int64]:
    """Count the triangles at each vertex: half the sum of common neighbours over its edges."""
    from .similarity import overlap

    if not graph.arcs:
        return np.zeros(graph.n, np.int64)
    edges, degrees = overlap(graph, device="host"), graph.degrees
    smaller = np.minimum(degrees[edges.source], degrees[edges.target])
    common = np.rint(edges.values * smaller)
    ends = np.concatenate([edges.source, edges.target])
    twice = np.bincount(ends, np.concatenate([common, common]), minlength=graph.n)
    return np.rint(twice / 2).astype(np.int64)
