"""Frames with axes inside a drawing, the legend above them, and bars on an axis of rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from . import numbers as show
from .drawing import TEXT_PIXELS, Drawing

__all__ = ["TICK_PIXELS", "Axis", "Bar", "Frame", "Scale"]
__all__ += ["bars_of", "bins", "head", "panels", "scale", "text_width"]

TICK_PIXELS = TEXT_PIXELS - 1  # height of the text at ticks
SWATCH_PIXELS = 10  # side of a colour's square in the legend
LABEL_PIXELS = 26  # room above a frame for the label of its axis
TICKS_PIXELS = 40  # room below a frame for its ticks and their label
BAR_PIXELS = 4.0  # least distance of the left edges of two bars
LOG_FLOOR = 1e-20  # part of the largest value below which a logarithmic axis does not go
LEAST_LOG = 1e-300  # smaller values are zero for a logarithmic axis, which divides them
ROOM = 0.06  # part of an axis that is left free beyond the largest value


@dataclass(frozen=True)
class Scale:
    """Maps ``low`` to ``begin`` and ``high`` to ``end``."""

    low: float
    high: float
    begin: float
    end: float
    log: bool = False

    def __call__(self, value: float) -> float:
        """Return the place of a value; values outside are put at the nearer end.

        >>> Scale(0, 10, 100, 200)(5), Scale(1, 100, 0, 2, log=True)(10), Scale(0, 1, 0, 9)(7)
        (150.0, 1.0, 9.0)
        """
        value = min(max(value, self.low), self.high)
        if self.log:
            part = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            part = (value - self.low) / (self.high - self.low)
        return self.begin + part * (self.end - self.begin)

    def ticks(self, many: int = 5) -> list[float]:
        """Return about ``many`` round numbers inside.

        >>> Scale(0, 9.7, 0, 1).ticks()
        [0.0, 2.0, 4.0, 6.0, 8.0]
        >>> Scale(1, 20000, 0, 1, log=True).ticks()
        [1.0, 10.0, 100.0, 1000.0, 10000.0]
        """
        if self.log:
            return self._powers(many)
        rough = max((self.high - self.low) / max(1, many), 1e-300)  # tiny ranges round to 0
        size = 10.0 ** math.floor(math.log10(rough))
        step = next(s * size for s in (1, 2, 5, 10) if s * size >= rough * 0.999)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [round(k * step, 12) for k in range(first, last + 1)]

    def _powers(self, many: int) -> list[float]:
        first = math.ceil(math.log10(self.low) - 1e-9)
        last = math.floor(math.log10(self.high) + 1e-9)
        if last - first < 2:  # too narrow for powers of ten
            within = [m * 10.0**k for k in range(first - 1, last + 1) for m in (1, 2, 5)]
            return [x for x in within if self.low * (1 - 1e-9) <= x <= self.high * (1 + 1e-9)]
        skip = max(1, math.ceil((last - first + 1) / max(1, many)))
        return [10.0**k for k in range(first, last + 1, skip)]


def scale(kind: str, values: Iterable[float], begin: float, end: float) -> Scale:
    """Return a scale that holds all finite values; the kinds are those of an :class:`Axis`."""
    known = [v for v in values if math.isfinite(v) and (kind != "log" or v > LEAST_LOG)] or [1.0]
    low, high = min(known), max(known)
    if kind == "log":
        low = max(low, high * LOG_FLOOR)
        room = 2.5 if high / low < 4 else 1.25
        return Scale(low / room, high * room, begin, end, log=True)
    if kind == "exact":
        return Scale(low, high if high > low else low + 1, begin, end)
    if kind == "linear":
        low, high = min(low, 0.0), max(high, 0.0)
    room = (high - low) * ROOM or abs(high) * 0.5 or 1.0
    return Scale(low if kind == "linear" and low == 0 else low - room, high + room, begin, end)


class Axis(NamedTuple):
    """What an axis shows: its label, how its values are written, and how they are spread.

    ``kind`` is ``linear`` (with zero), ``near`` (without zero), ``log`` or ``exact`` (from the first to
    the last value, without room at the ends).
    """

    label: str
    shown: Callable[[float], str] = show.short
    kind: str = "linear"
    ticks: int = 5
    grid: bool = False


@dataclass(frozen=True)
class Frame:
    """The part of a drawing from ``left, top`` to ``right, bottom`` that holds the data."""

    drawing: Drawing
    left: float
    top: float
    right: float
    bottom: float

    def y(self, values: Iterable[float], axis: Axis, *, right: bool = False) -> Scale:
        """Return a scale that holds the values, and draw its axis: grid lines, ticks and a label.

        An axis on the right has no grid lines, because those of the left axis are there.
        """
        upright = scale(axis.kind, values, self.bottom, self.top)
        edge, anchor = (self.right + 6, "start") if right else (self.left - 6, "end")
        for value in upright.ticks(axis.ticks):
            y, text = upright(value), axis.shown(value)
            if not right and y < self.bottom - 0.5:  # the line at the bottom is an axis
                self.drawing.line([(self.left, y), (self.right, y)], "grid")
            self.drawing.text(edge, y + 4, text, "soft", anchor=anchor, size=TICK_PIXELS)
        if axis.label:
            x, side = (self.drawing.width, "end") if right else (self.left, "start")
            y = self.top - 7
            self.drawing.text(x, y, axis.label, "soft", anchor=side, size=TICK_PIXELS)
        return upright

    def x(self, values: Iterable[float], axis: Axis) -> Scale:
        """Return a scale that holds the values, and draw the line below, its ticks and its label."""
        over = scale(axis.kind, values, self.left, self.right)
        self.floor()
        free = 0.0
        for value in over.ticks(axis.ticks):
            x, text = over(value), axis.shown(value)
            if axis.grid:
                self.drawing.line([(x, self.top), (x, self.bottom)], "grid")
            half = text_width(text, TICK_PIXELS) / 2
            if x - half < free or x + half > self.drawing.width:
                continue  # it would touch the one before, or be cut off
            free = x + half + 6
            self.drawing.line([(x, self.bottom), (x, self.bottom + 4)], "axis")
            self._below(x, 16, text)
        self._below((self.left + self.right) / 2, 33, axis.label)
        return over

    def rows(self, first: int, last: int, label: str, widest: float = 46.0) -> list[Bar]:
        """Draw an axis of rows from ``first`` to ``last``; return bars that have room on it."""
        over = self.x((first - 0.5, last + 0.5), Axis(label, whole, "exact", 6))
        cells = bins(last - first + 1, max(1, int((self.right - self.left) / BAR_PIXELS)))
        return bars_of((range(c.start + first, c.stop + first) for c in cells), over, widest)

    def floor(self) -> None:
        """Draw the line at the bottom."""
        self.drawing.line([(self.left, self.bottom), (self.right, self.bottom)], "axis")

    def _below(self, x: float, down: float, text: str) -> None:
        y = self.bottom + down
        self.drawing.text(x, y, text, "soft", anchor="middle", size=TICK_PIXELS)


def panels(
    drawing: Drawing,
    heights: Sequence[float],
    legend: Mapping[str, str],
    margins: tuple[float, float] = (46, 12),
    dashed: Sequence[str] = (),
) -> list[Frame]:
    """Draw title and legend, and return a frame of each height, one below the other.

    ``margins`` are the pixels left and right of the frames; the drawing gets the height that it needs.
    """
    left, right = margins
    bottom = head(drawing, legend, dashed)
    made: list[Frame] = []
    for height in heights:
        top = bottom + (30 if made else LABEL_PIXELS)
        bottom = top + height
        made.append(Frame(drawing, left, top, drawing.width - right, bottom))
    drawing.height = bottom + TICKS_PIXELS
    return made


def head(drawing: Drawing, legend: Mapping[str, str], dashed: Sequence[str] = ()) -> float:
    """Draw the title, and below it what the colours mean; return how far down they reach."""
    y = 18.0
    drawing.text(0, y, drawing.title, bold=True, size=TEXT_PIXELS + 1)
    x, y = 0.0, y + 20
    for name, role in legend.items():
        wide = SWATCH_PIXELS + 6 + text_width(name) + 14
        if x and x + wide > drawing.width:
            x, y = 0.0, y + 17
        if name in dashed:
            drawing.line([(x, y - 4), (x + SWATCH_PIXELS, y - 4)], role, size=2, dashed=True)
        else:
            drawing.rect((x, y - 9, SWATCH_PIXELS, SWATCH_PIXELS), role)
        drawing.text(x + SWATCH_PIXELS + 6, y, name, "soft")
        x += wide
    return y if legend else y - 20


def text_width(text: str, size: float = TEXT_PIXELS) -> float:
    """Estimate the width of a text in pixels; generous for narrow letters."""
    return len(text) * size * 0.6


@dataclass(frozen=True)
class Bar:
    """A bar that stands for one row or for several: which rows, and its edges in pixels."""

    rows: range
    left: float
    right: float

    @property
    def middle(self) -> float:
        return (self.left + self.right) / 2

    def box(self, top: float, bottom: float) -> tuple[float, float, float, float]:
        """Return left edge, top, width and height."""
        return self.left, top, self.right - self.left, bottom - top

    def __str__(self) -> str:
        """Say which rows they are.

        >>> str(Bar(range(3, 4), 0, 1)), str(Bar(range(4, 8), 0, 1))
        ('3', '4–7')
        """
        return f"{self.rows[0]}" if len(self.rows) == 1 else f"{self.rows[0]}–{self.rows[-1]}"


def bins(rows: int, most: int) -> list[range]:
    """Return at most ``most`` ranges of equal length that hold all rows.

    >>> bins(5, 3), bins(2, 100)
    ([range(0, 2), range(2, 4), range(4, 5)], [range(0, 1), range(1, 2)])
    """
    each = max(1, math.ceil(rows / most))
    return [range(at, min(rows, at + each)) for at in range(0, rows, each)]


def bars_of(cells: Iterable[range], over: Scale, widest: float) -> list[Bar]:
    """Return a bar for each cell; a few cells make thin bars, not blocks."""
    made = []
    for cell in cells:
        left, right = over(cell[0] - 0.5), over(cell[-1] + 0.5)
        middle, wide = (left + right) / 2, min((right - left) * 0.85, widest)
        made.append(Bar(cell, middle - wide / 2, middle + wide / 2))
    return made


def whole(value: float) -> str:
    """Write whole numbers only, for axes of levels and iterations."""
    return f"{value:.0f}" if float(value).is_integer() else ""
