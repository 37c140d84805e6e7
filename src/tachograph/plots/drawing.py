"""A drawing: a list of marks in pixels, which becomes SVG, PNG or PDF."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypedDict, Unpack

from ..util.errors import InputError, MissingDependencyError
from ..util.files import aside

__all__ = ["NARROW", "TEXT_PIXELS", "WIDE", "Drawing", "Mark", "Point", "check_picture", "stacked"]

WIDE, NARROW = 640, 340  # pixels: the widths of charts in a report on a screen and on a phone
TEXT_PIXELS = 12  # height of normal text
GAP_PIXELS = 24  # between drawings that are stacked
SUFFIXES = (".svg", ".png", ".pdf", ".html")

Point = tuple[float, float]


class Look(TypedDict, total=False):
    """How a mark looks, where it differs from the usual."""

    tip: str
    size: float
    opacity: float
    dashed: bool
    hollow: bool
    bold: bool
    anchor: str


@dataclass(frozen=True)
class Mark:
    """One thing that is drawn: a rectangle, line, area, dot or text.

    ``role`` names a colour and ``tip`` is shown when a reader points at the mark. ``points`` are the
    corners of a rectangle or the points of a line or area. ``size`` is the width of a line, the radius
    of a dot or the height of a text, in pixels.
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

    A notebook displays it; ``save`` writes it to a file.

    >>> made = Drawing("a square", 40, 40)
    >>> made.rect((10, 10, 20, 20), "s1", tip="20 by 20")
    >>> "<title>20 by 20</title>" in made.svg()
    True
    """

    title: str
    width: float
    height: float = 0
    about: str = ""
    marks: list[Mark] = field(default_factory=list, repr=False)

    def rect(self, box: tuple[float, float, float, float], role: str, **look: Unpack[Look]) -> None:
        """Add a filled rectangle, given by its left and upper edge, its width and its height."""
        x, y, width, height = box
        self.marks.append(Mark("rect", ((x, y), (x + width, y + height)), role, **look))

    def line(self, points: Sequence[Point], role: str, **look: Unpack[Look]) -> None:
        """Add a line through points."""
        self.marks.append(Mark("line", tuple(points), role, **look))

    def area(self, points: Sequence[Point], role: str, **look: Unpack[Look]) -> None:
        """Add a filled polygon."""
        self.marks.append(Mark("area", tuple(points), role, **look))

    def dot(self, x: float, y: float, radius: float, role: str, **look: Unpack[Look]) -> None:
        """Add a disc, or a ring if it is hollow."""
        look["size"] = radius
        self.marks.append(Mark("dot", ((x, y),), role, **look))

    def text(self, x: float, y: float, text: str, role: str = "ink", **look: Unpack[Look]) -> None:
        """Add a line of text on the base line ``y``."""
        look.setdefault("size", TEXT_PIXELS)
        self.marks.append(Mark("text", ((x, y),), role, text=text, **look))

    def svg(self, *, styled: bool = True) -> str:
        """Return an SVG element, with its own style unless the page around it has one."""
        from .render import svg

        return svg(self, styled)

    def _repr_html_(self) -> str:
        return f'<div style="max-width:{self.width:g}px">{self.svg()}</div>'

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a .svg, .html, .png or .pdf file; the last two need matplotlib.

        Raises
        ------
        InputError
            For another suffix, or a file that cannot be written.
        MissingDependencyError
            If matplotlib is needed and not installed.
        """
        from .render import draw

        suffix = check_picture(path)
        with aside(path) as temporary:
            if suffix in (".svg", ".html"):
                page = "<!doctype html><meta charset='utf-8'>" if suffix == ".html" else ""
                temporary.write_text(page + self.svg() + "\n", encoding="utf-8")
            else:
                temporary.write_bytes(draw(self, suffix[1:]))


def stacked(drawings: Sequence[Drawing], columns: int = 1, title: str = "") -> Drawing:
    """Put several drawings into one: rows of ``columns`` drawings, each row below the one before.

    >>> sheet = stacked([Drawing("a", 10, 20), Drawing("b", 15, 5), Drawing("c", 15, 5)], columns=2)
    >>> sheet.width, sheet.height
    (54, 49)
    """
    made = Drawing(title or "; ".join(d.title for d in drawings), 0)
    wide = max(d.width for d in drawings) + GAP_PIXELS
    for first in range(0, len(drawings), columns):
        row = drawings[first : first + columns]
        down = made.height + GAP_PIXELS if made.height else 0
        for place, drawing in enumerate(row):
            for mark in drawing.marks:
                points = tuple((x + place * wide, y + down) for x, y in mark.points)
                made.marks.append(replace(mark, points=points))
        made.height = down + max(d.height for d in row)
    made.width = wide * min(columns, len(drawings)) - GAP_PIXELS
    made.about = "; ".join(d.about or d.title for d in drawings)
    return made


def check_picture(path: str | os.PathLike[str]) -> str:
    """Return the suffix; raise an error, before any work is done, if no such picture can be written."""
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise InputError(f"{path}: a picture is written as {', '.join(SUFFIXES)}")
    if suffix in (".png", ".pdf"):
        try:
            import matplotlib.figure  # noqa: F401
        except ImportError:
            install = "python -m pip install 'tachograph[plot]'"
            raise MissingDependencyError(f"pictures need matplotlib: {install}") from None
    return suffix
