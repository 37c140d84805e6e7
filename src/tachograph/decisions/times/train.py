"""From measurements to a file that plans use."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from typing import Any

import numpy as np

from ...devices.calibrate import calibrate
from ...devices.host import Host
from ...journal import journal, machine
from ...journal.campaign import Executor
from ...util.errors import InputError
from ..direction.graphs import present
from .collect import GRAPHS, collect, device_here
from .fit import fit
from .model import Model

__all__ = ["judge", "train"]

FEWEST = 8  # graphs
RECENT = 2000  # runs of the journal


def train(names: Iterable[str] | None, budget: float, executor: Executor | None = None) -> Model:
    """Measure what is missing, add the runs in the journal, and fit."""
    from threadpoolctl import threadpool_limits

    from ...kernels.runtime.launch import threads_available

    records = collect(present(GRAPHS) if names is None else names, budget, executor)
    if len(records) < FEWEST:
        raise InputError(
            f"{len(records)} graphs are measured, and {FEWEST} are needed: give a longer --budget"
        )
    device = device_here()
    rates: dict[str, Any] = {"host": calibrate(Host(threads_available()))}
    if device is not None:
        rates["device"] = calibrate(device)
    own = runs()
    card = {
        "made": time.strftime("%Y-%m-%d"),
        "machine": machine()[1],
        "threads": threads_available(),
        "calibration": rates,
        "graphs": sorted(r["graph"] for r in records),
        "runs": len(own),
    }
    with threadpool_limits(1):
        return fit([*records, *own], card)


def runs() -> list[dict[str, Any]]:
    """Runs of the journal that can be learned from, as records of :func:`collect`."""
    mine = machine()[0]
    return [
        {"graph": run.graph["name"], "family": f"run on {run.graph['mark']}",
         "rows": [_row(run)]}
        for run in journal().runs(last=RECENT)
        if run.machine == mine and run.provenance == "measured" and run.graph.get("shape")
        and run.plan and run.plan.get("way")
    ]  # fmt: skip


def _row(run: Any) -> dict[str, Any]:
    return {"name": f"{run.task}/{run.plan['way']}", "shape": run.graph["shape"],
            "seconds": run.seconds}  # fmt: skip


def judge(model: Model, records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Predicted and actual seconds of every row of other records."""
    return [
        {"graph": record["graph"], "name": row["name"], "seconds": row["seconds"],
         "predicted": found.seconds, "low": found.low, "high": found.high, "arcs": row["arcs"],
         "off": math.log(found.seconds / max(row["seconds"], 1e-9)), "shape": row["shape"]}
        for record in records
        for row in record["rows"]
        if (found := model.predict(row["name"], row["shape"])) is not None
    ]  # fmt: skip


def shares(off: Iterable[float], within: float = 0.35) -> float:
    """The share of errors (logarithms of ratios) within a part of the actual time."""
    ratio = np.exp(np.fromiter(off, float))
    return float(np.mean(np.abs(ratio - 1) <= within)) if ratio.size else math.nan
