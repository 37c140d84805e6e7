"""Tables on a terminal: nothing is cut off, and no word is broken that fits into a column.

Columns whose cells are numbers are set flush right and keep their width; text is broken between
words. What is still too wide goes on below, with the names of the rows again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..util.printed import cells_of
from ..util.text import plain

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions
    from rich.table import Table
    from rich.text import Text

__all__ = ["Fitted", "table"]

GAP = 2  # cells between two columns
LONGEST_WORD = 24  # cells that a column of text has room for; longer words are broken
#: How a number, a time, a share or what stands for none of them begins.
NUMBER = re.compile(r"[<~+\-–?]?\s*\d|[-–?]?$")


@dataclass(frozen=True)
class Column:
    """A head with its cells, and how wide they are."""

    head: str
    cells: list[str | Text]
    text: bool

    @property
    def full(self) -> int:
        """The width of the longest cell, or of the head."""
        return max(cells_of(str(cell)) for cell in (self.head, *self.cells))

    @property
    def least(self) -> int:
        """The width below which numbers would be cut off, or words broken."""
        cells = [plain(cell) for cell in self.cells]
        words = [w for text in (self.head, *(cells if self.text else ())) for w in text.split()]
        words += [] if self.text else cells
        longest = max(map(cells_of, words), default=0)
        return min(longest, LONGEST_WORD) if self.text else longest


@dataclass(frozen=True)
class Fitted:
    """A table that fits itself to the width of the console on which it is printed."""

    columns: list[Column]
    names: int  # of columns, the first ones, that say what a row is about
    title: str | None

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Table | str]:
        for at, chosen in enumerate(panels(self.columns, self.names, options.max_width)):
            if at:
                yield ""
            yield _drawn(chosen, options.max_width, None if at else self.title)


def table(
    heads: Iterable[str],
    rows: Iterable[Sequence[str | Text]],
    title: str | None = None,
    names: int = 1,
) -> Fitted:
    """Return a table; its first columns have the names of its rows."""
    cells, columns = list(rows), []
    for at, head in enumerate(heads):
        given = [row[at] for row in cells]
        text = at < names or not all(NUMBER.match(str(cell)) for cell in given)
        columns.append(Column(head, given, text))
    return Fitted(columns, names, title)


def panels(columns: Sequence[Column], names: int, width: int) -> list[list[Column]]:
    """Divide columns into as many tables as are needed, each with the columns of names.

    >>> a, b, c = (Column(name, ["12345"], False) for name in "abc")
    >>> [[column.head for column in panel] for panel in panels([a, b, c], 1, 14)]
    [['a', 'b'], ['a', 'c']]
    """
    first = list(columns[:names])
    made = [first]
    for column in columns[names:]:
        if len(made[-1]) > names and _least([*made[-1], column]) > width:
            made.append(first)
        made[-1] = [*made[-1], column]
    return made


def _least(columns: Sequence[Column]) -> int:
    return sum(column.least for column in columns) + GAP * (len(columns) - 1)


def _drawn(columns: Sequence[Column], width: int, title: str | None) -> Table:
    """Return a table of columns that fit; what they leave of the width goes to text."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    drawn = Table(
        title=title,
        title_justify="left",
        box=SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, GAP - 1, 0, 0),
    )
    left = width - _least(columns)
    for column in columns:
        more = max(min(column.full - column.least, left), 0)
        left -= more
        drawn.add_column(
            column.head,
            justify="left" if column.text else "right",
            width=column.least + more,
            overflow="fold",
        )
    for row in zip(*(column.cells for column in columns), strict=True):
        drawn.add_row(*row)
    return drawn
