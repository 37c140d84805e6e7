"""Predicted times: a curve and the memory for each way of each task.

The logarithm of the seconds is a Gaussian process over the logarithms of sizes and a few numbers about
how the graph opens up, so that what is near a measured graph is like it and what is far follows the
trend. Its training points and weights are a small file, made by ``tacho train times``. Seconds are
those of the machine it was trained on; ``tasks`` scales them by what the calibration says of this one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...devices.calibrate import sound
from ...graph.graph import Graph
from ...journal.campaign import Record
from ..model_file import LARGEST_VALUE, Kept, ModelFile

__all__ = ["CONFIDENCE", "SHAPE_FEATURES", "SHORTEST_SECONDS", "Curve", "Model", "Predicted"]
__all__ += ["shape", "the_model"]

CONFIDENCE = 0.9  # of the interval
SHORTEST_SECONDS = 2e-5  # what a call takes, whatever it does
UNKNOWN_FACTOR = 10.0  # up and down: the interval where nothing was ever measured
LARGEST_LOG_SECONDS = 20.0
MEMORY_PARTS = 5  # fixed, vertices, arcs, turned arcs, weights
NEARBY_VERTICES = 1 << 14  # around the source that are looked at
SHAPE_FEATURES = (
    "log_n", "log_arcs", "log_degree", "log_max_degree", "gini", "log_early", "log_levels",
    "closing", "bits", "small", "back_small", "directed", "spread", "log_source_degree", "log_seen",
    "log_source_levels",
)  # fmt: skip
Numbers = NDArray[np.float64]


def shape(graph: Graph, source: int | None = None) -> dict[str, float]:
    """The numbers a prediction looks at, of a graph and of the vertex a search begins at.

    They cost a pass over the vertices and about a millisecond of small searches, once for a graph.
    """
    from ...graph.features import summary_of_balls
    from ...kernels.features import balls

    f = graph.features
    opening = f.opening
    back = opening["small"]
    if graph.directed:
        back = summary_of_balls(*graph.transpose.rows)["small"]
    weights = f.weights
    spread = weights["std"] / weights["mean"] if weights and weights["mean"] else 0.0
    around = (f.max_degree, float(NEARBY_VERTICES), opening["levels"])
    if source is not None and graph.arcs:
        row = balls(graph.indptr, graph.indices, np.array([source]), NEARBY_VERTICES)[0]
        around = (int(graph.degrees[source]), row[0], row[3])
    values = (
        math.log(graph.n + 1), math.log(graph.arcs + 1), math.log(f.mean_degree + 0.1),
        math.log(f.max_degree + 1), f.gini, math.log(opening["early"] + 0.5),
        math.log(opening["levels"] + 0.5), opening["closing"], opening["bits"], opening["small"],
        back, float(graph.directed), min(spread, 4.0), *(math.log(x + 1.0) for x in around),
    )  # fmt: skip
    return dict(zip(SHAPE_FEATURES, values, strict=True))


@dataclass(frozen=True)
class Predicted:
    """Seconds, and the interval that the actual time is in with the confidence of the model."""

    seconds: float
    low: float
    high: float

    def times(self, factor: float) -> Predicted:
        """Scale all three bounds by ``factor``."""
        return Predicted(self.seconds * factor, self.low * factor, self.high * factor)


@dataclass(frozen=True)
class Curve:
    """The times of one way: a Gaussian process with a linear and a radial part."""

    points: Numbers  # standardised
    weights: Numbers
    widths: Numbers  # of each feature
    mean: float
    linear: float
    radial: float
    margin: float  # of the logarithm, at the confidence
    memory: Numbers  # bytes for each of MEMORY_PARTS

    def log_seconds(self, x: Numbers) -> float:
        """The logarithm of the seconds at a standardised place."""
        near = np.exp(-(((self.points - x) / self.widths) ** 2).sum(axis=1) / 2)
        return float(
            self.mean + (self.linear * (self.points @ x) + self.radial * near) @ self.weights
        )

    def arrays(self, name: str) -> dict[str, NDArray[np.generic]]:
        """Return the numbers for a file."""
        numbers = np.array([self.mean, self.linear, self.radial, self.margin])
        return {
            f"{name}.points": self.points.astype(np.float32),
            f"{name}.weights": self.weights,
            f"{name}.widths": self.widths,
            f"{name}.numbers": numbers,
            f"{name}.memory": self.memory,
        }

    @classmethod
    def of(cls, file: ModelFile, name: str) -> Curve:
        """Take the curve of a way from a file and check it."""
        weights = file.array(f"{name}.weights", (None,))
        points = file.array(f"{name}.points", (weights.size, len(SHAPE_FEATURES)))
        widths = file.array(f"{name}.widths", (len(SHAPE_FEATURES),), least=1e-9)
        numbers = file.arrays.get(f"{name}.numbers", np.empty(0))  # the margin may be infinite
        *sizes, margin = numbers.tolist() if numbers.shape == (4,) else (math.nan,)
        known = margin == math.inf or 0 <= margin <= LARGEST_LOG_SECONDS
        if not known or not (np.abs(sizes) <= LARGEST_VALUE).all():
            raise file.problem(f"{name}.numbers should be three numbers and a margin")
        memory = file.array(f"{name}.memory", (MEMORY_PARTS,), least=0.0)
        mean, linear, radial = sizes
        return cls(points, weights, widths, mean, linear, radial, margin, memory)


@dataclass(frozen=True)
class Model:
    """The curves of all ways, as in ``"bfs/auto"``; what features are standardised by; the card."""

    curves: Mapping[str, Curve]
    middle: Numbers
    scale: Numbers
    card: Record

    @classmethod
    def of(cls, file: ModelFile) -> Model:
        """Take the model from a file and check it."""
        if not all(map(sound, file.card.get("calibration", {}).values())):
            raise file.problem("the calibration in its card cannot be right")
        names = [name.removesuffix(".points") for name in file.arrays if name.endswith(".points")]
        size = (len(SHAPE_FEATURES),)
        middle, scale = file.array("middle", size), file.array("scale", size, least=1e-9)
        return cls({name: Curve.of(file, name) for name in names}, middle, scale, file.card)

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """Return the numbers for a file."""
        made: dict[str, NDArray[np.generic]] = {"middle": self.middle, "scale": self.scale}
        for name, curve in self.curves.items():
            made |= curve.arrays(name)
        return made

    def predict(self, name: str, numbers: Mapping[str, float]) -> Predicted | None:
        """Predict the time of a task and way on a graph of that shape; None for an unknown way."""
        curve = self.curves.get(name)
        if curve is None:
            return None
        x = (np.array([numbers[field] for field in SHAPE_FEATURES]) - self.middle) / self.scale
        log = min(max(curve.log_seconds(x), -LARGEST_LOG_SECONDS), LARGEST_LOG_SECONDS)
        seconds = max(math.exp(log), SHORTEST_SECONDS)
        off = math.exp(curve.margin) if math.isfinite(curve.margin) else UNKNOWN_FACTOR
        return Predicted(seconds, seconds / off, seconds * off)

    def peak(self, name: str, graph: Graph) -> int | None:
        """Predict the bytes that a way takes beside the graph, at its peak."""
        curve = self.curves.get(name)
        if curve is None:
            return None
        turned = graph.arcs if graph.directed else 0
        each = np.array([1.0, graph.n, graph.arcs, turned, graph.arcs * graph.weighted])
        return int(each @ curve.memory)


the_model: Kept[Model] = Kept("times", SHAPE_FEATURES, Model.of)
