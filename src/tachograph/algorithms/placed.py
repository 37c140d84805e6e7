"""Kernels that run on the host or on a device: asks where, runs them there, keeps the trace."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, ClassVar, TypeAlias, TypeVar

import numpy as np

from ..decisions.placement.model import named
from ..decisions.placement.rules import Fixed, Policy
from ..decisions.placement.state import PLACES, Call
from ..devices.choice import Chosen
from ..devices.groups import fitting
from ..devices.host import Host, Meter
from ..devices.memory import Common
from ..devices.opencl import OpenCL, arguments_of, check_count
from ..kernels.runtime.launch import clock, run, threads_available
from ..util.errors import DeviceError, TooLargeError
from ..util.progress import watcher
from .result import Trace

if TYPE_CHECKING:
    import pyopencl as cl

__all__ = ["Placed", "Rounds", "accuracy"]

T = TypeVar("T")
Work: TypeAlias = Callable[[], object]  # runs a kernel and returns when it has ended
ORACLE_REPEATS = 3  # of each kernel in each place
#: Columns of the trace that have a value in some rows only, and the value of the others.
SOMETIMES = {"host_seconds": math.nan, "device_seconds": math.nan, "best": "", "polls": 0}
ALWAYS = ("kernel", "iteration", "device", "work", "arcs", "seconds", "parallelism", "copied")
FIELDS = (*ALWAYS, *SOMETIMES, "joules", "note")


def _nothing() -> None:
    pass


def _nowhere(place: str) -> None:
    pass


class Placed:
    """Runs the kernels of ``task`` where ``placement`` says; the oracle runs them on both sides.

    ``lost`` says why the device is not used any more, and ``preparing`` how many seconds it took to
    make it ready, which are no kernel's.
    """

    def __init__(self, chosen: Chosen, placement: str | Policy, task: str) -> None:
        self.device, self.threads = chosen.opencl, threads_available()
        self.policy: Policy | None = None  # the oracle
        if self.device is None:
            self.policy = Fixed("host")
        elif not isinstance(placement, str):
            self.policy = placement
        elif placement != "oracle":
            self.policy = named(placement, task, Host(self.threads), self.device)
        self.meter = Meter()
        self.rows: list[dict[str, object]] = []
        self.lost = ""
        self.ready: Work = _nothing  # makes the device ready, at its first kernel
        self.bring: Callable[[str], object] = _nowhere  # copies what a side does not have yet
        self.preparing = 0.0

    @property
    def oracle(self) -> bool:
        """Whether each kernel runs on both sides."""
        return self.policy is None and self.device is not None

    @property
    def only_device(self) -> bool:
        """Whether the device runs all kernels, so that nobody has to decide between them."""
        return self.device is not None and self.policy == Fixed("device")

    def attempt(self, solve: Callable[[OpenCL | None], T]) -> T:
        """Return ``solve(device)``; if the device fails, what it had is lost: begin without it."""
        try:
            return solve(self.device)
        except (DeviceError, TooLargeError) as problem:
            self.device, self.lost = None, str(problem)
        finally:
            self.ready, self.bring = _nothing, _nowhere  # which held the buffers of the run
        return solve(None)

    def step(self, call: Call, host: Work, there: Work, undo: Work | None = None) -> None:
        """Run one kernel, by ``host()`` or ``there()``, which return when it has ended.

        ``undo`` puts back what it changes; without it, running it twice must do no harm.
        """
        if self.oracle:
            self.prepare()
            self._both(call, host, there, undo or _nothing)
            return
        place = "host" if self.device is None or self.policy is None else self.policy(call)
        if place == "device":
            self.prepare()
        self.note(call, place, _seconds(there if place == "device" else host))

    def prepare(self) -> None:
        """Make the device ready, if it is not."""
        self.preparing += _seconds(self.ready)

    def _both(self, call: Call, host: Work, there: Work, undo: Work) -> None:
        """Time both, in turns, and note the better one as where it ran. What must be copied from one to
        the other depends on where the kernels before it ran, so that is not counted.
        """
        taken: dict[str, list[float]] = {place: [] for place in PLACES}
        for _ in range(ORACLE_REPEATS):
            for place, work in zip(PLACES, (host, there), strict=True):
                undo()
                self.bring(place)
                taken[place].append(_seconds(work))
        least = {place: min(found) for place, found in taken.items()}
        place = min(least, key=lambda name: least[name])
        times = {f"{name}_seconds": seconds for name, seconds in least.items()}
        self.note(call, place, least[place], best=place, **times)

    def note(self, call: Call, place: str, seconds: float, **more: object) -> None:
        """Add a row to the trace."""
        first = (call.kernel, call.iteration, place, call.vertices, call.arcs, seconds)
        copied = call.moves[PLACES.index(place)] if place in PLACES else sum(call.moves)
        more_of_it = {"parallelism": call.parallelism, "copied": copied}
        row = dict(zip(FIELDS, first, strict=False)) | more_of_it | SOMETIMES
        self.rows.append(row | {"joules": self.meter.joules(), "note": self.lost} | more)
        if (seen := watcher.get()) is not None:
            seen.row(row)

    @property
    def trace(self) -> Trace:
        """What was run where; ``best`` is known to the oracle only, ``joules`` where a meter is."""
        return Trace({name: [row[name] for row in self.rows] for name in FIELDS})


def _seconds(work: Work) -> float:
    begin = clock()
    work()
    return clock() - begin


class Rounds:
    """One run of a task in rounds of kernels, each written twice: for the host and for a device.

    ``arrays`` are those of both sides. A device's kernel finds its arguments by their names in
    ``PROGRAM.cl``: among those given, or the arrays.
    """

    program: ClassVar[str]

    def __init__(
        self, placed: Placed, device: OpenCL | None, arrays: Mapping[str, np.ndarray]
    ) -> None:
        self.placed, self.device, self.threads = placed, device, placed.threads
        self.arrays = Common(device, arrays)
        self.kernels: dict[str, cl.Kernel] = {}  # of the device, by name
        self.group = 1  # work-items of a group, for which they were built
        placed.ready, placed.bring = self.ready, self.arrays.bring

    def ready(self) -> None:
        """Build the device's kernels, once, and launch each for nothing."""
        if self.device is not None and not self.kernels:
            self.build(self.device)
            self.device.finish()

    def build(self, device: OpenCL) -> None:
        """Fill ``kernels`` by :meth:`fit`, and launch each of them for nothing."""
        raise NotImplementedError

    def fit(self, device: OpenCL, build: Callable[[], dict[str, cl.Kernel]]) -> None:
        """Fill ``kernels`` with what ``build`` makes, for groups in which all of them can run."""
        self.kernels = fitting(device, build)
        self.group = device.group

    def launch(self, kernel: str, size: int, **given: object) -> None:
        """Begin a kernel on ``size`` work-items of the device, at least one."""
        self.bound(kernel, size, **given)()

    def bound(self, kernel: str, size: int, **given: object) -> Callable[..., None]:
        """Return what launches a kernel again and again, with other values of some arguments."""
        device = self.device
        assert device is not None
        names = arguments_of(self.program, kernel)
        found = {name: given[name] if name in given else self.arrays.there(name) for name in names}

        def launch(**changed: object) -> None:
            found.update(changed)
            given = found.values()
            device.launch(self.kernels[kernel], max(size, 1), *given, group=self.group)

        return launch

    def moves(self, *kernels: str) -> tuple[int, int]:
        """Return the bytes that must be copied before the host, or the device, can run kernels, which
        are named as in ``PROGRAM.cl``.
        """
        if self.device is None:
            return 0, 0
        names = {name for kernel in kernels for name in arguments_of(self.program, kernel)}
        here, there = (self.arrays.bytes_to(side, names) for side in PLACES)
        return here, there

    def on_host(
        self, kernel: Callable[..., object], lo: int, hi: int, workers: int, *arguments: object
    ) -> None:
        """Call ``kernel(stop, begin, end, *arguments)`` on equal parts of ``lo:hi``, one a worker."""
        cuts = [lo + (hi - lo) * w // workers for w in range(workers + 1)]
        calls = [(begin, end, *arguments) for begin, end in itertools.pairwise(cuts)]
        run(kernel, calls, brief=workers == 1)

    def advances(self, done: int, most: int) -> None:
        """Check that a round has done something, and no more than ``most``: a device that counts wrong
        would otherwise never end, or write behind its arrays.

        Raises
        ------
        DeviceError
            If not.
        """
        check_count(self.device, done, most, least=1)

    def finish(self) -> None:
        """Wait for the device."""
        assert self.device is not None
        self.device.finish()


def accuracy(trace: Trace, policy: Policy, total: int) -> dict[str, float]:
    """How well a policy places the calls that an oracle has timed.

    Returns
    -------
    dict
        ``right``: the share of calls in the better place; ``weighted``: the same weighted by the time
        at stake, the difference between the places; ``seconds``, ``best``, ``host``, ``device``: the
        time of all calls as placed, in the better place each, and in one place only.
    """
    host, device = trace["host_seconds"], trace["device_seconds"]
    calls = [
        Call(r["kernel"], r["iteration"], r["work"], r["arcs"], total, r["parallelism"])
        for r in trace
    ]
    there = np.array([policy(call) == "device" for call in calls], bool)
    right = there == (device < host)
    stake = abs(device - host)
    return {
        "right": float(right.mean()) if len(right) else 1.0,
        "weighted": float(stake[right].sum() / stake.sum()) if stake.sum() > 0 else 1.0,
        "seconds": float(np.where(there, device, host).sum()),
        "best": float(np.minimum(host, device).sum()),
        "host": float(host.sum()),
        "device": float(device.sum()),
    }
