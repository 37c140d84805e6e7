"""The steps of the tour, one after the other, and the page at the end."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ...graph.generate import kronecker
from ...graph.graph import Graph
from ...plots import numbers as show
from ...plots.prediction import Predicted
from ...plots.report.page import Figure, Section, write_page
from ...plots.report.sections import predictions
from ...plots.tables import Table
from ...util.errors import TachographError
from ..options import load, out
from .accelerators import accelerators
from .paths import paths
from .prepare import prepare
from .rounds import flow, independent_set
from .search import search
from .setting import Outcome, Setting, Skip
from .similarity import similarity
from .tell import tell
from .welcome import welcome

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["run"]

SCALE = 17
STEPS: tuple[tuple[str, Callable[[Setting], Outcome]], ...] = (
    ("The graph", welcome),
    ("Breadth-first search", search),
    ("Shortest paths within an error budget", paths),
    ("Jaccard's similarity", similarity),
    ("A maximal independent set", independent_set),
    ("Maximum flow", flow),
    ("Accelerators, simulated", accelerators),
)


def run(name: str | None, output: Path) -> None:
    """Show every step on the terminal, then write the page."""
    console = out()
    begin = time.perf_counter()
    setting = _setting(name)
    outcomes = []
    for number, (title, step) in enumerate(STEPS, 1):
        outcome = _done(title, step, setting)
        outcomes.append((title, outcome))
        tell(console, f"{number}. {outcome.section.title}", outcome.section)
    _end(console, setting, outcomes, output, time.perf_counter() - begin)


def _setting(name: str | None) -> Setting:
    """The graph; what its steps need is compiled then."""
    if name is None:
        prepare(directed=False, weights="int32")
        graph = kronecker(scale=SCALE, rng=1, weights=True)
        return Setting(graph, f"kronecker(scale={SCALE}, rng=1)")
    graph = _loaded(name)
    prepare(graph.directed, None if graph.weights is None else str(graph.weights.dtype))
    return Setting(graph, Path(name).name)


def _loaded(name: str) -> Graph:
    """The graph of a file; ids that cannot be numbers of vertices are taken for names."""
    try:
        return load(name)
    except TachographError as error:
        if "relabel" not in str(error):
            raise
        return load(name, relabel=True)


def _done(title: str, step: Callable[[Setting], Outcome], setting: Setting) -> Outcome:
    """A step; or why it says nothing about this graph."""
    try:
        return step(setting)
    except (Skip, TachographError) as reason:
        return Outcome(Section(title, [f"Left out: {str(reason).rstrip('.')}."]))


def _end(
    console: Console, setting: Setting, outcomes: list[tuple[str, Outcome]], output: Path,
    seconds: float,
) -> None:  # fmt: skip
    """What was decided, in short, on the terminal and first on the page."""
    rows = [
        (title, o.decided, _time(o.predicted), show.seconds(o.seconds),
         f"{o.naive}: {show.seconds(o.naive_seconds)}",
         f"{1 - o.seconds / o.naive_seconds:.0%}".replace("%", " %") if o.naive_seconds else "–")
        for title, o in outcomes
        if o.seconds is not None and o.naive_seconds is not None
    ]  # fmt: skip
    columns = ("step", "decided", "predicted", "measured", "naive choice", "saved")
    table = Table("Medians of runs in turns, on this machine", columns, rows)
    figures = [Figure(table=table)] if rows else []
    text = ["What was decided, and what it saved against the naive choice; both were run, in turns. "
            "A minus means that the naive choice was faster."]  # fmt: skip
    short = Section("In short", text, figures=figures)
    tell(console, short.title, short)
    sections = [short, *(o.section for _, o in outcomes)]
    told = [Predicted(title, title, o.predicted, o.seconds) for title, o in outcomes
            if o.predicted and o.seconds]  # fmt: skip
    if told:
        sections.append(predictions(told))
    write_page(output, f"Tour of {setting.name}", sections, repr(setting.graph))
    console.print(f"{output}: the same with charts. The tour took {seconds:.0f} s.")
    console.print("Next: tacho info GRAPH, tacho run bfs GRAPH --source 0, tacho report last")


def _time(seconds: float | None) -> str:
    return "–" if seconds is None else show.seconds(seconds)
