"""What ``tacho run`` prints about a result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..plots.numbers import seconds
from .options import out, print_json
from .tables import table

if TYPE_CHECKING:
    from rich.console import Console

    from ..algorithms.result import Result
    from ..graph.graph import Graph

__all__ = ["show"]

#: Tasks whose answer is a short table, and how many of its rows are printed.
LISTED, LISTED_ROWS = ("similar_to", "minimum_cut"), 10
NAMES = ("vertex", "run")  # facts that are no amounts: 1500, not 1,500
SHOWN_REST = 0.01  # of the time: what the phases leave out is shown from here on


def show(result: Result, graph: Graph, facts: dict[str, Any], as_json: bool) -> None:
    """Print the facts and phases of a result; of some tasks, the answer itself."""
    if as_json:
        facts = {k: v.to_dict() if hasattr(v, "to_dict") else v for k, v in facts.items()}
        print_json({**facts, "trace": result.trace.summary()})
        return
    console = out()
    console.print(repr(graph))
    facts["time"] = seconds(facts.pop("seconds"))
    facts["verified"] = "yes" if facts.pop("verified") else "not checked (--verify checks)"
    parts = {k: v for k, v in result.trace.summary().items() if isinstance(v, dict)}
    width = max(map(len, [*facts, *parts, *(["set-up"] if parts else [])]))
    for name, value in facts.items():
        told = str(value) if name in NAMES else _in_words(value)
        console.print(f"{name.replace('_', ' ').ljust(width)} {told}")
    for name, part in parts.items():
        times = f"{part['iterations']} iterations, " if part["iterations"] > 1 else ""
        console.print(f"{name.ljust(width)} {times}{seconds(part['seconds'])}")
    rest = result.seconds - sum(part["seconds"] for part in parts.values())
    if parts and rest > SHOWN_REST * result.seconds:
        more = "arrays, threads and what lies between the steps; less in a second call"
        console.print(f"{'set-up'.ljust(width)} {seconds(rest)} ({more})")
    if result.task in LISTED:
        _list(console, result.columns())


def _list(console: Console, columns: Mapping[str, np.ndarray]) -> None:
    """Print the first rows of a table, whose first two columns are vertices."""
    listed = [values[:LISTED_ROWS].tolist() for values in columns.values()]
    rows = [(str(u), str(v), *map(_in_words, more)) for u, v, *more in zip(*listed, strict=True)]
    more = next(iter(columns.values())).size - LISTED_ROWS
    if rows:
        console.print(table(columns, rows, names=2))
    if more > 0:
        console.print(f"... and {more:,} more: --output FILE writes all")


def _in_words(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, int | float):
        return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:,.6g}"
