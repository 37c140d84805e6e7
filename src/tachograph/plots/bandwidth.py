"""Bandwidth and row hits of a simulated memory over time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from . import numbers as show
from .axes import Frame, head
from .bins import bins, numbers
from .drawing import WIDE, Drawing
from .palette import series
from .scales import Scale, linear

__all__ = ["bandwidth"]

HEIGHTS = 150, 90
POINT = 3.0  # least pixels between two points of a line


def bandwidth(runs: Mapping[str, Mapping[str, Any]], width: float = WIDE) -> Drawing:
    """A line for each memory: GB/s above, the share of requests that found their row open below.

    Parameters
    ----------
    runs
        By name: ``seconds`` (when each step began), ``gbps``, ``row_hit_rate``; ``peak_gbps``, and
        ``end``, when the last step ended, if they are known.
    width
        In pixels.

    Examples
    --------
    >>> drawn = bandwidth({"DDR4": {"seconds": [0, 1e-6], "gbps": [12, 15], "row_hit_rate": [0.5, 0.75],
    ...                             "peak_gbps": 19.2}})
    >>> "DDR4, 15 GB/s" in drawn.svg()
    True
    """
    colours = series(list(runs))
    peaks = {name: float(run["peak_gbps"]) for name, run in runs.items() if "peak_gbps" in run}
    made = Drawing("DRAM bandwidth over time, simulated", width, 0)
    legend = dict(colours)
    if peaks:
        legend["dashed: the memory's peak"] = "axis"
    top = head(made, legend, ("dashed: the memory's peak",)) + 26
    above = Frame(made, 46, top, width - 12, top + HEIGHTS[0])
    below = Frame(made, 46, above.bottom + 30, width - 12, above.bottom + 30 + HEIGHTS[1])
    made.height = below.bottom + 40
    end = max((_end(run) for run in runs.values()), default=1.0)
    over = above.across(0.0, end)
    speeds = [v for run in runs.values() for v in numbers(run["gbps"])]
    upright = linear([*speeds, *peaks.values()], above.bottom, above.top)
    above.y_axis(upright, "GB/s", show.short)
    for name, peak in peaks.items():
        y, far = upright(peak), over(_end(runs[name]))
        made.line([(above.left, y), (far, y)], colours[name], dashed=True)
    hits = Scale(0.0, 1.0, below.bottom, below.top)
    below.y_axis(hits, "row hits", show.percent, 2)
    for name, run in runs.items():
        _steps(made, over, upright, run, "gbps", colours[name], name, "{:.3g} GB/s")
        _steps(made, over, hits, run, "row_hit_rate", colours[name], name, "{:.0%} row hits")
    made.line([(above.left, above.bottom), (above.right, above.bottom)], "axis")
    below.x_axis(over, "simulated time", show.seconds)
    made.about = f"{made.title}: " + ", ".join(
        f"{name} for {show.seconds(_end(run))}" for name, run in runs.items()
    )
    return made


def _end(run: Mapping[str, Any]) -> float:
    when: Sequence[float] = run["seconds"]
    if "end" in run:
        return float(run["end"])
    return float(when[-1] + (when[-1] - when[-2] if len(when) > 1 else 1e-9)) if when else 1e-9


def _steps(
    made: Drawing, over: Scale, upright: Scale, run: Mapping[str, Any], column: str, role: str,
    name: str, form: str,
) -> None:  # fmt: skip
    """A line in steps, thinned to what can be seen; dots that cannot be seen carry the values."""
    when, values = [*numbers(run["seconds"]), _end(run)], numbers(run[column])
    room = max(1, int((over(_end(run)) - over(0.0)) / POINT))
    line: list[tuple[float, float]] = []
    for cell in bins(len(values), room):
        known = [values[i] for i in cell if math.isfinite(values[i])]
        if not known:
            continue
        mean = sum(known) / len(known)
        left, right, y = over(when[cell[0]]), over(when[cell[-1] + 1]), upright(mean)
        line += [(left, y), (right, y)]
        tip = f"{name}, {form.format(mean)}\nat {show.seconds(when[cell[0]])}"
        made.dot((left + right) / 2, y, 5, role, tip=tip, opacity=0.0)
    if line:
        made.line(line, role, width=1.6)
