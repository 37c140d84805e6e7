"""``tacho journal`` and ``tacho report``: what was run, how well it was predicted, what it shows."""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..plots.numbers import seconds
from ..tasks.sampling import ALL_KEPT_RUNS, ONE_OF_RUNS
from .options import Json, flat, option, out, print_json, say, table, write_table

if TYPE_CHECKING:
    from rich.table import Table

    from ..journal import Journal, Record, Run
    from ..journal.repair import Health
    from ..tasks.history import Summary

__all__ = ["app", "report"]

RUNS = "Numbers of runs, last, or trace files (.parquet)."
LEFT = ("when", "task", "way", "graph")  # columns of text
EXPLAINED = (
    "off: median distance of a prediction from the actual time; lost: time above the best known "
    "run of the same question"
)
SAMPLED = (
    f"stand for {ONE_OF_RUNS} each: above {ALL_KEPT_RUNS} an hour, runs of one question are sampled"
)
app = typer.Typer(invoke_without_command=True)


@app.callback()
@flat
def journal(
    context: typer.Context,
    task: str | None = option(None, "Runs of this task only."),
    last: int = option(15, "How many runs to list."),
    json: Json = False,
) -> None:
    """Show the runs, how far off their predictions were, and the time lost against the best known.

    The journal is in $TACHOGRAPH_HOME or in the user's data directory. TACHOGRAPH_JOURNAL=off turns
    it off.

    [bold]Examples[/bold]

    tacho journal --task bfs --last 30

    tacho journal export --parquet runs

    tacho journal prune --older-than 90

    tacho journal check
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
    console.print(EXPLAINED)
    if sampled := sum("one_of" in (run.plan or {}) for run in runs):
        console.print(f"{sampled:,} runs {SAMPLED}")


def _opened() -> Journal:
    """Return the journal; what is wrong with its file is an error here."""
    from ..journal import Journal

    return Journal(_path(), strict=True)


def _path() -> Path:
    from ..journal import journal as user
    from ..util.errors import InputError

    if (path := user().path) is None:
        raise InputError("the journal is off: unset TACHOGRAPH_JOURNAL")
    return path


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.0%}"


def _row(run: Run, lost: float | None) -> dict[str, str]:
    return {
        "run": str(run.id),
        "when": time.strftime("%m-%d %H:%M", time.localtime(run.created)),
        "task": run.task,
        "way": str((run.plan or {}).get("way") or ""),
        "graph": str(run.graph.get("name", ""))[:40],
        "predicted": "" if run.predicted is None else seconds(run.predicted),
        "actual": seconds(run.seconds),
        "lost": _share(lost),
    }


def _summary(of: Summary) -> dict[str, str]:
    counts = {"task": of.task, "runs": str(of.runs), "time": f"{of.seconds:.3g} s"}
    shares = {"off": of.off, "within 35 %": of.close, "lost": of.regret, "worst": of.worst_regret}
    shown = {name: _share(value) for name, value in shares.items()}
    return {**counts, "predictions": str(of.predicted), **shown}


def _table(title: str, rows: list[dict[str, str]]) -> Table:
    return table(rows[0], [list(row.values()) for row in rows], LEFT, title)


@app.command()
def export(
    parquet: Annotated[Path, typer.Option(help="A directory; it is made if it is not there.")],
) -> None:
    """Write all runs, traces and records as Parquet files.

    runs.parquet has a row for each run, trace-TASK.parquet a row for each iteration of its runs
    (docs/planning.md has the columns), records.parquet what campaigns have measured.

    [bold]Example[/bold]

    tacho journal export --parquet runs
    """
    import pyarrow as pa

    kept = _opened()
    parquet.mkdir(parents=True, exist_ok=True)
    for name, rows in _tables(kept).items():
        heads = dict.fromkeys(head for row in rows for head in row)
        columns = {head: pa.array([_utf8(row.get(head)) for row in rows]) for head in heads}
        write_table(pa.table(columns), parquet / f"{name}.parquet")
        say(f"{parquet / name}.parquet: {len(rows):,} rows")


def _tables(kept: Journal) -> dict[str, list[Record]]:
    """Return rows by the name of their file. What has no fixed columns is JSON."""
    from json import dumps

    runs = [run.to_dict() for run in kept.runs()]
    for run in runs:
        graph = run.pop("graph")
        run |= {f"graph_{k}": graph.get(k) for k in ("name", "n", "m", "directed", "mark")}
        run["graph_name"] = graph.get("name") or None
        run["graph_shape"] = dumps(graph.get("shape"))
        plan = run["plan"] or {}
        run |= {k: plan.get(k) for k in ("way", "reason")}
        for part in ("options", "facts"):
            run |= {f"{part[:-1]}_{k}": _cell(v) for k, v in run[part].items()}
        run |= {k: dumps(run[k]) for k in ("options", "plan", "facts")}
    traces: dict[str, list[Record]] = {}
    for run in runs:
        if (columns := kept.trace(run["id"])) is not None:
            cells = ([_cell(v) for v in column] for column in columns.values())
            found = traces.setdefault(f"trace-{run['task']}", [])
            for k, values in enumerate(zip(*cells, strict=True)):
                found.append(
                    {"run": run["id"], "row": k, **dict(zip(columns, values, strict=True))}
                )
    records = [
        {"kind": kind, "key": key, "value": dumps(value)}
        for kind in kept.kinds()
        for key, value in kept.records(kind).items()
    ]
    return {"runs": _alike(runs), **{k: _alike(v) for k, v in traces.items()}, "records": records}


def _utf8(value: object) -> object:
    """Spell out what is not UTF-8, such as bytes of a file name: Parquet holds nothing else."""
    return value.encode(errors="backslashreplace").decode() if isinstance(value, str) else value


def _cell(value: object) -> object:
    """Return a plain value as it is, others as JSON."""
    from json import dumps

    return value if value is None or isinstance(value, bool | int | float | str) else dumps(value)


def _alike(rows: list[Record]) -> list[Record]:
    """Make text of what has values of different kinds in different rows: a column holds one kind."""
    kinds: dict[str, set[type]] = {}
    for row in rows:
        for head, value in row.items():
            kinds.setdefault(head, set()).add(type(value))
    mixed = {head for head, found in kinds.items() if len(found - {type(None)} - {int}) > 1}
    mixed |= {head for head, found in kinds.items() if int in found and found & {str, bool}}
    return [
        {k: str(v) if k in mixed and v is not None else v for k, v in row.items()} for row in rows
    ]


@app.command()
def prune(older_than: Annotated[float, typer.Option(help="In days.")]) -> None:
    """Delete runs and their traces that are older than a number of days; other records stay.

    [bold]Example[/bold]

    tacho journal prune --older-than 90
    """
    gone = _opened().prune(time.time() - older_than * 86400)
    typer.echo(f"{gone:,} runs forgotten")


@app.command()
@flat
def check(json: Json = False) -> None:
    """Read every row of the journal, and let SQLite check its file. Exit code 1 if there is damage.

    [bold]Example[/bold]

    tacho journal check
    """
    from ..journal import repair

    found = repair.check(_path())
    if json:
        print_json(found.to_dict())
    else:
        _show(found)
        if not found.good:
            say("tacho journal repair saves the sound rows to a new file")
    if not found.good:
        raise typer.Exit(1)


@app.command()
@flat
def repair(json: Json = False) -> None:
    """Save all sound rows to a new file, which takes the journal's place; the old file is kept.

    Other programs that use the journal should not run meanwhile.

    [bold]Example[/bold]

    tacho journal repair
    """
    from ..journal import repair

    found, old = repair.repair(_path())
    if json:
        print_json({**found.to_dict(), "old": str(old)})
        return
    _show(found)
    say(f"the old file is {old}")


def _show(found: Health) -> None:
    """Print how many rows are sound and damaged, and what SQLite says."""
    rows = [[name, f"{n:,}", f"{found.damaged[name]:,}"] for name, n in found.sound.items()]
    out().print(table(("table", "sound", "damaged"), rows, ("table",), str(found.path)))
    for problem in found.problems:
        say(f"SQLite: {problem}")


@flat
def report(
    runs: Annotated[list[str], typer.Argument(metavar="RUN...", help=RUNS)],
    output: Path = option(Path("report.html"), "The page to write.", "--output", "-o"),
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
    say(f"{output}: {len(found)} run{'s' if len(found) > 1 else ''}")
