"""``tacho report``: runs as a page for a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["report"]


def report(
    runs: Annotated[
        list[str],
        typer.Argument(metavar="RUN...", help="Numbers of runs, last, or trace files (.parquet)."),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The page to write.")] = Path(
        "report.html"
    ),
) -> None:
    """Write runs to a page for a browser: charts, tables, what was decided.

    The page is one file and needs no network. Runs have the numbers that tacho run prints.

    [bold]Examples[/bold]

    tacho report last

    tacho report 3 4 5 -o comparison.html

    tacho report trace.parquet
    """
    from ..plots.report.page import write_page
    from ..plots.report.sections import entries, of_entries

    found = entries(runs)
    title = f"{found[0].name}: {found[0].run.task}" if len(found) == 1 else f"{len(found)} runs"
    graphs = dict.fromkeys(e.run.graph.get("name") or "" for e in found)
    write_page(output, title, of_entries(found), ", ".join(name for name in graphs if name))
    typer.echo(f"{output}: {len(found)} run{'s' if len(found) > 1 else ''}", err=True)
