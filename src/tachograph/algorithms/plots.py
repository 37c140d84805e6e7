"""Pictures of traces. Needs matplotlib: the extra ``plot``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InputError, MissingDependencyError

if TYPE_CHECKING:
    from .result import Trace

__all__ = ["SUFFIXES", "direction_figure", "save_figure"]

SUFFIXES = (".png", ".svg", ".html")
PUSH, PULL, LOST = "#cfe3f7", "#f7d9c4", "#c0392b"


def pyplot() -> Any:
    """Matplotlib's pyplot, without a screen."""
    try:
        import matplotlib
    except ImportError:
        raise MissingDependencyError(
            "pictures need matplotlib: python -m pip install 'tachograph[plot]'"
        ) from None
    matplotlib.use("agg")
    from matplotlib import pyplot

    return pyplot


def check_suffix(path: Path) -> None:
    """Refuse, before any work is done, what could not be written."""
    if path.suffix not in SUFFIXES:
        raise InputError(f"{path}: pictures are {', '.join(SUFFIXES)} files")
    pyplot()


def direction_figure(trace: Trace) -> Any:
    """Frontier of every level over the chosen direction as background; time below.

    If both directions were timed, dots mark the faster one, and bars what was lost.
    """
    plots = pyplot()
    levels = np.arange(len(trace))
    pulled = trace["direction"] == "pull"
    timed = {"push_seconds", "pull_seconds"} <= set(trace.columns)
    figure, (above, below) = plots.subplots(
        2, 1, figsize=(8, 5), sharex=True, layout="constrained", height_ratios=(3, 2)
    )
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


def save_figure(figure: Any, path: Path) -> None:
    """Write a picture aside, then rename it; .html is a page that holds it."""
    from io import StringIO

    from ..graph.files.streams import aside

    plots = pyplot()
    with aside(path) as temporary:
        if path.suffix == ".html":
            text = StringIO()
            figure.savefig(text, format="svg")
            drawing = text.getvalue()
            page = (
                "<!doctype html><meta charset='utf-8'><meta name='viewport' "
                "content='width=device-width'><title>Tachograph</title>"
                "<style>svg{max-width:100%;height:auto}</style>" + drawing[drawing.index("<svg") :]
            )
            temporary.write_text(page, encoding="utf-8")
        else:
            figure.savefig(temporary, format=path.suffix[1:], dpi=150)
    plots.close(figure)
