"""Bars with intervals: what is predicted for each candidate, and between which bounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from . import numbers as show
from .axes import Axis, Scale, panels, text_width
from .charts import BAR_HEIGHT, NAMES_SHARE
from .drawing import WIDE, Drawing
from .render import series

__all__ = ["Guess", "intervals"]

ROW_PIXELS = 30.0
NAME_ABOVE_PIXELS = 18.0  # more, if names stand above their bars
MEASURED, MEASURED_ROLE = "measured", "s3"


class Guess(NamedTuple):
    """A number with its bounds; ``kind`` (such as its provenance) gives the colour.

    ``actual`` is what it turned out to be, if that is known.
    """

    name: str
    value: float | None
    low: float | None
    high: float | None
    kind: str
    tip: str = ""
    actual: float | None = None


def intervals(
    rows: Sequence[Guess],
    title: str = "Predicted time",
    width: float = WIDE,
    shown: Callable[[float], str] = show.seconds,
    label: str = "",
) -> Drawing:
    """Draw a bar to each number with a line from its low to its high bound, on a logarithmic axis.

    >>> rows = [Guess("auto", 0.2, 0.1, 0.4, "modelled"), Guess("device", None, None, None, "")]
    >>> made = intervals(rows)
    >>> print(made.about)
    Predicted time: auto 200 ms, modelled; device not known
    """
    colours = series(row.kind for row in rows if row.value is not None)
    made = Drawing(title, width)
    longest = max((text_width(row.name) for row in rows), default=0.0)
    beside = longest <= width * NAMES_SHARE
    left = longest + 12 if beside else 0.0
    each = ROW_PIXELS + (0 if beside else NAME_ABOVE_PIXELS)
    happened = any(row.actual is not None for row in rows)
    legend = (
        colours | ({MEASURED: MEASURED_ROLE} if happened else {})
        if len(colours) > 1 or happened
        else {}
    )
    (frame,) = panels(made, (each * max(len(rows), 1),), legend, (left, 16))
    known = [v for row in rows for v in (row.value, row.low, row.high, row.actual) if v is not None]
    over = frame.x(known, Axis(label, shown, "log", 5, grid=True))
    for number, row in enumerate(rows):
        y = frame.top + number * each + (each - ROW_PIXELS) + (ROW_PIXELS - BAR_HEIGHT) / 2
        if beside:
            made.text(left - 8, y + BAR_HEIGHT - 4, row.name, anchor="end", bold=number == 0)
        else:
            made.text(0, y - 5, row.name, bold=number == 0)
        if row.value is None:
            if row.actual is None:
                made.text(left + 6, y + BAR_HEIGHT - 4, "not known", "soft")
            _dot(made, row, over, y, shown)
            continue
        tip = row.tip or _tip(row, shown)
        wide = max(1.0, over(row.value) - left)
        made.rect((left, y, wide, BAR_HEIGHT), colours[row.kind], tip=tip, opacity=0.85)
        if row.low is not None and row.high is not None:
            middle = y + BAR_HEIGHT / 2
            ends = over(row.low), over(row.high)
            made.line([(ends[0], middle), (ends[1], middle)], "ink", size=1.4)
            for x in ends:
                made.line([(x, middle - 4), (x, middle + 4)], "ink", size=1.4)
        _dot(made, row, over, y, shown)
    said = (
        f"{r.name} not known" if r.value is None else f"{r.name} {shown(r.value)}, {r.kind}"
        for r in rows
    )
    made.about = f"{title}: {'; '.join(said)}"
    return made


def _dot(made: Drawing, row: Guess, over: Scale, y: float, shown: Callable[[float], str]) -> None:
    """Mark what a number turned out to be."""
    if row.actual is not None:
        tip = f"{row.name}\n{MEASURED} {shown(row.actual)}"
        made.dot(over(row.actual), y + BAR_HEIGHT / 2, 5.5, MEASURED_ROLE, tip=tip)


def _tip(row: Guess, shown: Callable[[float], str]) -> str:
    text = f"{row.name}\n{shown(row.value or 0.0)}, {row.kind}"
    if row.low is not None and row.high is not None:
        text += f"\nbetween {shown(row.low)} and {shown(row.high)}"
    return text
