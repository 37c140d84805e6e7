"""A table of numbers as shades: the darker, the more."""

from __future__ import annotations

from collections.abc import Sequence

from . import numbers as show
from .axes import head
from .drawing import SIZE, WIDE, Drawing, text_width

__all__ = ["heat"]

CELL = 20.0


def heat(
    values: Sequence[Sequence[float]],
    rows: Sequence[str],
    columns: Sequence[str],
    title: str,
    width: float = WIDE,
) -> Drawing:
    """A cell for each number.

    Parameters
    ----------
    values
        A list of numbers for each row.
    rows, columns
        Their names.
    title
        What the numbers are.
    width
        In pixels.

    Examples
    --------
    >>> print(heat([[1, 3]], ["ch 0"], ["bank 0", "bank 1"], "Requests").about)
    Requests: 1 to 3
    """
    made = Drawing(title, width, 0)
    left = max((text_width(name) for name in rows), default=0.0) + 8
    top = head(made, {}) + 12
    wide = (width - left) / max(1, len(columns))
    every = [float(v) for row in values for v in row]
    most = max(every, default=0.0) or 1.0
    for number, (name, row) in enumerate(zip(rows, values, strict=True)):
        y = top + number * CELL
        made.text(left - 6, y + CELL / 2 + 4, name, "soft", anchor="end", size=SIZE - 1)
        for k, value in enumerate(row):
            tip = f"{name}, {columns[k]}\n{show.count(float(value))}"
            made.rect(left + k * wide, y, wide - 1, CELL - 1, "s1", tip=tip,
                      opacity=0.08 + 0.92 * float(value) / most)  # fmt: skip
    bottom, free = top + len(rows) * CELL + 14, 0.0
    for k, name in enumerate(columns):
        middle, half = left + (k + 0.5) * wide, text_width(name, SIZE - 2) / 2
        if middle - half > free:
            made.text(middle, bottom, name, "soft", anchor="middle", size=SIZE - 2)
            free = middle + half + 4
    made.height = bottom + 8
    made.about = (
        f"{title}: {show.count(min(every, default=0.0))} to {show.count(max(every, default=0.0))}"
    )
    return made
