"""How far simulated times are from measured ones, in every way that somebody might ask.

Each function returns ratios of predicted to measured times. What is predicted is never among what the
constants were fitted to: a source, a graph, or a GPU is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from ....algorithms.bfs import bfs
from ..constants import Constants
from ..gpu import GPU
from ..simulate import LAUNCH_BOUND_SHARE
from .fit import Fitted, Sample, chosen, fit
from .graphs import KNOWN
from .rivals import Regression
from .runs import MODES, Cell

__all__ = [
    "exact_sources",
    "from_one_graph",
    "halves",
    "left_out",
    "off",
    "rivals_left_out",
    "summary",
]
__all__ += ["unseen_launch_bound", "work_bound"]

Numbers = NDArray[np.float64]
UNSEEN_ARC_NS = 0.5  # of the slowest GPU for an arc: more than that is not launch-bound


def off(ratios: Iterable[float]) -> Numbers:
    """Return max(r, 1/r)."""
    r = np.array(list(ratios), float)
    return np.asarray(np.maximum(r, 1 / r))


def summary(ratios: Iterable[float]) -> dict[str, float]:
    """Return median, 90th percentile, maximum and number.

    >>> summary([0.5, 1.0, 2.0])["median"]
    2.0
    """
    found = off(ratios)
    if not found.size:
        return {"median": float("nan"), "most": float("nan"), "max": float("nan"), "cells": 0}
    middle, most = np.quantile(found, [0.5, 0.9]).tolist()
    return {"median": middle, "most": most, "max": float(found.max()), "cells": found.size}


def work_bound(sample: Sample, constants: Constants) -> bool:
    """Return whether launches take less than half of the measured time."""
    gpu, rows = GPU(sample.cell.gpu), sample.rows
    push, pull = (constants.launch_seconds(gpu, d) for d in ("push", "pull"))
    each = np.where(rows["pull"] > 0, pull, push)
    launch = float((rows["share"] * rows["launches"] * each).sum())
    return launch < LAUNCH_BOUND_SHARE * sample.cell.ms * 1e-3


def exact_sources(cells: list[Cell]) -> list[float]:
    """Predict each search of exact graphs that pushes by its levels and the launches of the others."""
    ratios = []
    for dataset in (name for name, known in KNOWN.items() if known.kind == "exact"):
        graph = KNOWN[dataset].load()
        depth: dict[int, int] = {}
        for cell in cells:
            if cell.dataset != dataset or cell.optimised:
                continue
            for source, _ in cell.runs:
                if source not in depth:
                    depth[source] = int(bfs(graph, source, trace=False).levels.max()) + 1
            each = np.array([ms / depth[source] for source, ms in cell.runs])
            own = np.array([source for source, _ in cell.runs])
            for value, source in zip(each, own, strict=True):
                others = each[own != source]
                if others.size:
                    ratios.append(float(np.median(others) / value))
    return ratios


def _by_mode(samples: list[Sample], use: Callable[[list[Sample]], None]) -> None:
    for mode in MODES:
        own = [s for s in samples if s.cell.mode == mode]
        if own:
            use(own)


def left_out(samples: list[Sample], by: Callable[[Cell], str]) -> dict[int, float]:
    """Predict each sample by constants of its mode that were fitted, and chosen, without its GPU or
    graph.
    """
    ratios: dict[int, float] = {}

    def use(own: list[Sample]) -> None:
        for name in sorted({by(s.cell) for s in own}):
            rest = [s for s in own if by(s.cell) != name]
            fitted = fit(rest, chosen(rest, by))
            for s in own:
                if by(s.cell) == name:
                    ratios[id(s)] = fitted.ms(s) / s.cell.ms

    _by_mode(samples, use)
    return ratios


def rivals_left_out(
    samples: list[Sample], by: Callable[[Cell], str], per_gpu: bool
) -> dict[int, float]:
    """The same by regressions."""
    ratios: dict[int, float] = {}

    def one(own: list[Sample]) -> None:
        for name in sorted({by(s.cell) for s in own}):
            rest = [s for s in own if by(s.cell) != name]
            mine = [s for s in own if by(s.cell) == name]
            found = Regression(rest).ms(mine)
            ratios.update({id(s): ms / s.cell.ms for s, ms in zip(mine, found, strict=True)})

    def use(own: list[Sample]) -> None:
        groups = {s.cell.gpu for s in own} if per_gpu else {""}
        for gpu in sorted(groups):
            one([s for s in own if not gpu or s.cell.gpu == gpu])

    _by_mode(samples, use)
    return ratios


def from_one_graph(samples: list[Sample], dataset: str, family: str) -> list[float]:
    """Predict other graphs of a family by constants from one graph's cells."""
    ratios: list[float] = []

    def use(own: list[Sample]) -> None:
        fitted = fit(
            [s for s in own if s.cell.dataset == dataset]
        )  # one graph is no basis for choices
        others = [s for s in own if s.cell.dataset != dataset]
        kin = [s for s in others if KNOWN[s.cell.dataset].family == family]
        ratios.extend(fitted.ms(s) / s.cell.ms for s in kin)

    _by_mode(samples, use)
    return ratios


def halves(cells: Iterable[Cell]) -> list[float]:
    """Compare the median of a cell's runs from every second source with that from the others.

    >>> runs = ((3, 2.0), (5, 1.0), (8, 4.0), (9, 1.0))
    >>> halves([Cell("g", True, "v100", "LB", False, 2.0, 2.0, 9, 9, 0.0, 0.0, 1.0, (), runs)])
    [3.0]
    """
    ratios = []
    for cell in cells:
        first = set(sorted({source for source, _ in cell.runs})[::2])
        parts = [[ms for s, ms in cell.runs if (s in first) is one] for one in (True, False)]
        if all(parts):
            ratios.append(float(np.median(parts[0]) / np.median(parts[1])))
    return ratios


def unseen_launch_bound(cells: list[Cell], fitted: dict[str, Fitted]) -> list[float]:
    """Predict searches of graphs not fitted to by their depth, where work cannot matter."""
    ratios = []
    for cell in cells:
        if cell.dataset in KNOWN or cell.optimised or cell.mode not in fitted:
            continue
        gpu = GPU(cell.gpu)
        constants = fitted[cell.mode].of(gpu)
        each = constants.launch_seconds(gpu, "push") * 1e3
        for ms, depth in cell.last:
            if cell.arcs * UNSEEN_ARC_NS * 1e-6 < LAUNCH_BOUND_SHARE * each * depth:
                work = cell.arcs * 1e-6 * constants.sector_cycles / (gpu.sms * gpu.clock_ghz)
                ratios.append((each * depth + work) / ms)
    return ratios
