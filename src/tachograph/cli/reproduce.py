"""``tacho reproduce``: the papers' tables and figures beside what this machine gives."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .options import Cluster, Json, Workers, executor, out, print_json

if TYPE_CHECKING:
    from ..papers.reproduce import Table

__all__ = ["reproduce"]


def reproduce(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="A table or figure; default: list all.")
    ] = None,
    full: Annotated[
        bool, typer.Option("--full", help="Use the paper's sizes; this may take hours.")
    ] = False,
    output: Annotated[
        Path | None, typer.Option(help="Write pictures and files into this directory.")
    ] = None,
    workers: Workers = None,
    cluster: Cluster = None,
    json: Json = False,
) -> None:
    """Run a paper's table or figure again, beside the published numbers.

    What was measured or simulated is kept, so a run that was stopped goes on where it was.

    [bold]Examples[/bold]

    tacho reproduce

    tacho reproduce surf-table-3 --json
    """
    from ..papers.reproduce import EXPERIMENTS, Settings
    from ..papers.reproduce import reproduce as tables

    if name is None:
        if json:
            print_json({known: row._asdict() for known, row in EXPERIMENTS.items()})
            return
        for known, row in EXPERIMENTS.items():
            print(f"{known:24} {row.about}")
        return
    if output is not None:
        output.mkdir(parents=True, exist_ok=True)
    made = []
    with executor(workers, cluster) as chosen:
        for table in tables(name, Settings(full, output, chosen)):
            made.append(asdict(table))
            if not json:
                _print(table)
    if json:
        print_json(made)


def _print(table: Table) -> None:
    from rich.table import Table as Shown

    shown = Shown(title=table.title, title_justify="left")
    for i, column in enumerate(table.columns):
        text = all(isinstance(row[i], str) for row in table.rows)
        shown.add_column(column, justify="left" if text else "right")
    for row in table.rows:
        shown.add_row(*(_cell(value) for value in row))
    console = out()
    console.print(shown)
    for note in table.notes:
        console.print(note, style="dim")


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) else str(value)
