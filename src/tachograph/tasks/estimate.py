"""Predict the time and memory of a way: the model's times, scaled to this machine."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping
from dataclasses import dataclass, replace

from ..decisions.times.model import CONFIDENCE, PROBED, Predicted, the_model
from ..devices.calibrate import calibration
from ..devices.host import Host
from ..devices.opencl import OpenCL
from ..graph.graph import Graph
from ..journal import machine
from .experience import experience

__all__ = ["UNKNOWN", "Estimate", "Scale", "estimate", "scale_of"]

RATES = ("gather", "stream")  # what graph algorithms wait for
NORMAL = statistics.NormalDist()


@dataclass(frozen=True)
class Estimate:
    """Seconds with their 90 % interval, and bytes; None where nothing is known.

    ``base`` is the seconds before the runs on this machine corrected them; ``runs`` is how many of
    these were in this way on this graph.
    """

    seconds: float | None = None
    low: float | None = None
    high: float | None = None
    base: float | None = None
    memory: int | None = None
    runs: int = 0

    def chance(self, seconds: float) -> float | None:
        """Return how likely it takes at most ``seconds``, as if logarithms were normal; None: unknown.

        >>> Estimate(1.0, 0.5, 2.0).chance(2.0), UNKNOWN.chance(2.0)
        (0.95, None)
        """
        if self.seconds is None or self.high is None:
            return None
        if not (self.seconds and seconds):  # nothing is to be done, or there is no time
            return float(self.seconds <= seconds)
        width = math.log(self.high / self.seconds) / NORMAL.inv_cdf((1 + CONFIDENCE) / 2)
        return round(NORMAL.cdf((math.log(seconds) - math.log(self.seconds)) / max(width, 1e-9)), 6)

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


def estimate(
    name: str,
    graph: Graph,
    numbers: Mapping[str, float] | None,
    scale: Scale,
    work: float = 1.0,
    of: tuple[str, str] | None = None,
    slower: float = 1.0,
) -> Estimate:
    """Predict what a task and way (``"bfs/auto"``) takes on a graph of that shape.

    ``work`` is a multiple of the usual work. Without ``numbers`` only the memory is known. ``of`` is
    the task whose earlier runs count, and the mark of the graph. On a busy machine it may take up to
    ``slower`` times as long.
    """
    model = the_model()
    memory = model.peak(name, graph)
    known = dict(numbers or {})
    if PROBED[0] in known:
        known[PROBED[0]] -= math.log(scale.factor)  # what the model's machine would take
    found = model.predict(name, known) if known else None
    if found is None:
        return Estimate(memory=memory)
    base: Predicted = found.times(scale.factor * work)
    task, mark = of or (name.partition("/")[0], "")
    past = experience(task)
    factor, own, weight, runs = past.correct(name.partition("/")[2], mark)
    margin = math.log(base.high / base.seconds)
    if own is not None:
        margin += weight * (own - margin)
    seconds, off = base.seconds * factor, math.exp(margin * past.stretch)
    return Estimate(seconds, seconds / off, seconds * off * slower, base.seconds, memory, runs)
