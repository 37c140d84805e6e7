"""Predicted times of host, device and both, and who computes what.

The time of a device is predicted as the steps it has to take by the rate at which it gathers (from its
calibration), times a factor that depends on the graph's degrees. The logarithm of the factor is linear
in ``DEGREE_FEATURES``; its coefficients come from ``tacho train split``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..model_file import Kept, ModelFile
from .state import DEGREE_FEATURES, State

__all__ = ["Expected", "Model", "State", "choose", "expected", "the_model"]

WORTH_BOTH = 0.95  # two devices must be predicted to take less than this part of the time of one
ORDERING_SECONDS = 1e-8  # for each vertex, to put the edges in order for two devices
LATENCIES_OF_BOTH = 4  # of the device, that sharing the edges with the host costs
Rates = Mapping[str, float | None]
Numbers = NDArray[np.float64]


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


def expected(state: State, host: Rates, device: Rates, shares_cores: bool) -> Expected:
    """Predict times from the calibrations of both."""
    known = the_model()
    weights = known.shared if shares_cores else known.apart
    x, steps = state.features, state.steps / 1e6
    ours = float(steps / (host["gather"] or 0) * np.exp(x @ known.host))
    latency = (device["latency"] or 0) / 1e6
    theirs = float(steps / (device["gather"] or 0) * np.exp(x @ weights)) + latency
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
