"""Clustering coefficients: how many of a vertex's neighbours are neighbours of each other."""

from __future__ import annotations

from dataclasses import dataclass, replace
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
from .triangles import corners
from .verify import check_triangles

__all__ = ["ClusteringResult", "clustering"]


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class ClusteringResult(Result):
    """The mean clustering coefficient, and, if it was not estimated, that of each vertex.

    >>> import tachograph as tg
    >>> found = tg.clustering(tg.complete(4))
    >>> found.average, found.transitivity, found.values.tolist()
    (1.0, 1.0, [1.0, 1.0, 1.0, 1.0])
    """

    task: ClassVar[str] = "clustering"

    average: float
    transitivity: float | None = None
    values: NDArray[np.float64] | None = None
    budget: Budget | None = None
    audit: Audit | None = None

    def columns(self) -> dict[str, NDArray[Any]]:
        """The coefficient of each vertex, unless the mean was estimated."""
        if self.values is None:
            return {}
        return {"vertex": self.named(np.arange(self.values.size)), "values": self.values}


def clustering(
    graph: Graph,
    *,
    max_error: float | None = None,
    confidence: float = 0.9,
    audit: bool = False,
    rng: Rng = 0,
    threads: int | None = None,
    trace: bool = True,
    verify: bool = False,
) -> ClusteringResult:
    """Compute clustering coefficients: which part of the pairs of a vertex's neighbours are joined.

    Parameters
    ----------
    graph
        An undirected graph; loops and parallel edges count for nothing.
    max_error
        The error of the mean that is allowed, relative to it; by default none. Then only random pairs
        of neighbours are looked at, until the interval is small enough.
    confidence
        The share of such calls for which ``max_error`` is to be kept.
    audit
        Compute an estimate exactly, too, and compare.
    rng
        Seed of the random pairs, or a Generator.
    threads
        The number of threads; by default all cores.
    trace
        Keep a row for the one phase.
    verify
        Count triangles again with sparse matrix products; ``VerificationError`` if that differs.

    Returns
    -------
    ClusteringResult
        ``average`` over all vertices (0 for those with fewer than two neighbours), ``transitivity``
        (closed wedges over all), ``values`` of each vertex; the latter two are None if the average was
        estimated. ``budget`` and ``audit`` as for all algorithms.

    Raises
    ------
    InputError
        For a directed graph.

    Examples
    --------
    >>> import tachograph as tg
    >>> tg.clustering(tg.star(5)).average
    0.0
    """
    from ..kernels.runtime.launch import clock, threads_available
    from ..kernels.runtime.launch import threads as using
    from . import similarity_edges, similarity_listed, similarity_request  # noqa: F401 - before the clock runs
    from .wedges import share_of_closed

    if graph.directed:
        raise InputError("clustering is of undirected graphs: graph.to_undirected() makes one")
    rows, seed = simple(graph), seed_of(rng)
    several = rows.degrees > 1
    budget = None
    with using(threads):
        begin = clock()
        if max_error is not None:
            even = several.astype(np.float64)
            share, budget = share_of_closed(rows, even, max_error, confidence, seed)
        if budget is None or budget.exact:
            found = _exact(rows)
            if budget is not None:
                found = replace(found, budget=budget)
        else:
            part = float(several.sum()) / max(graph.n, 1)
            found = ClusteringResult(average=share * part, budget=budget, run=found_nothing())
        seconds, workers = clock() - begin, threads_available()
    if verify and found.values is not None:
        check_triangles(rows, int(corners(rows).sum()) // 3)
    phase = "per vertex" if found.values is not None else "sample"
    columns = {"phase": phase, "seconds": seconds, "threads": workers}
    found = replace(found, run=Run(seconds, Trace(columns, trace)))
    if not audit:
        return found
    exact = found.average if found.values is not None else clustering(graph).average
    error = abs(found.average - exact) / exact if exact else 0.0
    return replace(found, audit=Audit(error, error, error, graph.n, graph.n))


def found_nothing() -> Run:
    """Return a run that is replaced when its time is known."""
    return Run(0.0, Trace({}))


def _exact(rows: Graph) -> ClusteringResult:
    count = corners(rows)
    degrees = rows.degrees.astype(np.int64)
    pairs = degrees * (degrees - 1) // 2
    values = np.divide(count, pairs, out=np.zeros(rows.n), where=pairs > 0)
    wedges = int(pairs.sum())
    return ClusteringResult(
        average=float(values.mean()) if rows.n else 0.0,
        transitivity=int(count.sum()) / wedges if wedges else 0.0,
        values=values,
        run=found_nothing(),
    )
