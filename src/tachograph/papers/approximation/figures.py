"""Figures 2 to 15, drawn from what was measured here, and the Pareto front: files, and one page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np

from ...decisions.approximation.collect import Data
from ...decisions.approximation.rules import METHODS
from ...plots import numbers as show
from ...plots.axes import Axis
from ...plots.charts import Series, boxes, xy
from ...plots.drawing import NARROW, Drawing, stacked
from ...plots.report.page import Figure, Section, write_page
from ..reproduce import Record, Settings, Table
from .models import FEWEST_CONFIGURATIONS, MODELS, OURS, measurements, paper_data, scenario

__all__ = ["figures"]

SEARCHES = ("bellman-ford", "dijkstra", "hybrid", "delta-stepping")
SHOWN_METHODS = list(METHODS)[:4]
#: A configuration that leaves nothing out.
EXACT = {"iterations": None, "min_degree": 0, "max_degree": None, "fraction": 1.0, "atomic": True}
#: How a degree is shown on an axis that graphs share: the vertices it leaves out, and digits.
LEFT_OUT = {
    "min_degree": ("vertices_below", "vertices with fewer arcs, %", 0),
    "max_degree": ("vertices_above", "vertices with more arcs, %", 1),
}
SPEEDUP, ERROR = Axis("speedup"), Axis("inaccuracy", show.percent)


def _alone(data: Data, method: str) -> Data:
    """Return the configurations that use only this method."""

    def only(record: Record) -> bool:
        choice = record["approximation"]
        return all((choice[k] != v) == (k == method) for k, v in EXACT.items())

    return Data([r for r in data.records if only(r)])


def _places(part: Data, method: str) -> tuple[np.ndarray, str]:
    """Return where configurations stand on the axis of a method, and its label."""
    if method not in LEFT_OUT:
        return np.array([r["approximation"][method] for r in part.records], float), method
    feature, label, digits = LEFT_OUT[method]
    shares = np.array([r["features"][feature] for r in part.records])
    return (100 * shares).round(digits), label


def curves(data: Data) -> Drawing | None:
    """Draw speedup and inaccuracy by parameter, means over the Kronecker graphs."""
    own = data.only(family="kronecker", algorithm="bellman-ford", hub=True)
    made = []
    for method in SHOWN_METHODS:
        part = _alone(own, method)
        if not len(part):
            continue
        values, label = _places(part, method)
        lines = []
        for name, column in (("speedup", "speedup"), ("inaccuracy", "error")):
            means = [(v, part.column(column)[values == v].mean()) for v in np.unique(values)]
            lines.append(Series(name, means, right=name == "inaccuracy"))
        made.append(xy(METHODS[method], lines, (Axis(label), SPEEDUP, ERROR), NARROW))
    return stacked(made, columns=2) if made else None


def algorithms(data: Data) -> Drawing | None:
    """Draw the algorithms on the largest graph that all were measured on."""
    kronecker = data.only(family="kronecker", hub=True)
    have = [{r["graph"] for r in kronecker.only(algorithm=a).records} for a in SEARCHES]
    shared = [r for r in kronecker.records if r["graph"] in set.intersection(*have)]
    if not shared:
        return None
    graph = max(shared, key=lambda r: r["n"])["graph"]
    made = []
    for column, axis in (("speedup", SPEEDUP), ("error", ERROR)):
        for method in SHOWN_METHODS:
            lines = []
            for name in SEARCHES:
                part = _alone(kronecker.only(graph=graph, algorithm=name), method)
                points = [(r["approximation"][method], r[column]) for r in part.records]
                lines.append(Series(name, sorted(points)))
            made.append(xy(f"{METHODS[method]}, {graph}", lines, (Axis(method), axis), NARROW))
    return stacked(made, columns=len(SHOWN_METHODS))


def scatter(name: str, data: Data) -> Drawing | None:
    """Draw observed against predicted values."""
    part = paper_data(data)[name]
    if len(part) < FEWEST_CONFIGURATIONS:
        return None
    made = {}
    axes = Axis("observed"), Axis("predicted")
    for model, output, wanted, found in scenario(part, name):
        if output != "joint":
            dots = Series(model, list(zip(wanted, found, strict=True)), "dots")
            equal = Series("", [(0.0, 0.0), (1.0, 1.0)], "curve", role="axis")
            made[output, model] = xy(f"{model}, {output}", [equal, dots], axes, NARROW)
    order = [(o, m) for o in ("inaccuracy", "speedup") for m in (*MODELS, OURS)]
    return stacked([made[key] for key in order], columns=(len(MODELS) + 1) // 2)


def errors(name: str, data: Data) -> Drawing | None:
    """Draw how far predictions are off, by model."""
    part = paper_data(data)[name]
    if len(part) < FEWEST_CONFIGURATIONS:
        return None
    off: dict[str, dict[str, list[float]]] = {"inaccuracy": {}, "speedup": {}}
    for model, output, wanted, found in scenario(part, name):
        if output in off:
            off[output][model] = np.abs(found - wanted).tolist()
    axis = Axis("prediction error, part of the range", show.percent)
    return stacked([boxes(output, own, axis, NARROW) for output, own in off.items()], columns=2)


def pareto(data: Data) -> Drawing | None:
    """Draw gain over the fastest exact search against inaccuracy, on the largest Kronecker graph."""
    kronecker = data.only(family="kronecker", hub=True)
    if not len(kronecker):
        return None
    graph = max(kronecker.records, key=lambda r: r["n"])["graph"]
    own = kronecker.only(graph=graph)
    parts = {name: own.only(algorithm=name).records for name in SEARCHES}
    series = [
        Series(name, [(r["error"], r["gain"]) for r in part], "dots")
        for name, part in parts.items()
        if part
    ]
    series.append(Series("Pareto front", pareto_front(own), "steps", role="ink"))
    axes = Axis("inaccuracy", show.percent), Axis("times as fast as the fastest exact search")
    return xy(graph, series, axes, height=300)


def pareto_front(data: Data) -> list[tuple[float, float]]:
    """Return the errors and gains that nothing beats in both, by rising error, from exact on."""
    front = [(0.0, 1.0)]
    for error, gain in sorted((r["error"], r["gain"]) for r in data.records):
        if gain > front[-1][1]:
            front.append((error, gain))
    return front


FIGURES: dict[str, tuple[str, Callable[[Data], Drawing | None]]] = {
    "methods": ("Figures 2, 4, 6, 8: speedup and inaccuracy by method", curves),
    "algorithms": ("Figures 3, 5, 7, 9: the algorithms compared", algorithms),
    "large": ("Figures 10, 11: the largest graph, predicted", partial(scatter, "large")),
    "real": ("Figures 12, 13: road networks, predicted", partial(scatter, "real")),
    "large-errors": ("Figure 14: prediction errors, largest graph", partial(errors, "large")),
    "real-errors": ("Figure 15: prediction errors, road networks", partial(errors, "real")),
    "pareto": ("The Pareto front", pareto),
}


def _same(drawing: Drawing, width: float) -> Drawing:
    return drawing


def figures(settings: Settings) -> Iterator[Table]:
    """Draw them into ``settings.output``, or into the current directory."""
    data = measurements(settings)
    where = settings.output or Path()
    rows, sections = [], []
    for name, (title, draw) in FIGURES.items():
        drawing = draw(data)
        if drawing is None:
            rows.append([title, "too little was measured"])
            continue
        path = where / f"sssp-{name}.svg"
        drawing.save(path)
        rows.append([title, str(path)])
        sections.append(Section(title, figures=[Figure(partial(_same, drawing))]))
    page = where / "sssp-figures.html"
    write_page(page, "Approximate shortest paths", sections)
    rows.append(["All on one page", str(page)])
    measured = [f"{len(data):,} measured configurations"]
    yield Table("Figures", ["figure", "file"], rows, measured)
