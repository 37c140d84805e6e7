"""Drawings as PNG and PDF, by matplotlib, in the light colours."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ..util.errors import MissingDependencyError
from .drawing import Drawing, Mark
from .palette import LIGHT

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw", "need_matplotlib"]

INCH_PIXELS, INCH_POINTS = 96, 72
ANCHORS = {"start": "left", "middle": "center", "end": "right"}


def need_matplotlib() -> None:
    """Raise an error that says what to install if matplotlib is missing."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError:
        raise MissingDependencyError(
            "pictures need matplotlib: python -m pip install 'tachograph[plot]'"
        ) from None


def draw(drawing: Drawing, path: Path, kind: str) -> None:
    """Write a drawing with two pixels of the file for each of its own."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(drawing.width / INCH_PIXELS, drawing.height / INCH_PIXELS))
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, drawing.width), ylim=(drawing.height, 0))
    axes.set_axis_off()
    for order, mark in enumerate(drawing.marks, 2):
        _add(axes, mark, order)  # matplotlib would put all lines above all areas
    figure.savefig(path, format=kind, dpi=2 * INCH_PIXELS, facecolor=LIGHT["paper"])


def _add(axes: Axes, mark: Mark, order: int) -> None:
    from matplotlib.patches import Circle, Patch, Polygon, Rectangle

    colour, points = LIGHT[mark.role], mark.size * INCH_POINTS / INCH_PIXELS
    x, y = mark.points[0]
    if mark.kind == "line":
        style = "--" if mark.dashed else "-"
        (drawn,) = axes.plot(*zip(*mark.points, strict=True), style, color=colour, linewidth=points)
        drawn.set(alpha=mark.opacity, zorder=order)
    elif mark.kind == "text":
        weight, place = "bold" if mark.bold else "normal", ANCHORS[mark.anchor]
        shown = axes.text(x, y, mark.text, ha=place, parse_math=False, zorder=order)
        shown.set(color=colour, fontsize=points, fontweight=weight)
    else:
        right, bottom = mark.points[-1]
        shapes: dict[str, Patch] = {"dot": Circle((x, y), mark.size), "area": Polygon(mark.points)}
        shape = shapes.get(mark.kind) or Rectangle((x, y), right - x, bottom - y)
        face = LIGHT["paper"] if mark.hollow else colour
        shape.set(facecolor=face, edgecolor=colour, linewidth=1.5 if mark.hollow else 0)
        shape.set(alpha=mark.opacity, zorder=order)
        axes.add_patch(shape)
