"""What a report says about a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from ...journal import Run
from .. import numbers as show
from ..bandwidth import bandwidth
from ..drawing import Drawing
from ..of_trace import charts_of
from ..pareto import pareto
from ..prediction import prediction
from ..tables import Table, table_of
from .page import Figure, Section
from .runs import Entry

__all__ = ["memory_figure", "of_entries", "plan_figure", "predictions", "section", "trace_figures"]

SERIES = ("seconds", "gbps", "row_hit_rate")


def of_entries(entries: Sequence[Entry]) -> list[Section]:
    """A section for each run, and one for predictions if there were some."""
    made = [section(entry) for entry in entries]
    told = [(e.name, e.run.task, e.run.predicted, e.run.seconds)
            for e in entries if e.run.predicted and e.run.seconds > 0]  # fmt: skip
    return made + ([predictions(told)] if told else [])


def section(entry: Entry) -> Section:
    """Facts of a run, its plan, the charts of its trace."""
    run = entry.run
    name = run.graph.get("name") or ""
    title = f"{entry.name}: {run.task}" + (f" on {name}" if name else "")
    plan = run.plan or {}
    text = [f"{plan['way']}: {plan['reason']}."] if plan.get("way") and plan.get("reason") else []
    figures = trace_figures(entry.trace)
    if (planned := plan_figure(plan, _outcome(run))) is not None:
        figures.append(planned)
    if memory := _series(run.facts):
        figures.append(memory_figure(memory))
    return Section(title, text, _facts(entry), figures)


def trace_figures(trace: Mapping[str, Sequence[Any]]) -> list[Figure]:
    """The charts of a trace; the table of its rows is beside the first one."""
    if not trace:
        return []
    drawn = charts_of(trace)
    table = table_of(trace)
    if not drawn:
        return [Figure(table=table)]
    return [
        Figure(partial(_nth, trace, k), table if k == 0 else None, "") for k in range(len(drawn))
    ]


def _nth(trace: Mapping[str, Sequence[Any]], k: int, width: float) -> Drawing:
    return charts_of(trace, width)[k]


def memory_figure(runs: Mapping[str, Mapping[str, Any]]) -> Figure:
    """Bandwidth of simulated memories over time."""
    rows = [
        (name, show.seconds(float(run["end"])), f"{_mean(run['gbps']):.3g}",
         f"{float(run['peak_gbps']):.3g}", show.percent(_mean(run["row_hit_rate"])))
        for name, run in runs.items()
    ]  # fmt: skip
    columns = ("memory", "time", "mean GB/s", "peak GB/s", "row hits")
    return Figure(lambda width: bandwidth(runs, width), Table("Simulated memory", columns, rows))


def _mean(values: Sequence[float | None]) -> float:
    known = [v for v in values if v is not None and v == v]
    return sum(known) / max(1, len(known))


def _series(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Memories in the facts of a simulation: one, or several by name."""
    found = facts.get("series")
    if not isinstance(found, Mapping):
        return {}
    if set(SERIES) <= set(found):
        return {str(facts.get("memory", "memory")): found}
    return dict(found)


def _facts(entry: Entry) -> list[tuple[str, str]]:
    run = entry.run
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
            if len(text) <= 60:
                made.append((key.replace("_", " "), text))
    return made


def plan_figure(
    plan: Mapping[str, Any], measured: Mapping[str, Any] | None = None, budget: float | None = None
) -> Figure | None:
    """The candidates of a plan (``Plan.to_dict()``): a table, and a chart if some are approximate."""
    every = plan.get("candidates") or []
    if not every:
        return None
    errors = any(c.get("error") for c in every)
    columns = ("way", "predicted", "between", *(("error",) if errors else ()), "why")
    rows = [
        (c["name"], _time(c["seconds"]), f"{_time(c['low'])} to {_time(c['high'])}",
         *((show.percent(c.get("error") or 0.0),) if errors else ()), c["reason"])
        for c in every
    ]  # fmt: skip
    table = Table("Candidates, the first is what was planned", columns, rows, first=True)
    known = [{**c, "error": c.get("error") or 0.0, "chosen": k == 0}
             for k, c in enumerate(every) if c["seconds"] is not None]  # fmt: skip
    if not errors or not known:
        return Figure(table=table)
    return Figure(lambda width: pareto(known, measured, budget, width), table)


def _time(value: float | None) -> str:
    return "–" if value is None else show.seconds(value)


def _outcome(run: Run) -> dict[str, float] | None:
    """Where a run lies among its plan's candidates, if its error was audited."""
    audit = run.facts.get("audit")
    return {"seconds": run.seconds, "error": audit["error"]} if isinstance(audit, Mapping) else None


def predictions(runs: Sequence[tuple[str, str, float, float]]) -> Section:
    """Each run's name, its task, what was predicted and what it took, in seconds."""
    rows = [(name, task, show.seconds(p), show.seconds(a), f"{(a - p) / p:+.0%}")
            for name, task, p, a in runs]  # fmt: skip
    columns = ("run", "task", "predicted", "actual", "off by")
    figure = Figure(lambda width: prediction(runs, width), Table("Predictions", columns, rows))
    return Section("Predicted and actual", figures=[figure])
