"""The graph, and what it is like."""

from __future__ import annotations

from ...plots import numbers as show
from ...plots.charts import bars
from ...plots.report.page import Figure, Section
from ..show import degree_classes
from .setting import Outcome, Setting

__all__ = ["welcome"]


def welcome(setting: Setting) -> Outcome:
    """Tell counts and degrees."""
    graph, f = setting.graph, setting.graph.features
    facts = [
        ("vertices", show.count(f.n)),
        ("edges", show.count(f.m)),
        ("kind", "directed" if graph.directed else "undirected"),
        ("weights", "none" if graph.weights is None else str(graph.weights.dtype)),
        ("mean degree", f"{f.mean_degree:.1f}"),
        ("highest degree", show.count(f.max_degree)),
        ("Gini index of degrees", f"{f.gini:.2f}"),
        ("diameter, at least", show.count(f.diameter)),
    ]
    text = [f"{setting.name}: {graph!r}. Decisions below are made from numbers like these."]
    rows = [
        (f"degree {label}", float(total), "vertices")
        for label, total in degree_classes(f.degree_counts)
    ]
    chart = Figure(lambda width: bars(rows, "Vertices by degree", width, show.count))
    return Outcome(Section("The graph", text, facts, [chart] if graph.n else []))
