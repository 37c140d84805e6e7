"""A picture of a comparison: run time, iterations, bandwidth, row hits."""

from __future__ import annotations

import os
from typing import Any

from ...plots import numbers as show
from ...plots.bars import bars
from ...plots.drawing import stacked

__all__ = ["plot_comparison"]

PANELS = (("seconds", "run time", show.seconds), ("iterations", "iterations", show.count),
          ("gbps", "GB/s", show.short), ("row_hit_rate", "row hits", show.percent))  # fmt: skip


def plot_comparison(rows: list[dict[str, Any]], path: str | os.PathLike[str]) -> None:
    """Bars for every row of a comparison; the suffix of ``path`` tells the format."""
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
    panels = []
    for key, what, shown in PANELS:
        values = [float(row["result"][key]) for row in rows]
        bar = [(name, value, "simulated") for name, value in zip(names, values, strict=True)]
        panels.append(bars(bar, f"{rows[0]['algorithm']}, simulated: {what}", shown=shown))
    stacked(panels).save(path)
