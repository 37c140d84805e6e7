"""The levels of a search: how large each was, which way it went, how long it took."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from . import numbers as show
from .axes import Frame, head
from .bins import bins, numbers, span
from .drawing import WIDE, Drawing
from .palette import series
from .scales import Scale, linear, logarithmic

__all__ = ["directions"]

BAR = 4.0  # least pixels between the left edges of two bars
HEIGHTS = 150, 110  # of the two parts


def directions(columns: Mapping[str, Sequence[Any]], width: float = WIDE) -> Drawing:
    """Vertices in the frontier of each level, and the level's time, coloured by direction or phase.

    If both directions were timed (``push_seconds``, ``pull_seconds``), rings show what the other one
    would have taken.

    Parameters
    ----------
    columns
        ``direction`` or ``phase``, ``frontier_vertices`` and ``seconds`` of every level.
    width
        In pixels.

    Examples
    --------
    >>> trace = {"direction": ["push", "pull"], "frontier_vertices": [1, 9], "seconds": [1e-5, 2e-5]}
    >>> directions(trace).svg().count("<title>")
    4
    """
    kinds = [str(k) for k in columns["direction" if "direction" in columns else "phase"]]
    frontier, taken = numbers(columns["frontier_vertices"]), numbers(columns["seconds"])
    both = {
        way: numbers(columns[f"{way}_seconds"])
        for way in ("push", "pull")
        if f"{way}_seconds" in columns
    }
    names = list(dict.fromkeys(kinds))
    colours = series(names if not both else list(dict.fromkeys([*both, *names])))
    title = "Direction of each level" if "direction" in columns else "Rounds of the search"
    made = Drawing(title, width, 0)
    legend = dict(colours)
    if both:
        legend["ring: the other direction, timed too"] = "axis"
    top = head(made, legend) + 26
    above = Frame(made, 46, top, width - 4, top + HEIGHTS[0])
    below = Frame(made, 46, above.bottom + 30, width - 4, above.bottom + 30 + HEIGHTS[1])
    made.height = below.bottom + 40
    cells = bins(len(kinds), max(1, int(above.width / BAR)))
    ways = [_main(kinds, taken, cell) for cell in cells]
    levels = above.across(-0.5, max(1, len(kinds)) - 0.5)

    sizes = [max(1.0, max(frontier[i] for i in cell)) for cell in cells]
    upright = logarithmic([1.0, *sizes], above.bottom, above.top)
    above.y_axis(upright, "vertices in the frontier", show.short)
    for cell, way, size in zip(cells, ways, sizes, strict=True):
        left, right = _edges(levels, cell)
        y = upright(size)
        tip = f"level {span(cell)}: {way}\n{show.count(size)} vertices in the frontier"
        made.rect(left, y, right - left, above.bottom - y, colours[way], tip=tip)
    made.line([(above.left, above.bottom), (above.right, above.bottom)], "axis")

    _times(below, levels, cells, ways, taken, both, colours)
    below.x_axis(levels, "level" if "direction" in columns else "round", _whole)
    made.about = _about(title, names, kinds, taken)
    return made


def _times(
    frame: Frame, levels: Scale, cells: list[range], ways: list[str], taken: list[float],
    both: Mapping[str, list[float]], colours: Mapping[str, str],
) -> None:  # fmt: skip
    """Bars of the time of each level; with both directions timed, dots on a logarithmic scale."""
    made = frame.drawing
    sums = [sum(taken[i] for i in cell) for cell in cells]
    others = {way: [_sum(times, cell) for cell in cells] for way, times in both.items()}
    every = [*sums, *(x for other in others.values() for x in other)]
    upright = (logarithmic if both else linear)(every, frame.bottom, frame.top)
    frame.y_axis(upright, "time", show.seconds, 3)
    for place, (cell, way, size) in enumerate(zip(cells, ways, sums, strict=True)):
        left, right = _edges(levels, cell)
        x, y = (left + right) / 2, upright(size)
        tip = f"level {span(cell)}: {way}\n{show.seconds(size)}"
        if not both:
            made.rect(left, y, right - left, frame.bottom - y, colours[way], tip=tip)
            continue
        radius = min(4.5, max(1.5, (right - left) / 2))
        for other, times in others.items():
            rival = times[place]
            if other != way and math.isfinite(rival):
                made.line([(x, y), (x, upright(rival))], "axis")
                note = f"level {span(cell)}: {other} would have taken {show.seconds(rival)}"
                made.dot(x, upright(rival), radius, colours[other], tip=note, hollow=True)
        made.dot(x, y, radius, colours[way], tip=tip)


def _main(kinds: list[str], taken: list[float], cell: range) -> str:
    """The kind that most of a cell's time went to."""
    times: dict[str, float] = {}
    for i in cell:
        times[kinds[i]] = times.get(kinds[i], 0.0) + taken[i]
    return max(times, key=lambda kind: times[kind])


def _edges(levels: Any, cell: range) -> tuple[float, float]:
    left, right = levels(cell[0] - 0.5), levels(cell[-1] + 0.5)
    wide = min((right - left) * 0.85, 46.0)  # few levels make thin bars, not blocks
    middle = (left + right) / 2
    return middle - wide / 2, middle + wide / 2


def _sum(column: list[float], cell: range) -> float:
    known = [column[i] for i in cell]
    return sum(known) if all(map(math.isfinite, known)) else math.nan


def _whole(value: float) -> str:
    return f"{value:.0f}" if float(value).is_integer() else ""


def _about(title: str, names: list[str], kinds: list[str], taken: list[float]) -> str:
    both = list(zip(kinds, taken, strict=True))
    parts = [
        f"{kinds.count(name)} {name}, {show.seconds(sum(t for k, t in both if k == name))}"
        for name in names
    ]
    return f"{title}: {'; '.join(parts)}"
