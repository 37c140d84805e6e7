"""Tables beside the charts, and how results, traces and plans show themselves in a notebook."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..util.text import as_html
from . import numbers as show
from .numbers import Columns
from .traces import charts_of

__all__ = ["Table", "result_html", "table_html", "table_of", "trace_html"]

SHOWN_ENDS = 30  # rows of a long trace that are shown at both ends
NOTEBOOK_ROWS = 8  # of a trace that a notebook shows
PADDING_LETTERS = 3  # that would fit between two columns
BROKEN_LETTERS = 28  # a text that is longer is broken into lines
#: Columns of a trace that come first, in this order, and those that are not shown.
FIRST = ["kernel", "phase", "direction", "iteration", "device", "begin", "seconds"]
FIRST += [f"{choice}_seconds" for choice in ("push", "pull", "host", "device")]
HIDDEN = ("threads", "unvisited", "polls", "joules", "note", "best", "searches", "copied")


@dataclass(frozen=True)
class Table:
    """Rows of text; columns of numbers are set flush right. ``first`` emphasises the first row.

    >>> Table("times", ("name", "time"), [("bfs", "1.2 ms")]).html().count('class="n"')
    2
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    first: bool = False

    @property
    def width(self) -> int:
        """About how many letters wide it is if no entry is broken into lines.

        >>> Table("", ("a", "b of c"), [("x", "yyyy"), ("xxx", "y")]).width
        13
        """
        entries = [[*name.split(), *self._entries(k)] for k, name in enumerate(self.columns)]
        return sum(PADDING_LETTERS + max(map(len, column), default=0) for column in entries)

    def html(self) -> str:
        """Return a ``<table>`` element."""
        looks = [self._class(self._entries(k)) for k in range(len(self.columns))]
        heads = zip(self.columns, looks, strict=True)
        head = "".join(f'<th scope="col"{look}>{as_html(name)}</th>' for name, look in heads)
        body = ""
        for at, row in enumerate(self.rows):
            cells = (f"<td{c}>{as_html(x)}</td>" for x, c in zip(row, looks, strict=True))
            begin = '<tr class="first">' if self.first and not at else "<tr>"
            body += f"{begin}{''.join(cells)}</tr>"
        caption = f"<caption>{as_html(self.title)}</caption>"
        return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def _entries(self, column: int) -> list[str]:
        return [row[column] for row in self.rows]

    @staticmethod
    def _class(entries: list[str]) -> str:
        if all(map(_is_number, entries)):
            return ' class="n"'
        return ' class="long"' if any(len(e) > BROKEN_LETTERS for e in entries) else ""


def _is_number(text: str) -> bool:
    """Tell whether a text is set as numbers are."""
    return text == "–" or text[:1].isdigit() or (text[:1] in "-−+<±" and text[1:2].isdigit())


def table_of(columns: Columns, title: str = "Trace") -> Table:
    """Return the rows of a trace as a table; the title says if the middle ones are left out.

    >>> table_of({"direction": ["push"], "frontier_vertices": [1200], "seconds": [0.002]}).rows
    [['0', 'push', '2 ms', '1,200']]
    """
    total = len(next(iter(columns.values()), ()))
    names = [name for name in columns if name not in HIDDEN and _known(columns[name])]
    names.sort(key=lambda name: FIRST.index(name) if name in FIRST else len(FIRST))
    rows = list(range(total))
    if total > 2 * SHOWN_ENDS:
        rows = [*rows[:SHOWN_ENDS], *rows[-SHOWN_ENDS:]]
        title += f": the first and last {SHOWN_ENDS} of {total:,} rows"
    heads = [_heading(name) for name in names]
    body = [[_text(name, columns[name][i]) for name in names] for i in rows]
    if "iteration" not in names and "begin" not in names:
        heads.insert(0, "level" if names[:1] == ["direction"] else "row")
        body = [[f"{i:,}", *row] for i, row in zip(rows, body, strict=True)]
    return Table(title, heads, body)


def _heading(name: str) -> str:
    """Drop the unit of times, which have one of their own.

    >>> _heading("seconds"), _heading("push_seconds"), _heading("frontier_edges")
    ('time', 'push', 'frontier edges')
    """
    return "time" if name == "seconds" else name.removesuffix("_seconds").replace("_", " ")


def _known(column: Sequence[str | float | None]) -> bool:
    """Tell whether a column has any value."""
    if not len(column) or isinstance(column[0], str):
        return any(column)
    return any(value == value for value in show.floats(column))


def _text(name: str, value: str | float | None) -> str:
    if isinstance(value, str):
        return value
    if value is None or value != value:
        return "–"
    time = name == "begin" or name.endswith("seconds")
    return (show.seconds if time else show.count)(float(value))


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
    few = {name: column[:NOTEBOOK_ROWS] for name, column in trace.items()}
    title = "trace" if total <= NOTEBOOK_ROWS else f"the first {NOTEBOOK_ROWS} of {total:,} rows"
    return f"<div>{_charts(trace)}{table_of(few, title).html()}</div>"


def table_html(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], note: str = ""
) -> str:
    """Show a table; with a note its first row is what was chosen, and the note says why."""
    table = Table(title, columns, rows, first=bool(note)).html()
    return f"<div>{table}<p>{as_html(note)}</p></div>" if note else f"<div>{table}</div>"


def _charts(trace: Columns) -> str:
    return "".join(drawing._repr_html_() for drawing in charts_of(trace))
