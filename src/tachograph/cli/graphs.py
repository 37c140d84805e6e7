"""``tacho info``, ``convert`` and ``datasets``: graphs in files."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from .options import GraphInput, Json, facts_table, flat, option, out, print_json, say

if TYPE_CHECKING:
    from rich.table import Table

    from ..graph.datasets import DataSet
    from ..graph.graph import Graph

__all__ = ["convert", "datasets", "degree_classes", "info"]

BAR_LETTERS = 40  # of the longest bar
LICENCE_LETTERS = 12  # of a licence that are worth showing
RIGHT = {"justify": "right"}  # how columns of numbers look


@flat
def info(graph: GraphInput, json: Json = False) -> None:
    """Measure a graph: counts, degrees, skew, loops, reciprocity, diameter, weights.

    [bold]Examples[/bold]

    tacho info web-NotreDame.txt.gz

    tacho info roads.gr --json | jq .diameter
    """
    from ..util.progress import bar

    loaded = graph.load()
    with bar("measuring"):
        measured = loaded.features.to_dict()
    if json:
        print_json({"graph": graph.graph, "directed": loaded.directed, **measured})
        return
    console = out()
    console.print(repr(loaded), style="bold")
    console.print(facts_table(_features(loaded)))
    console.print(_histogram(loaded.features.degree_counts))


def _features(graph: Graph) -> list[tuple[str, str]]:
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
        ("isolated vertices", f"{round(f.isolated_share * f.n):,}"),
        ("self-loops", f"{f.self_loops:,}"),
        ("reciprocity", f"{f.reciprocity:.3f}"),
        ("diameter, at least", f"{f.diameter:,}"),
    ]
    if w := f.weights:
        spread = f"mean {w['mean']:.6g}, std {w['std']:.6g}"
        rows.append(("weights", f"{w['min']:g} to {w['max']:g}, {spread}"))
    return rows


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


def _histogram(counts: np.ndarray) -> Table:
    """Draw the classes of degrees with bars of letters."""
    from rich.table import Table

    classes = degree_classes(counts)
    most = max((total for _, total in classes), default=0) or 1
    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("degree", justify="right", style="cyan")
    table.add_column("vertices", justify="right")
    table.add_column("", style="green")
    for label, total in classes:
        bar = "█" * round(BAR_LETTERS * total / most) or ("▏" if total else "")
        table.add_row(label, f"{total:,}", bar)
    return table


class Dedupe(StrEnum):
    """What happens to parallel edges."""

    keep = "keep"
    first = "first"
    min = "min"
    sum = "sum"


@flat
def convert(
    graph: GraphInput,
    output: Annotated[Path, typer.Argument(metavar="OUT", help="The suffix tells the format.")],
    dedupe: Dedupe = option(Dedupe.keep, "What happens to parallel edges."),
    drop_self_loops: bool = option(False, "Leave out edges to oneself.", "--drop-self-loops"),
    no_weights: bool = option(False, "Leave out the weights.", "--no-weights"),
) -> None:
    """Convert a graph file to another format.

    Formats: .txt .el .wel .gr .max .graph .mtx .sg .wsg .tntp .parquet .arrow .csv .npz .tgraph;
    text formats also with .gz .bz2 .xz .zst behind.

    [bold]Examples[/bold]

    tacho convert web-NotreDame.txt.gz web.tgraph

    tacho convert roads.gr roads.parquet --undirected --dedupe min
    """
    from ..graph.files import write

    loaded = graph.load(dedupe=dedupe.value, drop_self_loops=drop_self_loops)
    loaded = loaded.without_weights() if no_weights else loaded
    write(loaded, output)
    say(f"{output}: {loaded!r}")


@flat
def datasets(
    json: Json = False, local: bool = option(False, "Only those on this machine.", "--local")
) -> None:
    """List the data sets that can be used by name, and where they are.

    Directories in $TACHOGRAPH_DATA are searched first; other data sets are downloaded when used.

    [bold]Examples[/bold]

    TACHOGRAPH_DATA=~/graphs tacho datasets --local

    tacho info soc-Slashdot0902
    """
    from ..graph.datasets import datasets as known

    found = [d for d in known().values() if d.file is not None or not local]
    if json:
        print_json([{**asdict(d), "file": d.file and str(d.file)} for d in found])
        return
    console = out()
    console.print(_datasets_table(found, console.width))


def _datasets_table(found: Iterable[DataSet], width: int) -> Table:
    """Return a row for each data set; the last columns are cut or left out if they do not fit."""
    from rich.table import Table

    columns = {
        "name": [d.name for d in found],
        "vertices": ["" if d.vertices is None else f"{d.vertices:,}" for d in found],
        "edges": ["" if d.edges is None else f"{d.edges:,}" for d in found],
        "directed": ["yes" if d.directed else "no" for d in found],
        "here": ["yes" if d.file is not None else "" for d in found],
        "kind": [d.kind for d in found],
        "papers": [" ".join(d.papers) for d in found],
        "licence": [d.licence for d in found],
    }
    table = Table(box=None, padding=(0, 2, 0, 0))
    for name, cells in columns.items():
        needed = max(map(len, [name, *cells]))
        needed = min(needed, max(width - 2, LICENCE_LETTERS)) if name == "licence" else needed
        if width < needed + 2:
            break
        look: dict[str, Any] = {"name": {"style": "cyan"}, "vertices": RIGHT, "edges": RIGHT}
        table.add_column(name, **look.get(name, {}), no_wrap=True, max_width=needed)
        width -= needed + 2
    for row in zip(*columns.values(), strict=True):
        table.add_row(*row[: len(table.columns)])
    return table
