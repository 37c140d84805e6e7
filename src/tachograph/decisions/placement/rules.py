"""Rules that say where a kernel runs: always the same place, or by the break-point equation.

A policy is a function of a :class:`~.state.Call` that gives ``"host"`` or ``"device"``; users can write
their own. The equation is that of C. Eryilmaz, "Fine-Grain Acceleration of Graph Algorithms on a
Heterogeneous Chip" (2017).
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ...util.errors import FileFormatError, InputError
from .state import KERNELS, PLACES, Call

__all__ = ["RULES", "BreakPoint", "Fixed", "Policy", "break_point", "hinted"]

RULES = (*PLACES, "break-point")
HINTS = {"percent", "frequency_ratio", "factor", "ratios", "above"}
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


def break_point(frequency_ratio: float, factor: float, ratios: Iterable[float]) -> float:
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
    named = {*hints.get("ratios", {}), *hints.get("above", {})}
    strange = {*(set(hints) - HINTS), *(named - set(table))}
    if strange:
        raise FileFormatError(
            path, f"unknown: {', '.join(sorted(strange))}; kernels: {', '.join(table)}"
        )
    above = {name: kernel.above for name, kernel in table.items()} | hints.get("above", {})
    Fixed(above)  # refuses places that are none
    if "percent" in hints:
        return BreakPoint(float(hints["percent"]), above)
    if not {"frequency_ratio", "factor"} <= set(hints):
        raise FileFormatError(path, "needs percent, or frequency_ratio and factor")
    ratios = [hints.get("ratios", {}).get(name, kernel.ratio) for name, kernel in table.items()]
    return BreakPoint(break_point(hints["frequency_ratio"], hints["factor"], ratios), above)
