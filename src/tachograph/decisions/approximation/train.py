"""Train the advisor: fit errors and gains, calibrate on unseen families, evaluate on other graphs.

Calibration asks what matters to a user: each family of graphs in turn is left out, a model is fitted to
the rest, and the advisor chooses among the configurations that were measured on those graphs. The score
of a graph and a budget is the smallest margin from which on its choice keeps the budget. Unlike
residuals of single predictions, that takes into account that the advisor picks those that look best.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from ...journal.campaign import Record
from ...util.errors import InputError
from ...util.progress import bar
from .. import graphs as registry
from ..trainer import Quality
from ..trainer import Trainer as Base
from .calibrate import live_cases, shares_of
from .collect import KIND, Data, records, tasks, write_csv
from .model import CHOOSING_ARCS, CONSIDERED, Model, Trees, best, to_scale
from .rules import Approximation
from .state import FEATURES, FLAT_HOPS, Configuration

__all__ = ["BUDGETS", "Trainer", "Verdict", "boosted", "evaluate", "fit", "fitted", "to_test"]
__all__ += ["trees_of"]

BUDGETS = (0.01, 0.02, 0.05, 0.1, 0.2)  # that are calibrated for
JUDGED_BUDGETS = (0.01, 0.05, 0.1, 0.2)
ROUNDING = 1e-9  # of places on the scale of errors: a margin just above a place
QUANTILES = 1000  # of the shortfall that are kept: as good as all of them
#: Where leaving out more cannot make the answer better: the sign of the error's dependence.
MONOTONIC = {
    "log_iterations": -1, "iterations_per_hop": -1, "vertices_below": 1, "arcs_below": 1,
    "vertices_above": 1, "arcs_above": 1, "arcs_left": -1, "fraction": -1,
    "covered": -1, "reach": -1,
}  # fmt: skip
#: The sizes of the trees that advise; those of the paper's scenarios are larger.
ADVISING: dict[str, float] = {
    "learning_rate": 0.06, "max_leaf_nodes": 10, "min_samples_leaf": 12, "l2_regularization": 1.0,
}  # fmt: skip
Numbers = NDArray[np.float64]


class Regressor(Protocol):
    """What is needed of scikit-learn's regressors."""

    def fit(self, rows: Numbers, targets: Numbers) -> object: ...
    def predict(self, rows: Numbers) -> Numbers: ...


def boosted(monotonic: bool, **options: float) -> Regressor:
    """Our regressor: boosted trees on histograms."""
    from sklearn.ensemble import HistGradientBoostingRegressor

    signs = [MONOTONIC.get(f, 0) if monotonic else 0 for f in FEATURES]
    settings = {"max_iter": 300, "learning_rate": 0.08, "max_leaf_nodes": 24,
                "min_samples_leaf": 8, "l2_regularization": 0.1}  # fmt: skip
    return cast(Regressor, HistGradientBoostingRegressor(
        monotonic_cst=signs, random_state=0, early_stopping=False, **{**settings, **options}
    ))  # fmt: skip


R = TypeVar("R", bound=Regressor)


def fitted(model: R, rows: Numbers, targets: Numbers) -> R:
    """The model, fitted by one thread: several that wait for each other crawl on a busy machine."""
    from threadpoolctl import threadpool_limits  # scikit-learn brings it

    with threadpool_limits(limits=1):
        model.fit(rows, targets)
    return model


def trees_of(model: Regressor) -> Trees:
    """The arrays of fitted boosted trees."""
    # scikit-learn has no public door to these; a test compares the predictions
    boosts, constant = (vars(model)[k] for k in ("_predictors", "_baseline_prediction"))
    roots: list[int] = []
    nodes: list[tuple[int, float, int]] = []  # feature, value and left child
    for (tree,) in boosts:
        roots.append(len(nodes))
        order = [0]  # old places in the new order: children side by side, behind their parent
        for place in order:
            node = tree.nodes[place]
            if node["is_leaf"]:
                nodes.append((-1, float(node["value"]), 0))
            else:
                after = roots[-1] + len(order)
                nodes.append((int(node["feature_idx"]), float(node["num_threshold"]), after))
                order += [int(node["left"]), int(node["right"])]
    feature, value, left = map(np.array, zip(*nodes, strict=True))
    return Trees(np.array(roots), feature, value, left, constant.ravel())


def _fit(data: Data) -> tuple[Regressor, Regressor]:
    rows = data.ours
    error = fitted(boosted(True, **ADVISING), rows, to_scale(data.column("error")))
    return error, fitted(boosted(False, **ADVISING), rows, np.log(data.column("gain")))


def _cases(data: Data) -> Iterator[tuple[str, Data]]:
    """The configurations of each graph and source."""
    for graph in dict.fromkeys(data.column("graph").tolist()):
        own = data.only(graph=graph)
        for source in dict.fromkeys(own.column("source").tolist()):
            yield graph, own.only(source=source)


def _considered(data: Data) -> Data:
    """The configurations of a kind that the advisor proposes."""

    def proposed(r: Record) -> bool:
        a, f = r["approximation"], r["features"]
        flat = a["iterations"] is None or 2 ** f["log_diameter"] <= FLAT_HOPS
        whole = a["fraction"] == 1 and a["atomic"] and not f["owned"]
        return bool(r["algorithm"] in CONSIDERED and whole and flat)

    return Data([r for r in data.records if proposed(r)])


def _score(level: Numbers, gain: Numbers, error: Numbers, budget: float) -> float:
    """The smallest margin from which on the choice keeps the budget."""
    leaves = to_scale(budget) - level  # the margin up to which a configuration is allowed
    needed = 0.0
    for margin in leaves[(error > budget) & (leaves >= 0)]:
        chosen = best(np.where(leaves >= margin, 0.0, np.inf), gain, budget)
        if chosen is not None and error[chosen] > budget:
            needed = max(needed, float(margin) + ROUNDING)
    return needed


def fit(known: Data) -> Model:
    """Fit a model to configurations that the advisor proposes; calibrate it by leaving out families."""
    families = {r["family"] for r in known.records}
    scores, short = [], []
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
    card = {"configurations": len(known), "budgets": BUDGETS}
    shortfall = np.quantile(short, np.linspace(0, 1, min(len(short), QUANTILES)))
    return Model(trees_of(error_model), trees_of(gain_model), np.sort(scores), shortfall, card)


@dataclass(frozen=True)
class Verdict:
    """What the advisor's choice did on one graph with one budget, beside the best that was measured."""

    graph: str
    budget: float
    chosen: str
    error: float
    gain: float  # 1 if exact was chosen
    best_gain: float  # of the measured configurations that keep the budget

    @property
    def kept(self) -> bool:
        """Whether the error was within the budget."""
        return self.error <= self.budget


def evaluate(model: Model, data: Data, confidence: float = 0.9) -> list[Verdict]:
    """The advisor's choices among the measured configurations of each graph of ``data``."""
    found = []
    for graph, case in _cases(data):
        considered = _considered(case)
        error, real = considered.column("error"), considered.column("gain")
        for budget in JUDGED_BUDGETS:
            chosen = None
            if len(considered) and 2 ** case.records[0]["features"]["log_arcs"] >= CHOOSING_ARCS:
                rows = considered.ours
                upper, gain = model.errors(rows, confidence)[1], model.gains(rows, confidence)[0]
                chosen = best(upper, gain, budget)
            name, wrong, gained = "exact", 0.0, 1.0
            if chosen is not None:
                record = considered.records[chosen]
                left_out = Approximation(**record["approximation"])
                name = str(Configuration(record["algorithm"], left_out))
                wrong, gained = float(error[chosen]), float(real[chosen])
            within = case.column("gain")[case.column("error") <= budget]
            most = max(1.0, float(within.max(initial=0)))
            found.append(Verdict(graph, budget, name, wrong, gained, most))
    return found


def to_test(data: Data) -> Data:
    """What was measured on graphs that neither a model nor a constant has seen."""
    names = set(data.column("graph").tolist())
    unseen = {name for name in names if not registry.seen_by("approximation", name)}
    return data.only(held_out=True, graph=unseen - set(registry.names_of("approximation", "tune")))


@dataclass(frozen=True)
class Trainer(Base["Model"]):
    """Learn speedup and error of approximate shortest paths on this machine.

    Measuring can be stopped and goes on where it was. The model is fitted to some graphs and evaluated
    on others; real graphs take part if $TACHOGRAPH_DATA has them.

    [bold]Examples[/bold]

    tacho train approximation

    tacho train approximation --budget 0 --csv measurements.csv
    """

    budget: float = math.inf
    size: float = field(default=1.0, metadata={"help": "Share of the usual configurations."})
    csv: Path | None = field(
        default=None, metadata={"help": "Write the measurements to this file."}
    )

    name, kind, measures = "approximation", KIND, "collect:measure_block"
    state = FEATURES
    fewest = (5, 1)

    def choose(self) -> list[str]:
        """Return the graphs to measure; those that the model is not fitted to, too."""
        known = registry.present(registry.names_of(self.name, *registry.PARTS))
        for name in self.graphs or ():
            if name not in known and not registry.exists(name):
                raise InputError(
                    f"there is no graph {name!r}: name a file, a data set, a generator with its "
                    f"arguments, or one of {', '.join(known)}"
                )
        return known if self.graphs is None else list(self.graphs)

    def collect(self, names: Sequence[str]) -> list[Record]:
        """Measure what the journal does not have yet, and return all that it has then."""
        if not 0 < self.size <= 1:
            raise InputError(f"size = {self.size} is a share: above 0, at most 1")
        self.measured(list(tasks(names, self.size, self.runner.run)))
        found = records()
        if self.csv is not None:
            write_csv(found, self.csv)
        return found

    def used(self, records: list[Record]) -> list[Record]:
        """Return the configurations that the advisor proposes, of graphs that are not held out."""
        return _considered(Data(records).only(held_out=False)).records

    def fit(self, records: list[Record]) -> Model:
        """Fit and calibrate; budgets are calibrated on live calls, on graphs to tune, too."""
        if not self.runner.run:  # nothing can be called: what is proved counts in full
            return fit(Data(records))
        names = sorted({r["graph"] for r in records})
        if self.graphs is None:
            names += registry.present(registry.names_of(self.name, "tune"))
        cases = live_cases(names, self.runner.run, self.executor)
        return replace(fit(Data(records)), shares=shares_of(cases))

    def evaluate(self, model: Model, records: list[Record]) -> Quality:
        """Return, for each budget, how the advisor does on graphs that are held out."""
        verdicts = evaluate(model, to_test(Data(records)))
        budgets = JUDGED_BUDGETS if verdicts else ()
        return [_summary(b, [v for v in verdicts if v.budget == b]) for b in budgets]

    def facts(self, model: Model) -> Record:
        """Return what the model was calibrated with."""
        return model.card


def _summary(budget: float, found: list[Verdict]) -> Record:
    """One row: how often the budget was kept, and what was gained."""
    return {
        "budget": budget,
        "searches": len(found),
        "kept": sum(v.kept for v in found),
        "exact": sum(v.chosen == "exact" for v in found),
        "median gain": round(float(np.median([v.gain for v in found])), 3),
        "least gain": round(min(v.gain for v in found), 3),
        "time to best, median": round(float(np.median([v.best_gain / v.gain for v in found])), 3),
    }
