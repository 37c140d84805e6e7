"""Figure 1 of the paper on hybrid Jaccard similarity: time against the host's share of the edges."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..algorithms.similarity import jaccard
from ..devices.opencl import open_device
from ..graph import generate
from ..graph.graph import Graph
from ..plots.figures import new_figure, save_figure
from .reproduce import Settings, Table, measure

__all__ = ["figure_1"]

NOTES = [
    "Paper: AMD EPYC 7742 (64 cores) and NVIDIA A100; Gini index by graph; for the graphs that benefit "
    "most 16.4 % to 28.8 % less time than on the GPU alone, for some no benefit; the figure itself has "
    "no numbers to copy.",
    "Here: the host with {host} thread(s) and {device}. A device that computes on the host's own cores "
    "adds cores, not another kind of processor, so gains differ from the paper's. A fixed share pays "
    "for ordering and counting, which graphs with little work for each edge do not earn back; auto, "
    "which takes chunks from both ends, does not pay for it.",
    "The gain is that of the best of the shares over the device alone (as in the paper) and over the "
    "better of the two.",
]


def _graphs(full: bool) -> dict[str, Callable[[], Graph]]:
    """Two graphs of low and two of high Gini index, as in the paper."""
    scale = 18 if full else 16
    side = 1500 if full else 700
    n = side * side
    return {
        "road (low)": lambda: generate.road(side, side, rng=1),
        "uniform (low)": lambda: generate.uniform(n // 4, 8, rng=1),
        "power law (high)": lambda: generate.power_law(n // 8, exponent=2.2, least=4, rng=1),
        "kronecker (high)": lambda: generate.kronecker(scale, rng=1),
    }


def time_shares(
    name: str, full: bool, shares: list[float], rounds: int, threads: int, device: str
) -> dict[str, Any]:
    """Median seconds of every share and of either device alone, in turns: a task of a campaign."""
    graph = _graphs(full)[name]()
    opened = open_device(device)
    ways: dict[str, dict[str, Any]] = {
        str(share): {"device": ["host", opened], "split": share} for share in shares
    }
    ways |= {"device": {"device": [opened]}, "host": {"device": "host"}}
    ways["auto"] = {"device": ["host", opened]}
    times: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(rounds + 1):
        for way, options in ways.items():
            times[way].append(jaccard(graph, threads=threads, **options).seconds)
    median = {way: statistics.median(found[1:]) for way, found in times.items()}
    return {"graph": name, "gini": float(graph.features.gini), "seconds": median}


def figure_1(settings: Settings) -> Iterator[Table]:
    """Seconds of every share, and what the best of them gains over one device."""
    shares = np.linspace(0, 1, 21 if settings.full else 11).tolist()
    rounds = 5 if settings.full else 3
    device = open_device()
    threads = 1
    tasks = [
        {"name": name, "full": settings.full, "shares": shares, "rounds": rounds, "threads": threads,
         "device": device.found.id}
        for name in _graphs(settings.full)
    ]  # fmt: skip
    rows, curves = [], {}
    for found in measure(settings, "jaccard:time_shares", tasks, device.key):
        median, name = found["seconds"], found["graph"]
        best = min(shares, key=lambda share: median[str(share)])
        least, one = median[str(best)], min(median["host"], median["device"])
        rows.append([
            name, found["gini"], median["device"], median["host"], best, least, median["auto"],
            1 - least / median["device"], 1 - least / one,
        ])  # fmt: skip
        curves[name] = [median[str(share)] for share in shares]
    columns = ["graph", "Gini", "device, s", "host, s", "best share", "at it, s", "auto, s",
               "gain over device", "gain over one"]  # fmt: skip
    notes = [note.format(host=threads, device=device.name) for note in NOTES]
    yield Table("Time against the host's share of the edges", columns, rows, notes)
    names = list(curves)
    points = [[share, *(curves[name][i] for name in names)] for i, share in enumerate(shares)]
    yield Table("Seconds by share", ["share", *names], points)
    if settings.output is not None:
        _draw(settings.output / "jaccard-figure-1.svg", shares, curves)


def _draw(path: Path, shares: list[float], curves: dict[str, list[float]]) -> None:
    figure, grid = new_figure(2, 2, figsize=(8, 6))
    for axes, (name, seconds) in zip(grid.flat, curves.items(), strict=True):
        axes.plot(shares, np.array(seconds) * 1e3, marker="o")
        axes.set(title=name, xlabel="share of the edges on the host", ylabel="ms", ylim=(0, None))
    save_figure(figure, path)
