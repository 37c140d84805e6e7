"""Charts of any numbers: lines and dots, bars, ratios, boxes; predictions beside what came out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from statistics import quantiles
from typing import NamedTuple

from . import numbers as show
from .axes import Axis, bars_of, head, panels, scale, text_width
from .drawing import WIDE, Drawing, Point
from .render import series as coloured

__all__ = ["Candidate", "Predicted", "Series"]
__all__ += ["bars", "boxes", "front", "pareto", "prediction", "ratios", "xy"]

RIGHT_AXIS_PIXELS = 56  # room for the ticks of an axis on the right
RADIUS = {"line": 3.0, "dots": 3.5, "large": 6.0, "rings": 6.0}  # pixels of dots, by kind of marks
BAR_HEIGHT = 16.0  # pixels
ROW_HEIGHTS = {True: 22.0, False: 44.0}  # pixels of a row whose name is beside its bar, or above it
NAMES_SHARE = 0.4  # of the width, which names beside their bars may take
VALUE_PIXELS = 84.0  # room for the value behind the longest bar
RATIO_BAR, RATIO_GAP = 9.0, 8.0  # pixels of the bar of a ratio, and between two groups
BOX_HEIGHT = 200  # pixels of a frame with boxes
WHISKER_QUARTILES = 1.5  # whiskers reach at most this many box heights beyond the box
FAR_BUDGET = 4  # times the largest error: a larger budget would leave the dots no room
TOLERANCE = 0.35  # a prediction is good if it is off by at most this part of the actual time


class Series(NamedTuple):
    """Points, and how they are drawn.

    ``marks`` is ``line`` (with dots on it), ``curve`` (without dots), ``steps``, ``dashed``, ``dots``,
    ``large`` (dots) or ``rings``. A series without a name is not in the legend. Points have a tip each
    if there are ``tips``; ``right`` measures by the axis on the right.
    """

    name: str
    points: Sequence[Point]
    marks: str = "line"
    tips: Sequence[str] = ()
    role: str = ""
    right: bool = False


def xy(
    title: str,
    series: Sequence[Series],
    axes: Sequence[Axis],
    width: float = WIDE,
    height: float = 200,
) -> Drawing:
    """Draw every series with a colour of its own; ``axes`` are below, on the left and on the right.

    >>> time = Series("host", [(0, 0.2), (1, 0.1)])
    >>> print(xy("Time", [time], (Axis("share"), Axis("s"))).about)
    Time: host, 2 points
    """
    named = [s for s in series if s.name]
    free = coloured(s.name for s in named if not s.role)
    colours = {s.name: s.role or free[s.name] for s in named}
    dashed = [s.name for s in named if s.marks == "dashed"]
    made = Drawing(title, width)
    margins = (56, RIGHT_AXIS_PIXELS if len(axes) > 2 else 12)
    (frame,) = panels(made, (height,), colours if len(named) > 1 else {}, margins, dashed)
    over = frame.x((x for s in series for x, _ in s.points), axes[0])
    sides = [
        frame.y((y for s in series if s.right is right for _, y in s.points), axis, right=right)
        for axis, right in zip(axes[1:], (False, True), strict=False)
    ]
    for name, points, marks, tips, role, right in series:
        colour = role or colours[name]
        path = placed = [(over(x), sides[right](y)) for x, y in points]
        if marks == "steps":
            path = [p for a, b in pairwise(placed) for p in (a, (b[0], a[1]))] + placed[-1:]
        if marks in ("line", "curve", "steps", "dashed") and path:
            made.line(path, colour, size=1.8, dashed=right or marks == "dashed")
        for k, (x, y) in enumerate(placed if marks in RADIUS else ()):
            below, beside = axes[0], axes[1 + right]
            tip = f"{name}\n{below.label} {below.shown(points[k][0])}: {beside.shown(points[k][1])}"
            look = 0.7 if marks == "dots" else 1.0
            tip, hollow = tips[k] if tips else tip, marks == "rings"
            made.dot(x, y, RADIUS[marks], colour, tip=tip, hollow=hollow, opacity=look)
    made.about = f"{title}: {'; '.join(f'{s.name}, {len(s.points)} points' for s in named)}"
    return made


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
    colours = coloured(kind for *_, kind in rows)
    made = Drawing(title, width)
    top = head(made, colours if len(colours) > 1 else {}) + 10
    longest = max((text_width(name) for name, *_ in rows), default=0.0)
    beside = longest <= width * NAMES_SHARE
    left = longest + 10 if beside else 0.0
    made.height = top + ROW_HEIGHTS[beside] * len(rows) + 6
    far = left + (width - left - VALUE_PIXELS) * 1.06
    over = scale("linear", [t for _, t, _ in rows], left, far)
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


def ratios(
    title: str,
    groups: Mapping[str, Mapping[str, float]],
    label: str,
    names: Sequence[str] = (),
    width: float = WIDE,
) -> Drawing:
    """Draw a bar from 1 to the ratio of each candidate in each group, on a logarithmic axis.

    Candidates have the same colours in all charts that are given the same ``names``.

    >>> print(ratios("kron-17", {"bfs": {"SciPy": 6.9}}, "their time / ours").about)
    kron-17: bfs, SciPy 6.9×
    """
    rows = [(group, name, ratio) for group, own in groups.items() for name, ratio in own.items()]
    found = {name for _, name, _ in rows}
    every_colour = coloured([*names, *(name for _, name, _ in rows)])
    colours = {name: colour for name, colour in every_colour.items() if name in found}
    made = Drawing(title, width)
    left_margin = max((text_width(name) for name in groups), default=0.0) + 10
    heights = {group: RATIO_BAR * len(own) for group, own in groups.items()}
    height = sum(heights.values()) + RATIO_GAP * (len(groups) + 1)
    (frame,) = panels(made, (height,), colours, (left_margin, 16))
    over = frame.x([1.0, *(r for *_, r in rows)], Axis(label, show.factor, "log", 6, grid=True))
    made.line([(over(1.0), frame.top), (over(1.0), frame.bottom)], "ink")
    y = frame.top
    for group, own in groups.items():
        y += RATIO_GAP
        made.text(left_margin - 8, y + heights[group] / 2 + 4, group, anchor="end")
        for name, ratio in own.items():
            left, right = sorted((over(1.0), over(ratio)))
            tip = f"{group}, {name}\n{label} {show.factor(ratio)}"
            made.rect((left, y, max(1.0, right - left), RATIO_BAR - 1), colours[name], tip=tip)
            y += RATIO_BAR
    made.about = f"{title}: {'; '.join(f'{g}, {n} {show.factor(r)}' for g, n, r in rows)}"
    return made


def boxes(
    title: str, groups: Mapping[str, Sequence[float]], axis: Axis, width: float = WIDE
) -> Drawing:
    """Draw a box from the first to the third quartile of each group, with its median and whiskers.

    >>> print(boxes("Errors", {"LR": [1, 2, 3, 4]}, Axis("%")).about)
    Errors: LR 2.5
    """
    five = {name: _five(sorted(values)) for name, values in groups.items()}
    names = list(groups)
    made = Drawing(title, width)
    (frame,) = panels(made, (BOX_HEIGHT,), {})
    label = Axis("", lambda at: names[int(at)] if at in range(len(names)) else "", "exact")
    over = frame.x((-0.5, len(names) - 0.5), label._replace(ticks=len(names)))
    upright = frame.y((v for values in five.values() for v in values), axis)
    drawn = bars_of([range(k, k + 1) for k in range(len(names))], over, 40.0)
    for bar, (name, values) in zip(drawn, five.items(), strict=True):
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
    many = len(values) > 1
    first, median, third = quantiles(values, n=4, method="inclusive") if many else 3 * values
    reach = WHISKER_QUARTILES * (third - first)
    low = min(v for v in values if v >= first - reach)
    return low, first, median, third, max(v for v in values if v <= third + reach)


class Candidate(NamedTuple):
    """A way to run a task, with its predicted seconds and mean relative error."""

    name: str
    seconds: float
    error: float
    chosen: bool = False


def pareto(
    candidates: Sequence[Candidate],
    measured: Point | None = None,
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
    over, upright = (
        Axis("time", show.seconds, "near", 6, True),
        Axis("mean relative error", show.percent),
    )
    made = xy("Time and error of the candidates", series, (over, upright), width, 230)
    taken = next((c.name for c in candidates if c.chosen), "none")
    made.about = f"{made.title}: {len(points)} candidates, chosen {taken}"
    return made


def _both(seconds: float, error: float) -> str:
    return f"{show.seconds(seconds)}, error {show.percent(error)}"


def front(points: Sequence[Point]) -> list[Point]:
    """Return the points that no other beats in both numbers, the fastest first.

    >>> front([(1, 0), (0.5, 0.2), (0.7, 0.3), (0.4, 0.4)])
    [(0.4, 0.4), (0.5, 0.2), (1, 0)]
    """
    kept: list[Point] = []
    for point in sorted(points):
        if not kept or point[1] < kept[-1][1]:
            kept.append(point)
    return kept


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
    colours = coloured(run.task for run in runs)
    made = Drawing("Predicted and actual time", width)
    within = f"within {show.percent(TOLERANCE)}"
    (frame,) = panels(made, (260,), colours | {f"band: {within}": "grid"}, (56, 12))
    every = [t for run in runs for t in (run.predicted, run.actual)]
    upright = frame.y(every, Axis("actual", show.seconds, "log", 4))
    over = frame.x(every, Axis("predicted", show.seconds, "log"))
    ends = over.low, over.high
    band = [(t, t / (1 - TOLERANCE)) for t in ends] + [(t, t / (1 + TOLERANCE)) for t in ends[::-1]]
    made.area([(over(x), upright(y)) for x, y in band], "grid")
    made.line([(over(t), upright(t)) for t in ends], "axis")
    for name, task, told, actual in runs:
        tip = f"{name}, {task}\npredicted {show.seconds(told)}, actual {show.seconds(actual)}"
        made.dot(over(told), upright(actual), 5, colours[task], tip=tip, opacity=0.85)
    good = sum(abs(run.predicted - run.actual) <= TOLERANCE * run.actual for run in runs)
    made.about = f"{made.title}: {good} of {len(runs)} runs {within}"
    return made
