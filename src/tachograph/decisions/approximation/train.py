"""Fits the model that advises, calibrates it on graphs it has not seen, and evaluates it on others.

Calibration asks what matters to a user: each family of graphs in turn is left out, a model is fitted to
the rest, and the advisor chooses among the configurations that were measured on those graphs. The score
of a graph and a budget is the smallest margin from which on its choice keeps the budget. Unlike
residuals of single predictions, that takes into account that the advisor picks those that look best.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...util.errors import InputError
from ...util.progress import bar
from ..trees import Trees
from .advisor import CHOICES, QUICK, best
from .model import Model, from_scale, to_scale
from .models import boosted, fitted
from .state import DEEP
from .tables import Data

__all__ = ["BUDGETS", "Verdict", "evaluate", "train", "trees_of"]

BUDGETS = (0.01, 0.02, 0.05, 0.1, 0.2)
MARGINS = np.linspace(0, 6, 121)
LEAST = 5  # graphs to learn from
SIZE: dict[str, Any] = {
    "max_iter": 300, "learning_rate": 0.06, "max_leaf_nodes": 10, "min_samples_leaf": 12,
    "l2_regularization": 1.0,
}  # fmt: skip


def trees_of(model: Any) -> Trees:
    """The arrays of fitted boosted trees."""
    # scikit-learn has no public door to these; a test compares the predictions
    feature: list[int] = []
    value: list[float] = []
    left: list[int] = []
    roots: list[int] = []
    for (tree,) in model._predictors:
        nodes = tree.nodes
        base = len(feature)
        roots.append(base)
        order = [0]  # old places in the new order: children side by side, behind their parent
        feature.append(-1)
        value.append(0.0)
        left.append(0)
        done = 0
        while done < len(order):
            node = nodes[order[done]]
            if node["is_leaf"]:
                value[base + done] = float(node["value"])
            else:
                feature[base + done] = int(node["feature_idx"])
                value[base + done] = float(node["num_threshold"])
                left[base + done] = base + len(order)
                order += [int(node["left"]), int(node["right"])]
                feature += [-1, -1]
                value += [0.0, 0.0]
                left += [0, 0]
            done += 1
    constant = np.asarray(model._baseline_prediction, float).ravel()
    return Trees(np.array(roots), np.array(feature), np.array(value), np.array(left), constant)


def _fit(data: Data) -> tuple[Any, Any]:
    rows = data.ours
    error = fitted(boosted(True, **SIZE), rows, to_scale(data.column("error")))
    return error, fitted(boosted(False, **SIZE), rows, np.log(data.column("gain")))


def _cases(data: Data) -> Iterator[tuple[str, Data]]:
    """The configurations of each graph and source."""
    for graph in dict.fromkeys(data.column("graph").tolist()):
        own = data.only(graph=graph)
        for source in dict.fromkeys(own.column("source").tolist()):
            yield graph, own.only(source=source)


def _considered(data: Data) -> Data:
    """The configurations of a kind that the advisor proposes."""
    return Data([
        r for r in data.records
        if r["algorithm"] in CHOICES and r["approximation"]["fraction"] == 1
        and r["approximation"]["atomic"] and not r["features"]["owned"]
        and (r["approximation"]["iterations"] is None or 2 ** r["features"]["log_diameter"] <= DEEP)
    ])  # fmt: skip


def _score(level: np.ndarray, gain: np.ndarray, error: np.ndarray, budget: float) -> float:
    """The smallest margin from which on the choice keeps the budget."""
    needed = 0.0
    for margin in MARGINS:
        chosen = best(from_scale(level + margin), gain, budget)
        if chosen is not None and error[chosen] > budget:
            needed = float(margin) + MARGINS[1]
    return needed


def train(data: Data) -> Model:
    """A model fitted to records that are not held out, calibrated by leaving out families.

    Raises
    ------
    InputError
        If there are too few graphs to learn from.
    """
    known = _considered(data.only(held_out=False))
    graphs = list(dict.fromkeys(known.column("graph").tolist())) if len(known) else []
    if len(graphs) < LEAST:
        raise InputError(
            f"there are measurements of {len(graphs)} graphs, and {LEAST} are needed: "
            "run tacho train approximation without --no-collect"
        )
    scores, short = [], []
    families = set(known.column("family").tolist()) if len(known) else set()
    with bar("calibrating", len(families) + 1) as shown:
        for left_out in sorted(families):
            error_model, gain_model = _fit(known.only(family=families - {left_out}))
            for _, case in _cases(known.only(family=left_out)):
                rows = case.ours
                level, gain = error_model.predict(rows), gain_model.predict(rows)
                error = case.column("error")
                scores += [_score(level, np.exp(gain), error, b) for b in BUDGETS]
                short += (gain - np.log(case.column("gain"))).tolist()
            shown.advance(1)
        error_model, gain_model = _fit(known)
    card = {"graphs": graphs, "configurations": len(known), "budgets": BUDGETS}
    # a thousand quantiles say as much as all of them
    shortfall = np.quantile(short, np.linspace(0, 1, min(len(short), 1000)))
    return Model(trees_of(error_model), trees_of(gain_model), np.sort(scores), shortfall, card)


@dataclass(frozen=True)
class Verdict:
    """What the advisor's choice did on one graph with one budget, beside the best that was measured."""

    graph: str
    source: int
    budget: float
    chosen: str
    error: float
    gain: float  # 1 if exact was chosen
    best_gain: float  # of the measured configurations that keep the budget

    @property
    def kept(self) -> bool:
        """Whether the error was within the budget."""
        return self.error <= self.budget


def evaluate(
    model: Model,
    data: Data,
    confidence: float = 0.9,
    budgets: tuple[float, ...] = (0.01, 0.05, 0.1, 0.2),
) -> list[Verdict]:
    """The advisor's choices among the measured configurations of each graph of ``data``."""
    found = []
    for graph, case in _cases(data):
        considered = _considered(case)
        error, real = considered.column("error"), considered.column("gain")
        for budget in budgets:
            chosen = None
            if len(considered) and 2 ** case.records[0]["features"]["log_arcs"] >= QUICK:
                rows = considered.ours
                upper, gain = model.errors(rows, confidence)[1], model.gains(rows, confidence)[0]
                chosen = best(upper, gain, budget)
            within = case.column("gain")[case.column("error") <= budget]
            found.append(
                Verdict(
                    graph=graph,
                    source=int(case.records[0]["source"]),
                    budget=budget,
                    chosen="exact" if chosen is None else _described(considered.records[chosen]),
                    error=0.0 if chosen is None else float(error[chosen]),
                    gain=1.0 if chosen is None else float(real[chosen]),
                    best_gain=max(1.0, float(within.max(initial=0))),
                )
            )
    return found


def _described(record: dict[str, Any]) -> str:
    from .methods import Approximation

    return f"{record['algorithm']}, {Approximation(**record['approximation'])}"
