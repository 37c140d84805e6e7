"""Where a kernel runs: on the host or on the device, decided at every call.

A policy is a function of a :class:`Call` that gives ``"host"`` or ``"device"``; users can write their
own. Those here are: always the same place (:class:`Fixed`); the break-point equation of C. Eryilmaz,
"Fine-Grain Acceleration of Graph Algorithms on a Heterogeneous Chip" (2017) (:class:`BreakPoint`);
times predicted from the work (:class:`Learned`). The oracle, which times both, is in ``algorithms``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...devices.calibrate import calibrate, calibration
from ...devices.host import Host
from ...devices.opencl import OpenCL
from ...journal import journal
from ...util.errors import FileFormatError, InputError

# fmt: off
__all__ = ["KERNELS", "PLACES", "BreakPoint", "Call", "Fixed", "Learned", "Policy", "break_point",
           "fit", "hinted", "named", "remember"]

PLACES = ("host", "device")
#: The kernels of each algorithm, with the published places of those above the break point, and scalar
#: instructions for each vector instruction: published for the set, declared for the flow.
KERNELS: dict[str, dict[str, tuple[str, float]]] = {
    "mis": {"randomize": ("host", 9.12), "select": ("device", 1.02), "deactivate": ("device", 0.89)},
    "maxflow": {"preflow": ("device", 4.0), "push-adjust": ("host", 4.0), "bfs": ("device", 4.0)},
}
# fmt: on


class Call(NamedTuple):
    """A kernel about to be run: what a policy looks at."""

    kernel: str
    iteration: int
    vertices: int  # entries of the work list
    arcs: int  # their arcs
    total: int  # vertices of the graph


Policy = Callable[[Call], str]


@dataclass(frozen=True)
class Fixed:
    """The same place always, or a place for each kernel.

    >>> Fixed("host")(Call("select", 0, 10, 20, 10))
    'host'
    """

    where: str | Mapping[str, str]

    def __post_init__(self) -> None:
        places = [self.where] if isinstance(self.where, str) else list(self.where.values())
        if not set(places) <= set(PLACES):
            raise InputError(f"placement {self.where!r}: a kernel runs on 'host' or 'device'")

    def __call__(self, call: Call) -> str:
        if isinstance(self.where, str):
            return self.where
        return self.where.get(call.kernel, "host")


def break_point(frequency_ratio: float, factor: float, ratios: Any) -> float:
    """The share of parallelism, in percent, below which all work goes to the host.

    Parameters
    ----------
    frequency_ratio
        Clock rate of the host divided by that of the device.
    factor
        Speed of scalar work on the device divided by that of vector work.
    ratios
        For each kernel, scalar instructions for each vector instruction.

    Examples
    --------
    >>> round(break_point(5.5, 1 / 16, (9.12, 1.02, 0.89)), 1)  # published as 26.3
    26.4
    """
    product = frequency_ratio * factor * sum(ratios)
    if not product > 0 or not np.isfinite(product):
        raise InputError("the break point needs ratios above zero")
    return float(100 / product)


@dataclass(frozen=True)
class BreakPoint:
    """Above the break point each kernel has its place, below it all run on the host."""

    percent: float
    above: Mapping[str, str] = field(default_factory=dict)  # default: on the device

    def __call__(self, call: Call) -> str:
        if 100 * call.vertices <= self.percent * call.total:
            return "host"
        return self.above.get(call.kernel, "device")


@dataclass(frozen=True)
class Learned:
    """The place with the shorter predicted time: constant + vertices + arcs, for each kernel.

    ``times`` has, for each kernel and place, the seconds of a call, of a vertex and of an arc.
    """

    times: Mapping[str, Mapping[str, Any]]

    def predict(self, call: Call, place: str) -> float:
        """Seconds."""
        try:
            a, b, c = self.times[call.kernel][place]
        except KeyError:
            raise InputError(
                f"no times of the kernel {call.kernel} are known: tacho train placement"
            ) from None
        return float(a + b * call.vertices + c * call.arcs)

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
        return "host" if a + b * call.vertices + c * call.arcs <= 0 else "device"


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


def named(name: str, task: str, host: Host, device: OpenCL) -> Policy:
    """The policy that users call ``name``, for this machine.

    ``"host"``, ``"device"``; ``"break-point"``, by the equation, with rates from the calibration, which
    is made if there is none; ``"learned"``, if ``tacho train placement`` was run; the name of a TOML
    file with hints (see :func:`hinted`); ``"auto"``: learned if possible, else by the break point, but
    on the host if the device only has some of its cores, which the equation does not know of.
    """
    if name in PLACES:
        return Fixed(name)
    kept = journal().get("placement", _key(task, host, device))
    if name == "learned" or (name == "auto" and kept is not None):
        if kept is None:
            raise InputError("no times were learned yet on this machine: tacho train placement")
        return Learned(kept["times"])
    if name == "auto" and device.threads:
        return Fixed("host")
    if name in ("break-point", "auto"):
        return _by_equation(task, host, device)
    if name.endswith(".toml"):
        return hinted(Path(name), task)
    raise InputError(
        f"placement = {name!r}: known are auto, host, device, break-point, learned, oracle, and files "
        "with hints (.toml)"
    )


def remember(model: Learned, task: str, host: Host, device: OpenCL) -> None:
    """Keep what was learned for :func:`named`."""
    journal().put("placement", _key(task, host, device), {"times": model.times})


def _key(task: str, host: Host, device: OpenCL) -> str:
    return f"{task}; {host.key}; {device.key}"


def _by_equation(task: str, host: Host, device: OpenCL) -> BreakPoint:
    """Clock rates are taken from chains of dependent operations, the factor from the device's own.

    Instructions are those of the host's compiled kernels if they were counted (``tacho train``), else
    as published or declared.
    """
    here = calibration(host) or calibrate(host)
    there = calibration(device) or calibrate(device)
    rates = [float(x or 0) for x in (here["scalar"], there["scalar"], there["vector"])]
    table = KERNELS[task]
    counted = journal().get("instructions", task) or {}
    ratios = [counted.get(kernel, ratio) for kernel, (_, ratio) in table.items()]
    percent = break_point(rates[0] / rates[1], rates[1] / rates[2], ratios)
    return BreakPoint(min(percent, 100.0), {kernel: place for kernel, (place, _) in table.items()})


def hinted(path: Path, task: str) -> BreakPoint:
    """A break point and places from a small TOML file.

    Either ``percent`` or ``frequency_ratio`` and ``factor``; the table ``ratios`` has scalar over
    vector instructions of kernels, the table ``above`` their places above the break point::

        frequency_ratio = 5.5
        factor = 0.0625
        [ratios]
        randomize = 9.12
        [above]
        randomize = "host"

    Raises
    ------
    FileFormatError
        If it is not TOML, or has other entries than these.
    """
    try:
        hints = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise FileFormatError(path, f"no hints can be read: {problem}") from None
    table = KERNELS[task]
    known = {"percent", "frequency_ratio", "factor", "ratios", "above"}
    strange = [*(set(hints) - known), *(set(hints.get("ratios", {})) - set(table)),
               *(set(hints.get("above", {})) - set(table))]  # fmt: skip
    if strange:
        raise FileFormatError(
            path, f"unknown: {', '.join(sorted(strange))}; kernels: {', '.join(table)}"
        )
    above = {kernel: place for kernel, (place, _) in table.items()} | hints.get("above", {})
    Fixed(above)  # refuses places that are none
    if "percent" in hints:
        return BreakPoint(float(hints["percent"]), above)
    if not {"frequency_ratio", "factor"} <= set(hints):
        raise FileFormatError(path, "needs percent, or frequency_ratio and factor")
    ratios = [hints.get("ratios", {}).get(kernel, ratio) for kernel, (_, ratio) in table.items()]
    return BreakPoint(break_point(hints["frequency_ratio"], hints["factor"], ratios), above)
