"""Maximal independent sets in rounds of three kernels, on the host, on a device, or on both.

``kernels/independent_rounds`` explains the kernels. Here is the loop around them: placement,
overlapping of the first two, and the work list.
"""

from __future__ import annotations

import itertools
from contextlib import suppress
from typing import Any

import numpy as np

from ..decisions.placement import Call
from ..devices.common import Common
from ..devices.opencl import GROUP, OpenCL
from ..devices.residency import resident
from ..errors import DeviceError, TooLargeError
from ..graph.graph import Graph
from .placed import Placed

__all__ = ["Rounds"]

PATIENCE = 1 << 16  # looks at words that are still empty, with a rest after each: about 0.2 s
SMALL = 1 << 14  # vertices below which the host uses one thread
FEW = 1 << 13  # vertices below which overlapping costs more than it can save


class Rounds:
    """The state of one run. ``graph`` has every arc both ways; ``degree`` gives the order."""

    def __init__(
        self, graph: Graph, degree: np.ndarray, key: np.uint64, device: OpenCL | None, threads: int
    ) -> None:
        from ..kernels.independent_rounds import ACTIVE

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
                "tally": np.zeros(4, np.int32),
            },
        )
        self._compiled: dict[str, Any] = {}
        if device is not None:
            self._prepare(device)

    def _prepare(self, device: OpenCL) -> None:
        """Build the device's kernels, upload the graph, launch each once for nothing."""
        there = resident(device, self.graph)
        if not there.whole:
            raise TooLargeError(f"the graph does not fit on {device.name} at once: use the host")
        part = there.part(0)
        self._rows = (part.indptr, part.indices)
        kind = "-DID=int" if self.graph.indices.dtype == np.int32 else "-DID=long"
        for name in ("randomize", "select_", "deactivate", "compact"):
            self._compiled[name] = _built(device, name, kind)
        for name in ("randomize", "select", "deactivate", "compact"):
            self.there(name, 0, 0, 0)
        device.finish()

    # -- the kernels, here and there --------------------------------------------------------------

    def host(self, name: str, lo: int, hi: int, patience: int = 0) -> None:
        """Run a kernel on the entries ``lo:hi`` of the work list."""
        from ..kernels import independent_rounds as kernels
        from ..kernels.runtime import run

        a = self.arrays
        (work,) = a.host(self.work)
        rows = (self.graph.indptr, self.graph.indices)
        if name == "compact":
            state, degree, kept, tally = a.host("state", "degree", self.kept, "tally")
            run(kernels.compact, [(hi, work, state, degree, kept, tally)], brief=True)
            a.wrote("host", self.kept, "tally")
            return
        if name == "randomize":
            degree, word = a.host("degree", "word")
            rest: tuple[Any, ...] = (work, self.key, degree, self.turn, word)
        elif name == "select":
            state, word, chosen, tally = a.host("state", "word", "chosen", "tally")
            marks = (self.turn, word, patience, chosen, tally)
            rest = (work, self.key, *rows, state, *marks)
        else:
            rest = (work, *rows, *a.host("chosen", "state"))
        workers = 1 if hi - lo < SMALL else self.threads
        cuts = [lo + (hi - lo) * w // workers for w in range(workers + 1)]
        run(getattr(kernels, name), [(b, e, *rest) for b, e in itertools.pairwise(cuts)],
            brief=workers == 1)  # fmt: skip
        a.wrote("host", *WRITES[name])

    def there(self, name: str, lo: int, hi: int, patience: int = 0) -> None:
        """Begin a kernel on the device."""
        a, device = self.arrays, self.device
        assert device is not None
        size = max(hi - lo, 1)
        span = (np.int64(lo), np.int64(hi))
        turn, key = np.int32(self.turn), np.uint64(self.key)
        if name == "compact":
            self._clear(2, 4)
            import pyopencl as cl

            given = a.there(self.work, "state", "degree", self.kept, "tally")
            device.launch(self._compiled[name], size, span[1], *given, cl.LocalMemory(12))
            a.wrote("device", self.kept, "tally")
            return
        if name == "randomize":
            work, degree, word = a.there(self.work, "degree", "word")
            rest: tuple[Any, ...] = (work, key, degree, turn, word)
        elif name == "select":
            work, state, word, chosen, tally = a.there(
                self.work, "state", "word", "chosen", "tally"
            )
            marks = (turn, word, np.int64(patience), chosen, tally)
            rest = (work, key, *self._rows, state, *marks)
        else:
            work, chosen, state = a.there(self.work, "chosen", "state")
            rest = (work, *self._rows, chosen, state)
        kernel = self._compiled["select_" if name == "select" else name]
        device.launch(kernel, size, *span, *rest, group=GROUP)
        a.wrote("device", *WRITES[name])

    def _clear(self, lo: int, hi: int) -> None:
        (tally,) = self.arrays.host("tally")
        tally[lo:hi] = 0
        self.arrays.wrote("host", "tally")

    # -- the loop ---------------------------------------------------------------------------------

    def run(self, placed: Placed, overlap: int, hot: int, producer: str) -> np.ndarray:
        """The state of every vertex at the end."""
        from ..kernels.independent_rounds import ARCS, COUNT

        n = self.graph.n
        count, arcs = n, self.graph.arcs
        if hot:
            self._hot_first(placed, hot)
        while count:
            self.turn += 1
            call = Call("randomize", self.turn - 1, count, arcs, n)
            if overlap and count >= FEW and self.device is not None:
                self._overlapped(placed, call, overlap, producer)
            else:
                self._placed(placed, call)
                self._placed(placed, call._replace(kernel="select"))
            self._placed(placed, call._replace(kernel="deactivate"))
            (tally,) = self.arrays.host("tally")
            count, arcs = int(tally[COUNT]), int(np.uint32(tally[ARCS]))
            self.work, self.kept = self.kept, self.work
        (state,) = self.arrays.host("state")
        return np.array(state)

    def _placed(self, placed: Placed, call: Call) -> None:
        """One kernel where the policy wants it; Deactivate takes the decided out of the list, too."""
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

    def _hot_first(self, placed: Placed, hot: int) -> None:
        from ..kernels.independent_rounds import front
        from ..kernels.runtime import clock, run

        begin = clock()
        degree, work = self.arrays.host("degree", "work")
        found = int(run(front, [(degree, hot / 100, work)], brief=True)[0])
        self.arrays.wrote("host", "work")
        call = Call("hot vertices", 0, found, self.graph.arcs, self.graph.n)
        placed.note(call, "host", clock() - begin)

    def _overlapped(self, placed: Placed, call: Call, overlap: int, producer: str) -> None:
        """Randomize and Select at the same time, once all but ``overlap`` percent are produced."""
        from ..kernels.independent_rounds import LEFT, POLLS
        from ..kernels.runtime import clock

        device = self.device
        assert device is not None
        count = call.vertices
        begun = count * (100 - overlap) // 100
        at_once = self.arrays.shared and device.capabilities.svm_atomics
        patience = PATIENCE if at_once else 0
        note = "" if at_once else "bulk-synchronous: host and device share no atomic memory"
        begin = clock()
        self._clear(0, 2)
        if producer == "host":
            self.host("randomize", 0, begun if at_once else count)
            self.there("select", 0, count, patience)
            if at_once:
                self.host("randomize", begun, count)
        else:
            self.there("randomize", 0, begun if at_once else count)
            device.finish()
            if at_once:
                self.there("randomize", begun, count)
            self.host("select", 0, count, patience)
        device.finish()
        (tally,) = self.arrays.host("tally")
        polls, left = int(tally[POLLS]), int(tally[LEFT])
        if left:  # all is produced now: nobody waits
            note = f"{left} vertices were left waiting and selected afterwards"
            self._again(producer, count)
        both = call._replace(kernel="randomize+select")
        places = "host+device" if producer == "host" else "device+host"
        placed.note(both, places, clock() - begin, polls=polls, note=note)

    def _again(self, producer: str, count: int) -> None:
        """Select what was left UNKNOWN."""
        if producer == "host":
            self.there("select", 0, count, -1)
            assert self.device is not None
            self.device.finish()
        else:
            self.host("select", 0, count, -1)


def _built(device: OpenCL, name: str, kind: str) -> Any:
    """A kernel in the newest OpenCL C that the device has, if it shares atomics with the host."""
    if device.capabilities.svm_atomics:
        for standard in ("-cl-std=CL3.0", "-cl-std=CL2.0"):
            with suppress(DeviceError):
                return device.kernel("independent_set", name, kind, standard)
    return device.kernel("independent_set", name, kind)


WRITES = {"randomize": ("word",), "select": ("chosen", "tally"), "deactivate": ("state",)}
