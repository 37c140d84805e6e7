"""What a report says about a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from ...journal import Run
from .. import numbers as show
from ..bandwidth import Timeline, bandwidth
from ..bins import Columns
from ..drawing import Drawing
from ..of_trace import charts_of
from ..pareto import Candidate, pareto
from ..prediction import Predicted, prediction
from ..tables import Table, table_of
from .page import Figure, Section
from .runs import Entry

__all__ = ["memory_figure", "of_entries", "plan_figure", "predictions", "section", "trace_figures"]

FACT_LETTERS = 60  # a longer value is not shown as a fact
Facts = Mapping[str, Any]  # what the journal kept as JSON


def of_entries(entries: Sequence[Entry]) -> list[Section]:
    """Return a section for each run, and one for predictions if there were some."""
    made = [section(entry) for entry in entries]
    told = [
        Predicted(e.name, e.run.task, e.run.predicted, e.run.seconds)
        for e in entries
        if e.run.predicted and e.run.seconds > 0
    ]
    return made + ([predictions(told)] if told else [])


def section(entry: Entry) -> Section:
    """Return the facts of a run, its plan and the charts of its trace."""
    run, plan = entry.run, entry.run.plan or {}
    name = run.graph.get("name") or ""
    title = f"{entry.name}: {run.task}" + (f" on {name}" if name else "")
    text = [f"{plan['way']}: {plan['reason']}."] if plan.get("way") and plan.get("reason") else []
    figures = trace_figures(entry.trace)
    audit = run.facts.get("audit")
    outcome = (run.seconds, float(audit["error"])) if isinstance(audit, Mapping) else None
    if (planned := plan_figure(plan, outcome)) is not None:
        figures.append(planned)
    if memories := _timelines(run.facts):
        figures.append(memory_figure(memories))
    return Section(title, text, _facts(run), figures)


def trace_figures(trace: Columns) -> list[Figure]:
    """Return the charts of a trace, with the table of its rows beside the first one."""
    if not trace:
        return []

    def nth(k: int, width: float) -> Drawing:
        return charts_of(trace, width)[k]

    charts = [Figure(partial(nth, k)) for k in range(len(charts_of(trace)))] or [Figure()]
    return [Figure(charts[0].draw, table_of(trace)), *charts[1:]]


def memory_figure(runs: Mapping[str, Timeline]) -> Figure:
    """Return the bandwidth of simulated memories over time."""
    rows = []
    for name, run in runs.items():
        speed, hits = _mean(run["gbps"]), _mean(run["row_hit_rate"])
        end, peak = float(run["end"]), float(run["peak_gbps"])
        rows.append((name, show.seconds(end), f"{speed:.3g}", f"{peak:.3g}", show.percent(hits)))
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
    return {str(facts.get("memory", "memory")): found}


def _facts(run: Run) -> list[tuple[str, str]]:
    made = [("time", f"{show.seconds(run.seconds)}, {run.provenance}")]
    if run.predicted:
        made.append(("predicted", show.seconds(run.predicted)))
    for key, name in (("n", "vertices"), ("m", "edges")):
        if key in run.graph:
            made.append((name, show.count(run.graph[key])))
    if "directed" in run.graph:
        made.append(("arcs", "directed" if run.graph["directed"] else "undirected"))
    for key, value in {**run.options, **run.facts}.items():
        if isinstance(value, str | int | float) and not isinstance(value, bool) and value != "":
            text = value if isinstance(value, str) else show.count(value)
            if len(text) <= FACT_LETTERS:
                made.append((key.replace("_", " "), text))
    return made


def plan_figure(
    plan: Facts, measured: tuple[float, float] | None = None, budget: float | None = None
) -> Figure | None:
    """Return the candidates of ``Plan.to_dict()``: a table, and a chart if some are approximate."""
    every = plan.get("candidates") or []
    if not every:
        return None
    errors = any(c.get("error") for c in every)
    rows = []
    for c in every:
        time, low, high = (
            "–" if c[k] is None else show.seconds(c[k]) for k in ("seconds", "low", "high")
        )
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
        return Figure(table=table)
    return Figure(lambda width: pareto(known, measured, budget, width), table)


def predictions(runs: Sequence[Predicted]) -> Section:
    """Return a section that compares predicted and actual times."""
    rows = []
    for name, task, told, actual in runs:
        off = f"{(actual - told) / told:+.0%}"
        rows.append((name, task, show.seconds(told), show.seconds(actual), off))
    columns = ("run", "task", "predicted", "actual", "off by")
    figure = Figure(lambda width: prediction(runs, width), Table("Predictions", columns, rows))
    return Section("Predicted and actual", figures=[figure])
