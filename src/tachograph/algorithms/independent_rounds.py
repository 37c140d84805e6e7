"""Maximal independent sets in rounds of three kernels, on the host, on a device, or on both.

``kernels/independent_set/rounds.py`` explains the kernels. Here is the loop around them. The first two
can overlap: one runs on the host, one on the device. The consumer begins when all but the last
``overlap`` percent are produced, and goes through the work list behind the producer. When that has
produced all, it helps from the other end of the list.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..decisions.placement.state import Call
from ..devices.host import apart
from ..devices.memory import whole
from ..devices.opencl import OpenCL
from ..graph.graph import Graph
from ..kernels.independent_set import rounds as kernels
from ..kernels.runtime.launch import clock, run
from ..util.errors import DeviceError
from .placed import Placed, Rounds
from .result import Run

if TYPE_CHECKING:
    import pyopencl as cl

__all__ = ["in_rounds"]

SERIAL_BELOW_VERTICES = 1 << 16  # of a kernel; with fewer, the host uses one thread
# A consumer looks at an empty word, with a rest of about half a microsecond after each look, at most
# LOOKS_AT_LEAST times and a share of the vertices more, so that about as long as producing takes is
# lost; LOOKS_AT_MOST keeps that below a second.
LOOKS_AT_LEAST, LOOKS_PER_VERTEX, LOOKS_AT_MOST = 256, 1 / 256, 1 << 17
OVERLAP_FROM_WORK = 3 << 14  # below it, beginning two kernels costs more than is saved
HOST_BELOW_LEFT = 1 << 14  # vertices left waiting: the host selects fewer than these
# entries of the work list that a work-item of `compact` has: on the host's cores, and on others
ENTRIES_ON_CORES, ENTRIES_ON_LANES = 64, 4
SETTLE = "select+deactivate"  # both in one kernel, where the device runs everything
#: The arrays that each kernel writes.
WRITES = {
    "randomize": ("word",),
    "select": ("chosen",),
    "deactivate": ("state", "tally"),
    "compact": ("kept", "tally"),
    SETTLE: ("chosen", "state", "tally"),
}


KERNELS = ("randomize", "select_", "deactivate", "compact")  # of the device


class Problem(NamedTuple):
    """A graph that has every arc both ways; degrees, which give the order; how many are hot."""

    graph: Graph
    degree: np.ndarray
    key: np.uint64
    hot: int = 0  # percent


def in_rounds(
    graph: Graph, key: np.uint64, placed: Placed, overlap: int, hot: int, producer: str
) -> tuple[np.ndarray, Run]:
    """Return the final state of every vertex; see ``maximal_independent_set`` for the options."""
    both, degree = graph, graph.degrees.astype(np.int64)
    if graph.directed:
        degree = degree + graph.transpose.degrees
        both = Graph.from_edges(*graph.to_edges()[:2], n=graph.n, directed=False)
    begins: list[float] = []
    where = "host" if placed.device is None else placed.device.id

    def solve(device: OpenCL | None) -> np.ndarray:
        if device is not None and overlap and _worth_overlapping(graph.n, both.arcs):
            problem = Problem(both, degree, key, hot)
            rounds: SetRounds = Overlapped(problem, placed, device, overlap, producer)
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


class SetRounds(Rounds):
    """The state of one run."""

    program = "independent_set"

    def __init__(self, problem: Problem, placed: Placed, device: OpenCL | None) -> None:
        graph, degree, self.key, hot = problem
        n, ids = graph.n, graph.indices.dtype
        arrays = {
            "work": np.arange(n, dtype=ids),
            "kept": np.empty(n, ids),
            "degree": degree,
            "word": np.zeros(n, np.int32),
            "chosen": np.zeros(n, np.uint8),
            "state": np.full(n, kernels.ACTIVE, np.uint8),
            "tally": np.zeros(kernels.TALLY, np.int32),
            "hot": np.empty(n * hot // 100, ids),
        }
        super().__init__(placed, device, arrays)
        self.graph, self.turn = graph, 0

    def build(self, device: OpenCL) -> None:
        """Build the kernels, upload the graph, launch each kernel once for nothing."""
        part = whole(device, self.graph)
        self.rows = {"indptr": part.indptr, "indices": part.indices}
        kind = "-DID=int" if self.graph.indices.dtype == np.int32 else "-DID=long"
        self.takes = ENTRIES_ON_CORES if device.found.shares_cores else ENTRIES_ON_LANES
        self.kernels = self.built(device, kind, f"-DTAKES={self.takes}", *device.shape)
        self.arrays.there("hot")
        for name in WRITES:
            self.there(name, 0, 0)

    def built(self, device: OpenCL, *options: str) -> dict[str, cl.Kernel]:
        """Return the kernels by their names."""
        return {name: device.kernel(self.program, name, *options) for name in KERNELS}

    # -- the kernels, here and there --------------------------------------------------------------

    def host(self, name: str, lo: int, hi: int, work: str = "work") -> None:
        """Run a kernel on the entries ``lo:hi`` of the work list, or of another one."""
        a, rows = self.arrays, self.graph.rows
        workers = 1 if hi - lo < SERIAL_BELOW_VERTICES else self.threads
        (listed,) = a.host(work)
        if name == "compact":
            given = a.host("state", "degree", "kept", "tally")
            run(kernels.compact, [(hi, listed, *given)], brief=True)
        elif name == "randomize":
            (degree,) = a.host("degree")
            self.on_host(kernels.randomize, lo, hi, workers, listed, degree, self._words())
        elif name == "select":
            state, chosen = a.host("state", "chosen")
            words = self._words()
            self.on_host(kernels.select, lo, hi, workers, listed, rows, words, state, chosen)
        else:
            chosen, state = a.host("chosen", "state")
            self.on_host(kernels.deactivate, lo, hi, workers, listed, rows, chosen, state)
        a.wrote("host", *WRITES[name])

    def _words(self) -> kernels.Words:
        return kernels.Words(self.key, self.turn, *self.arrays.host("word"))

    def host_shared(self, count: int, helps: bool, patience: int) -> None:
        """Select on the host until the device is met."""
        work, state, chosen, left, tally = self.arrays.host(
            "work", "state", "chosen", "kept", "tally"
        )
        sharing = kernels.Sharing(helps, patience, left, tally)
        call = (work[:count], self.graph.rows, self._words(), state, chosen, sharing)
        workers = 1 if count < SERIAL_BELOW_VERTICES else self.threads
        run(kernels.select_shared, [call] * workers, brief=workers == 1)

    def there(self, name: str, lo: int, hi: int, work: str = "work") -> None:
        """Begin a kernel on the device."""
        assert self.device is not None
        given = {"lo": np.int64(lo), "hi": np.int64(hi), "work": self.arrays.there(work)}
        size = hi - lo
        if name == "compact":
            given["count"], size = np.int64(hi), -(-size // self.takes)
        kernel = {"select": "select_", SETTLE: "select_"}.get(name, name)
        self._launch(kernel, size, settles=np.int32(name == SETTLE), **given)
        self.arrays.wrote("device", *WRITES[name])

    def there_shared(self, count: int, helps: bool, patience: int) -> None:
        """Begin to select on the device until the host is met."""
        given = {"helps": np.int32(helps), "patience": np.int32(patience)}
        left = self.arrays.there("kept")
        self._launch("select_shared", count, count=np.int64(count), left=left, **given)
        assert self.device is not None
        self.device.flush()  # the host does not wait for it

    def _launch(self, kernel: str, size: int, **given: object) -> None:
        every = {"key": np.uint64(self.key), "turn": np.int32(self.turn), **self.rows}
        self.launch(kernel, size, **every, **given)

    # -- the loop ---------------------------------------------------------------------------------

    def run(self) -> np.ndarray:
        """Return the final state of every vertex."""
        n = self.graph.n
        count, arcs = n, self.graph.arcs
        while count:
            self.turn += 1
            call = Call("randomize", self.turn - 1, count, arcs, n)
            if self.only_there(call):
                self.launch_all(call)
            else:
                self.produce(call)
                self.step(call._replace(kernel="deactivate"), "compact")
            (tally,) = self.arrays.host("tally")
            self.advances(count - int(tally[kernels.KEPT]), count)
            count, arcs = int(tally[kernels.KEPT]), int(np.uint32(tally[kernels.KEPT_ARCS]))
            self.arrays.swap("work", "kept")
        (state,) = self.arrays.host("state")
        return np.array(state)

    def only_there(self, call: Call) -> bool:
        """Return whether the device runs all kernels of this round."""
        return self.placed.only_device

    def launch_all(self, call: Call) -> None:
        """Run a round on the device, which has everything that it needs, and wait for its end only."""
        self.placed.prepare()
        assert self.device is not None
        names = ("randomize", SETTLE, "compact")
        with self.device.timed() as seconds:
            for name in names:
                self.there(name, 0, call.vertices)
        self.placed.note(call, "device", sum(seconds[:1]))
        self.placed.note(call._replace(kernel=SETTLE), "device", sum(seconds[1:]))

    def produce(self, call: Call) -> None:
        """Run the first two kernels of a round."""
        self.step(call)
        self.step(call._replace(kernel="select"))

    def step(self, call: Call, *more: str) -> None:
        """Run a kernel where the policy wants it, and others behind it."""

        def here() -> None:
            for name in (call.kernel, *more):
                self.host(name, 0, call.vertices)

        def there() -> None:
            for name in (call.kernel, *more):
                self.there(name, 0, call.vertices)
            self.finish()

        self.placed.step(call, here, there)


class Overlapped(SetRounds):
    """Rounds whose first two kernels overlap, unless they are too small or it has not paid."""

    def __init__(
        self, problem: Problem, placed: Placed, device: OpenCL, overlap: int, producer: str
    ) -> None:
        super().__init__(problem, placed, device)
        self.threads = device.host_threads(placed.threads)
        self.workers = device.workers
        self.at_once = self.arrays.shared and device.capabilities.svm_atomics
        self.overlap, self.producer = overlap, producer
        self.hot = -1  # vertices that are produced first: not selected yet
        self.pays = True

    def build(self, device: OpenCL) -> None:
        """Build the kernels, and launch each once for nothing."""
        super().build(device)
        if self.at_once:
            self.there_shared(0, False, 0)

    def built(self, device: OpenCL, *options: str) -> dict[str, cl.Kernel]:
        """Return kernels that the host can work beside, in the newest OpenCL C there is. If they cannot
        be built, kernels run one after the other.
        """
        more = ["-DOVERLAP", *["-DHOST_CORES"] * device.found.shares_cores]
        for standard in ("-cl-std=CL3.0", "-cl-std=CL2.0"):
            if self.at_once:
                with suppress(DeviceError):
                    names = (*KERNELS, "select_shared")
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
            self.host_shared(count, True, 0)
        else:
            self.finish()
            self.there("randomize", begun, count)
            self.there_shared(count, True, 0)
            self.host_shared(count, False, patience)
        self.finish()
        polls, left = int(tally[kernels.POLLS]), int(tally[kernels.LEFT])
        select = self.host if left < HOST_BELOW_LEFT else self.there  # nobody waits any more
        select("select", 0, left, "kept")
        self.finish()
        return polls, left

    def _find_hot(self, call: Call) -> None:
        """Find the undecided vertices of high degree, in every round."""
        begin = clock()
        degree, state, hot = self.arrays.host("degree", "state", "hot")
        if self.hot < 0:
            self.hot = int(run(kernels.front, [(degree, hot)], brief=True)[0])
        else:
            self.hot = int(run(kernels.remaining, [(self.hot, hot, state)], brief=True)[0])
        found = call._replace(kernel="hot vertices", vertices=self.hot)
        self.placed.note(found, "host", clock() - begin)
