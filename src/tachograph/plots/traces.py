"""Charts of traces: the levels of a search, the kernels of each iteration, devices over time."""

from __future__ import annotations

import math
from collections.abc import Sequence

from . import numbers as show
from .axes import Axis, Frame, head, panels
from .charts import Series, xy
from .drawing import WIDE, Drawing
from .numbers import Columns, floats
from .render import series

__all__ = ["charts_of", "directions", "lanes", "placements", "rates_of", "split_curve"]

RING = "ring: the other direction, timed too"
ROW, ROW_GAP = 56.0, 24.0  # pixels of a kernel's bars, and above them for its name
LANE, LANE_GAP = 44.0, 26.0  # pixels of a lane, and above it for its name
SPLIT_POINTS = 60  # of the modelled curve


def charts_of(columns: Columns, width: float = WIDE) -> list[Drawing]:
    """Return the charts that the columns of a trace are enough for, the most telling one first.

    >>> [c.title for c in charts_of({"phase": ["host"], "begin": [0], "seconds": [1], "edges": [5]})]
    ['Devices over time']
    """
    have = set(columns)
    if not len(columns.get("seconds", ())):
        return []
    if {"begin", "edges", "phase"} <= have:
        rates = rates_of(columns)
        shared = [] if rates is None else [split_curve(rates, [_shared(columns)], width)]
        return [lanes(columns, width), *shared]
    if "frontier_vertices" in have and have & {"direction", "phase"}:
        return [directions(columns, width)]
    if "iteration" in have and have & {"kernel", "phase"}:
        return [placements(columns, width)]
    return []


def _total(values: Sequence[float], labels: Sequence[str], wanted: str) -> float:
    """Sum the values that have this label."""
    return sum(value for value, label in zip(values, labels, strict=True) if label == wanted)


def _timed(columns: Columns, names: tuple[str, str]) -> dict[str, list[float]]:
    """Return the times of both choices, where both were timed."""
    have = [name for name in names if f"{name}_seconds" in columns]
    return {name: floats(columns[f"{name}_seconds"]) for name in have}


def directions(columns: Columns, width: float = WIDE) -> Drawing:
    """Draw the frontier and the time of each level, coloured by direction or phase.

    ``columns`` has ``direction`` or ``phase``, ``frontier_vertices`` and ``seconds`` of every level. If
    both directions were timed (``push_seconds``, ``pull_seconds``), rings show what the other one would
    have taken.

    >>> trace = {"direction": ["push", "pull"], "frontier_vertices": [1, 9], "seconds": [1e-5, 2e-5]}
    >>> directions(trace).svg().count("<title>")
    4
    """
    kind, title, unit = "phase", "Rounds of the search", "round"
    if "direction" in columns:
        kind, title, unit = "direction", "Direction of each level", "level"
    kinds, taken = [str(k) for k in columns[kind]], floats(columns["seconds"])
    frontier = floats(columns["frontier_vertices"])
    both = _timed(columns, ("push", "pull"))
    colours = series([*both, *kinds])
    made = Drawing(title, width)
    above, below = panels(made, (150, 110), colours | ({RING: "axis"} if both else {}), (46, 4))
    bars = below.rows(0, len(kinds) - 1, unit)
    ways = [_main(kinds, taken, bar.rows) for bar in bars]
    names = [f"level {bar}: {way}" for bar, way in zip(bars, ways, strict=True)]
    sizes = [max(1.0, max(frontier[i] for i in bar.rows)) for bar in bars]
    upright = above.y([1.0, *sizes], Axis("vertices in the frontier", show.short, "log", 4))
    for bar, way, name, size in zip(bars, ways, names, sizes, strict=True):
        tip = f"{name}\n{show.count(size)} vertices in the frontier"
        made.rect(bar.box(upright(size), above.bottom), colours[way], tip=tip)
    above.floor()
    sums = [sum(taken[i] for i in bar.rows) for bar in bars]
    rivals = [{way: sum(times[i] for i in bar.rows) for way, times in both.items()} for bar in bars]
    every = sums + [t for times in rivals for t in times.values()]
    upright = below.y(every, Axis("time", show.seconds, "log" if both else "linear", 3))
    for bar, way, name, size, times in zip(bars, ways, names, sums, rivals, strict=True):
        tip = f"{name}\n{show.seconds(size)}"
        if not both:
            made.rect(bar.box(upright(size), below.bottom), colours[way], tip=tip)
            continue
        x, y, radius = bar.middle, upright(size), min(4.5, max(1.5, (bar.right - bar.left) / 2))
        for other, rival in times.items():
            if other != way and math.isfinite(rival):
                made.line([(x, y), (x, upright(rival))], "axis")
                would = f"level {bar}: {other} would have taken {show.seconds(rival)}"
                made.dot(x, upright(rival), radius, colours[other], tip=would, hollow=True)
        made.dot(x, y, radius, colours[way], tip=tip)
    parts = [
        f"{kinds.count(name)} {name}, {show.seconds(_total(taken, kinds, name))}"
        for name in dict.fromkeys(kinds)
    ]
    made.about = f"{title}: {'; '.join(parts)}"
    return made


def _main(kinds: list[str], taken: list[float], cell: range) -> str:
    """Return the kind that took most of a cell's time."""
    here, times = [kinds[i] for i in cell], [taken[i] for i in cell]
    return max(dict.fromkeys(here), key=lambda kind: _total(times, here, kind))


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
    taken, rounds = floats(columns["seconds"]), [int(i) for i in floats(columns["iteration"])]
    places = [str(d) for d in columns.get("device", kernels)]
    timed = _timed(columns, ("host", "device"))
    names, colours = list(dict.fromkeys(kernels)), series(places)
    devices = list(dict.fromkeys(places))
    made = Drawing("Kernels of each iteration", width)
    top = head(made, colours if "device" in columns else {}) + 4
    frame = Frame(made, 56, top, width - 4, top + len(names) * (ROW + ROW_GAP))
    made.height = frame.bottom + 40
    bars = frame.rows(min(rounds, default=0), max(rounds, default=0), "iteration", 40.0)
    for number, name in enumerate(names, 1):
        bottom = top + number * (ROW + ROW_GAP)
        own = [i for i, kernel in enumerate(kernels) if kernel == name]
        rows = [[i for i in own if rounds[i] in bar.rows] for bar in bars]
        part = Frame(made, frame.left, bottom - ROW, frame.right, bottom)
        sums = (sum(taken[i] for i in here) for here in rows)
        upright = part.y(sums, Axis("", show.seconds, ticks=2))
        made.text(frame.left, bottom - ROW - 6, name, bold=True)
        for bar, inside in zip(bars, rows, strict=True):
            below = 0.0
            for device in devices:
                here = [i for i in inside if places[i] == device]
                if not here:
                    continue
                more = sum(taken[i] for i in here)
                tip = f"{name}, iteration {bar}\n{device}: {show.seconds(more)}"
                for place, times in timed.items():
                    if place != device and math.isfinite(spent := sum(times[i] for i in here)):
                        tip += f"\n{place} would have taken {show.seconds(spent)}"
                made.rect(bar.box(upright(below + more), upright(below)), colours[device], tip=tip)
                below += more
        part.floor()
    shown = [f"{n} {show.seconds(_total(taken, kernels, n))}" for n in names]
    if "device" in columns:
        shown += [f"{d} {show.seconds(_total(taken, places, d))}" for d in devices]
    made.about = f"{made.title}: {', '.join(shown)}"
    return made


def lanes(columns: Columns, width: float = WIDE, title: str = "Devices over time") -> Drawing:
    """Draw a lane for each device over time; workers of the host that overlap share its height.

    ``columns`` has ``phase`` or ``device`` (who), ``begin`` and ``seconds`` (when), and ``edges`` (how
    much) if that is known.

    >>> trace = {"phase": ["host", "opencl:0"], "begin": [0, 0], "seconds": [2, 3], "edges": [1, 3]}
    >>> "75 % of the edges" in lanes(trace).svg()
    True
    """
    who = [str(name) for name in columns["phase" if "phase" in columns else "device"]]
    taken, begins = floats(columns["seconds"]), floats(columns["begin"])
    zero = min(begins, default=0.0)  # opening a device comes before it
    begins = [begin - zero for begin in begins]
    edges = floats(columns["edges"]) if "edges" in columns else []
    colours = series(who)
    names = list(dict.fromkeys(who))
    made = Drawing(title, width)
    top = head(made, {}) + 8
    frame = Frame(made, 12, top, width - 14, top + len(names) * (LANE + LANE_GAP))
    made.height = frame.bottom + 40
    end = max((b + t for b, t in zip(begins, taken, strict=True)), default=1.0)
    over = frame.x((0.0, end or 1.0), Axis("time", show.seconds, "exact", 6, grid=True))
    summary = []
    for number, name in enumerate(names):
        rows = sorted((i for i, one in enumerate(who) if one == name), key=lambda i: begins[i])
        y = top + number * (LANE + LANE_GAP) + LANE_GAP - 4
        label = name
        if edges and sum(edges):
            label += f": {show.percent(_total(edges, who, name) / sum(edges))} of the edges"
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


def split_curve(
    alone: tuple[float, float],
    measured: Sequence[tuple[float, float, str]] = (),
    width: float = WIDE,
) -> Drawing:
    """Draw the time that each share would take by the two rates of a run, and what was measured.

    ``alone`` are the seconds that the host and the device would need for all of the work.
    ``measured`` has the host's share, the seconds and a name of runs that took place.

    >>> print(split_curve((1.0, 1.0), [(0.5, 0.52, "met in the middle")]).about)
    Time by the host's share: best 500 ms at 50 % by the two rates of this run
    """
    host, device = alone
    best = device / (host + device) if host + device > 0 else 0.5
    least = host * best
    shares = sorted([best, *(k / SPLIT_POINTS for k in range(SPLIT_POINTS + 1))])
    curve = [(share, max(host * share, device * (1 - share))) for share in shares]
    tip = f"best by the model\nhost {show.percent(best)}: {show.seconds(least)}"
    tips = [f"measured: {w}\nhost {show.percent(s)}: {show.seconds(t)}" for s, t, w in measured]
    lines = [
        Series("modelled from the two rates of this run", curve, "curve"),
        Series("", [(best, least)], "dots", [tip], role="s1"),
        Series("measured", [(share, taken) for share, taken, _ in measured], "large", tips),
    ]
    axes = Axis("share of the edges on the host", show.percent, "exact"), Axis("time", show.seconds)
    made = xy("Time by the host's share of the edges", lines, axes, width, 220)
    found = f"best {show.seconds(least)} at {show.percent(best)}"
    made.about = f"Time by the host's share: {found} by the two rates of this run"
    return made


def rates_of(columns: Columns) -> tuple[float, float] | None:
    """Return the seconds that host and device would each need alone, at the rates of a shared run.

    ``columns`` has ``phase``, ``begin``, ``seconds`` and ``edges``. The result is None if only one of
    them took part.

    >>> trace = {"phase": ["host", "host", "opencl:0"], "begin": [0.0, 0.0, 0.0],
    ...          "seconds": [1.0, 1.0, 1.0], "edges": [30, 30, 40]}
    >>> [round(x, 2) for x in rates_of(trace)]
    [1.67, 2.5]
    """
    edges, begins, taken = (floats(columns[k]) for k in ("edges", "begin", "seconds"))
    made = []
    for on_host in (True, False):
        rows = [i for i, who in enumerate(columns["phase"]) if (who == "host") is on_host]
        done = sum(edges[i] for i in rows)
        if done <= 0:
            return None
        busy = max(begins[i] + taken[i] for i in rows) - min(begins[i] for i in rows)
        made.append(busy * sum(edges) / done)
    return made[0], made[1]


def _shared(columns: Columns) -> tuple[float, float, str]:
    """Return the host's share and the time of a run that two devices shared."""
    edges, begins, taken = (floats(columns[k]) for k in ("edges", "begin", "seconds"))
    host = _total(edges, [str(who) for who in columns["phase"]], "host")
    end = max(b + t for b, t in zip(begins, taken, strict=True))
    return host / sum(edges), end - min(begins), "this run"
