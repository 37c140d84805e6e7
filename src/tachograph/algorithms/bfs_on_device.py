"""Breadth-first search on an OpenCL device: the loop around ``kernels/bfs/bfs.cl``.

The search is on the device, and so is the policy, if it can be written in OpenCL C
(``decisions/direction/in_c.py``): the host enqueues several levels, the kernels of both directions for
each, and reads one small block of counters. A policy that only the host can ask is asked before each
large level; many levels of few arcs are pushed in one launch (``alone``) before it is asked about them,
and if it wants one of them pulled, the search goes back to that level.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, NamedTuple, cast

import numpy as np

from ..decisions.direction.in_c import in_c
from ..decisions.direction.model import Policy, policy_named
from ..decisions.direction.walk import Counts, Walk
from ..devices.choice import DeviceLike
from ..devices.memory import Buffer, check_countable
from ..devices.opencl import OpenCL, check_count
from ..graph.graph import Graph
from ..kernels.bfs import oracle
from ..kernels.bfs.oracle import MAPPING, PULLING, PUSHING, QUEUING, is_timed
from ..kernels.bfs.search import PULL_ARCS_PER_PUSH_ARC, RETRY_FACTOR
from ..kernels.bfs.state import PULL, PUSH
from ..kernels.bfs.steps import UNLIMITED, VERTICES_PER_CERTAIN_ARC
from ..kernels.runtime.launch import clock, not_counted
from .bfs import workload
from .on_device import Runner, one_device, rows_on
from .result import Run, Trace

__all__ = ["both_directions", "levels_on", "measured_on"]

ALONE_UP_TO_ARCS = 4096  # arcs out of a frontier up to which one work-group goes on alone
ALONE_LEVELS = 256  # levels that it does in one launch, which must not last long
LEVELS_AHEAD = 8  # that are enqueued before their counters are read, unless the host is asked
COUNTED_FROM_ARCS = 1024  # arcs that one work-item of a pull looks at before it counts them
LOG_ROWS, LOG_COLUMNS, LOG = 512, 6, 32  # those of bfs.cl
TAIL, FRONTIER, OVER, LOGGED = 5, slice(8, 12), 13, 14  # places in its state
CONSTANTS = slice(15, 19)  # vertices, cutoff, target, arcs that a hub has more than
DIRECTION, BOUNDED, LEFT = 20, 23, 28
PULLED_FRONTIER, FOUND_BEFORE, ALWAYS_FRONT, ALWAYS_NEXT = (np.int32(which) for which in range(4))
ORACLE_REPEATS = 3
NAMES = np.array(["push", "pull"])
COLUMNS = ("direction", "frontier_vertices", "frontier_edges", "unvisited")


@lru_cache(64)
def _written(function: Any) -> str | None:
    """Return a compiled policy in OpenCL C, or None if that cannot be done."""
    return in_c(function.__wrapped__)


class Query(NamedTuple):
    """Where a search begins, and where it may end: at a level, or at a vertex (-1: nowhere)."""

    sources: np.ndarray
    cutoff: int = -1
    target: int = -1

    @property
    def ends_at_once(self) -> bool:
        """Whether there is nothing to search for beyond the sources."""
        return self.cutoff == 0 or self.target in self.sources


class _Search:
    """A search on a device, between two levels.

    ``fixed`` is the direction of all levels, or None; ``decides`` says whether the device asks the
    policy of ``walk`` itself. With ``spare``, levels can be taken back.
    """

    def __init__(
        self, device: OpenCL, graph: Graph, query: Query, policy: Policy, spare: bool = False
    ) -> None:
        n, shares_work = graph.n, max(1, device.threads or device.units)
        self.device, self.graph, self.query, self.n = device, graph, query, n
        degrees = graph.indptr[query.sources + 1] - graph.indptr[query.sources]
        self.hubs = int((degrees > graph.features.mean_degree).sum())
        first = Counts(query.sources.size, self.hubs, int(degrees.sum()))
        self.walk = walk = Walk(graph, policy, first, threads=shares_work)
        self.fixed = PUSH if spare else walk.fixed
        written = None
        if self.fixed is None and device.capabilities.double:
            written = _written(cast(Any, policy.function))
        self.decides = written is not None
        with not_counted():
            rows, back = rows_on(device, graph), rows_on(device, graph.transpose)
            numbers = {"ALONE_ARCS": ALONE_UP_TO_ARCS, "COUNTED_FROM_ARCS": COUNTED_FROM_ARCS}
            numbers |= {
                "PULL_ARCS_PER_PUSH_ARC": PULL_ARCS_PER_PUSH_ARC,
                "RETRY_FACTOR": RETRY_FACTOR,
            }
            numbers |= {"DECIDES": int(self.decides)}
            options = [f"-DOFFSET={rows.offset}", *(f"-D{k}={v}" for k, v in numbers.items())]
            self.run = Runner(device, "bfs", *options, written=written or "")
        shape = self.run.shape
        self.ahead, self.back = (rows.indptr, rows.indices), (back.indptr, back.indices)
        self.tree = device.result(2 * n, np.int32, "levels and parents")
        self.queue = device.scratch(2 * n if spare else n, np.int32, "the frontier")
        self.words = (n + 31) // 32
        self.bitmaps: Buffer | None = None  # once something may be pulled
        self.tasks = device.scratch(2 * rows.tasks(shape), np.int32, "tasks")
        self.wide: Buffer | None = None
        self.back_tasks = back.tasks(shape)
        self.widest = graph.features.max_degree >= shape.wide_from
        self.widest_back = graph.transpose.features.max_degree >= shape.wide_from
        state = np.zeros(LOG + LOG_ROWS * LOG_COLUMNS, np.int32)
        limits = n, query.cutoff, query.target, int(graph.features.mean_degree)
        state[TAIL], state[CONSTANTS], state[LEFT] = query.sources.size, limits, n
        state[DIRECTION], state[BOUNDED] = self.fixed or PUSH, policy.guarded and not spare
        self.state = device.output(state, "counters")
        self.policy = [device.output(walk.numbers())] if self.decides else []
        self.seen = 0  # rows of the log
        self.over: bool = query.ends_at_once

    def begin(self) -> None:
        """Put the sources into the queue."""
        sources, run = self.query.sources, self.run
        run.each("make_unvisited", self.n, self.ahead[0], np.int32(self.n), self.tree)
        self.given = self.device.upload(sources.astype(np.int32, copy=False))
        count = np.int32(sources.size)
        run.each("enter", sources.size, self.given, count, self.tree, self.queue, self.state)
        self.end_level(first=True)

    # -- enqueuing ------------------------------------------------------------------------------

    def enqueue(self) -> None:
        """Enqueue the next level, or several if the host need not be asked between them."""
        level = self.walk.level
        if self.fixed is None and not self.decides:
            direction = self.walk.choose()
            self.turn_to(direction)
            if direction == PUSH and level.edges <= ALONE_UP_TO_ARCS and self.walk.last == PUSH:
                self.alone()
            else:
                self.one_level(level.vertices, level.edges)
            return
        if self.fixed != PULL:
            self.alone()
        for _ in range(LEVELS_AHEAD):  # what is left to find bounds them all
            self.one_level(level.vertices + level.unvisited, level.edges + level.unseen)

    def one_level(self, vertices: int, edges: int) -> None:
        """Walk a level of at most so many vertices and arcs, whatever its direction."""
        if self.fixed != PUSH:
            self.to_bitmap(vertices)
            self.pull()
        if self.fixed is None:
            self.to_queue(PULLED_FRONTIER)
            if self.state.array[BOUNDED]:
                self.to_queue(FOUND_BEFORE)
        if self.fixed != PULL:
            self.push(vertices, edges)
        self.end_level()

    def turn_to(self, direction: int) -> None:
        """Say what the direction of the next level is."""
        self.run.once("turn_to", self.state, np.int32(direction))

    def push(self, vertices: int, edges: int) -> None:
        """Push the frontier, if it is to be pushed."""
        run, shape = self.run, self.run.shape
        given = (*self.ahead, self.tree, self.queue, self.tasks, self.state)
        run.cut("push", -(-vertices // shape.rows), edges, *given)
        if self.widest:
            run.cut("push_wide", edges // shape.wide_from + 1, edges, *given)

    def pull(self) -> None:
        """Pull a level, if it is to be pulled."""
        run, shape = self.run, self.run.shape
        blocks = -(-self.words * shape.lanes // shape.group)
        given = (*self.back, self.tree, self._bitmaps())
        run.cut("pull", blocks, self.graph.arcs, *given, self.state)
        if self.widest_back:
            if self.wide is None:
                self.wide = self.device.scratch(2 * self.back_tasks, np.int32, "tasks")
            run.each("list_wide", self.n, self.back[0], self.state, self.wide)
            tasks = self.back_tasks * shape.lanes // shape.group + 1
            run.cut("pull_wide", tasks, self.graph.arcs, *given, self.wide, self.state)

    def _bitmaps(self) -> Buffer:
        if self.bitmaps is None:
            self.bitmaps = self.device.scratch(2 * self.words, np.uint32, "bitmaps")
        return self.bitmaps

    def to_bitmap(self, vertices: int) -> None:
        """Copy the frontier in the queue to its bitmap, if it is to be pulled."""
        bitmaps = self._bitmaps()
        self.run.each("clear_bitmap", self.words, self.state, bitmaps)
        self.run.each("to_bitmap", vertices, self.queue, self.state, bitmaps)

    def to_queue(self, which: np.int32) -> None:
        """Append the vertices of a bitmap to the queue."""
        self.run.each("to_queue", self.words, self._bitmaps(), self.queue, self.state, which)

    def end_level(self, first: bool = False) -> None:
        """End a level."""
        self.run.once("end_level", self.state, self.tree, np.int32(first), *self.policy)

    def alone(self) -> None:
        """Push levels of few arcs by one group."""
        limits = np.int32(ALONE_LEVELS), np.int32(ALONE_UP_TO_ARCS)
        given = (*self.ahead, self.tree, self.queue, self.state)
        self.run.once("alone", *given, *limits, *self.policy)

    def go_back(self, row: np.ndarray, logged: int, depth: int) -> None:
        """Undo the level of a row of the log, and all after it; they are in the queue."""
        hi = int(row[5]) + int(row[1])
        given = (self.ahead[0], self.tree, self.queue, self.state)
        self.run.each("take_back", self.tail - hi, *given, np.int32(hi), np.int32(self.tail))
        self.restore(logged, depth)

    def restore(self, logged: int, depth: int) -> None:
        """Make the state that of a level which was logged."""
        numbers = (np.int32(x) for x in (logged, depth, self.walk.level.unvisited))
        self.run.once("restore", self.state, *numbers)
        self.seen, self.over = logged, False

    # -- reading --------------------------------------------------------------------------------

    def read(self) -> np.ndarray:
        """Wait; return the rows of levels that were walked since the last time."""
        block = self.state.fetch()
        logged, self.over, self.tail = int(block[LOGGED]), bool(block[OVER]), int(block[TAIL])
        check_count(self.device, logged - self.seen, LOG_ROWS, least=1)
        places = np.arange(self.seen, logged) % LOG_ROWS
        self.seen = logged
        return block[LOG:].reshape(LOG_ROWS, LOG_COLUMNS)[places]

    def found(self) -> Counts:
        """Return what the frontier has."""
        return Counts.of(self.state.array[FRONTIER])

    def timed(self, enqueue: Callable[[], None]) -> int:
        """Return the nanoseconds that something takes on the device."""
        self.device.finish()
        start = time.perf_counter_ns()
        enqueue()
        self.device.finish()
        return time.perf_counter_ns() - start

    def results(self) -> tuple[np.ndarray, np.ndarray]:
        """Wait for levels and parents."""
        self.run.each("complete", self.n, self.tree, np.int32(self.n))
        tree = self.tree.fetch()
        return tree[: self.n], tree[self.n : 2 * self.n]


def levels_on(
    asked: DeviceLike, graph: Graph, query: Query, policy: Policy
) -> tuple[np.ndarray, np.ndarray, Run]:
    """Search in the direction that the policy chooses at every level: levels and parents."""
    device = one_device(asked)
    search = _Search(device, graph, query, policy)
    walk, asks = search.walk, search.fixed is None and not search.decides
    begin = last = clock()
    lines: list[tuple[object, ...]] = []
    seconds: list[float] = []
    search.begin()
    while not search.over:
        search.enqueue()
        rows = search.read()
        work = []
        for i, row in enumerate(rows):
            direction, level = int(row[0]), walk.level
            if (
                i and asks and walk.choose() != direction
            ):  # it was pushed before the policy was asked
                search.go_back(row, search.seen - len(rows) + i, level.depth)
                break
            check_count(device, direction, PULL)
            lines.append((NAMES[direction], level.vertices, level.edges, level.unvisited))
            work.append(1 + level.vertices + (level.edges if direction == PUSH else graph.n))
            found = Counts.of(rows[i + 1][1:5]) if i + 1 < len(rows) else search.found()
            check_count(device, found.vertices, level.unvisited)
            walk.walked(direction, found)
        now = clock()
        seconds += [(now - last) * part / sum(work) for part in work]
        last = now
    levels, parents = search.results()
    columns: dict[str, object] = (
        dict(zip(COLUMNS, zip(*lines, strict=True), strict=True))
        if lines
        else dict.fromkeys(COLUMNS, ())
    )
    columns |= {"seconds": seconds, "threads": max(1, device.threads or device.units)}
    trace = Trace(columns, more=workload(graph, columns))
    return levels, parents, Run(clock() - begin, trace, device=device.id)


def measured_on(
    asked: DeviceLike, graph: Graph, query: Query, repeats: int = ORACLE_REPEATS
) -> tuple[np.ndarray, np.ndarray, np.ndarray, OpenCL]:
    """Search, and time both directions at every level, as ``kernels.bfs.oracle.both`` does on the host.

    Returns levels, parents, a row for each level (``oracle.COLUMNS``), and the device.
    """
    device = one_device(asked)
    check_countable(device, 2 * graph.n)
    search = _Search(device, graph, query, policy_named("push"), spare=True)
    walk = search.walk
    rows: list[tuple[int, ...]] = []
    thin_levels = 0
    search.begin()
    while not search.over:
        level, at = walk.level, (search.seen, walk.level.depth)
        pulls, sums = True, [0, 0]
        if level.edges <= graph.n // VERTICES_PER_CERTAIN_ARC:
            pulls = is_timed.py_func(thin_levels)
            thin_levels += 1
        best = [UNLIMITED] * 4  # nanoseconds
        for _ in range(repeats if pulls else 0):
            search.turn_to(PULL)
            mapping = search.timed(partial(search.to_bitmap, level.vertices))
            best[MAPPING] = min(best[MAPPING], mapping)
            taken = search.timed(search.pull)
            best[PULLING] = min(best[PULLING], taken)
            sums[PULLING] += taken
            search.end_level()
            row = search.read()[0]
            search.to_queue(ALWAYS_FRONT)  # those that were found, to take them back
            search.tail += search.found().vertices
            search.go_back(row, *at)
            queuing = search.timed(partial(search.to_queue, ALWAYS_NEXT))
            best[QUEUING] = min(best[QUEUING], queuing)
            search.restore(*at)
        search.turn_to(PUSH)
        for repeat in range(repeats if pulls else 1):
            if repeat:
                search.go_back(search.read()[0], *at)
            taken = search.timed(partial(search.push, level.vertices, level.edges))
            best[PUSHING] = min(best[PUSHING], taken)
            sums[PUSHING] += taken
            search.end_level()
        search.read()
        times = best if pulls else [best[PUSHING], -1, -1, -1]
        means = [total // repeats for total in sums] if pulls else [best[PUSHING], -1]
        counts = level.vertices, level.edges, level.unvisited, level.unseen, search.hubs, 0
        rows.append((*counts, *times, *means))
        found = search.found()
        search.hubs = found.hubs
        walk.walked(PUSH, found)
    levels, parents = search.results()
    return levels, parents, np.array(rows, np.int64).reshape(-1, len(oracle.COLUMNS)), device


def both_directions(graph: Graph, source: int, device: str) -> dict[str, Any]:
    """Return a column for each of ``oracle.COLUMNS``, and how many ``threads``: what a policy for the
    device is trained with.
    """
    query = Query(np.array([source], graph.indices.dtype))
    _, _, rows, there = measured_on(device, graph, query)
    made: dict[str, Any] = dict(zip(oracle.COLUMNS, rows.T.tolist(), strict=True))
    return made | {"threads": max(1, there.threads or there.units)}
