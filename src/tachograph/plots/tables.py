"""Tables beside the charts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from . import numbers as show
from .bins import Columns, numbers

__all__ = ["Table", "table_of"]

SHOWN_ENDS = 30  # rows of a long trace that are shown at both ends
PADDING_LETTERS = 3  # that would fit between two columns
BROKEN_LETTERS = 28  # a text that is longer is broken into lines
FIRST = ["kernel", "phase", "direction", "iteration", "device", "begin", "seconds"]
FIRST += [
    "push_seconds",
    "pull_seconds",
    "host_seconds",
    "device_seconds",
]  # columns, in this order
HIDDEN = ("threads", "unvisited", "polls", "joules", "note", "best", "searches")


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
        return sum(
            PADDING_LETTERS
            + max(map(len, (*name.split(), *(row[k] for row in self.rows))), default=0)
            for k, name in enumerate(self.columns)
        )

    def html(self) -> str:
        """Return a ``<table>`` element."""
        classes = [self._class([row[k] for row in self.rows]) for k in range(len(self.columns))]
        head = "".join(
            f'<th scope="col"{look}>{escape(name)}</th>'
            for name, look in zip(self.columns, classes, strict=True)
        )
        body = ""
        for at, row in enumerate(self.rows):
            cells = (f"<td{c}>{escape(x)}</td>" for x, c in zip(row, classes, strict=True))
            begin = '<tr class="first">' if self.first and not at else "<tr>"
            body += f"{begin}{''.join(cells)}</tr>"
        caption = f"<caption>{escape(self.title)}</caption>"
        return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    @staticmethod
    def _class(entries: list[str]) -> str:
        if all(map(_is_number, entries)):
            return ' class="n"'
        return ' class="long"' if any(len(e) > BROKEN_LETTERS for e in entries) else ""


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
    return any(value == value for value in numbers(column))


def _text(name: str, value: str | float | None) -> str:
    if isinstance(value, str):
        return value
    if value is None or value != value:
        return "–"
    time = name in ("seconds", "begin") or name.endswith("_seconds")
    return (show.seconds if time else show.count)(float(value))


def _is_number(text: str) -> bool:
    """Tell whether a text is set as numbers are."""
    return text == "–" or text[:1].isdigit() or (text[:1] in "-−+<±" and text[1:2].isdigit())
