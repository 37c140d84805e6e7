"""Similarity of all edges by the host, a device, or both from the two ends of one queue.

The host takes chunks at one end, that of low degrees if there is an order, the device at the other,
until they meet (``kernels/similarity/edges.py`` has the queue). A wrong prediction of the split thus
costs no more than the device's last chunk, and chunks get smaller towards the end. If the device fails,
the host does its part.
"""

from __future__ import annotations

import time
import warnings
import weakref
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from ..devices.opencl import OpenCL
from ..graph.graph import Graph
from ..kernels.rows.passes import over_rows
from ..kernels.runtime.launch import clock, prepare, run
from ..kernels.runtime.team import SIZE
from ..kernels.similarity import edges as kernels
from ..util.errors import DeviceError, TachographWarning, TooLargeError
from .lanes_placed import Placement

__all__ = ["Lane", "Outcome", "edge_similarities"]

CHUNKS = 1024  # of the queue, at most
LEAST = 2048  # arcs of a chunk, at least
STEEP = 8.0  # how many times the mean the largest degree must be for ordering to pay
MUCH = 64.0  # steps of an edge that are much work
FIRST = 8  # part of the expected share that a device takes first, to see how fast it is
BRIEF = 0.001  # seconds that a device's chunk should take at least
PIECE = 1 << 25  # arcs of a launch if the device works alone
SMALL = 1 << 15  # arcs below which one worker is faster than several


#: numbers of the edges of graphs, kept as long as these
_numbers: weakref.WeakKeyDictionary[Graph, np.ndarray] = weakref.WeakKeyDictionary()


class Worker(Protocol):
    """What a device does with owners: see ``similarity_device``."""

    def compute(self, lo: int, hi: int) -> None:
        """The edges of the owners at places ``lo:hi`` of the order."""

    def finish(self, ranges: list[tuple[int, int]]) -> None:
        """Bring back what was computed for these places."""


@dataclass(frozen=True)
class Lane:
    """One bar of the time-line: who worked from when to when, and on how many edges."""

    name: str
    begin: float
    end: float
    edges: int


@dataclass
class Outcome:
    """What was computed, and by whom."""

    source: np.ndarray
    target: np.ndarray
    values: np.ndarray
    lanes: list[Lane] = field(default_factory=list)
    seconds: float = 0.0
    failure: str | None = None


class _Queue:
    """Owners in order, cut into chunks, and who has taken which."""

    def __init__(self, graph: Graph, ordered: bool) -> None:
        rows = graph.indptr, graph.indices
        most = int(max(1, min(CHUNKS, graph.arcs // LEAST)))
        self.order = np.empty(0, graph.indices.dtype)
        if ordered and graph.features.max_degree > STEEP * max(1.0, graph.features.mean_degree):
            self.order, counts = kernels.degree_order(graph.indptr, graph.indices.dtype)
            self.cuts = kernels.class_cuts(counts, kernels.sampled_work(*rows), most)
        else:
            self.cuts = kernels.arc_cuts(graph.indptr, most)
        self.control = np.zeros(SIZE, np.int64)

    @property
    def chunks(self) -> int:
        return self.cuts.size - 1

    def left(self) -> tuple[int, int]:
        """Chunks taken at the low end, and those that nobody has taken."""
        taken = int(self.control[kernels.CLAIM])
        low, high = taken % kernels.HALF, taken // kernels.HALF
        return low, max(0, self.chunks - low - high)

    def cut_at(self, graph: Graph, share: float) -> int:
        """The place of the order up to which vertices own this share of the edges."""
        owned = np.zeros(graph.n, np.int64)
        over_rows(kernels.count_owned, graph.indptr, graph.indices, owned)
        upto = np.cumsum(owned[self.order] if self.order.size else owned)
        return int(np.searchsorted(upto, share * (graph.arcs // 2), "left")) + 1 if share else 0

    def split(self, place: int) -> None:
        """Leave the places from ``place`` on to the device, in one piece."""
        self.cuts = np.unique(np.append(self.cuts[self.cuts < place], place))


def edge_similarities(graph: Graph, kind: int, plan: Placement) -> Outcome:
    """Similarities of the ends of all edges of a simple undirected graph with sorted rows."""
    m, ids = graph.arcs // 2, graph.indices.dtype
    done = Outcome(np.empty(m, ids), np.empty(m, ids), np.empty(m))
    begin, before = clock(), time.perf_counter()
    queue = _Queue(graph, ordered=plan.device is not None and _order_pays(graph, plan))
    base = _numbers.get(graph)
    if base is None:
        base = _numbers[graph] = kernels.edge_numbers(graph.indptr, graph.indices)
    work = _Work(graph, kind, queue, base, done)
    if plan.device is None:
        work.host(plan.workers)
    else:
        work.both(plan.workers, plan.device, plan.share, plan.guess)
    done.seconds = clock() - begin
    done.lanes = [_since(lane, before) for lane in done.lanes]
    return done


def _order_pays(graph: Graph, plan: Placement) -> bool:
    """Whether to order owners by degree. A device on the host's cores is good at the same edges, and
    caches like rows to stay where they are; but if edges are much work, a vertex of high degree must
    not come last.
    """
    if plan.share is not None or plan.device is None or not plan.device.found.shares_cores:
        return True
    return kernels.sampled_work(graph.indptr, graph.indices) > MUCH


def _since(lane: Lane, before: float) -> Lane:
    return Lane(lane.name, lane.begin - before, lane.end - before, lane.edges)


class _Work:
    """One run: arrays, the queue, and the lanes."""

    def __init__(
        self, graph: Graph, kind: int, queue: _Queue, base: np.ndarray, done: Outcome
    ) -> None:
        self.graph, self.kind, self.queue, self.base, self.done = graph, kind, queue, base, done
        self.ranges: list[tuple[int, int]] = []  # places that the device took
        self.times: list[tuple[float, float]] = []  # and when it worked on those it finished

    def _arguments(self, cuts: np.ndarray) -> tuple[Any, ...]:
        done, rows = self.done, self.graph.rows
        edges = kernels.Edges(done.source, done.target, done.values)
        return cuts, self.queue.order, rows, self.base, self.kind, edges

    def host(self, threads: int) -> None:
        """All of it on the host."""
        brief = self.graph.arcs < SMALL
        workers = 1 if brief else threads
        calls = [self._arguments(self.queue.cuts)] * workers
        found = run(kernels.walk, calls, self.queue.control, brief, "similarity")
        self._host_lanes(found)

    def _host_lanes(self, found: list[Any]) -> None:
        for edges, begin, end in found:
            self.done.lanes.append(Lane("host", begin / 1e9, end / 1e9, edges))

    def both(self, threads: int, device: OpenCL, share: float | None, guess: float) -> None:
        """Host and device, or the device alone if ``threads`` is 0."""
        from .similarity_device import worker

        prepare(kernels.walk, (self.queue.control, *self._arguments(self.queue.cuts)))
        prepare(kernels.claim_high, (self.queue.control, 1, 1))
        try:
            made = worker(device, self.graph, self.kind, self.queue.order, self.base, self.done)
        except (DeviceError, TooLargeError) as problem:
            self.host(max(1, threads))
            self._give_up(device, str(problem))
            return
        place = None if share is None else min(self.graph.n, self.queue.cut_at(self.graph, share))
        if place is not None:
            self.queue.split(place)
        arguments = self._arguments(self.queue.cuts)

        def lane(stop: np.ndarray, me: int) -> Any:
            if me < threads:
                return kernels.walk(stop, *arguments)
            return self._device_lane(made, stop, place, guess, alone=not threads)

        calls = [(me,) for me in range(threads + 1)]
        *found, failure = run(lane, calls, self.queue.control, label="similarity")
        self._host_lanes(found)
        self._device_lanes(device.id, failure is not None)
        if failure is not None:
            self._rescue(max(1, threads))
            self._give_up(device, failure)

    def _device_lane(
        self, made: Worker, stop: np.ndarray, place: int | None, guess: float, alone: bool
    ) -> str | None:
        """The device's part; what went wrong, if something did."""
        try:
            if place is not None:
                self._compute(made, place, self.graph.n)
            else:
                self._take_chunks(made, stop, guess, alone)
            made.finish(self.ranges)
        except (DeviceError, TooLargeError) as problem:
            return str(problem)
        return None

    def _take_chunks(self, made: Worker, stop: np.ndarray, guess: float, alone: bool) -> None:
        """Take chunks at the high end until both have met: a small part of the expected share, then
        half of what would be left for the device at the measured rates, and so on.
        """
        queue, begin, mine = self.queue, time.perf_counter(), 0
        want = max(1, int((1 - guess) * queue.chunks / FIRST))
        pieces = 1 + self.graph.arcs // PIECE  # of a device alone, so that Ctrl-C is heard
        while not stop[0]:
            if alone:
                want = -(-queue.chunks // pieces)
            first, count = kernels.claim_high(queue.control, queue.chunks, want)
            if not count:
                return
            self._compute(made, int(queue.cuts[first]), int(queue.cuts[first + count]))
            mine += count
            low, left = queue.left()
            rate = mine / sum(end - start for start, end in self.times)
            theirs = low / (time.perf_counter() - begin)
            want = max(1, int(left * rate / (rate + theirs) / 2), min(left, int(rate * BRIEF)))

    def _compute(self, made: Worker, lo: int, hi: int) -> None:
        if lo < hi:
            self.ranges.append((lo, hi))
            start = time.perf_counter()
            made.compute(lo, hi)
            self.times.append((start, time.perf_counter()))

    def _device_lanes(self, name: str, failed: bool) -> None:
        """Bars of the device. It did the edges that the host has not; each bar is said to have those
        that its places would have on average.
        """
        rest = 0 if failed else self.graph.arcs // 2 - sum(x.edges for x in self.done.lanes)
        ends = np.cumsum([0, *(hi - lo for lo, hi in self.ranges[: len(self.times)])])
        edges = np.diff(ends * rest // max(1, int(ends[-1])))
        for (begin, end), count in zip(self.times, edges.tolist(), strict=True):
            self.done.lanes.append(Lane(name, begin, end, count))

    def _rescue(self, threads: int) -> None:
        """Let the host take what nobody has taken, and what the device has taken."""
        cuts = self.queue.cuts
        todo = [(cuts, self.queue.control)]
        for lo, hi in self.ranges:
            inner = cuts[(cuts > lo) & (cuts < hi)]
            todo.append((np.array([lo, *inner, hi], np.int64), np.zeros(SIZE, np.int64)))
        for these, control in todo:
            calls = [self._arguments(these)] * threads
            self._host_lanes(run(kernels.walk, calls, control, label="similarity"))

    def _give_up(self, device: OpenCL, failure: str) -> None:
        self.done.failure = f"{device.id} was given up, the host did its part: {failure}"
        warnings.warn(self.done.failure, TachographWarning, stacklevel=6)
