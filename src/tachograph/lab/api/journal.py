"""The panel Journal: runs, how predictions and budgets were kept, two runs side by side, export."""

from __future__ import annotations

import shlex
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response

from ...journal import Journal as Kept
from ...journal import Run
from ...journal import journal as user
from ...journal.export import arrow, rows_of
from ...plots import charts
from ...plots import numbers as show
from ...plots.axes import Axis
from ...plots.report.page import Section
from ...plots.report.sections import Entry, of_entries
from ...tasks.history import CLOSE_SHARE, budgets, promises, regrets, summaries
from ...util.errors import InputError
from ...util.tables import TABLE_WRITERS
from ...util.text import number_in, plain
from ..threads import on_thread
from . import Endpoint, arguments

if TYPE_CHECKING:
    from ..server import Lab

__all__ = ["ENDPOINTS"]

LOOKED_AT = 20_000  # the last runs; filters look at these
SHOWN_RUNS = 200
TABLE_ROWS = 60  # of a figure
LOST = "Time lost against the best known way"
IMPORTED = "from tachograph.journal import journal\n\n"
FORMATS = {"csv": "text/csv", "parquet": "application/vnd.apache.parquet"}


@dataclass(frozen=True)
class Wanted:
    """The filters of the page."""

    kept: Kept
    task: str = ""
    way: str = ""
    provenance: str = ""
    graph: str = ""  # a part of its name

    @classmethod
    def of(cls, told: dict[str, Any]) -> Wanted:
        """Check what was told, and open the journal; what is wrong with its file is an error."""
        return cls(_opened(), **arguments(cls, told))

    def runs(self) -> list[Run]:
        """Return the runs that pass, oldest first."""
        part = self.graph.lower()
        return [
            run
            for run in self.kept.runs(self.task or None, LOOKED_AT)
            if (not self.way or _way(run) == self.way)
            and (not self.provenance or run.provenance == self.provenance)
            and (not part or part in str(run.graph.get("name", "")).lower())
        ]


def _opened() -> Kept:
    path: Path | None = user().path
    if path is None:
        raise InputError("the journal is off: unset TACHOGRAPH_JOURNAL and start the lab again")
    return Kept(path, strict=True)


def _way(run: Run) -> str:
    return str((run.plan or {}).get("way") or "")


def runs(lab: Lab, told: dict[str, Any] | None = None, width: float = 640) -> dict[str, Any]:
    """Return the runs that pass the filters, what became of their predictions, and charts."""
    wanted = Wanted.of(told or {})
    found = wanted.runs()
    every = found if not told else wanted.kept.runs(last=LOOKED_AT)
    lost = regrets(found)
    told_times = [
        charts.Predicted(f"run {r.id}", _spaced(r.task), r.predicted, r.seconds)
        for r in found
        if r.predicted and r.seconds > 0
    ]
    by_task = summaries(found)
    bars = [(_spaced(s.task), s.regret, "measured") for s in by_task if s.regret is not None]
    word = f" --task {shlex.quote(wanted.task)}" if wanted.task else ""
    return {
        "file": plain(wanted.kept.path),
        "count": len(found),
        "choices": {
            "task": sorted({r.task for r in every}),
            "way": sorted({_way(r) for r in every} - {""}),
            "provenance": sorted({r.provenance for r in every}),
        },
        "runs": [_brief(r, lost.get(r.id)) for r in reversed(found[-SHOWN_RUNS:])],
        "facts": _kept(found, told_times, list(lost.values())),
        "summaries": [
            [_spaced(s.task), str(s.runs), *map(_share, (s.off, s.close, s.regret, s.worst_regret))]
            for s in by_task
        ],
        "budgets": [
            [
                *(str(b.run), _spaced(b.task), show.percent(b.allowed)),
                *(_share(b.bound), _share(b.audited), _word(b.kept)),
            ]
            for b in reversed(budgets(found)[-SHOWN_RUNS:])
        ],
        "calibration": charts.prediction(told_times, width).svg(styled=False) if told_times else "",
        "regret": charts.bars(bars, LOST, width, show.percent).svg(styled=False) if bars else "",
        "python": f"{IMPORTED}runs = journal().runs({wanted.task or None!r})\n",
        "command": f"tacho journal --last {SHOWN_RUNS}{word}",
    }


def _brief(run: Run, lost: float | None) -> dict[str, Any]:
    return {
        "run": run.id,
        "when": run.created,
        "task": run.task,
        "way": plain(_way(run)),
        "graph": plain(run.graph.get("name") or ""),
        "provenance": run.provenance,
        "predicted": run.predicted,
        "seconds": run.seconds,
        "lost": lost,
    }


def _spaced(task: str) -> str:
    return task.replace("_", " ")  # as the list of runs has it


def _kept(
    runs: list[Run], told: Sequence[charts.Predicted], lost: list[float]
) -> list[tuple[str, str]]:
    """Say how well predictions, intervals and budgets were kept."""
    close = [abs(t.predicted - t.actual) <= CLOSE_SHARE * t.actual for t in told]
    inside = [p.kept for p in promises(runs)]
    allowed = [b.kept for b in budgets(runs) if b.kept is not None]
    return [
        ("runs", show.count(len(runs))),
        (f"predictions within {show.percent(CLOSE_SHARE)}", _of(close)),
        ("90 % intervals kept", _of(inside)),
        ("error budgets kept", _of(allowed)),
        ("mean time lost", show.percent(statistics.mean(lost)) if lost else "not known"),
    ]


def _of(kept: list[bool]) -> str:
    return f"{sum(kept):,} of {len(kept):,}" if kept else "none yet"


def _share(value: float | None) -> str:
    return "" if value is None else show.percent(value)


def _word(kept: bool | None) -> str:
    return "not known" if kept is None else "kept" if kept else "broken"


def run(lab: Lab, run: str, width: float = 640) -> dict[str, Any]:
    """Return a run, or two with commas side by side: facts, what was decided, and charts."""
    numbers = [number_in(n) for n in run.split(",")]
    if not 1 <= len(numbers) <= 2 or min(numbers) < 0:
        raise InputError(f"run = {run!r}: give the number of a run, or two with a comma")
    kept = _opened()
    found = [_entry(kept, n) for n in numbers]
    sections = [of_entries([entry])[0] for entry in found]
    words = " ".join(str(e.run.id) for e in found)
    ids = ", ".join(f"journal().run({e.run.id})" for e in found)
    names = "run" if len(found) == 1 else "first, second"
    return {
        "sections": [_section(s, width) for s in sections],
        "seconds": [e.run.seconds for e in found],
        "compared": _compared(sections) if len(found) == 2 else [],
        "together": _together(found, width) if len(found) == 2 else "",
        "python": f"{IMPORTED}{names} = {ids}\n",
        "command": f"tacho report {words}",
    }


def _entry(kept: Kept, number: int) -> Entry:
    found = kept.run(number)
    if found is None:
        raise InputError(f"there is no run {number} in the journal: the list has their numbers")
    return Entry(f"run {found.id}", found, kept.trace(found.id) or {})


def _section(section: Section, width: float) -> dict[str, Any]:
    figures = []
    for figure in section.figures:
        table = figure.table
        figures.append(
            {
                "svg": "" if figure.draw is None else figure.draw(width).svg(styled=False),
                "title": "" if table is None else table.title,
                "columns": [] if table is None else list(table.columns),
                "rows": [] if table is None else [list(r) for r in table.rows[:TABLE_ROWS]],
            }
        )
    facts = [[plain(name), plain(value)] for name, value in section.facts]
    text = [plain(line) for line in section.text]
    return {"title": plain(section.title), "text": text, "facts": facts, "figures": figures}


def _compared(sections: Sequence[Section]) -> list[list[Any]]:
    """Return the facts of two runs side by side, and whether they differ."""
    one, other = (dict(section.facts) for section in sections)
    rows = []
    for name in dict.fromkeys([*one, *other]):
        left, right = one.get(name, ""), other.get(name, "")
        rows.append([plain(name), plain(left), plain(right), left != right])
    return rows


def _together(found: Sequence[Entry], width: float) -> str:
    """Draw the time of each iteration of both, if they have traces of iterations."""
    series = []
    for entry in found:
        times = [v for v in entry.trace.get("seconds", []) if isinstance(v, int | float)]
        points = [(float(k), max(float(v), 1e-9)) for k, v in enumerate(times)]
        series.append(charts.Series(entry.name, points))
    if min(len(s.points) for s in series) < 2:
        return ""
    axes = (Axis("row of the trace"), Axis("time", show.seconds, "log", 4))
    return charts.xy("Time of each row of the traces", series, axes, width).svg(styled=False)


async def export(lab: Lab, request: Request) -> Response:
    """Send the runs that pass the filters as a file."""
    told = dict(request.query_params)
    kind = told.pop("format", "csv")
    if kind not in FORMATS:
        raise InputError(f"format = {kind!r}: choose {', '.join(FORMATS)}")

    def made() -> bytes:
        import pyarrow as pa

        out = pa.BufferOutputStream()
        TABLE_WRITERS[f".{kind}"](arrow(rows_of(Wanted.of(told).runs())), out)
        return bytes(out.getvalue())

    name = f'attachment; filename="runs.{kind}"'
    content = await on_thread(made)
    return Response(content, media_type=FORMATS[kind], headers={"content-disposition": name})


ENDPOINTS = (
    Endpoint("runs", runs, "POST"),
    Endpoint("run", run),
    Endpoint("export", export, streams=True),
)
