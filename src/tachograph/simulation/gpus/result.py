"""What a GPU would have done: exact values, a simulated time with its error, a trace of launches."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...algorithms.result import Trace
from ...plots.numbers import seconds as form

__all__ = ["Band", "GpuSimulation"]


@dataclass(frozen=True)
class Band:
    """How far a simulated time may be off: the kind of run, and what validation found for that kind.

    ``median`` and ``most`` are the median and the 90th percentile of max(r, 1/r), where r is the
    simulated over the measured time; None where nothing was validated.
    """

    kind: str
    median: float | None
    most: float | None

    def beside(self, other: Band) -> Band:
        """Return the band of a time that is off by both, independently: logarithms add as squares."""
        if self.median is None or self.most is None or other.median is None or other.most is None:
            return self
        both = (math.exp(math.hypot(math.log(a), math.log(b))) for a, b in (
            (self.median, other.median), (self.most, other.most)))  # fmt: skip
        return Band(f"{self.kind}, predicted", *both)

    def interval(self, seconds: float) -> tuple[float, float] | None:
        """Return the seconds between which nine of ten runs of that kind were."""
        return None if self.most is None else (seconds / self.most, seconds * self.most)

    def __str__(self) -> str:
        if self.median is None or self.most is None:
            return f"{self.kind}: not validated"
        return (
            f"{self.kind}: off by a factor of {self.median:.2f} (median) and {self.most:.2f} (90 %)"
        )


@dataclass(frozen=True, repr=False)
class GpuSimulation:
    """What a GPU would have done. Times are simulated; values are exact.

    ``seconds`` is the run on the GPU, ``copy_seconds`` what copying graph and result over the bus would
    add (0 if host and GPU share one memory). ``band`` says how far the time may be off. The trace has a
    row for each launch: what it launched, how much work there was, and how long launching, issuing, the
    L2 and the memory take; work in them overlaps, so that ``seconds`` is less than their sum. Values
    are attributes that are called as in the task's own result, such as ``levels``.
    """

    task: str
    gpu: str
    seconds: float
    copy_seconds: float
    iterations: int
    band: Band
    trace: Trace
    values: dict[str, Any]
    memory_used: int
    accesses_per_second: float  # of the L2, simulated on this machine
    provenance: str = "simulated"

    def __getattr__(self, name: str) -> Any:
        values = self.__dict__.get("values", {})
        if name in values:
            return values[name]
        raise AttributeError(f"{type(self).__name__} has no {name!r}; values: {', '.join(values)}")

    @property
    def interval(self) -> tuple[float, float] | None:
        """Seconds between which nine of ten runs of that kind were; None if not validated."""
        return self.band.interval(self.seconds)

    def shares(self) -> dict[str, float]:
        """Return seconds of launches, issue, L2 and memory, and what overlap saved."""
        found = {n: float(self.trace[n].sum()) for n in ("launch", "issue", "l2", "dram")}
        return {**found, "overlapped": sum(found.values()) - self.seconds}

    def numbers(self) -> dict[str, Any]:
        """Return what can be told in numbers, without the values of the vertices."""
        low, high = self.interval or (None, None)
        names = (
            "task",
            "gpu",
            "seconds",
            "copy_seconds",
            "iterations",
            "memory_used",
            "provenance",
        )
        made = {name: getattr(self, name) for name in names}
        return {**made, "low": low, "high": high, "band": str(self.band), "shares": self.shares()}

    def to_dict(self) -> dict[str, Any]:
        """Return numbers and values by name."""
        return {**self.numbers(), **self.values}

    def _repr_html_(self) -> str:
        from ...plots.tables import result_html

        shown = {k: f"{v:,.6g}" for k, v in self.numbers().items() if isinstance(v, int | float)}
        return result_html(f"{self.task} on {self.gpu}", shown, self.trace.to_dict())

    def __repr__(self) -> str:
        between = self.interval
        text = "" if between is None else f", {form(between[0])} to {form(between[1])}"
        return (
            f"GpuSimulation({self.task} on {self.gpu}, {form(self.seconds)} simulated{text}, "
            f"{self.iterations} iterations)"
        )

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        first = next(iter(self.values.values()))
        return np.array(first, dtype=dtype, copy=copy)
