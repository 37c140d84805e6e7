"""Maximal independent sets in rounds of three kernels, each on the host or on a device.

``kernels/independent_set/rounds.py`` explains the kernels. Here is the loop around them;
``independent_overlap.py`` lets the first two run at the same time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..decisions.placement.state import Call
from ..devices.memory import whole
from ..devices.opencl import OpenCL
from ..graph.graph import Graph
from ..kernels.independent_set import rounds as kernels
from ..kernels.runtime.launch import run
from .placed import Placed, Rounds

if TYPE_CHECKING:
    import pyopencl as cl

__all__ = ["KERNELS", "Problem", "SetRounds"]

SERIAL_BELOW_VERTICES = 1 << 16  # of a kernel; with fewer, the host uses one thread
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


#: How the device's kernels are called, if otherwise.
LAUNCHED = {"select": "select_", SETTLE: "select_"}
KERNELS = ("randomize", "select_", "deactivate", "compact")  # of the device


class Problem(NamedTuple):
    """A graph that has every arc both ways; degrees, which give the order; how many are hot."""

    graph: Graph
    degree: np.ndarray
    key: np.uint64
    hot: int = 0  # percent


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
            "hot": np.zeros(n * hot // 100, ids),
            "classes": np.zeros(kernels.DEGREE_BITS + 2, np.int32),
        }
        super().__init__(placed, device, arrays)
        self.graph, self.turn = graph, 0

    def build(self, device: OpenCL) -> None:
        """Build the kernels, upload the graph, launch each kernel once for nothing."""
        part = whole(device, self.graph)
        self.rows = {"indptr": part.indptr, "indices": part.indices}
        kind = "-DID=int" if self.graph.indices.dtype == np.int32 else "-DID=long"
        self.takes = ENTRIES_ON_CORES if device.found.shares_cores else ENTRIES_ON_LANES
        options = (kind, f"-DTAKES={self.takes}", f"-DOFFSET={part.offset}")
        self.fit(device, lambda: self.built(device, *options, *device.shape))
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
        kernel = LAUNCHED.get(name, name)
        self._launch(kernel, size, settles=np.int32(name == SETTLE), **given)
        self.arrays.wrote("device", *WRITES[name])

    def there_shared(self, count: int, helps: bool, patience: int) -> None:
        """Begin to select on the device until the host is met."""
        given = {"helps": np.int32(helps), "patience": np.int32(patience)}
        left = self.arrays.there("kept")
        self._launch("select_shared", count, count=np.int64(count), left=left, **given)
        self.device_begins()  # the host does not wait for it

    def device_begins(self) -> None:
        """See to it that the device begins with what was launched."""
        assert self.device is not None
        self.device.flush()

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
        launched = (LAUNCHED.get(name, name) for name in (call.kernel, *more))
        call = call._replace(moves=self.moves(*launched))

        def here() -> None:
            for name in (call.kernel, *more):
                self.host(name, 0, call.vertices)

        def there() -> None:
            for name in (call.kernel, *more):
                self.there(name, 0, call.vertices)
            self.finish()

        self.placed.step(call, here, there)
