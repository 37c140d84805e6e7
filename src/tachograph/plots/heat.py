"""A table of numbers as shades: the darker, the more."""

from __future__ import annotations

from collections.abc import Sequence

from . import numbers as show
from .axes import TICK_PIXELS, head, text_width
from .drawing import WIDE, Drawing

__all__ = ["heat"]

CELL_PIXELS = 20.0


def heat(
    values: Sequence[Sequence[float]],
    rows: Sequence[str],
    columns: Sequence[str],
    title: str,
    width: float = WIDE,
) -> Drawing:
    """Draw a cell for each number: ``values`` has a list for each of ``rows``.

    >>> print(heat([[1, 3]], ["ch 0"], ["bank 0", "bank 1"], "Requests").about)
    Requests: 1 to 3
    """
    made = Drawing(title, width, 0)
    left = max((text_width(name) for name in rows), default=0.0) + 8
    top = head(made, {}) + 12
    wide = (width - left) / max(1, len(columns))
    every = [float(v) for row in values for v in row] or [0.0]
    most = max(every) or 1.0
    for number, (name, row) in enumerate(zip(rows, values, strict=True)):
        y = top + number * CELL_PIXELS
        made.text(left - 6, y + CELL_PIXELS / 2 + 4, name, "soft", anchor="end", size=TICK_PIXELS)
        for k, value in enumerate(row):
            tip = f"{name}, {columns[k]}\n{show.count(float(value))}"
            box = (left + k * wide, y, wide - 1, CELL_PIXELS - 1)
            made.rect(box, "s1", tip=tip, opacity=0.08 + 0.92 * (float(value) / most))
    bottom, free = top + len(rows) * CELL_PIXELS + 14, 0.0
    for k, name in enumerate(columns):
        middle, half = left + (k + 0.5) * wide, text_width(name, TICK_PIXELS - 1) / 2
        if middle - half > free:
            made.text(middle, bottom, name, "soft", anchor="middle", size=TICK_PIXELS - 1)
            free = middle + half + 4
    made.height = bottom + 8
    made.about = f"{title}: {show.count(min(every))} to {show.count(max(every))}"
    return made
