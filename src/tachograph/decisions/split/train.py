"""How long the host and a device take for the similarity of edges: measured, fitted, judged.

A measurement is one device alone on one graph, kept in the journal. The model is a ridge regression of
the logarithm of the time, in units of what the calibration says the steps should take, on features of
the degrees (``decisions/split.py``).
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

import numpy as np

from ... import journal as journals
from ...algorithms.similarity import jaccard
from ...algorithms.simple import simple
from ...devices.calibrate import calibrate, calibration
from ...devices.host import Host, host_threads
from ...devices.opencl import OpenCL, open_device
from ...graph.graph import Graph
from ...journal.campaign import Campaign, Executor
from ...kernels.runtime.launch import threads_available
from ...util.errors import InputError
from ..direction.graphs import family, graph_named, present
from .model import FEATURES, Model, State, model

__all__ = ["TRAINING", "collect", "fit", "train"]

KIND = "split"
ROUNDS = 3
RIDGE = 5.0  # keeps coefficients small where graphs say little
# fmt: off
TRAINING = (
    "kronecker 14 16", "kronecker 16 8", "kronecker 15 32", "uniform 100000 8", "uniform 60000 32",
    "uniform 300000 4", "road 400 400", "road 700 700", "power_law 100000 2.3 4",
    "power_law 200000 2.8 6", "preferential_attachment 100000 8", "preferential_attachment 60000 20",
    "small_world 100000 5 0.1", "small_world 200000 8 0.05", "bipartite 40000 100000 8",
    "soc-Epinions1", "socfb-Cornell5", "uk-2007-05@100000", "delaunay_n16", "USA-road-topology.NW",
)
# fmt: on


def undirected(name: str) -> Graph:
    """The graph of that name, each edge once in both directions, no loops."""
    found = graph_named(name)
    if found.directed:
        source, target, _ = found.to_edges()
        found = Graph.from_edges(
            source, target, n=found.n, directed=False, dedupe="first", drop_self_loops=True
        )
    return simple(found)


def _seconds(graph: Graph, device: Any, threads: int) -> float:
    """The median of a few runs, after one that warms up."""
    taken = [jaccard(graph, device=device, threads=threads).seconds for _ in range(ROUNDS + 1)]
    return statistics.median(taken[1:])


def calibrated(device: OpenCL, threads: int) -> OpenCL:
    """The device, with its calibration and the host's in the journal."""
    for one in (Host(threads), Host(threads_available()), device):
        if calibration(one) is None:
            calibrate(one)
    return device


def measure(name: str, device: str, threads: int) -> dict[str, Any]:
    """The state, and the times of host and device alone by what calibration says: a campaign's task."""
    graph = undirected(name)
    opened = calibrated(open_device(device), threads)
    state = State.of(graph, 0)
    rates = {"host": calibration(Host(threads)), "device": calibration(opened)}
    times = {
        "host": _seconds(graph, "host", threads),
        "device": _seconds(graph, [opened], threads),
    }
    made: dict[str, Any] = {"graph": name, "family": family(name), "gini": state.gini}
    made["features"] = state.features.tolist()
    for who, seconds in times.items():
        numbers = rates[who]
        assert numbers is not None
        assert numbers["gather"] is not None
        made[who] = seconds
        made[f"{who} factor"] = seconds * numbers["gather"] * 1e6 / state.steps
    return made


def collect(
    names: Iterable[str],
    device: OpenCL,
    threads: int,
    budget: float = float("inf"),
    executor: Executor | None = None,
) -> list[dict[str, Any]]:
    """Records of these graphs; what the journal has is not measured again.

    Graphs that cannot be had are left out, with a warning. ``budget`` is in seconds.
    """
    tasks = [{"name": name, "device": device.found.id, "threads": threads} for name in names]
    campaign = Campaign(
        KIND, f"{__name__}:measure", tasks, mark=device.key, measured=True, label="measuring"
    )
    found = campaign.records(executor, budget)
    return [record for record in found if record is not None]


def fit(records: list[dict[str, Any]], who: str) -> np.ndarray:
    """Coefficients of the logarithm of the factor of ``"host"`` or ``"device"``."""
    x = np.array([r["features"] for r in records])
    y = np.log([r[f"{who} factor"] for r in records])
    penalty = RIDGE * np.eye(x.shape[1])
    penalty[0, 0] = 0.0
    return np.linalg.solve(x.T @ x + penalty, x.T @ y)


def judged(records: list[dict[str, Any]]) -> dict[str, float]:
    """How far predictions are off for families that the model has not seen."""
    errors, shares = [], []
    for left in sorted({r["family"] for r in records}):
        rest = [r for r in records if r["family"] != left]
        if len(rest) < len(FEATURES):
            continue
        weights = {who: fit(rest, who) for who in ("host", "device")}
        for record in (r for r in records if r["family"] == left):
            x = np.array(record["features"])
            off = {
                who: float(x @ w) - np.log(record[f"{who} factor"]) for who, w in weights.items()
            }
            errors += [abs(e) for e in off.values()]
            true = record["device"] / (record["host"] + record["device"])
            said = 1 / (1 + record["host"] / record["device"] * np.exp(off["host"] - off["device"]))
            shares.append(abs(said - true))
    if not errors:
        return {}
    return {
        "median error of a time": float(np.expm1(np.median(errors))),
        "mean error of the share": float(np.mean(shares)),
        "largest error of the share": float(np.max(shares)),
    }


def train(
    names: Iterable[str] | None = None,
    budget: float = float("inf"),
    device: OpenCL | None = None,
    executor: Executor | None = None,
) -> Model:
    """Measure what the journal does not have yet, fit, and judge by leaving families out.

    Without ``names`` those of the training set that are there.

    Raises
    ------
    InputError
        If too few graphs were measured.
    DeviceError
        Without a device.
    """
    device = device or open_device()
    threads = host_threads(threads_available(), device.found, device.threads)
    names = present(TRAINING) if names is None else names
    records = collect(names, calibrated(device, threads), threads, budget, executor)
    if len(records) < len(FEATURES):
        raise InputError(
            f"{len(records)} graphs were measured, at least {len(FEATURES)} are needed: name more, or "
            "allow a larger --budget"
        )
    before = model()
    ours = fit(records, "device")
    shares = device.found.shares_cores
    card = {
        "date": datetime.now(UTC).date().isoformat(),
        "machine": journals.machine()[1],
        "device": device.name,
        "graphs": [r["graph"] for r in records],
        "families left out": judged(records),
    }
    shared = ours if shares else before.shared
    return Model(fit(records, "host"), shared, before.apart if shares else ours, card)
