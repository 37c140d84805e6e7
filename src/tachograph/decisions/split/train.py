"""Train the split: time host and device alone on many graphs, fit their factors, leave families out.

The model is a ridge regression of the logarithm of the time, in units of what the calibration says the
steps should take, on features of the degrees.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...graph.graph import Graph
from ...journal.campaign import Record
from ...util.cores import threads_available
from ..graphs import about, graph_named
from ..trainer import DeviceTrainer, Quality, run_named
from .model import DEGREE_FEATURES, Model, State, the_model

if TYPE_CHECKING:
    from ...devices.opencl import OpenCL

__all__ = ["Trainer", "fit", "judged", "undirected"]

TIMED_RUNS = 3  # after one that warms up
RIDGE = 5.0  # keeps coefficients small where graphs say little
WHO = ("host", "device")


def undirected(name: str) -> Graph:
    """Return the graph of that name with each edge once in both directions, and no loops."""
    found = graph_named(name)
    source, target, _ = found.to_edges()
    return Graph.from_edges(
        source, target, n=found.n, directed=False, dedupe="first", drop_self_loops=True
    ).sorted


def calibrated(device: OpenCL, threads: int) -> OpenCL:
    """Return the device when its calibration and the host's are in the journal."""
    from ...devices.calibrate import calibrate, calibration
    from ...devices.host import Host

    for one in (Host(threads), Host(threads_available()), device):
        if calibration(one) is None:
            calibrate(one)
    return device


def measure_graph(name: str, device: str, threads: int, run: str) -> Record:
    """Time host and device alone, by what their calibration says: a task of the campaign."""
    from ...devices.calibrate import calibration
    from ...devices.host import Host
    from ...devices.opencl import open_device

    graph = undirected(name)
    opened = calibrated(open_device(device), threads)
    state = State.of(graph, 0)
    made: Record = {**about(name, graph), "features": state.features.tolist()}
    for who, where, rated in (("host", "host", Host(threads)), ("device", [opened], opened)):
        taken = [
            run_named(run)("jaccard", graph, device=where, threads=threads).seconds
            for _ in range(TIMED_RUNS + 1)
        ]
        made[who] = statistics.median(taken[1:])
        gathered = (calibration(rated) or {})["gather"] or 0.0
        made[f"{who} factor"] = made[who] * gathered * 1e6 / state.steps
    return made


def fit(records: list[Record], who: str) -> NDArray[np.float64]:
    """Return coefficients of the logarithm of the factor of ``"host"`` or ``"device"``."""
    x = np.array([r["features"] for r in records])
    y = np.log([r[f"{who} factor"] for r in records])
    penalty = RIDGE * np.eye(x.shape[1])
    penalty[0, 0] = 0.0
    return np.linalg.solve(x.T @ x + penalty, x.T @ y)


def judged(records: list[Record]) -> dict[str, float]:
    """Return how far predictions are off for families that the model has not seen."""
    errors, shares = [], []
    for left in sorted({r["family"] for r in records}):
        rest = [r for r in records if r["family"] != left]
        if len(rest) < len(DEGREE_FEATURES):
            continue
        weights = {who: fit(rest, who) for who in WHO}
        for record in (r for r in records if r["family"] == left):
            x = np.array(record["features"])
            off = {w: float(x @ weights[w]) - np.log(record[f"{w} factor"]) for w in WHO}
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


@dataclass(frozen=True)
class Trainer(DeviceTrainer[Model]):
    """Learn how long host and device take for similarity, to decide who computes which part.

    Measures both on many graphs (what the journal has is not measured again), fits, and says how far
    off it is on families of graphs that were left out.

    [bold]Examples[/bold]

    tacho train split --budget 5m

    tacho train split --graphs 'kronecker 14 16,road 300 300,uniform 60000 8' --json
    """

    name = "split"
    state = DEGREE_FEATURES
    fewest = (len(DEGREE_FEATURES), 1)

    def how(self) -> tuple[Record, str]:
        """Return both devices, when they are calibrated."""
        device = self.opened
        threads = device.host_threads(threads_available())
        calibrated(device, threads)
        return {"device": device.found.id, "threads": threads, "run": self.runner.run}, device.key

    def fit(self, records: list[Record]) -> Model:
        """Fit the host and this kind of device; what is known of the other kind stays."""
        kind = "shared" if self.opened.found.shares_cores else "apart"
        return the_model()._replace(host=fit(records, "host"), **{kind: fit(records, "device")})

    def evaluate(self, model: Model, records: list[Record]) -> Quality:
        """Return errors on families that were left out."""
        return [{"measure": name, "value": value} for name, value in judged(records).items()]
