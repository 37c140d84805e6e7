"""Train the times: time every way on many graphs, add the journal's runs, fit a process for each.

Each way is judged on graphs, and on families of graphs, that were left out.
"""

from __future__ import annotations

import math
import tracemalloc
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import cast

import numpy as np
from numpy.typing import NDArray

from ...graph.graph import Graph
from ...journal import Run as JournalRun
from ...journal import journal, machine
from ...journal.campaign import Record
from ...journal.code import code_hash, own_version
from ...util.cores import busy, threads_available
from ..graphs import about, family, graph_named, weighted
from ..trainer import Quality, Run, TimedWay, device_here, run_named
from ..trainer import Trainer as Base
from .model import (
    CONFIDENCE,
    KERNELS,
    KINDS,
    PROBED,
    SHAPE_FEATURES,
    SHORTEST_SECONDS,
    Curve,
    Model,
    kind_of,
    shape,
    unprobed,
)

__all__ = ["Trainer", "errors", "fit", "grouped", "judge", "measure", "runs", "shares"]

FEWEST_ROWS = 8  # that a curve needs
FEWEST_OF_KIND = 40  # errors, for a margin of that kind of graphs
RECENT_RUNS = 2000  # of the journal
CLOSE = 0.35  # part of the actual time that a good prediction is within
#: How often a graph is measured, with all others in between: a machine is not always equally fast, and
#: what that changes has to be in the margins.
VISITS = 2
ON_WEIGHTS = ("sssp", "maximum_flow")
#: Arcs up to which slow ways are measured.
LARGEST_ARCS = {
    "sssp/dijkstra": 3e6, "sssp/hybrid": 3e6, "maximal_independent_set/rounds": 3e6,
    "maximum_flow/auto": 1.5e6, "maximum_flow/rounds": 6e5, "maximum_flow/device": 1e5,
    "bfs/device": 3e6, "sssp/device": 1e6, "jaccard/device": 6e6, "jaccard/both": 6e6,
    "maximal_independent_set/device": 3e6,
}  # fmt: skip
Rows = list[Record]
Numbers = NDArray[np.float64]


def measure_graph(name: str, run: str, ways: list[list[object]], visit: int) -> Record:
    """Return the record of a graph: a task of the campaign."""
    graph = graph_named(name)
    known = [TimedWay(*way) for way in ways]  # type: ignore[arg-type]
    here = [way for way in known if way.where == "host" or device_here() is not None]
    return {**about(name, graph), "rows": list(measure(run_named(run), graph, here, visit))}


def measure(run: Run, graph: Graph, ways: Sequence[TimedWay], visit: int = 0) -> Iterator[Record]:
    """Yield rows: a way, the shape of what it ran on, and seconds; at the first visit also bytes."""
    with_weights = graph if graph.weighted else weighted(graph)
    for task, of_task in groupby(ways, lambda way: way.task):
        subject = with_weights if task in ON_WEIGHTS else graph
        some = list(of_task)
        for arguments in _questions(some[0], subject, visit):
            numbers = shape(subject, arguments.get("source"))
            asked = [(f"{task}/{way.way}", {**arguments, **way.options}) for way in some]
            asked = [one for one in asked if subject.arcs <= LARGEST_ARCS.get(one[0], math.inf)]
            for _, options in asked[:1]:
                run(task, subject, **options)  # else the first way would pay for all of them
            for name, options in asked:
                row = {"name": name, "shape": numbers, **_timed(run, task, subject, options)}
                yield row if visit else {**row, **_weighed(run, task, subject, options)}


def _questions(way: TimedWay, graph: Graph, visit: int) -> list[dict[str, int]]:
    """What to ask of a graph: from the vertex of most arcs, and from another one at each visit."""
    if way.task == "jaccard" and graph.directed:
        return []
    if "source" not in way.needs:
        return [{}]
    hub = int(graph.degrees.argmax())
    some = np.flatnonzero(graph.degrees)
    other = int(some[np.random.default_rng(3 + visit).integers(some.size)])
    if "sink" in way.needs:
        return [{"source": hub, "sink": other}] if other != hub else []
    return [{"source": hub}, {"source": other}]


def _timed(run: Run, task: str, graph: Graph, options: Record) -> Record:
    """The seconds of a run, as somebody sees who asks once, and if others used the cores."""
    others = busy()
    seconds = run(task, graph, **options).seconds
    return {"seconds": seconds, "busy": max(others, busy()) > 0, "arcs": graph.arcs}


def _weighed(run: Run, task: str, graph: Graph, options: Record) -> Record:
    """The bytes of a run, which is not timed, and what they depend on."""
    tracemalloc.start()
    try:
        run(task, graph, **options)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    about = {"n": graph.n, "directed": graph.directed, "weighted": graph.weighted}
    return {"bytes": peak, **about}


def grouped(records: list[Record]) -> dict[str, Rows]:
    """Rows by way; each knows its family. Those of a busy machine count if there are few others."""
    found: dict[str, Rows] = {}
    for record in records:
        whose = {"graph": record["graph"], "family": record["family"]}
        for row in record["rows"]:
            found.setdefault(row["name"], []).append({**row, **whose})
    for name, rows in found.items():
        quiet = [row for row in rows if not row.get("busy")]
        found[name] = quiet if len(quiet) >= FEWEST_ROWS else rows
    return {name: rows for name, rows in found.items() if len(rows) >= FEWEST_ROWS}


def _matrix(rows: Rows) -> Numbers:
    return np.array([[row["shape"][name] for name in SHAPE_FEATURES] for row in rows])


def errors(covariance: Numbers, y: Numbers, groups: Sequence[str]) -> Numbers:
    """The logarithm of predicted by actual for each row if its group is left out of the points.

    With K the covariance of all points, what a group adds to the others is solved for at once: the
    errors of the group are (K^-1)_gg^-1 (K^-1 y)_g. Widths stay those of all points.
    """
    inverse = np.linalg.inv(covariance)
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
    usual = _usual((every - middle) / scale)
    curves, quality = {}, []
    for name, rows in ways.items():
        points = ((_matrix(rows) - middle) / scale).astype(np.float32)  # as the file keeps them
        curves[name], judged = _curve(points.astype(np.float64), rows, usual)
        quality.append({"way": name, "rows": len(rows), **judged})
    return Model(curves, middle, scale, usual, {"quality": quality})


def _usual(x: Numbers) -> Numbers:
    """Return what probes find as a linear function of the other features, by (ridge) least squares."""
    others, found = x[:, : -len(PROBED)], x[:, -len(PROBED) :]
    squares = others.T @ others + np.eye(others.shape[1])
    return np.asarray(np.linalg.solve(squares, others.T @ found).T)


def _curve(x: Numbers, rows: Rows, usual: Numbers) -> tuple[Curve, Record]:
    """A process through standardised points, of the greatest likelihood, and how far off it is."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, DotProduct, WhiteKernel

    y = np.log(np.maximum([row["seconds"] for row in rows], SHORTEST_SECONDS))
    linear = ConstantKernel(0.3, (1e-3, 1e2)) * DotProduct(0.0, "fixed")
    radial = ConstantKernel(0.3, (1e-3, 1e2)) * RBF(4.0, (0.5, 100.0))  # one width: few graphs
    made = GaussianProcessRegressor(
        linear + radial + WhiteKernel(0.02, (1e-3, 0.5)), random_state=0
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        made.fit(x, y - y.mean())
    judged: Record = {}
    shift = made.predict(unprobed(x, usual)) - made.predict(x)  # what a probe tells
    doubts = []
    for left_out in ("family", "graph"):
        off = errors(made.kernel_(x), y, [row[left_out] for row in rows])
        doubts.append(np.abs([off, off + shift]))
        judged[f"{left_out} left out, within 35 %"] = shares(off)
        judged[f"{left_out} left out, median error"] = float(np.median(_relative(off)))
    linear, radial = made.kernel_.k1.k1, made.kernel_.k1.k2
    kinds = [kind_of(row["shape"]) for row in rows] * 2
    curve = Curve(
        points=x,
        weights=made.alpha_.ravel(),
        widths=np.full(x.shape[1], radial.k2.length_scale),
        mean=float(y.mean()),
        linear=linear.k1.constant_value,
        radial=radial.k1.constant_value,
        margins=np.array([_margins(off, kinds) for off in np.concatenate(doubts, axis=1)]),
        memory=_memory([row for row in rows if "bytes" in row]),
    )
    return curve, judged


def _relative(off: Iterable[float]) -> Numbers:
    return np.asarray(np.abs(np.exp(np.fromiter(off, float)) - 1))


def shares(off: Iterable[float], within: float = CLOSE) -> float:
    """The share of errors (logarithms of ratios) within a part of the actual time."""
    found = _relative(off)
    return float(np.mean(found <= within)) if found.size else math.nan


def _margins(off: Numbers, kinds: list[int]) -> Numbers:
    """What new errors stay below on graphs of each kind, where enough of it were measured.

    Half of the errors are those on graphs of families that were left out: new graphs may be anything.
    """
    every, groups = _margin(off), [off[np.equal(kinds, k)] for k in range(len(KINDS))]
    return np.array([_margin(own) if own.size >= FEWEST_OF_KIND else every for own in groups])


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
    """Runs of the journal by this code that can be learned from, as records of a campaign."""
    mine = machine()[0]
    return [
        {"graph": run.graph["name"], "family": f"run on {run.graph['mark']}", "rows": [_row(run)]}
        for run in journal().runs(last=RECENT_RUNS)
        if run.machine == mine and run.version == own_version() and run.provenance == "measured"
        and set(SHAPE_FEATURES) <= set(run.graph.get("shape") or ()) and run.plan
        and run.plan.get("way")
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

    budget: float = 240.0  # seconds of measuring; fitting takes less than another minute

    name = "times"
    state = SHAPE_FEATURES
    without = ("workers",)  # every way uses all threads of the machine
    fewest = (8, 1)

    def choose(self) -> list[str]:
        """Return the graphs to measure, families in turns: a budget that runs out leaves out none."""
        if self.graphs is not None:
            return list(self.graphs)
        turns: dict[str, int] = {}
        places = []
        for name in super().choose():
            kind = family(name)
            turns[kind] = turns.get(kind, 0) + 1
            places.append((turns[kind], name))
        return [name for _, name in sorted(places, key=lambda place: place[0])]

    def how(self) -> tuple[Record, str]:
        """Return what runs tasks, and the ways."""
        device = device_here()
        ways = [list(way) for way in self.runner.ways]
        return {"run": self.runner.run, "ways": ways}, str(device and device.key)

    def collect(self, names: Sequence[str]) -> list[Record]:
        """Measure every graph, and then all of them again."""
        arguments, mark = self.how()
        tasks = [{"name": name, "visit": k, **arguments} for k in range(VISITS) for name in names]
        return self.measured(tasks, mark)

    def fit(self, records: list[Record]) -> Model:
        """Fit the records and the runs of the journal."""
        from threadpoolctl import threadpool_limits

        from ...devices.calibrate import calibrate
        from ...devices.host import Host

        device, own = device_here(), runs()
        rates = {"host": calibrate(Host(threads_available()))}
        if device is not None:
            rates["device"] = calibrate(device)
        with threadpool_limits(1):
            made = fit([*records, *own])
        about: Record = {"threads": threads_available(), "calibration": rates, "runs": len(own)}
        about["kernels"] = {task: code_hash(*rooms) for task, rooms in KERNELS.items()}
        return replace(made, card={**made.card, **about})

    def evaluate(self, model: Model, records: list[Record]) -> Quality:
        """Return what each way's process found when it left out graphs and families."""
        return cast(Quality, model.card["quality"])

    def facts(self, model: Model) -> Record:
        """Return the rates of this machine, by which predictions are scaled on others."""
        return model.card
