"""Lines and dots over two axes, or three if there is one on the right."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from .axes import Axis, panels
from .drawing import WIDE, Drawing, Point
from .palette import series as coloured

__all__ = ["Series", "xy"]

RIGHT_AXIS_PIXELS = 56  # room for the ticks of an axis on the right
RADIUS = {"line": 3.0, "dots": 3.5, "large": 6.0, "rings": 6.0}  # pixels of dots, by kind of marks


class Series(NamedTuple):
    """Points, and how they are drawn.

    ``marks`` is ``line`` (with dots on it), ``curve`` (without dots), ``steps``, ``dashed``, ``dots``,
    ``large`` (dots) or ``rings``. A series without a name is not in the legend. Points have a tip each
    if there are ``tips``; ``right`` measures by the axis on the right.
    """

    name: str
    points: Sequence[Point]
    marks: str = "line"
    tips: Sequence[str] = ()
    role: str = ""
    right: bool = False


def xy(
    title: str,
    series: Sequence[Series],
    axes: Sequence[Axis],
    width: float = WIDE,
    height: float = 200,
) -> Drawing:
    """Draw every series with a colour of its own; ``axes`` are below, on the left and on the right.

    >>> time = Series("host", [(0, 0.2), (1, 0.1)])
    >>> print(xy("Time", [time], (Axis("share"), Axis("s"))).about)
    Time: host, 2 points
    """
    named = [s for s in series if s.name]
    free = coloured([s.name for s in named if not s.role])
    colours = {s.name: s.role or free[s.name] for s in named}
    dashed = [s.name for s in named if s.marks == "dashed"]
    made = Drawing(title, width, 0)
    margins = (56, RIGHT_AXIS_PIXELS if len(axes) > 2 else 12)
    (frame,) = panels(made, (height,), colours if len(named) > 1 else {}, margins, dashed)
    over = frame.x((x for s in series for x, _ in s.points), axes[0])
    sides = [
        frame.y((y for s in series if s.right is right for _, y in s.points), axis, right=right)
        for axis, right in zip(axes[1:], (False, True), strict=False)
    ]
    for name, points, marks, tips, role, right in series:
        colour = role or colours[name]
        placed = [(over(x), sides[right](y)) for x, y in points]
        path = placed
        if marks == "steps":
            path = [p for a, b in pairwise(placed) for p in (a, (b[0], a[1]))] + placed[-1:]
        if marks in ("line", "curve", "steps", "dashed") and path:
            made.line(path, colour, size=1.8, dashed=right or marks == "dashed")
        for k, (x, y) in enumerate(placed if marks in RADIUS else ()):
            below, beside = axes[0], axes[1 + right]
            tip = f"{name}\n{below.label} {below.shown(points[k][0])}: {beside.shown(points[k][1])}"
            look = 0.7 if marks == "dots" else 1.0
            tip, hollow = tips[k] if tips else tip, marks == "rings"
            made.dot(x, y, RADIUS[marks], colour, tip=tip, hollow=hollow, opacity=look)
    parts = [f"{s.name}, {len(s.points)} points" for s in named]
    made.about = f"{title}: {'; '.join(parts)}"
    return made
