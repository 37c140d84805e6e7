"""Predict the time and memory of a way: the model's times, scaled to this machine."""

from __future__ import annotations

import functools
import math
import statistics
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

from ..decisions.times.model import Predicted, the_model
from ..devices.calibrate import calibration
from ..devices.host import Host
from ..devices.opencl import OpenCL
from ..graph.graph import Graph
from ..journal import journal, machine

__all__ = ["UNKNOWN", "Estimate", "Scale", "correction", "estimate", "scale_of"]

RATES = ("gather", "stream")  # what graph algorithms wait for
RECENT_RUNS = 40  # of a task correct its predictions
HALF_WEIGHT_RUNS = 6  # so many runs move a prediction half of the way
INFORMATIVE_SECONDS = 2e-3  # a shorter run says little about a machine
LARGEST_CORRECTION = 4.0  # times
FRESH_SECONDS = 5.0  # what the journal says is kept for so long


@dataclass(frozen=True)
class Estimate:
    """Seconds with their 90 % interval, and bytes; None where nothing is known.

    ``base`` is the seconds before the runs on this machine corrected them.
    """

    seconds: float | None = None
    low: float | None = None
    high: float | None = None
    base: float | None = None
    memory: int | None = None

    def faster(self, gain: float, gain_bound: float) -> Estimate:
        """Divide the seconds by ``gain``, and the upper end of the interval by ``gain_bound``."""
        if self.seconds is None or self.low is None or self.high is None:
            return self
        gain = max(gain, 1e-3)
        return replace(
            self,
            seconds=self.seconds / gain,
            low=self.low / gain,
            base=(self.base or 0) / gain,
            high=self.high / max(gain_bound, 1e-3),
        )


UNKNOWN = Estimate()


@dataclass(frozen=True)
class Scale:
    """How many times slower this machine is than the model's, and how that is known."""

    factor: float
    why: str


def scale_of(device: Host | OpenCL) -> Scale:
    """Compare the calibration of this machine with that of the model's, if both exist."""
    card = the_model().card
    kind = "host" if isinstance(device, Host) else "device"
    then, now = card.get("calibration", {}).get(kind), calibration(device)
    if now is None or then is None:
        if kind == "host" and card.get("machine") == machine()[1]:
            return Scale(1.0, "measured on such a machine")
        return Scale(1.0, "this machine is not calibrated (tacho devices --calibrate)")
    slower = [math.log(then[r] / now[r]) for r in RATES if then.get(r) and now.get(r)]
    return Scale(math.exp(statistics.mean(slower)), "scaled by the calibration of this machine")


def correction(task: str) -> tuple[float, int]:
    """Return how many times longer recent runs of a task took than predicted, and their number."""
    return _correction(task, str(journal().path), int(time.monotonic() / FRESH_SECONDS))


@functools.lru_cache(maxsize=64)
def _correction(task: str, path: str, when: int) -> tuple[float, int]:
    mine = machine()[0]
    off = [
        math.log(run.seconds / run.plan["base"])
        for run in journal().runs(task, last=RECENT_RUNS)
        if run.machine == mine
        and run.plan
        and run.plan.get("base")
        and run.seconds >= INFORMATIVE_SECONDS
    ]
    if not off:
        return 1.0, 0
    middle = statistics.median(off) * len(off) / (len(off) + HALF_WEIGHT_RUNS)
    return min(max(math.exp(middle), 1 / LARGEST_CORRECTION), LARGEST_CORRECTION), len(off)


def estimate(
    name: str, graph: Graph, numbers: Mapping[str, float] | None, scale: Scale, work: float = 1.0
) -> Estimate:
    """Predict what a task and way (``"bfs/auto"``) takes on a graph of that shape.

    ``work`` is a multiple of the usual work. Without ``numbers`` only the memory is known.
    """
    model = the_model()
    memory = model.peak(name, graph)
    found = None if numbers is None else model.predict(name, dict(numbers))
    if found is None:
        return Estimate(memory=memory)
    base: Predicted = found.times(scale.factor * work)
    here = base.times(correction(name.partition("/")[0])[0])
    return Estimate(here.seconds, here.low, here.high, base.seconds, memory)
