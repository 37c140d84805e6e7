"""The models that the paper compares for predicting speedup and inaccuracy, and ours beside them.

The paper's five (section 3.3.3) look at the paper's features; ours looks at shares of vertices and arcs
and may use that more work does not increase the error. All come from scikit-learn.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import numpy as np
from numpy.typing import NDArray

from ...decisions.approximation.collect import Data, parameters, signals
from ...decisions.approximation.model import from_scale, to_scale
from ...decisions.approximation.train import Numbers, Regressor, boosted, fitted

__all__ = ["MODELS", "OURS", "PAPER_FEATURES", "SCENARIOS", "leave_family_out", "paper_rows"]
__all__ += ["scenario", "score", "split", "targets_of"]

MODELS = ("LR", "KNN", "RF", "DT", "GB")
OURS = "ours"
Places = NDArray[np.int64]
SCENARIOS = ("random", "large", "real")
#: Table 3 of the paper.
PAPER_FEATURES = ["graphSize", "iterationNum", "minProcessEdge", "maxProcessEdge", "percentage"]
PAPER_FEATURES += ["sOriginalDistance", "sMinEdgeToProcess", "sMaxEdgeToProcess"]
PAPER_FEATURES += ["sPartialGraphProcess", "sReduceExecution", "sAtomicBlock"]


def _scaled(values: Numbers, low: float = 0.0, high: float = 1.0) -> Numbers:
    """Each column between ``low`` and ``high`` (formula 1 of the paper)."""
    least, most = values.min(axis=0), values.max(axis=0)
    scaled: Numbers = low + (high - low) * (values - least) / np.where(
        most > least, most - least, 1
    )
    return scaled


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


def paper_model(name: str, seed: int = 0) -> Regressor:
    """A regressor of the paper."""
    from sklearn.ensemble import GradientBoostingRegressor, RandomForestRegressor
    from sklearn.linear_model import LinearRegression
    from sklearn.neighbors import KNeighborsRegressor
    from sklearn.tree import DecisionTreeRegressor

    made = {
        "LR": lambda: LinearRegression(),
        "KNN": lambda: KNeighborsRegressor(),
        "RF": lambda: RandomForestRegressor(random_state=seed),
        "DT": lambda: DecisionTreeRegressor(random_state=seed),
        "GB": lambda: GradientBoostingRegressor(random_state=seed),
    }
    return cast(Regressor, made[name]())


def _fit(name: str, rows: Numbers, targets: Numbers, joint: bool) -> Regressor:
    from sklearn.multioutput import MultiOutputRegressor

    made = paper_model(name)
    if joint and name == "GB":
        made = cast(Regressor, MultiOutputRegressor(made))
    made.fit(rows, targets if joint else targets.ravel())
    return made


def with_trend(rows: Numbers, targets: Numbers, wanted: Numbers) -> Numbers:
    """Predictions by a quadratic trend, and by trees of what it leaves: trees alone know no larger
    graphs than they have seen.
    """
    from sklearn.linear_model import Ridge
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import PolynomialFeatures, StandardScaler

    varied = rows.std(axis=0) > 0
    squares = PolynomialFeatures(2, include_bias=False)
    trend = make_pipeline(StandardScaler(), squares, StandardScaler(), Ridge(3.0))
    left = targets - trend.fit(rows[:, varied], targets).predict(rows[:, varied])
    found: Numbers = trend.predict(wanted[:, varied])
    found += fitted(boosted(False), rows, left).predict(wanted)
    return found


def _our_predictions(data: Data, train: Places, test: Places, larger: bool = False) -> Numbers:
    """Inaccuracy and speedup of the test rows: errors on their own scale, speedups as logarithms.

    With a trend if the test rows are of ``larger`` graphs than the others.
    """
    rows = data.ours
    error, speedup = data.column("error"), data.column("speedup")
    level = fitted(boosted(True), rows[train], to_scale(error[train])).predict(rows[test])
    logs = np.log(speedup[train])
    if larger:
        log = with_trend(rows[train], logs, rows[test])
    else:
        log = fitted(boosted(False), rows[train], logs).predict(rows[test])
    found = np.stack([from_scale(level), np.exp(log)], axis=1)
    known = np.stack([error, speedup], axis=1)
    least, most = known.min(axis=0), known.max(axis=0)
    scaled: Numbers = (found - least) / (most - least)
    return scaled


def score(wanted: Numbers, found: Numbers) -> tuple[float, float, float]:
    """MAE, RMSE and R2 of one output."""
    off = found - wanted
    spread = float(((wanted - wanted.mean()) ** 2).sum())
    return (
        float(np.abs(off).mean()),
        float(np.sqrt((off**2).mean())),
        1 - float((off**2).sum()) / spread if spread else 0.0,
    )


def split(data: Data, name: str, seed: int = 0) -> tuple[Places, Places]:
    """Which rows are for training, which for testing, in a scenario."""
    if name == "large":
        largest = data.column("n") == data.column("n").max()
        return np.flatnonzero(~largest), np.flatnonzero(largest)
    order = np.random.default_rng(seed).permutation(len(data))
    cut = round(0.8 * len(data))
    return order[:cut], order[cut:]


def scenario(data: Data, name: str, seed: int = 0) -> Iterator[tuple[str, str, Numbers, Numbers]]:
    """Each model, what it predicts (``joint``, ``inaccuracy`` or ``speedup``), and wanted and found
    values of the test rows: two columns for a joint prediction, else one.
    """
    train, test = split(data, name, seed)
    rows, targets = paper_rows(data), targets_of(data)
    for model in MODELS:
        joint = _fit(model, rows[train], targets[train], True).predict(rows[test])
        yield model, "joint", targets[test], joint
        for k, output in enumerate(("inaccuracy", "speedup")):
            one = _fit(model, rows[train], targets[train, k], False).predict(rows[test])
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
