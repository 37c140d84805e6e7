"""Shortest paths within an error budget."""

from __future__ import annotations

import numpy as np

from ...algorithms.sssp import audited
from ...graph.graph import Graph
from ...plots import numbers as show
from ...plots.report.page import Figure, Section
from ...plots.report.sections import plan_figure, trace_figures
from .planned import planned
from .race import race, saving, times_table
from .setting import Outcome, Setting

__all__ = ["paths", "weighted"]

BUDGET = 0.05
HEAVIEST = 255
EXACT = "auto"  # the way that is exact


def paths(setting: Setting) -> Outcome:
    """What the plan chose beside an exact search; the error on a sample."""
    graph, note = weighted(setting.graph)
    source = setting.source
    made = planned(setting, "sssp", graph, source=source, max_error=BUDGET)
    laps = race(made.ways(EXACT))
    chosen, exact = laps[made.chosen], laps[made.way(EXACT)].median
    audit = audited(graph, source, chosen.result).audit  # type: ignore[arg-type]
    assert audit is not None
    text = [
        f"A mean error of {show.percent(BUDGET)} is allowed. {note}".strip(),
        made.told(),
        saving(chosen.median, exact, "an exact search") if len(laps) > 1 else
        "Nothing faster keeps the budget here: the exact search is what is run.",
        f"Audit: {audit}.",
    ]  # fmt: skip
    facts = [
        ("time", f"{show.seconds(chosen.median)}, measured"),
        ("error, audited", show.percent(audit.error)),
        ("allowed", show.percent(BUDGET)),
        ("vertices compared", show.count(audit.sample)),
    ]
    weighed = plan_figure(made.plan.to_dict(), (chosen.median, audit.error), BUDGET)
    figures = [] if weighed is None else [weighed]
    figures.append(Figure(table=times_table(laps, made.chosen, made.predicted)))
    figures += trace_figures(chosen.result.trace.to_dict())
    section = Section("Shortest paths within an error budget", text, facts, figures)
    return Outcome(section, made.chosen, chosen.median, "exact", exact,
                   made.predicted.get(made.chosen))  # fmt: skip


def weighted(graph: Graph) -> tuple[Graph, str]:
    """The graph, with random weights if it has none, and a sentence that says so."""
    if graph.weights is not None:
        return graph, ""
    source, target, _ = graph.to_edges()
    weights = np.random.default_rng(1).integers(1, HEAVIEST + 1, source.size, np.int32)
    made = Graph.from_edges(source, target, weights, n=graph.n, directed=graph.directed)
    return made, f"The graph has no weights: random ones from 1 to {HEAVIEST} were drawn."
