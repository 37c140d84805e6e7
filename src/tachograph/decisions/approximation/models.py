"""Models that predict speedup and inaccuracy, and how well they do it.

The paper's five (section 3.3.3) look at the paper's features; ours looks at shares of vertices and arcs
and may use that more work does not increase the error. All come from scikit-learn.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .model import to_scale
from .state import FEATURES
from .tables import Data

__all__ = [
    "MODELS",
    "OURS",
    "SCENARIOS",
    "boosted",
    "fitted",
    "leave_family_out",
    "scenario",
    "score",
]

MODELS = ("LR", "KNN", "RF", "DT", "GB")
OURS = "ours"
SCENARIOS = ("random", "large", "real")
#: Where leaving out more cannot make the answer better: the sign of the error's dependence.
MONOTONIC = {
    "log_iterations": -1, "iterations_per_hop": -1, "vertices_below": 1, "arcs_below": 1,
    "vertices_above": 1, "arcs_above": 1, "arcs_left": -1, "fraction": -1,
    "covered": -1, "reach": -1,
}  # fmt: skip


def boosted(monotonic: bool, seed: int = 0, **options: Any) -> Any:
    """Our regressor: boosted trees on histograms."""
    from sklearn.ensemble import HistGradientBoostingRegressor

    signs = [MONOTONIC.get(f, 0) if monotonic else 0 for f in FEATURES]
    settings = {"max_iter": 300, "learning_rate": 0.08, "max_leaf_nodes": 24,
                "min_samples_leaf": 8, "l2_regularization": 0.1}  # fmt: skip
    return HistGradientBoostingRegressor(
        monotonic_cst=signs, random_state=seed, early_stopping=False, **{**settings, **options}
    )


def fitted(model: Any, rows: np.ndarray, targets: np.ndarray) -> Any:
    """The model, fitted by one thread: several that wait for each other crawl on a busy machine."""
    from threadpoolctl import threadpool_limits  # scikit-learn brings it

    with threadpool_limits(limits=1):
        return model.fit(rows, targets)


def paper_model(name: str, seed: int = 0) -> Any:
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
    return made[name]()


def _fit(name: str, rows: np.ndarray, targets: np.ndarray, joint: bool) -> Any:
    from sklearn.multioutput import MultiOutputRegressor

    if joint and name == "GB":
        return MultiOutputRegressor(paper_model(name)).fit(rows, targets)
    return paper_model(name).fit(rows, targets if joint else targets.ravel())


def with_trend(rows: np.ndarray, targets: np.ndarray, wanted: np.ndarray) -> np.ndarray:
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
    found: np.ndarray = trend.predict(wanted[:, varied])
    found += fitted(boosted(False), rows, left).predict(wanted)
    return found


def _our_predictions(
    data: Data, train: np.ndarray, test: np.ndarray, larger: bool = False
) -> np.ndarray:
    """Inaccuracy and speedup of the test rows: errors on their own scale, speedups as logarithms.

    With a trend if the test rows are of ``larger`` graphs than the others.
    """
    from .model import from_scale

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
    scaled: np.ndarray = (found - least) / (most - least)
    return scaled


def score(wanted: np.ndarray, found: np.ndarray) -> tuple[float, float, float]:
    """MAE, RMSE and R2 of one output."""
    off = found - wanted
    spread = float(((wanted - wanted.mean()) ** 2).sum())
    return (
        float(np.abs(off).mean()),
        float(np.sqrt((off**2).mean())),
        1 - float((off**2).sum()) / spread if spread else 0.0,
    )


def split(data: Data, name: str, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Which rows are for training, which for testing, in a scenario."""
    if name == "large":
        largest = data.column("n") == data.column("n").max()
        return np.flatnonzero(~largest), np.flatnonzero(largest)
    order = np.random.default_rng(seed).permutation(len(data))
    cut = round(0.8 * len(data))
    return order[:cut], order[cut:]


def scenario(
    data: Data, name: str, seed: int = 0
) -> Iterator[tuple[str, str, np.ndarray, np.ndarray]]:
    """Each model, what it predicts (``joint``, ``inaccuracy`` or ``speedup``), and wanted and found
    values of the test rows: two columns for a joint prediction, else one.
    """
    train, test = split(data, name, seed)
    rows, targets = data.paper, data.targets
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


def leave_family_out(data: Data) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Each family, and wanted and found values of it by our model trained on the others."""
    family = data.column("family")
    targets = data.targets
    for name in dict.fromkeys(family.tolist()):
        train, test = np.flatnonzero(family != name), np.flatnonzero(family == name)
        yield name, targets[test], _our_predictions(data, train, test)
