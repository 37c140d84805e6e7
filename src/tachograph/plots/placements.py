"""Which kernel of which iteration ran where, and how long it took."""

from __future__ import annotations

import math
from collections.abc import Mapping

from . import numbers as show
from .axes import Axis, Frame, head
from .bins import BAR_PIXELS, Columns, bars_of, bins, numbers, span, total, whole
from .drawing import WIDE, Drawing
from .palette import series

__all__ = ["placements"]

ROW, GAP = 56.0, 24.0  # pixels of a kernel's bars, and above them for its name


def placements(columns: Columns, width: float = WIDE) -> Drawing:
    """Draw a row of bars for each kernel: one per iteration, as high as it took, coloured by device.

    ``columns`` has ``kernel`` (or ``phase``), ``iteration`` and ``seconds``, and ``device`` if there
    are several. Where both were timed (``host_seconds``, ``device_seconds``), a bar's tip also tells
    the other's time.

    >>> trace = {"kernel": ["select", "select"], "iteration": [0, 1], "device": ["host", "device"],
    ...          "seconds": [0.1, 0.2]}
    >>> print(placements(trace).about)
    Kernels of each iteration: select 300 ms, host 100 ms, device 200 ms
    """
    kernels = [str(k) for k in columns["kernel" if "kernel" in columns else "phase"]]
    taken, rounds = numbers(columns["seconds"]), [int(i) for i in numbers(columns["iteration"])]
    places = [str(d) for d in columns.get("device", kernels)]
    timed = {
        place: numbers(columns[f"{place}_seconds"])
        for place in ("host", "device")
        if f"{place}_seconds" in columns
    }
    names, devices = list(dict.fromkeys(kernels)), list(dict.fromkeys(places))
    colours = series(devices)
    made = Drawing("Kernels of each iteration", width, 0)
    top = head(made, colours if "device" in columns else {}) + 4
    frame = Frame(made, 56, top, width - 4, top + len(names) * (ROW + GAP))
    made.height = frame.bottom + 40
    first, last = min(rounds, default=0), max(rounds, default=0)
    over = frame.x((first - 0.5, last + 0.5), Axis("iteration", whole, "exact", 6))
    cells = bins(last - first + 1, max(1, int(frame.width / BAR_PIXELS)))
    bars = bars_of((range(c.start + first, c.stop + first) for c in cells), over, 40.0)
    for number, name in enumerate(names, 1):
        bottom = top + number * (ROW + GAP)
        rows: list[list[int]] = [[] for _ in bars]
        for i, kernel in enumerate(kernels):
            if kernel == name:
                rows[(rounds[i] - first) // len(cells[0])].append(i)
        part = Frame(made, frame.left, bottom - ROW, frame.right, bottom)
        sums = (sum(taken[i] for i in own) for own in rows)
        upright = part.y(sums, Axis("", show.seconds, ticks=2))
        made.text(frame.left, bottom - ROW - 6, name, bold=True)
        for bar, own in zip(bars, rows, strict=True):
            below = 0.0
            for device in dict.fromkeys(d for d in devices if any(places[i] == d for i in own)):
                here = [i for i in own if places[i] == device]
                more = sum(taken[i] for i in here)
                tip = f"{name}, iteration {span(bar.rows)}\n{device}: {show.seconds(more)}"
                tip += _other(timed, device, here)
                box = bar.box(upright(below + more), upright(below))
                made.rect(box, colours[device], tip=tip)
                below += more
        part.floor()
    sums_shown = [f"{n} {show.seconds(total(taken, kernels, n))}" for n in names]
    if "device" in columns:
        sums_shown += [f"{d} {show.seconds(total(taken, places, d))}" for d in devices]
    made.about = f"{made.title}: {', '.join(sums_shown)}"
    return made


def _other(timed: Mapping[str, list[float]], device: str, here: list[int]) -> str:
    """Say what the other place would have taken, if that was timed."""
    for place, times in timed.items():
        spent = sum(times[i] for i in here)
        if place != device and math.isfinite(spent):
            return f"\n{place} would have taken {show.seconds(spent)}"
    return ""
