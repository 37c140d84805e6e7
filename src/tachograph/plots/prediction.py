"""What was predicted beside what came out."""

from __future__ import annotations

from collections.abc import Sequence

from . import numbers as show
from .axes import Frame, head
from .drawing import WIDE, Drawing
from .palette import series
from .scales import logarithmic

__all__ = ["TOLERANCE", "prediction"]

HEIGHT = 260
TOLERANCE = 0.35  # a prediction within this part of the actual time is a good one


def prediction(runs: Sequence[tuple[str, str, float, float]], width: float = WIDE) -> Drawing:
    """A dot for each run: predicted seconds from left to right, actual ones upwards.

    Parameters
    ----------
    runs
        Each one's name, its task, and its predicted and actual seconds.
    width
        In pixels.

    Examples
    --------
    >>> print(prediction([("run 1", "bfs", 0.010, 0.012), ("run 2", "bfs", 0.010, 0.050)]).about)
    Predicted and actual time: 1 of 2 runs within 35 %
    """
    tasks = list(dict.fromkeys(task for _, task, _, _ in runs))
    colours = series(tasks)
    made = Drawing("Predicted and actual time", width, 0)
    band = f"band: within {show.percent(TOLERANCE)}"
    top = head(made, colours | {band: "grid"}) + 26
    frame = Frame(made, 56, top, width - 12, top + HEIGHT)
    made.height = frame.bottom + 40
    every = [t for _, _, predicted, actual in runs for t in (predicted, actual)]
    over = logarithmic(every, frame.left, frame.right)
    upright = logarithmic(every, frame.bottom, frame.top)
    low, high = over.low, over.high
    corners = [
        (low, 1 - TOLERANCE),
        (high, 1 - TOLERANCE),
        (high, 1 + TOLERANCE),
        (low, 1 + TOLERANCE),
    ]
    made.area([(over(t), upright(t / part)) for t, part in corners], "grid", opacity=1.0)
    frame.y_axis(upright, "actual", show.seconds)
    frame.x_axis(over, "predicted", show.seconds, 5)
    made.line([(over(low), upright(low)), (over(high), upright(high))], "axis")
    for name, task, predicted, actual in runs:
        tip = f"{name}, {task}\npredicted {show.seconds(predicted)}, actual {show.seconds(actual)}"
        made.dot(over(predicted), upright(actual), 5, colours[task], tip=tip, opacity=0.85)
    good = sum(abs(p - a) <= TOLERANCE * a for _, _, p, a in runs)
    made.about = f"{made.title}: {good} of {len(runs)} runs within 35 %"
    return made
