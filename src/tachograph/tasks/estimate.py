"""What a way is predicted to take here: the model's times, scaled to this machine, and its memory."""

from __future__ import annotations

import functools
import math
import statistics
import time
from dataclasses import dataclass
from typing import Any

from ..decisions.times.model import Predicted, the_model
from ..devices.calibrate import calibration
from ..devices.host import Host
from ..graph.graph import Graph
from ..journal import journal, machine

__all__ = ["Estimate", "Scale", "estimate", "scale_of"]

RATES = ("gather", "stream")  # what graph algorithms wait for
RECENT = 40  # runs of a task that correct its predictions
FEW = 6  # so many count half
LONG = 2e-3  # seconds from which on a run says something about a machine
FARTHEST = 4.0  # times: no correction goes farther
FRESH = 5.0  # seconds that what the journal says is kept


@dataclass(frozen=True)
class Estimate:
    """Seconds with their interval, and bytes; None where nothing is known. ``base`` is the seconds
    before runs on this machine corrected them.
    """

    seconds: float | None
    low: float | None
    high: float | None
    base: float | None
    memory: int | None


@dataclass(frozen=True)
class Scale:
    """By how much this machine is slower than the one of the model, and how that is known."""

    factor: float
    why: str


def scale_of(device: Any) -> Scale:
    """From the calibrations of both, if there are."""
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
    """By how much recent runs of a task took longer than predicted, and how many those were."""
    return _correction(task, str(journal().path), int(time.monotonic() / FRESH))


@functools.lru_cache(maxsize=64)
def _correction(task: str, path: str, when: int) -> tuple[float, int]:
    mine = machine()[0]
    off = [
        math.log(run.seconds / run.plan["base"])
        for run in journal().runs(task, last=RECENT)
        if run.machine == mine and run.plan and run.plan.get("base") and run.seconds >= LONG
    ]
    if not off:
        return 1.0, 0
    middle = statistics.median(off) * len(off) / (len(off) + FEW)
    return min(max(math.exp(middle), 1 / FARTHEST), FARTHEST), len(off)


def estimate(
    task: str, way: str, graph: Graph, numbers: dict[str, float], scale: Scale, longer: float = 1.0
) -> Estimate:
    """What a way takes on a graph of that shape; ``longer`` is a factor for its arguments."""
    model = the_model()
    found = model.predict(f"{task}/{way}", numbers)
    memory = model.peak(f"{task}/{way}", graph)
    if found is None:
        return Estimate(None, None, None, None, memory)
    base: Predicted = found.times(scale.factor * longer)
    here = base.times(correction(task)[0])
    return Estimate(here.seconds, here.low, here.high, base.seconds, memory)
