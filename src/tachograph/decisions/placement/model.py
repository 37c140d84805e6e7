"""The learned placement: predicted times of a call on the host and on the device; policies by name.

There is no model in the package: times belong to a machine and its device. ``tacho train placement``
makes one; a file holds those of all devices that it was run with.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...devices.calibrate import calibration
from ...devices.host import Host
from ...devices.opencl import OpenCL
from ...util.errors import InputError
from ..model_file import Kept, ModelFile
from .hardware import chip_of
from .rules import BreakPoint, Fixed, Policy, hinted, published_hints
from .state import KERNELS, PLACES, Call

__all__ = ["Learned", "Model", "fit", "key_of", "named", "the_model", "with_copies"]


@dataclass(frozen=True)
class Learned:
    """The place with the shorter predicted time: constant + vertices + arcs, for each kernel.

    ``times`` has, for each kernel and place, the seconds of a call, of a vertex and of an arc,
    ``byte_seconds`` what it takes to copy a byte to the other side.
    """

    times: Mapping[str, Mapping[str, Sequence[float]]]
    byte_seconds: float = 0.0

    def predict(self, call: Call, place: str) -> float:
        """Seconds, with what must be copied first."""
        try:
            a, b, c = self.times[call.kernel][place]
        except KeyError:
            raise InputError(
                f"no times of the kernel {call.kernel} are known: tacho train placement"
            ) from None
        copied = self.byte_seconds * call.moves[PLACES.index(place)]
        return float(a + b * call.vertices + c * call.arcs + copied)

    @cached_property
    def _later(self) -> dict[str, tuple[float, ...]]:
        """By how much the host is later, for each kernel: some calls take no longer than predicting."""
        pairs = {
            kernel: zip(*(of[p] for p in PLACES), strict=True) for kernel, of in self.times.items()
        }
        return {
            kernel: tuple(here - there for here, there in both) for kernel, both in pairs.items()
        }

    def __call__(self, call: Call) -> str:
        if call.kernel not in self._later:
            self.predict(call, "host")  # says what is missing
        a, b, c = self._later[call.kernel]
        here, there = call.moves
        later = a + b * call.vertices + c * call.arcs + self.byte_seconds * (here - there)
        return "host" if later <= 0 else "device"


def fit(samples: Mapping[str, Sequence[Sequence[float]]]) -> Learned:
    """A model from measured calls: for each kernel (vertices, arcs, seconds on host, on device).

    Coefficients are not negative, and errors count relative to the time, so that short calls, which
    are most, are predicted as well as long ones.
    """
    from scipy.optimize import nnls

    times: dict[str, dict[str, list[float]]] = {}
    for kernel, rows in samples.items():
        table = np.array(rows, float)
        matrix = np.column_stack([np.ones(len(table)), table[:, 0], table[:, 1]])
        times[kernel] = {}
        for place, seconds in zip(PLACES, (table[:, 2], table[:, 3]), strict=True):
            weight = 1 / np.maximum(seconds, 1e-7)
            times[kernel][place] = nnls(matrix * weight[:, None], seconds * weight)[0].tolist()
    return Learned(times)


def key_of(task: str, host: Host, device: OpenCL) -> str:
    """What the times of a task on two devices are kept under."""
    return f"{task}; {host.key}; {device.key}"


@dataclass(frozen=True)
class Model:
    """Learned policies by :func:`key_of`, and instructions counted in the host's kernels by task."""

    policies: Mapping[str, Learned] = field(default_factory=dict)
    instructions: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    @classmethod
    def of(cls, file: ModelFile) -> Model:
        """Take the model from a file and check it."""
        times: dict[str, dict[str, dict[str, list[float]]]] = {}
        counted: dict[str, dict[str, float]] = {}
        for name in file.arrays:
            kind, key, kernel = name.split("|")
            if kind == "instructions":
                counted.setdefault(key, {})[kernel] = float(file.array(name, (1,), least=0.0)[0])
            else:
                both = file.array(name, (len(PLACES), 3), least=0.0).tolist()
                times.setdefault(key, {})[kernel] = dict(zip(PLACES, both, strict=True))
        return cls({key: Learned(kernels) for key, kernels in times.items()}, counted)

    def arrays(self) -> dict[str, NDArray[np.float64]]:
        """Return the numbers for a file."""
        made = {
            f"times|{key}|{kernel}": np.array([times[place] for place in PLACES], float)
            for key, policy in self.policies.items()
            for kernel, times in policy.times.items()
        }
        counts = {
            f"instructions|{task}|{kernel}": np.array([ratio], float)
            for task, kernels in self.instructions.items()
            for kernel, ratio in kernels.items()
        }
        return made | counts

    def policy(self, task: str, host: Host, device: OpenCL) -> Learned | None:
        """Return what was learned about a task on these devices, or None."""
        learned = self.policies.get(key_of(task, host, device))
        return None if learned is None else with_copies(learned, device)


def with_copies(learned: Learned, device: OpenCL) -> Learned:
    """Return a policy that knows how long a byte is under way, if the device's calibration says it.

    In the host's memory nothing is under way, but arrays move to where both can use them: each byte is
    read and written.
    """
    known = calibration(device) or {}
    rate = known.get("transfer") or (known.get("stream") or 0) / 2
    return replace(learned, byte_seconds=1e-9 / rate) if rate else learned


the_model: Kept[Model] = Kept("placement", Call._fields, Model.of)


def named(name: str, task: str, host: Host, device: OpenCL) -> Policy:
    """The policy that users call ``name``, for this machine.

    ``"host"``, ``"device"``; ``"break-point"``, by the equation, with this machine's clock rates;
    ``"published"``, by the paper's own tables; ``"learned"``, if ``tacho train placement`` was run; the
    name of a tuning file (see :func:`hinted`); ``"auto"``: learned if possible, else by the break
    point, but on the host if the device only has some of its cores, which the equation does not know
    of.
    """
    if name in PLACES:
        return Fixed(name)
    known = the_model.find() if name in ("learned", "auto") else None
    policy = known.policy(task, host, device) if known else None
    if policy is not None:
        return policy
    if name == "learned":
        raise InputError("no times were learned yet on this machine: tacho train placement")
    if name == "auto" and device.threads:
        return Fixed("host")
    if name in ("break-point", "auto"):
        return _by_equation(task, host, device)
    if name == "published":
        return published_hints(task)
    if name.endswith(".toml"):
        return hinted(Path(name), task)
    raise InputError(
        f"placement = {name!r}: known are auto, host, device, break-point, published, learned, oracle, "
        "and files with hints (.toml)"
    )


def _by_equation(task: str, host: Host, device: OpenCL) -> BreakPoint:
    """Apply the equation to this machine.

    Instructions are the published ones; where there are none, those of the host's compiled kernels, as
    ``tacho train`` has counted them, or as they were counted for the table.
    """
    table, known = KERNELS[task], the_model.find()
    counted = known.instructions.get(task, {}) if known else {}
    ratios = [
        counted.get(name, kernel.ratio) if kernel.counted else kernel.ratio
        for name, kernel in table.items()
    ]
    percent = chip_of(host, device).break_point(ratios)
    return BreakPoint(min(percent, 100.0), {name: kernel.above for name, kernel in table.items()})
