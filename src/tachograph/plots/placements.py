"""Which kernel of which iteration ran where, and how long it took."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from . import numbers as show
from .axes import Frame, head
from .bins import bins, numbers, span
from .drawing import WIDE, Drawing
from .palette import series
from .scales import linear

__all__ = ["placements"]

ROW, GAP = 56.0, 24.0  # pixels of a kernel's bars, and above them for its name
BAR = 4.0  # least pixels between the left edges of two bars


def placements(columns: Mapping[str, Sequence[Any]], width: float = WIDE) -> Drawing:
    """A row of bars for each kernel, one for each iteration, as high as it took, coloured by device.

    Where both devices were timed, a bar's tip also tells the other's time.

    Parameters
    ----------
    columns
        ``kernel`` (or ``phase``), ``iteration`` and ``seconds``; ``device`` if there are several;
        ``host_seconds`` and ``device_seconds`` if both were timed.
    width
        In pixels.

    Examples
    --------
    >>> trace = {"kernel": ["select", "select"], "iteration": [0, 1], "device": ["host", "device"],
    ...          "seconds": [0.1, 0.2]}
    >>> print(placements(trace).about)
    Kernels of each iteration: select 300 ms, host 100 ms, device 200 ms
    """
    kernels = [str(k) for k in columns["kernel" if "kernel" in columns else "phase"]]
    taken = numbers(columns["seconds"])
    places = [str(d) for d in columns.get("device", kernels)]
    rounds = [int(i) for i in columns["iteration"]]
    timed = {p: numbers(columns[f"{p}_seconds"]) for p in ("host", "device")
             if f"{p}_seconds" in columns}  # fmt: skip
    names, devices = list(dict.fromkeys(kernels)), list(dict.fromkeys(places))
    colours = series(devices)
    made = Drawing("Kernels of each iteration", width, 0)
    top = head(made, colours if "device" in columns else {}) + 4
    frame = Frame(made, 56, top, width - 4, top + len(names) * (ROW + GAP))
    made.height = frame.bottom + 40
    first, last = min(rounds, default=0), max(rounds, default=0)
    cells = [range(c.start + first, c.stop + first)
             for c in bins(last - first + 1, max(1, int(frame.width / BAR)))]  # fmt: skip
    which = {i: place for place, cell in enumerate(cells) for i in cell}
    over = frame.across(first - 0.5, last + 0.5)
    for number, name in enumerate(names):
        rows = [i for i, k in enumerate(kernels) if k == name]
        stacks: dict[int, list[int]] = {}
        for i in rows:
            stacks.setdefault(which[rounds[i]], []).append(i)
        bottom = top + (number + 1) * (ROW + GAP)
        upright = linear([sum(taken[i] for i in s) for s in stacks.values()], bottom, bottom - ROW)
        part = Frame(made, frame.left, bottom - ROW, frame.right, bottom)
        part.y_axis(upright, "", show.seconds, 2)
        made.text(frame.left, bottom - ROW - 6, name, bold=True)
        for place, stack in stacks.items():
            below = 0.0
            for device in devices:
                here = [i for i in stack if places[i] == device]
                if not here:
                    continue
                more = sum(taken[i] for i in here)
                left, right = over(cells[place][0] - 0.5), over(cells[place][-1] + 0.5)
                wide = min((right - left) * 0.85, 40.0)
                tip = f"{name}, iteration {span(cells[place])}\n{device}: {show.seconds(more)}"
                tip += _other(timed, device, here)
                made.rect((left + right - wide) / 2, upright(below + more), wide,
                          upright(below) - upright(below + more), colours[device], tip=tip)  # fmt: skip
                below += more
        made.line([(frame.left, bottom), (frame.right, bottom)], "axis")
    frame.x_axis(over, "iteration", lambda v: f"{v:.0f}" if float(v).is_integer() else "")
    sums = [f"{n} {show.seconds(_sum(taken, kernels, n))}" for n in names]
    if "device" in columns:
        sums += [f"{d} {show.seconds(_sum(taken, places, d))}" for d in devices]
    made.about = f"{made.title}: {', '.join(sums)}"
    return made


def _sum(taken: list[float], labels: list[str], wanted: str) -> float:
    return sum(t for t, label in zip(taken, labels, strict=True) if label == wanted)


def _other(timed: Mapping[str, list[float]], device: str, here: list[int]) -> str:
    """What the other place would have taken, if that was timed."""
    for place, times in timed.items():
        total = sum(times[i] for i in here)
        if place != device and math.isfinite(total):
            return f"\n{place} would have taken {show.seconds(total)}"
    return ""
