"""``tacho train approximation``: measure, fit, calibrate, evaluate on other graphs, keep."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .options import Cluster, Json, Workers, executor, out, print_json

if TYPE_CHECKING:
    from ..decisions.approximation.train import Verdict

__all__ = ["approximation"]


def approximation(
    graph: Annotated[
        list[str] | None, typer.Option(help="Measure only this one; may be given several times.")
    ] = None,
    collect: Annotated[
        bool, typer.Option(help="Measure what the journal does not have yet.")
    ] = True,
    size: Annotated[float, typer.Option(help="Share of the usual configurations.")] = 1.0,
    csv: Annotated[Path | None, typer.Option(help="Write the measurements to this file.")] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Default: where Tachograph looks for it.")
    ] = None,
    workers: Workers = None,
    cluster: Cluster = None,
    json: Json = False,
) -> None:
    """Learn speedup and error of approximate shortest paths on this machine.

    Measuring can be stopped and goes on where it was. The model is fitted to some graphs and evaluated
    on others; real graphs take part if $TACHOGRAPH_DATA has them.

    [bold]Examples[/bold]

    tacho train approximation

    tacho train approximation --no-collect --csv measurements.csv
    """
    from ..decisions.approximation import collect as measuring
    from ..decisions.approximation.graphs import available
    from ..decisions.approximation.model import FILE
    from ..decisions.approximation.tables import Data, write_csv
    from ..decisions.approximation.train import evaluate, train
    from ..decisions.model_files import own_model
    from ..util.errors import InputError

    if not 0 < size <= 1:
        raise InputError(f"--size {size} is a share: above 0, at most 1")
    for name in graph or ():
        if name not in available():
            raise InputError(f"there is no graph {name!r}; known are {', '.join(available())}")
    if collect:
        with executor(workers, cluster) as chosen:
            measuring.collect(graph, size=size, executor=chosen)
    records = measuring.records()
    if csv is not None:
        write_csv(records, csv)
    data = Data(records)
    model = train(data)
    verdicts = evaluate(model, data.only(held_out=True))
    path = output or own_model(FILE)
    model.save(path)
    summary = _summary(verdicts)
    if json:
        graphs = len(model.card["graphs"])
        print_json({"model": str(path), "graphs": graphs, "configurations": len(data),
                    "evaluation": summary})  # fmt: skip
        return
    from rich.table import Table

    table = Table(title="on graphs that were not learned from", title_justify="left")
    for name in summary[0] if summary else ("no such graph was measured",):
        table.add_column(name, justify="right")
    for row in summary:
        table.add_row(*(str(value) for value in row.values()))
    console = out()
    console.print(table)
    console.print(f"{path}: learned from {len(data.only(held_out=False)):,} configurations")


def _summary(verdicts: list[Verdict]) -> list[dict[str, Any]]:
    """A row for each budget."""
    import numpy as np

    rows = []
    for budget in sorted({v.budget for v in verdicts}):
        found = [v for v in verdicts if v.budget == budget]
        rows.append({
            "budget": budget,
            "searches": len(found),
            "kept": sum(v.kept for v in found),
            "exact": sum(v.chosen == "exact" for v in found),
            "median gain": round(float(np.median([v.gain for v in found])), 3),
            "least gain": round(min(v.gain for v in found), 3),
            "time to best, median": round(
                float(np.median([v.best_gain / v.gain for v in found])), 3
            ),
        })  # fmt: skip
    return rows
