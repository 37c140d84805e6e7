"""Which charts a trace can be shown by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .directions import directions
from .drawing import WIDE, Drawing
from .lanes import lanes
from .placements import placements
from .split import rates_of, split_curve

__all__ = ["charts_of"]


def charts_of(columns: Mapping[str, Sequence[Any]], width: float = WIDE) -> list[Drawing]:
    """The charts that the columns of a trace are enough for, the most telling one first.

    >>> [c.title for c in charts_of({"phase": ["host"], "begin": [0], "seconds": [1], "edges": [5]})]
    ['Devices over time']
    """
    have = set(columns)
    if not len(columns.get("seconds", ())):
        return []
    if {"begin", "edges", "phase"} <= have:
        alone = rates_of(columns)
        if alone is None:
            return [lanes(columns, width)]
        return [lanes(columns, width), split_curve(alone, [_shared(columns)], width=width)]
    if "frontier_vertices" in have and have & {"direction", "phase"}:
        return [directions(columns, width)]
    if "iteration" in have and have & {"kernel", "phase"}:
        return [placements(columns, width)]
    return []


def _shared(columns: Mapping[str, Sequence[Any]]) -> tuple[float, float, str]:
    """The host's share and the time of a run that two devices shared."""
    edges = [float(e) for e in columns["edges"]]
    host = sum(e for e, who in zip(edges, columns["phase"], strict=True) if who == "host")
    ends = [float(b) + float(t) for b, t in zip(columns["begin"], columns["seconds"], strict=True)]
    taken = max(ends) - min(float(b) for b in columns["begin"])
    return host / sum(edges), taken, "this run"
