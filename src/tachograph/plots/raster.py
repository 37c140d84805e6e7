"""Drawings as PNG and PDF, by matplotlib, in the light colours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .drawing import Drawing, Mark
from .figures import new_figure
from .palette import LIGHT

__all__ = ["draw"]

INCH = 96  # pixels
ANCHORS = {"start": "left", "middle": "center", "end": "right"}


def draw(drawing: Drawing, path: Path, kind: str) -> None:
    """Write a drawing at twice the density of a plain screen."""
    size = drawing.width / INCH, drawing.height / INCH
    figure, axes = new_figure(figsize=size, subplot_kw={"position": (0, 0, 1, 1)})
    figure.set_layout_engine("none")
    axes.set(xlim=(0, drawing.width), ylim=(drawing.height, 0))
    axes.set_axis_off()
    for order, mark in enumerate(drawing.marks, 2):
        for artist in _ADD[mark.kind](axes, mark):
            artist.set_zorder(order)  # as drawn, not lines above areas
    figure.savefig(path, format=kind, dpi=2 * INCH, facecolor=LIGHT["paper"])


def _rect(axes: Any, mark: Mark) -> list[Any]:
    from matplotlib.patches import Rectangle

    (x, y), (right, bottom) = mark.points
    look: dict[str, Any] = {"facecolor": LIGHT[mark.role], "alpha": mark.opacity, "linewidth": 0}
    return [axes.add_patch(Rectangle((x, y), right - x, bottom - y, **look))]


def _line(axes: Any, mark: Mark) -> list[Any]:
    look = {"color": LIGHT[mark.role], "alpha": mark.opacity, "linewidth": mark.size * 72 / INCH}
    drawn: list[Any] = axes.plot(
        *zip(*mark.points, strict=True), linestyle="--" if mark.dashed else "-", **look
    )
    return drawn


def _area(axes: Any, mark: Mark) -> list[Any]:
    look = {"color": LIGHT[mark.role], "alpha": mark.opacity, "linewidth": 0}
    drawn: list[Any] = axes.fill(*zip(*mark.points, strict=True), **look)
    return drawn


def _dot(axes: Any, mark: Mark) -> list[Any]:
    from matplotlib.patches import Circle

    face = LIGHT["paper"] if mark.hollow else LIGHT[mark.role]
    look = {"facecolor": face, "edgecolor": LIGHT[mark.role], "alpha": mark.opacity}
    width = 1.5 if mark.hollow else 0
    return [axes.add_patch(Circle(mark.points[0], mark.size, linewidth=width, **look))]


def _text(axes: Any, mark: Mark) -> list[Any]:
    ((x, y),) = mark.points
    look = {"color": LIGHT[mark.role], "fontsize": mark.size * 72 / INCH,
            "fontweight": "bold" if mark.bold else "normal"}  # fmt: skip
    return [axes.text(x, y, mark.text, ha=ANCHORS[mark.anchor], parse_math=False, **look)]


_ADD = {"rect": _rect, "line": _line, "area": _area, "dot": _dot, "text": _text}
