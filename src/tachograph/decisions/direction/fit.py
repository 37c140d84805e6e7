"""Fitting: the coefficients of the cost model, and SURF's network.

Both are fitted to what matters, time: the cost model by the expected time of its choices, the network
by weighting each level with what is at stake there. Every graph counts the same.
"""

from __future__ import annotations

import numpy as np

from ...kernels.runtime.launch import kernel
from .collect import Levels
from .model import Network, Numbers
from .rules import costs, read_state, surf_features
from .state import State

__all__ = ["fit_cost", "fit_surf"]

#: Where the fit begins: nanoseconds that are usual on today's machines; see COST_NAMES.
START = np.array([16.0, 1.0, 1.0, 300.0, 0.8, 1.0, 3.0, 0.5, 0.35, 1.4, 0.5, 1.0, 1.0, 2.8, 0.007,
                  1.2, 0.017, 0.5, 0.5])  # fmt: skip
FORM = slice(13, 17)  # the coefficients of the changes of form
SHARPNESS = (0.5, 0.25, 0.12)  # from a soft choice to a hard one
DRIFT_PENALTY = 0.002  # of the squared logarithm of how far a coefficient is from its start
MOST_AT_STAKE = 3.0  # a level counts at most so many times its shorter time
HIDDEN_UNITS, WEIGHT_PENALTY, NETWORKS = 8, 3.0, 5


@kernel
def _expected(states, push, pull, at, graphs, p, width):
    """Time of each graph if a level is pulled with a probability that grows with the advantage."""
    total = np.zeros(graphs)
    for i in range(states.shape[0]):
        ahead, back = costs(read_state(states[i]), p)
        chance = 1.0 / (1.0 + (back / ahead) ** (1.0 / width))
        total[at[i]] += push[i] * (1.0 - chance) + pull[i] * chance
    return total


def fit_cost(levels: Levels) -> Numbers:
    """Coefficients that make the expected time of the choices small (mean over graphs of its log)."""
    from scipy.optimize import minimize

    names, at = np.unique(levels.graph, return_inverse=True)
    reference = np.bincount(at, levels.spent(levels.best()), len(names))
    timed = levels.timed
    obvious = np.bincount(at[~timed], levels.push[~timed], len(names))
    open_ones = levels.states[timed], levels.push[timed], levels.pull[timed], at[timed]
    start = START.copy()
    start[FORM] = _forms(levels)
    found = np.log(start)
    free = np.ones(start.size, bool)
    free[FORM] = False

    def loss(values: Numbers, width: float) -> float:
        z = np.log(start)
        z[free] = values
        p = np.concatenate([[0.0], np.exp(z)])
        total = obvious + _expected(*open_ones, len(names), p, width)
        drift = float(((z - np.log(start)) ** 2).sum())
        return float(np.log(total / reference).mean()) + DRIFT_PENALTY * drift

    for width in SHARPNESS:
        result = minimize(loss, found[free], (width,), "L-BFGS-B", options={"maxiter": 60})
        found[free] = result.x
    return np.exp(found)


def _forms(levels: Levels) -> Numbers:
    """Costs for each vertex of the frontier and of the graph to change its form, by least squares of
    relative errors.
    """
    from scipy.optimize import nnls

    made = []
    which = levels.timed
    threads = levels.states[which, State._fields.index("threads")]
    columns = [State._fields.index(name) for name in ("n_f", "n")]
    for times in (levels.to_bitmap[which], levels.to_queue[which]):
        matrix = np.column_stack([np.ones(times.size), levels.states[which][:, columns]])
        matrix[:, 1:] /= threads[:, None]
        known = np.maximum(times, 50.0)
        made.append(nnls(matrix / known[:, None], times / known)[0][1:])
    return np.asarray(np.maximum(np.concatenate(made), 1e-4))


def surf_table(levels: Levels) -> Numbers:
    """SURF's six features of every level."""
    python = surf_features.py_func
    return np.array([python(State(*row)) for row in levels.states]).reshape(len(levels), -1)


def fit_surf(levels: Levels, seed: int = 0) -> Network:
    """SURF's network: the mean of several, which is one with their hidden units side by side."""
    import warnings

    from sklearn.exceptions import ConvergenceWarning
    from sklearn.neural_network import MLPClassifier
    from threadpoolctl import threadpool_limits

    rng = np.random.default_rng(seed)
    kept = levels.timed | (rng.random(len(levels)) < 0.02)  # some of the obvious ones
    levels = levels.where(kept)
    features = surf_table(levels)
    mean, scale = features.mean(axis=0), features.std(axis=0) + 1e-9
    label = levels.pull < levels.push
    least = np.minimum(levels.push, levels.pull)
    stake = np.minimum(np.abs(levels.push - levels.pull), MOST_AT_STAKE * least)
    _, at = np.unique(levels.graph, return_inverse=True)
    weight = stake / np.maximum(np.bincount(at, stake), 1e-9)[at]
    weight /= weight.mean()
    weights, bias, output, output_bias = [], [], [], 0.0
    for k in range(NETWORKS):
        net = MLPClassifier(
            hidden_layer_sizes=(HIDDEN_UNITS,), solver="lbfgs", alpha=WEIGHT_PENALTY, max_iter=300,
            random_state=NETWORKS * seed + k,
        )  # fmt: skip
        with warnings.catch_warnings(), threadpool_limits(1):  # its matrices are small
            warnings.simplefilter("ignore", ConvergenceWarning)
            net.fit((features - mean) / scale, label, sample_weight=weight)
        weights.append(net.coefs_[0].T)
        bias.append(net.intercepts_[0])
        output.append(net.coefs_[1][:, 0] / NETWORKS)
        output_bias += float(net.intercepts_[1][0]) / NETWORKS
    return Network(
        mean, scale, np.concatenate(weights), np.concatenate(bias), np.concatenate(output),
        np.array([output_bias]),
    )  # fmt: skip
