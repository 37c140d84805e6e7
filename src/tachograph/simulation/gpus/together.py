"""Host and simulated GPU together: how work is split between them, and where each kernel runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .gpu import GPU
from .result import GpuSimulation

__all__ = ["Placement", "Round", "Split", "place", "split"]


@dataclass(frozen=True)
class Split:
    """A share of the work for the GPU, and the seconds of both together."""

    gpu_share: float
    seconds: float
    why: str


def split(host_seconds: float, gpu_seconds: float, copy_seconds: float = 0.0) -> Split:
    """Split work whose parts can be done anywhere so that both end at the same time.

    The GPU begins when what it needs has been copied. If the host is done by then, it does everything.

    >>> split(2.0, 2.0), split(1.0, 0.1, copy_seconds=5.0).gpu_share
    (Split(gpu_share=0.5, seconds=1.0, why='both end at the same time'), 0.0)
    """
    if copy_seconds >= host_seconds:
        return Split(0.0, host_seconds, "the host is done before the graph is copied")
    share = (host_seconds - copy_seconds) / (host_seconds + gpu_seconds)
    return Split(share, (1 - share) * host_seconds, "both end at the same time")


@dataclass(frozen=True)
class Placement:
    """Where the kernels of a run are best placed: seconds so placed, and all in one place."""

    places: tuple[str, ...]
    seconds: float
    host_seconds: float
    gpu_seconds: float
    copies: int  # times that the work list and the values of vertices change places


class Round(NamedTuple):
    """A producer on the host, then a consumer and the rest of a round on the GPU: seconds of each.

    A part of the consumer's list ends when the share ``produced`` of the producer's is done; ``parts``
    are the shares of the consumer's work.
    """

    producer: float
    launch: float
    consumer: float
    rest: float
    produced: np.ndarray
    parts: np.ndarray

    def overlapped(self, percent: float) -> tuple[float, float]:
        """Return the seconds of the round and of waiting, if the consumer begins so much earlier.

        It is launched when all but the last ``percent`` are produced, and takes its list in order.

        >>> made = Round(4.0, 1.0, 2.0, 0.0, np.array([0.5, 1.0]), np.array([0.5, 0.5]))
        >>> made.overlapped(0), made.overlapped(100)
        ((7.0, 0.0), (5.0, 2.0))
        """
        now, waited = self.producer * (1 - percent / 100) + self.launch, 0.0
        for ready, part in zip(self.producer * self.produced, self.parts, strict=True):
            waited += max(0.0, float(ready) - now)
            now = max(now, float(ready)) + float(part) * self.consumer
        return now + self.rest, waited


def place(run: GpuSimulation, gpu: GPU, vertex_bytes: int) -> Placement:
    """Place each kernel where the run is shortest, the copies between two places included.

    ``run`` is of a task in rounds, whose host times were measured while it was simulated; each
    change of place copies ``vertex_bytes``, unless host and GPU share one memory.
    """
    host, there = run.trace["host_seconds"].tolist(), run.trace["seconds"].tolist()
    move = gpu.copy_seconds(vertex_bytes)
    best: dict[str, tuple[float, tuple[str, ...]]] = {"host": (0.0, ())}
    for here, away in zip(host, there, strict=True):
        options: dict[str, tuple[float, tuple[str, ...]]] = {}
        for name, seconds in (("host", here), ("gpu", away)):
            ways = [(t + seconds + move * (name != last), p) for last, (t, p) in best.items()]
            total, places = min(ways, key=lambda way: way[0])
            options[name] = (total, (*places, name))
        best = options
    seconds, places = min(best.values(), key=lambda way: way[0])
    copies = sum(a != b for a, b in zip(("host", *places), places, strict=False))
    return Placement(places, seconds, sum(host), sum(there), copies)
