"""Similarity of all edges by the host, a device, or both from the two ends of one queue.

The host takes chunks at one end, that of low degrees if there is an order, the device at the other,
until they meet (``kernels/similarity/edges.py`` has the queue). A wrong prediction of the split thus
costs at most the chunks that the device works on when the host is done. The first is a small part of
its predicted share, the next ones are twice as large each, and they get smaller towards the end. With a
list of edges (``kernels/similarity/listed.py``), a fixed share is a mask over it. If the device fails,
the host does its part.
"""

from __future__ import annotations

import itertools
import time
import warnings
import weakref
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from ..devices.host import apart
from ..devices.opencl import OpenCL
from ..graph.graph import Graph
from ..kernels.runtime.launch import clock, prepare, run
from ..kernels.runtime.team import SIZE
from ..kernels.similarity import edges as kernels
from ..kernels.similarity import listed
from ..util.cores import threads_available
from ..util.errors import DeviceError, TachographWarning, TooLargeError
from ..util.progress import watcher
from .result import Run, Trace
from .similarity_device import Job, Worker
from .similarity_listed import Listed

if TYPE_CHECKING:
    from .similarity_request import Placement

__all__ = ["edge_similarities", "listed_similarities"]

MOST_CHUNKS = 1024  # of the queue
CHUNK_ARCS_AT_LEAST = 2048
ORDERED_FROM_SKEW = 8.0  # how many times the mean the largest degree must be for ordering to pay
MUCH_WORK_STEPS = 64.0  # of an edge, from which on the order pays on shared cores as well
FIRST_NTH_OF_SHARE = 64  # a device first takes this part of its share, to see how fast it is
DEVICE_CHUNK_SECONDS = 0.001  # that a device's chunk should take at least
ALONE_LAUNCH_ARCS = 1 << 25  # of a launch if the device works alone or on a fixed share: seconds
SERIAL_BELOW_ARCS = 1 << 15  # with fewer, one worker is faster than several

Found: TypeAlias = tuple[int, int, int]  # edges of a worker, when it began and ended (nanoseconds)

#: numbers of the edges of graphs, kept as long as these
_numbers: weakref.WeakKeyDictionary[Graph, np.ndarray] = weakref.WeakKeyDictionary()


class Lane(NamedTuple):
    """One bar of the time-line: who worked from when on and how long, and on how many edges."""

    phase: str
    begin: float
    seconds: float
    edges: int


class _Queue:
    """Places of an order, cut into chunks, and who has taken which."""

    def __init__(self, cuts: np.ndarray) -> None:
        self.cuts = cuts
        self.control = np.zeros(SIZE, np.int64)

    @property
    def chunks(self) -> int:
        return self.cuts.size - 1


def in_order(graph: Graph, plan: Placement) -> tuple[np.ndarray, np.ndarray]:
    """Return the owners in the order of work (nothing: by id), and where chunks of it end.

    Owners are ordered by degree, approximately, if the host has a fixed share or if that pays.
    """
    most = int(max(1, min(MOST_CHUNKS, graph.arcs // CHUNK_ARCS_AT_LEAST)))
    if plan.device is not None and (plan.share is not None or _order_pays(graph, plan.device)):
        order, counts = kernels.degree_order(graph.indptr, graph.indices.dtype)
        return order, kernels.class_cuts(counts, kernels.sampled_work(*graph.rows), most)
    return np.empty(0, graph.indices.dtype), kernels.arc_cuts(graph.indptr, most)


def _order_pays(graph: Graph, device: OpenCL) -> bool:
    """Return whether to order owners by degree although nobody has asked for it.

    That takes degrees that differ. A device on the host's cores is good at the same edges, and caches
    like rows to stay where they are; but if edges are much work, a vertex of high degree must not come
    last.
    """
    if graph.features.max_degree <= ORDERED_FROM_SKEW * max(1.0, graph.features.mean_degree):
        return False
    if not device.found.shares_cores:
        return True
    return kernels.sampled_work(graph.indptr, graph.indices) > MUCH_WORK_STEPS


def edge_similarities(graph: Graph, kind: int, plan: Placement) -> tuple[kernels.Edges, float, Run]:
    """Return the similarities of all edges of a simple undirected graph with sorted rows, and the
    host's share.
    """
    edges = _room(graph.arcs // 2, graph)
    begin = clock()
    order, cuts = in_order(graph, plan)
    return _computed(Job(graph, kind, order, _base(graph), edges), cuts, plan, begin)


def listed_similarities(
    graph: Graph, kind: int, plan: Placement
) -> tuple[kernels.Edges, float, Run]:
    """Return the same from a list of the edges, or of a directed graph's arcs, each looked at alone."""
    edges = _room(graph.arcs if graph.directed else graph.arcs // 2, graph)
    m = edges.values.size
    begin = clock()
    base = np.empty(0, np.int32) if graph.directed else _base(graph)
    listed.list_edges(graph.indptr, graph.indices, base, edges)
    mask = np.empty(0, np.uint8)
    if plan.share is not None:
        mask = listed.mask_of(graph.indptr, edges, plan.share)
    chunks = int(max(1, min(MOST_CHUNKS, graph.arcs // CHUNK_ARCS_AT_LEAST)))
    cuts = np.unique(np.linspace(0, m, chunks + 1).astype(np.int64))
    return _computed(Listed(graph, kind, mask, edges), cuts, plan, begin)


def _room(m: int, graph: Graph) -> kernels.Edges:
    ids = graph.indices.dtype
    return kernels.Edges(np.empty(m, ids), np.empty(m, ids), np.empty(m))


def _base(graph: Graph) -> np.ndarray:
    """Return the numbers of the edges of an undirected graph."""
    base = _numbers.get(graph)
    if base is None:
        base = _numbers[graph] = kernels.edge_numbers(graph.indptr, graph.indices)
    return base


def _computed(
    job: Job | Listed, cuts: np.ndarray, plan: Placement, begin: float
) -> tuple[kernels.Edges, float, Run]:
    """Do the job, in chunks that end at ``cuts``."""
    work = _Work(job, _Queue(cuts), plan)
    if plan.device is None:
        work.host(plan.workers)
    else:
        work.both(plan.device)
    seconds = clock() - begin
    first = min((lane.begin for lane in work.lanes), default=0.0)  # loops may be compiled before
    lanes = [lane._replace(begin=lane.begin - first) for lane in work.lanes]
    trace = Trace({name: [getattr(lane, name) for lane in lanes] for name in Lane._fields})
    host = sum(lane.edges for lane in lanes if lane.phase == "host")
    run = Run(seconds, trace, reason=work.failure or plan.reason, device=plan.id)
    m = job.edges.values.size
    return job.edges, host / m if m else 1.0, run


class _Work:
    """One run: the job, the queue, and the lanes."""

    def __init__(self, job: Job | Listed, queue: _Queue, plan: Placement) -> None:
        self.job, self.graph, self.queue, self.plan = job, job.graph, queue, plan
        self.lanes: list[Lane] = []
        self.seen = watcher.get()  # the device's lane is another thread
        self.failure = ""
        self.ranges: list[tuple[int, int]] = []  # places that the device took
        self.times: list[tuple[float, float]] = []  # and when it worked on those it finished

    def host(self, threads: int) -> None:
        """Compute all of it on the host."""
        brief = self.graph.arcs < SERIAL_BELOW_ARCS
        calls = [self.job.arguments(self.queue.cuts)] * (1 if brief else threads)
        self._host_lanes(run(self.job.walk, calls, self.queue.control, brief, "similarity"))

    def _host_lanes(self, found: list[Found]) -> None:
        rows = ((begin / 1e9, (end - begin) / 1e9, edges) for edges, begin, end in found)
        self.lanes += [Lane("host", *row) for row in rows]

    def both(self, device: OpenCL) -> None:
        """Share the work of host and device; the device works alone if there are no workers."""
        threads, queue, plan = self.plan.workers, self.queue, self.plan
        prepare(self.job.walk, (queue.control, *self.job.arguments(queue.cuts)))
        prepare(kernels.claim_high, (queue.control, 1, 1))
        problem = ""
        try:
            made = self.job.worker(device, 1 if threads else threads_available())
        except (DeviceError, TooLargeError) as failed:
            problem = str(failed)
        if problem:  # what was taken of the device's memory is free again
            self.job = self.job.without_device()
            self.host(max(1, threads))
            self._give_up(device, problem)
            return
        theirs = None
        if plan.share is not None:
            queue.cuts, theirs = self.job.fixed(queue.cuts, plan.share)
        arguments = self.job.arguments(queue.cuts)

        def lane(stop: np.ndarray, me: int) -> Found | str | None:
            if me < threads:
                found: Found = self.job.walk(stop, *arguments)
                return found
            return self._device_lane(made, stop, theirs)

        calls = [(me,) for me in range(threads + 1)]
        with apart(device.workers if threads else ()):
            *found, failure = run(lane, calls, queue.control, label="similarity")
        self._host_lanes(found)
        self._device_lanes(device.id, failure is not None)
        if failure is not None:
            self._rescue(max(1, threads))
            self._give_up(device, failure)

    @property
    def _launches(self) -> int:
        """Into how many launches a device's work is cut that is known from the beginning."""
        return 1 + self.graph.arcs // ALONE_LAUNCH_ARCS

    def _device_lane(
        self, made: Worker, stop: np.ndarray, theirs: tuple[int, int] | None
    ) -> str | None:
        """Do the device's part; return what went wrong, if something did."""
        try:
            if theirs is not None:
                for lo, hi in itertools.pairwise(
                    np.linspace(*theirs, self._launches + 1, dtype=int)
                ):
                    self._compute(made, int(lo), int(hi))
            else:
                self._take_chunks(made, stop)
            made.finish()
            if self.times:
                self.times[-1] = (self.times[-1][0], time.perf_counter())
        except (DeviceError, TooLargeError) as problem:
            return str(problem)
        return None

    def _take_chunks(self, made: Worker, stop: np.ndarray) -> None:
        """Take chunks at the high end until both have met: a small part of the expected share, then
        twice as much each time, but no more than half of what would be left for the device at the
        measured rates. The last one is under way while the next is taken.
        """
        queue, begin, taken = self.queue, time.perf_counter(), [0]
        want = max(1, int((1 - self.plan.guess) * queue.chunks / FIRST_NTH_OF_SHARE))
        while not stop[0]:
            if not self.plan.workers:
                want = -(-queue.chunks // self._launches)
            first, count = kernels.claim_high(queue.control, queue.chunks, want)
            if not count:
                return
            self._compute(made, int(queue.cuts[first]), int(queue.cuts[first + count]))
            taken.append(count)
            high, low = divmod(int(queue.control[kernels.CLAIM]), kernels.HALF)
            left = max(0, queue.chunks - low - high)
            passed = time.perf_counter() - begin
            rate, theirs = sum(taken[:-1]) / passed, low / passed
            least = min(left, int(rate * DEVICE_CHUNK_SECONDS))
            half = int(left * rate / (rate + theirs) / 2) if rate else 2 * want
            want = max(1, min(2 * want, half), least)

    def _compute(self, made: Worker, lo: int, hi: int) -> None:
        if lo < hi:
            self.ranges.append((lo, hi))
            start = time.perf_counter()
            made.compute(lo, hi)
            self.times.append((start, time.perf_counter()))
            if self.seen is not None:
                self.seen.row({"device": "device", "seconds": self.times[-1][1] - start})

    def _device_lanes(self, name: str, failed: bool) -> None:
        """Add the bars of the device. It did the edges that the host has not; they are divided among
        the bars by the number of places.
        """
        every = int(self.job.edges.values.size)
        rest = 0 if failed else every - sum(lane.edges for lane in self.lanes)
        ends = np.cumsum([0, *(hi - lo for lo, hi in self.ranges[: len(self.times)])])
        edges = np.diff(ends * rest // max(1, int(ends[-1])))
        for (begin, end), count in zip(self.times, edges.tolist(), strict=True):
            self.lanes.append(Lane(name, begin, end - begin, count))

    def _rescue(self, threads: int) -> None:
        """Let the host take what nobody has taken, and what the device has taken."""
        cuts = self.queue.cuts
        todo = [(self.job, cuts, self.queue.control)]
        for lo, hi in self.ranges:
            inner = cuts[(cuts > lo) & (cuts < hi)]
            these = np.array([lo, *inner, hi], np.int64)
            todo.append((self.job.devices_part(), these, np.zeros(SIZE, np.int64)))
        for job, these, control in todo:
            calls = [job.arguments(these)] * threads
            self._host_lanes(run(job.walk, calls, control, label="similarity"))

    def _give_up(self, device: OpenCL, failure: str) -> None:
        self.failure = f"{device.id} was given up, the host did its part: {failure}"
        warnings.warn(self.failure, TachographWarning, stacklevel=6)
