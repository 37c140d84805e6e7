"""A trace as a picture: kernels, iterations, devices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .figures import new_figure

if TYPE_CHECKING:
    from .result import Trace

__all__ = ["timeline"]


def timeline(trace: Trace) -> Any:
    """One bar for each row, as long as it took, in a lane for each kernel, coloured by device."""
    lanes = list(dict.fromkeys(trace["kernel"].tolist()))
    places = list(dict.fromkeys(trace["device"].tolist()))
    ends = np.cumsum(trace["seconds"].astype(float)) * 1e3
    begins = ends - trace["seconds"].astype(float) * 1e3
    size = (10, 1 + 0.6 * len(lanes))
    figure, axes = new_figure(figsize=size)
    for number, place in enumerate(places):
        here = trace["device"] == place
        lane = [lanes.index(kernel) for kernel in trace["kernel"][here].tolist()]
        axes.barh(
            lane, ends[here] - begins[here], left=begins[here], color=f"C{number}", label=place
        )
    if "best" in trace.columns:
        missed = (trace["best"] != "") & (trace["best"] != trace["device"])
        lane = [lanes.index(kernel) for kernel in trace["kernel"][missed].tolist()]
        axes.plot(begins[missed], lane, "k|", label="better elsewhere")
    axes.set_yticks(range(len(lanes)), lanes)
    axes.invert_yaxis()
    axes.set_xlabel("milliseconds")
    axes.legend()
    return figure
