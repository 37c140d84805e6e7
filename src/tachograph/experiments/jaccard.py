"""Figure 1 of the paper on hybrid Jaccard similarity: time against the host's share of the edges."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..algorithms.similarity import jaccard
from ..charts.figures import new_figure, save_figure
from ..devices.opencl import open_device
from ..graph import generate
from ..graph.graph import Graph
from .reproduce import Settings, Table

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


def _graphs(full: bool) -> dict[str, Graph]:
    """Two graphs of low and two of high Gini index, as in the paper."""
    scale = 18 if full else 16
    side = 1500 if full else 700
    return {
        "road (low)": generate.road(side, side, seed=1),
        "uniform (low)": generate.uniform(side * side // 4, 8, seed=1),
        "power law (high)": generate.power_law(side * side // 8, exponent=2.2, least=4, seed=1),
        "kronecker (high)": generate.kronecker(scale, seed=1),
    }


def figure_1(settings: Settings) -> Iterator[Table]:
    """Seconds of every share, and what the best of them gains over one device."""
    shares = np.linspace(0, 1, 21 if settings.full else 11).tolist()
    rounds = 5 if settings.full else 3
    device = open_device()
    rows, curves = [], {}
    threads = 1
    for name, graph in _graphs(settings.full).items():
        ways: dict[Any, dict[str, Any]] = {
            share: {"devices": ["host", device], "split": share} for share in shares
        }
        ways |= {"device": {"devices": [device]}, "host": {"devices": "host"}}
        ways["auto"] = {"devices": ["host", device]}
        times: dict[Any, list[float]] = {way: [] for way in ways}
        for _ in range(rounds + 1):
            for way, options in ways.items():
                times[way].append(jaccard(graph, threads=threads, **options).seconds)
        median = {way: statistics.median(found[1:]) for way, found in times.items()}
        best = min(shares, key=lambda share: median[share])
        one = min(median["host"], median["device"])
        rows.append([
            name, graph.features.gini, median["device"], median["host"], best, median[best],
            median["auto"], 1 - median[best] / median["device"], 1 - median[best] / one,
        ])  # fmt: skip
        curves[name] = [median[share] for share in shares]
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
