"""``tacho journal``: what was run, how well it was predicted, and what it could have saved."""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .options import Json, out, print_json

if TYPE_CHECKING:
    from rich.table import Table

    from ..journal import Journal, Record, Run
    from ..tasks.history import Summary

__all__ = ["app"]

LEFT = ("when", "task", "way", "graph")  # columns of text
app = typer.Typer(invoke_without_command=True, rich_markup_mode="rich")


@app.callback()
def journal(
    context: typer.Context,
    task: Annotated[str | None, typer.Option(help="Runs of this task only.")] = None,
    last: Annotated[int, typer.Option(help="How many runs to list.")] = 15,
    json: Json = False,
) -> None:
    """Show the runs, how far off their predictions were, and the time lost against the best known.

    The journal is in $TACHOGRAPH_HOME or in the user's data directory. TACHOGRAPH_JOURNAL=off turns
    it off.

    [bold]Examples[/bold]

    tacho journal --task bfs --last 30

    tacho journal export --parquet runs

    tacho journal prune --older-than 90
    """
    if context.invoked_subcommand is not None:
        return
    from ..tasks.history import regrets, summaries

    kept = _opened()
    runs = kept.runs(task)
    made = summaries(runs)
    if json:
        tasks, listed = [asdict(s) for s in made], [r.to_dict() for r in runs[-last:]]
        print_json({"file": str(kept.path), "tasks": tasks, "runs": listed})
        return
    console = out()
    if not runs:
        console.print(f"{kept.path}: no runs yet; try tacho run bfs GRAPH --source 0")
        return
    lost = regrets(runs)
    console.print(_table("runs", [_row(run, lost.get(run.id)) for run in runs[-last:]]))
    console.print(_table(str(kept.path), [_summary(s) for s in made]))
    console.print(
        "off: median distance of a prediction from the actual time; lost: time above the best known "
        "run of the same question"
    )


def _opened() -> Journal:
    from ..journal import journal as user
    from ..util.errors import InputError

    if user().path is None:
        raise InputError("the journal is off: unset TACHOGRAPH_JOURNAL")
    return user()


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.0%}"


def _row(run: Run, lost: float | None) -> dict[str, str]:
    from ..plots.numbers import seconds as duration

    return {
        "run": str(run.id),
        "when": time.strftime("%m-%d %H:%M", time.localtime(run.created)),
        "task": run.task,
        "way": str((run.plan or {}).get("way") or ""),
        "graph": str(run.graph.get("name", ""))[:40],
        "predicted": "" if run.predicted is None else duration(run.predicted),
        "actual": duration(run.seconds),
        "lost": _share(lost),
    }


def _summary(of: Summary) -> dict[str, str]:
    counts = {"task": of.task, "runs": str(of.runs), "time": f"{of.seconds:.3g} s"}
    shares = {"off": of.off, "within 35 %": of.close, "lost": of.regret, "worst": of.worst_regret}
    shown = {name: _share(value) for name, value in shares.items()}
    return {**counts, "predictions": str(of.predicted), **shown}


def _table(title: str, rows: list[dict[str, str]]) -> Table:
    from rich.table import Table

    made = Table(title=title, title_justify="left")
    for name in rows[0]:
        made.add_column(name, justify="left" if name in LEFT else "right")
    for row in rows:
        made.add_row(*row.values())
    return made


@app.command()
def export(
    parquet: Annotated[Path, typer.Option(help="A directory; it is made if it is not there.")],
) -> None:
    """Write all runs, traces and records as Parquet files.

    [bold]Example[/bold]

    tacho journal export --parquet runs
    """
    from ..graph.files.streams import aside

    kept = _opened()
    parquet.mkdir(parents=True, exist_ok=True)
    for name, rows in _tables(kept).items():
        import pyarrow as pa
        from pyarrow import parquet as files

        with aside(parquet / f"{name}.parquet") as temporary:
            files.write_table(pa.Table.from_pylist(rows), temporary)
        typer.echo(f"{parquet / name}.parquet: {len(rows):,} rows", err=True)


def _tables(kept: Journal) -> dict[str, list[Record]]:
    """Return rows by the name of their file. What has no fixed columns is JSON."""
    from json import dumps

    runs = [run.to_dict() for run in kept.runs()]
    for run in runs:
        graph = run.pop("graph")
        run |= {f"graph_{k}": graph.get(k) for k in ("name", "n", "m", "directed", "mark")}
        run["graph_shape"] = dumps(graph.get("shape"))
        run |= {k: dumps(run[k]) for k in ("options", "plan", "facts")}
    traces = [
        {"run": run["id"], "row": k, "values": dumps(dict(zip(columns, values, strict=True)))}
        for run in runs
        if (columns := kept.trace(run["id"])) is not None
        for k, values in enumerate(zip(*columns.values(), strict=True))
    ]
    records = [
        {"kind": kind, "key": key, "value": dumps(value)}
        for kind in kept.kinds()
        for key, value in kept.records(kind).items()
    ]
    return {"runs": runs, "traces": traces, "records": records}


@app.command()
def prune(
    older_than: Annotated[float, typer.Option(help="In days.")],
) -> None:
    """Delete runs and their traces that are older than a number of days; other records stay.

    [bold]Example[/bold]

    tacho journal prune --older-than 90
    """
    gone = _opened().prune(time.time() - older_than * 86400)
    typer.echo(f"{gone:,} runs forgotten")
