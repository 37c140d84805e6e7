"""Frames with axes inside a drawing, and the legend above them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from . import numbers as show
from .drawing import TEXT_PIXELS, Drawing
from .scales import Scale, exact, linear, logarithmic, near

__all__ = ["TICK_PIXELS", "Axis", "Frame", "head", "panels", "text_width"]

TICK_PIXELS = TEXT_PIXELS - 1  # height of the text at ticks
SWATCH_PIXELS = 10  # side of a colour's square in the legend
LABEL_PIXELS = 26  # room above a frame for the label of its axis
TICKS_PIXELS = 40  # room below a frame for its ticks and their label
SCALES = {"linear": linear, "near": near, "log": logarithmic, "exact": exact}


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

    @property
    def width(self) -> float:
        return self.right - self.left

    def y(self, values: Iterable[float], axis: Axis, *, right: bool = False) -> Scale:
        """Return a scale that holds the values, and draw its axis: grid lines, ticks and a label.

        An axis on the right has no grid lines, because those of the left axis are there.
        """
        scale = SCALES[axis.kind](values, self.bottom, self.top)
        edge, anchor = (self.right + 6, "start") if right else (self.left - 6, "end")
        for value in scale.ticks(axis.ticks):
            y, text = scale(value), axis.shown(value)
            if not right and y < self.bottom - 0.5:  # the line at the bottom is an axis
                self.drawing.line([(self.left, y), (self.right, y)], "grid")
            self.drawing.text(edge, y + 4, text, "soft", anchor=anchor, size=TICK_PIXELS)
        if axis.label:
            x, side = (self.drawing.width, "end") if right else (self.left, "start")
            y = self.top - 7
            self.drawing.text(x, y, axis.label, "soft", anchor=side, size=TICK_PIXELS)
        return scale

    def x(self, values: Iterable[float], axis: Axis) -> Scale:
        """Return a scale that holds the values, and draw the line below, its ticks and its label."""
        scale = SCALES[axis.kind](values, self.left, self.right)
        self.floor()
        free = -1e9
        for value in scale.ticks(axis.ticks):
            x, text = scale(value), axis.shown(value)
            if axis.grid:
                self.drawing.line([(x, self.top), (x, self.bottom)], "grid")
            half = text_width(text, TICK_PIXELS) / 2
            if x - half < free or x + half > self.drawing.width:
                continue  # it would touch the one before
            free = x + half + 6
            self.drawing.line([(x, self.bottom), (x, self.bottom + 4)], "axis")
            self._below(x, 16, text)
        self._below((self.left + self.right) / 2, 33, axis.label)
        return scale

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
