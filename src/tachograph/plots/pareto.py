"""Candidates by their time and their error: what is predicted, what was chosen, what came out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from . import numbers as show
from .axes import Axis
from .drawing import WIDE, Drawing
from .xy import Series, xy

__all__ = ["Candidate", "front", "pareto"]

FAR_BUDGET = 4  # times the largest error: a larger budget would leave the dots no room


class Candidate(NamedTuple):
    """A way to run a task, with its predicted seconds and mean relative error."""

    name: str
    seconds: float
    error: float
    chosen: bool = False


def pareto(
    candidates: Sequence[Candidate],
    measured: tuple[float, float] | None = None,
    budget: float | None = None,
    width: float = WIDE,
) -> Drawing:
    """Draw a dot for each candidate, and a line through those that none beats in time and error.

    ``measured`` are the seconds and the error that the chosen one really had, ``budget`` the error
    that is allowed.

    >>> "exact" in pareto([Candidate("exact", 1.0, 0.0, chosen=True)]).svg()
    True
    """
    points = [(c.seconds, c.error) for c in candidates]
    every = [*points, *([measured] if measured else [])]
    errors, times = [e for _, e in every] or [0.0], [t for t, _ in every]
    series = [Series("", front(points), "curve", role="s1")]
    for name, chosen, marks in (("predicted", False, "dots"), ("chosen", True, "large")):
        own = [c for c in candidates if c.chosen is chosen]
        tips = [f"{c.name}\npredicted {_both(c.seconds, c.error)}" for c in own]
        series.append(Series(name, [(c.seconds, c.error) for c in own], marks, tips))
    if measured is not None:
        series.append(Series("measured", [measured], "rings", [f"measured: {_both(*measured)}"]))
    if budget is not None:
        near = bool(times) and budget < FAR_BUDGET * max(errors)
        line = [(min(times), budget), (max(times), budget)] if near else []
        name = f"allowed: {show.percent(budget)}" + ("" if near else ", far above")
        series.append(Series(name, line, "dashed", role="s4"))
    axes = (
        Axis("time", show.seconds, "near", 6, grid=True),
        Axis("mean relative error", show.percent),
    )
    made = xy("Time and error of the candidates", series, axes, width, 230)
    taken = next((c.name for c in candidates if c.chosen), "none")
    made.about = f"{made.title}: {len(points)} candidates, chosen {taken}"
    return made


def _both(seconds: float, error: float) -> str:
    return f"{show.seconds(seconds)}, error {show.percent(error)}"


def front(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the points that no other beats in both numbers, the fastest first.

    >>> front([(1, 0), (0.5, 0.2), (0.7, 0.3), (0.4, 0.4)])
    [(0.4, 0.4), (0.5, 0.2), (1, 0)]
    """
    kept: list[tuple[float, float]] = []
    for point in sorted(points):
        if not kept or point[1] < kept[-1][1]:
            kept.append(point)
    return kept
