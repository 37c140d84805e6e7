"""Candidates by their time and their error: what is predicted, what was chosen, what came out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from . import numbers as show
from .axes import Frame, head
from .drawing import WIDE, Drawing
from .scales import linear

__all__ = ["front", "pareto"]

HEIGHT = 230
FAR = 4  # times the largest error: a budget beyond that would leave the dots no room


def pareto(
    candidates: Sequence[Mapping[str, Any]],
    measured: Mapping[str, Any] | None = None,
    budget: float | None = None,
    width: float = WIDE,
) -> Drawing:
    """A dot for each candidate, a line through those that none beats in both.

    Parameters
    ----------
    candidates
        Each has ``name``, ``seconds`` and ``error``, as predicted; ``chosen`` is true for the one that
        was taken.
    measured
        ``seconds`` and ``error`` that the chosen one really had.
    budget
        The error that is allowed.
    width
        In pixels.

    Examples
    --------
    >>> drawn = pareto([{"name": "exact", "seconds": 1.0, "error": 0.0, "chosen": True}])
    >>> "exact" in drawn.svg()
    True
    """
    made = Drawing("Time and error of the candidates", width, 0)
    legend = {"predicted": "s1", "chosen": "s2"}
    if measured is not None:
        legend["measured"] = "s3"
    frame = Frame(made, 52, head(made, legend) + 26, width - 12, 0)
    frame = Frame(made, frame.left, frame.top, frame.right, frame.top + HEIGHT)
    made.height = frame.bottom + 40
    points = [(float(c["seconds"]), float(c["error"])) for c in candidates]
    result = [] if measured is None else [(float(measured["seconds"]), float(measured["error"]))]
    errors = [e for _, e in (*points, *result)]
    if budget is not None and budget < FAR * max(errors, default=0.0):
        errors.append(budget)
    over = linear([t for t, _ in (*points, *result)], frame.left, frame.right, zero=False)
    upright = linear(errors, frame.bottom, frame.top)
    frame.y_axis(upright, "mean relative error", show.percent)
    frame.x_axis(over, "time", show.seconds, grid=True)
    if budget is not None:
        inside = budget <= upright.high
        y = upright(budget)
        note = f"allowed: {show.percent(budget)}" + ("" if inside else ", far above")
        if inside:
            made.line([(frame.left, y), (frame.right, y)], "s4", dashed=True, width=1.5)
        made.text(frame.right, y - 5 if inside else frame.top + 10, note, "s4", anchor="end")
    made.line([(over(t), upright(e)) for t, e in front(points)], "s1", width=1.5, opacity=0.5)
    for candidate, (t, e) in sorted(
        zip(candidates, points, strict=True), key=lambda both: bool(both[0].get("chosen"))
    ):
        chosen = bool(candidate.get("chosen"))
        tip = f"{candidate['name']}\npredicted {show.seconds(t)}, error {show.percent(e)}"
        made.dot(over(t), upright(e), 6 if chosen else 4, "s2" if chosen else "s1", tip=tip)
    for t, e in result:
        tip = f"measured: {show.seconds(t)}, error {show.percent(e)}"
        made.dot(over(t), upright(e), 6, "s3", tip=tip, hollow=True)
    taken = next((c["name"] for c in candidates if c.get("chosen")), "none")
    made.about = f"{made.title}: {len(points)} candidates, chosen {taken}"
    return made


def front(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Those that no other beats in both, from fast to slow.

    >>> front([(1, 0), (0.5, 0.2), (0.7, 0.3), (0.4, 0.4)])
    [(0.4, 0.4), (0.5, 0.2), (1, 0)]
    """
    kept: list[tuple[float, float]] = []
    for point in sorted(points):
        if not kept or point[1] < kept[-1][1]:
            kept.append(point)
    return kept
