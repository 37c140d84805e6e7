"""Figure 1 of the paper on hybrid Jaccard similarity: time against the host's share of the edges."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator
from typing import Any

from ..algorithms.similarity import jaccard
from ..decisions.graphs import graph_named
from ..devices.opencl import open_device
from ..graph import generate
from ..graph.graph import Graph
from ..plots import numbers as show
from ..plots.axes import Axis
from ..plots.charts import Series, xy
from ..plots.drawing import NARROW, Drawing, stacked
from .published import published
from .reproduce import GRAPH_COLUMNS, Record, Settings, Table, measure, origin

__all__ = ["figure_1"]

HOST_THREADS = 1
HERE = (
    "Here: the host with {host} thread(s) and {device}. A device that computes on the host's own cores "
    "adds cores, not another kind of processor, so gains differ from the paper's. A fixed share pays "
    "for ordering and counting, which graphs with little work for each edge do not earn back; auto, "
    "which takes chunks from both ends, does not pay for it."
)
GAIN = (
    "The gain is that of the best of the shares over the device alone (as in the paper) and over the "
    "better of the two."
)
FIGURE_COLUMNS = [
    *GRAPH_COLUMNS,
    "Gini",
    "device, s",
    "host, s",
    "best share",
    "at it, s",
    "auto, s",
]
FIGURE_COLUMNS += ["gain over device", "gain over one"]


def _graphs(full: bool) -> dict[str, Callable[[], Graph]]:
    """Return two graphs of low and two of high Gini index, as in the paper."""
    scale, side = (18, 1500) if full else (16, 700)
    n = side * side
    return {
        "road (low)": lambda: generate.road(side, side, rng=1),
        "uniform (low)": lambda: generate.uniform(n // 4, 8, rng=1),
        "power law (high)": lambda: generate.power_law(n // 8, exponent=2.2, least=4, rng=1),
        "kronecker (high)": lambda: generate.kronecker(scale, rng=1),
    }


def time_shares(name: str, full: bool, shares: list[float], rounds: int, device: str) -> Record:
    """Return median seconds of every share and of either device alone: a task of a campaign."""
    usual = _graphs(full)
    graph = usual[name]() if name in usual else graph_named(name)
    both = ["host", open_device(device)]
    ways: dict[str, dict[str, Any]] = {str(s): {"device": both, "split": s} for s in shares}
    ways |= {"device": {"device": both[1:]}, "host": {"device": "host"}, "auto": {"device": both}}
    times: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(rounds + 1):
        for way, options in ways.items():
            times[way].append(jaccard(graph, threads=HOST_THREADS, **options).seconds)
    median = {way: statistics.median(found[1:]) for way, found in times.items()}
    return {"graph": name, "gini": float(graph.features.gini), "seconds": median}


def figure_1(settings: Settings) -> Iterator[Table]:
    """Seconds of every share, and what the best of them gains over one device."""
    steps, rounds = (20, 5) if settings.full else (10, 3)
    shares = [k / steps for k in range(steps + 1)]
    device = open_device()
    how = {"full": settings.full, "shares": shares, "rounds": rounds, "device": device.found.id}
    tasks = [{"name": name, **how} for name in settings.graphs or _graphs(settings.full)]
    rows, curves = [], {}
    for found in measure(settings, "jaccard:time_shares", tasks, device.key):
        median, name = found["seconds"], found["graph"]
        on_host, on_device = median["host"], median["device"]
        best = min(shares, key=lambda share: median[str(share)])
        least, one = median[str(best)], min(on_host, on_device)
        gains = 1 - least / on_device, 1 - least / one
        taken = (on_device, on_host, best, least, median["auto"])
        rows.append([name, *origin(name, "split"), found["gini"], *taken, *gains])
        curves[name] = [median[str(share)] for share in shares]
    here = HERE.format(host=HOST_THREADS, device=device.name)
    notes = [published("jaccard", "figure-1").note, here, GAIN]
    yield Table("Time against the host's share of the edges", FIGURE_COLUMNS, rows, notes)
    points = [[share, *(curve[i] for curve in curves.values())] for i, share in enumerate(shares)]
    yield Table("Seconds by share", ["share", *curves], points)
    if settings.output is not None:
        _draw(shares, curves).save(settings.output / "jaccard-figure-1.svg")


def _draw(shares: list[float], curves: dict[str, list[float]]) -> Drawing:
    axes = Axis("share of the edges on the host", show.percent), Axis("time", show.seconds)
    parts = [
        xy(name, [Series(name, list(zip(shares, seconds, strict=True)))], axes, NARROW)
        for name, seconds in curves.items()
    ]
    return stacked(parts, columns=2, title="Time against the host's share of the edges")
