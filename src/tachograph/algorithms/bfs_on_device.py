"""Breadth-first search on an OpenCL device: the loop around ``kernels/bfs/bfs.cl``.

The search is on the device; the host asks the policy, and enqueues. It reads one small block of
counters before a level that the policy is asked about, and after several levels if the direction is
fixed. Many levels of few arcs run in one launch (``alone``) before the policy is asked; if it then says
that one of them is to be pulled, the search goes back to that level.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from ..decisions.direction.model import Policy, policy_named
from ..decisions.direction.walk import Counts, Walk
from ..devices.choice import DeviceLike
from ..devices.memory import Buffer
from ..devices.opencl import OpenCL, check_count
from ..graph.graph import Graph
from ..kernels.bfs import oracle
from ..kernels.bfs.oracle import MAPPING, PULLING, PUSHING, QUEUING, is_timed
from ..kernels.bfs.state import PULL, PUSH
from ..kernels.bfs.steps import UNLIMITED, VERTICES_PER_CERTAIN_ARC
from ..kernels.runtime.launch import clock, not_counted
from .bfs import workload
from .on_device import Runner, one_device, rows_on
from .result import Run, Trace

__all__ = ["levels_on", "measured_on"]

ALONE_UP_TO_ARCS = 4096  # arcs out of a frontier up to which one work-group goes on alone
ALONE_LEVELS = 256  # levels that it does in one launch, which must not last long
LEVELS_AHEAD = 8  # that are enqueued before their counters are read, if the direction is known
LOG_ROWS, LOG_COLUMNS, LOG = 512, 6, 32  # those of bfs.cl
TAIL, FRONTIER, OVER, LOGGED = 5, slice(8, 12), 13, 14  # places in its state
CONSTANTS = slice(15, 19)  # vertices, cutoff, target, arcs that a hub has more than
ORACLE_REPEATS = 3
NAMES = np.array(["push", "pull"])
COLUMNS = ("direction", "frontier_vertices", "frontier_edges", "unvisited")


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
    """A search on a device, between two levels. With ``spare``, levels can be taken back."""

    def __init__(self, device: OpenCL, graph: Graph, query: Query, spare: bool = False) -> None:
        n = graph.n
        self.device, self.graph, self.query, self.n = device, graph, query, n
        with not_counted():
            rows, back = rows_on(device, graph), rows_on(device, graph.transpose)
            alone = f"-DALONE_ARCS={ALONE_UP_TO_ARCS}"
            self.run = Runner(device, "bfs", f"-DOFFSET={rows.offset}", alone)
        shape = self.run.shape
        self.ahead, self.back = (rows.indptr, rows.indices), (back.indptr, back.indices)
        self.tree = device.result(2 * n, np.int32, "levels and parents")
        self.queue = device.scratch(2 * n if spare else n, np.int32, "the frontier")
        self.words = (n + 31) // 32
        self.bitmaps = [device.scratch(self.words, np.uint32, "a bitmap") for _ in range(2)]
        self.tasks = device.scratch(2 * rows.tasks(shape), np.int32, "tasks")
        self.wide: Buffer | None = None  # tasks of a pull, once there is one
        self.back_tasks = back.tasks(shape)
        self.widest = graph.features.max_degree >= shape.wide_from
        self.widest_back = graph.transpose.features.max_degree >= shape.wide_from
        state = np.zeros(LOG + LOG_ROWS * LOG_COLUMNS, np.int32)
        limits = n, query.cutoff, query.target, int(graph.features.mean_degree)
        state[TAIL], state[CONSTANTS] = query.sources.size, limits
        self.state = device.output(state, "counters")
        self.form = PUSH  # the frontier is in the queue, or in the first bitmap
        self.seen = 0  # rows of the log
        degrees = graph.indptr[query.sources + 1] - graph.indptr[query.sources]
        self.hubs = int((degrees > graph.features.mean_degree).sum())
        self.first = Counts(query.sources.size, self.hubs, int(degrees.sum()))
        self.over: bool = query.ends_at_once

    def begin(self) -> None:
        """Put the sources into the queue."""
        sources, run = self.query.sources, self.run
        count, n = np.int32(sources.size), np.int64(self.n)
        run.each("make_unvisited", self.n, self.ahead[0], n, self.tree)
        self.given = self.device.upload(sources.astype(np.int32, copy=False))
        blocks = -(-sources.size // run.shape.group)
        run.shared("enter", blocks, self.given, count, self.tree, self.queue, self.state)
        self.step(-1)

    # -- enqueuing ------------------------------------------------------------------------------

    def push(self, vertices: int, edges: int) -> None:
        """Push a level of at most so many vertices and arcs."""
        run, shape = self.run, self.run.shape
        if self.form == PULL:
            self.to_queue(self.bitmaps[0])
            self.form = PUSH
        given = (*self.ahead, self.tree, self.queue, self.tasks, self.state)
        run.cut("push", -(-vertices // shape.rows), edges, *given)
        if self.widest:
            run.cut("push_wide", edges // shape.wide_from + 1, edges, *given)
        self.step(PUSH)

    def pull(self) -> None:
        """Pull a level."""
        run, shape = self.run, self.run.shape
        if self.form == PUSH:
            self.to_bitmap()
            self.form = PULL
        blocks = -(-self.words * shape.lanes // shape.group)
        given = (*self.back, self.tree, *self.bitmaps)
        run.cut("pull", blocks, self.graph.arcs, *given, self.state)
        if self.widest_back:
            if self.wide is None:
                self.wide = self.device.scratch(2 * self.back_tasks, np.int32, "tasks")
                run.each("list_wide", self.n, self.back[0], self.state, self.wide)
            tasks = self.back_tasks * shape.lanes // shape.group + 1
            run.cut("pull_wide", tasks, self.graph.arcs, *given, self.wide, self.state)
        self.bitmaps.reverse()
        self.step(PULL)

    def to_bitmap(self) -> None:
        """Copy the frontier in the queue to the first bitmap."""
        self.device.fill(self.bitmaps[0], np.uint32(0), self.words)
        blocks = -(-self.n // (self.run.shape.rows * self.run.shape.group))
        self.run.shared("to_bitmap", blocks, self.queue, self.state, self.bitmaps[0])

    def to_queue(self, bitmap: Buffer) -> None:
        """Append the vertices of a bitmap to the queue."""
        blocks = -(-self.words // self.run.shape.rows)
        self.run.shared("to_queue", blocks, bitmap, self.queue, self.state)

    def step(self, direction: int) -> None:
        """End a level."""
        self.run.once("end_level", self.state, self.tree, np.int32(direction))

    def alone(self) -> None:
        """Push levels of few arcs by one group."""
        limits = np.int32(ALONE_LEVELS), np.int32(ALONE_UP_TO_ARCS)
        self.run.once("alone", *self.ahead, self.tree, self.queue, self.state, *limits)

    def go_back(self, row: np.ndarray, logged: int, depth: int) -> None:
        """Undo the level of a row of the log, and all after it; they are in the queue."""
        hi = int(row[5]) + int(row[1])
        limits = np.int32(hi), np.int32(self.tail)
        self.run.shared(
            "take_back",
            self.run.most_groups,
            self.ahead[0],
            self.tree,
            self.queue,
            self.state,
            *limits,
        )
        self.restore(logged, depth)

    def restore(self, logged: int, depth: int) -> None:
        """Make the state that of a level which was logged."""
        self.run.once("restore", self.state, np.int32(logged), np.int32(depth))
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
        self.run.each("complete", self.n, self.tree, np.int64(self.n))
        tree = self.tree.fetch()
        return tree[: self.n], tree[self.n : 2 * self.n]


def levels_on(
    asked: DeviceLike, graph: Graph, query: Query, policy: Policy
) -> tuple[np.ndarray, np.ndarray, Run]:
    """Search in the direction that the policy chooses at every level: levels and parents."""
    device = one_device(asked)
    threads = max(1, device.threads or device.units)
    search = _Search(device, graph, query)
    walk = Walk(graph, policy, search.first, threads=threads)
    begin = last = clock()
    lines: list[tuple[object, ...]] = []
    seconds: list[float] = []
    search.begin()
    while not search.over:
        _enqueue(search, walk)
        rows = search.read()
        work = []
        for i, row in enumerate(rows):
            if i and walk.choose() != row[0]:  # it was pushed before the policy was asked
                search.go_back(row, search.seen - len(rows) + i, walk.level.depth)
                break
            level = walk.level
            check_count(device, int(row[0]), PULL)
            lines.append((NAMES[row[0]], level.vertices, level.edges, level.unvisited))
            work.append(1 + level.vertices + (level.edges if row[0] == PUSH else graph.n))
            found = Counts.of(rows[i + 1][1:5]) if i + 1 < len(rows) else search.found()
            check_count(device, found.vertices, level.unvisited)
            walk.walked(int(row[0]), found)
        now = clock()
        seconds += [(now - last) * part / sum(work) for part in work]
        last = now
    levels, parents = search.results()
    columns: dict[str, object] = (
        dict(zip(COLUMNS, zip(*lines, strict=True), strict=True))
        if lines
        else dict.fromkeys(COLUMNS, ())
    )
    columns |= {"seconds": seconds, "threads": threads}
    trace = Trace(columns, more=workload(graph, columns))
    return levels, parents, Run(clock() - begin, trace, device=device.id)


def _enqueue(search: _Search, walk: Walk) -> None:
    """Enqueue the next level, or several if the policy need not be asked between them."""
    level, times = walk.level, 1 if walk.fixed is None else LEVELS_AHEAD
    if walk.choose() == PULL:
        for _ in range(times):
            search.pull()
        return
    small = search.form == PUSH and level.edges <= ALONE_UP_TO_ARCS
    if small:
        search.alone()
    if walk.fixed == PUSH:
        for _ in range(times):  # what is left to find bounds them all
            search.push(level.vertices + level.unvisited, level.edges + level.unseen)
    elif not small:
        search.push(level.vertices, level.edges)


def measured_on(
    asked: DeviceLike, graph: Graph, query: Query, repeats: int = ORACLE_REPEATS
) -> tuple[np.ndarray, np.ndarray, np.ndarray, OpenCL]:
    """Search, and time both directions at every level, as ``kernels.bfs.oracle.both`` does on the host.

    Returns levels, parents, a row for each level (``oracle.COLUMNS``), and the device.
    """
    device = one_device(asked)
    search = _Search(device, graph, query, spare=True)
    walk = Walk(graph, policy_named("push"), search.first)
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
            best[MAPPING] = min(best[MAPPING], search.timed(search.to_bitmap))
            search.form = PULL
            taken = search.timed(search.pull)
            best[PULLING] = min(best[PULLING], taken)
            sums[PULLING] += taken
            after, front = search.bitmaps
            row = search.read()[0]
            search.to_queue(after)  # those that were found, to take them back
            search.tail += search.found().vertices
            search.go_back(row, *at)
            best[QUEUING] = min(best[QUEUING], search.timed(partial(search.to_queue, front)))
            search.restore(*at)
            search.form = PUSH
        for repeat in range(repeats if pulls else 1):
            if repeat:
                search.go_back(search.read()[0], *at)
            push = partial(search.push, level.vertices, level.edges)
            taken = search.timed(push)
            best[PUSHING] = min(best[PUSHING], taken)
            sums[PUSHING] += taken
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
