"""Numbers side by side, such as times."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from . import numbers as show
from .axes import head
from .drawing import SIZE, WIDE, Drawing, text_width
from .palette import series
from .scales import linear

__all__ = ["bars"]

BAR, LOW, HIGH = 16.0, 22.0, 44.0  # of a bar; of a row with its name beside, and above
ASIDE = 0.4  # part of the width that names beside their bars may take


def bars(
    rows: Sequence[tuple[str, float, str]],
    title: str = "Time",
    width: float = WIDE,
    shown: Callable[[float], str] = show.seconds,
) -> Drawing:
    """A bar for each row, its name beside or above it; coloured by what kind of number it is.

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
    longest = max((text_width(name) for name, _, _ in rows), default=0.0)
    beside = longest <= width * ASIDE  # else names stand above their bars
    left, row = (longest + 10, LOW) if beside else (0.0, HIGH)
    made.height = top + row * len(rows) + 6
    room = 84.0  # for the value behind the longest bar
    over = linear([t for _, t, _ in rows], left, left + (width - left - room) * 1.06)
    most = int(width / text_width("x"))
    for number, (name, taken, kind) in enumerate(rows):
        y = top + number * row + (0 if beside else BAR + 6)
        shown_name = name if len(name) <= most else name[: most - 1] + "…"
        made.text(left - 8 if beside else 0, y + (BAR - 4 if beside else -6), shown_name,
                  anchor="end" if beside else "start")  # fmt: skip
        far = max(left + 1.0, over(taken))
        made.rect(left, y, far - left, BAR, colours[kind], tip=f"{name}\n{shown(taken)}, {kind}")
        made.text(far + 6, y + BAR - 4, shown(taken), "soft", size=SIZE)
    made.about = f"{title}: " + ", ".join(f"{n} {shown(t)} {k}" for n, t, k in rows)
    return made
