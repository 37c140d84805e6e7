"""Weakly connected components."""

from __future__ import annotations

import numpy as np

from ..graph.graph import Graph
from .result import Result, Trace
from .verify import check_components

__all__ = ["connected_components"]


def connected_components(
    graph: Graph, *, threads: int | None = None, verify: bool = False
) -> Result:
    """Weakly connected components: which vertices hang together if arcs lead both ways.

    Parameters
    ----------
    graph
        For a directed graph the transpose is built, once.
    threads
        How many to use, for this call. The labels do not depend on it.
    verify
        Check the result by its defining properties; raises ``VerificationError``.

    Returns
    -------
    Result
        ``labels``: for each vertex the smallest id of its component; ``count``: the number of
        components. The trace has a row for each phase.

    Examples
    --------
    >>> import tachograph as tg
    >>> g = tg.Graph.from_edges([0, 3], [2, 1], n=5)
    >>> r = tg.connected_components(g)
    >>> r.labels.tolist(), r.count
    ([0, 1, 0, 1, 4], 3)
    """
    from ..kernels.components import afforest as kernel
    from ..kernels.runtime.launch import clock
    from ..kernels.runtime.launch import threads as using

    back = graph.transpose
    with using(threads):
        begin = clock()
        labels, times, workers = kernel.label_components(
            graph.indptr, graph.indices, back.indptr, back.indices, graph.directed
        )
        seconds = clock() - begin
    if verify:
        check_components(graph, labels)
    trace = Trace(
        {
            "phase": np.array(kernel.PHASES),
            "seconds": times / 1e9,
            "threads": np.full(len(times), workers),
        }
    )
    count = int(np.count_nonzero(labels == np.arange(graph.n)))
    return Result("components", {"labels": labels, "count": count}, seconds=seconds, trace=trace)
