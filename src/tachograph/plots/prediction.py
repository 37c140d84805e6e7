"""What was predicted beside what came out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from . import numbers as show
from .axes import Axis, panels
from .drawing import WIDE, Drawing
from .palette import series

__all__ = ["TOLERANCE", "Predicted", "prediction"]

TOLERANCE = 0.35  # a prediction is good if it is off by at most this part of the actual time


class Predicted(NamedTuple):
    """A run with its predicted and its actual seconds."""

    name: str
    task: str
    predicted: float
    actual: float


def prediction(runs: Sequence[Predicted], width: float = WIDE) -> Drawing:
    """Draw a dot for each run: predicted seconds from left to right, actual ones upwards.

    >>> runs = [Predicted("run 1", "bfs", 0.010, 0.012), Predicted("run 2", "bfs", 0.010, 0.050)]
    >>> print(prediction(runs).about)
    Predicted and actual time: 1 of 2 runs within 35 %
    """
    colours = series(list(dict.fromkeys(run.task for run in runs)))
    made = Drawing("Predicted and actual time", width, 0)
    within = f"within {show.percent(TOLERANCE)}"
    (frame,) = panels(made, (260,), colours | {f"band: {within}": "grid"}, (56, 12))
    every = [t for run in runs for t in (run.predicted, run.actual)]
    upright = frame.y(every, Axis("actual", show.seconds, "log", 4))
    over = frame.x(every, Axis("predicted", show.seconds, "log"))
    low, high = over.low, over.high
    parts = (
        (low, 1 - TOLERANCE),
        (high, 1 - TOLERANCE),
        (high, 1 + TOLERANCE),
        (low, 1 + TOLERANCE),
    )
    made.area([(over(t), upright(t / part)) for t, part in parts], "grid")
    made.line([(over(low), upright(low)), (over(high), upright(high))], "axis")
    for name, task, told, actual in runs:
        tip = f"{name}, {task}\npredicted {show.seconds(told)}, actual {show.seconds(actual)}"
        made.dot(over(told), upright(actual), 5, colours[task], tip=tip, opacity=0.85)
    good = sum(abs(run.predicted - run.actual) <= TOLERANCE * run.actual for run in runs)
    made.about = f"{made.title}: {good} of {len(runs)} runs {within}"
    return made
