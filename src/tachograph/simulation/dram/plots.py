"""Pictures of a run: bandwidth and row hits over time, and which banks were busy."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from ...charts.figures import new_figure, save_figure

if TYPE_CHECKING:
    from .statistics import MemoryResult

__all__ = ["plot", "plot_compare"]

STEPS = 200  # points of a line; more would only show noise


def _thinned(result: MemoryResult) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Time in microseconds, GB/s and row-hit rate, averaged to a readable number of steps."""
    series = result.series
    fold = max(1, -(-series["cycle"].size // STEPS))
    whole = series["cycle"].size // fold * fold
    if whole == 0:
        fold, whole = 1, series["cycle"].size
    tck = result.seconds / result.cycles * 1e6
    time = series["cycle"][:whole:fold] * tck
    gbps = series["gbps"][:whole].reshape(-1, fold).mean(axis=1)
    hits = series["row_hit_rate"][:whole].reshape(-1, fold)
    known = ~np.isnan(hits)
    rate = np.divide(np.where(known, hits, 0).sum(axis=1), known.sum(axis=1),
                     out=np.full(len(hits), np.nan), where=known.any(axis=1))  # fmt: skip
    return time, gbps, rate


def plot(result: MemoryResult, path: str | os.PathLike[str]) -> None:
    """Draw one run: GB/s, row-hit rate, and a heat map of the banks' requests.

    Parameters
    ----------
    result
        What :meth:`Memory.run` gave.
    path
        Ends with .png, .svg, .pdf or .html.

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed.
    """
    total = sum(result.banks.values(), start=np.zeros(1, np.int64))
    channels, ranks, groups, each = total.shape
    lines = channels * ranks
    figure, (top, middle, bottom) = new_figure(
        3, 1, figsize=(9, 6.5 + 0.22 * lines), height_ratios=[2, 2, 1 + 0.22 * lines]
    )
    time, gbps, rate = _thinned(result)
    top.plot(time, gbps, color="tab:blue", drawstyle="steps-post", label="moved")
    top.axhline(result.peak_gbps, color="grey", linestyle=":", label="peak")
    top.set(ylabel="GB/s", ylim=(0, result.peak_gbps * 1.08), title=result.memory)
    top.title.set_fontsize(9)
    top.legend(loc="lower right", fontsize=8)
    middle.plot(time, rate, color="tab:green", drawstyle="steps-post")
    middle.set(ylabel="row-hit rate", xlabel="time (µs)", ylim=(-0.02, 1.02))
    heat = bottom.imshow(total.reshape(lines, groups * each), aspect="auto", cmap="viridis", vmin=0)
    bottom.set_xticks(range(groups * each),
                      [f"{g}.{b}" if groups > 1 else f"{b}" for g in range(groups)
                       for b in range(each)], fontsize=7)  # fmt: skip
    bottom.set_yticks(range(lines),
                      [f"ch {c}" + (f", rank {r}" if ranks > 1 else "") for c in range(channels)
                       for r in range(ranks)], fontsize=7)  # fmt: skip
    bottom.set_xlabel("bank group.bank" if groups > 1 else "bank")
    figure.colorbar(heat, ax=bottom, label="requests")
    save_figure(figure, path)


def plot_compare(results: Mapping[str, MemoryResult], path: str | os.PathLike[str]) -> None:
    """Draw several memories that were given the same trace: GB/s and row-hit rate over time."""
    figure, (top, bottom) = new_figure(2, 1, figsize=(9, 6), sharex=True)
    for name, result in results.items():
        time, gbps, rate = _thinned(result)
        top.plot(time, gbps, drawstyle="steps-post", label=name)
        bottom.plot(time, rate, drawstyle="steps-post", label=name)
    top.set(ylabel="GB/s", ylim=(0, None))
    bottom.set(ylabel="row-hit rate", xlabel="time (µs)", ylim=(-0.02, 1.02))
    top.legend(fontsize=8)
    save_figure(figure, path)
