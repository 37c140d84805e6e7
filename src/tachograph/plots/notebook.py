"""How results, traces and plans show themselves in a notebook: a small table and a chart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from .bins import Columns
from .of_trace import charts_of
from .tables import Table, table_of

__all__ = ["result_html", "table_html", "trace_html"]

SHOWN_ROWS = 8  # of a trace


def result_html(task: str, facts: Mapping[str, str], trace: Columns) -> str:
    """Show what a result is, and the charts of its trace.

    >>> "<td>bfs</td>" in result_html("bfs", {"time": "1 ms"}, {})
    True
    """
    table = Table("", ("", ""), [("task", task), *facts.items()])
    return f"<div>{table.html()}{_charts(trace)}</div>"


def trace_html(trace: Columns) -> str:
    """Show the charts of a trace, and its first rows."""
    total = len(next(iter(trace.values()), ()))
    few = {name: column[:SHOWN_ROWS] for name, column in trace.items()}
    title = "trace" if total <= SHOWN_ROWS else f"the first {SHOWN_ROWS} of {total:,} rows"
    return f"<div>{_charts(trace)}{table_of(few, title).html()}</div>"


def table_html(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], note: str) -> str:
    """Show a table whose first row is what was chosen, and why."""
    table = Table(title, columns, rows, first=True).html()
    return f"<div>{table}<p>{escape(note)}</p></div>"


def _charts(trace: Columns) -> str:
    return "".join(drawing._repr_html_() for drawing in charts_of(trace))
