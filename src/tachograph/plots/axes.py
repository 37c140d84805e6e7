"""A frame with two axes inside a drawing, and a legend."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from .drawing import SIZE, Drawing, text_width
from .scales import Scale

__all__ = ["Frame", "head"]

TICK = SIZE - 1  # height of the text at ticks
SWATCH = 10


@dataclass(frozen=True)
class Frame:
    """The part of a drawing from ``left, top`` to ``right, bottom`` where data are."""

    drawing: Drawing
    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.bottom - self.top

    def across(self, low: float, high: float) -> Scale:
        """A linear scale from left to right."""
        return Scale(low, high if high > low else low + 1, self.left, self.right)

    def y_axis(
        self, scale: Scale, label: str, shown: Callable[[float], str], many: int = 4
    ) -> None:
        """Lines across at round numbers, their values, and what they are, above the axis."""
        for value in scale.ticks(many):
            y = scale(value)
            self.drawing.line([(self.left, y), (self.right, y)], "grid")
            self.drawing.text(self.left - 6, y + 4, shown(value), "soft", anchor="end", size=TICK)
        if label:
            self.drawing.text(self.left, self.top - 7, label, "soft", size=TICK)

    def x_axis(
        self, scale: Scale, label: str, shown: Callable[[float], str], many: int = 6,
        grid: bool = False,
    ) -> None:  # fmt: skip
        """The line below, its ticks, and what they are."""
        self.drawing.line([(self.left, self.bottom), (self.right, self.bottom)], "axis")
        free = -1e9
        for value in scale.ticks(many):
            x, text = scale(value), shown(value)
            if grid:
                self.drawing.line([(x, self.top), (x, self.bottom)], "grid")
            half = text_width(text, TICK) / 2
            if x - half < free or x + half > self.drawing.width:
                continue  # it would touch the one before
            free = x + half + 6
            self.drawing.line([(x, self.bottom), (x, self.bottom + 4)], "axis")
            self.drawing.text(x, self.bottom + 16, text, "soft", anchor="middle", size=TICK)
        middle = (self.left + self.right) / 2
        self.drawing.text(middle, self.bottom + 33, label, "soft", anchor="middle", size=TICK)


def head(drawing: Drawing, legend: Mapping[str, str], dashed: Sequence[str] = ()) -> float:
    """The title, and below it what the colours mean; gives how far down they reach."""
    y = 18.0
    drawing.text(0, y, drawing.title, bold=True, size=SIZE + 1)
    x, y = 0.0, y + 20
    for name, role in legend.items():
        wide = SWATCH + 6 + text_width(name) + 14
        if x and x + wide > drawing.width:
            x, y = 0.0, y + 17
        if name in dashed:
            drawing.line([(x, y - 4), (x + SWATCH, y - 4)], role, width=2, dashed=True)
        else:
            drawing.rect(x, y - 9, SWATCH, SWATCH, role)
        drawing.text(x + SWATCH + 6, y, name, "soft")
        x += wide
    return y if legend else y - 20
