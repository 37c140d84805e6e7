"""Bandwidth and row hits of a simulated memory over time."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from . import numbers as show
from .axes import Axis, panels
from .bins import bins, numbers
from .drawing import WIDE, Drawing
from .palette import series
from .scales import Scale

__all__ = ["Timeline", "bandwidth"]

STEP_PIXELS = 3.0  # least distance of two points of a line
PEAK = "dashed: the memory's peak"


#: A memory's run in steps: ``seconds`` (when each began), ``gbps``, ``row_hit_rate`` (the share of
#: requests that found their row open); ``end`` of the last step and ``peak_gbps`` if they are known.
Timeline = Mapping[str, Any]


def bandwidth(runs: Mapping[str, Timeline], width: float = WIDE) -> Drawing:
    """Draw a line for each memory: GB/s above, the share of requests with an open row below.

    >>> drawn = bandwidth({"DDR4": {"seconds": [0, 1e-6], "gbps": [12, 15], "row_hit_rate": [0.5, 0.75],
    ...                             "peak_gbps": 19.2}})
    >>> "DDR4, 15 GB/s" in drawn.svg()
    True
    """
    colours = series(list(runs))
    peaks = {name: float(run["peak_gbps"]) for name, run in runs.items() if "peak_gbps" in run}
    made = Drawing("DRAM bandwidth over time, simulated", width, 0)
    legend = colours | ({PEAK: "axis"} if peaks else {})
    above, below = panels(made, (150, 90), legend, dashed=(PEAK,))
    ends = {name: _end(run) for name, run in runs.items()}
    end = max(ends.values(), default=1.0)
    over = below.x((0.0, end), Axis("simulated time", show.seconds, "exact", 6))
    speeds = [v for run in runs.values() for v in numbers(run["gbps"])]
    upright = above.y([*speeds, *peaks.values()], Axis("GB/s", ticks=4))
    hits = below.y((0.0, 1.0), Axis("row hits", show.percent, "exact", 2))
    above.floor()
    for name, peak in peaks.items():
        y = upright(peak)
        made.line([(above.left, y), (over(ends[name]), y)], colours[name], dashed=True)
    for name, run in runs.items():
        when = [*numbers(run["seconds"]), ends[name]]
        for y_scale, values, form in (
            (upright, run["gbps"], "{:.3g} GB/s"),
            (hits, run["row_hit_rate"], "{:.0%} row hits"),
        ):
            line = []
            for left, right, y, mean, at in _steps(over, y_scale, when, numbers(values)):
                line += [(left, y), (right, y)]
                tip = f"{name}, {form.format(mean)}\nat {show.seconds(at)}"
                made.dot((left + right) / 2, y, 5, colours[name], tip=tip, opacity=0.0)
            if line:
                made.line(line, colours[name], size=1.6)
    parts = [f"{name} for {show.seconds(end)}" for name, end in ends.items()]
    made.about = f"{made.title}: {', '.join(parts)}"
    return made


def _end(run: Timeline) -> float:
    when = run["seconds"]
    if "end" in run:
        return float(run["end"])
    return float(when[-1] + (when[-1] - when[-2] if len(when) > 1 else 1e-9)) if when else 1e-9


def _steps(
    over: Scale, upright: Scale, when: list[float], values: list[float]
) -> list[tuple[float, float, float, float, float]]:
    """Put steps together that are too short to be seen: left, right, y, mean value, begin."""
    made = []
    for cell in bins(len(values), max(1, int((over(when[-1]) - over(0.0)) / STEP_PIXELS))):
        known = [values[i] for i in cell if math.isfinite(values[i])]
        if known:
            mean, begin = sum(known) / len(known), when[cell[0]]
            made.append((over(begin), over(when[cell[-1] + 1]), upright(mean), mean, begin))
    return made
