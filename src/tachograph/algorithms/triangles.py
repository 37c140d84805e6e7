"""Counting triangles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..graph.graph import Graph
from ..util.errors import InputError
from ..util.rng import Rng, seed_of
from .audit import Audit
from .budget import Budget
from .result import Result, Run, Trace
from .simple import simple
from .verify import check_triangles

__all__ = ["TrianglesResult", "corners", "triangles"]


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
    budget: Budget | None = None
    audit: Audit | None = None

    def columns(self) -> dict[str, NDArray[Any]]:
        """The triangles at each vertex, if they were asked for."""
        if self.per_vertex is None:
            return {}
        return {"vertex": self.named(np.arange(self.per_vertex.size)), "triangles": self.per_vertex}


def triangles(
    graph: Graph,
    *,
    per_vertex: bool = False,
    max_error: float | None = None,
    confidence: float = 0.9,
    audit: bool = False,
    rng: Rng = 0,
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
    max_error
        The error of the count that is allowed, relative to it; by default none. Then only random pairs
        of neighbours are looked at, until the interval is small enough.
    confidence
        The share of such calls for which ``max_error`` is to be kept.
    audit
        Count exactly after an estimate, too, and compare.
    rng
        Seed of the random pairs, or a Generator.
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
        whether vertices were ranked by degree; ``budget`` and ``audit``, if asked for.

    Raises
    ------
    InputError
        For a directed graph, or ``max_error`` together with ``per_vertex``.

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

    if per_vertex:
        from . import similarity_edges, similarity_listed, similarity_request  # noqa: F401 - before the clock runs

    if graph.directed:
        raise InputError(
            "triangles are counted in undirected graphs: graph.to_undirected() makes one"
        )
    if max_error is not None and per_vertex:
        raise InputError(
            "max_error is of the whole count: leave per_vertex out, or compute exactly"
        )
    rows = simple(graph)
    at_corners = budget = None
    with using(threads):
        begin = clock()
        if max_error is not None:
            count, budget = _estimated(rows, max_error, confidence, seed_of(rng))
        if budget is not None and not budget.exact:
            phase, workers = "sample", threads_available()
        elif per_vertex:
            at_corners = corners(rows)
            count, phase, workers = int(at_corners.sum()) // 3, "per vertex", threads_available()
        else:
            count, ranked, workers = kernel.count_triangles(rows.rows)
            phase = "ranked by degree" if ranked else "as it is"
        seconds = clock() - begin
    exact = budget is None or budget.exact
    if verify and exact:
        check_triangles(rows, count)
    columns = {"phase": phase, "seconds": seconds, "threads": workers}
    run = Run(seconds, Trace(columns, trace))
    checked = None
    if audit:
        real = count if exact else triangles(graph, threads=threads).count
        error = abs(count - real) / real if real else 0.0
        checked = Audit(error, error, error, graph.n, graph.n)
    return TrianglesResult(
        count=count, per_vertex=at_corners, budget=budget, audit=checked, run=run
    )


def _estimated(rows: Graph, max_error: float, confidence: float, seed: int) -> tuple[int, Budget]:
    """Estimate the number of triangles from random wedges."""
    from .wedges import share_of_closed

    degrees = rows.degrees.astype(np.float64)
    wedges = degrees * (degrees - 1) / 2
    share, budget = share_of_closed(rows, wedges, max_error, confidence, seed)
    return round(share * float(wedges.sum()) / 3), budget


def corners(graph: Graph) -> NDArray[np.int64]:
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
