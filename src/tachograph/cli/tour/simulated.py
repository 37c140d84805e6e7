"""What accelerators that are not there would have done, by their memory requests."""

from __future__ import annotations

import tachograph as tg

from ...plots import numbers as show
from ...plots.charts import bars
from ...plots.report.page import Figure, Section
from ...plots.report.sections import memory_figure
from ...plots.tables import Table
from .race import race
from .setting import Outcome, Setting, nearest

__all__ = ["accelerators"]

MOST_SIMULATED = 1 << 22  # arcs: a simulation of so many takes some seconds
DESIGNS = (
    ("HitGraph", tg.HitGraph, None),
    ("AccuGraph", tg.AccuGraph, None),
    ("AccuGraph with HBM", tg.AccuGraph, "HBM"),
)


def accelerators(setting: Setting) -> Outcome:
    """Simulate connected components on several designs, and run them on this machine."""
    graph, what = nearest(setting.undirected, setting.source, MOST_SIMULATED)
    if setting.graph.directed:
        what += " without directions"
    task = "connected_components"
    done = {name: tg.simulate(task, graph, design(), memory) for name, design, memory in DESIGNS}
    here = race({"host": lambda: tg.connected_components(graph)})["host"]
    same = all(bool((run.labels == here.result.labels).all()) for run in done.values())
    fastest = min(done, key=lambda name: done[name].seconds)
    error = done[fastest].expected_error
    text = [
        f"Connected components of {what}, simulated request by request on accelerators with their "
        "memories; the host's time is measured.",
        f"The fastest is {fastest}: {show.seconds(done[fastest].seconds)} ± {error:.0f} %, the "
        f"expected error of the method against hardware; this host takes {show.seconds(here.median)}.",
    ]
    facts = [
        ("all give the same components", "yes" if same else "NO"),
        ("components", show.count(here.result.count)),
    ]
    times = [(name, run.seconds, "simulated") for name, run in done.items()]
    times.append(("this host", here.median, "measured"))
    rows = []
    for name, run in done.items():
        hits, speed = show.percent(run.memory.row_hit_rate), f"{run.memory.gbps:.1f}"
        requests = show.count(run.memory.requests)
        rows.append((name, show.seconds(run.seconds), f"{run.iterations}", requests, speed, hits))
    columns = ("accelerator", "time", "iterations", "requests", "GB/s", "row hits")
    table = Table("Simulated", columns, rows)
    figures = [
        Figure(lambda width: bars(times, "Connected components", width), table),
        memory_figure({name: run.memory.timeline() for name, run in done.items()}),
    ]
    return Outcome(Section("Accelerators, simulated", text, facts, figures))
