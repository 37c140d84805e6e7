"""A drawing: a list of marks in pixels, which becomes SVG, PNG or PDF."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..graph.files.streams import aside
from ..util.errors import InputError

__all__ = ["NARROW", "SIZE", "WIDE", "Drawing", "Mark", "check_picture", "stacked", "text_width"]

WIDE, NARROW = 640, 340  # pixels; what a report shows on a screen and on a phone
SIZE = 12  # of text, in pixels
GAP = 24  # between drawings that are stacked
FORMATS = (".svg", ".png", ".pdf", ".html")

Point = tuple[float, float]


@dataclass(frozen=True)
class Mark:
    """One thing that is drawn: a rectangle, line, area, dot or text.

    ``role`` names a colour, ``tip`` is shown when it is pointed at. ``points`` are corners of a
    rectangle or the points of a line or area, ``size`` the width of a line, radius of a dot or height
    of a text.
    """

    kind: str
    points: tuple[Point, ...]
    role: str
    tip: str = ""
    text: str = ""
    size: float = 1.0
    opacity: float = 1.0
    dashed: bool = False
    hollow: bool = False
    bold: bool = False
    anchor: str = "start"


@dataclass
class Drawing:
    """Marks on a sheet of ``width`` by ``height`` pixels.

    In a notebook it shows itself; ``save`` writes it to a file.

    >>> made = Drawing("a square", 40, 40)
    >>> made.rect(10, 10, 20, 20, "s1", tip="20 by 20")
    >>> "<title>20 by 20</title>" in made.svg()
    True
    """

    title: str
    width: float
    height: float
    about: str = ""
    marks: list[Mark] = field(default_factory=list, repr=False)

    def rect(
        self, x: float, y: float, width: float, height: float, role: str, *, tip: str = "",
        opacity: float = 1.0,
    ) -> None:  # fmt: skip
        """A filled rectangle."""
        corners = ((x, y), (x + width, y + height))
        self.marks.append(Mark("rect", corners, role, tip, opacity=opacity))

    def line(
        self, points: Sequence[Point], role: str, *, width: float = 1.0, dashed: bool = False,
        opacity: float = 1.0,
    ) -> None:  # fmt: skip
        """A line through points."""
        self.marks.append(
            Mark("line", tuple(points), role, size=width, dashed=dashed, opacity=opacity)
        )

    def area(self, points: Sequence[Point], role: str, *, opacity: float = 0.2) -> None:
        """A filled polygon."""
        self.marks.append(Mark("area", tuple(points), role, opacity=opacity))

    def dot(
        self, x: float, y: float, radius: float, role: str, *, tip: str = "", hollow: bool = False,
        opacity: float = 1.0,
    ) -> None:  # fmt: skip
        """A disc, or a ring if it is hollow."""
        self.marks.append(
            Mark("dot", ((x, y),), role, tip, size=radius, hollow=hollow, opacity=opacity)
        )

    def text(
        self, x: float, y: float, text: str, role: str = "ink", *, anchor: str = "start",
        size: float = SIZE, bold: bool = False,
    ) -> None:  # fmt: skip
        """A line of text on the base line ``y``."""
        self.marks.append(
            Mark("text", ((x, y),), role, text=text, size=size, bold=bold, anchor=anchor)
        )

    def svg(self, *, styled: bool = True) -> str:
        """As an SVG element, with its own style unless the page around it has one."""
        from .svg import svg

        return svg(self, styled)

    def _repr_html_(self) -> str:
        return f'<div style="max-width:{self.width:g}px">{self.svg()}</div>'

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a .svg, .html, .png or .pdf file; the last two need matplotlib.

        Raises
        ------
        InputError
            For another kind of file, or one that cannot be written.
        MissingDependencyError
            Without matplotlib.
        """
        check_picture(path)
        suffix = Path(path).suffix.lower()
        with aside(path) as temporary:
            if suffix in (".svg", ".html"):
                page = "<!doctype html><meta charset='utf-8'>" if suffix == ".html" else ""
                temporary.write_text(page + self.svg() + "\n", encoding="utf-8")
            else:
                from .raster import draw

                draw(self, temporary, suffix[1:])


def stacked(drawings: Sequence[Drawing]) -> Drawing:
    """Several drawings as one, each below the one before.

    >>> stacked([Drawing("a", 10, 20), Drawing("b", 15, 5)]).height
    49
    """
    made = Drawing("; ".join(d.title for d in drawings), max(d.width for d in drawings), 0)
    for drawing in drawings:
        down = made.height + GAP if made.height else 0
        for mark in drawing.marks:
            points = tuple((x, y + down) for x, y in mark.points)
            made.marks.append(replace(mark, points=points))
        made.height = down + drawing.height
    made.about = "; ".join(d.about or d.title for d in drawings)
    return made


def check_picture(path: Any) -> None:
    """Refuse, before any work is done, what could not be written."""
    suffix = Path(path).suffix.lower()
    if suffix not in FORMATS:
        raise InputError(f"{path}: a picture is written as {', '.join(FORMATS)}")
    if suffix in (".png", ".pdf"):
        from .figures import need_matplotlib

        need_matplotlib()


def text_width(text: str, size: float = SIZE) -> float:
    """About how wide a text is; generous for narrow letters."""
    return len(text) * size * 0.56
