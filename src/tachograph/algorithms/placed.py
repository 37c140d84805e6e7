"""Kernels that run on the host or on a device: asks where, runs them there, keeps the trace."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..decisions.placement.model import named
from ..decisions.placement.rules import Fixed, Policy
from ..decisions.placement.state import PLACES, Call
from ..devices.choice import Chosen
from ..devices.energy import Meter
from ..devices.host import Host
from ..devices.opencl import OpenCL
from .result import Trace

__all__ = ["Placed", "accuracy", "placed_on"]

COLUMNS = ("kernel", "iteration", "device", "work", "arcs", "seconds", "host_seconds",
           "device_seconds", "best", "polls", "joules", "note")  # fmt: skip
NAN = float("nan")


class Placed:
    """Runs kernels where ``policy`` says; without one, on both: the oracle."""

    def __init__(self, device: OpenCL | None, policy: Policy | None, repeats: int = 3) -> None:
        from ..kernels.runtime.launch import clock

        self.clock = clock
        self.device = device
        self.policy = policy
        self.repeats = repeats
        self.meter = Meter()
        self.rows: list[dict[str, Any]] = []
        self.lost = ""
        self.ready: Callable[[], Any] = lambda: None  # makes the device ready, at its first kernel
        self.preparing = 0.0  # seconds that took, which are no kernel's

    def step(
        self,
        call: Call,
        host: Callable[[], Any],
        there: Callable[[], Any],
        undo: Callable[[], Any] | None = None,
    ) -> None:
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

    def _seconds(self, work: Callable[[], Any]) -> float:
        begin = self.clock()
        work()
        return self.clock() - begin

    def _both(
        self, call: Call, host: Callable[[], Any], there: Callable[[], Any], undo: Callable[[], Any]
    ) -> None:
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

    def note(self, call: Call, place: str, seconds: float, **more: Any) -> None:
        """Add a row to the trace."""
        row = {
            "kernel": call.kernel, "iteration": call.iteration, "device": place,
            "work": call.vertices, "arcs": call.arcs, "seconds": seconds, "host_seconds": NAN,
            "device_seconds": NAN, "best": "", "polls": 0, "joules": self.meter.joules(),
            "note": self.lost,
        }  # fmt: skip
        self.rows.append(row | more)

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
