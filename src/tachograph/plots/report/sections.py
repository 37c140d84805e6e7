"""What a report says about runs: their numbers in the journal, or files with their traces."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...journal import Run, journal
from ...util import memory
from ...util.errors import InputError, MissingFileError
from ...util.files import arrow_file, is_file
from ...util.packed import require_pages
from ...util.text import number_in
from .. import numbers as show
from ..charts import Candidate, Predicted, bars, pareto, prediction
from ..memory import Timeline, bandwidth
from ..numbers import Columns
from ..tables import Table, table_of
from ..traces import charts_of
from .page import Figure, Section

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["entries", "memory_figure", "of_entries", "plan_figure", "predictions", "trace_figures"]

CELL_BYTES = 64  # of a value of a trace in a list
FACT_LETTERS = 60  # a longer value is not shown as a fact
MOST = 1e15  # of seconds, vertices or anything else in a trace: a larger number is a mistake
#: Columns of a trace that charts are drawn from, and what its file says about the run.
WORDS = {"kernel", "phase", "direction", "device"}
NUMBERS = {"seconds", "begin", "edges", "frontier_vertices", "iteration"}
ABOUT = {"task": str, "graph": dict, "seconds": float, "provenance": str}
Facts = Mapping[str, Any]  # what the journal kept as JSON
#: Facts of simulations: what people call them, and how their numbers are written; "" is told elsewhere.
WRITTEN: dict[str, tuple[str, Callable[[float], str]]] = {
    "seconds": ("", show.seconds),
    "provenance": ("", show.count),
    "standard": ("", show.count),
    "reps": ("edges read in a second", show.short),
    "teps": ("edges traversed in a second", show.short),
    "rate": ("simulated requests in a second here", show.short),
    "bytes": ("bytes moved", show.short),
    "gbps": ("mean GB/s", show.count),
    "peak_share": ("share of the peak", show.percent),
    "row_hit_rate": ("row hits", show.percent),
    "joules": ("energy of the memory in J", show.count),
    "expected_error": ("mean error expected, in %", show.count),
}


@dataclass(frozen=True)
class Entry:
    """A run with its trace. Of a trace file, only what is in the file is known of the run."""

    name: str
    run: Run
    trace: Columns


def entries(names: Sequence[str]) -> list[Entry]:
    """Return the runs of these names: numbers, ``last``, or Parquet files of ``tacho run --trace``.

    Raises
    ------
    InputError
        If there is no such run, or the file has no trace.
    MissingFileError
        If there is no such file.
    """
    return [_trace_file(n) if n.endswith(".parquet") else _kept(n) for n in names]


def _kept(name: str) -> Entry:
    """Return a run of the journal."""
    kept = journal()
    if name != "last" and number_in(name) < 0:
        how = "give its number, last, or a trace's .parquet file"
        raise InputError(f"{name!r} is not a run: {how}")
    found = next(iter(kept.runs(last=1)), None) if name == "last" else kept.run(int(name))
    if found is not None:
        return Entry(f"run {found.id}", found, kept.trace(found.id) or {})
    if kept.path is None:
        raise InputError("the journal is turned off (TACHOGRAPH_JOURNAL): give trace files")
    many = f"which has {len(kept.runs())}: tacho run makes one"
    raise InputError(f"there is no run {name} in the journal, {many}")


def _trace_file(path: str) -> Entry:
    """Return a trace that was written to a file, with what the file says about the run."""
    import pyarrow as pa
    from pyarrow import parquet

    if not is_file(path):
        raise MissingFileError(f"{path}: there is no such file")
    try:
        file = parquet.ParquetFile(arrow_file(path))
        names, rows = file.schema_arrow.names, file.metadata.num_rows
        require_pages(path, names)
        memory.require(rows * len(names) * CELL_BYTES, "the trace", "take a shorter one")
        table = file.read()
        table.validate(full=True)
        about = _about(table)
    except Exception as error:  # damaged and foreign files make Arrow raise all kinds
        what = (str(error) or type(error).__name__).splitlines()[0]
        raise InputError(f"{path}: not a Parquet file of tacho run --trace ({what})") from None
    if "seconds" not in table.column_names:
        raise InputError(f"{path}: no trace, which has a column of seconds: tacho run --trace")
    columns: dict[str, list[Any]] = {}
    for field, column in zip(table.schema, table.columns, strict=True):
        words = pa.types.is_string(field.type)
        if words or pa.types.is_integer(field.type) or pa.types.is_floating(field.type):
            columns[field.name] = column.to_pylist()
    for name in sorted((WORDS | NUMBERS) & set(table.column_names)):
        wanted = _is_word if name in WORDS else _is_amount
        if not all(map(wanted, columns.get(name, [None]))):
            kind = "words" if name in WORDS else "numbers from 0 on"
            raise InputError(
                f"{path}: no trace: its column {name} holds something else than {kind}"
            )
    usual = {"task": "trace", "graph": {}, "seconds": float(sum(columns["seconds"]))}
    run = Run(**{**usual, **about}, created=Path(path).stat().st_mtime)
    return Entry(Path(path).name, run, columns)


def _about(table: pa.Table) -> dict[str, Any]:
    """Return what the metadata says about the run, if all of it has the types that we write."""
    about = json.loads((table.schema.metadata or {}).get(b"tachograph", b"{}"))
    if not isinstance(about, dict):
        raise ValueError("its metadata is not ours")
    known = {name: about[name] for name in ABOUT if name in about}
    for name, value in known.items():
        if not isinstance(value, ABOUT[name]):
            raise ValueError(f"its {name} is {value!r}")
    sizes = known.get("graph", {})
    counts = all(isinstance(sizes.get(name, 0), int) for name in ("n", "m", "directed"))
    if not counts or not _is_amount(known.get("seconds", 0.0)):
        raise ValueError("its metadata has odd numbers")
    return known


def _is_word(value: object) -> bool:
    return isinstance(value, str)


def _is_amount(value: object) -> bool:
    return isinstance(value, int | float) and 0 <= value <= MOST


def of_entries(entries: Sequence[Entry]) -> list[Section]:
    """Return a section for each run, and one for predictions if there were some."""
    told = [
        Predicted(e.name, e.run.task, e.run.predicted, e.run.seconds)
        for e in entries
        if e.run.predicted and e.run.seconds > 0
    ]
    return [*map(_section, entries), *predictions(told)]


def _section(entry: Entry) -> Section:
    """Return the facts of a run, its plan and the charts of its trace.

    Raises
    ------
    InputError
        If what was kept of it has other fields than this version writes.
    """
    try:
        return _shown(entry)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise InputError(
            f"{entry.name} cannot be shown: it was kept by another version of Tachograph ({error!r})"
        ) from None


def _shown(entry: Entry) -> Section:
    run, plan = entry.run, entry.run.plan or {}
    name = run.graph.get("name") or ""
    title = f"{entry.name}: {run.task.replace('_', ' ')}" + (f" on {name}" if name else "")
    text = [f"{plan['way']}: {plan['reason']}."] if plan.get("way") and plan.get("reason") else []
    audit = run.facts.get("audit")
    outcome = (run.seconds, float(audit["error"])) if isinstance(audit, Mapping) else None
    figures = trace_figures(entry.trace) + plan_figure(plan, outcome)
    if memories := _timelines(run.facts):
        figures.append(memory_figure(memories))
    text += [f"{note}." for note in run.facts.get("notes", [])]
    return Section(title, text, _facts(run), figures + _simulated(run.facts))


def _simulated(facts: Facts) -> list[Figure]:
    """Return the phases, the requests and the parameters of a simulated accelerator."""
    if not isinstance(facts.get("sources"), Mapping):  # centralities count theirs
        return []
    phases = {k: v["seconds"] for k, v in facts["phases"].items() if isinstance(v, Mapping)}
    requests = {k: float(v) for k, v in facts["requests"].items()}
    figures = [
        _shares("Time by phase", "phase", phases, show.seconds),
        _shares("Requests by kind", "kind", requests, show.count),
    ]
    rows = [
        (name, str(value), str(facts["sources"].get(name, "")))
        for name, value in facts["parameters"].items()
    ]
    table = Table("Parameters", ("parameter", "value", "what it is, and its source"), rows)
    return [*figures, Figure(table=table)]


def _shares(
    title: str, kind: str, amounts: Mapping[str, float], shown: Callable[[float], str]
) -> Figure:
    """Return bars on one axis, and a table with the share of each."""
    total = sum(amounts.values()) or 1.0
    rows = [(name, shown(v), show.percent(v / total)) for name, v in amounts.items()]
    drawn = [(name, v, "simulated") for name, v in amounts.items()]
    table = Table(title, (kind, "amount", "share"), rows)
    return Figure(lambda width: bars(drawn, title, width, shown), table)


def trace_figures(trace: Columns) -> list[Figure]:
    """Return the charts of a trace, with the table of its rows beside the first one."""
    if not trace:
        return []
    draw = [lambda width, k=k: charts_of(trace, width)[k] for k in range(len(charts_of(trace)))]
    return [Figure(next(iter(draw), None), table_of(trace)), *map(Figure, draw[1:])]


def memory_figure(runs: Mapping[str, Timeline]) -> Figure:
    """Return the bandwidth of simulated memories over time."""
    rows = []
    for name, run in runs.items():
        speed, hits = _mean(run["gbps"]), _mean(run["row_hit_rate"])
        end, peak = float(run["end"]), float(run["peak_gbps"])
        rows.append(
            (name, show.seconds(end), show.count(speed), show.count(peak), show.percent(hits))
        )
    columns = ("memory", "time", "mean GB/s", "peak GB/s", "row hits")
    return Figure(lambda width: bandwidth(runs, width), Table("Simulated memory", columns, rows))


def _mean(values: Sequence[float | None]) -> float:
    known = [v for v in values if v is not None and v == v]
    return sum(known) / max(1, len(known))


def _timelines(facts: Facts) -> dict[str, Timeline]:
    """Return the memories in the facts of a simulation: one, or several by name."""
    found = facts.get("series")
    if not found or "gbps" not in found:
        return dict(found or {})
    return {str(facts.get("standard", "memory")): found}


def _facts(run: Run) -> list[tuple[str, str]]:
    made = [("time", f"{show.seconds(run.seconds)}, {run.provenance}")]
    if run.predicted:
        made.append(("predicted", show.seconds(run.predicted)))
    for key, name in (("n", "vertices"), ("m", "edges")):
        if key in run.graph:
            made.append((name, show.count(run.graph[key])))
    if "directed" in run.graph:
        made.append(("arcs", "directed" if run.graph["directed"] else "undirected"))
    names = (run.plan or {}).get("names", {})  # of vertices, where the graph has them
    for key, value in {**run.options, **names, **run.facts}.items():
        usual = key.replace("_", " "), show.count
        word, written = WRITTEN.get(key, usual) if key in run.facts else usual
        if isinstance(value, str | int | float) and not isinstance(value, bool) and value != "":
            text = value if isinstance(value, str) else written(value)
            if word and len(text) <= FACT_LETTERS:
                made.append((word, text))
    return made


def plan_figure(
    plan: Facts, measured: tuple[float, float] | None = None, budget: float | None = None
) -> list[Figure]:
    """Return the candidates of ``Plan.to_dict()``: a table, and a chart if some are approximate."""
    every = plan.get("candidates") or []
    if not every:
        return []
    errors = any(c.get("error") for c in every)
    rows = []
    for c in every:
        bounds = (c[k] for k in ("seconds", "low", "high"))
        time, low, high = ("–" if b is None else show.seconds(b) for b in bounds)
        error = (show.percent(c.get("error") or 0.0),) if errors else ()
        rows.append((c["name"], time, f"{low} to {high}", *error, c["reason"]))
    columns = ("way", "predicted", "between", *(("error",) if errors else ()), "why")
    table = Table("Candidates, the first is what was planned", columns, rows, first=True)
    known = [
        Candidate(c["name"], c["seconds"], c.get("error") or 0.0, chosen=k == 0)
        for k, c in enumerate(every)
        if c["seconds"] is not None
    ]
    if not errors or not known:
        return [Figure(table=table)]
    return [Figure(lambda width: pareto(known, measured, budget, width), table)]


def predictions(runs: Sequence[Predicted]) -> list[Section]:
    """Return a section that compares predicted and actual times, if there are runs."""
    rows = []
    for name, task, told, actual in runs:
        off = f"{(actual - told) / told:+.0%}"
        rows.append((name, task, show.seconds(told), show.seconds(actual), off))
    columns = ("run", "task", "predicted", "actual", "off by")
    figure = Figure(lambda width: prediction(runs, width), Table("Predictions", columns, rows))
    return [Section("Predicted and actual", figures=[figure])] if rows else []
