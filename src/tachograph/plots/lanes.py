"""Who worked when: a lane for each device, a bar for each piece of work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from . import numbers as show
from .axes import Frame, head
from .bins import numbers
from .drawing import WIDE, Drawing
from .palette import series

__all__ = ["lanes"]

LANE, GAP = 44.0, 26.0  # pixels of a lane, and above it for its name


def lanes(columns: Mapping[str, Sequence[Any]], width: float = WIDE) -> Drawing:
    """A lane for each device over time; workers of the host that overlap share its height.

    Parameters
    ----------
    columns
        ``phase`` or ``device``: who; ``begin`` and ``seconds``: when; ``edges``, if known: how much.
    width
        In pixels.

    Examples
    --------
    >>> trace = {"phase": ["host", "opencl:0"], "begin": [0, 0], "seconds": [2, 3], "edges": [1, 3]}
    >>> "75 % of the edges" in lanes(trace).svg()
    True
    """
    who = [str(name) for name in columns["phase" if "phase" in columns else "device"]]
    begins, taken = numbers(columns["begin"]), numbers(columns["seconds"])
    edges = numbers(columns["edges"]) if "edges" in columns else []
    zero = min(begins, default=0.0)  # opening a device comes before it
    names = list(dict.fromkeys(who))
    colours = series(names)
    made = Drawing("Devices over time", width, 0)
    top = head(made, {}) + 8
    bottom = top + len(names) * (LANE + GAP)
    frame = Frame(made, 12, top, width - 14, bottom)
    made.height = bottom + 40
    end = max((b - zero + t for b, t in zip(begins, taken, strict=True)), default=1.0)
    over = frame.across(0.0, end or 1.0)
    frame.x_axis(over, "time", show.seconds, grid=True)
    summary = []
    for number, name in enumerate(names):
        rows = [i for i, one in enumerate(who) if one == name]
        y = top + number * (LANE + GAP) + GAP - 4
        label = name
        if edges and sum(edges):
            label += f": {show.percent(sum(edges[i] for i in rows) / sum(edges))} of the edges"
        made.text(frame.left, y - 6, label, bold=True)
        summary.append(label)
        rows.sort(key=lambda i: begins[i])
        parts = _parts([(begins[i], begins[i] + taken[i]) for i in rows], 0.002 * end)
        height = LANE / (1 + max(parts))
        for i, part in zip(rows, parts, strict=True):
            left, right = over(begins[i] - zero), over(begins[i] - zero + taken[i])
            tip = f"{name}\nfrom {show.seconds(begins[i] - zero)} for {show.seconds(taken[i])}"
            if edges:
                tip += f"\n{show.count(edges[i])} edges"
            made.rect(left, y + part * height, max(0.8, right - left - 0.8), height - 1,
                      colours[name], tip=tip)  # fmt: skip
    made.about = f"{made.title}: {'; '.join(summary)}; {show.seconds(end)} in all"
    return made


def _parts(spans: list[tuple[float, float]], slack: float) -> list[int]:
    """For each span, ordered by its begin, a part of the lane that is free then.

    >>> _parts([(0, 2), (1, 3), (2, 4)], 0.01)
    [0, 1, 0]
    """
    free: list[float] = []  # until when each part is taken
    made = []
    for begin, end in spans:
        part = next((k for k, until in enumerate(free) if until <= begin + slack), len(free))
        free[part : part + 1] = [end]
        made.append(part)
    return made
