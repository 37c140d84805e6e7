"""What accelerators that are not there would have done, by their memory requests."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ...algorithms.components import connected_components
from ...plots import numbers as show
from ...plots.bars import bars
from ...plots.report.page import Figure, Section
from ...plots.report.sections import memory_figure
from ...plots.tables import Table
from ...simulation.accelerators import Simulation, simulate
from .race import race
from .setting import Outcome, Setting, nearest

if TYPE_CHECKING:
    from ...plots.drawing import Drawing

__all__ = ["accelerators"]

MOST = 1 << 22  # arcs: a simulation of so many takes some seconds
DESIGNS = {
    "HitGraph": ("hitgraph", None),
    "AccuGraph": ("accugraph", None),
    "AccuGraph with HBM": ("accugraph", "HBM"),
}


def accelerators(setting: Setting) -> Outcome:
    """Connected components on several designs, and on this machine."""
    graph, what = nearest(setting.undirected, setting.source, MOST)
    if setting.graph.directed:
        what += " without directions"
    done = {k: simulate("connected_components", graph, *design) for k, design in DESIGNS.items()}
    here = race({"host": lambda: connected_components(graph)})["host"]
    labels = here.result.labels
    same = all(bool((run.labels == labels).all()) for run in done.values())
    fastest = min(done, key=lambda name: done[name].seconds)
    error = done[fastest].expected_error
    text = [
        f"Connected components of {what}, simulated request by request on accelerators with their "
        "memories; the host's time is measured.",
        f"The fastest is {fastest}: {show.seconds(done[fastest].seconds)} ± {error:.0f} %, the "
        f"expected error of the method against hardware; this host takes {show.seconds(here.median)}.",
    ]
    facts = [("all give the same components", "yes" if same else "NO"),
             ("components", show.count(here.result.count))]  # fmt: skip
    rows = [(name, run.seconds, "simulated") for name, run in done.items()]
    rows.append(("this host", here.median, "measured"))
    figures = [
        Figure(partial(_bars, rows), _table(done)),
        memory_figure({name: run.memory.timeline() for name, run in done.items()}),
    ]
    section = Section("Accelerators, simulated", text, facts, figures)
    return Outcome(section)


def _bars(rows: list[tuple[str, float, str]], width: float) -> Drawing:
    return bars(rows, "Connected components", width)


def _table(done: dict[str, Simulation]) -> Table:
    rows = [
        (name, show.seconds(run.seconds), str(run.iterations), show.count(run.memory.requests),
         f"{run.memory.gbps:.1f}", show.percent(run.memory.row_hit_rate))
        for name, run in done.items()
    ]  # fmt: skip
    columns = ("accelerator", "time", "iterations", "requests", "GB/s", "row hits")
    return Table("Simulated", columns, rows)
