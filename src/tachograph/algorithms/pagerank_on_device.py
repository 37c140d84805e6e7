"""PageRank on an OpenCL device: the loop around ``kernels/pagerank/pagerank.cl``."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..devices.choice import DeviceLike
from ..devices.opencl import OpenCL, check_count
from ..graph.graph import Graph
from ..kernels.pagerank.pull import FLOAT32_FROM_TOLERANCE
from ..kernels.runtime.launch import clock, not_counted
from ..util.errors import DeviceError
from .on_device import Runner, one_device, rows_on

__all__ = ["Question", "scores_on"]

BLOCK_VERTICES = 256  # whose changes one work-group adds up
ITERATIONS_AHEAD = 8  # that are enqueued before the changes are read
TASKS, OVER, DONE, MOST = range(4)  # places in the state of pagerank.cl
JUMPED, DAMPING, TOLERANCE, CHANGES = range(4)  # places in its numbers


class Question(NamedTuple):
    """What PageRank is asked: the transpose, the weight of out-arcs, the jumps, and when to end."""

    back: Graph
    out: np.ndarray
    jump: np.ndarray
    damping: float
    tolerance: float
    limit: int


def scores_on(
    asked: DeviceLike, question: Question
) -> tuple[np.ndarray, np.ndarray, np.ndarray, OpenCL]:
    """Return scores, change and nanoseconds of each iteration, and the device."""
    device = one_device(asked)
    back, out, jump, damping, tolerance, limit = question
    kind: type[np.floating] = np.float64 if device.capabilities.double else np.float32
    if kind is np.float32 and tolerance < FLOAT32_FROM_TOLERANCE:
        raise DeviceError(
            f"tol = {tolerance} needs double precision, which {device.name} does not have: use the "
            f"host, or tol = {FLOAT32_FROM_TOLERANCE}"
        )
    n, weights = back.n, back.weights
    with not_counted():
        rows = rows_on(device, back)
        flags = f"-DWITH_DOUBLE={int(kind is np.float64)}", f"-DWEIGHTED={int(weights is not None)}"
        options = f"-DOFFSET={rows.offset}", f"-DBLOCK={BLOCK_VERTICES}", *flags
        run = Runner(device, "pagerank", *options)
    inverse = np.divide(1.0, out, out=np.zeros(n), where=out > 0)
    spots, size = np.int32(jump.size == n), np.int32(n)
    given = np.ones(1)
    if weights is not None:  # as probabilities, which fit into any type
        given, inverse = weights * inverse[back.indices], np.where(inverse > 0, 1.0, 0.0)
    arcs = rows.indptr, rows.indices, device.upload(given.astype(kind), "weights")
    jumps, shares = device.upload(jump.astype(kind)), device.upload(inverse.astype(kind))
    scores, share, fresh = (device.result(n, kind, "scores") for _ in range(3))
    tasks = device.scratch(2 * rows.tasks(run.shape), np.int32, "tasks")
    pieces = device.scratch(rows.tasks(run.shape), kind, "tasks")
    place = device.scratch(n, np.int32, "tasks")
    count = -(-n // BLOCK_VERTICES)
    blocks = device.scratch(3 * count, kind)
    numbers, state = np.zeros(CHANGES + limit, kind), np.zeros(4, np.int32)
    lost = float(np.broadcast_to(jump, n)[inverse == 0].sum())  # jumps to where no arcs leave
    numbers[:CHANGES] = damping * lost + 1 - damping, damping, tolerance
    state[MOST] = limit
    numbers_there, state_there = device.output(numbers), device.output(state)
    last = clock()
    run.each("first_scores", n, jumps, spots, shares, size, scores, share)
    run.each("list_tasks", n, rows.indptr, size, tasks, place, state_there)
    times: list[float] = []
    while not state[OVER]:
        for _ in range(ITERATIONS_AHEAD):
            run.shared(
                "sum_pieces", rows.tasks(run.shape), *arcs, share, tasks, state_there, pieces
            )
            fixed = (jumps, spots, shares, size, place, pieces)
            changing = (share, scores, fresh, numbers_there, state_there, blocks)
            run.shared("settle", count, *arcs, *fixed, *changing)
            run.once("end_iteration", blocks, np.int32(count), numbers_there, state_there)
            share, fresh = fresh, share
        state = state_there.fetch()
        new, now = int(state[DONE]) - len(times), clock()
        check_count(device, new, ITERATIONS_AHEAD, least=1)
        times += [1e9 * (now - last) / new] * new
        last = now
    found = scores.fetch()[:n].astype(np.float64)
    changes = numbers_there.fetch()[CHANGES : CHANGES + len(times)].astype(np.float64)
    return found / found.sum(), changes, np.array(times), device
