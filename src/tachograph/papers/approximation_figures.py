"""Figures 2 to 15 of the paper on approximate shortest paths, drawn from what was measured here, and
the Pareto front: PNG files, and a page that holds them all.
"""

from __future__ import annotations

import base64
import html
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..decisions.approximation.collect import Data
from ..decisions.approximation.rules import METHODS
from ..graph.files.streams import aside
from ..plots.figures import new_figure
from .approximation import FEWEST, measurements, paper_data
from .approximation_models import MODELS, OURS, scenario
from .reproduce import Settings, Table

__all__ = ["figures"]

ALGORITHMS = ("bellman-ford", "dijkstra", "hybrid", "delta-stepping")


def _axes(rows: int, columns: int) -> tuple[Any, list[Any]]:
    figure, axes = new_figure(rows, columns, figsize=(4.2 * columns, 3.4 * rows))
    return figure, list(np.ravel(axes))


def _alone(data: Data, method: str) -> Data:
    """The configurations that use only this method."""
    off = {"iterations": None, "min_degree": 0, "max_degree": None, "fraction": 1.0, "atomic": True}

    def only(r: dict[str, Any]) -> bool:
        a = r["approximation"]
        return all((a[k] != v) == (k == method) for k, v in off.items())

    return Data([r for r in data.records if only(r)])


#: How a degree is shown on an axis that is shared by graphs: the vertices it leaves out, and digits.
LEFT_OUT = {
    "min_degree": ("vertices_below", "vertices with fewer arcs, %", 0),
    "max_degree": ("vertices_above", "vertices with more arcs, %", 1),
}


def _places(part: Data, method: str) -> tuple[np.ndarray, str]:
    """Where configurations stand on the axis of a method, and its label."""
    if method not in LEFT_OUT:
        return np.array([r["approximation"][method] for r in part.records], float), method
    feature, label, digits = LEFT_OUT[method]
    shares = np.array([r["features"][feature] for r in part.records])
    return (100 * shares).round(digits), label


def curves(data: Data) -> Any:
    """Figures 2, 4, 6 and 8: speedup and inaccuracy by parameter, means over the Kronecker graphs."""
    figure, axes = _axes(2, 2)
    own = data.only(family="kronecker", algorithm="bellman-ford", hub=True)
    for axis, method in zip(axes, list(METHODS)[:4], strict=True):
        part = _alone(own, method)
        axis.set_title(METHODS[method])
        if not len(part):
            continue
        values, label = _places(part, method)
        known = np.unique(values)
        means = {
            k: [part.column(k)[values == v].mean() for v in known] for k in ("speedup", "error")
        }
        axis.plot(known, means["speedup"], "o-", color="tab:blue", label="speedup")
        axis.set_ylabel("speedup")
        axis.set_xlabel(label)
        twin = axis.twinx()
        twin.plot(known, 100 * np.array(means["error"]), "s--", color="tab:red")
        twin.set_ylabel("inaccuracy, % (red)")
    return figure


def algorithms(data: Data) -> Any:
    """Figures 3, 5, 7 and 9: the algorithms on the largest graph that all were measured on."""
    figure, axes = _axes(2, 4)
    kronecker = data.only(family="kronecker", hub=True)
    all_of_them = [{r["graph"] for r in kronecker.only(algorithm=a).records} for a in ALGORITHMS]
    shared = set.intersection(*all_of_them)
    if not shared:
        return None
    graph = max((r for r in kronecker.records if r["graph"] in shared), key=lambda r: r["n"])[
        "graph"
    ]
    for k, method in enumerate(list(METHODS)[:4]):
        for algorithm in ALGORITHMS:
            part = _alone(kronecker.only(graph=graph, algorithm=algorithm), method)
            at = np.array([r["approximation"][method] for r in part.records], float)
            order = np.argsort(at)
            for row, name in enumerate(("speedup", "error")):
                axes[4 * row + k].plot(at[order], part.column(name)[order] if len(part) else [],
                                       "o-", label=algorithm)  # fmt: skip
        axes[k].set_title(f"{METHODS[method]}, {graph}")
        axes[k].set_ylabel("speedup")
        axes[4 + k].set_ylabel("inaccuracy")
        axes[4 + k].set_xlabel(method)
    axes[0].legend()
    return figure


def scatter(data: Data, name: str) -> Any:
    """Figures 10 to 13: observed against predicted values."""
    part = paper_data(data)[name]
    if len(part) < FEWEST:
        return None
    figure, axes = _axes(2, len(MODELS) + 1)
    order = (*MODELS, OURS)
    for model, output, wanted, found in scenario(part, name):
        if output == "joint":
            continue
        axis = axes[order.index(model) + (len(order) if output == "speedup" else 0)]
        axis.plot(wanted, found, ".", alpha=0.5)
        axis.plot([0, 1], [0, 1], color="grey", linewidth=1)
        axis.set_title(f"{model}, {output}")
        axis.set_xlabel("observed")
        axis.set_ylabel("predicted")
    return figure


def errors(data: Data, name: str) -> Any:
    """Figures 14 and 15: how far predictions are off, by model."""
    part = paper_data(data)[name]
    if len(part) < FEWEST:
        return None
    figure, axes = _axes(1, 2)
    off: dict[str, list[np.ndarray]] = {"inaccuracy": [], "speedup": []}
    for _, output, wanted, found in scenario(part, name):
        if output in off:
            off[output].append(100 * np.abs(found - wanted))
    for axis, (output, boxes) in zip(axes, off.items(), strict=True):
        axis.boxplot(boxes, tick_labels=[*MODELS, OURS], showfliers=False)
        axis.set_title(output)
        axis.set_ylabel("prediction error, % of the range")
    return figure


def pareto(data: Data) -> Any:
    """Gain over the fastest exact search against inaccuracy, on the largest Kronecker graph."""
    kronecker = data.only(family="kronecker", hub=True)
    graph = max(kronecker.records, key=lambda r: r["n"])["graph"]
    figure, (axis,) = _axes(1, 1)
    for algorithm in ALGORITHMS:
        part = kronecker.only(graph=graph, algorithm=algorithm)
        if len(part):
            axis.plot(100 * part.column("error"), part.column("gain"), ".", label=algorithm)
    front = pareto_front(kronecker.only(graph=graph))
    axis.step([100 * e for e, _ in front], [g for _, g in front], where="post", color="black",
              label="Pareto front")  # fmt: skip
    axis.set_title(graph)
    axis.set_xlabel("inaccuracy, %")
    axis.set_ylabel("times as fast as the fastest exact search")
    axis.legend()
    return figure


def pareto_front(data: Data) -> list[tuple[float, float]]:
    """Errors and gains that nothing beats in both, by rising error; begins with exact."""
    front = [(0.0, 1.0)]
    for error, gain in sorted((r["error"], r["gain"]) for r in data.records):
        if gain > front[-1][1]:
            front.append((error, gain))
    return front


FIGURES: dict[str, tuple[str, Callable[[Data], Any]]] = {
    "methods": ("Figures 2, 4, 6, 8: speedup and inaccuracy by method", curves),
    "algorithms": ("Figures 3, 5, 7, 9: the algorithms compared", algorithms),
    "large": ("Figures 10, 11: the largest graph, predicted", lambda d: scatter(d, "large")),
    "real": ("Figures 12, 13: road networks, predicted", lambda d: scatter(d, "real")),
    "large-errors": ("Figure 14: prediction errors, largest graph", lambda d: errors(d, "large")),
    "real-errors": ("Figure 15: prediction errors, road networks", lambda d: errors(d, "real")),
    "pareto": ("The Pareto front", pareto),
}


def figures(settings: Settings) -> Iterator[Table]:
    """Draw them into ``settings.output``, or into the current directory."""
    data = measurements(settings)
    where = settings.output or Path()
    rows, page = [], []
    for name, (title, draw) in FIGURES.items():
        figure = draw(data)
        if figure is None:
            rows.append([title, "too little was measured"])
            continue
        path = where / f"sssp-{name}.png"
        with aside(path) as temporary:
            figure.savefig(temporary, format="png", dpi=110)
        rows.append([title, str(path)])
        image = base64.b64encode(path.read_bytes()).decode()
        page.append(f"<h2>{html.escape(title)}</h2><img src='data:image/png;base64,{image}'>")
    report = where / "sssp-figures.html"
    with aside(report) as temporary:
        temporary.write_text(
            "<!doctype html><meta charset='utf-8'><title>Approximate shortest paths</title>"
            f"<h1>Approximate shortest paths</h1>{''.join(page)}",
            encoding="utf-8",
        )
    rows.append(["All on one page", str(report)])
    yield Table("Figures", ["figure", "file"], rows,
                [f"{len(data):,} measured configurations"])  # fmt: skip
