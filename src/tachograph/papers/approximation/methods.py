"""Figures 1 to 9: the paper's algorithms as the paper runs them, exactly and with each method alone.

Algorithms run *faithfully* (``tg.sssp(..., faithful=True)``): with a mask over all vertices, scans
until nothing changes, thresholds that have to be exceeded. A time is the mean of ten runs without the
shortest and the longest, as in the paper; an error is the mean over the random choices.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from ...decisions.approximation.collect import Search, trimmed
from ...decisions.approximation.rules import METHODS, Approximation, inaccuracy
from ...decisions.approximation.state import State
from ...graph.graph import Graph
from ...plots import numbers as show
from ...plots.axes import Axis
from ...plots.charts import Series, xy
from ...plots.drawing import NARROW, Drawing, stacked
from ...plots.report.page import Figure, Section, write_page
from ...tasks.measure import run
from ...util.memory import available
from ..published import published
from ..reproduce import Cell, Record, Settings, Table, measure
from .tables import about_graphs, graph_of

__all__ = ["FIGURES_BY_METHOD", "method_figures", "of_method", "scales"]

ALGORITHMS = ("bellman-ford", "dijkstra", "hybrid")
RUNS = 10  # of each configuration, as in the paper
SCALES, FULL_SCALES = (11, 12, 13), (19, 20, 21, 22, 23, 24)
EDGE_FACTOR, BYTES_PER_ARC = 16, 40  # with what a search and its rows need
SHARES = (1.0, 0.75, 0.5, 0.25)
#: The paper's figures by method: means over graphs, and the algorithms on the largest one.
FIGURES_BY_METHOD = {
    "iterations": ("2", "3"),
    "min_degree": ("4", "5"),
    "max_degree": ("6", "7"),
    "fraction": ("8", "9"),
}


def scales(full: bool) -> tuple[tuple[int, ...], str]:
    """Return the scales of Kronecker graphs that fit into memory, and what to say about it."""
    if not full:
        return SCALES, f"scales {SCALES[0]} to {SCALES[-1]}; --full: 19 to 24, as in the paper"
    free = available() or 0
    fits = [s for s in FULL_SCALES if 2 * EDGE_FACTOR * 2**s * BYTES_PER_ARC <= free]
    said = f"scales {', '.join(map(str, fits))} of the paper's 19 to 24 fit into memory"
    return tuple(fits or FULL_SCALES[:1]), said


def _choices(graph: Graph, source: np.ndarray, method: str, rounds: int) -> list[Approximation]:
    """Return the parameters of a method alone, from what leaves nothing out on."""
    least, most = State(graph, source, 1).thresholds
    if method == "iterations":
        return [Approximation(iterations=k) for k in range(rounds, 0, -1)]
    if method == "min_degree":
        return [Approximation(min_degree=d) for d in least]
    if method == "max_degree":
        return [Approximation(max_degree=d) for d in reversed(most)]
    return [Approximation(fraction=share) for share in SHARES]


def _search(graph: Graph, source: np.ndarray, algorithm: str, choice: Approximation) -> Search:
    told = {"source": source, "algorithm": algorithm, "faithful": True, "approximation": choice}
    found = run("sssp", graph, **told)
    return Search(found.distances, found.seconds, len(found.trace))  # type: ignore[attr-defined]


def of_method(name: str, algorithm: str, method: str) -> Record:
    """Return parameter, speedup and error of a method alone: a task of the campaign."""
    graph, source = graph_of(name)
    search = partial(_search, graph, source, algorithm)
    exact = search(Approximation())
    steps = exact.iterations if algorithm == "bellman-ford" else exact.iterations // 2
    rounds = max(1, (steps // 2 if algorithm == "hybrid" else steps) - 1)
    choices = _choices(graph, source, method, rounds)
    times: list[list[float]] = [[] for _ in choices]
    errors: list[list[float]] = [[] for _ in choices]
    exact_times = []
    for number in range(RUNS):
        exact_times.append(search(Approximation()).seconds)
        for k, choice in enumerate(choices):
            found = search(replace(choice, seed=number))
            times[k].append(found.seconds)
            errors[k].append(inaccuracy(exact.distances, found.distances, source).mean)
    alone = trimmed(exact_times)
    rows = [
        [float(getattr(choice, method)), alone / trimmed(t), float(np.mean(e))]
        for choice, t, e in zip(choices, times, errors, strict=True)
    ]
    return {"name": name, "algorithm": algorithm, "method": method, "rows": rows, "exact": alone}


def method_figures(settings: Settings) -> Iterator[Table]:
    """Draw figures 1 to 9 into ``settings.output``, or the current directory."""
    sizes, said = scales(settings.full)
    names = settings.graphs or tuple(f"kronecker-{scale}" for scale in sizes)
    tasks = [
        {"name": name, "algorithm": algorithm, "method": method}
        for name in names
        for algorithm in ALGORITHMS
        for method in FIGURES_BY_METHOD
    ]
    found = measure(settings, "approximation.methods:of_method", tasks)
    where = settings.output or Path()
    drawn = {"1": _times(found, names)}
    for method, (means, compared) in FIGURES_BY_METHOD.items():
        drawn[means] = _means(found, method)
        drawn[compared] = _compared(found, method, names[-1])
    rows: list[list[Cell]] = []
    sections = []
    for number, drawing in sorted(drawn.items()):
        path = where / f"sssp-figure-{number}.svg"
        drawing.save(path)
        rows.append([f"Figure {number}", str(path)])
        sections.append(Section(f"Figure {number}", figures=[Figure(partial(_same, drawing))]))
    page = where / "sssp-methods.html"
    write_page(page, "Approximation methods of the paper", sections)
    rows.append(["All on one page", str(page)])
    yield Table("Figures 1 to 9", ["figure", "file"], rows, [said])
    yield _numbers(found, names)


def _same(drawing: Drawing, width: float) -> Drawing:
    return drawing


def _times(found: list[Record], names: tuple[str, ...]) -> Drawing:
    """Draw exact times over those of Bellman-Ford, by graph."""
    alone = {(r["name"], r["algorithm"]): r["exact"] for r in found if r["method"] == "iterations"}
    lines = [
        Series(a, [(k + 1.0, alone[n, a] / alone[n, ALGORITHMS[0]]) for k, n in enumerate(names)])
        for a in ALGORITHMS
    ]
    axes = Axis("graph"), Axis("time over Bellman-Ford's")
    return xy("Exact searches", lines, axes, NARROW)


def _means(found: list[Record], method: str) -> Drawing:
    """Draw speedup and inaccuracy by parameter, means over the graphs, for each algorithm.

    The parameters of different graphs are compared by their place in their list.
    """
    made = []
    for algorithm in ALGORITHMS:
        own = [r["rows"] for r in found if (r["algorithm"], r["method"]) == (algorithm, method)]
        count = min(map(len, own))
        lines = []
        for name, column in (("speedup", 1), ("inaccuracy", 2)):
            points = [
                (k + 1.0, float(np.mean([rows[k][column] for rows in own]))) for k in range(count)
            ]
            lines.append(Series(name, points, right=name == "inaccuracy"))
        axes = Axis(f"{method}, from mild to strong"), Axis("speedup")
        error = Axis("inaccuracy", show.percent)
        made.append(xy(f"{algorithm}: {METHODS[method]}", lines, (*axes, error), NARROW))
    return stacked(made, columns=len(ALGORITHMS))


def _compared(found: list[Record], method: str, graph: str) -> Drawing:
    """Draw the algorithms on the largest graph."""
    made = []
    for name, column in (("speedup", 1), ("inaccuracy", 2)):
        lines = [
            Series(r["algorithm"], [(row[0], row[column]) for row in r["rows"]])
            for r in found
            if (r["name"], r["method"]) == (graph, method)
        ]
        axis = Axis(name, show.percent) if column == 2 else Axis(name)
        made.append(xy(f"{METHODS[method]}, {graph}", lines, (Axis(method), axis), NARROW))
    return stacked(made, columns=2)


def _numbers(found: list[Record], names: Sequence[str]) -> Table:
    """Return the fastest setting of each method, for each algorithm: means over the graphs."""
    rows: list[list[Cell]] = []
    for method, figures in FIGURES_BY_METHOD.items():
        for algorithm in ALGORITHMS:
            own = [r["rows"] for r in found if (r["algorithm"], r["method"]) == (algorithm, method)]
            best = [max(rows, key=lambda row: row[1]) for rows in own]
            numbers = [float(np.mean([row[k] for row in best])) for k in (1, 2)]
            rows.append([" and ".join(figures), METHODS[method], algorithm, *numbers])
    columns = ["figures", "method", "algorithm", "largest speedup", "its inaccuracy"]
    notes = [
        published("approximation", f"method-{k + 1}").note for k in range(len(FIGURES_BY_METHOD))
    ]
    notes.append(about_graphs(names))
    return Table("Each method alone, means over the graphs", columns, rows, notes)
