"""Shortest paths on an OpenCL device: the loop around ``kernels/sssp/bellman_ford.cl``.

Exact searches with weights of at least 0 let far vertices wait (*near-far*: A. Davidson and others,
"Work-Efficient Parallel GPU Methods for Single-Source Shortest Paths", 2014). Others are
Bellman-Ford, round by round, with the same approximations as on the host.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from ..decisions.approximation.rules import Approximation
from ..devices.choice import DeviceLike
from ..devices.opencl import OpenCL, check_count
from ..graph.graph import Graph
from ..kernels.runtime.launch import clock, not_counted
from ..util.errors import DeviceError, InputError
from . import on_device
from .on_device import Runner, one_device, rows_on
from .result import Run, Trace

__all__ = ["Question", "distances_on"]

ALONE_UP_TO_ARCS = 4096  # of a frontier up to which one work-group goes on alone
ALONE_UP_TO_VERTICES = 1024  # whose arcs it sums to know
#: Both are larger by this factor on a processor, whose groups are threads that begin late but run fast.
MORE_ON_CORES = 4
ALONE_ROUNDS = 256  # that it does in one launch, which must not last long
ROUNDS_AHEAD = 8  # that are enqueued before their counters are read
ROUNDS_BEHIND = 2  # that are enqueued if one group can probably do all the rest alone
DELTA_ARCS = 8  # near is within the mean weight of so many arcs over the mean degree
ROUNDS_PER_VERTEX = 3  # more of them are impossible with weights of at least 0
LOG_ROWS, LOG_COLUMNS, LOG = 512, 4, 32  # those of bellman_ford.cl
COUNT, TURN, OVER, LOGGED, TOO_FAR, ALL = 7, 11, 13, 14, 15, 16
LIMITS = slice(17, 24)  # most turns, least and most degree, keep, keep all, seed, atomic
Kind = type[np.int32] | type[np.int64] | type[np.float64]  # of distances
UNREACHED: dict[Kind, float] = {np.int32: 2**31 - 1, np.int64: 2**62, np.float64: np.inf}
CEILING: dict[Kind, float] = {np.int64: 2**61, np.float64: np.inf}


class Question(NamedTuple):
    """A graph with the length of each arc, where to begin, and what may be left out."""

    graph: Graph
    weights: np.ndarray
    sources: np.ndarray
    approximation: Approximation


def distances_on(asked: DeviceLike, question: Question) -> tuple[np.ndarray, Run] | None:
    """Return distances, or None if they do not settle (a cycle)."""
    device = one_device(asked)
    if question.weights.dtype.kind == "f":
        real = _real_weights(device, question.weights)
        found = _relaxed(device, question._replace(weights=real), np.float64, 0)
        return None if isinstance(found, str) else found
    weights = whole_weights(question.weights)
    largest = int(np.abs(weights.astype(np.int64)).max(initial=0))
    question = question._replace(weights=weights)
    if largest < 2**30:
        found = _relaxed(device, question, np.int32, largest)
        if not isinstance(found, str):
            return found
    if not device.capabilities.int64_atomics:
        raise DeviceError(
            f"distances go beyond 32 bits, and {device.name} has no atomic minimum of 64 bits: use the "
            "host"
        )
    found = _relaxed(device, question, np.int64, largest)
    return None if isinstance(found, str) else found


def whole_weights(weights: np.ndarray) -> np.ndarray:
    """Return the weights as int32; refuse those that do not fit."""
    if weights.dtype == np.int32:
        return weights
    if weights.dtype.kind not in "iu" or np.abs(weights).max(initial=0) >= 2**31:
        raise InputError("on a device whole weights must fit in 32 bits (int32): use the host")
    return weights.astype(np.int32)


def _real_weights(device: OpenCL, weights: np.ndarray) -> np.ndarray:
    """Return the weights as float64; refuse those that are negative, and devices without doubles."""
    able = device.capabilities
    if not (able.double and able.int64_atomics):
        lacks = "atomic minimum of 64 bits" if able.double else "double precision"
        raise DeviceError(
            f"weights that are not whole need {lacks}, which {device.name} has not: use the host"
        )
    if weights.min(initial=0) < 0:
        raise InputError("on a device negative weights must be whole numbers (int32): use the host")
    return weights.astype(np.float64, copy=False)


class _Search:
    """A search on a device, between two rounds."""

    def __init__(self, device: OpenCL, question: Question, kind: Kind, largest: int) -> None:
        graph, weights, sources, left_out = question
        n = graph.n
        self.device, self.n, self.kind = device, n, kind
        with not_counted():
            rows = rows_on(device, graph)
            wide, real = int(kind != np.int32), int(kind == np.float64)
            options = [f"-DWIDE_DISTANCES={wide}", f"-DREAL_WEIGHTS={real}"]
            more = MORE_ON_CORES if on_device.shape_of(device).group == 1 else 1
            self.alone = more * ALONE_UP_TO_VERTICES
            options += [f"-DALONE_ARCS={more * ALONE_UP_TO_ARCS}"]
            self.run = Runner(device, "bellman_ford", f"-DOFFSET={rows.offset}", *options)
            there = device.upload(weights, "weights")
        self.arcs = graph.arcs
        self.negative = bool(weights.min(initial=0) < 0)
        known = graph.features.weights or {"mean": 1.0}
        delta = DELTA_ARCS * known["mean"] / max(graph.features.mean_degree, 1e-9)
        if not real:
            delta = max(1, int(delta))
        self.plain = self.negative or not left_out.exact
        far = UNREACHED[kind]
        ceiling = 2**31 - 2 - largest if kind == np.int32 else CEILING[kind]
        delta = min(delta, ceiling)
        self.stored = np.int32 if kind == np.int32 else np.int64
        bounds = np.array([far if self.plain else delta, 0, far, delta, ceiling], kind)
        self.bounds = device.output(bounds.view(self.stored))
        state = np.zeros(LOG + LOG_ROWS * LOG_COLUMNS, np.int32)
        state[[COUNT, TURN, ALL]] = sources.size, 1, n
        most = 2**31 - 2 if left_out.iterations is None else min(left_out.iterations + 1, 2**31 - 2)
        keep_all, keep = left_out.keep == 2**32, np.uint32(left_out.keep % 2**32).astype(np.int32)
        degrees = left_out.min_degree, left_out.max_degree or 2**31 - 1
        state[LIMITS] = most, *degrees, keep, keep_all, left_out.seed, left_out.atomic
        self.state = device.output(state)
        self.distance = device.result(n, self.stored, "distances")
        stamps = device.scratch(2 * n, np.int32, "stamps")
        queues = device.scratch(4 * n, np.int32, "frontiers")
        self.tasks = device.scratch(2 * rows.tasks(self.run.shape), np.int32, "tasks")
        self.rows = rows.indptr, rows.indices, there
        self.places = self.distance, stamps, queues
        self.widest = graph.features.max_degree >= self.run.shape.wide_from
        given = device.upload(sources.astype(np.int32, copy=False))
        self.run.each("begin_distances", n, self.distance, stamps, np.int32(n))
        count = np.int32(sources.size)
        self.run.each("enter_sources", sources.size, given, count, self.distance, queues)
        self.held = given
        self.seen = 0

    def enqueue(self, rounds: int) -> None:
        """Enqueue several rounds; those that come after the end do nothing."""
        run, control = self.run, (self.bounds, self.state)
        blocks = -(-self.n // run.shape.rows)
        rounds_alone = 1 if self.device.found.turns is not None else ALONE_ROUNDS
        limits = np.int32(rounds_alone), np.int32(self.alone)
        run.once("relax_alone", *self.rows, *self.places, *control, *limits)
        for _ in range(rounds):
            given = (*self.rows, *self.places, self.tasks, *control)
            run.cut("relax", blocks, self.arcs, *given)
            if self.widest:
                run.cut("relax_wide", self.arcs // run.shape.wide_from + 1, self.arcs, *given)
            run.once("end_round", self.state, self.bounds)
            if not self.plain:
                run.shared("split", blocks, *self.places, *control)
                run.once("end_split", self.state)

    def read(self) -> np.ndarray:
        """Wait; return the rows of rounds that were done since the last time."""
        block = self.state.fetch()
        logged = int(block[LOGGED])
        check_count(self.device, logged - self.seen, LOG_ROWS, least=0 if block[OVER] else 1)
        places = np.arange(self.seen, logged) % LOG_ROWS
        self.seen = logged
        return block[LOG:].reshape(LOG_ROWS, LOG_COLUMNS)[places].view(np.uint32).astype(np.int64)


def _relaxed(
    device: OpenCL, question: Question, kind: Kind, largest: int
) -> tuple[np.ndarray, Run] | str | None:
    """Return what :func:`distances_on` does, or, if the type of distances is too narrow, why."""
    graph = question.graph
    begin = last = clock()
    search = _Search(device, question, kind, largest)
    unvisited = graph.n - question.sources.size
    lines: list[tuple[object, ...]] = []
    most = (1 if search.negative else ROUNDS_PER_VERTEX) * (graph.n + 2)
    for trips in itertools.count():
        # a round trip for each ROUNDS_AHEAD rounds is enough, unless few vertices are left
        ahead = trips == 0 or len(lines) < ROUNDS_AHEAD * trips
        few = int(search.state.array[COUNT]) <= search.alone
        search.enqueue(ROUNDS_AHEAD if ahead or not few else ROUNDS_BEHIND)
        rows = search.read()
        now = clock()
        share = (now - last) / max(int(rows[:, [0, 2]].sum()), 1)
        for vertices, reached, low, high in rows.tolist():
            arcs = low + (high << 32)
            check_count(device, vertices, graph.n)
            lines.append(("relax", vertices, arcs, unvisited, share * (vertices + arcs)))
            unvisited -= reached
            if question.approximation.atomic:
                check_count(device, unvisited, graph.n)
            unvisited = max(unvisited, 0)  # without atomics, two may count the same vertex
        last = now
        if search.state.array[TOO_FAR]:
            return "too far"
        if search.state.array[OVER]:
            break
        if len(lines) > most:
            if search.negative:
                return None
            check_count(device, len(lines), most)
    found = search.distance.fetch()[: graph.n].view(kind)
    names = ("phase", "frontier_vertices", "frontier_edges", "unvisited", "seconds")
    columns = zip(names, zip(*lines, strict=True), strict=True)
    trace = Trace({**dict(columns), "threads": max(1, device.threads or device.units)})
    distances = np.where(found == UNREACHED[kind], np.inf, found)
    return distances, Run(clock() - begin, trace, device=device.id)
