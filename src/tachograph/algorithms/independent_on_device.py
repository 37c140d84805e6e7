"""Maximal independent sets where a device decides everything: the loop around ``greedy.cl``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..decisions.placement.state import Call
from ..devices.opencl import OpenCL, check_count
from ..graph.graph import Graph
from ..kernels.runtime.launch import clock, not_counted
from .on_device import Runner, rows_on

if TYPE_CHECKING:
    from .placed import Placed

__all__ = ["decided_on"]

ROUNDS_AHEAD = 4  # that are enqueued before the host looks how many vertices wait
ALONE_UP_TO_VERTICES = 2048  # that wait: one work-group goes on alone,
ALONE_UP_TO_ARCS = 1 << 16  # if they have no more arcs than these
ALONE_ROUNDS = 256  # that it does in one launch, which must not last long
DECIDE = "randomize+select+deactivate"  # the kernels that one round of greedy.cl stands for
LOG_ROWS, COLUMNS = 512, 4  # those of greedy.cl; how many rounds are done follows


def decided_on(
    device: OpenCL, graph: Graph, degree: np.ndarray | None, key: np.uint64, placed: Placed
) -> np.ndarray:
    """Return for each vertex IN or OUT. ``graph`` has every arc both ways; ``degree`` gives the order
    where it is not the length of the rows.
    """
    last = clock()
    with not_counted():
        rows = rows_on(device, graph)
        run = Runner(device, "greedy", f"-DOFFSET={rows.offset}")
    n, where = np.int32(graph.n), np.dtype(rows.kind)
    level = device.result(graph.n, np.uint8, "levels")
    at = device.scratch(graph.n, where, "places in rows")
    queues = device.scratch(2 * graph.n, np.int32, "work lists")
    log = device.output(np.zeros(LOG_ROWS * COLUMNS + 1, np.int32), "counters")
    given = rows.indptr if degree is None else device.upload(degree, "degrees")
    run.each("levels", graph.n, rows.indptr, given, np.int32(degree is not None), key, n, level)
    ahead = (rows.indptr, rows.indices, level, at, queues, log, key, n)
    turn, count, arcs = 0, graph.n, graph.arcs
    while count:
        for number in range(turn, turn + ROUNDS_AHEAD):
            run.cut("decide", -(-count // run.shape.rows), arcs, *ahead, np.int32(number))
        limits = (ALONE_ROUNDS, ALONE_UP_TO_VERTICES, ALONE_UP_TO_ARCS)
        numbers = map(np.int32, (turn + ROUNDS_AHEAD, *limits))
        run.once("decide_alone", *ahead, *numbers)
        block = log.fetch()
        now, done = clock(), int(block[-1])
        check_count(device, done - turn, ROUNDS_AHEAD + ALONE_ROUNDS, least=ROUNDS_AHEAD)
        columns = block[:-1].reshape(LOG_ROWS, COLUMNS)[np.arange(turn, done) % LOG_ROWS]
        calls = list[Call]()
        for number, (waiting, _, low, high) in enumerate(columns.view(np.uint32).tolist(), turn):
            if count:
                calls.append(Call(DECIDE, number, count, arcs, graph.n))
                check_count(device, count - waiting, count, least=1)
                count, arcs = waiting, low + (high << 32)
        share = (now - last) / sum(call.vertices + call.arcs for call in calls)
        for call in calls:
            placed.note(call, "device", share * (call.vertices + call.arcs))
        last, turn = now, done
    return level.fetch()[: graph.n]
