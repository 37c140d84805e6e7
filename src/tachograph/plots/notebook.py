"""How results, traces and plans show themselves in a notebook: a small table and a chart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from .of_trace import charts_of
from .tables import Table, table_of

__all__ = ["result_html", "table_html", "trace_html"]

ROWS = 8  # of a trace that are worth showing


def result_html(task: str, facts: Mapping[str, str], trace: Mapping[str, Sequence[Any]]) -> str:
    """What a result is, and the charts of its trace.

    >>> "<td>bfs</td>" in result_html("bfs", {"time": "1 ms"}, {})
    True
    """
    table = Table("", ("", ""), [("task", task), *facts.items()])
    charts = "".join(drawing._repr_html_() for drawing in charts_of(trace))
    return f"<div>{table.html()}{charts}</div>"


def trace_html(trace: Mapping[str, Sequence[Any]]) -> str:
    """The chart of a trace, and its first rows."""
    total = len(next(iter(trace.values()), ()))
    few = {name: column[:ROWS] for name, column in trace.items()}
    title = "trace" if total <= ROWS else f"the first {ROWS} of {total:,} rows"
    charts = "".join(drawing._repr_html_() for drawing in charts_of(trace))
    return f"<div>{charts}{table_of(few, title).html()}</div>"


def table_html(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], note: str) -> str:
    """A table whose first row is what was chosen, and why."""
    table = Table(title, columns, rows, first=True).html()
    return f"<div>{table}<p>{escape(note)}</p></div>"
