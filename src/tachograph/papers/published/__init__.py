"""What the papers published: a file for each paper, which says where numbers stand, and their units."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

__all__ = ["Cell", "Published", "published"]

Cell = str | float | None


@dataclass(frozen=True)
class Published:
    """A table or figure of a paper. ``text`` says in words what it shows.

    >>> surf = published("surf", "table-3")
    >>> surf.where, surf.row("mean")["surf"]
    ('Table 3, section 5.2', 94.96)
    """

    paper: str
    where: str
    unit: str
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()
    text: str = ""

    def row(self, *key: str) -> dict[str, Cell]:
        """Return the values of the row whose first cells are ``key``, by column; nothing if absent."""
        for row in self.rows:
            if row[: len(key)] == key:
                return dict(zip(self.columns[len(key) :], row[len(key) :], strict=True))
        return {}

    def numbers(self, column: str) -> list[float]:
        """Return a column of numbers."""
        at = self.columns.index(column)
        return [float(row[at] or 0.0) for row in self.rows]

    @property
    def note(self) -> str:
        """Say in a sentence what was published, and where."""
        return f"Published ({self.where}): {self.text or self.unit}."


@cache
def published(paper: str, table: str) -> Published:
    """Return a table of the file ``paper``.toml."""
    text = files(__package__).joinpath(f"{paper}.toml").read_text(encoding="utf-8")
    kept = tomllib.loads(text)
    found = kept[table]
    rows = tuple(tuple(row) for row in found.pop("rows", ()))
    return Published(kept["paper"], columns=tuple(found.pop("columns", ())), rows=rows, **found)
