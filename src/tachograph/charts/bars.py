"""Numbers side by side, such as times."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from . import numbers as show
from .axes import head
from .drawing import SIZE, WIDE, Drawing, text_width
from .palette import series
from .scales import linear

__all__ = ["bars"]

BAR, ROW = 16.0, 44.0


def bars(
    rows: Sequence[tuple[str, float, str]],
    title: str = "Time",
    width: float = WIDE,
    shown: Callable[[float], str] = show.seconds,
) -> Drawing:
    """A bar for each row, its name above it; coloured by what kind of number it is.

    Parameters
    ----------
    rows
        Each one's name, its number (seconds), and its kind (such as ``"measured"`` or ``"simulated"``).
    title
        What the numbers are.
    width
        In pixels.
    shown
        How a number is written.

    Examples
    --------
    >>> bars([("AccuGraph", 0.002, "simulated")]).svg().count("<title>")
    1
    """
    kinds = list(dict.fromkeys(kind for _, _, kind in rows))
    colours = series(kinds)
    made = Drawing(title, width, 0)
    top = head(made, colours if len(kinds) > 1 else {}) + 10
    made.height = top + ROW * len(rows) + 6
    room = 84.0  # for the value behind the longest bar
    over = linear([t for _, t, _ in rows], 0.0, (width - room) * 1.06)
    for number, (name, taken, kind) in enumerate(rows):
        y = top + number * ROW + 18
        most = int(width / text_width("x"))
        made.text(0, y, name if len(name) <= most else name[: most - 1] + "…")
        made.rect(0, y + 6, max(1.0, over(taken)), BAR, colours[kind],
                  tip=f"{name}\n{shown(taken)}, {kind}")  # fmt: skip
        made.text(max(1.0, over(taken)) + 6, y + 6 + BAR - 4, shown(taken), "soft", size=SIZE)
    made.about = f"{title}: " + ", ".join(f"{n} {shown(t)} {k}" for n, t, k in rows)
    return made
