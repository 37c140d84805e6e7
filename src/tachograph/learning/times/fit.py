"""Fit the times: a Gaussian process for each way, judged on families of graphs that it has not seen."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from ...decisions.times import CONFIDENCE, FEATURES, Curve, Model

__all__ = ["Rows", "errors", "fit", "grouped"]

LEAST = 8  # rows that a curve needs
SHORT = 2e-5  # seconds: shorter ones are noise
Rows = list[dict[str, Any]]


def grouped(records: list[dict[str, Any]]) -> dict[str, Rows]:
    """Rows by way; each knows its family."""
    found: dict[str, Rows] = {}
    for record in records:
        for row in record["rows"]:
            found.setdefault(row["name"], []).append({**row, "family": record["family"]})
    return {name: rows for name, rows in found.items() if len(rows) >= LEAST}


def _matrix(rows: Rows) -> np.ndarray:
    return np.array([[row["shape"][name] for name in FEATURES] for row in rows])


def _logs(rows: Rows) -> np.ndarray:
    return np.log(np.maximum([row["seconds"] for row in rows], SHORT))


def _curve(x: np.ndarray, y: np.ndarray, margin: float = math.inf) -> Curve:
    """A curve through standardised points; its widths are those of the greatest likelihood."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, DotProduct, WhiteKernel

    linear = ConstantKernel(0.3, (1e-3, 1e2)) * DotProduct(0.0, "fixed")
    radial = ConstantKernel(0.3, (1e-3, 1e2)) * RBF(4.0, (1.0, 30.0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        made = GaussianProcessRegressor(
            linear + radial + WhiteKernel(0.01, (1e-3, 0.5)), random_state=0
        ).fit(x, y - y.mean())
    a, b = made.kernel_.k1.k1, made.kernel_.k1.k2
    return Curve(x, made.alpha_.ravel(), float(y.mean()), a.k1.constant_value, b.k1.constant_value,
                 b.k2.length_scale, margin)  # fmt: skip


def errors(rows: Rows, middle: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """The logarithm of predicted by actual for each row, its family left out of the fit."""
    x, y = _standard(rows, middle, scale), _logs(rows)
    families = np.array([row["family"] for row in rows])
    off: np.ndarray = np.full(len(rows), np.nan)
    for name in np.unique(families):
        out = families == name
        if (~out).sum() >= LEAST:
            curve = _curve(x[~out], y[~out])
            off[out] = [curve.log_seconds(p) for p in x[out]] - y[out]
    known: np.ndarray = off[np.isfinite(off)]
    return known


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
        off = np.abs(errors(rows, middle, scale))
        margin = _margin(off)
        curves[name] = _curve(_standard(rows, middle, scale), _logs(rows), margin)
        memory[name] = _memory([row for row in rows if "bytes" in row])
        quality[name] = {
            "rows": len(rows),
            "within_35": float(np.mean(off < math.log(1.35))) if off.size else None,
            "median": float(np.median(off)) if off.size else None,
        }
    return Model(curves, middle, scale, memory, {**card, "families_left_out": quality})


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
