"""Breadth-first search, which decides at every level whether to push or to pull."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ...algorithms.bfs import bfs
from ...algorithms.result import Result
from ...charts import numbers as show
from ...charts.directions import directions
from ...charts.tables import table_of
from ...report.page import Figure, Section
from .race import race, saving, times_table
from .setting import Outcome, Setting

__all__ = ["search"]

NAIVE = "always push"


def search(setting: Setting) -> Outcome:
    """The decided search beside always pushing; then both directions of every level, timed."""
    graph, source = setting.graph, setting.source
    laps = race({
        "auto": lambda: bfs(graph, source),
        NAIVE: lambda: bfs(graph, source, direction="push"),
        "rule of GAPBS": lambda: bfs(graph, source, direction="gapbs"),
    })  # fmt: skip
    chosen, naive = laps["auto"], laps[NAIVE].median
    bfs(graph, source, verify=True)
    timed = bfs(graph, source, direction="oracle")
    columns, judged = _with_both(chosen.result, timed)
    levels = chosen.result.levels
    pulled = int((chosen.result.trace["direction"] == "pull").sum())
    text = [
        f"From vertex {setting.called(source)}, that of the highest degree. Before every level the "
        "time of both directions is predicted, and the faster one is taken: "
        f"{len(chosen.result.trace) - pulled} levels pushed, {pulled} pulled.",
        saving(chosen.median, naive, "always pushing") + judged,
    ]
    facts = [
        ("time", f"{show.seconds(chosen.median)}, measured"),
        ("vertices reached", show.count(int((levels >= 0).sum()))),
        ("levels", show.count(int(levels.max()) + 1)),
        ("checked", "levels and parents verified"),
    ]
    figures = [
        Figure(partial(directions, columns), table_of(columns, "Levels"),
               "Rings: the other direction, timed in a separate run of every level both ways."),
        Figure(table=times_table(laps, "auto")),
    ]  # fmt: skip
    section = Section("Breadth-first search: push or pull", text, facts, figures)
    decided = f"{len(chosen.result.trace) - pulled} levels pushed, {pulled} pulled"
    return Outcome(section, decided, chosen.median, NAIVE, naive)


def _with_both(result: Result, timed: Result) -> tuple[dict[str, list[Any]], str]:
    """The trace with both directions' times, and how often the faster one was taken."""
    columns = {
        name: result.trace[name].tolist()
        for name in ("direction", "frontier_vertices", "frontier_edges", "seconds")
    }
    if len(timed.trace) != len(result.trace):
        return columns, ""
    push, pull = timed.trace["push_seconds"], timed.trace["pull_seconds"]
    columns |= {"push_seconds": push.tolist(), "pull_seconds": pull.tolist()}
    faster = np.where(np.fmin(push, pull) == pull, "pull", "push")
    right = int((faster == result.trace["direction"]).sum())
    lost = np.where(result.trace["direction"] == "pull", pull, push) - np.fmin(push, pull)
    return columns, (
        f" It took the faster direction in {right} of {len(push)} levels; the others lost "
        f"{show.seconds(float(np.nansum(lost)))} together."
    )
