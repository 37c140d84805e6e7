"""``tacho journal`` and ``tacho report``: what was run, how well it was predicted, what it shows."""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..plots.numbers import seconds
from ..tasks.sampling import ALL_KEPT_RUNS, ONE_OF_RUNS
from ..tasks.table import task_named
from .options import TABLE_WRITERS, Json, flat, option, out, print_json, say, write_table
from .tables import Fitted, table

if TYPE_CHECKING:
    from ..journal import Journal, Run
    from ..journal.repair import Health
    from ..plots.drawing import Drawing
    from ..tasks.history import Calibration, Summary

__all__ = ["app", "report"]

RUNS = "Numbers of runs, last, or trace files (.parquet)."
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

    tacho journal calibration

    tacho journal export runs

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
    counts = {"task": of.task, "runs": str(of.runs), "time": seconds(of.seconds)}
    shares = {"off": of.off, "within 35 %": of.close, "lost": of.regret, "worst": of.worst_regret}
    shown = {name: _share(value) for name, value in shares.items()}
    return {**counts, "predictions": str(of.predicted), **shown}


def _table(title: str, rows: list[dict[str, str]]) -> Fitted:
    return table(rows[0], [list(row.values()) for row in rows], title)


@app.command()
def export(
    directory: Annotated[
        Path, typer.Argument(help="Where the files go; it is made if it is not there.")
    ],
) -> None:
    """Write all runs, traces and records as Parquet files.

    runs.parquet has a row for each run, trace-TASK.parquet a row for each iteration of its runs
    (docs/planning.md has the columns), records.parquet what campaigns have measured.

    [bold]Example[/bold]

    tacho journal export runs
    """
    from ..journal.export import arrow, tables
    from ..util.errors import InputError

    kept = _opened()
    if directory.suffix in TABLE_WRITERS:
        raise InputError(f"{directory}: several files are written; name a directory, such as runs")
    directory.mkdir(parents=True, exist_ok=True)
    for name, rows in tables(kept, kept.runs()).items():
        write_table(arrow(rows), directory / f"{name}.parquet")
        say(f"{directory / name}.parquet: {len(rows):,} row{'s'[: len(rows) != 1]}")


@app.command()
@flat
def calibration(
    task: str | None = option(None, "Runs of this task only."),
    plot: Path | None = option(None, "Draw the promised and the kept: .png, .svg or .html."),
    json: Json = False,
) -> None:
    """Show whether predicted intervals were kept, how wide they are, and what was lost, by task.

    [bold]Examples[/bold]

    tacho journal calibration

    tacho journal calibration --task bfs --plot reliability.svg
    """
    from ..plots.drawing import check_picture
    from ..tasks.history import calibrations, reliability

    if plot is not None:
        check_picture(plot)
    runs = _opened().runs(None if task is None else task_named(task).name)
    made, points = calibrations(runs), reliability(runs)
    if plot is not None:
        _reliability(points).save(plot)
    if json:
        print_json({"tasks": [asdict(c) for c in made], "reliability": points})
        return
    if not made:
        out().print("no run has an interval yet; try tacho run bfs GRAPH --source 0")
        return
    out().print(_table("intervals of 90 %", [_calibration(c) for c in made]))
    levels = [{"promised": f"{p:.0%}", "kept": f"{k:.0%}"} for p, k in points]
    out().print(_table("intervals of any confidence", levels))


def _calibration(of: Calibration) -> dict[str, str]:
    shares: dict[str, float | None] = {"kept": of.kept}
    shares |= {"within 25 %": of.within_25, "within 35 %": of.within_35}
    shares |= {"lost": of.regret, "worst": of.worst_regret, "in time": of.deadlines}
    width = {"width": f"\u00b1{of.width:.0%}"}
    told = {"task": of.task, "runs": str(of.runs), "promised": f"{of.promised:.0%}"}
    return told | width | {name: _share(value) for name, value in shares.items()}


def _reliability(points: list[tuple[float, float]]) -> Drawing:
    """Draw which share of runs was in intervals, by the share that they promised."""
    from ..plots.axes import Axis
    from ..plots.charts import Series, xy
    from ..plots.numbers import percent

    same = Series("as promised", [(0.0, 0.0), (1.0, 1.0)], "dashed")
    axes = (Axis("promised", percent), Axis("kept", percent))
    return xy("Intervals: promised and kept", [Series("kept", points), same], axes)


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
    out().print(table(("table", "sound", "damaged"), rows, str(found.path)))
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
    from ..util.errors import InputError
    from ..util.files import keep_inputs

    keep_inputs([output], runs)
    if output.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"--output {output}: a page is written: name it .html")
    found = entries(runs)
    title = f"{found[0].name}: {found[0].run.task}" if len(found) == 1 else f"{len(found)} runs"
    graphs = dict.fromkeys(e.run.graph.get("name") or "" for e in found)
    write_page(output, title, of_entries(found), ", ".join(name for name in graphs if name))
    say(f"{output}: {len(found)} run{'s' if len(found) > 1 else ''}")
