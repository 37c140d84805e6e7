"""How long a way to run a task takes: predicted from a graph's shape, before it runs.

The logarithm of the seconds is a Gaussian process over the logarithms of sizes and a few numbers about
how the graph opens up, so that what is near a measured graph is like it and what is far follows the
trend. Its training points and weights are a small file, made by ``tacho train times``. Seconds are
those of the machine it was trained on, scaled by what the calibration says of this one.
"""

from __future__ import annotations

import functools
import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...graph.graph import Graph
from ...util.errors import InputError
from ..model_files import current_model

__all__ = ["CONFIDENCE", "FEATURES", "FILE", "Curve", "Model", "Predicted", "shape", "the_model"]

FILE, FORMAT = "times.npz", 2
CONFIDENCE = 0.9  # of the interval
AROUND = 1 << 14  # vertices around the source that are looked at
SHORTEST = 2e-5  # seconds: what a call takes, whatever it does
UNKNOWN = 10.0  # times up and down: the interval where nothing was ever measured
FEATURES = ("log_n", "log_arcs", "log_degree", "log_max_degree", "gini", "log_early", "log_levels",
            "closing", "bits", "small", "back_small", "directed", "spread", "log_source_degree",
            "log_seen", "log_source_levels")  # fmt: skip


@dataclass(frozen=True)
class Predicted:
    """Seconds, and the interval that the actual time is in with the confidence of the model."""

    seconds: float
    low: float
    high: float

    def times(self, factor: float) -> Predicted:
        """As many times longer."""
        return Predicted(self.seconds * factor, self.low * factor, self.high * factor)


def shape(graph: Graph, source: int | None = None) -> dict[str, float]:
    """The numbers a prediction looks at, of a graph and of the vertex a search begins at.

    They cost a pass over the vertices and about a millisecond of small searches, once for a graph.
    """
    from ...graph.features import summary_of_balls
    from ...kernels.features.balls import balls

    f = graph.features
    opening = f.opening
    back = opening["small"]
    if graph.directed:
        back = summary_of_balls(graph.transpose.indptr, graph.transpose.indices, graph.n)["small"]
    weights = f.weights
    spread = weights["std"] / weights["mean"] if weights and weights["mean"] else 0.0
    around = (f.max_degree, float(AROUND), opening["levels"])
    if source is not None and graph.arcs:
        row = balls(graph.indptr, graph.indices, np.array([source]), AROUND)[0]
        around = (int(graph.degrees[source]), row[0], row[3])
    values = (
        math.log(graph.n + 1), math.log(graph.arcs + 1), math.log(f.mean_degree + 0.1),
        math.log(f.max_degree + 1), f.gini, math.log(opening["early"] + 0.5),
        math.log(opening["levels"] + 0.5), opening["closing"], opening["bits"], opening["small"],
        back, float(graph.directed), min(spread, 4.0), *(math.log(x + 1.0) for x in around),
    )  # fmt: skip
    return dict(zip(FEATURES, values, strict=True))


@dataclass(frozen=True)
class Curve:
    """The times of one way: a Gaussian process with a linear and a radial part."""

    points: np.ndarray  # standardised
    weights: np.ndarray
    mean: float
    linear: float
    radial: float
    widths: np.ndarray  # of each feature
    margin: float  # of the logarithm, at the confidence

    def log_seconds(self, x: np.ndarray) -> float:
        """The logarithm of the seconds at a standardised place."""
        near = np.exp(-(((self.points - x) / self.widths) ** 2).sum(axis=1) / 2)
        return float(
            self.mean + (self.linear * (self.points @ x) + self.radial * near) @ self.weights
        )


@dataclass(frozen=True)
class Model:
    """A curve and the memory for each way of each task."""

    curves: dict[str, Curve]
    middle: np.ndarray
    scale: np.ndarray
    memory: dict[str, list[float]]
    card: dict[str, Any]

    def predict(self, name: str, numbers: dict[str, float]) -> Predicted | None:
        """The time of a task and way (``"bfs/auto"``) on a graph of that shape; None if such a thing
        was never measured.
        """
        curve = self.curves.get(name)
        if curve is None:
            return None
        x = (np.array([numbers[name] for name in FEATURES]) - self.middle) / self.scale
        seconds = max(math.exp(min(curve.log_seconds(x), 20.0)), SHORTEST)
        off = math.exp(curve.margin) if math.isfinite(curve.margin) else UNKNOWN
        return Predicted(seconds, seconds / off, seconds * off)

    def peak(self, name: str, graph: Graph) -> int | None:
        """Bytes that a way takes beside the graph, at its peak."""
        known = self.memory.get(name)
        if known is None:
            return None
        turned = graph.arcs if graph.directed else 0
        each = np.array([1.0, graph.n, graph.arcs, turned, graph.arcs * graph.weighted])
        return int(each @ known)

    def write(self, path: Path) -> None:
        """Save all as arrays and JSON."""
        arrays: dict[str, np.ndarray] = {"middle": self.middle, "scale": self.scale}
        about: dict[str, Any] = {"format": FORMAT, "features": FEATURES, "card": self.card}
        about["memory"] = self.memory
        about["curves"] = {}
        for name, curve in self.curves.items():
            key = f"curve{len(about['curves'])}"
            arrays[f"{key}_points"] = curve.points.astype(np.float32)
            arrays[f"{key}_weights"] = curve.weights
            arrays[f"{key}_widths"] = curve.widths
            numbers = (curve.mean, curve.linear, curve.radial, curve.margin)
            about["curves"][name] = {"key": key, "numbers": [float(x) for x in numbers]}
        path.parent.mkdir(parents=True, exist_ok=True)
        text = np.frombuffer(json.dumps(about).encode(), np.uint8)
        with path.open("wb") as file:
            np.savez_compressed(file, about=text, **arrays)  # type: ignore[arg-type]

    @classmethod
    def read(cls, path: Path) -> Model:
        """What was written."""
        with np.load(path) as data:
            about = json.loads(data["about"].tobytes())
            if about.get("format") != FORMAT or tuple(about["features"]) != FEATURES:
                raise InputError(
                    f"{path} is of another version: make it anew with tacho train times"
                )
            curves = {}
            for name, known in about["curves"].items():
                points, weights, widths = (
                    data[f"{known['key']}_{part}"].astype(np.float64)
                    for part in ("points", "weights", "widths")
                )
                mean, linear, radial, margin = known["numbers"]
                curves[name] = Curve(points, weights, mean, linear, radial, widths, margin)
            return cls(curves, data["middle"], data["scale"], about["memory"], about["card"])


def the_model() -> Model:
    """The user's own model, or the one that comes with the package."""
    return _read(*current_model(FILE))


@functools.lru_cache(maxsize=4)
def _read(path: Path, changed: int) -> Model:
    return Model.read(path)
