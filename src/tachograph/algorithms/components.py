"""Weakly connected components."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..devices.choice import DeviceLike, only_host
from ..graph.graph import Graph
from .result import Labels, Run, Trace
from .verify import check_components

__all__ = ["ComponentsResult", "connected_components"]


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class ComponentsResult(Labels):
    """For each vertex the label of its component; vertices of a component have the same one.

    >>> import tachograph as tg
    >>> found = tg.connected_components(tg.disjoint_union(tg.path(2), tg.path(2)))
    >>> found.labels.tolist(), found.count
    ([0, 0, 2, 2], 2)
    """

    task: ClassVar[str] = "connected_components"

    labels: NDArray[np.integer]
    count: int
    consecutive: bool = False


def connected_components(
    graph: Graph,
    *,
    consecutive: bool = False,
    device: DeviceLike | None = None,
    threads: int | None = None,
    trace: bool = True,
    verify: bool = False,
) -> ComponentsResult:
    """Find weakly connected components: which vertices hang together if arcs lead both ways.

    Parameters
    ----------
    graph
        The graph. The transpose of a directed one is built, once.
    consecutive
        Number the components from 0 on, in the order of their smallest ids, which are the labels
        otherwise.
    device
        The OpenCL device to run on, such as ``"opencl"``; by default the host.
    threads
        The number of threads; by default all cores. The labels do not depend on it.
    trace
        Keep a row for each phase.
    verify
        Check the result by its defining properties; ``VerificationError`` if it is wrong.

    Returns
    -------
    ComponentsResult
        ``labels``: for each vertex the smallest id of its component, or the component's number if
        ``consecutive``; ``count``: the number of components. The trace has a row for each phase.

    Examples
    --------
    >>> import tachograph as tg
    >>> g = tg.Graph.from_edges([0, 3], [2, 1], n=5)
    >>> r = tg.connected_components(g)
    >>> r.labels.tolist(), r.count
    ([0, 1, 0, 1, 4], 3)
    """
    from ..kernels import components as kernel
    from ..kernels.runtime.launch import clock
    from ..kernels.runtime.launch import threads as using

    if device is not None and not only_host(device):
        from .components_on_device import labels_on

        labels, run = labels_on(device, graph)
        run = run if trace else replace(run, trace=Trace({}))
        count = int(np.count_nonzero(labels == np.arange(graph.n)))
    else:
        rows, back_rows = graph.rows, graph.transpose.rows
        with using(threads):
            begin = clock()
            found = kernel.label_components(rows, back_rows, graph.directed)
            seconds = clock() - begin
        labels, count, times, workers = found
        columns = {"phase": kernel.PHASES, "seconds": times / 1e9, "threads": workers}
        run = Run(seconds, Trace(columns, trace))
    if verify:
        check_components(graph, labels)
    if consecutive:
        first = labels == np.arange(graph.n)
        labels = (np.cumsum(first) - 1).astype(labels.dtype)[labels]
    return ComponentsResult(labels=labels, count=count, consecutive=consecutive, run=run)
