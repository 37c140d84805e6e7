"""Maximum flow by push-relabel on one thread, or in rounds of three kernels on host and device.

``kernels/flow/push_relabel.py`` and ``rounds.py`` explain the kernels. Here is what is around them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..decisions.placement.state import Call
from ..devices.memory import check_countable
from ..devices.opencl import OpenCL, check_count
from ..graph.graph import Graph
from ..kernels.flow import rounds as kernels
from ..kernels.flow.augmenting import LOOKED, PATHS
from ..kernels.flow.network import Residual, flow_of_arcs, network
from ..kernels.flow.push_relabel import Solver
from ..kernels.rows import build as csr
from ..kernels.runtime.launch import clock, run
from ..kernels.runtime.nouns import Rows
from ..util.errors import DeviceError
from .placed import Placed, Rounds
from .result import Run, Trace

if TYPE_CHECKING:
    from .flow import Problem

__all__ = ["solve"]

SERIAL_BELOW_VERTICES = 1 << 14  # of a kernel; with fewer, the host uses one thread
SEARCH_AFTER_ROUNDS = 32  # or when as many arcs were looked at as there are
SEARCHES_ALIKE = 3  # in a row, after which pushing is taken not to get anywhere
ROWS = ("begins", "target", "back")
#: The arrays that each kernel writes.
WRITES = {
    "preflow": ("room", "excess", "sent", "next_height", "mark", "tally", "out"),
    "push-adjust": ("room", "height", "excess", "sent", "mark", "tally", "out"),
    "bfs": ("height", "next_height", "queue", "tally", "mark", "out"),
}
#: What the oracle puts back before it runs a kernel again.
CHANGED = ("room", "excess", "height", "next_height", "sent", "mark", "work")


def solve(
    problem: Problem, traced: bool, placed: Placed | None = None, wanted: bool = True
) -> tuple[Any, np.ndarray, np.ndarray, Run]:
    """Return value, source's side, flow if ``wanted`` (else nothing), and the run.

    Push-relabel runs on one thread, or where kernels are ``placed`` in rounds.
    """
    graph = problem.graph
    times = [clock()]
    rows, capacity, order = _rows(graph, problem.capacity)
    turned = _turned(problem)
    made = network(rows, capacity, graph.directed, turned)
    fresh = partial(Solver, made, problem.source, problem.sink, turned)
    times.append(clock())
    if placed is None:
        solver = fresh()
        done = solver.fill_paths()
        times.append(clock())
        if not done:
            solver.begin()
            solver.drain()
    else:
        solver = placed.attempt(partial(_in_rounds, fresh, placed))
    value, side = solver.value, solver.cut()
    times.append(clock())
    flow = made.room[:0]
    if wanted:
        flow = flow_of_arcs(made, solver.give_back(), rows, graph.directed, turned)
        if order is not None:  # back into the order of the graph's arcs
            flow[order] = flow.copy()
        times.append(clock())
    seconds = times[-1] - times[0]
    if placed is None:
        run = Run(seconds, _phases(graph, np.diff(times), solver))
    else:
        where = "host" if placed.device is None else placed.device.id
        run = Run(seconds - placed.preparing, placed.trace, device=where)
    if not traced:
        run = replace(run, trace=Trace({}))
    return value.item(), side, flow, run


def _in_rounds(fresh: Callable[[], Solver], placed: Placed, device: OpenCL | None) -> Solver:
    solver = fresh()
    solver.begin()
    return FlowRounds(solver, placed, device).run()


def _turned(problem: Problem) -> bool:
    """Return whether less can enter the sink than leave the source: then begin at the sink."""
    graph = problem.graph
    out = problem.capacity[graph.indptr[problem.source] : graph.indptr[problem.source + 1]].sum()
    return bool(problem.capacity[graph.indices == problem.sink].sum() < out)


def _phases(graph: Graph, seconds: np.ndarray, solver: Solver) -> Trace:
    """Return the trace of the sequential method: single paths, then push-relabel."""
    searches, pushes, lifts = (int(x) for x in solver.counts)
    paths, looked = (int(solver.paths[x]) for x in (PATHS, LOOKED))
    columns: dict[str, list[object]] = {
        "kernel": ["network", "paths", "push-relabel", "return"],
        "iteration": [0] * 4,
        "device": ["host"] * 4,
        "work": [graph.arcs, looked, pushes + lifts, graph.n],
        "searches": [0, paths, searches, 0],
    }
    return Trace({k: v[: seconds.size] for k, v in columns.items()} | {"seconds": seconds})


def _rows(graph: Graph, capacity: np.ndarray) -> tuple[Rows, np.ndarray, np.ndarray | None]:
    """Return rows and capacities as the network needs them, and, if arcs moved, where from."""
    if graph.directed or graph.is_sorted:
        return graph.rows, capacity, None
    tails = graph.arc_sources()
    places = np.arange(graph.arcs, dtype=np.float64)  # travels with the arcs, as weights do
    indptr, indices, moved = csr.build(
        tails, graph.indices, places, graph.n, tails.dtype, sort=True
    )
    assert moved is not None
    order = moved.astype(np.int64)
    return Rows(indptr, indices), capacity[order], order


class FlowRounds(Rounds):
    """The state of one run: fills the sink of ``solver``, whose source was emptied."""

    program = "flow"

    def __init__(self, solver: Solver, placed: Placed, device: OpenCL | None) -> None:
        made = solver.made
        n, self.ids = made.begins.size - 1, made.target.dtype
        self.n, self.solver = n, solver
        arrays = {name: getattr(made, name) for name in ROWS}
        arrays |= {"room": solver.room, "excess": solver.excess, "sent": np.zeros_like(made.room)}
        lists = ("height", "next_height", "work", "out", "queue")
        arrays |= {name: np.zeros(n, self.ids) for name in lists}
        arrays |= {"mark": np.zeros(n, np.int32), "tally": np.zeros(3, np.int32)}
        super().__init__(placed, device, arrays)
        self.seen, self.searches_alike = 0, 0

    def build(self, device: OpenCL) -> None:
        """Build the kernels for the types of this network, and launch each once for nothing."""
        check_countable(device, self.n)
        real = self.solver.room.dtype.kind == "f"
        if real and not device.capabilities.double:
            raise DeviceError(
                f"{device.name} has no double precision: use the host, or whole capacities"
            )
        names = {np.dtype(np.int32): "int", np.dtype(np.int64): "long"}
        kinds = {"ID": names[self.ids], "PLACE": names[self.solver.made.back.dtype]}
        kinds["NUM"] = "double" if real else "long"
        options = [f"-D{name}={kind}" for name, kind in kinds.items()]
        there = ("preflow", "adjust", "expand", "unmark", "clear")
        self.kernels = {name: device.kernel("flow", name, *options) for name in there}
        for name in there[:-1]:
            self._launch(name, 0, 0)

    def host(self, name: str, count: int) -> None:
        """Run a kernel on ``count`` entries of the work list."""
        self.clear_tally()
        a, ends = self.arrays, self.solver.ends[::-1]
        net = Residual(*a.host(*ROWS, "room"))
        vertices = kernels.Vertices(*a.host("height", "next_height", "excess"))
        if name == "bfs":
            lists = kernels.Lists(*a.host("queue", "out", "tally"))
            run(kernels.bfs, [(net, vertices, lists, ends)], brief=True)
        else:
            sent = kernels.Sent(*a.host("sent", "mark"))
            given = net, vertices, sent, kernels.Lists(*a.host("work", "out", "tally"))
            workers = 1 if count < SERIAL_BELOW_VERTICES else self.threads
            if name == "preflow":
                self.on_host(kernels.preflow, 0, count, workers, *given)
            else:
                self.on_host(kernels.adjust, 0, count, workers, *given, ends)
        a.wrote("host", *WRITES[name])

    def there(self, name: str, count: int) -> None:
        """Run a kernel on the device, and wait for it."""
        self.clear_tally()
        if name == "bfs":
            self._search()
        else:
            self._launch(name.removeprefix("push-"), 0, count)
        self.arrays.wrote("device", *WRITES[name])
        self.finish()

    def _launch(self, kernel: str, lo: int, hi: int) -> None:
        """Launch a kernel on the entries ``lo:hi`` of the work list, or of the queue of a search."""
        ends = {"other": self.solver.ends[0], "root": self.solver.ends[1], "n": self.n}
        ids = {name: self.ids.type(value) for name, value in ends.items()}
        span = {"lo": np.int64(lo), "hi": np.int64(hi), "count": np.int64(hi)}
        self.launch(kernel, hi - lo, **ids, **span)

    def _search(self) -> None:
        """Search level by level, and look at the end of the queue after each."""
        self._launch("clear", 0, self.n)
        lo, hi = 0, 1
        while lo < hi:
            self._launch("expand", lo, hi)
            self.arrays.wrote("device", "tally")
            self.finish()
            lo, hi = hi, int(self.arrays.host("tally")[0][2])
            check_count(self.device, hi, self.n, least=lo)
        self._launch("unmark", 0, hi)

    def run(self) -> Solver:
        """Push until no excess can reach the sink; heights are exact at the end."""
        arcs = int(self.solver.room.size)
        iteration, looked = 0, 0.0
        count = self._step("bfs", iteration, self.n, arcs)
        while count:
            for name in ("preflow", "push-adjust"):
                count = self._step(name, iteration, count, count * arcs // max(self.n, 1))
                looked += int(np.uint32(self.arrays.host("tally")[0][1]))
            iteration += 1
            looked += arcs / SEARCH_AFTER_ROUNDS
            if looked >= arcs or not count:
                looked = 0.0
                count = self._step("bfs", iteration, self.n, arcs)
                self._changed()
        for name in ("room", "excess", "height"):
            getattr(self.solver, name)[:] = self.arrays.host(name)[0]
        return self.solver

    def _changed(self) -> None:
        """Check that pushing since the last search has changed something; without, it never would.

        Raises
        ------
        DeviceError
            If excess and heights are as they were, several times in a row.
        """
        excess, height = self.arrays.host("excess", "height")
        now = hash((excess.tobytes(), height.tobytes()))
        self.searches_alike = self.searches_alike + 1 if now == self.seen else 0
        self.seen = now
        self.advances(SEARCHES_ALIKE - self.searches_alike, SEARCHES_ALIKE)

    def _step(self, name: str, iteration: int, count: int, arcs: int) -> int:
        """Run a kernel, whose list becomes the next one's work; return how many entries that has."""
        call = Call(name, iteration, count, arcs, self.n)
        undo = self._saved() if self.placed.oracle else None
        self.placed.step(
            call, lambda: self.host(name, count), lambda: self.there(name, count), undo
        )
        self.arrays.swap("work", "out")
        found = int(self.arrays.host("tally")[0][0])
        check_count(self.device, found, self.n)
        return found

    def _saved(self) -> Callable[[], None]:
        """Return what puts everything back as it is now: a kernel of the oracle runs several times."""
        before = {name: self.arrays.host(name)[0].copy() for name in CHANGED}

        def restore() -> None:
            for name, array in before.items():
                self.arrays.host(name)[0][:] = array
                self.arrays.wrote("host", name)
                self.arrays.there(name)  # copies, if any, are not the kernel's

        return restore
