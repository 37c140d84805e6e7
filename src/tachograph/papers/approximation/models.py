"""What was measured, the models that the paper compares for predicting it, and ours beside them.

The paper's five (section 3.3.3) look at the paper's features; ours looks at shares of vertices and arcs
and may use that more work does not increase the error. All come from scikit-learn.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import numpy as np
from numpy.typing import NDArray

from ...decisions.approximation.collect import (
    PLAIN,
    Data,
    exact_records,
    parameters,
    records,
    signals,
)
from ...decisions.approximation.model import from_scale, to_scale
from ...decisions.approximation.state import FEATURES
from ...decisions.approximation.train import (
    MONOTONIC,
    Numbers,
    Regressor,
    Trainer,
    boosted,
    fitted,
)
from ...decisions.graphs import present
from ...tasks.measure import runner
from ..reproduce import Settings

__all__ = ["FEWEST_CONFIGURATIONS", "MODELS", "OURS", "PAPER_FEATURES", "SCENARIOS"]
__all__ += [
    "joint_score",
    "leave_family_out",
    "measurements",
    "paper_data",
    "paper_rows",
    "scenario",
    "score",
]
__all__ += ["split", "targets_of"]

#: If nothing was measured before; roads only if they are here. One worker searches smaller graphs.
FIRST_GRAPHS = tuple(f"kronecker-{scale}" for scale in range(15, 19))
FIRST_GRAPHS += ("rome99", "tntp-BerlinCenter")
FIRST_SHARE = 0.4  # of the configurations, then
FEWEST_CONFIGURATIONS = 30  # that a scenario needs
MODELS = ("LR", "KNN", "RF", "DT", "GB")
OURS = "ours"
Places = NDArray[np.int64]
SCENARIOS = ("random", "large", "real")
#: Columns of our features that a trend is fitted to.
TRENDS = [FEATURES.index(f) for f in ("log_arcs", *MONOTONIC) if f != "reach"]
#: Table 3 of the paper.
PAPER_FEATURES = ["graphSize", "iterationNum", "minProcessEdge", "maxProcessEdge", "percentage"]
PAPER_FEATURES += ["sOriginalDistance", "sMinEdgeToProcess", "sMaxEdgeToProcess"]
PAPER_FEATURES += ["sPartialGraphProcess", "sReduceExecution", "sAtomicBlock"]


def measurements(settings: Settings) -> Data:
    """Return what the journal holds; measure all if ``full``, else a little if it holds nothing."""
    found = records()
    if settings.full or settings.graphs or not found:
        size = 1.0 if settings.full else FIRST_SHARE
        trainer = Trainer(executor=settings.executor, runner=runner(), size=size)
        usual = trainer.choose() if settings.full else present(FIRST_GRAPHS)
        found = trainer.collect(settings.graphs or usual)
    return Data([r for r in found if not settings.graphs or r["graph"] in settings.graphs])


def paper_data(data: Data) -> dict[str, Data]:
    """Return what the paper predicts in each scenario: Bellman-Ford from the vertex of highest degree,
    on Kronecker graphs of one kind in several sizes, and on real road networks.
    """
    own = data.only(algorithm="bellman-ford", hub=True)
    own = Data([*own.records, *exact_records(own.records)])
    plain = own.only(graph=PLAIN)
    if not len(plain):
        plain = own.only(family="kronecker")
    return {"random": plain, "large": plain, "real": own.only(family="roads", real=True)}


def _scaled(values: Numbers, low: float = 0.0, high: float = 1.0) -> Numbers:
    """Each column between ``low`` and ``high`` (formula 1 of the paper)."""
    least = values.min(axis=0)
    span = values.max(axis=0) - least
    return np.asarray(low + (high - low) * (values - least) / np.where(span > 0, span, 1))


def paper_rows(data: Data) -> Numbers:
    """Rows of ``PAPER_FEATURES``, normalised as in section 3.3.2."""
    size = _scaled(data.column("n").astype(float)[:, None], 1, 32)
    numbers = _scaled(np.array([parameters(r) for r in data.records], float))
    on = np.array([list(signals(r).values()) for r in data.records], float)
    iterations, least, most, fraction, atomic = on.T
    original = 1 - on.max(axis=1)
    columns = np.stack([original, least, most, fraction, iterations, atomic], axis=1)
    return np.hstack([size, numbers, columns])


def targets_of(data: Data) -> Numbers:
    """Inaccuracy and speedup, each normalised."""
    return _scaled(np.stack([data.column("error"), data.column("speedup")], axis=1))


def _fit(name: str, rows: Numbers, targets: Numbers) -> Regressor:
    """A regressor of the paper, fitted to one output or to two."""
    from sklearn.ensemble import GradientBoostingRegressor, RandomForestRegressor
    from sklearn.linear_model import LinearRegression
    from sklearn.multioutput import MultiOutputRegressor
    from sklearn.neighbors import KNeighborsRegressor
    from sklearn.tree import DecisionTreeRegressor

    boosting = GradientBoostingRegressor(random_state=0)
    made = {
        "LR": LinearRegression(),
        "KNN": KNeighborsRegressor(),
        "RF": RandomForestRegressor(random_state=0),
        "DT": DecisionTreeRegressor(random_state=0),
        "GB": boosting if targets.ndim == 1 else MultiOutputRegressor(boosting),
    }
    return cast(Regressor, made[name].fit(rows, targets))


def with_trend(rows: Numbers, targets: Numbers, wanted: Numbers) -> Numbers:
    """Predictions by a quadratic trend, and by trees of what it leaves: trees alone know no larger
    graphs than they have seen.

    The trend is that of the graph's size and of what is left out. Other numbers of a few graphs have
    nearly a value each, and would continue in any way.
    """
    from sklearn.linear_model import Ridge
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import PolynomialFeatures, StandardScaler

    squares = PolynomialFeatures(2, include_bias=False)
    trend = make_pipeline(StandardScaler(), squares, Ridge(3.0))
    left = targets - trend.fit(rows[:, TRENDS], targets).predict(rows[:, TRENDS])
    return np.asarray(trend.predict(wanted[:, TRENDS]) + _by_trees(rows, left, wanted))


def _by_trees(rows: Numbers, targets: Numbers, wanted: Numbers) -> Numbers:
    return fitted(boosted(False), rows, targets).predict(wanted)


def _our_predictions(data: Data, train: Places, test: Places, larger: bool = False) -> Numbers:
    """Inaccuracy and speedup of the test rows: errors on their own scale, speedups as logarithms.

    With a trend if the test rows are of ``larger`` graphs than the others.
    """
    rows = data.ours
    error, speedup = data.column("error"), data.column("speedup")
    level = fitted(boosted(True), rows[train], to_scale(error[train])).predict(rows[test])
    how = with_trend if larger else _by_trees
    log = how(rows[train], np.log(speedup[train]), rows[test])
    found = np.stack([from_scale(level), np.exp(log)], axis=1)
    known = np.stack([error, speedup], axis=1)
    least, most = known.min(axis=0), known.max(axis=0)
    return np.asarray((found - least) / (most - least))


def score(wanted: Numbers, found: Numbers) -> tuple[float, float, float]:
    """MAE, RMSE and R2 of one output."""
    off = found - wanted
    spread = float(((wanted - wanted.mean()) ** 2).sum())
    return (
        float(np.abs(off).mean()),
        float(np.sqrt((off**2).mean())),
        1 - float((off**2).sum()) / spread if spread else 0.0,
    )


def joint_score(wanted: Numbers, found: Numbers) -> tuple[float, float, float]:
    """MAE, RMSE and R2 of two outputs together, as the paper's table joins them: the mean of MAE and
    of R2, and the root of the mean of squares.
    """
    (mae, rmse, r2), (mae_2, rmse_2, r2_2) = (
        score(wanted[:, k], found[:, k]) for k in range(wanted.shape[1])
    )
    return (mae + mae_2) / 2, float(np.hypot(rmse, rmse_2)) / 2**0.5, (r2 + r2_2) / 2


def split(data: Data, name: str) -> tuple[Places, Places]:
    """Which rows are for training, which for testing, in a scenario."""
    if name == "large":
        largest = data.column("n") == data.column("n").max()
        return np.flatnonzero(~largest), np.flatnonzero(largest)
    order = np.random.default_rng(0).permutation(len(data))
    cut = round(0.8 * len(data))
    return order[:cut], order[cut:]


def scenario(data: Data, name: str) -> Iterator[tuple[str, str, Numbers, Numbers]]:
    """Each model, what it predicts (``joint``, ``inaccuracy`` or ``speedup``), and wanted and found
    values of the test rows: two columns for a joint prediction, else one.
    """
    train, test = split(data, name)
    rows, targets = paper_rows(data), targets_of(data)
    for model in MODELS:
        joint = _fit(model, rows[train], targets[train]).predict(rows[test])
        yield model, "joint", targets[test], joint
        for k, output in enumerate(("inaccuracy", "speedup")):
            one = _fit(model, rows[train], targets[train, k]).predict(rows[test])
            yield model, output, targets[test, k], one
    found = _our_predictions(data, train, test, larger=name == "large")
    yield OURS, "joint", targets[test], found
    for k, output in enumerate(("inaccuracy", "speedup")):
        yield OURS, output, targets[test, k], found[:, k]


def leave_family_out(data: Data) -> Iterator[tuple[str, Numbers, Numbers]]:
    """Each family, and wanted and found values of it by our model trained on the others."""
    family = data.column("family")
    targets = targets_of(data)
    for name in dict.fromkeys(family.tolist()):
        train, test = np.flatnonzero(family != name), np.flatnonzero(family == name)
        yield name, targets[test], _our_predictions(data, train, test)
