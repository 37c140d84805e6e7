"""Which part of the edges the host computes, and whether two devices beat one.

The time of a device is predicted as the steps it has to take by the rate at which it gathers (from its
calibration), times a factor that depends on the graph's degrees: mean, Gini index, least and greatest.
The logarithm of the factor is linear in these; its coefficients come from ``tacho train split``.
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
from ..model_files import current_model

__all__ = ["FEATURES", "FILE", "Expected", "Model", "State", "choose", "expected", "model"]

FEATURES = ("one", "log mean degree", "gini", "log least degree", "log greatest degree", "log size")
MARGIN = 0.95  # two devices must be predicted to take less than this part of the time of one
FILE = "split.json"


@dataclass(frozen=True)
class State:
    """What is looked at."""

    n: int
    edges: int
    mean: float
    gini: float
    least: int
    greatest: int
    work: float  # mean over the edges of the smaller degree
    transfer: int  # bytes that must be copied to the device first

    @classmethod
    def of(cls, graph: Graph, transfer: int) -> State:
        from ...kernels.similarity.edges import sampled_work

        f = graph.features
        work = sampled_work(graph.indptr, graph.indices)
        return cls(graph.n, graph.arcs // 2, f.mean_degree, f.gini, f.min_degree, f.max_degree, work,
                   transfer)  # fmt: skip

    @property
    def steps(self) -> float:
        """Steps of the loops over all edges."""
        return self.edges * (self.work + 12) + 10.0 * self.n

    @property
    def features(self) -> np.ndarray:
        """As the model takes them."""
        return np.array([
            1.0, math.log1p(self.mean), self.gini, math.log1p(self.least), math.log1p(self.greatest),
            math.log1p(self.n),
        ])  # fmt: skip


@dataclass(frozen=True)
class Model:
    """Coefficients for the host, for devices on its cores and for others, and how good they are."""

    host: np.ndarray
    shared: np.ndarray
    apart: np.ndarray
    card: dict[str, Any]

    @classmethod
    def read(cls, path: Path) -> Model:
        data = json.loads(path.read_text(encoding="utf-8"))
        host, shared, apart = (np.array(data[k]) for k in ("host", "shared", "apart"))
        return cls(host, shared, apart, data["card"])

    def write(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        data = {k: getattr(self, k).tolist() for k in ("host", "shared", "apart")}
        text = json.dumps({"features": FEATURES, **data, "card": self.card}, indent=2)
        path.write_text(text + "\n", encoding="utf-8")


@dataclass(frozen=True)
class Expected:
    """Predicted seconds, and the host's part if both work."""

    host: float
    device: float
    both: float
    share: float


def model() -> Model:
    """The user's own model, or the one that comes with the package."""
    return _read(*current_model(FILE))


@functools.lru_cache(maxsize=4)
def _read(path: Path, changed: int) -> Model:
    return Model.read(path)


def expected(
    state: State, host: dict[str, Any], device: dict[str, Any], shares_cores: bool
) -> Expected:
    """Predicted times from the calibrations of both."""
    known = model()
    weights = known.shared if shares_cores else known.apart
    x, steps = state.features, state.steps / 1e6
    ours = float(steps / host["gather"] * np.exp(x @ known.host))
    theirs = float(steps / device["gather"] * np.exp(x @ weights)) + device["latency"] / 1e6
    if device["transfer"]:
        theirs += state.transfer / device["transfer"] / 1e9
    order = 1e-8 * state.n
    both = ours * theirs / (ours + theirs) + order + 4 * device["latency"] / 1e6
    return Expected(ours, theirs, both, theirs / (ours + theirs))


def choose(host: float, device: float, both: float) -> str:
    """``"host"``, ``"device"`` or ``"both"``, from predicted seconds.

    >>> choose(1.0, 1.2, 0.6), choose(1.0, 9.0, 0.97), choose(1.0, 0.1, 0.2)
    ('both', 'host', 'device')
    """
    one = min(host, device)
    if both < MARGIN * one:
        return "both"
    return "host" if host <= device else "device"
