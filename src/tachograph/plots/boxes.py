"""How numbers spread: a box from quartile to quartile for each group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import quantiles

from .axes import Axis, panels
from .bins import bars_of
from .drawing import WIDE, Drawing

__all__ = ["boxes"]

HEIGHT = 200  # pixels of the frame
WHISKER_QUARTILES = 1.5  # whiskers reach at most this many box heights beyond the box


def boxes(
    title: str, groups: Mapping[str, Sequence[float]], axis: Axis, width: float = WIDE
) -> Drawing:
    """Draw a box from the first to the third quartile of each group, with its median and whiskers.

    >>> print(boxes("Errors", {"LR": [1, 2, 3, 4]}, Axis("%")).about)
    Errors: LR 2.5
    """
    five = {name: _five(sorted(values)) for name, values in groups.items()}
    names = list(groups)
    made = Drawing(title, width, 0)
    (frame,) = panels(made, (HEIGHT,), {})
    label = Axis("", lambda at: names[int(at)] if at in range(len(names)) else "", "exact")
    over = frame.x((-0.5, len(names) - 0.5), label._replace(ticks=len(names)))
    upright = frame.y((v for values in five.values() for v in values), axis)
    bars = bars_of([range(k, k + 1) for k in range(len(names))], over, 40.0)
    for bar, (name, values) in zip(bars, five.items(), strict=True):
        low, first, median, third, high = map(upright, values)
        for begin, end in ((low, first), (third, high)):
            made.line([(bar.middle, begin), (bar.middle, end)], "s1", size=1.5)
        tip = f"{name}\nmedian {axis.shown(values[2])}\n"
        tip += f"half from {axis.shown(values[1])} to {axis.shown(values[3])}"
        made.rect(bar.box(third, first), "s1", tip=tip, opacity=0.5)
        made.line([(bar.left, median), (bar.right, median)], "ink", size=2)
    made.about = f"{title}: {', '.join(f'{n} {axis.shown(v[2])}' for n, v in five.items())}"
    return made


def _five(values: list[float]) -> tuple[float, float, float, float, float]:
    """Return the lower whisker, the three quartiles and the upper whisker."""
    first, median, third = (
        quantiles(values, n=4, method="inclusive") if len(values) > 1 else 3 * values
    )
    reach = WHISKER_QUARTILES * (third - first)
    low = min(v for v in values if v >= first - reach)
    return low, first, median, third, max(v for v in values if v <= third + reach)
