"""What a simulation tells."""

from __future__ import annotations

import os
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, TypedDict, cast

import numpy as np
from numpy.typing import NDArray

from ...algorithms.result import Trace
from ..dram import MemoryResult
from ..dram.statistics import Timeline
from .problem import ANSWERS

if TYPE_CHECKING:
    from ...plots.drawing import Drawing

__all__ = ["Numbers", "Simulation"]

OWN = ("seconds", "expected_error", "iterations", "requests", "reps", "teps", "parameters", "rate")
OF_MEMORY = ("bytes", "gbps", "peak_share", "row_hit_rate", "memory")


class Numbers(TypedDict):
    """The numbers of a simulation as plain data, for the journal and JSON."""

    seconds: float
    expected_error: float
    iterations: int
    requests: dict[str, int]
    reps: float
    teps: float
    bytes: int
    gbps: float
    peak_share: float
    row_hit_rate: float
    memory: str
    parameters: dict[str, object]
    phases: dict[str, object]
    series: Timeline
    rate: float
    provenance: str
    run: int | None


@dataclass(frozen=True, repr=False)
class Simulation:
    """What an accelerator would have done. All of it is simulated.

    ``seconds`` are the accelerator's; ``reps`` are edges read in all iterations per second, as the
    paper defines them, ``teps`` the graph's edges per second; ``expected_error`` is the mean error of
    the method against hardware in per cent. ``requests`` counts by kind, ``memory`` has the statistics
    of the DRAM, ``memory_used`` the bytes of all arrays, ``trace`` the statistics of each phase;
    ``rate`` is how many requests this machine simulated in a second. ``answer`` has the value of every
    vertex, which is also called what the task's own result calls it, such as ``levels``.
    """

    task: str
    accelerator: str
    seconds: float
    iterations: int
    requests: dict[str, int]
    memory: MemoryResult
    memory_used: int
    parameters: dict[str, object]
    expected_error: float
    reps: float
    teps: float
    rate: float
    trace: Trace
    answer: np.ndarray
    provenance: str = "simulated"

    @property
    def levels(self) -> NDArray[np.int32]:
        """Levels of ``bfs``, -1 where the search did not come."""
        return self._called("levels")

    @property
    def distances(self) -> NDArray[np.float64]:
        """Distances of ``sssp``, infinite where there is no path."""
        return self._called("distances")

    @property
    def labels(self) -> NDArray[np.integer]:
        """Labels of ``connected_components``: the smallest id of each component."""
        return self._called("labels")

    @property
    def scores(self) -> NDArray[np.float64]:
        """Scores of ``pagerank``."""
        return self._called("scores")

    @property
    def values(self) -> NDArray[np.float64]:
        """Values of ``spmv``."""
        return self._called("values")

    def _called(self, name: str) -> np.ndarray:
        if ANSWERS[self.task] != name:
            raise AttributeError(f"{self.task} has no {name!r}, but {ANSWERS[self.task]!r}")
        return self.answer

    def numbers(self) -> Numbers:
        """Return what can be told in numbers, without the values of the vertices."""
        made = {name: getattr(self, name) for name in (*OWN, "provenance")}
        made |= {name: getattr(self.memory, name) for name in OF_MEMORY}
        made |= {"phases": self.trace.summary(), "series": self.memory.timeline(), "run": None}
        return cast(Numbers, made)

    def to_dict(self) -> dict[str, object]:
        """Return all fields by name, the values by the name of the task's own result."""
        made = {f.name: getattr(self, f.name) for f in fields(self)}
        return {**made, ANSWERS[self.task]: made.pop("answer")}

    def plot(self, path: str | os.PathLike[str] | None = None) -> Drawing:
        """Draw bandwidth, row hits and banks of the memory; see :meth:`MemoryResult.plot`."""
        return self.memory.plot(path)

    def _repr_html_(self) -> str:
        from ...plots.tables import result_html

        shown = {k: f"{v:,.6g}" for k, v in self.to_dict().items() if isinstance(v, int | float)}
        return result_html(f"{self.task} on {self.accelerator}", shown, self.trace.to_dict())

    def __repr__(self) -> str:
        return (
            f"Simulation({self.task} on {self.accelerator}, {self.seconds * 1e3:.4g} ms "
            f"± {self.expected_error:.0f} % simulated, {self.iterations} iterations, "
            f"{self.memory.requests:,} requests, {self.memory.gbps:.2f} GB/s)"
        )
