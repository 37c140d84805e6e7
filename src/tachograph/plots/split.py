"""How long a run takes for each way of sharing the work between host and device."""

from __future__ import annotations

from collections.abc import Sequence

from . import numbers as show
from .axes import Axis
from .bins import Columns, numbers
from .drawing import WIDE, Drawing
from .xy import Series, xy

__all__ = ["rates_of", "split_curve"]

POINTS = 60  # of the modelled curve


def split_curve(
    alone: tuple[float, float],
    measured: Sequence[tuple[float, float, str]] = (),
    width: float = WIDE,
    source: str = "the two rates of this run",
) -> Drawing:
    """Draw the time that each share would take by two rates, and what was measured.

    ``alone`` are the seconds that the host and the device would need for all of the work, ``source``
    says where they come from. ``measured`` has the host's share, the seconds and a name of runs that
    took place.

    >>> print(split_curve((1.0, 1.0), [(0.5, 0.52, "met in the middle")]).about)
    Time by the host's share: best 500 ms at 50 % by the two rates of this run
    """
    host, device = alone
    best = device / (host + device) if host + device > 0 else 0.5
    least = host * best
    shares = sorted([best, *(k / POINTS for k in range(POINTS + 1))])
    curve = [(share, max(host * share, device * (1 - share))) for share in shares]
    tip = f"best by the model\nhost {show.percent(best)}: {show.seconds(least)}"
    tips = [f"measured: {w}\nhost {show.percent(s)}: {show.seconds(t)}" for s, t, w in measured]
    series = [
        Series(f"modelled from {source}", curve, "curve"),
        Series("", [(best, least)], "dots", [tip], role="s1"),
        Series("measured", [(share, taken) for share, taken, _ in measured], "large", tips),
    ]
    axes = Axis("share of the edges on the host", show.percent, "exact"), Axis("time", show.seconds)
    made = xy("Time by the host's share of the edges", series, axes, width, 220)
    found = f"best {show.seconds(least)} at {show.percent(best)}"
    made.about = f"Time by the host's share: {found} by {source}"
    return made


def rates_of(columns: Columns) -> tuple[float, float] | None:
    """Return the seconds that host and device would each need alone, at the rates of a shared run.

    ``columns`` has ``phase``, ``begin``, ``seconds`` and ``edges``. The result is None if only one of
    them took part.

    >>> trace = {"phase": ["host", "host", "opencl:0"], "begin": [0.0, 0.0, 0.0],
    ...          "seconds": [1.0, 1.0, 1.0], "edges": [30, 30, 40]}
    >>> [round(x, 2) for x in rates_of(trace)]
    [1.67, 2.5]
    """
    edges, begins, taken = (numbers(columns[k]) for k in ("edges", "begin", "seconds"))
    made = []
    for on_host in (True, False):
        rows = [i for i, who in enumerate(columns["phase"]) if (who == "host") is on_host]
        done = sum(edges[i] for i in rows)
        if done <= 0:
            return None
        busy = max(begins[i] + taken[i] for i in rows) - min(begins[i] for i in rows)
        made.append(busy * sum(edges) / done)
    return made[0], made[1]
