"""Fit the constants of GPUs to cells: those of all GPUs, and how architectures and GPUs differ from
them.

Constants are fitted as logarithms. An architecture differs from all GPUs, and a GPU from its
architecture, by as much as its cells ask for; a penalty keeps the differences small, so that little is
learned from little. A GPU that was left out has its architecture's constants, or those of all.

How cores and memory overlap, and how far GPUs may differ, are choices: those are taken that predict
best what is left out of the samples in turns. Samples that judge constants had no part in choosing.

Pushing and pulling are two kernels. Searches that only push tell the constants of pushes; then those
that also pull tell how pulls differ, so that nothing that is wrong with pulls spoils the pushes.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..chip import shares
from ..constants import Constants
from ..gpu import GPU
from .features import COUNTED
from .runs import Cell

__all__ = ["CHOICES", "OVERLAPS", "Choice", "Fitted", "Sample", "chosen", "fit"]

Numbers = NDArray[np.float64]
START = np.log(Constants(40.0, 50.0, 0.5, 60.0, 4.0, 0.07))
OF_PULLS = tuple(Constants._fields.index(name) for name in ("pull_ratio", "pull_work"))
OVERLAP = Constants._fields.index("overlap")
OF_PUSHES = tuple(k for k in range(START.size) if k not in (*OF_PULLS, OVERLAP))
MOST_STEPS = 40  # of the search
STEP = 1e-6  # of a logarithm, for derivatives
#: How far constants may be from their start, architectures from all GPUs, and GPUs from architectures,
#: as standard deviations of logarithms; and that of the cells.
LOOSE, OF_ARCHITECTURE, OF_GPU, OF_CELL = 1.0, 0.3, 0.15, 0.1
MOST_FOLDS = 3  # in which a choice is tried


class Choice(NamedTuple):
    """What is not fitted: ``overlap``, and how many times as far as usual GPUs may differ."""

    overlap: float = Constants._field_defaults["overlap"]
    wider: float = 1.0


#: From almost the sum to almost the longer: with 6, cores and memory that take equally long take 12 %
#: longer together, which is all that a larger one could save.
OVERLAPS = (1.5, 3.0, 6.0)
CHOICES = tuple(itertools.starmap(Choice, itertools.product(OVERLAPS, (0.5, 1.0, 2.0))))


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

    def logs(self, gpu: GPU) -> Numbers:
        """Return the logarithms of what is best known for a GPU."""
        usual = self.architectures.get(gpu.architecture, self.every)
        return self.gpus.get(gpu.name, usual)

    def of(self, gpu: GPU) -> Constants:
        """Return the constants that are best known for a GPU."""
        return Constants(*np.exp(self.logs(gpu)).tolist())

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
    """All rows of all samples side by side, so that one evaluation is a few array operations.

    The constants at ``free`` are sought; of the others the values in ``known`` are taken.
    """

    def __init__(
        self, samples: list[Sample], free: Sequence[int], known: Fitted, wider: float = 1.0
    ) -> None:
        self.free = np.array(free)
        self.gpus = sorted({s.cell.gpu for s in samples})
        chips = {name: GPU(name) for name in self.gpus}
        self.given = np.array([known.logs(chips[name]) for name in self.gpus])
        self.architectures = sorted({g.architecture for g in chips.values()})
        self.measured = np.log([s.cell.ms for s in samples])
        sizes = [s.rows["share"].size for s in samples]
        self.cell = np.repeat(np.arange(len(samples)), sizes)
        names = (*COUNTED, "pull", "launches", "share")
        self.rows = {k: np.concatenate([s.rows[k] for s in samples]) for k in names}
        gpu = np.array([self.gpus.index(s.cell.gpu) for s in samples])
        self.gpu = gpu[self.cell]
        own = [self.architectures.index(chips[name].architecture) for name in self.gpus]
        self.architecture = np.array(own)
        self.facts = {
            name: np.array([getattr(chips[g], name) for g in self.gpus], float)[self.gpu]
            for name in ("sms", "cores", "clock_ghz", "memory_gbps", "atomics_per_cycle")
        }
        groups = (
            (1, LOOSE),
            (len(self.architectures), wider * OF_ARCHITECTURE),
            (len(self.gpus), wider * OF_GPU),
        )
        self.spread = np.concatenate([np.full(n * self.free.size, width) for n, width in groups])
        self.middle = np.zeros(self.spread.size)
        self.middle[: self.free.size] = START[self.free]

    def parts(self, values: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        """Split the unknowns: of all GPUs, differences of architectures, differences of GPUs."""
        made = values.reshape(-1, self.free.size)
        end = 1 + len(self.architectures)
        return made[0], made[1:end], made[end:]

    def constants(self, values: Numbers) -> Numbers:
        """Return the constants of each GPU, a row for each."""
        every, architectures, gpus = self.parts(values)
        made = self.given.copy()
        made[:, self.free] = every + architectures[self.architecture] + gpus
        return made

    def logs(self, constants: Numbers) -> Numbers:
        """Return the logarithms of the predicted milliseconds of the cells."""
        c = Constants(*np.exp(constants[self.gpu]).T)
        work = shares(_Facts(**self.facts), c, self.rows)["work"]  # type: ignore[arg-type]
        push = (c.fixed_us + c.clocked_us / self.facts["clock_ghz"]) * 1e-6
        launch = self.rows["launches"] * push * np.where(self.rows["pull"] > 0, c.pull_ratio, 1.0)
        return np.asarray(
            np.log(1e3 * np.bincount(self.cell, self.rows["share"] * (launch + work)))
        )

    def residuals(self, values: Numbers) -> Numbers:
        """Return errors of the cells and the penalties, each over its standard deviation."""
        off = (self.logs(self.constants(values)) - self.measured) / OF_CELL
        return np.concatenate([_damped(off)[0], (values - self.middle) / self.spread])

    def slopes(self, values: Numbers) -> Numbers:
        """Return the derivatives of the residuals.

        A cell depends on the constants of its GPU only, which are sums of the unknowns: a small step
        of each constant of all GPUs at once tells everything.
        """
        own = self.constants(values)
        now = self.logs(own)
        moved = [self.logs(own + STEP * axis) for axis in np.eye(START.size)[self.free]]
        each = (np.array(moved).T - now[:, None]) / (STEP * OF_CELL)
        each *= _damped((now - self.measured) / OF_CELL)[1][:, None]
        gpu = np.zeros(self.measured.size, int)
        gpu[self.cell] = self.gpu
        made = np.zeros((now.size, len(values) // self.free.size, self.free.size))
        made[:, 0] = each
        row, first = np.arange(now.size), 1 + len(self.architectures)
        made[row, 1 + self.architecture[gpu]] = each
        made[row, first + gpu] = each
        return np.vstack([made.reshape(now.size, -1), np.diag(1 / self.spread)])

    def solved(self, known: Fitted) -> Fitted:
        """Return ``known`` with what was sought, also for what is known of other samples only."""
        from scipy.optimize import least_squares

        start = self.middle
        found = least_squares(self.residuals, start, self.slopes, max_nfev=MOST_STEPS).x
        every, architectures, _ = self.parts(found)

        def beside(old: Numbers, new: Numbers) -> Numbers:
            made = old.copy()
            made[self.free] = new
            return made

        more = dict(zip(self.architectures, architectures, strict=True))
        usual = {name: every + more.get(name, 0.0) for name in {**known.architectures, **more}}
        own = dict(zip(self.gpus, self.constants(found)[:, self.free], strict=True))
        gpus = {
            name: beside(known.logs(GPU(name)), own.get(name, usual[GPU(name).architecture]))
            for name in {**known.gpus, **own}
        }
        families = {
            name: beside(known.architectures.get(name, known.every), new)
            for name, new in usual.items()
        }
        return Fitted(beside(known.every, every), families, gpus)


def _damped(off: Numbers) -> tuple[Numbers, Numbers]:
    """Return errors among which outliers count less, and their derivatives."""
    root = np.sqrt(1 + off**2)
    made = np.sign(off) * np.sqrt(2 * (root - 1))
    return made, np.where(np.abs(off) < STEP, 1.0, off / (root * np.where(made, made, 1.0)))


@dataclass(frozen=True)
class _Facts:
    """What :func:`shares` reads of a GPU, as arrays."""

    sms: Numbers
    cores: Numbers
    clock_ghz: Numbers
    memory_gbps: Numbers
    atomics_per_cycle: Numbers


def fit(samples: list[Sample], choice: Choice = Choice()) -> Fitted:  # noqa: B008
    """Fit constants to cells of one mode: of pushes, then of pulls."""
    pushes = [s for s in samples if not s.rows["pull"].any()]
    pulls = [s for s in samples if s.rows["pull"].any()]
    start = START.copy()
    start[OVERLAP] = np.log(choice.overlap)
    found = Fitted(start, {}, {})
    for own, free in ((pushes, OF_PUSHES), (pulls, OF_PULLS)):
        if own:
            found = _Problem(own, free, found, choice.wider).solved(found)
    return found


def chosen(samples: list[Sample], by: Callable[[Cell], str]) -> Choice:
    """Return the choice that predicts pushes best whose GPU, or graph, was left out of the fit."""
    pushes = [s for s in samples if not s.rows["pull"].any()]
    names = sorted({by(s.cell) for s in pushes})
    folds = [names[k::MOST_FOLDS] for k in range(min(MOST_FOLDS, len(names)))]
    if len(folds) < 2:
        return Choice()

    def error(choice: Choice) -> float:
        off = []
        for out in folds:
            fitted = fit([s for s in pushes if by(s.cell) not in out], choice)
            off += [np.log(fitted.ms(s) / s.cell.ms) for s in pushes if by(s.cell) in out]
        return float((_damped(np.array(off) / OF_CELL)[0] ** 2).sum())

    return min(CHOICES, key=error)
