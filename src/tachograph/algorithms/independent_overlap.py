"""Maximal independent sets whose first two kernels overlap: one runs on the host, one on the device.

The consumer begins when all but the last ``overlap`` percent are produced, and goes through the work
list behind the producer. When that has produced all, it helps from the other end of the list, unless it
is told not to. ``kernels/independent_set/rounds.py`` explains how they wait for each other.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..decisions.placement.state import Call
from ..devices.host import apart
from ..devices.opencl import OpenCL, check_count
from ..graph.graph import Graph
from ..kernels.independent_set import rounds as kernels
from ..kernels.runtime.launch import clock, run
from ..util.errors import DeviceError
from .independent_on_device import decided_on
from .independent_rounds import KERNELS, Problem, SetRounds
from .placed import Placed
from .result import Run

if TYPE_CHECKING:
    import pyopencl as cl

__all__ = ["Overlap", "in_rounds"]

# A consumer looks at an empty word, with a rest of about half a microsecond after each look, at most
# LOOKS_AT_LEAST times and a share of the vertices more, so that about as long as producing takes is
# lost; LOOKS_AT_MOST keeps that below a second.
LOOKS_AT_LEAST, LOOKS_PER_VERTEX, LOOKS_AT_MOST = 256, 1 / 256, 1 << 17
OVERLAP_FROM_WORK = 3 << 14  # below it, beginning two kernels costs more than is saved
HOST_BELOW_LEFT = 1 << 14  # vertices left waiting: the host selects fewer than these
GROUPS_PER_UNIT = 8  # of the device, that look for hot vertices
HOT = ("count_bits", "take_hot")  # the kernels that find them


class Overlap(NamedTuple):
    """How the first two kernels overlap; see ``maximal_independent_set`` for each."""

    percent: int = 0
    hot: int = 0
    producer: str = "host"
    helping: bool = True


def in_rounds(
    graph: Graph, key: np.uint64, placed: Placed, overlap: Overlap
) -> tuple[np.ndarray, Run]:
    """Return the final state of every vertex; see ``maximal_independent_set`` for the options."""
    both, total = graph, None
    if graph.directed:
        total = graph.degrees.astype(np.int64) + graph.transpose.degrees
        both = Graph.from_edges(*graph.to_edges()[:2], n=graph.n, directed=False)
    begins: list[float] = []
    where = "host" if placed.device is None else placed.device.id

    def solve(device: OpenCL | None) -> np.ndarray:
        overlaps = overlap.percent and _worth_overlapping(graph.n, both.arcs)
        if (
            device is not None
            and placed.only_device
            and not overlaps
            and both.indices.itemsize == 4
        ):
            begins.append(clock())
            return decided_on(device, both, total, key, placed)
        degree = graph.degrees.astype(np.int64) if total is None else total
        if device is not None and overlaps:
            problem = Problem(both, degree, key, overlap.hot)
            rounds: SetRounds = Overlapped(problem, placed, device, overlap)
            rounds.ready()
        else:
            rounds = SetRounds(Problem(both, degree, key), placed, device)
        begins.append(clock())
        return rounds.run()

    state = placed.attempt(solve)
    seconds = clock() - begins[0] - placed.preparing
    return state, Run(seconds, placed.trace, device=where)


def _worth_overlapping(vertices: int, arcs: int) -> bool:
    """Return whether a round is large enough; most vertices look at few of their arcs."""
    return vertices + arcs // 16 >= OVERLAP_FROM_WORK


class Overlapped(SetRounds):
    """Rounds whose first two kernels overlap, unless they are too small or it has not paid."""

    def __init__(self, problem: Problem, placed: Placed, device: OpenCL, overlap: Overlap) -> None:
        super().__init__(problem, placed, device)
        self.threads = device.host_threads(placed.threads)
        self.workers = device.workers
        self.at_once = self.arrays.shared and device.capabilities.svm_atomics
        self.overlap, _, self.producer, self.helping = overlap
        self.hot = -1  # vertices that are produced first: not selected yet
        self.pays = True

    def build(self, device: OpenCL) -> None:
        """Build the kernels, and launch each once for nothing."""
        super().build(device)
        if self.at_once:
            self.there_shared(0, False, 0)
            if self.arrays.host("hot")[0].size:
                for name in ("hot", "classes"):
                    self.arrays.there(name)  # from now on the host's as well
                self._sorted()

    def built(self, device: OpenCL, *options: str) -> dict[str, cl.Kernel]:
        """Return kernels that the host can work beside, in the newest OpenCL C there is. If they cannot
        be built, kernels run one after the other.
        """
        more = ["-DOVERLAP", *["-DHOST_CORES"] * device.found.shares_cores]
        for standard in ("-cl-std=CL3.0", "-cl-std=CL2.0"):
            if self.at_once:
                with suppress(DeviceError):
                    names = (*KERNELS, "select_shared", *HOT)
                    every = (*options, *more, standard)
                    return {name: device.kernel(self.program, name, *every) for name in names}
        self.at_once = False
        return super().built(device, *options)

    def only_there(self, call: Call) -> bool:
        """Return whether the device runs all kernels of this round, and the host none."""
        return super().only_there(call) and not self._overlaps(call)

    def _overlaps(self, call: Call) -> bool:
        return self.pays and _worth_overlapping(call.vertices, call.arcs)

    def produce(self, call: Call) -> None:
        """Run the first two kernels of a round, at once if that is possible and worth it."""
        if not self._overlaps(call):
            super().produce(call)
            return
        if self.at_once and self.arrays.host("hot")[0].size:
            self._find_hot(call)
        begin, polls = clock(), 0
        if self.at_once:
            with apart(self.workers):  # only as long: others begin sooner where they ended
                polls, left = self._at_once(call.vertices)
            note = f"{left} vertices were left waiting and selected afterwards" if left else ""
            if 2 * left > call.vertices:  # producer and consumer do not run at the same time
                self.pays = False
                note += "; from now on one kernel after the other"
        else:
            self._in_turns(call.vertices)
            note = "bulk-synchronous: host and device share no atomic memory"
        both = call._replace(kernel="randomize+select")
        places = "host+device" if self.producer == "host" else "device+host"
        self.placed.note(both, places, clock() - begin, polls=polls, note=note)

    def _in_turns(self, count: int) -> None:
        here, there = self.host, self.there
        produce, consume = (here, there) if self.producer == "host" else (there, here)
        for work, name in ((produce, "randomize"), (consume, "select")):
            work(name, 0, count)
            self.finish()

    def _at_once(self, count: int) -> tuple[int, int]:
        """Return how often the consumer looked at empty words, and how many vertices it left."""
        begun = count * (100 - self.overlap) // 100
        patience = min(LOOKS_AT_LEAST + int(LOOKS_PER_VERTEX * count), LOOKS_AT_MOST)
        (tally,) = self.arrays.host("tally")
        tally[:] = 0
        tally[kernels.REAR] = count
        produce = self.host if self.producer == "host" else self.there
        if self.hot > 0:
            produce("randomize", 0, self.hot, "hot")
        produce("randomize", 0, begun)
        if self.producer == "host":
            self.there_shared(count, False, patience)
            self.host("randomize", begun, count)
            if self.helping:
                self.host_shared(count, True, 0)
        else:
            self.finish()
            self.there("randomize", begun, count)
            if self.helping:
                self.there_shared(count, True, 0)
            else:
                self.device_begins()
            self.host_shared(count, False, patience)
        self.finish()
        polls, left = int(tally[kernels.POLLS]), int(tally[kernels.LEFT])
        select = self.host if left < HOST_BELOW_LEFT else self.there  # nobody waits any more
        select("select", 0, left, "kept")
        self.finish()
        return polls, left

    def _find_hot(self, call: Call) -> None:
        """Find the undecided vertices of high degree, in every round: at first on the device, by an
        approximate sort; later those that are left.
        """
        begin, place = clock(), "host"
        state, hot = self.arrays.host("state", "hot")
        if self.hot < 0:
            place, self.hot = "device", self._sorted()
        else:
            self.hot = int(run(kernels.remaining, [(self.hot, hot, state)], brief=True)[0])
        found = call._replace(kernel="hot vertices", vertices=self.hot)
        self.placed.note(found, place, clock() - begin)

    def _sorted(self) -> int:
        """Let the device find exactly as many vertices as there is room for, none of which has fewer
        bits in its degree than one that is not among them.
        """
        room = self.arrays.host("hot")[0].size
        bits = self._classes()
        above = np.cumsum(bits[::-1])[::-1]  # vertices of so many bits or more
        bound = int(np.flatnonzero(above >= room)[-1])
        self._take_hot(bound, int(above[bound] - bits[bound]))
        return int(room)

    def _classes(self) -> np.ndarray:
        """Return how many vertices have degrees of 0, 1, 2, ... bits."""
        (classes,) = self.arrays.host("classes")
        classes[:] = 0
        self._launch_hot("count_bits")
        found = classes[: kernels.DEGREE_BITS].astype(np.int64)
        check_count(self.device, int(found.sum()), self.graph.n, least=self.graph.n)
        return found

    def _take_hot(self, bound: int, above: int) -> None:
        room = np.int32(self.arrays.host("hot")[0].size)
        self._launch_hot("take_hot", bound=np.int32(bound), above=np.int32(above), room=room)

    def _launch_hot(self, kernel: str, **given: object) -> None:
        device, n = self.device, self.graph.n
        assert device is not None
        size = min(n, GROUPS_PER_UNIT * device.units * self.group)
        self._launch(kernel, size, count=np.int64(n), **given)
        self.finish()
