"""Rules that say where a kernel runs: always the same place, or by the break-point equation.

A policy is a function of a :class:`~.state.Call` that gives ``"host"`` or ``"device"``; users can write
their own. The equation is that of C. Eryilmaz, "Fine-Grain Acceleration of Graph Algorithms on a
Heterogeneous Chip" (2017).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...util.errors import FileFormatError, InputError
from ...util.settings import ANY_KEY, NUMBER, Number, check_shape, read_toml
from .state import KERNELS, PLACES, Call, Kernel

__all__ = ["PAPERS_CHIP", "RULES", "BreakPoint", "Chip", "Fixed", "Policy", "break_point", "hinted"]
__all__ += ["published_hints"]

RULES = (*PLACES, "break-point", "published")
PERCENT = Number(False, 0, 100)
HINTS = {
    "percent": PERCENT,
    "frequency_ratio": NUMBER,
    "factor": NUMBER,
    "ratios": {ANY_KEY: NUMBER},
    "percents": {ANY_KEY: PERCENT},
    "above": {ANY_KEY: str},
    "below": {ANY_KEY: str},
    "iterations": {ANY_KEY: [str]},
}
TABLES = tuple(name for name, shape in HINTS.items() if isinstance(shape, dict))
PUBLISHED = Path(__file__).with_name("published")  #: the paper's tables, a file for each task
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
    The paper's equation 2, which cuts the result to 26.3:

    >>> round(break_point(5.5, 1 / 16, (9.12, 1.02, 0.89)), 3)
    26.374
    """
    product = frequency_ratio * factor * sum(ratios)
    if not product > 0 or not np.isfinite(product):
        raise InputError("the break point needs ratios above zero")
    return float(100 / product)


class Chip(NamedTuple):
    """What the equation has to know of hardware: two clock rates, and the lanes of one vector unit.

    >>> round(PAPERS_CHIP.break_point((9.12, 1.02, 0.89)), 1)
    26.1
    """

    host_ghz: float
    device_ghz: float
    lanes: float

    def break_point(self, ratios: Iterable[float]) -> float:
        """The equation's percentage for kernels with these ratios of instructions."""
        return break_point(self.host_ghz / self.device_ghz, 1 / self.lanes, ratios)


#: AMD A10-7850K (section V.II): cores at 4 GHz; GCN at 720 MHz, whose SIMD units have 16 lanes. The
#: paper cuts the ratio of its clock rates, 5.56, to 5.5.
PAPERS_CHIP = Chip(4.0, 0.72, 16)


@dataclass(frozen=True)
class BreakPoint:
    """Above the break point each kernel has its place, below it another: by default the host.

    ``percents`` are break points of single kernels. A kernel in ``iterations`` has a place for each
    iteration instead, the last one for all that follow.

    >>> rule = BreakPoint(26.3, {"randomize": "host"}, iterations={"bfs": ("device", "host")})
    >>> [rule(Call(k, 1, 60, 9, 100)) for k in ("randomize", "select", "bfs")]
    ['host', 'device', 'host']
    >>> rule(Call("select", 2, 26, 9, 100)), rule(Call("bfs", 0, 60, 9, 100))
    ('host', 'device')
    """

    percent: float
    above: Mapping[str, str] = field(default_factory=dict)  # default: on the device
    below: Mapping[str, str] = field(default_factory=dict)  # default: on the host
    percents: Mapping[str, float] = field(default_factory=dict)
    iterations: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def __call__(self, call: Call) -> str:
        if places := self.iterations.get(call.kernel):
            return places[min(call.iteration, len(places) - 1)]
        if 100 * call.parallelism <= self.percents.get(call.kernel, self.percent):
            return self.below.get(call.kernel, "host")
        return self.above.get(call.kernel, "device")


def published_hints(task: str) -> BreakPoint:
    """The paper's own decisions for a task, from the tuning file that is part of this package.

    >>> published_hints("maximum_flow").iterations["bfs"]
    ['device', 'host']
    """
    return hinted(PUBLISHED / f"{task}.toml", task)


def hinted(path: Path, task: str) -> BreakPoint:
    """A policy from a tuning file: a break point, places, and hints for single kernels and iterations.

    Either ``percent`` or ``frequency_ratio`` and ``factor`` give the break point, unless all kernels
    have hints of their own. Tables have an entry for each kernel that is to differ: ``ratios``, scalar
    over vector instructions; ``percents``, break points; ``above`` and ``below``, places above and
    below it; ``iterations``, places by iteration, the last one for all that follow::

        frequency_ratio = 5.5
        factor = 0.0625
        [ratios]
        randomize = 9.12
        [percents]
        select = 40
        [above]
        randomize = "host"
        [iterations]
        deactivate = ["device", "host"]

    Raises
    ------
    FileFormatError
        If it is not TOML, or has other entries than these.
    """
    hints = read_toml(path)
    check_shape(path, hints, HINTS)
    kernels = KERNELS[task]
    tables = {name: hints.get(name, {}) for name in TABLES}
    named = {kernel for table in tables.values() for kernel in table}
    strange = {*(set(hints) - set(HINTS)), *(named - set(kernels))}
    if strange:
        raise FileFormatError(
            path, f"unknown: {', '.join(sorted(strange))}; kernels: {', '.join(kernels)}"
        )
    above = {name: kernel.above for name, kernel in kernels.items()} | tables["above"]
    by_iteration = tables["iterations"]
    for table, listed in (
        ("above", [*above.values()]),
        ("below", [*tables["below"].values()]),
        ("iterations", [place for places in by_iteration.values() for place in places]),
    ):
        if strange_places := sorted(set(listed) - set(PLACES)):
            raise FileFormatError(
                path, f"{table}: a kernel runs on 'host' or 'device', not on {strange_places[0]!r}"
            )
    if empty := [name for name, places in by_iteration.items() if not places]:
        raise FileFormatError(path, f"iterations.{empty[0]} names no place")
    percent = _percent(path, hints, tables["ratios"], kernels)
    if percent is None:
        missing = set(kernels) - set(by_iteration) - set(tables["percents"])
        if missing:
            raise FileFormatError(
                path,
                "needs percent, or frequency_ratio and factor, or hints for "
                f"{', '.join(sorted(missing))}",
            )
    return BreakPoint(percent or 0.0, above, tables["below"], tables["percents"], by_iteration)


def _percent(
    path: Path,
    hints: Mapping[str, float],
    given: Mapping[str, float],
    kernels: Mapping[str, Kernel],
) -> float | None:
    """Return the break point that a file gives, or None."""
    if "percent" in hints:
        return float(hints["percent"])
    if not {"frequency_ratio", "factor"} <= set(hints):
        return None
    ratios = [given.get(name, kernel.ratio) for name, kernel in kernels.items()]
    try:
        return break_point(hints["frequency_ratio"], hints["factor"], ratios)
    except InputError as error:
        raise FileFormatError(path, str(error)) from None
