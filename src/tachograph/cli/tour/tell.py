"""A section of the page as text for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table as Shown
from rich.text import Text

from ...plots.report.page import Section

if TYPE_CHECKING:
    from rich.console import Console

    from ...plots.tables import Table

__all__ = ["tell"]

ROWS = 12  # of a table that are shown


def tell(console: Console, title: str, section: Section) -> None:
    """Its words, numbers and tables; charts are for the page."""
    console.rule(f"[bold]{title}")
    for line in section.text:
        console.print(line, markup=False)
    if section.facts:
        facts = Shown(box=None, show_header=False, padding=(0, 2, 0, 0))
        for name, value in section.facts:
            facts.add_row(Text(name, style="cyan"), value)
        console.print(facts)
    for figure in section.figures:
        if figure.table is not None and figure.table.rows:
            console.print(_table(figure.table))


def _table(table: Table) -> Shown:
    made = Shown(box=None, padding=(0, 2, 0, 0), title=table.title, title_justify="left")
    for name in table.columns:
        made.add_column(name, overflow="fold")
    for place, row in enumerate(table.rows[:ROWS]):
        made.add_row(*map(Text, row), style="bold" if table.first and not place else None)
    if len(table.rows) > ROWS:
        made.add_row(f"... {len(table.rows) - ROWS} more")
    return made
