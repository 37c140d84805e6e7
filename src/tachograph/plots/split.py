"""How long a run takes for each way of sharing the work between host and device."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from . import numbers as show
from .axes import Frame, head
from .bins import numbers
from .drawing import WIDE, Drawing
from .scales import linear

__all__ = ["rates_of", "split_curve"]

HEIGHT = 220
POINTS = 60


def split_curve(
    alone: tuple[float, float],
    measured: Sequence[tuple[float, float, str]] = (),
    chosen: float | None = None,
    width: float = WIDE,
    source: str = "the two rates of this run",
) -> Drawing:
    """The time that each share would take by the two rates, and what was measured.

    Parameters
    ----------
    alone
        Seconds that the host, and the device, would need for all of the work.
    measured
        Shares of the host, seconds, and what that was: runs that took place.
    chosen
        The share that was aimed at.
    width
        In pixels.
    source
        Where ``alone`` comes from.

    Examples
    --------
    >>> print(split_curve((1.0, 1.0), [(0.5, 0.52, "met in the middle")]).about)
    Time by the host's share: best 500 ms at 50 % by the two rates of this run
    """
    host, device = alone
    made = Drawing("Time by the host's share of the edges", width, 0)
    legend = {f"modelled from {source}": "s1"} | ({"measured": "s2"} if measured else {})
    top = head(made, legend) + 26
    frame = Frame(made, 56, top, width - 12, top + HEIGHT)
    made.height = frame.bottom + 40
    over = frame.across(0.0, 1.0)
    curve = [(k / POINTS, max(host * k, device * (POINTS - k)) / POINTS) for k in range(POINTS + 1)]
    best = device / (host + device) if host + device > 0 else 0.5
    least = host * best
    curve = sorted([*curve, (best, least)])
    upright = linear([t for _, t in curve] + [m[1] for m in measured], frame.bottom, frame.top)
    frame.y_axis(upright, "time", show.seconds)
    frame.x_axis(over, "share of the edges on the host", show.percent, 5)
    made.line([(over(s), upright(t)) for s, t in curve], "s1", width=2)
    made.dot(over(best), upright(least), 4, "s1",
             tip=f"best by the model\nhost {show.percent(best)}: {show.seconds(least)}")  # fmt: skip
    if chosen is not None:
        x = over(chosen)
        made.line([(x, frame.top), (x, frame.bottom)], "s4", dashed=True, width=1.5)
        made.text(x + 5, frame.top + 12, "aimed at", "s4")
    for share, taken, what in measured:
        tip = f"measured: {what}\nhost {show.percent(share)}: {show.seconds(taken)}"
        made.dot(over(share), upright(taken), 5.5, "s2", tip=tip)
    made.about = (
        f"Time by the host's share: best {show.seconds(least)} at {show.percent(best)} by {source}"
    )
    return made


def rates_of(columns: Mapping[str, Sequence[Any]]) -> tuple[float, float] | None:
    """Seconds that the host alone, and the device alone, would need at the rates of a shared run.

    Parameters
    ----------
    columns
        ``phase``, ``begin``, ``seconds`` and ``edges`` of a similarity.

    Returns
    -------
    tuple
        None if only one of them took part.

    Examples
    --------
    >>> trace = {"phase": ["host", "host", "opencl:0"], "begin": [0.0, 0.0, 0.0],
    ...          "seconds": [1.0, 1.0, 1.0], "edges": [30, 30, 40]}
    >>> [round(x, 2) for x in rates_of(trace)]
    [1.67, 2.5]
    """
    edges, begins, taken = (numbers(columns[k]) for k in ("edges", "begin", "seconds"))
    made = []
    for ours in (True, False):
        rows = [i for i, who in enumerate(columns["phase"]) if (who == "host") is ours]
        done = sum(edges[i] for i in rows)
        if done <= 0:
            return None
        busy = max(begins[i] + taken[i] for i in rows) - min(begins[i] for i in rows)
        made.append(busy * sum(edges) / done)
    return made[0], made[1]
