"""Records as ``collect`` makes them, from formulas instead of measurements."""

from __future__ import annotations

import numpy as np

import tachograph as tg
from tachograph.decisions.approximation.state import (
    ALGORITHMS,
    FEATURES,
    Configuration,
    State,
)

FAMILIES = ("kronecker", "roads", "social")


def truth(row, noise=1.0):
    """An error and a gain that depend on what is left out, as any would."""
    f = dict(zip(FEATURES, row, strict=True))
    left_out = f["vertices_below"] + 2 * f["arcs_above"]
    error = min(0.9, (0.3 * left_out + 0.4 / 2 ** f["log_iterations"]) / f["fraction"])
    return error * noise, 1 + 2 * left_out + 1 / 2 ** f["log_iterations"]


def records(graphs=12, seed=0):
    random = np.random.default_rng(seed)
    made = []
    for k in range(graphs):
        g = tg.power_law(400 + 100 * k, exponent=2.1, least=2, rng=k, weights=True)
        family = FAMILIES[k % 3]
        name = f"kronecker-{14 + k // 3}" if family == "kronecker" else f"{family}-{k}"
        state = State(g, np.array([int(g.degrees.argmax())]), 2)
        for algorithm in ALGORITHMS:
            candidates = state.candidates([algorithm])
            some = random.choice(len(candidates), 25, replace=False)
            chosen = [candidates[i] for i in some]
            chosen += [Configuration(algorithm, tg.Approximation(fraction=f)) for f in (0.9, 0.5)]
            for row, configuration in zip(state.rows(chosen), chosen, strict=True):
                row[FEATURES.index("owned")] = 0  # as if they were large
                row[FEATURES.index("log_arcs")] += 10
                error, gain = truth(row, random.uniform(0.8, 1.2))
                made.append({
                    "graph": name, "family": family, "real": family != "kronecker",
                    "held_out": k % 4 == 3, "hub": True, "source": 0, "n": g.n, "m": g.m,
                    "largest_degree": g.features.max_degree, "algorithm": configuration.algorithm,
                    "approximation": configuration.approximation.to_dict(),
                    "features": dict(zip(FEATURES, row.tolist(), strict=True)),
                    "inaccuracy": {"mean": error, "wrong": error, "lost": 0.0, "median": error,
                                   "p95": error, "maximum": error},
                    "error": error, "gain": gain, "speedup": gain, "seconds": 1 / gain,
                    "exact_seconds": 1.0, "fastest_seconds": 1.0, "iterations": 5,
                    "exact_iterations": 9,
                })  # fmt: skip
    return made
