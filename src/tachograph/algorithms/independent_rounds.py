"""Maximal independent sets in rounds of three kernels, on the host, on a device, or on both.

``kernels/independent_set/rounds.py`` explains the kernels. Here is the loop around them: placement and
the work list. ``independent_overlap`` runs the first two at the same time.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

from ..decisions.placement.state import Call
from ..devices.common import Common
from ..devices.opencl import GROUP, OpenCL
from ..devices.residency import resident
from ..graph.graph import Graph
from ..util.errors import DeviceError, TooLargeError
from .placed import Placed, run_in_parts

if TYPE_CHECKING:
    import pyopencl as cl

__all__ = ["Overlapped", "Rounds"]

SERIAL_BELOW_VERTICES = 1 << 16  # of a kernel; with fewer, the host uses one thread
#: The arrays that a kernel takes besides the work list, and the one of them that it writes.
TAKES = {
    "randomize": ("degree", "word"),
    "select": ("state", "word", "chosen"),
    "deactivate": ("chosen", "state"),
}
WRITES = {"randomize": "word", "select": "chosen", "deactivate": "state"}

#: Runs the first two kernels of a round at the same time, if it is worth it; whether it did.
Overlapped = Callable[["Rounds", Placed, Call], bool]


class Rounds:
    """The state of one run. ``graph`` has every arc both ways; ``degree`` gives the order."""

    def __init__(
        self,
        graph: Graph,
        degree: np.ndarray,
        key: np.uint64,
        device: OpenCL | None,
        threads: int,
        hot: int = 0,
    ) -> None:
        from ..kernels.independent_set.rounds import ACTIVE, TALLY

        n, ids = graph.n, graph.indices.dtype
        self.graph, self.key, self.device, self.threads = graph, key, device, threads
        self.work, self.kept = "work", "kept"
        self.turn = 0
        self.arrays = Common(
            device,
            {
                "work": np.arange(n, dtype=ids),
                "kept": np.empty(n, ids),
                "degree": degree.astype(np.int64),
                "word": np.zeros(n, np.int32),
                "chosen": np.zeros(n, np.uint8),
                "state": np.full(n, ACTIVE, np.uint8),
                "tally": np.zeros(TALLY, np.int32),
                "hot": np.empty(n * hot // 100, ids),
            },
        )
        self._compiled: dict[str, cl.Kernel] = {}

    def ready(self) -> None:
        """Once: build the device's kernels, upload the graph, launch each once for nothing."""
        device = self.device
        if device is None or self._compiled:
            return
        there = resident(device, self.graph)
        if not there.whole:
            raise TooLargeError(f"the graph does not fit on {device.name} at once: use the host")
        part = there.part(0)
        self._rows = (part.indptr, part.indices)
        kind = "-DID=int" if self.graph.indices.dtype == np.int32 else "-DID=long"
        names = (*TAKES, "compact")
        built = ("select_" if name == "select" else name for name in (*names, "select_shared"))
        self._compiled = {name: _built(device, name, kind) for name in built}
        self.arrays.there("hot")
        for name in names:
            self.there(name, 0, 0)
        self.there_shared(0, False, 0)
        device.finish()

    # -- the kernels, here and there --------------------------------------------------------------

    def host(self, name: str, lo: int, hi: int, work: str = "") -> None:
        """Run a kernel on the entries ``lo:hi`` of the work list, or of another one."""
        from ..kernels.independent_set import rounds as kernels
        from ..kernels.runtime.launch import run

        a = self.arrays
        (listed,) = a.host(work or self.work)
        if name == "compact":
            given = a.host("state", "degree", self.kept, "tally")
            run(kernels.compact, [(hi, listed, *given)], brief=True)
            a.wrote("host", self.kept, "tally")
            return
        arrays = a.host(*TAKES[name])
        rest: tuple[object, ...] = (listed, self.graph.rows)
        if name == "randomize":
            degree, word = arrays
            rest = (listed, degree, kernels.Words(self.key, self.turn, word))
        elif name == "select":
            state, word, chosen = arrays
            rest += (kernels.Words(self.key, self.turn, word), state, chosen)
        else:
            rest += arrays
        workers = 1 if hi - lo < SERIAL_BELOW_VERTICES else self.threads
        run_in_parts(getattr(kernels, name), lo, hi, rest, workers)
        a.wrote("host", WRITES[name])

    def host_shared(self, count: int, helps: bool, patience: int) -> None:
        """Select on the host until the device is met."""
        from ..kernels.independent_set.rounds import Sharing, Words, select_shared
        from ..kernels.runtime.launch import run

        work, state, word, chosen, left, tally = self.arrays.host(*self._shared)
        words, sharing = Words(self.key, self.turn, word), Sharing(helps, patience, left, tally)
        call = (work[:count], self.graph.rows, words, state, chosen, sharing)
        workers = 1 if count < SERIAL_BELOW_VERTICES else self.threads
        run(select_shared, [call] * workers, brief=workers == 1)

    @property
    def _shared(self) -> tuple[str, ...]:
        """The arrays of the kernel that host and device run together."""
        return self.work, *TAKES["select"], self.kept, "tally"

    def there(self, name: str, lo: int, hi: int, work: str = "") -> None:
        """Begin a kernel on the device."""
        a, device = self.arrays, self.device
        assert device is not None
        size, turn, key = max(hi - lo, 1), np.int32(self.turn), np.uint64(self.key)
        if name == "compact":
            import pyopencl as cl

            from ..kernels.independent_set.rounds import KEPT, KEPT_ARCS

            self._clear(KEPT, KEPT_ARCS + 1)
            given = a.there(self.work, "state", "degree", self.kept, "tally")
            device.launch(self._compiled[name], size, np.int64(hi), *given, cl.LocalMemory(12))
            a.wrote("device", self.kept, "tally")
            return
        first = (np.int64(lo), np.int64(hi), *a.there(work or self.work))
        arrays = a.there(*TAKES[name])
        rest: tuple[object, ...]
        if name == "randomize":
            degree, word = arrays
            rest = (key, degree, turn, word)
        elif name == "select":
            state, word, chosen = arrays
            rest = (key, *self._rows, state, turn, word, chosen)
        else:
            rest = (*self._rows, *arrays)
        kernel = self._compiled["select_" if name == "select" else name]
        device.launch(kernel, size, *first, *rest, group=GROUP)
        a.wrote("device", WRITES[name])

    def there_shared(self, count: int, helps: bool, patience: int) -> None:
        """Begin to select on the device until the host is met."""
        assert self.device is not None
        work, state, word, chosen, left, tally = self.arrays.there(*self._shared)
        first = (np.int64(count), np.int32(helps), np.int32(patience), work, np.uint64(self.key))
        rest = (*self._rows, state, np.int32(self.turn), word, chosen, left, tally)
        kernel = self._compiled["select_shared"]
        self.device.launch(kernel, max(count, 1), *first, *rest, group=GROUP)

    def _clear(self, lo: int, hi: int) -> None:
        (tally,) = self.arrays.host("tally")
        tally[lo:hi] = 0
        self.arrays.wrote("host", "tally")

    # -- the loop ---------------------------------------------------------------------------------

    def run(self, placed: Placed, overlapped: Overlapped | None = None) -> np.ndarray:
        """Return the final state of every vertex. ``overlapped`` runs the first two kernels at once."""
        from ..kernels.independent_set.rounds import KEPT, KEPT_ARCS

        n = self.graph.n
        count, arcs = n, self.graph.arcs
        placed.ready = self.ready
        while count:
            self.turn += 1
            call = Call("randomize", self.turn - 1, count, arcs, n)
            if overlapped is None or not overlapped(self, placed, call):
                self._placed(placed, call)
                self._placed(placed, call._replace(kernel="select"))
            self._placed(placed, call._replace(kernel="deactivate"))
            (tally,) = self.arrays.host("tally")
            count, arcs = int(tally[KEPT]), int(np.uint32(tally[KEPT_ARCS]))
            self.work, self.kept = self.kept, self.work
        (state,) = self.arrays.host("state")
        return np.array(state)

    def _placed(self, placed: Placed, call: Call) -> None:
        """Run a kernel where the policy wants it; Deactivate also takes the decided off the list."""
        names = [call.kernel] + ["compact"] * (call.kernel == "deactivate")

        def here() -> None:
            for name in names:
                self.host(name, 0, call.vertices)

        def there() -> None:
            for name in names:
                self.there(name, 0, call.vertices)
            assert self.device is not None
            self.device.finish()

        placed.step(call, here, there)


def _built(device: OpenCL, name: str, kind: str) -> cl.Kernel:
    """Build a kernel, in the newest OpenCL C there is if the device shares atomics with the host."""
    if device.capabilities.svm_atomics:
        for standard in ("-cl-std=CL3.0", "-cl-std=CL2.0"):
            with suppress(DeviceError):
                return device.kernel("independent_set", name, kind, standard)
    return device.kernel("independent_set", name, kind)
