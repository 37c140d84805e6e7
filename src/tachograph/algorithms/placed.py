"""Kernels that run on the host or on a device: asks where, runs them there, keeps the trace."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from ..decisions.placement.model import named
from ..decisions.placement.rules import Fixed, Policy
from ..decisions.placement.state import PLACES, Call
from ..devices.choice import Chosen
from ..devices.energy import Meter
from ..devices.host import Host
from ..devices.opencl import OpenCL
from .result import Trace

__all__ = ["Placed", "accuracy", "placed_on", "run_in_parts"]

Work: TypeAlias = Callable[[], object]  # runs a kernel and returns when it has ended
#: Columns of the trace that have a value in some rows only, and the value of the others.
SOMETIMES = {"host_seconds": math.nan, "device_seconds": math.nan, "best": "", "polls": 0}
COLUMNS = ("kernel", "iteration", "device", "work", "arcs", "seconds", *SOMETIMES, "joules", "note")


class Placed:
    """Runs kernels where ``policy`` says; without one, on both: the oracle."""

    def __init__(self, device: OpenCL | None, policy: Policy | None, repeats: int = 3) -> None:
        from ..kernels.runtime.launch import clock

        self.clock = clock
        self.device = device
        self.policy = policy
        self.repeats = repeats
        self.meter = Meter()
        self.rows: list[dict[str, object]] = []
        self.lost = ""
        self.ready: Work = lambda: None  # makes the device ready, at its first kernel
        self.preparing = 0.0  # seconds that took, which are no kernel's

    def step(self, call: Call, host: Work, there: Work, undo: Work | None = None) -> None:
        """Run one kernel, by ``host()`` or ``there()``, which return when it has ended.

        ``undo`` puts back what it changes; without it, running it twice must do no harm.
        """
        if self.device is None:
            place = "host"
        elif self.policy is None:
            self.prepare()
            self._both(call, host, there, undo or (lambda: None))
            return
        else:
            place = self.policy(call)
        if place == "device":
            self.prepare()
        self.note(call, place, self._seconds(there if place == "device" else host))

    def prepare(self) -> None:
        """Make the device ready, if it is not."""
        self.preparing += self._seconds(self.ready)

    def _seconds(self, work: Work) -> float:
        begin = self.clock()
        work()
        return self.clock() - begin

    def _both(self, call: Call, host: Work, there: Work, undo: Work) -> None:
        """Time both, in turns, and note the better one as where it ran."""
        taken: dict[str, list[float]] = {place: [] for place in PLACES}
        for _ in range(self.repeats):
            for place, work in zip(PLACES, (host, there), strict=True):
                undo()
                taken[place].append(self._seconds(work))
        least = {place: min(found) for place, found in taken.items()}
        place = min(least, key=lambda name: least[name])
        self.note(
            call, place, least[place], best=place, **{f"{p}_seconds": s for p, s in least.items()}
        )

    def note(self, call: Call, place: str, seconds: float, **more: object) -> None:
        """Add a row to the trace."""
        kernel, iteration, work, arcs, _ = call
        first = (kernel, iteration, place, work, arcs, seconds)
        row = dict(zip(COLUMNS, first, strict=False)) | SOMETIMES
        self.rows.append(row | {"joules": self.meter.joules(), "note": self.lost} | more)

    def lose(self, problem: Exception) -> None:
        """Go on without the device; the trace says why."""
        self.device = None
        self.lost = str(problem)

    @property
    def trace(self) -> Trace:
        """What was run where; ``best`` is known to the oracle only, ``joules`` where a meter is."""
        return Trace({name: [row[name] for row in self.rows] for name in COLUMNS})


def placed_on(chosen: Chosen, placement: str | Policy, task: str) -> tuple[Placed, int]:
    """Return a stage for the kernels of ``task``, and how many threads the host has for them."""
    from ..kernels.runtime.launch import threads_available

    device, threads = chosen.opencl, threads_available()
    policy: Policy | None = None  # the oracle
    if device is None:
        policy = Fixed("host")
    elif not isinstance(placement, str):
        policy = placement
    elif placement != "oracle":
        policy = named(placement, task, Host(threads), device)
    return Placed(device, policy), threads


def run_in_parts(
    kernel: Callable[..., object], lo: int, hi: int, arguments: tuple[object, ...], workers: int
) -> None:
    """Call ``kernel(stop, begin, end, *arguments)`` on equal parts of ``lo:hi``, a worker for each."""
    from ..kernels.runtime.launch import run

    cuts = [lo + (hi - lo) * w // workers for w in range(workers + 1)]
    calls = [(begin, end, *arguments) for begin, end in itertools.pairwise(cuts)]
    run(kernel, calls, brief=workers == 1)


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
        Call(str(k), int(i), int(w), int(a), total)
        for k, i, w, a in zip(
            *(trace[c] for c in ("kernel", "iteration", "work", "arcs")), strict=True
        )
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
