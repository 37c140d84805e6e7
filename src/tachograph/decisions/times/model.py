"""Predicted times: a curve and the memory for each way of each task.

The logarithm of the seconds is a Gaussian process over the logarithms of sizes and a few numbers about
how the graph opens up, so that what is near a measured graph is like it and what is far follows the
trend. Some of these numbers are measured by a probe of this graph; a prediction without it takes what
is usual for such graphs, and has a margin of its own. Training points and weights are a small file,
made by ``tacho train times``. Seconds are those of the machine it was trained on; ``tasks`` scales them
by what the calibration says of this one.
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
from ...journal.code import code_hash
from ..model_file import LARGEST_VALUE, Kept, ModelFile

__all__ = [
    "CONFIDENCE",
    "KERNELS",
    "PROBED",
    "SHAPE_FEATURES",
    "SHORTEST_SECONDS",
    "Curve",
    "Model",
    "Predicted",
]
__all__ += ["graph_shape", "shape", "the_model", "with_meeting"]

CONFIDENCE = 0.9  # of the interval
SHORTEST_SECONDS = 2e-5  # what a call takes, whatever it does
UNKNOWN_FACTOR = 10.0  # up and down: the interval where nothing was ever measured
LARGEST_LOG_SECONDS = 20.0
MEMORY_PARTS = 5  # fixed, vertices, arcs, turned arcs, weights
NEARBY_VERTICES = 1 << 14  # around the source that are looked at
#: Features that a probe measures: three of the graph, and what workers take to wait for each other.
PROBED = ("log_gather", "log_further", "log_common", "log_meeting")
#: Beyond which nothing was learned: predictions do not follow it.
MEETING_NANOSECONDS = (50.0, 500.0)
SHAPE_FEATURES = (
    "log_n", "log_arcs", "log_degree", "log_max_degree", "gini", "log_early", "log_levels",
    "closing", "bits", "small", "directed", "spread", "log_source_degree", "log_seen",
    "log_source_levels", *PROBED,
)  # fmt: skip
#: What a task's time is that of, below the package: if it changes, measured times are stale.
KERNELS = {
    "bfs": ("kernels/bfs",),
    "sssp": ("kernels/sssp", "kernels/bfs"),
    "pagerank": ("kernels/pagerank",),
    "connected_components": ("kernels/components.py",),
    "jaccard": ("kernels/similarity",),
    "maximal_independent_set": ("kernels/independent_set",),
    "maximum_flow": ("kernels/flow",),
}
KINDS = ("skewed", "deep", "even")  # of graphs, each with a margin of its own
SKEWED_FROM_GINI, DEEP_FROM_LEVELS = 0.45, 12.0
Numbers = NDArray[np.float64]


def kind_of(numbers: Mapping[str, float]) -> int:
    """Return the number of a graph's kind: with hubs, with long paths, or neither.

    >>> import tachograph as tg
    >>> [KINDS[kind_of(shape(g))] for g in (tg.kronecker(10, rng=1), tg.road(40, 40))]
    ['skewed', 'deep']
    """
    if numbers["gini"] >= SKEWED_FROM_GINI:
        return 0
    return 1 if numbers["log_levels"] >= math.log(DEEP_FROM_LEVELS) else 2


def shape(graph: Graph, source: int | None = None, probe: bool = True) -> dict[str, float]:
    """The numbers a prediction looks at, of a graph and of the vertex a search begins at.

    Without ``probe`` nothing is measured, and ``PROBED`` are missing.
    """
    return with_meeting(graph_shape(graph, source, probe))


def graph_shape(graph: Graph, source: int | None, probe: bool) -> dict[str, float]:
    """All of ``shape`` but how far cores are apart.

    It costs a pass over the vertices and about a millisecond of small searches, once for a graph.
    """
    from ...kernels.features import balls

    f = graph.features
    opening = f.opening
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
        float(graph.directed), min(spread, 4.0), *(math.log(x + 1.0) for x in around),
    )  # fmt: skip
    if probe:
        values += tuple(math.log(x + 0.1) for x in f.probe.values())
    return dict(zip(SHAPE_FEATURES, values, strict=False))


def with_meeting(numbers: Mapping[str, float]) -> dict[str, float]:
    """Add how far cores are apart to the shape of a graph that was probed.

    That depends on the threads that may be used, and changes: it is not to be kept with a graph.
    """
    from ...kernels.features import meeting

    if PROBED[0] not in numbers:
        return dict(numbers)
    low, high = MEETING_NANOSECONDS
    return {**numbers, PROBED[-1]: math.log(min(max(meeting(), low), high) + 0.1)}


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
    margins: (
        Numbers  # of the logarithm, at the confidence: for each of KINDS, with and without probe
    )
    memory: Numbers  # bytes for each of MEMORY_PARTS

    def log_seconds(self, x: Numbers) -> float:
        """The logarithm of the seconds at a standardised place."""
        near = np.exp(-(((self.points - x) / self.widths) ** 2).sum(axis=1) / 2)
        return float(
            self.mean + (self.linear * (self.points @ x) + self.radial * near) @ self.weights
        )

    def arrays(self, name: str) -> dict[str, NDArray[np.generic]]:
        """Return the numbers for a file."""
        numbers = np.array([self.mean, self.linear, self.radial, *self.margins.ravel()])
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
        found = file.arrays.get(f"{name}.numbers", np.empty(0))
        numbers = np.asarray(found, np.float64)  # margins may be infinite
        sizes, margins = numbers[:3], numbers[3:]
        known = (margins == math.inf) | ((margins >= 0) & (margins <= LARGEST_LOG_SECONDS))
        right = numbers.shape == (3 + 2 * len(KINDS),) and known.all()
        if not right or not (np.abs(sizes) <= LARGEST_VALUE).all():
            raise file.problem(f"{name}.numbers should be three numbers and margins")
        memory = file.array(f"{name}.memory", (MEMORY_PARTS,), least=0.0)
        mean, linear, radial = sizes.tolist()
        each = margins.reshape(2, len(KINDS))
        return cls(points, weights, widths, mean, linear, radial, each, memory)


def unprobed(x: Numbers, usual: Numbers) -> Numbers:
    """Replace the last, probed features of standardised places by what is usual for the others."""
    others = x[..., : -len(PROBED)]
    return np.concatenate([others, others @ usual.T], axis=-1)


@dataclass(frozen=True)
class Model:
    """The curves of all ways, as in ``"bfs/auto"``; what features are standardised by; the card."""

    curves: Mapping[str, Curve]
    middle: Numbers
    scale: Numbers
    usual: Numbers  # what a probe usually finds: a row of weights of the other features for each PROBED
    card: Record

    def __repr__(self) -> str:
        graphs, date = len(self.card.get("graphs", ())), self.card.get("date", "?")
        return f"Model(times of {len(self.curves)} ways, of {graphs} graphs, {date})"

    @classmethod
    def of(cls, file: ModelFile) -> Model:
        """Take the model from a file and check it."""
        if not all(map(sound, file.card.get("calibration", {}).values())):
            raise file.problem("the calibration in its card cannot be right")
        names = [name.removesuffix(".points") for name in file.arrays if name.endswith(".points")]
        size = (len(SHAPE_FEATURES),)
        middle, scale = file.array("middle", size), file.array("scale", size, least=1e-9)
        usual = file.array("usual", (len(PROBED), len(SHAPE_FEATURES) - len(PROBED)))
        curves = {name: Curve.of(file, name) for name in names}
        return cls(curves, middle, scale, usual, file.card)

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """Return the numbers for a file."""
        made: dict[str, NDArray[np.generic]]
        made = {"middle": self.middle, "scale": self.scale, "usual": self.usual}
        for name, curve in self.curves.items():
            made |= curve.arrays(name)
        return made

    def predict(self, name: str, numbers: Mapping[str, float]) -> Predicted | None:
        """Predict the time of a task and way on a graph of that shape; None for an unknown way."""
        curve = self.curves.get(name)
        if curve is None:
            return None
        without_probe = PROBED[0] not in numbers
        known = np.array([numbers.get(field, 0.0) for field in SHAPE_FEATURES])
        x = (known - self.middle) / self.scale
        if without_probe:
            x = unprobed(x, self.usual)
        log = min(max(curve.log_seconds(x), -LARGEST_LOG_SECONDS), LARGEST_LOG_SECONDS)
        seconds = max(math.exp(log), SHORTEST_SECONDS)
        margin = float(curve.margins[int(without_probe), kind_of(numbers)])
        off = math.exp(margin) if math.isfinite(margin) else UNKNOWN_FACTOR
        return Predicted(seconds, seconds / off, seconds * off)

    def stale(self, task: str) -> bool:
        """Return whether a task was timed with kernels that are not those here, or not known."""
        timed = self.card.get("kernels", {}).get(task)
        return task in KERNELS and timed != code_hash(*KERNELS[task])

    def peak(self, name: str, graph: Graph) -> int | None:
        """Predict the bytes that a way takes beside the graph, at its peak."""
        curve = self.curves.get(name)
        if curve is None:
            return None
        turned = graph.arcs if graph.directed else 0
        each = np.array([1.0, graph.n, graph.arcs, turned, graph.arcs * graph.weighted])
        return int(each @ curve.memory)


the_model: Kept[Model] = Kept("times", SHAPE_FEATURES, Model.of)
