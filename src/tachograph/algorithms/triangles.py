"""Counting triangles."""

from __future__ import annotations

import numpy as np

from ..graph.graph import Graph
from ..util.errors import InputError
from .result import Result, Trace
from .simple import simple
from .verify import check_triangles

__all__ = ["triangles"]


def triangles(graph: Graph, *, threads: int | None = None, verify: bool = False) -> Result:
    """Count the triangles of an undirected graph; loops and parallel edges count for nothing.

    Parameters
    ----------
    graph
        Must be undirected.
    threads
        How many to use, for this call.
    verify
        Count again with sparse matrix products (slow); raises ``VerificationError``.

    Returns
    -------
    Result
        ``count``; the trace has one row, which says whether vertices were ranked by degree.

    Raises
    ------
    InputError
        For a directed graph.

    Examples
    --------
    >>> import tachograph as tg
    >>> tg.triangles(tg.complete(5)).count
    10
    """
    from ..kernels.runtime.launch import clock
    from ..kernels.runtime.launch import threads as using
    from ..kernels.triangles import marks as kernel

    if graph.directed:
        raise InputError("triangles are counted in undirected graphs: make one with directed=False")
    rows = simple(graph)
    with using(threads):
        begin = clock()
        count, ranked, workers = kernel.count_triangles(rows.indptr, rows.indices)
        seconds = clock() - begin
    if verify:
        check_triangles(rows, count)
    trace = Trace(
        {
            "phase": np.array(["ranked by degree" if ranked else "as it is"]),
            "seconds": np.array([seconds]),
            "threads": np.array([workers]),
        }
    )
    return Result("triangles", {"count": count}, seconds=seconds, trace=trace)
