"""The levels of a search: how large each was, which way it went, how long it took."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from . import numbers as show
from .axes import Axis, Frame, panels
from .bins import BAR_PIXELS, Bar, Columns, bars_of, bins, numbers, span, total, whole
from .drawing import WIDE, Drawing
from .palette import series

__all__ = ["directions"]

RING = "ring: the other direction, timed too"


def directions(columns: Columns, width: float = WIDE) -> Drawing:
    """Draw the frontier and the time of each level, coloured by direction or phase.

    ``columns`` has ``direction`` or ``phase``, ``frontier_vertices`` and ``seconds`` of every level. If
    both directions were timed (``push_seconds``, ``pull_seconds``), rings show what the other one would
    have taken.

    >>> trace = {"direction": ["push", "pull"], "frontier_vertices": [1, 9], "seconds": [1e-5, 2e-5]}
    >>> directions(trace).svg().count("<title>")
    4
    """
    kind, title, unit = "phase", "Rounds of the search", "round"
    if "direction" in columns:
        kind, title, unit = "direction", "Direction of each level", "level"
    kinds, taken = [str(k) for k in columns[kind]], numbers(columns["seconds"])
    frontier = numbers(columns["frontier_vertices"])
    both = {
        way: numbers(columns[f"{way}_seconds"])
        for way in ("push", "pull")
        if f"{way}_seconds" in columns
    }
    colours = series(list(dict.fromkeys([*both, *kinds])))
    made = Drawing(title, width, 0)
    above, below = panels(made, (150, 110), colours | ({RING: "axis"} if both else {}), (46, 4))
    over = below.x((-0.5, max(1, len(kinds)) - 0.5), Axis(unit, whole, "exact", 6))
    bars = bars_of(bins(len(kinds), max(1, int(above.width / BAR_PIXELS))), over)
    ways = [_main(kinds, taken, bar.rows) for bar in bars]
    sizes = [max(1.0, max(frontier[i] for i in bar.rows)) for bar in bars]
    upright = above.y([1.0, *sizes], Axis("vertices in the frontier", show.short, "log", 4))
    for bar, way, size in zip(bars, ways, sizes, strict=True):
        tip = f"level {span(bar.rows)}: {way}\n{show.count(size)} vertices in the frontier"
        made.rect(bar.box(upright(size), above.bottom), colours[way], tip=tip)
    above.floor()
    sums = [sum(taken[i] for i in bar.rows) for bar in bars]
    if both:
        _dots(below, list(zip(bars, ways, sums, strict=True)), both, colours)
    else:
        upright = below.y(sums, Axis("time", show.seconds, ticks=3))
        for bar, way, size in zip(bars, ways, sums, strict=True):
            tip = f"level {span(bar.rows)}: {way}\n{show.seconds(size)}"
            made.rect(bar.box(upright(size), below.bottom), colours[way], tip=tip)
    parts = [
        f"{kinds.count(name)} {name}, {show.seconds(total(taken, kinds, name))}"
        for name in dict.fromkeys(kinds)
    ]
    made.about = f"{title}: {'; '.join(parts)}"
    return made


def _dots(
    frame: Frame,
    levels: Sequence[tuple[Bar, str, float]],
    both: Mapping[str, list[float]],
    colours: Mapping[str, str],
) -> None:
    """Draw the time of each level as a dot, and that of the other direction as a ring."""
    made = frame.drawing
    rivals = [
        {way: sum(times[i] for i in bar.rows) for way, times in both.items()} for bar, *_ in levels
    ]
    every = [size for *_, size in levels] + [t for times in rivals for t in times.values()]
    upright = frame.y(every, Axis("time", show.seconds, "log", 3))
    for (bar, way, size), times in zip(levels, rivals, strict=True):
        x, y, radius = bar.middle, upright(size), min(4.5, max(1.5, (bar.right - bar.left) / 2))
        for other, rival in times.items():
            if other != way and math.isfinite(rival):
                made.line([(x, y), (x, upright(rival))], "axis")
                tip = f"level {span(bar.rows)}: {other} would have taken {show.seconds(rival)}"
                made.dot(x, upright(rival), radius, colours[other], tip=tip, hollow=True)
        tip = f"level {span(bar.rows)}: {way}\n{show.seconds(size)}"
        made.dot(x, y, radius, colours[way], tip=tip)


def _main(kinds: list[str], taken: list[float], cell: range) -> str:
    """Return the kind that took most of a cell's time."""
    here, times = [kinds[i] for i in cell], [taken[i] for i in cell]
    return max(dict.fromkeys(here), key=lambda kind: total(times, here, kind))
