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
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np

from ..devices.opencl import OpenCL
from ..graph.graph import Graph
from ..kernels.rows.passes import over_rows
from ..kernels.runtime.launch import clock, prepare, run
from ..kernels.runtime.nouns import Rows
from ..kernels.runtime.team import SIZE
from ..kernels.similarity import edges as kernels
from ..util.errors import DeviceError, TachographWarning, TooLargeError
from .lanes_placed import Placement

__all__ = ["Job", "Lane", "Outcome", "edge_similarities"]

MOST_CHUNKS = 1024  # of the queue
CHUNK_ARCS_AT_LEAST = 2048
ORDERED_FROM_SKEW = 8.0  # how many times the mean the largest degree must be for ordering to pay
MUCH_WORK_STEPS = 64.0  # of an edge, from which on the order pays on shared cores as well
FIRST_NTH_OF_SHARE = 8  # a device first takes this part of its share, to see how fast it is
DEVICE_CHUNK_SECONDS = 0.001  # that a device's chunk should take at least
ALONE_LAUNCH_ARCS = 1 << 25  # of a launch if the device works alone, so that Ctrl-C is heard
SERIAL_BELOW_ARCS = 1 << 15  # with fewer, one worker is faster than several

Found: TypeAlias = tuple[int, int, int]  # edges of a worker, when it began and ended (nanoseconds)

#: numbers of the edges of graphs, kept as long as these
_numbers: weakref.WeakKeyDictionary[Graph, np.ndarray] = weakref.WeakKeyDictionary()


class Job(NamedTuple):
    """The similarities of all edges. ``order`` has the vertices that own edges, in the order of work
    (empty: by id), ``base`` the number of each one's first edge.
    """

    graph: Graph
    kind: int
    order: np.ndarray
    base: np.ndarray
    edges: kernels.Edges

    def arguments(
        self, cuts: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, Rows, np.ndarray, int, kernels.Edges]:
        """Return what the host's loop takes for chunks that end at these cuts."""
        return cuts, self.order, self.graph.rows, self.base, self.kind, self.edges


class Worker(Protocol):
    """What a device does with owners: see ``similarity_device``."""

    def compute(self, lo: int, hi: int) -> None:
        """Compute the edges of the owners at places ``lo:hi`` of the order."""

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

    edges: kernels.Edges
    lanes: list[Lane] = field(default_factory=list)
    seconds: float = 0.0
    failure: str | None = None


class _Queue:
    """Owners in order, cut into chunks, and who has taken which."""

    def __init__(self, graph: Graph, ordered: bool) -> None:
        most = int(max(1, min(MOST_CHUNKS, graph.arcs // CHUNK_ARCS_AT_LEAST)))
        skew = graph.features.max_degree / max(1.0, graph.features.mean_degree) if ordered else 0.0
        self.order = np.empty(0, graph.indices.dtype)
        if skew > ORDERED_FROM_SKEW:
            self.order, counts = kernels.degree_order(graph.indptr, graph.indices.dtype)
            self.cuts = kernels.class_cuts(counts, kernels.sampled_work(*graph.rows), most)
        else:
            self.cuts = kernels.arc_cuts(graph.indptr, most)
        self.control = np.zeros(SIZE, np.int64)

    @property
    def chunks(self) -> int:
        return self.cuts.size - 1

    def left(self) -> tuple[int, int]:
        """Return how many chunks are taken at the low end, and how many nobody has taken."""
        taken = int(self.control[kernels.CLAIM])
        low, high = taken % kernels.HALF, taken // kernels.HALF
        return low, max(0, self.chunks - low - high)

    def cut_at(self, graph: Graph, share: float) -> int:
        """Return the place in the order up to which vertices own this share of the edges."""
        owned = np.zeros(graph.n, np.int64)
        over_rows(kernels.count_owned, graph.indptr, graph.indices, owned)
        upto = np.cumsum(owned[self.order] if self.order.size else owned)
        return int(np.searchsorted(upto, share * (graph.arcs // 2), "left")) + 1 if share else 0

    def split(self, place: int) -> None:
        """Leave the places from ``place`` on to the device, in one piece."""
        self.cuts = np.unique(np.append(self.cuts[self.cuts < place], place))


def edge_similarities(graph: Graph, kind: int, plan: Placement) -> Outcome:
    """Compute the similarities of all edges of a simple undirected graph with sorted rows."""
    m, ids = graph.arcs // 2, graph.indices.dtype
    done = Outcome(kernels.Edges(np.empty(m, ids), np.empty(m, ids), np.empty(m)))
    begin, before = clock(), time.perf_counter()
    queue = _Queue(graph, ordered=plan.device is not None and _order_pays(graph, plan))
    base = _numbers.get(graph)
    if base is None:
        base = _numbers[graph] = kernels.edge_numbers(graph.indptr, graph.indices)
    work = _Work(Job(graph, kind, queue.order, base, done.edges), queue, done)
    if plan.device is None:
        work.host(plan.workers)
    else:
        work.both(plan, plan.device)
    done.seconds = clock() - begin
    done.lanes = [replace(x, begin=x.begin - before, end=x.end - before) for x in done.lanes]
    return done


def _order_pays(graph: Graph, plan: Placement) -> bool:
    """Return whether to order owners by degree.

    A device on the host's cores is good at the same edges, and caches like rows to stay where they
    are; but if edges are much work, a vertex of high degree must not come last.
    """
    if plan.share is not None or plan.device is None or not plan.device.found.shares_cores:
        return True
    return kernels.sampled_work(graph.indptr, graph.indices) > MUCH_WORK_STEPS


class _Work:
    """One run: the job, the queue, and the lanes."""

    def __init__(self, job: Job, queue: _Queue, done: Outcome) -> None:
        self.job, self.graph, self.queue, self.done = job, job.graph, queue, done
        self.ranges: list[tuple[int, int]] = []  # places that the device took
        self.times: list[tuple[float, float]] = []  # and when it worked on those it finished

    def host(self, threads: int) -> None:
        """Compute all of it on the host."""
        brief = self.graph.arcs < SERIAL_BELOW_ARCS
        calls = [self.job.arguments(self.queue.cuts)] * (1 if brief else threads)
        self._host_lanes(run(kernels.walk, calls, self.queue.control, brief, "similarity"))

    def _host_lanes(self, found: list[Found]) -> None:
        for edges, begin, end in found:
            self.done.lanes.append(Lane("host", begin / 1e9, end / 1e9, edges))

    def both(self, plan: Placement, device: OpenCL) -> None:
        """Share the work of host and device; the device works alone if there are no workers."""
        from .similarity_device import worker

        threads, queue = plan.workers, self.queue
        prepare(kernels.walk, (queue.control, *self.job.arguments(queue.cuts)))
        prepare(kernels.claim_high, (queue.control, 1, 1))
        try:
            made = worker(device, self.job)
        except (DeviceError, TooLargeError) as problem:
            self.host(max(1, threads))
            self._give_up(device, str(problem))
            return
        place = None
        if plan.share is not None:
            place = min(self.graph.n, queue.cut_at(self.graph, plan.share))
            queue.split(place)
        arguments = self.job.arguments(queue.cuts)

        def lane(stop: np.ndarray, me: int) -> Found | str | None:
            if me < threads:
                found: Found = kernels.walk(stop, *arguments)
                return found
            return self._device_lane(made, stop, place, plan)

        calls = [(me,) for me in range(threads + 1)]
        *found, failure = run(lane, calls, queue.control, label="similarity")
        self._host_lanes(found)
        self._device_lanes(device.id, failure is not None)
        if failure is not None:
            self._rescue(max(1, threads))
            self._give_up(device, failure)

    def _device_lane(
        self, made: Worker, stop: np.ndarray, place: int | None, plan: Placement
    ) -> str | None:
        """Do the device's part; return what went wrong, if something did."""
        try:
            if place is not None:
                self._compute(made, place, self.graph.n)
            else:
                self._take_chunks(made, stop, plan)
            made.finish(self.ranges)
        except (DeviceError, TooLargeError) as problem:
            return str(problem)
        return None

    def _take_chunks(self, made: Worker, stop: np.ndarray, plan: Placement) -> None:
        """Take chunks at the high end until both have met: a small part of the expected share, then
        half of what would be left for the device at the measured rates, and so on.
        """
        queue, begin, mine = self.queue, time.perf_counter(), 0
        want = max(1, int((1 - plan.guess) * queue.chunks / FIRST_NTH_OF_SHARE))
        pieces = 1 + self.graph.arcs // ALONE_LAUNCH_ARCS
        while not stop[0]:
            if not plan.workers:
                want = -(-queue.chunks // pieces)
            first, count = kernels.claim_high(queue.control, queue.chunks, want)
            if not count:
                return
            self._compute(made, int(queue.cuts[first]), int(queue.cuts[first + count]))
            mine += count
            low, left = queue.left()
            rate = mine / sum(end - start for start, end in self.times)
            theirs = low / (time.perf_counter() - begin)
            least = min(left, int(rate * DEVICE_CHUNK_SECONDS))
            want = max(1, int(left * rate / (rate + theirs) / 2), least)

    def _compute(self, made: Worker, lo: int, hi: int) -> None:
        if lo < hi:
            self.ranges.append((lo, hi))
            start = time.perf_counter()
            made.compute(lo, hi)
            self.times.append((start, time.perf_counter()))

    def _device_lanes(self, name: str, failed: bool) -> None:
        """Add the bars of the device. It did the edges that the host has not; they are divided among
        the bars by the number of places.
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
            calls = [self.job.arguments(these)] * threads
            self._host_lanes(run(kernels.walk, calls, control, label="similarity"))

    def _give_up(self, device: OpenCL, failure: str) -> None:
        self.done.failure = f"{device.id} was given up, the host did its part: {failure}"
        warnings.warn(self.done.failure, TachographWarning, stacklevel=6)
