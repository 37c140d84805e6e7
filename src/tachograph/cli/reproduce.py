"""``tacho reproduce``: the papers' tables and figures beside what this machine gives."""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .options import Crew, Json, flat, option, out, print_json, say
from .tables import table

if TYPE_CHECKING:
    from ..papers.reproduce import Table

__all__ = ["reproduce"]

LIST = "A table or figure; default: list all."
REPRODUCED = "reproduced"  # the kind of the journal's records: how long experiments took
Name = Annotated[str | None, typer.Argument(metavar="[NAME]", help=LIST)]


@flat
def reproduce(
    crew: Crew,
    name: Name = None,
    full: bool = option(False, "Use the paper's sizes; this may take hours.", "--full"),
    graphs: str = option(
        "", "Use these graphs instead: data sets, generators or files, by commas."
    ),
    gpu: str | None = option(None, "Simulate this GPU instead of running here; see tacho gpus."),
    output: Path | None = option(None, "Write pictures and files into this directory."),
    json: Json = False,
) -> None:
    """Run a paper's table or figure again, beside the published numbers.

    What was measured or simulated is kept, so a run that was stopped goes on where it was.

    [bold]Examples[/bold]

    tacho reproduce

    tacho reproduce surf-table-3 --json

    tacho reproduce surf-table-4 --gpu rtx3080

    tacho reproduce surf-table-4 --graphs 'kronecker 16 16,soc-Slashdot0902,my-graph.txt'
    """
    from ..journal import journal
    from ..papers.reproduce import EXPERIMENTS, Settings, needs
    from ..papers.reproduce import reproduce as tables
    from ..plots.numbers import seconds as form

    if name is None:
        if json:
            print_json({known: row._asdict() for known, row in EXPERIMENTS.items()})
            return
        kept = {known: journal().get(REPRODUCED, known) for known in EXPERIMENTS}
        took = {known: form(found["seconds"]) for known, found in kept.items() if found}
        rows = [
            [known, row.about, needs(known), took.get(known, "")]
            for known, row in EXPERIMENTS.items()
        ]
        heads = ["name", "what it shows", "needs", "took here"]
        out().print(table(heads if took else heads[:3], [row[: 4 if took else 3] for row in rows]))
        say(
            "tacho reproduce NAME takes seconds to some minutes, with --full (the paper's sizes) "
            "hours; how long it took is listed afterwards."
        )
        return
    if output is not None:
        output.mkdir(parents=True, exist_ok=True)
    named = tuple(part.strip() for part in graphs.split(",") if part.strip())
    made, begin = [], time.perf_counter()
    with crew.executor() as chosen:
        for found in tables(name, Settings(full, output, chosen, named, gpu)):
            made.append(asdict(found))
            if not json:
                _print(found)
    if not (full or named or gpu):
        journal().put(REPRODUCED, name, {"seconds": time.perf_counter() - begin})
    if json:
        print_json(made)


def _print(found: Table) -> None:
    rows = [[_cell(value) for value in row] for row in found.rows]
    console = out()
    console.print(table(found.columns, rows, found.title))
    console.print(f"our numbers are {found.provenance}", style="dim")
    for note in found.notes:
        console.print(note, style="dim")


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1e4 else f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) else str(value)
