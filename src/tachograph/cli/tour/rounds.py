"""Algorithms in rounds of kernels, each of which runs on the host or on the device."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ...algorithms.bfs import bfs
from ...algorithms.flow import maximum_flow
from ...algorithms.independent_set import maximal_independent_set
from ...algorithms.result import Result
from ...charts import numbers as show
from ...charts.placements import placements
from ...charts.tables import table_of
from ...report.page import Figure, Section
from .race import Lap, race, saving, times_table
from .setting import Outcome, Setting, Skip, nearest

__all__ = ["flow", "independent_set"]

MOST_SET, MOST_FLOW = 1 << 25, 1 << 22  # arcs
PLAIN = "one algorithm, on the host"
HOST = "rounds, all on the host"
DEVICE = "rounds, all on the device"
PLACED = "rounds, each kernel placed"


def independent_set(setting: Setting) -> Outcome:
    """A maximal independent set."""
    graph, what = nearest(setting.graph, setting.source, MOST_SET)
    laps, timed = _race(setting, partial(maximal_independent_set, graph, seed=1))
    maximal_independent_set(graph, seed=1, verify=True)
    size = int(laps[PLAIN].result.vertices.size)
    same = len({lap.result.vertices.size for lap in laps.values()}) == 1
    facts = [("vertices in the set", show.count(size)),
             ("all ways agree", "yes, and verified" if same else "NO")]  # fmt: skip
    intro = f"Vertices without edges between them, to which none can be added; {what}."
    return _told("An independent set: where each kernel runs", setting, intro, facts, laps, timed)


def flow(setting: Setting) -> Outcome:
    """The most that can flow between two vertices."""
    graph, what = nearest(setting.graph, setting.source, MOST_FLOW)
    source = setting.source if graph is setting.graph else 0
    sink = _sink(graph, source)
    capacity = None
    unit = graph.weights is not None and graph.weights.size and graph.weights.min() < 0
    if unit:
        capacity = np.ones(graph.arcs, np.int64)
    solve = partial(maximum_flow, graph, source, sink, capacity=capacity)
    laps, timed = _race(setting, solve)
    value = laps[PLAIN].result.value
    same = all(np.isclose(lap.result.value, value) for lap in laps.values())
    solve(verify=True)
    facts = [("value of the flow", show.count(float(value))),
             ("all ways agree", "yes, and verified" if same else "NO")]  # fmt: skip
    named = setting.called if graph is setting.graph else str
    limits = "each edge carries 1" if unit or graph.weights is None else "weights are capacities"
    intro = f"From vertex {named(source)} to vertex {named(sink)}; {limits}; {what}."
    return _told("Maximum flow: where each kernel runs", setting, intro, facts, laps, timed)


def _race(setting: Setting, solve: Callable[..., Result]) -> tuple[dict[str, Lap], Result | None]:
    """All ways that there are, and with a device a run that times every kernel on both sides."""
    ways: dict[str, Callable[[], Result]] = {
        PLAIN: solve,
        HOST: lambda: solve(devices="host"),
    }
    if (device := setting.device) is not None:
        ways[DEVICE] = lambda: solve(devices=device, placement="device")
        ways[PLACED] = lambda: solve(devices=device, placement="auto")
    laps = race(ways)
    if device is None:
        return laps, None
    return laps, solve(devices=device, placement="oracle")


def _told(
    title: str, setting: Setting, intro: str, facts: list[tuple[str, str]], laps: dict[str, Lap],
    timed: Result | None,
) -> Outcome:  # fmt: skip
    """What came out, in words and figures."""
    decided, naive = (PLACED, DEVICE) if PLACED in laps else (PLAIN, HOST)
    chosen, fastest = laps[decided], min(laps, key=lambda name: laps[name].median)
    text = [intro]
    if timed is not None:
        text += [
            "In rounds of kernels, a policy decides before every kernel, from its work, where it runs.",
            saving(laps[PLACED].median, laps[DEVICE].median, "the same rounds all on the device"),
            saving(laps[PLACED].median, laps[HOST].median, "the same rounds all on the host"),
        ]
    else:
        text += [*setting.notes, "Without a second device every kernel runs on the host."]
    columns, judged = _with_both(laps[HOST if timed is None else PLACED].result, timed)
    text[-1] += judged
    shown = [
        ("time", f"{show.seconds(chosen.median)}, measured"),
        ("fastest way here", fastest),
        *facts,
    ]
    figures = [Figure(partial(placements, columns), table_of(columns, "Kernels in rounds")),
               Figure(table=times_table(laps, decided))]  # fmt: skip
    section = Section(title, text, shown, figures)
    return Outcome(section, decided, chosen.median, naive, laps[naive].median)


def _with_both(result: Result, timed: Result | None) -> tuple[dict[str, list[Any]], str]:
    """The trace, with the times of both sides if they were measured for the same calls."""
    trace = result.trace
    names = ("kernel", "iteration", "device", "work", "seconds")
    columns = {name: trace[name].tolist() for name in names}
    if timed is None or len(timed.trace) != len(trace):
        return columns, ""
    if (timed.trace["kernel"] != trace["kernel"]).any():
        return columns, ""
    for name in ("host_seconds", "device_seconds"):
        columns[name] = timed.trace[name].tolist()
    right = int((timed.trace["best"] == trace["device"]).sum())
    return columns, f" {right} of {len(trace)} kernels ran where they are faster."


def _sink(graph: Any, source: int) -> int:
    """A vertex of high degree, two steps away if there is one."""
    levels = bfs(graph, source, trace=False).levels
    for least in (2, 1):
        far = np.flatnonzero(levels >= least)
        if far.size:
            return int(far[np.argmax(graph.transpose.degrees[far])])
    raise Skip("no vertex can be reached from the source")
