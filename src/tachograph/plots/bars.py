"""Numbers side by side, such as times."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from . import numbers as show
from .axes import head, text_width
from .drawing import WIDE, Drawing
from .palette import series
from .scales import linear

__all__ = ["bars"]

BAR_HEIGHT = 16.0  # pixels
ROW_HEIGHTS = {True: 22.0, False: 44.0}  # pixels of a row whose name is beside its bar, or above it
NAMES_SHARE = 0.4  # of the width, which names beside their bars may take
VALUE_PIXELS = 84.0  # room for the value behind the longest bar


def bars(
    rows: Sequence[tuple[str, float, str]],
    title: str = "Time",
    width: float = WIDE,
    shown: Callable[[float], str] = show.seconds,
) -> Drawing:
    """Draw a bar for each row of (name, number, kind), coloured by kind; ``shown`` writes a number.

    >>> bars([("AccuGraph", 0.002, "simulated")]).svg().count("<title>")
    1
    """
    colours = series(list(dict.fromkeys(kind for *_, kind in rows)))
    made = Drawing(title, width, 0)
    top = head(made, colours if len(colours) > 1 else {}) + 10
    longest = max((text_width(name) for name, *_ in rows), default=0.0)
    beside = longest <= width * NAMES_SHARE
    left = longest + 10 if beside else 0.0
    made.height = top + ROW_HEIGHTS[beside] * len(rows) + 6
    over = linear([t for _, t, _ in rows], left, left + (width - left - VALUE_PIXELS) * 1.06)
    most = int(width / text_width("x"))
    for number, (name, value, kind) in enumerate(rows):
        y = top + number * ROW_HEIGHTS[beside] + (0 if beside else BAR_HEIGHT + 6)
        label = name if len(name) <= most else name[: most - 1] + "…"
        if beside:
            made.text(left - 8, y + BAR_HEIGHT - 4, label, anchor="end")
        else:
            made.text(0, y - 6, label)
        far = max(left + 1.0, over(value))
        tip = f"{name}\n{shown(value)}, {kind}"
        made.rect((left, y, far - left, BAR_HEIGHT), colours[kind], tip=tip)
        made.text(far + 6, y + BAR_HEIGHT - 4, shown(value), "soft")
    made.about = f"{title}: " + ", ".join(f"{n} {shown(t)} {k}" for n, t, k in rows)
    return made
