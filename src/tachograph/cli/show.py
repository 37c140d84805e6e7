"""Tables and charts for people."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from ..graph.datasets import DataSet
    from ..graph.graph import Graph

__all__ = ["datasets_table", "degree_classes", "features_table", "histogram"]

BAR_LETTERS = 40  # of the longest bar
LICENCE_LETTERS = 12  # of a licence that are worth showing


def features_table(graph: Graph) -> Table:
    """Return two columns: what was measured, and its value."""
    f = graph.features
    low = "" if graph.directed else " (each edge counted at both ends)"
    rows = [
        ("vertices", f"{f.n:,}"),
        ("edges", f"{f.m:,}"),
        ("degree, mean", f"{f.mean_degree:.2f}{low}"),
        ("degree, least to most", f"{f.min_degree:,} to {f.max_degree:,}"),
        ("degree, variance", f"{f.degree_variance:,.1f}"),
        ("Gini index of degrees", f"{f.gini:.3f}"),
        ("hub probability", f"{f.hub_probability:.3f} (sampled {f.hub_probability_sampled:.3f})"),
        ("isolated vertices", f"{f.isolated_share:.1%}"),
        ("self-loops", f"{f.self_loops:,}"),
        ("reciprocity", f"{f.reciprocity:.3f}"),
        ("diameter, at least", f"{f.diameter:,}"),
    ]
    if w := f.weights:
        rows.append(
            ("weights", f"{w['min']:g} to {w['max']:g}, mean {w['mean']:.6g}, std {w['std']:.6g}")
        )
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    for name, value in rows:
        table.add_row(Text(name, style="cyan"), value)
    return table


def degree_classes(counts: np.ndarray) -> list[tuple[str, int]]:
    """Count vertices by degree, in classes that double.

    >>> degree_classes(np.array([1, 4, 3, 2]))
    [('0', 1), ('1', 4), ('2–3', 5)]
    """
    made, low, high = [], 0, 1
    while low < counts.size:
        label = f"{low:,}" if high - low == 1 else f"{low:,}–{high - 1:,}"
        made.append((label, int(counts[low:high].sum())))
        low, high = high, 2 * high
    return made


def histogram(counts: np.ndarray) -> Table:
    """Draw the classes of degrees with bars of letters."""
    classes = degree_classes(counts)
    most = max((total for _, total in classes), default=0) or 1
    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("degree", justify="right", style="cyan")
    table.add_column("vertices", justify="right")
    table.add_column("")
    for label, total in classes:
        bar = "█" * round(BAR_LETTERS * total / most) or ("▏" if total else "")
        table.add_row(label, f"{total:,}", Text(bar, "green"))
    return table


def datasets_table(found: Iterable[DataSet], width: int) -> Table:
    """Return a row for each data set; the last columns are cut or left out if they do not fit."""
    rows = [
        (
            d.name,
            "" if d.vertices is None else f"{d.vertices:,}",
            "" if d.edges is None else f"{d.edges:,}",
            "yes" if d.directed else "no",
            "yes" if d.file is not None else "",
            d.kind,
            " ".join(d.papers),
            d.licence,
        )
        for d in found
    ]
    names = ("name", "vertices", "edges", "directed", "here", "kind", "papers", "licence")
    table = Table(box=None, padding=(0, 2, 0, 0))
    room = width
    shown = 0
    for i, name in enumerate(names):
        needed = max([len(name), *(len(row[i]) for row in rows)])
        needed = min(needed, max(room - 2, LICENCE_LETTERS)) if name == "licence" else needed
        if room < needed + 2:
            break
        right = name in ("vertices", "edges")
        table.add_column(name, justify="right" if right else "left", no_wrap=True, max_width=needed)
        room -= needed + 2
        shown += 1
    for row in rows:
        table.add_row(Text(row[0], style="cyan"), *row[1:shown])
    return table
