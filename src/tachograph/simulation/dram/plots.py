"""Pictures of a run: bandwidth and row hits over time, and which banks were busy."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from ...plots.bandwidth import bandwidth
from ...plots.drawing import Drawing, stacked
from ...plots.heat import heat

if TYPE_CHECKING:
    from .statistics import MemoryResult

__all__ = ["plot", "plot_compare"]


def plot(result: MemoryResult, path: str | os.PathLike[str]) -> None:
    """Draw one run: GB/s, row-hit rate, and a heat map of the banks' requests.

    Parameters
    ----------
    result
        What :meth:`Memory.run` gave.
    path
        Ends with .svg, .html, .png or .pdf.

    Raises
    ------
    MissingDependencyError
        For .png and .pdf, if matplotlib is not installed.
    """
    stacked([bandwidth({result.memory: result.timeline()}), _banks(result)]).save(path)


def plot_compare(results: Mapping[str, MemoryResult], path: str | os.PathLike[str]) -> None:
    """Draw several memories that were given the same trace: GB/s and row-hit rate over time."""
    bandwidth({name: result.timeline() for name, result in results.items()}).save(path)


def _banks(result: MemoryResult) -> Drawing:
    """Requests by channel and rank, and by bank."""
    total = sum(result.banks.values(), start=np.zeros(1, np.int64))
    channels, ranks, groups, each = total.shape
    rows = [f"ch {c}" + (f", rank {r}" if ranks > 1 else "")
            for c in range(channels) for r in range(ranks)]  # fmt: skip
    columns = [f"{g}.{b}" if groups > 1 else f"{b}" for g in range(groups) for b in range(each)]
    cells = total.reshape(channels * ranks, groups * each).tolist()
    name = "bank group.bank" if groups > 1 else "bank"
    return heat(cells, rows, columns, f"Requests by channel and {name}")
