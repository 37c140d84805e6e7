"""Shortest paths within an error budget."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...algorithms.sssp import audited, sssp
from ...charts import numbers as show
from ...charts.drawing import Drawing
from ...charts.pareto import pareto
from ...charts.tables import Table
from ...graph.graph import Graph
from ...planning.plan import plan
from ...report.page import Figure, Section
from ...report.sections import trace_figures
from .race import race, saving, times_table
from .setting import Outcome, Setting

__all__ = ["paths", "weighted"]

BUDGET = 0.05
HEAVIEST = 255
EXACT = "exact"


def paths(setting: Setting) -> Outcome:
    """What the plan chose beside an exact search; the error on a sample."""
    graph, note = weighted(setting.graph)
    source = setting.source
    made = plan("sssp", graph, source=source, max_error=BUDGET)
    names = {"plan": made.run, EXACT: lambda: sssp(graph, source)}
    laps = race(names)
    chosen, exact = laps["plan"], laps[EXACT].median
    checked = audited(graph, source, chosen.result)  # type: ignore[arg-type]
    error = checked.audit.error if checked.audit is not None else 0.0
    text = [
        f"A mean error of {show.percent(BUDGET)} is allowed. {note}".strip(),
        f"Decided: {made.chosen.name}, because {made.reason}.",
        saving(chosen.median, exact, "an exact search"),
    ]
    facts = [
        ("time", f"{show.seconds(chosen.median)}, measured"),
        ("error, audited", show.percent(error)),
        ("allowed", show.percent(BUDGET)),
        ("vertices compared", show.count(checked.audit.sample if checked.audit else 0)),
    ]
    figures = [Figure(table=times_table(laps, "plan"))]
    if (candidates := _candidates(made)) is not None:
        outcome = {"time": chosen.median / exact if exact else 1.0, "error": error}
        rows = [(c["name"], f"{c['time']:.2f}", show.percent(c["error"])) for c in candidates]
        table = Table("Candidates, as predicted", ("candidate", "part of the exact time", "error"),
                      rows, first=True)  # fmt: skip

        def draw(width: float) -> Drawing:
            return pareto(candidates, outcome, BUDGET, width)

        figures.insert(0, Figure(draw, table))
    figures += trace_figures(chosen.result.trace.to_dict())
    section = Section("Shortest paths within an error budget", text, facts, figures)
    return Outcome(section, made.chosen.name, chosen.median, EXACT, exact)


def weighted(graph: Graph) -> tuple[Graph, str]:
    """The graph, with random weights if it has none, and a sentence that says so."""
    if graph.weights is not None:
        return graph, ""
    source, target, _ = graph.to_edges()
    weights = np.random.default_rng(1).integers(1, HEAVIEST + 1, source.size, np.int32)
    made = Graph.from_edges(source, target, weights, n=graph.n, directed=graph.directed)
    return made, f"The graph has no weights: random ones from 1 to {HEAVIEST} were drawn."


def _candidates(made: Any) -> list[dict[str, Any]] | None:
    """Predictions for the chart, if there was something to weigh."""
    every = [made.chosen, *made.others]
    if len(every) < 2:
        return None
    return [
        {"name": c.name, "time": 1 / c.predicted["gain"], "error": c.predicted["error"],
         "chosen": c is made.chosen}
        for c in every
    ]  # fmt: skip
