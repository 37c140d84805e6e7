"""Fit the constants of GPUs to cells: those of all GPUs, and how architectures and GPUs differ from
them.

Constants are fitted as logarithms. An architecture differs from all GPUs, and a GPU from its
architecture, by as much as its cells ask for; a penalty keeps the differences small, so that little is
learned from little. A GPU that was left out has its architecture's constants, or those of all.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..chip import shares
from ..constants import Constants
from ..gpu import GPU
from .features import COUNTED
from .runs import Cell

__all__ = ["Fitted", "Sample", "fit"]

Numbers = NDArray[np.float64]
START = np.log([40.0, 50.0, 0.5, 60.0, 4.0, 0.07])
MOST_STEPS, STEPS_FROM_LIKE = 40, 10  # of the search, from anywhere and from a similar fit
#: How far constants may be from their start, architectures from all GPUs, and GPUs from architectures,
#: as standard deviations of logarithms; and that of the cells.
LOOSE, OF_ARCHITECTURE, OF_GPU, OF_CELL = 1.0, 0.3, 0.15, 0.1


@dataclass(frozen=True)
class Sample:
    """A cell with its features: arrays with a number for each row."""

    cell: Cell
    rows: dict[str, Numbers]


@dataclass(frozen=True)
class Fitted:
    """Constants as logarithms: of all GPUs, and by architecture and GPU."""

    every: Numbers
    architectures: dict[str, Numbers]
    gpus: dict[str, Numbers]

    def of(self, gpu: GPU) -> Constants:
        """Return the constants that are best known for a GPU."""
        usual = self.architectures.get(gpu.architecture, self.every)
        return Constants(*np.exp(self.gpus.get(gpu.name, usual)).tolist())

    def ms(self, sample: Sample) -> float:
        """Return the predicted milliseconds of a cell."""
        gpu = GPU(sample.cell.gpu)
        return float(predicted(gpu, self.of(gpu), sample.rows))


def predicted(gpu: GPU, constants: Constants, rows: dict[str, Numbers]) -> float:
    """Return milliseconds: launches, and the work of each row."""
    work = shares(gpu, constants, rows)["work"]
    push, pull = (constants.launch_seconds(gpu, d) for d in ("push", "pull"))
    launch = rows["launches"] * np.where(rows["pull"] > 0, pull, push)
    return 1e3 * float((rows["share"] * (launch + work)).sum())


class _Problem:
    """All rows of all samples side by side, so that one evaluation is a few array operations."""

    def __init__(self, samples: list[Sample]) -> None:
        self.gpus = sorted({s.cell.gpu for s in samples})
        known = {name: GPU(name) for name in self.gpus}
        self.architectures = sorted({g.architecture for g in known.values()})
        self.measured = np.log([s.cell.ms for s in samples])
        sizes = [s.rows["share"].size for s in samples]
        self.cell = np.repeat(np.arange(len(samples)), sizes)
        names = (*COUNTED, "pull", "launches", "share")
        self.rows = {k: np.concatenate([s.rows[k] for s in samples]) for k in names}
        gpu = np.array([self.gpus.index(s.cell.gpu) for s in samples])
        self.gpu = gpu[self.cell]
        own = [self.architectures.index(known[name].architecture) for name in self.gpus]
        self.architecture = np.array(own)
        self.facts = {
            name: np.array([getattr(known[g], name) for g in self.gpus], float)[self.gpu]
            for name in ("sms", "cores", "clock_ghz", "memory_gbps", "atomics_per_cycle")
        }

    def parts(self, values: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        """Split the unknowns: of all GPUs, differences of architectures, differences of GPUs."""
        made = values.reshape(-1, START.size)
        end = 1 + len(self.architectures)
        return made[0], made[1:end], made[end:]

    def constants(self, values: Numbers) -> Numbers:
        """Return the constants of each GPU, a row for each."""
        every, architectures, gpus = self.parts(values)
        made: Numbers = every + architectures[self.architecture] + gpus
        return made

    def residuals(self, values: Numbers) -> Numbers:
        """Return errors of the cells and the penalties, each over its standard deviation."""
        every, architectures, gpus = self.parts(values)
        c = Constants(*np.exp(self.constants(values)[self.gpu]).T)
        work = shares(_Facts(**self.facts), c, self.rows)["work"]  # type: ignore[arg-type]
        push = (c.fixed_us + c.clocked_us / self.facts["clock_ghz"]) * 1e-6
        launch = self.rows["launches"] * push * np.where(self.rows["pull"] > 0, c.pull_ratio, 1.0)
        total = np.bincount(self.cell, self.rows["share"] * (launch + work))
        off = (np.log(total * 1e3) - self.measured) / OF_CELL
        off = np.sign(off) * np.sqrt(2 * (np.sqrt(1 + off**2) - 1))  # outliers count less
        return np.concatenate(
            [
                off,
                (every - START) / LOOSE,
                architectures.ravel() / OF_ARCHITECTURE,
                gpus.ravel() / OF_GPU,
            ]
        )


@dataclass(frozen=True)
class _Facts:
    """What :func:`shares` reads of a GPU, as arrays."""

    sms: Numbers
    cores: Numbers
    clock_ghz: Numbers
    memory_gbps: Numbers
    atomics_per_cycle: Numbers


def fit(samples: list[Sample], like: Fitted | None = None) -> Fitted:
    """Fit constants to cells of one mode; ``like`` is where the search begins."""
    from scipy.optimize import least_squares

    problem = _Problem(samples)
    if like is None:
        count = len(problem.architectures) + len(problem.gpus)
        start = np.concatenate([START, np.zeros(count * START.size)])
    else:
        families = [like.architectures[name] for name in problem.architectures]
        differences = [
            like.gpus[name] - families[k]
            for name, k in zip(problem.gpus, problem.architecture, strict=True)
        ]
        start = np.concatenate([like.every, *(f - like.every for f in families), *differences])
    steps = MOST_STEPS if like is None else STEPS_FROM_LIKE
    found = least_squares(problem.residuals, start, max_nfev=steps).x
    every, architectures, _ = problem.parts(found)
    own = problem.constants(found)
    return Fitted(
        every,
        {name: every + architectures[k] for k, name in enumerate(problem.architectures)},
        {name: own[k] for k, name in enumerate(problem.gpus)},
    )
