"""Predicted times of host, device and both, and who computes what.

The time of a device is predicted as the steps it has to take by the rate at which it gathers (from its
calibration), times a factor that depends on the graph's degrees. The logarithm of the factor is linear
in ``DEGREE_FEATURES``; its coefficients come from ``tacho train split``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...graph.graph import Graph
from ..model_file import Kept, ModelFile

__all__ = ["DEGREE_FEATURES", "Expected", "Model", "State", "choose", "expected", "the_model"]

WORTH_BOTH = 0.95  # two devices must be predicted to take less than this part of the time of one
ORDERING_SECONDS = 1e-8  # for each vertex, to put the edges in order for two devices
LATENCIES_OF_BOTH = 4  # of the device, that sharing the edges with the host costs
#: What the degrees of a graph say; see :meth:`State.features`.
LOG_FEATURES = ("log least degree", "log greatest degree", "log size")
DEGREE_FEATURES = ("one", "log mean degree", "gini", *LOG_FEATURES)
STEPS_PER_EDGE, STEPS_PER_VERTEX = 12, 10.0  # beside those of the loops over neighbours
LARGEST_LOG = 50.0  # of how many times longer a step takes
Rates = Mapping[str, float | None]
Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class State:
    """Sizes and degrees of a graph, and what must be copied to the device first."""

    n: int
    edges: int
    mean: float
    gini: float
    least: int
    greatest: int
    work: float  # mean over the edges of the smaller degree
    transfer: int  # bytes

    @classmethod
    def of(cls, graph: Graph, transfer: int) -> State:
        """Measure a graph; ``transfer`` is 0 if the device has it."""
        from ...kernels.similarity.edges import sampled_work

        f = graph.features
        degrees = (f.mean_degree, f.gini, f.min_degree, f.max_degree)
        work = sampled_work(graph.indptr, graph.indices)
        return cls(graph.n, graph.arcs // 2, *degrees, work, transfer)

    @property
    def steps(self) -> float:
        """Steps of the loops over all edges."""
        return self.edges * (self.work + STEPS_PER_EDGE) + STEPS_PER_VERTEX * self.n

    @property
    def features(self) -> NDArray[np.float64]:
        """The values of ``DEGREE_FEATURES``."""
        logs = [math.log1p(x) for x in (self.mean, self.least, self.greatest, self.n)]
        return np.array([1.0, logs[0], self.gini, *logs[1:]])


class Model(NamedTuple):
    """Coefficients for the host, for devices on its cores, and for devices apart from it."""

    host: Numbers
    shared: Numbers
    apart: Numbers

    @classmethod
    def of(cls, file: ModelFile) -> Model:
        """Take the model from a file and check it."""
        return cls(*(file.array(name, (len(DEGREE_FEATURES),)) for name in cls._fields))

    def arrays(self) -> dict[str, Numbers]:
        """Return the numbers for a file."""
        return self._asdict()


the_model: Kept[Model] = Kept("split", DEGREE_FEATURES, Model.of)


class Expected(NamedTuple):
    """Predicted seconds, and the host's part if both work."""

    host: float
    device: float
    both: float
    share: float


def _times(features: Numbers, weights: Numbers) -> float:
    """Return how many times longer a step takes on a graph of these features; never 0 nor infinite."""
    return math.exp(min(max(float(features @ weights), -LARGEST_LOG), LARGEST_LOG))


def expected(state: State, host: Rates, device: Rates, shares_cores: bool) -> Expected:
    """Predict times from the calibrations of both."""
    known = the_model()
    weights = known.shared if shares_cores else known.apart
    x, steps = state.features, state.steps / 1e6
    ours = float(steps / (host["gather"] or 0) * _times(x, known.host))
    latency = (device["latency"] or 0) / 1e6
    theirs = float(steps / (device["gather"] or 0) * _times(x, weights)) + latency
    if device["transfer"]:
        theirs += state.transfer / device["transfer"] / 1e9
    shared = ours * theirs / (ours + theirs)
    both = shared + ORDERING_SECONDS * state.n + LATENCIES_OF_BOTH * latency
    return Expected(ours, theirs, both, theirs / (ours + theirs))


def choose(host: float, device: float, both: float) -> str:
    """``"host"``, ``"device"`` or ``"both"``, from predicted seconds.

    >>> choose(1.0, 1.2, 0.6), choose(1.0, 9.0, 0.97), choose(1.0, 0.1, 0.2)
    ('both', 'host', 'device')
    """
    if both < WORTH_BOTH * min(host, device):
        return "both"
    return "host" if host <= device else "device"
