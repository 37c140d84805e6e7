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
from ...graph.graph import Graph
from ...plots import numbers as show
from ...plots.placements import placements
from ...plots.report.page import Figure, Section
from ...plots.tables import table_of
from .planned import Planned, planned
from .race import Lap, race, saving, times_table
from .setting import Outcome, Setting, Skip, nearest

__all__ = ["flow", "independent_set"]

MOST_SET, MOST_FLOW = 1 << 25, 1 << 22  # arcs
HOST = "rounds, all on the host"
DEVICE = "rounds, all on the device"
PLACED = "rounds, each kernel placed"
#: Columns of the trace that are shown.
SHOWN = ("kernel", "iteration", "device", "work", "seconds")


def independent_set(setting: Setting) -> Outcome:
    """A maximal independent set."""
    graph, what = nearest(setting.graph, setting.source, MOST_SET)
    made = planned(setting, "mis", graph, rng=1)
    solve = partial(maximal_independent_set, graph, rng=1)
    laps, timed = _race(setting, made, solve)
    solve(verify=True)
    sizes = {int(lap.result.vertices.size) for lap in laps.values()}
    facts = [("vertices in the set", show.count(max(sizes))), _agree(len(sizes) == 1)]
    intro = f"Vertices without edges between them, to which none can be added; {what}."
    title = "An independent set: where each kernel runs"
    return _told(title, setting, [intro], facts, made, laps, timed)


def flow(setting: Setting) -> Outcome:
    """The most that can flow between two vertices."""
    graph, what = nearest(setting.graph, setting.source, MOST_FLOW)
    source = setting.source if graph is setting.graph else 0
    sink = _sink(graph, source)
    named = setting.called if graph is setting.graph else str
    limits = "weights are capacities"
    if graph.weights is None or graph.weights.min() < 0:
        graph = Graph.from_csr(graph.indptr, graph.indices, directed=graph.directed)
        limits = "each edge carries 1"
    made = planned(setting, "max-flow", graph, source=source, sink=sink)
    solve = partial(maximum_flow, graph, source, sink)
    laps, timed = _race(setting, made, solve)
    solve(verify=True)
    values = [float(lap.result.value) for lap in laps.values()]
    facts = [("value of the flow", show.count(values[0])), _agree(np.allclose(values, values[0]))]
    intro = f"From vertex {named(source)} to vertex {named(sink)}; {limits}; {what}."
    title = "Maximum flow: where each kernel runs"
    return _told(title, setting, [intro], facts, made, laps, timed)


def _agree(same: bool) -> tuple[str, str]:
    return "all ways agree", "yes, and verified" if same else "NO"


def _race(
    setting: Setting, made: Planned, solve: Callable[..., Result]
) -> tuple[dict[str, Lap], Result | None]:
    """What was planned and the ways in rounds; with a device also every kernel timed on both sides."""
    ways = made.ways() | {HOST: lambda: solve(device="host")}
    device = setting.device
    if device is None:
        return race(ways), None
    ways[DEVICE] = lambda: solve(device=device, placement="device")
    ways[PLACED] = lambda: solve(device=device, placement="auto")
    return race(ways), solve(device=device, placement="oracle")


def _told(
    title: str, setting: Setting, text: list[str], facts: list[tuple[str, str]], made: Planned,
    laps: dict[str, Lap], timed: Result | None,
) -> Outcome:  # fmt: skip
    """What came out, in words and figures."""
    chosen = laps[made.chosen]
    text.append(made.told())
    rounds = HOST if timed is None else PLACED
    columns, judged = _with_both(laps[rounds].result, timed)
    text.append(saving(chosen.median, laps[HOST].median, "rounds of kernels on the host"))
    if timed is None:
        text += [*setting.notes, "Without a second device every kernel runs on the host."]
    else:
        placed, every = laps[PLACED].median, laps[DEVICE].median
        text += [
            "In rounds of kernels, a policy decides before every kernel, from its work, where it runs. "
            + saving(placed, every, "the same rounds all on the device")
            + " "
            + saving(placed, laps[HOST].median, "all on the host")
            + judged
        ]
    shown = [("time", f"{show.seconds(chosen.median)}, measured"), *facts]
    figures = [Figure(partial(placements, columns), table_of(columns, f"Kernels: {rounds}")),
               Figure(table=times_table(laps, made.chosen, made.predicted))]  # fmt: skip
    section = Section(title, text, shown, figures)
    naive = HOST if timed is None else DEVICE
    return Outcome(section, made.chosen, chosen.median, naive, laps[naive].median,
                   made.predicted.get(made.chosen))  # fmt: skip


def _with_both(result: Result, timed: Result | None) -> tuple[dict[str, list[Any]], str]:
    """The trace, with the times of both sides if they were measured for the same calls."""
    trace = result.trace
    columns = {name: trace[name].tolist() for name in SHOWN}
    same = timed is not None and trace["kernel"].tolist() == timed.trace["kernel"].tolist()
    if timed is None or not same:
        return columns, ""
    for name in ("host_seconds", "device_seconds"):
        columns[name] = timed.trace[name].tolist()
    right = int((timed.trace["best"] == trace["device"]).sum())
    return columns, f" {right} of {len(trace)} kernels ran where they are faster."


def _sink(graph: Graph, source: int) -> int:
    """A vertex of high degree, two steps away if there is one."""
    levels = bfs(graph, source, trace=False).levels
    for least in (2, 1):
        far = np.flatnonzero(levels >= least)
        if far.size:
            return int(far[np.argmax(graph.transpose.degrees[far])])
    raise Skip("no vertex can be reached from the source")
