"""A picture of who did what when."""

from __future__ import annotations

import os

import numpy as np

from .figures import check_picture, new_figure, save_figure
from .result import Result

__all__ = ["plot_lanes"]

HEIGHT = 0.8  # of a bar; lanes are 1 apart


def plot_lanes(result: Result, path: str | os.PathLike[str]) -> None:
    """Draw a lane for each device, with a bar for each piece of work, to a picture file.

    Parameters
    ----------
    result
        Of a similarity: its trace has phase, begin, seconds and edges.
    path
        Ends in .png, .svg, .pdf or .html.

    Raises
    ------
    InputError
        For another kind of file.
    MissingDependencyError
        Without matplotlib.
    """
    check_picture(path)
    lanes = list(dict.fromkeys(result.trace["phase"].tolist()))
    figure, axes = new_figure(figsize=(8, 1 + 0.8 * len(lanes)))
    zero = float(result.trace["begin"].min(initial=np.inf))  # opening a device comes before it
    total = sum(result.trace["edges"].tolist()) or 1
    for number, lane in enumerate(lanes):
        rows = [row for row in result.trace if row["phase"] == lane]
        # workers of the host overlap: each has its part of the lane
        part = HEIGHT / len(rows) if lane == "host" else HEIGHT
        for at, row in enumerate(rows):
            bottom = number - HEIGHT / 2 + (part * at if lane == "host" else 0)
            axes.broken_barh([((row["begin"] - zero) * 1e3, row["seconds"] * 1e3)], (bottom, part),
                             facecolor=f"C{number}", edgecolor="white", linewidth=0.8)  # fmt: skip
    shares = {lane: sum(r["edges"] for r in result.trace if r["phase"] == lane) for lane in lanes}
    axes.set_yticks(
        range(len(lanes)), [f"{x}\n{shares[x] / total:.0%} of the edges" for x in lanes]
    )
    axes.set_xlabel("milliseconds")
    axes.set_title(f"{result.task}: {result.seconds * 1e3:.3g} ms")
    save_figure(figure, path)
