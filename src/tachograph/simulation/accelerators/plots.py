"""A picture of a comparison: run time, iterations, bandwidth, row hits."""

from __future__ import annotations

import os
from typing import Any

from ...charts.figures import new_figure, save_figure

__all__ = ["plot_comparison"]

PANELS = (("seconds", "run time in ms", 1e3), ("iterations", "iterations", 1),
          ("gbps", "GB/s", 1), ("row_hit_rate", "row hits in %", 100))  # fmt: skip


def plot_comparison(rows: list[dict[str, Any]], path: str | os.PathLike[str]) -> None:
    """Bars for every row of a comparison; the suffix of ``path`` tells the format."""
    figure, axes = new_figure(1, len(PANELS), figsize=(12, 1.2 + 0.35 * len(rows)), sharey=True)
    names = [
        " ".join(
            [
                row["accelerator"].rpartition(":")[2],
                *(f"{k}={v}" for k, v in row["settings"].items()),
                *([row["memory"]] if row["memory"] else []),
                *(f"{v} {k}" for k, v in row["memory_settings"].items()),
                *([f"from {row['options']['source']}"] if "source" in row["options"] else []),
            ]
        )
        for row in rows
    ]
    for axis, (key, title, factor) in zip(axes, PANELS, strict=True):
        axis.barh(range(len(rows)), [row["result"][key] * factor for row in rows])
        axis.set_title(title)
        axis.set_yticks(range(len(rows)), names)
        axis.invert_yaxis()
    figure.suptitle(f"{rows[0]['algorithm']}, simulated")
    save_figure(figure, path)
