"""``tacho tour``: its steps one after the other, and the page at the end."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer
from rich.table import Table as Shown
from rich.text import Text

from ... import __version__
from ...graph.generate import kronecker
from ...graph.graph import Graph
from ...journal import content_key, journal
from ...plots import numbers as show
from ...plots.charts import Predicted
from ...plots.report.page import Figure, Section, write_page
from ...plots.report.sections import predictions
from ...plots.tables import Table
from ...util.errors import TachographError
from ..options import facts_table, flat, load, option, out, say
from ..warm import spread
from .race import ALIKE, Outcome, Setting, Skip
from .steps import STEPS

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["prepare", "run", "small", "tour"]

TOUR_SCALE = 17  # of the graph that is generated if none is given
REHEARSAL_SCALE = 13  # just large enough for teams of workers
REHEARSAL = "rehearsal"  # the kind of the journal's records
SHOWN_ROWS = 12  # of a table on the terminal
IN_SHORT = (
    "What was decided, and what it saved against the naive way; both were timed alternately. A minus "
    "means that the naive way was faster."
)
GraphName = Annotated[
    str | None, typer.Argument(metavar="[GRAPH]", help="Default: a generated graph.")
]


@flat
def tour(
    graph: GraphName = None,
    output: Path = option(Path("tour.html"), "The page.", "--output", "-o"),
) -> None:
    """Show on one graph what Tachograph does, and write a page about it.

    [bold]Examples[/bold]

    tacho tour

    tacho tour roads.gr
    """
    run(graph, output)


def run(name: str | None, output: Path) -> None:
    """Show every step on the terminal, then write the page."""
    console = out()
    begin = time.perf_counter()
    setting = _setting(name)
    outcomes = {}
    for number, (title, step) in enumerate(STEPS.items(), 1):
        outcomes[title] = _done(title, step, setting)
        section = outcomes[title].section
        _tell(console, f"{number}. {section.title}", section)
    short = _short(outcomes)
    _tell(console, short.title, short)
    sections = [short, *(o.section for o in outcomes.values())]
    told = [
        Predicted(title, title, o.predicted, o.seconds)
        for title, o in outcomes.items()
        if o.predicted and o.seconds
    ]
    sections += predictions(told)
    write_page(output, f"Tour of {setting.name}", sections, repr(setting.graph))
    took = time.perf_counter() - begin
    console.print(f"{output}: the same with charts. The tour took {took:.0f} s.")
    console.print("Next: tacho info GRAPH, tacho run bfs GRAPH --source 0, tacho report last")


def _setting(name: str | None) -> Setting:
    """Return the graph, after what its steps need is compiled."""
    if name is None:
        prepare(directed=False, weights="int32")
        graph = kronecker(scale=TOUR_SCALE, rng=1, weights=True)
        return Setting(graph, f"kronecker(scale={TOUR_SCALE}, rng=1)")
    try:
        graph = load(name)
    except TachographError as error:
        if "relabel" not in str(error):
            raise
        graph = load(name, relabel=True)  # ids that cannot be numbers of vertices are names
    prepare(graph.directed, None if graph.weights is None else str(graph.weights.dtype))
    return Setting(graph, Path(name).name)


def _done(title: str, step: Callable[[Setting], Outcome], setting: Setting) -> Outcome:
    """Run a step, or say why it tells nothing about this graph."""
    try:
        return step(setting)
    except (Skip, TachographError) as reason:
        return Outcome(Section(title, [f"Left out: {str(reason).rstrip('.')}."]))


def _short(outcomes: dict[str, Outcome]) -> Section:
    """Return what was decided in all steps."""
    rows = []
    for title, o in outcomes.items():
        if o.seconds is None or o.naive_seconds is None:
            continue
        predicted = "–" if o.predicted is None else show.seconds(o.predicted)
        naive = f"{o.naive}: {show.seconds(o.naive_seconds)}"
        part = 1 - o.seconds / o.naive_seconds if o.naive_seconds else 0.0
        saved = "as fast" if abs(part) < ALIKE else f"{100 * part:.0f} %"
        rows.append((title, o.decided, predicted, show.seconds(o.seconds), naive, saved))
    columns = ("step", "decided", "predicted", "measured", "naive way", "saved")
    table = Table("Medians of runs on this machine, timed alternately", columns, rows)
    return Section("In short", [IN_SHORT], figures=[Figure(table=table)] if rows else [])


def _tell(console: Console, title: str, section: Section) -> None:
    """Print the words, numbers and tables of a section; charts are for the page."""
    console.rule(Text(title, "bold"))
    for line in section.text:
        console.print(line)
    if section.facts:
        console.print(facts_table(section.facts))
    for figure in section.figures:
        if figure.table is not None and figure.table.rows:
            console.print(_shown(figure.table))


def _shown(table: Table) -> Shown:
    made = Shown(box=None, padding=(0, 2, 0, 0), title=table.title, title_justify="left")
    for name in table.columns:
        made.add_column(name, overflow="fold")
    for place, row in enumerate(table.rows[:SHOWN_ROWS]):
        made.add_row(*row, style="bold" if table.first and not place else None)
    if len(table.rows) > SHOWN_ROWS:
        made.add_row(f"... {len(table.rows) - SHOWN_ROWS} more")
    return made


def prepare(directed: bool, weights: str | None) -> bool:
    """Compile the loops for such a graph; return whether that had to be done.

    The tour is rehearsed on a small graph of the same types, in a process for each core, so that
    exactly the loops are compiled that will be used.
    """
    from ...kernels.runtime.launch import KERNELS

    if not KERNELS:  # nowhere to keep what is compiled
        return False
    where = os.environ.get("NUMBA_CACHE_DIR", "")
    key = content_key(__version__, __file__, where, directed, weights)
    if journal().get(REHEARSAL, key) is not None:
        return False
    say("compiling what the tour uses, once per machine ...")
    kind = {"directed": directed, "weights": weights}
    spread(_rehearse, [[{"name": name, **kind} for name in reversed(STEPS)]])
    journal().put(REHEARSAL, key, {})
    return True


def _rehearse(name: str, directed: bool, weights: str | None) -> None:
    from ...kernels.runtime.launch import told

    told.set()  # the parent says that loops are compiled
    os.environ["TACHOGRAPH_JOURNAL"] = "off"  # what is measured here is not worth keeping
    setting = Setting(small(directed, weights), "rehearsal")
    with suppress(Skip, TachographError):
        STEPS["The graph"](setting)
        STEPS[name](setting)


def small(directed: bool, weights: str | None) -> Graph:
    """Return a small graph of that kind."""
    graph = kronecker(REHEARSAL_SCALE, rng=1, weights=True)
    if weights == "int32" and not directed:
        return graph
    source, target, values = graph.to_edges()
    assert values is not None
    kept = None if weights is None else values.astype(np.dtype(weights))
    return Graph.from_edges(source, target, kept, n=graph.n, directed=directed)
