"""Charts of a simulated memory: bandwidth and row hits over time, and a table as shades."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from . import numbers as show
from .axes import TICK_PIXELS, Axis, Scale, bins, head, panels, text_width
from .drawing import WIDE, Drawing
from .render import series

__all__ = ["Timeline", "bandwidth", "heat"]

STEP_PIXELS = 3.0  # least distance of two points of a line
CELL_PIXELS = 20.0  # height of a row of shades
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
    colours = series(runs)
    peaks = {name: float(run["peak_gbps"]) for name, run in runs.items() if "peak_gbps" in run}
    made = Drawing("DRAM bandwidth over time, simulated", width)
    legend = colours | ({PEAK: "axis"} if peaks else {})
    above, below = panels(made, (150, 90), legend, dashed=(PEAK,))
    ends = {name: _end(run) for name, run in runs.items()}
    over = below.x(
        (0.0, max(ends.values(), default=1.0)), Axis("simulated time", show.seconds, "exact", 6)
    )
    speeds = [v for run in runs.values() for v in show.floats(run["gbps"])]
    upright = above.y([*speeds, *peaks.values()], Axis("GB/s", ticks=4))
    hits = below.y((0.0, 1.0), Axis("row hits", show.percent, "exact", 2))
    above.floor()
    for name, peak in peaks.items():
        y = upright(peak)
        made.line([(above.left, y), (over(ends[name]), y)], colours[name], dashed=True)
    for name, run in runs.items():
        when = [*show.floats(run["seconds"]), ends[name]]
        for y_scale, values, form in (
            (upright, run["gbps"], lambda v: f"{show.count(v)} GB/s"),
            (hits, run["row_hit_rate"], lambda v: f"{v:.0%} row hits"),
        ):
            line = []
            for begin, end, mean in _steps(over, when, show.floats(values)):
                left, right, y = over(begin), over(end), y_scale(mean)
                line += [(left, y), (right, y)]
                tip = f"{name}, {form(mean)}\nat {show.seconds(begin)}"
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
    over: Scale, when: list[float], values: list[float]
) -> Iterator[tuple[float, float, float]]:
    """Put steps together that are too short to be seen: begin, end and mean value."""
    for cell in bins(len(values), max(1, int((over(when[-1]) - over(0.0)) / STEP_PIXELS))):
        known = [values[i] for i in cell if math.isfinite(values[i])]
        if known:
            yield when[cell[0]], when[cell[-1] + 1], sum(known) / len(known)


def heat(
    values: Sequence[Sequence[float]],
    rows: Sequence[str],
    columns: Sequence[str],
    title: str,
    width: float = WIDE,
) -> Drawing:
    """Draw a cell for each number, the darker the more; ``values`` has a list for each of ``rows``.

    >>> print(heat([[1, 3]], ["ch 0"], ["bank 0", "bank 1"], "Requests").about)
    Requests: 1 to 3
    """
    made = Drawing(title, width)
    left = max((text_width(name) for name in rows), default=0.0) + 8
    top = head(made, {}) + 12
    wide = (width - left) / max(1, len(columns))
    every = [float(v) for row in values for v in row] or [0.0]
    most = max(every) or 1.0
    for number, (name, row) in enumerate(zip(rows, values, strict=True)):
        y = top + number * CELL_PIXELS
        made.text(left - 6, y + CELL_PIXELS / 2 + 4, name, "soft", anchor="end", size=TICK_PIXELS)
        for k, value in enumerate(row):
            tip = f"{name}, {columns[k]}\n{show.count(float(value))}"
            box = (left + k * wide, y, wide - 1, CELL_PIXELS - 1)
            made.rect(box, "s1", tip=tip, opacity=0.08 + 0.92 * (float(value) / most))
    bottom, free = top + len(rows) * CELL_PIXELS + 14, 0.0
    for k, name in enumerate(columns):
        middle, half = left + (k + 0.5) * wide, text_width(name, TICK_PIXELS - 1) / 2
        if middle - half > free:
            made.text(middle, bottom, name, "soft", anchor="middle", size=TICK_PIXELS - 1)
            free = middle + half + 4
    made.height = bottom + 8
    made.about = f"{title}: {show.count(min(every))} to {show.count(max(every))}"
    return made
