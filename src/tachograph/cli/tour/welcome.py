"""The graph, and what it is like."""

from __future__ import annotations

from typing import Any

from ...plots import numbers as show
from ...plots.bars import bars
from ...plots.drawing import Drawing
from ...plots.report.page import Figure, Section
from .setting import Outcome, Setting

__all__ = ["welcome"]


def welcome(setting: Setting) -> Outcome:
    """Counts and degrees."""
    graph = setting.graph
    f = graph.features
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
    figures = [Figure(lambda width: _degrees(f.degree_counts, width))] if graph.n else []
    return Outcome(Section("The graph", text, facts, figures))


def _degrees(counts: Any, width: float) -> Drawing:
    """Vertices by degree, in classes that double: 0, 1, 2-3, 4-7, ..."""
    rows, low, high = [], 0, 1
    while low < counts.size:
        label = f"degree {low:,}" if high - low == 1 else f"degree {low:,} to {high - 1:,}"
        rows.append((label, float(counts[low:high].sum()), "vertices"))
        low, high = high, 2 * high
    return bars(rows, "Vertices by degree", width, show.count)
