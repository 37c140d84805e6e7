"""Fit the times: a Gaussian process for each way, judged on graphs that were left out."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from .model import CONFIDENCE, FEATURES, SHORTEST, Curve, Model

__all__ = ["Rows", "errors", "fit", "grouped"]

LEAST = 8  # rows that a curve needs
Rows = list[dict[str, Any]]


def grouped(records: list[dict[str, Any]]) -> dict[str, Rows]:
    """Rows by way; each knows its family."""
    found: dict[str, Rows] = {}
    for record in records:
        for row in record["rows"]:
            whose = {"graph": record["graph"], "family": record["family"]}
            found.setdefault(row["name"], []).append({**row, **whose})
    return {name: rows for name, rows in found.items() if len(rows) >= LEAST}


def _matrix(rows: Rows) -> np.ndarray:
    return np.array([[row["shape"][name] for name in FEATURES] for row in rows])


def _logs(rows: Rows) -> np.ndarray:
    return np.log(np.maximum([row["seconds"] for row in rows], SHORTEST))


def _process(x: np.ndarray, y: np.ndarray) -> Any:
    """A process through standardised points; its widths are those of the greatest likelihood."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, DotProduct, WhiteKernel

    linear = ConstantKernel(0.3, (1e-3, 1e2)) * DotProduct(0.0, "fixed")
    radial = ConstantKernel(0.3, (1e-3, 1e2)) * RBF(np.full(x.shape[1], 4.0), (0.5, 100.0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return GaussianProcessRegressor(
            linear + radial + WhiteKernel(0.02, (1e-3, 0.5)), random_state=0
        ).fit(x, y - y.mean())


def _curve(made: Any, x: np.ndarray, y: np.ndarray, margin: float) -> Curve:
    a, b = made.kernel_.k1.k1, made.kernel_.k1.k2
    return Curve(x, made.alpha_.ravel(), float(y.mean()), a.k1.constant_value, b.k1.constant_value,
                 b.k2.length_scale, margin)  # fmt: skip


def errors(made: Any, x: np.ndarray, y: np.ndarray, groups: list[str]) -> np.ndarray:
    """The logarithm of predicted by actual for each row if its group is left out of the points.

    With K the covariance of all points, what a group adds to the others is solved for at once: the
    errors of the group are (K^-1)_gg^-1 (K^-1 y)_g. Widths stay those of all points.
    """
    inverse = np.linalg.inv(made.kernel_(x))
    pull = inverse @ (y - y.mean())
    off: np.ndarray = np.empty(y.size)
    for name in set(groups):
        own = np.flatnonzero([g == name for g in groups])
        off[own] = -np.linalg.solve(inverse[np.ix_(own, own)], pull[own])
    return off


def _standard(rows: Rows, middle: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Points as the file keeps them."""
    points: np.ndarray = ((_matrix(rows) - middle) / scale).astype(np.float32).astype(np.float64)
    return points


def fit(records: list[dict[str, Any]], card: dict[str, Any]) -> Model:
    """A model of all ways that were measured often enough; the card tells how far off it is."""
    ways = grouped(records)
    every = np.concatenate([_matrix(rows) for rows in ways.values()])
    middle, scale = every.mean(axis=0), np.maximum(every.std(axis=0), 1e-3)
    curves, memory, quality = {}, {}, {}
    for name, rows in ways.items():
        x, y = _standard(rows, middle, scale), _logs(rows)
        made = _process(x, y)
        off = errors(made, x, y, [row["graph"] for row in rows])
        curves[name] = _curve(made, x, y, _margin(np.abs(off)))
        memory[name] = _memory([row for row in rows if "bytes" in row])
        quality[name] = {
            "rows": len(rows),
            "graphs_left_out": _quality(off),
            "families_left_out": _quality(errors(made, x, y, [row["family"] for row in rows])),
        }
    return Model(curves, middle, scale, memory, {**card, "quality": quality})


def _quality(off: np.ndarray) -> dict[str, float]:
    """Which share of the predictions is within 35 % of the actual times, and the median distance."""
    far = np.abs(np.exp(off) - 1)
    return {"within_35": float(np.mean(far <= 0.35)), "median": float(np.median(far))}


def _margin(off: np.ndarray) -> float:
    """What a new error stays below with the confidence, if it is like these (split conformal)."""
    place = math.ceil((off.size + 1) * CONFIDENCE)
    return float(np.sort(off)[place - 1]) if 0 < place <= off.size else math.inf


def _memory(rows: Rows) -> list[float]:
    """Bytes as a sum of parts that are not negative: fixed, vertices, arcs, turned arcs, weights."""
    from scipy.optimize import nnls

    a = np.array([
        [1.0, r["n"], r["arcs"], r["arcs"] * r["directed"], r["arcs"] * r["weighted"]] for r in rows
    ])  # fmt: skip
    y = np.array([float(r["bytes"]) for r in rows])
    parts, _ = nnls(a / y[:, None], np.ones(y.size))  # relative errors count
    return [float(p) for p in parts]
