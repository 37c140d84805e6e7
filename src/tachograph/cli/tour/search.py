"""Breadth-first search, which decides at every level whether to push or to pull."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ...algorithms.bfs import bfs
from ...algorithms.result import Result
from ...plots import numbers as show
from ...plots.directions import directions
from ...plots.report.page import Figure, Section
from ...plots.tables import table_of
from .planned import planned
from .race import race, saving, times_table
from .setting import Outcome, Setting

__all__ = ["search"]


def search(setting: Setting) -> Outcome:
    """The decided search beside always pushing; then both directions of every level, timed."""
    graph, source = setting.graph, setting.source
    made = planned(setting, "bfs", graph, source=source)
    rule = {"rule of GAPBS": lambda: bfs(graph, source, direction="gapbs")}
    laps = race(made.ways("push") | rule)
    chosen, naive = laps[made.chosen], laps[made.way("push")].median
    bfs(graph, source, verify=True)
    columns, judged = _with_both(chosen.result, bfs(graph, source, direction="oracle"))
    levels, directed = chosen.result.levels, chosen.result.trace["direction"]
    pulled = int((directed == "pull").sum())
    taken = f"{directed.size - pulled} levels pushed, {pulled} pulled"
    text = [
        f"From vertex {setting.called(source)}, that of the highest degree. Before every level the "
        f"time of both directions is predicted, and the faster one is taken: {taken}.",
        made.told(),
        saving(chosen.median, naive, "always pushing") + judged,
    ]
    facts = [
        ("time", f"{show.seconds(chosen.median)}, measured"),
        ("vertices reached", show.count(int((levels >= 0).sum()))),
        ("levels", show.count(int(levels.max()) + 1)),
        ("checked", "levels and parents verified"),
    ]
    note = "Rings: what the other direction took in a run that timed both ways of every level."
    figures = [
        Figure(partial(directions, columns), table_of(columns, "Levels"), note),
        Figure(table=times_table(laps, made.chosen, made.predicted)),
    ]
    section = Section("Breadth-first search: push or pull", text, facts, figures)
    return Outcome(section, taken, chosen.median, "always push", naive,
                   made.predicted.get(made.chosen))  # fmt: skip


def _with_both(result: Result, timed: Result) -> tuple[dict[str, list[Any]], str]:
    """The trace with both directions' times, and how often the faster one was taken."""
    columns: dict[str, list[Any]] = {
        name: result.trace[name].tolist()
        for name in ("direction", "frontier_vertices", "frontier_edges", "seconds")
        if name in result.trace.columns
    }
    if len(timed.trace) != len(result.trace):
        return columns, ""
    push, pull = timed.trace["push_seconds"], timed.trace["pull_seconds"]
    columns |= {"push_seconds": push.tolist(), "pull_seconds": pull.tolist()}
    best = np.fmin(push, pull)
    took = np.where(result.trace["direction"] == "pull", pull, push)
    right = int((took == best).sum())
    if right == len(best):
        return columns, f" It took the faster one in all {right} levels."
    lost = show.seconds(float(np.nansum(took - best)))
    return (
        columns,
        f" It took the faster one in {right} of {len(best)} levels; the others cost {lost}.",
    )
