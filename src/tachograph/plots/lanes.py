"""Who worked when: a lane for each device, a bar for each piece of work."""

from __future__ import annotations

from . import numbers as show
from .axes import Axis, Frame, head
from .bins import Columns, numbers, total
from .drawing import WIDE, Drawing
from .palette import series

__all__ = ["lanes"]

LANE, GAP = 44.0, 26.0  # pixels of a lane, and above it for its name


def lanes(columns: Columns, width: float = WIDE) -> Drawing:
    """Draw a lane for each device over time; workers of the host that overlap share its height.

    ``columns`` has ``phase`` or ``device`` (who), ``begin`` and ``seconds`` (when), and ``edges`` (how
    much) if that is known.

    >>> trace = {"phase": ["host", "opencl:0"], "begin": [0, 0], "seconds": [2, 3], "edges": [1, 3]}
    >>> "75 % of the edges" in lanes(trace).svg()
    True
    """
    who = [str(name) for name in columns["phase" if "phase" in columns else "device"]]
    taken = numbers(columns["seconds"])
    zero = min(numbers(columns["begin"]), default=0.0)  # opening a device comes before it
    begins = [begin - zero for begin in numbers(columns["begin"])]
    edges = numbers(columns["edges"]) if "edges" in columns else []
    names = list(dict.fromkeys(who))
    colours = series(names)
    made = Drawing("Devices over time", width, 0)
    top = head(made, {}) + 8
    frame = Frame(made, 12, top, width - 14, top + len(names) * (LANE + GAP))
    made.height = frame.bottom + 40
    end = max((b + t for b, t in zip(begins, taken, strict=True)), default=1.0)
    over = frame.x((0.0, end or 1.0), Axis("time", show.seconds, "exact", 6, grid=True))
    summary = []
    for number, name in enumerate(names):
        rows = sorted((i for i, one in enumerate(who) if one == name), key=lambda i: begins[i])
        y = top + number * (LANE + GAP) + GAP - 4
        label = name
        if edges and sum(edges):
            label += f": {show.percent(total(edges, who, name) / sum(edges))} of the edges"
        made.text(frame.left, y - 6, label, bold=True)
        summary.append(label)
        parts = _parts([(begins[i], begins[i] + taken[i]) for i in rows], 0.002 * end)
        height = LANE / (1 + max(parts))
        for i, part in zip(rows, parts, strict=True):
            left, right = over(begins[i]), over(begins[i] + taken[i])
            tip = f"{name}\nfrom {show.seconds(begins[i])} for {show.seconds(taken[i])}"
            if edges:
                tip += f"\n{show.count(edges[i])} edges"
            box = (left, y + part * height, max(0.8, right - left - 0.8), height - 1)
            made.rect(box, colours[name], tip=tip)
    made.about = f"{made.title}: {'; '.join(summary)}; {show.seconds(end)} in all"
    return made


def _parts(spans: list[tuple[float, float]], slack: float) -> list[int]:
    """Return, for each span in order of their begins, a part of the lane that is free then.

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
