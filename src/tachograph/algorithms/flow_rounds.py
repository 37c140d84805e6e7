"""Maximum flow in rounds of three kernels, on the host, on a device, or on both.

``kernels/flow/rounds`` explains the kernels. Here is the loop around them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from ..decisions.placement.state import Call
from ..devices.common import Common
from ..devices.opencl import GROUP, OpenCL
from ..util.errors import DeviceError
from .placed import Placed, run_in_parts

if TYPE_CHECKING:
    import pyopencl as cl

    from ..kernels.flow.push_relabel import Solver

__all__ = ["FlowRounds"]

SERIAL_BELOW_VERTICES = 1 << 14  # of a kernel; with fewer, the host uses one thread
SEARCH_AFTER_ROUNDS = 32  # or when as many arcs were looked at as there are
ROWS = ("begins", "target", "back")
WRITES = {
    "preflow": ("room", "excess", "sent", "next_height", "mark", "tally"),
    "push-adjust": ("room", "height", "excess", "sent", "mark", "tally"),
    "bfs": ("height", "next_height", "queue", "tally", "mark"),
}
SENT = ("room", "height", "excess", "sent", "next_height", "mark")
#: The arrays that kernels of the device take, before the next list and the tally.
TAKES = {
    "preflow": ("begins", "target", *SENT),
    "adjust": ("begins", "back", *SENT),
    "expand": (*ROWS, "room", "height", "excess", "next_height", "queue", "mark"),
}


class FlowRounds:
    """The state of one run: fills the sink of ``solver``, whose source was emptied."""

    def __init__(self, solver: Solver, device: OpenCL | None, threads: int) -> None:
        made = solver.made
        n, ids = made.begins.size - 1, made.target.dtype
        self.n, self.ids = n, ids
        self.solver, self.device, self.threads = solver, device, threads
        self.work, self.out = "work", "list"
        arrays = {name: getattr(made, name) for name in ROWS}
        arrays |= {"room": solver.room, "excess": solver.excess, "sent": np.zeros_like(made.room)}
        lists = ("height", "next_height", "work", "list", "queue")
        arrays |= {name: np.zeros(n, ids) for name in lists}
        arrays |= {"mark": np.zeros(n, np.int32), "tally": np.zeros(3, np.int32)}
        self.arrays = Common(device, arrays)
        self._compiled: dict[str, cl.Kernel] = {}

    def ready(self) -> None:
        """Once: build the device's kernels, and launch each once for nothing."""
        device = self.device
        if device is None or self._compiled:
            return
        real = self.solver.room.dtype.kind == "f"
        if real and not device.capabilities.double:
            raise DeviceError(
                f"{device.name} has no double precision: use the host, or whole capacities"
            )
        names = {np.dtype(np.int32): "int", np.dtype(np.int64): "long"}
        back = self.solver.made.back.dtype
        number = "double" if real else "long"
        options = (f"-DID={names[self.ids]}", f"-DPLACE={names[back]}", f"-DNUM={number}")
        there = (*TAKES, "clear", "unmark")
        self._compiled = {name: device.kernel("flow", name, *options) for name in there}
        for name in TAKES:
            self._launch_on(name, 0, 0)
        device.launch(self._compiled["unmark"], 1, np.int64(0), *self.arrays.there("queue", "mark"))
        device.finish()

    # -- the kernels here ---------------------------------------------------------------------------

    def host(self, name: str, count: int) -> None:
        """Run a kernel on ``count`` entries of the work list."""
        from ..kernels.flow import rounds as kernels
        from ..kernels.flow.network import Residual
        from ..kernels.runtime.launch import run

        self._clear()
        a = self.arrays
        ends = self.solver.ends[::-1]
        net = Residual(*a.host(*ROWS, "room"))
        vertices = kernels.Vertices(*a.host("height", "next_height", "excess"))
        if name == "bfs":
            lists = kernels.Lists(*a.host("queue", self.out, "tally"))
            run(kernels.bfs, [(net, vertices, lists, ends)], brief=True)
        else:
            sent = kernels.Sent(*a.host("sent", "mark"))
            lists = kernels.Lists(*a.host(self.work, self.out, "tally"))
            worker, more = (kernels.preflow, ()) if name == "preflow" else (kernels.adjust, (ends,))
            workers = 1 if count < SERIAL_BELOW_VERTICES else self.threads
            run_in_parts(worker, 0, count, (net, vertices, sent, lists, *more), workers)
        a.wrote("host", *WRITES[name], self.out)

    def _clear(self) -> None:
        (tally,) = self.arrays.host("tally")
        tally[:] = 0
        self.arrays.wrote("host", "tally")

    # -- the kernels there --------------------------------------------------------------------------

    def there(self, name: str, count: int) -> None:
        """Run a kernel on the device, and wait for it."""
        assert self.device is not None
        self._clear()
        if name == "bfs":
            self._search()
        else:
            self._launch_on(name.removeprefix("push-"), 0, count)
        self.arrays.wrote("device", *WRITES[name], self.out)
        self.device.finish()

    def _launch(self, kernel: str, size: int, *arguments: object) -> None:
        assert self.device is not None
        self.device.launch(self._compiled[kernel], max(size, 1), *arguments, group=GROUP)

    def _launch_on(self, kernel: str, lo: int, hi: int) -> None:
        """Launch a kernel on the entries ``lo:hi`` of the work list, or of the queue of a search."""
        other, root = (self._id(end) for end in self.solver.ends)
        work = self.arrays.there(self.work)
        first = {"preflow": work, "adjust": (*work, root, other), "expand": (other,)}[kernel]
        given = self.arrays.there(*TAKES[kernel], self.out, "tally")
        span = np.int64(lo), np.int64(hi)
        self._launch(kernel, hi - lo, *span, *first, *given, self._id(self.n))

    def _search(self) -> None:
        """Search level by level, and look at the end of the queue after each."""
        a, device = self.arrays, self.device
        assert device is not None
        given = a.there("height", "next_height", "queue", "tally")
        self._launch("clear", self.n, self._id(self.solver.ends[1]), self._id(self.n), *given)
        lo, hi = 0, 1
        while lo < hi:
            self._launch_on("expand", lo, hi)
            a.wrote("device", "tally")
            device.finish()
            lo, hi = hi, int(a.host("tally")[0][2])
        self._launch("unmark", hi, np.int64(hi), *a.there("queue", "mark"))

    def _id(self, value: int) -> object:
        return self.ids.type(value)

    # -- the loop -------------------------------------------------------------------------------------

    def run(self, placed: Placed) -> None:
        """Push until no excess can reach the sink; heights are exact at the end."""
        arcs = int(self.solver.room.size)
        iteration, looked = 0, 0.0
        placed.ready = self.ready
        count = self._step(placed, "bfs", iteration, self.n, arcs)
        while count:
            for name in ("preflow", "push-adjust"):
                count = self._step(placed, name, iteration, count, count * arcs // max(self.n, 1))
                looked += int(np.uint32(self.arrays.host("tally")[0][1]))
            iteration += 1
            looked += arcs / SEARCH_AFTER_ROUNDS
            if looked >= arcs or not count:
                looked = 0.0
                count = self._step(placed, "bfs", iteration, self.n, arcs)
        room, excess, height = self.arrays.host("room", "excess", "height")
        self.solver.room[:], self.solver.excess[:], self.solver.height[:] = room, excess, height

    def _step(self, placed: Placed, name: str, iteration: int, count: int, arcs: int) -> int:
        """Run a kernel, whose list becomes the next one's work; return how many entries that has."""
        call = Call(name, iteration, count, arcs, self.n)
        saved = self._saved(name) if placed.device is not None and placed.policy is None else None
        placed.step(call, lambda: self.host(name, count), lambda: self.there(name, count), saved)
        self.work, self.out = self.out, self.work
        return int(self.arrays.host("tally")[0][0])

    def _saved(self, name: str) -> Callable[[], None]:
        """Return what puts everything back as it is now: a kernel of the oracle runs several times."""
        names = ("room", "excess", "height", "next_height", "sent", "mark", self.work)
        before = {n: a.copy() for n, a in zip(names, self.arrays.host(*names), strict=True)}

        def restore() -> None:
            for n, array in zip(names, self.arrays.host(*names), strict=True):
                array[:] = before[n]
            self.arrays.wrote("host", *names)
            if self.device is not None:
                self.arrays.there(*names)  # copies, if any, are not the kernel's

        return restore
