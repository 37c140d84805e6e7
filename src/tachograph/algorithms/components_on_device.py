"""Weakly connected components on an OpenCL device: the launches of ``kernels/components.cl``."""

from __future__ import annotations

import numpy as np

from ..devices.choice import DeviceLike
from ..graph.graph import Graph
from ..kernels.components import SAMPLED_VERTICES
from ..kernels.runtime.launch import clock, not_counted
from .on_device import Rows, Runner, one_device, rows_on
from .result import Run, Trace

__all__ = ["labels_on"]


def labels_on(asked: DeviceLike, graph: Graph) -> tuple[np.ndarray, Run]:
    """Return for each vertex the smallest id of its component."""
    device, n = one_device(asked), np.int32(graph.n)
    if not graph.n:
        return np.empty(0, np.int32), Run(
            0.0, Trace({"phase": [], "seconds": []}), device=device.id
        )
    begin = clock()
    with not_counted():
        rows = rows_on(device, graph)
        every = [rows, rows_on(device, graph.transpose)] if graph.directed else [rows]
        run = Runner(device, "components", f"-DOFFSET={rows.offset}")
    label = device.result(graph.n, np.int32, "labels")
    run.each("hook", graph.n, rows.indptr, rows.indices, n, label)
    run.each("shorten", graph.n, n, label)
    run.each("link_second", graph.n, rows.indptr, rows.indices, n, label)
    run.each("shorten", graph.n, n, label)
    some = device.result(min(SAMPLED_VERTICES, graph.n), np.int32)
    run.each("sample", some.array.size, label, n, np.int32(some.array.size), some)
    names, counts = np.unique(some.fetch(), return_counts=True)
    sampled = clock()
    for given in every:
        _link_rest(run, given, label, graph.n, int(names[counts.argmax()]))
    run.each("shorten", graph.n, n, label)
    labels = label.fetch()
    end = clock()
    phases = {"phase": ["samples", "other arcs"], "seconds": [sampled - begin, end - sampled]}
    trace = Trace({**phases, "threads": max(1, device.threads or device.units)})
    return labels, Run(end - begin, trace, device=device.id)


def _link_rest(run: Runner, rows: Rows, label: object, n: int, skip: int) -> None:
    """Join the vertices outside the component ``skip`` with their neighbours."""
    device, shape = run.device, run.shape
    tasks = device.scratch(2 * rows.tasks(shape), np.int32, "tasks")
    counts = device.output(np.zeros(1, np.int32))
    given = rows.indptr, rows.indices, label, tasks, counts
    run.cut("link_rest", -(-n // shape.rows), rows.arcs, *given, np.int32(n), np.int32(skip))
    blocks = rows.tasks(shape) * shape.lanes // shape.group + 1
    run.cut("link_wide", blocks, rows.arcs, *given)
