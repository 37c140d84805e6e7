"""Train the times: time every way on many graphs, add the journal's runs, fit a process for each.

Each way is judged on graphs, and on families of graphs, that were left out.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

from ...journal import Run as JournalRun
from ...journal import journal, machine
from ...journal.campaign import Record
from ...util.errors import InputError
from ..trainer import Quality, device_here
from ..trainer import Trainer as Base
from .model import CONFIDENCE, SHORTEST_SECONDS, Curve, Model
from .state import FIELDS

__all__ = ["Trainer", "errors", "fit", "grouped", "judge", "runs", "shares"]

FEWEST_ROWS = 8  # that a curve needs
FEWEST_GRAPHS = 8
RECENT_RUNS = 2000  # of the journal
CLOSE = 0.35  # part of the actual time that a good prediction is within
Rows = list[Record]
Numbers = NDArray[np.float64]


class Covariance(Protocol):
    """What is needed of scikit-learn's sum of kernels: a linear, a radial and a noise part."""

    k1: Covariance
    k2: Covariance
    constant_value: float
    length_scale: Numbers

    def __call__(self, x: Numbers) -> Numbers: ...


class Process(Protocol):
    """What is needed of scikit-learn's Gaussian process."""

    kernel_: Covariance
    alpha_: Numbers


def grouped(records: list[Record]) -> dict[str, Rows]:
    """Rows by way; each knows its family."""
    found: dict[str, Rows] = {}
    for record in records:
        whose = {"graph": record["graph"], "family": record["family"]}
        for row in record["rows"]:
            found.setdefault(row["name"], []).append({**row, **whose})
    return {name: rows for name, rows in found.items() if len(rows) >= FEWEST_ROWS}


def _matrix(rows: Rows) -> Numbers:
    return np.array([[row["shape"][name] for name in FIELDS] for row in rows])


def _process(x: Numbers, y: Numbers) -> Process:
    """A process through standardised points; its widths are those of the greatest likelihood."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, DotProduct, WhiteKernel

    linear = ConstantKernel(0.3, (1e-3, 1e2)) * DotProduct(0.0, "fixed")
    radial = ConstantKernel(0.3, (1e-3, 1e2)) * RBF(np.full(x.shape[1], 4.0), (0.5, 100.0))
    noise = WhiteKernel(0.02, (1e-3, 0.5))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        made = GaussianProcessRegressor(linear + radial + noise, random_state=0)
        return cast(Process, made.fit(x, y - y.mean()))


def errors(made: Process, x: Numbers, y: Numbers, groups: Sequence[str]) -> Numbers:
    """The logarithm of predicted by actual for each row if its group is left out of the points.

    With K the covariance of all points, what a group adds to the others is solved for at once: the
    errors of the group are (K^-1)_gg^-1 (K^-1 y)_g. Widths stay those of all points.
    """
    inverse = np.linalg.inv(made.kernel_(x))
    pull = inverse @ (y - y.mean())
    off: Numbers = np.empty(y.size)
    for name in set(groups):
        own = np.flatnonzero([g == name for g in groups])
        off[own] = -np.linalg.solve(inverse[np.ix_(own, own)], pull[own])
    return off


def fit(records: list[Record]) -> Model:
    """Fit all ways that were measured often enough; the card tells how far off each is."""
    ways = grouped(records)
    every = np.concatenate([_matrix(rows) for rows in ways.values()])
    middle, scale = every.mean(axis=0), np.maximum(every.std(axis=0), 1e-3)
    curves, quality = {}, []
    for name, rows in ways.items():
        points = ((_matrix(rows) - middle) / scale).astype(np.float32)  # as the file keeps them
        x = points.astype(np.float64)
        y = np.log(np.maximum([row["seconds"] for row in rows], SHORTEST_SECONDS))
        made = _process(x, y)
        off = errors(made, x, y, [row["graph"] for row in rows])
        linear, radial = made.kernel_.k1.k1, made.kernel_.k1.k2
        curves[name] = Curve(
            points=x,
            weights=made.alpha_.ravel(),
            widths=radial.k2.length_scale,
            mean=float(y.mean()),
            linear=linear.k1.constant_value,
            radial=radial.k1.constant_value,
            margin=_margin(np.abs(off)),
            memory=_memory([row for row in rows if "bytes" in row]),
        )
        row: Record = {"way": name, "rows": len(rows)}
        far = errors(made, x, y, [r["family"] for r in rows])
        for left_out, wrong in (("graph", off), ("family", far)):
            row[f"{left_out} left out, within 35 %"] = shares(wrong)
            row[f"{left_out} left out, median error"] = float(np.median(_relative(wrong)))
        quality.append(row)
    return Model(curves, middle, scale, {"quality": quality})


def _relative(off: Iterable[float]) -> Numbers:
    return np.asarray(np.abs(np.exp(np.fromiter(off, float)) - 1))


def shares(off: Iterable[float], within: float = CLOSE) -> float:
    """The share of errors (logarithms of ratios) within a part of the actual time."""
    found = _relative(off)
    return float(np.mean(found <= within)) if found.size else math.nan


def _margin(off: Numbers) -> float:
    """What a new error stays below with the confidence, if it is like these (split conformal)."""
    place = math.ceil((off.size + 1) * CONFIDENCE)
    return float(np.sort(off)[place - 1]) if 0 < place <= off.size else math.inf


def _memory(rows: Rows) -> Numbers:
    """Bytes as a sum of parts that are not negative: fixed, vertices, arcs, turned arcs, weights."""
    from scipy.optimize import nnls

    a = np.array([
        [1.0, r["n"], r["arcs"], r["arcs"] * r["directed"], r["arcs"] * r["weighted"]] for r in rows
    ])  # fmt: skip
    y = np.array([float(r["bytes"]) for r in rows])
    parts: Numbers = nnls(a / y[:, None], np.ones(y.size))[0]  # relative errors count
    return parts


def runs() -> list[Record]:
    """Runs of the journal that can be learned from, as records of a campaign."""
    mine = machine()[0]
    return [
        {"graph": run.graph["name"], "family": f"run on {run.graph['mark']}", "rows": [_row(run)]}
        for run in journal().runs(last=RECENT_RUNS)
        if run.machine == mine and run.provenance == "measured" and run.graph.get("shape")
        and run.plan and run.plan.get("way")
    ]  # fmt: skip


def _row(run: JournalRun) -> Record:
    way = (run.plan or {})["way"]
    return {"name": f"{run.task}/{way}", "shape": run.graph["shape"], "seconds": run.seconds}


def judge(model: Model, records: list[Record]) -> list[Record]:
    """Predicted and actual seconds of every row of other records."""
    return [
        {"graph": record["graph"], "name": row["name"], "seconds": row["seconds"],
         "predicted": found.seconds, "low": found.low, "high": found.high, "arcs": row["arcs"],
         "off": math.log(found.seconds / max(row["seconds"], 1e-9)), "shape": row["shape"]}
        for record in records
        for row in record["rows"]
        if (found := model.predict(row["name"], row["shape"])) is not None
    ]  # fmt: skip


@dataclass(frozen=True)
class Trainer(Base[Model]):
    """Learn how long each way to run each task takes, for plans.

    Measures all of them on many graphs (what the journal has is not measured again), adds the runs
    that the journal remembers, fits, and says how far off it is on families that were left out.

    [bold]Examples[/bold]

    tacho train times --budget 10m

    tacho train times --budget 0 --json
    """

    name = "times"
    state = FIELDS

    def collect(self, names: Sequence[str]) -> list[Record]:
        """Return a record for each graph, with a row for each way and question."""
        device = device_here()
        ways = [list(way) for way in self.runner.ways]
        tasks = [{"name": name, "run": self.runner.run, "ways": ways} for name in names]
        function = f"{__package__}.collect:measure_graph"
        return list(self.measured("times", function, tasks, str(device and device.key)))

    def fit(self, records: list[Record]) -> Model:
        """Fit the records and the runs of the journal."""
        from threadpoolctl import threadpool_limits

        from ...devices.calibrate import calibrate
        from ...devices.host import Host
        from ...kernels.runtime.launch import threads_available

        if len(records) < FEWEST_GRAPHS:
            raise InputError(
                f"{len(records)} graphs are measured, and {FEWEST_GRAPHS} are needed: give a longer "
                "--budget"
            )
        device, own = device_here(), runs()
        rates = {"host": calibrate(Host(threads_available()))}
        if device is not None:
            rates["device"] = calibrate(device)
        with threadpool_limits(1):
            made = fit([*records, *own])
        about = {"threads": threads_available(), "calibration": rates, "runs": len(own)}
        return replace(made, card={**made.card, **about})

    def evaluate(self, model: Model, records: list[Record]) -> Quality:
        """Return what each way's process found when it left out graphs and families."""
        return cast(Quality, model.card["quality"])

    def facts(self, model: Model) -> Record:
        """Return the rates of this machine, by which predictions are scaled on others."""
        return model.card
