"""What a report says about a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from ..charts import numbers as show
from ..charts.bandwidth import bandwidth
from ..charts.drawing import WIDE, Drawing
from ..charts.of_trace import charts_of
from ..charts.pareto import pareto
from ..charts.prediction import prediction
from ..charts.tables import Table, table_of
from .page import Figure, Section
from .runs import Entry

__all__ = ["memory_figure", "of_entries", "section", "trace_figures"]

SERIES = ("seconds", "gbps", "row_hit_rate")


def of_entries(entries: Sequence[Entry]) -> list[Section]:
    """A section for each run, and one for predictions if there were some."""
    made = [section(entry) for entry in entries]
    told = [e for e in entries if e.run.predicted and e.run.seconds > 0]
    return made + ([_predictions(told)] if told else [])


def section(entry: Entry) -> Section:
    """Facts of a run, its plan, the charts of its trace."""
    run = entry.run
    name = run.graph.get("name") or ""
    title = f"{entry.name}: {run.task}" + (f" on {name}" if name else "")
    text = [run.plan["reason"]] if run.plan and run.plan.get("reason") else []
    figures = trace_figures(entry.trace)
    if candidates := _candidates(run.plan):
        figures.append(_pareto(candidates, run.facts, run.options.get("max_error")))
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


def _candidates(plan: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    """What was weighed, if it differs in time and error."""
    if not plan or "chosen" not in plan:
        return []
    every = [{**plan["chosen"], "chosen": True}, *plan.get("others", ())]
    made = [
        {
            "name": c["name"],
            "time": 1 / c["gain"],
            "error": c["error"],
            "chosen": c.get("chosen", False),
        }
        for c in every
        if c.get("gain") and c.get("error") is not None
    ]
    return made if any(c["error"] for c in made) else []


def _pareto(candidates: list[dict[str, Any]], facts: Mapping[str, Any], budget: Any) -> Figure:
    rows = [(c["name"], f"{c['time']:.2f}", show.percent(c["error"])) for c in candidates]
    table = Table("Candidates, as predicted", ("candidate", "part of the exact time", "error"), rows,
                  first=True)  # fmt: skip
    allowed = float(budget) if isinstance(budget, int | float) else None

    def draw(width: float = WIDE) -> Drawing:
        return pareto(candidates, facts.get("outcome"), allowed, width)

    return Figure(draw, table)


def _predictions(entries: Sequence[Entry]) -> Section:
    runs = [(e.name, e.run.task, float(e.run.predicted or 0), e.run.seconds) for e in entries]
    rows = [(name, task, show.seconds(p), show.seconds(a), f"{(a - p) / p:+.0%}")
            for name, task, p, a in runs]  # fmt: skip
    columns = ("run", "task", "predicted", "actual", "off by")
    figure = Figure(lambda width: prediction(runs, width), Table("Predictions", columns, rows))
    return Section("Predicted and actual", figures=[figure])
