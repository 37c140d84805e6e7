"""Tables beside the charts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from . import numbers as show
from .bins import numbers

__all__ = ["Table", "table_of"]

ENDS = 30  # rows of a long trace that are shown at both ends
PADDING = 3  # letters that would fit between two columns
LONG = 28  # letters of a text that is broken into lines
TIMES = ("seconds", "begin")
FRONT = (
    "kernel",
    "phase",
    "direction",
    "iteration",
    "device",
    "begin",
    "seconds",
    "push_seconds",
    "pull_seconds",
    "host_seconds",
    "device_seconds",
)  # come first
HIDDEN = ("threads", "unvisited", "polls", "joules", "note", "best", "searches")


@dataclass(frozen=True)
class Table:
    """Rows of text; columns of numbers are set flush right.

    >>> Table("times", ("name", "time"), [("bfs", "1.2 ms")]).html().count('class="n"')
    2
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    first: bool = False  # whether the first row is the one that counts

    @property
    def width(self) -> int:
        """About how many letters wide it is, without breaking entries into lines.

        >>> Table("", ("a", "b of c"), [("x", "yyyy"), ("xxx", "y")]).width
        13
        """
        entries = zip(*self.rows, strict=True) if self.rows else ((),) * len(self.columns)
        return sum(
            PADDING + max(map(len, (*name.split(), *column)), default=0)
            for name, column in zip(self.columns, entries, strict=True)
        )

    def html(self) -> str:
        """As a ``<table>``."""
        right = [all(_number(row[k]) for row in self.rows) for k in range(len(self.columns))]
        long = [any(len(row[k]) > LONG for row in self.rows) for k in range(len(self.columns))]
        classes = [' class="n"' if r else ' class="long"' if w else ""
                   for r, w in zip(right, long, strict=True)]  # fmt: skip
        head = "".join(f'<th scope="col"{c}>{escape(name)}</th>'
                       for name, c in zip(self.columns, classes, strict=True))  # fmt: skip
        marked = '<tr class="first">' if self.first else "<tr>"
        body = "".join(
            ("<tr>" if at else marked)
            + "".join(f"<td{c}>{escape(x)}</td>" for x, c in zip(row, classes, strict=True))
            + "</tr>"
            for at, row in enumerate(self.rows)
        )
        caption = f"<caption>{escape(self.title)}</caption>"
        return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def table_of(columns: Mapping[str, Sequence[Any]], title: str = "Trace") -> Table:
    """The rows of a trace; the middle ones of many are left out, which the title says.

    >>> table_of({"direction": ["push"], "frontier_vertices": [1200], "seconds": [0.002]}).rows
    [['0', 'push', '2 ms', '1,200']]
    """
    total = len(next(iter(columns.values()), ()))
    names = [name for name in columns if name not in HIDDEN and _known(columns[name])]
    names.sort(key=lambda name: FRONT.index(name) if name in FRONT else len(FRONT))
    numbered = "iteration" not in names and "begin" not in names
    shown = range(total)
    rows = [*shown[:ENDS], *shown[total - ENDS :]] if total > 2 * ENDS else list(shown)
    if len(rows) < total:
        title += f": the first and last {ENDS} of {total:,} rows"
    made = [
        [*([f"{i:,}"] if numbered else []), *(_text(name, columns[name][i]) for name in names)]
        for i in rows
    ]
    first = {"direction": "level"}.get(names[0] if names else "", "row")
    return Table(title, [*([first] if numbered else []), *map(_heading, names)], made)


def _heading(name: str) -> str:
    """Times have units of their own.

    >>> _heading("seconds"), _heading("push_seconds"), _heading("frontier_edges")
    ('time', 'push', 'frontier edges')
    """
    return "time" if name == "seconds" else name.removesuffix("_seconds").replace("_", " ")


def _known(column: Sequence[Any]) -> bool:
    """Whether a column says anything."""
    if not len(column) or isinstance(column[0], str):
        return any(column)
    return any(value == value for value in numbers(column))


def _text(name: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    if value is None or value != value:
        return "–"
    if name in TIMES or name.endswith("_seconds"):
        return show.seconds(float(value))
    return show.count(float(value))


def _number(text: str) -> bool:
    """Whether a text is set as a number is."""
    return text == "–" or text[:1].isdigit() or (text[:1] in "-−+<±" and text[1:2].isdigit())
