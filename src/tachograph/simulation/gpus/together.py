"""Host and simulated GPU together: how work is split between them, and where each kernel runs."""

from __future__ import annotations

from dataclasses import dataclass

from .gpu import GPU
from .result import GpuSimulation

__all__ = ["Placement", "Split", "place", "split"]


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
