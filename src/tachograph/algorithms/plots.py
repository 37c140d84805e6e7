"""The picture of a breadth-first search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .figures import new_figure

if TYPE_CHECKING:
    from .result import Trace

__all__ = ["direction_figure"]

PUSH, PULL, LOST = "#cfe3f7", "#f7d9c4", "#c0392b"


def direction_figure(trace: Trace) -> Any:
    """Frontier of every level over the chosen direction as background; time below.

    If both directions were timed, dots mark the faster one, and bars what was lost.
    """
    levels = np.arange(len(trace))
    pulled = trace["direction"] == "pull"
    timed = {"push_seconds", "pull_seconds"} <= set(trace.columns)
    figure, (above, below) = new_figure(2, 1, figsize=(8, 5), sharex=True, height_ratios=(3, 2))
    edges = np.flatnonzero(np.diff(pulled.astype(int))) + 1
    for begin, end in zip([0, *edges], [*edges, len(levels)], strict=True):
        for axis in (above, below):
            colour = PULL if len(pulled) and pulled[begin] else PUSH
            axis.axvspan(begin - 0.5, end - 0.5, color=colour, linewidth=0)
    above.plot(levels, np.maximum(trace["frontier_vertices"], 1), color="black", marker=".")
    above.set_xlim(-0.5, max(len(levels), 1) - 0.5)
    above.set_yscale("log")
    above.set_ylabel("vertices in the frontier")
    above.set_title("background: push blue, pull orange")
    below.plot(levels, trace["seconds"] * 1e3, color="black", marker=".", label="this run")
    if timed:
        push, pull = trace["push_seconds"] * 1e3, trace["pull_seconds"] * 1e3
        below.plot(levels, push, color="#1f5f9e", linewidth=0.8, label="push")
        below.plot(levels, pull, color="#b35806", linewidth=0.8, label="pull")
        best = np.fmin(push, pull)
        right = above.get_ylim()[0]
        faster = np.where(pull < push, "#b35806", "#1f5f9e")
        above.scatter(
            levels, np.full(len(levels), right), c=faster, marker="s", s=14, clip_on=False
        )
        lost = np.where(pulled, pull, push) - best
        below.bar(levels, lost, color=LOST, width=0.5, label="lost")
        above.set_title("background: push blue, pull orange; squares: the faster one")
    below.set_yscale("log")
    below.set_ylabel("ms")
    below.set_xlabel("level")
    below.legend(loc="upper right", fontsize="small")
    return figure
