"""Strongly connected components."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..graph.graph import Graph
from ..util.limits import check_whole
from .bfs import bfs
from .result import Labels, Run, Trace
from .verify import check_strong_components

__all__ = ["StrongComponentsResult", "strongly_connected_components"]

SEARCH_FROM_ARCS = 1 << 15  # with fewer, two searches take longer than one pass over all arcs


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class StrongComponentsResult(Labels):
    """For each vertex the label of its strongly connected component: the smallest id in it.

    >>> import tachograph as tg
    >>> found = tg.strongly_connected_components(tg.Graph.from_edges([0, 1, 1], [1, 0, 2]))
    >>> found.labels.tolist(), found.count
    ([0, 0, 2], 2)
    """

    task: ClassVar[str] = "strongly_connected_components"

    labels: NDArray[np.integer]
    count: int
    largest: int
    consecutive: bool = False


def strongly_connected_components(
    graph: Graph,
    *,
    consecutive: bool = False,
    threads: int | None = None,
    trace: bool = True,
    verify: bool = False,
) -> StrongComponentsResult:
    """Find strongly connected components: which vertices reach each other along arcs.

    Two parallel searches find the component of a vertex with many arcs, which is usually the large one;
    one pass over the arcs of the other vertices finds the rest.

    Parameters
    ----------
    graph
        The graph. In an undirected one they are the connected components.
    consecutive
        Number the components from 0 on, in the order of their smallest ids, which are the labels
        otherwise.
    threads
        The number of threads; by default all cores. The labels do not depend on it.
    trace
        Keep a row for each phase.
    verify
        Compare with SciPy's components; ``VerificationError`` if they differ.

    Returns
    -------
    StrongComponentsResult
        ``labels``: for each vertex the smallest id of its component, or the component's number if
        ``consecutive``; ``count``: the number of components; ``largest``: the vertices of the largest.

    Examples
    --------
    >>> import tachograph as tg
    >>> g = tg.Graph.from_edges([0, 1, 2, 2, 3], [1, 2, 0, 3, 4])
    >>> tg.strongly_connected_components(g).labels.tolist()
    [0, 0, 0, 3, 4]
    """
    from ..kernels import strong as kernel
    from ..kernels.runtime.launch import clock, threads_available
    from ..kernels.runtime.launch import threads as using

    label = np.full(graph.n, -1, graph.indices.dtype)
    low = np.zeros(graph.n, np.int64)
    phases, times = [], []
    with using(threads):
        back = graph.transpose
        if graph.arcs >= SEARCH_FROM_ARCS:
            begin = clock()
            start = kernel.busiest(graph.rows, back.rows)
            ahead, behind = (bfs(g, start, trace=False).levels for g in (graph, back))
            check_whole()
            kernel.meet_both(ahead, behind, label, low)
            phases, times = ["search both ways"], [clock() - begin]
        begin = clock()
        kernel.label_rest(graph.rows, label, low)
        phases, times = [*phases, "rest"], [*times, clock() - begin]
        workers = threads_available()
    if verify:
        check_strong_components(graph, label)
    first = label == np.arange(graph.n)
    sizes = np.bincount(label, minlength=1) if graph.n else np.zeros(1, np.int64)
    if consecutive:
        label = (np.cumsum(first) - 1).astype(label.dtype)[label]
    columns = {"phase": phases, "seconds": times, "threads": workers}
    return StrongComponentsResult(
        labels=label,
        count=int(np.count_nonzero(first)),
        consecutive=consecutive,
        largest=int(sizes.max()),
        run=Run(sum(times), Trace(columns, trace)),
    )
