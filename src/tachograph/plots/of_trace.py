"""Which charts a trace can be shown by."""

from __future__ import annotations

from .bins import Columns, numbers
from .directions import directions
from .drawing import WIDE, Drawing
from .lanes import lanes
from .placements import placements
from .split import rates_of, split_curve

__all__ = ["charts_of"]


def charts_of(columns: Columns, width: float = WIDE) -> list[Drawing]:
    """Return the charts that the columns of a trace are enough for, the most telling one first.

    >>> [c.title for c in charts_of({"phase": ["host"], "begin": [0], "seconds": [1], "edges": [5]})]
    ['Devices over time']
    """
    have = set(columns)
    if not len(columns.get("seconds", ())):
        return []
    if {"begin", "edges", "phase"} <= have:
        rates = rates_of(columns)
        shared = [] if rates is None else [split_curve(rates, [_shared(columns)], width)]
        return [lanes(columns, width), *shared]
    if "frontier_vertices" in have and have & {"direction", "phase"}:
        return [directions(columns, width)]
    if "iteration" in have and have & {"kernel", "phase"}:
        return [placements(columns, width)]
    return []


def _shared(columns: Columns) -> tuple[float, float, str]:
    """Return the host's share and the time of a run that two devices shared."""
    edges, begins, taken = (numbers(columns[k]) for k in ("edges", "begin", "seconds"))
    host = sum(e for e, who in zip(edges, columns["phase"], strict=True) if who == "host")
    end = max(b + t for b, t in zip(begins, taken, strict=True))
    return host / sum(edges), end - min(begins), "this run"
