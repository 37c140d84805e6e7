"""Maximum flow and minimum cut."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..devices.choice import DeviceLike, parse
from ..graph.graph import Graph
from ..kernels.runtime.nouns import Rows
from ..util.errors import DeviceError, TooLargeError
from .flow_problem import Problem, problem_of
from .result import Result, Run, Trace
from .verify import check_cut, check_flow

if TYPE_CHECKING:
    from ..decisions.placement.rules import Policy
    from ..kernels.flow.push_relabel import Solver
    from .placed import Placed

__all__ = ["CutResult", "FlowResult", "maximum_flow", "minimum_cut"]


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class FlowResult(Result):
    """The value of a maximum flow, the flow along each arc, and the source's side of a minimum cut.

    >>> import tachograph as tg
    >>> found = tg.maximum_flow(tg.Graph.from_edges([0, 1], [1, 2], [5, 3]), 0, 2)
    >>> found.value, found.flow.tolist(), found.source_side.tolist()
    (3, [3, 3], [True, True, False])
    """

    task: ClassVar[str] = "maximum_flow"

    value: int | float
    flow: NDArray[np.int64] | NDArray[np.float64]
    source_side: NDArray[np.bool_]
    status: str = "optimal"

    def facts(self) -> dict[str, object]:
        """The flow's value, whether it is optimal, and the vertices on the source's side."""
        side = int(np.count_nonzero(self.source_side))
        return {"value": self.value, "status": self.status, "source_side": side}


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class CutResult(Result):
    """The value of a minimum cut, the source's side of it, and the places of the arcs it cuts.

    >>> import tachograph as tg
    >>> found = tg.minimum_cut(tg.Graph.from_edges([0, 1], [1, 2], [5, 3]), 0, 2)
    >>> found.value, found.arcs.tolist()
    (3, [1])
    """

    task: ClassVar[str] = "minimum_cut"

    value: int | float
    source_side: NDArray[np.bool_]
    arcs: NDArray[np.int64]
    status: str = "optimal"

    def facts(self) -> dict[str, object]:
        """The cut's value, the number of its arcs, and the vertices on the source's side."""
        side = int(np.count_nonzero(self.source_side))
        made = {"value": self.value, "status": self.status, "arcs": self.arcs.size}
        return {**made, "source_side": side}


def maximum_flow(
    graph: Graph,
    source: int | None = None,
    sink: int | None = None,
    *,
    capacity: ArrayLike | None = None,
    device: DeviceLike | None = None,
    placement: str | Policy = "auto",
    threads: int | None = None,
    trace: bool = True,
    verify: bool = False,
) -> FlowResult:
    """Find the most that can flow from one vertex to another, and how.

    Parameters
    ----------
    graph
        The graph. In a directed one arcs carry flow in their direction; an edge of an undirected one
        carries it in either. Loops carry nothing.
    source
        The vertex where the flow begins; by default the one that the graph's file names.
    sink
        The vertex where the flow ends; by default the one that the graph's file names.
    capacity
        The capacity of each arc, in the order of ``graph.indices``; by default its weight, or 1. It may
        be infinite, but not negative. Whole capacities give exact, whole flows.
    device
        Run in rounds of kernels on ``host``, or on it and an OpenCL device; by default push-relabel
        runs on one thread. It fills single paths before, if an end has few arcs.
    placement
        Where each kernel of each round runs; see :func:`~tachograph.maximal_independent_set`.
    threads
        The number of threads for rounds; by default all cores. The flow does not depend on it, nor on
        devices.
    trace
        Keep a row for each phase or kernel.
    verify
        Check the result by its defining properties; ``VerificationError`` if it is wrong.

    Returns
    -------
    FlowResult
        ``value``; ``flow``: along each arc, in the order of ``graph.indices``; ``source_side``: for
        each vertex whether it is on the source's side of a minimum cut; ``status``: ``"optimal"``, or
        ``"unbounded"`` if a path of infinite capacity leads to the sink: then the value is infinite,
        and so is the flow along that path. The trace has the seconds of each phase, or of each kernel
        of each round and where it ran.

    Raises
    ------
    InputError
        For vertices that do not exist or are the same, and for capacities that are negative, not
        numbers, or whole but too large to be summed exactly.
    DeviceError
        If there is no such device. One that fails later is not used any more, which the trace notes.

    Examples
    --------
    >>> import tachograph as tg
    >>> g = tg.Graph.from_edges([0, 0, 1, 2], [1, 2, 3, 3], [3, 5, 9, 2])
    >>> r = tg.maximum_flow(g, 0, 3)
    >>> r.value, r.flow.tolist(), r.source_side.tolist()
    (5, [3, 2, 3, 2], [True, False, True, False])
    """
    from ..kernels.runtime.launch import threads as using

    problem = problem_of(graph, source, sink, capacity)
    if problem.endless.size:
        endless = np.where(np.isin(np.arange(graph.arcs), problem.endless), np.inf, 0.0)
        side, run = _unbounded(problem)
        return FlowResult(value=np.inf, flow=endless, source_side=side, status="unbounded", run=run)
    stage = None
    with using(threads):
        chosen = parse(device)
        if chosen is not None:
            from .placed import placed_on

            stage = placed_on(chosen, placement, FlowResult.task)
        value, side, flow, run = _solve(problem, True, trace, stage)
    assert flow is not None
    if verify:
        check_cut(graph, problem.capacity, problem.source, problem.sink, value, side)
        check_flow(graph, problem.capacity, problem.source, problem.sink, value, flow)
    return FlowResult(value=value, flow=flow, source_side=side, run=run)


def minimum_cut(
    graph: Graph,
    source: int | None = None,
    sink: int | None = None,
    *,
    capacity: ArrayLike | None = None,
    threads: int | None = None,
    trace: bool = True,
    verify: bool = False,
) -> CutResult:
    """Find the cheapest way to part one vertex from another. Faster than the flow that proves it.

    Parameters
    ----------
    graph
        The graph, as for :func:`maximum_flow`.
    source
        The vertex on one side of the cut; by default the source that the graph's file names.
    sink
        The vertex on the other side; by default the sink that the graph's file names.
    capacity
        What it costs to cut each arc, in the order of ``graph.indices``; by default its weight, or 1.
    threads
        The number of threads; by default all cores.
    trace
        Keep a row for each phase.
    verify
        Check the result by its defining properties; ``VerificationError`` if it is wrong.

    Returns
    -------
    CutResult
        ``value``: what the arcs from the source's side to the other can carry; ``source_side``: for
        each vertex whether it is on the source's side; ``arcs``: the places of those arcs in
        ``graph.indices``; ``status``: ``"optimal"`` or ``"unbounded"``.

    Raises
    ------
    InputError
        As in :func:`maximum_flow`.

    Examples
    --------
    >>> import tachograph as tg
    >>> g = tg.Graph.from_edges([0, 0, 1, 2], [1, 2, 3, 3], [3, 5, 9, 2])
    >>> r = tg.minimum_cut(g, 0, 3)
    >>> r.value, r.source_side.tolist(), r.arcs.tolist()
    (5, [True, False, True, False], [0, 3])
    """
    from ..kernels.runtime.launch import threads as using

    problem = problem_of(graph, source, sink, capacity)
    if problem.endless.size:
        side, run = _unbounded(problem)
        arcs = _crossing(graph, side)
        return CutResult(value=np.inf, source_side=side, arcs=arcs, status="unbounded", run=run)
    with using(threads):
        value, side, _, run = _solve(problem, False, trace)
    if verify:
        check_cut(graph, problem.capacity, problem.source, problem.sink, value, side)
    return CutResult(value=value, source_side=side, arcs=_crossing(graph, side), run=run)


def _crossing(graph: Graph, side: np.ndarray) -> np.ndarray:
    """Return the arcs from the source's side to the other."""
    out = np.repeat(side, graph.degrees)
    return np.flatnonzero(out & ~side[graph.indices])


def _unbounded(problem: Problem) -> tuple[np.ndarray, Run]:
    """Return side and run for a path without limit: the flow goes along it, and no cut is finite."""
    side = np.zeros(problem.graph.n, bool)
    side[problem.source] = True
    names = ("kernel", "iteration", "device", "work", "seconds")
    return side, Run(0.0, Trace({name: [] for name in names}))


def _solve(
    problem: Problem, wanted: bool, traced: bool, stage: tuple[Placed, int] | None = None
) -> tuple[Any, np.ndarray, np.ndarray | None, Run]:
    """Return value, source's side, flow if ``wanted``, and the run; with a stage, work in rounds."""
    from ..kernels.flow.network import flow_of_arcs, network
    from ..kernels.flow.push_relabel import Solver
    from ..kernels.runtime.launch import clock

    graph = problem.graph
    times = [clock()]
    rows, capacity, order = _rows(graph, problem.capacity)
    made = network(rows, capacity, graph.directed, _turned(problem))
    times.append(clock())
    solver = Solver(made, problem.source, problem.sink)
    if stage is None:
        done = solver.fill_paths()
        times.append(clock())
        if not done:
            solver.begin()
            solver.drain()
    else:
        solver.begin()
        solver = _in_rounds(solver, *stage, problem)
    value, side = solver.value, solver.cut()
    times.append(clock())
    flow = None
    if wanted:
        flow = flow_of_arcs(made, solver.give_back(), rows, graph.directed)
        if order is not None:  # back into the order of the graph's arcs
            flow[order] = flow.copy()
        times.append(clock())
    seconds = times[-1] - times[0]
    if stage is None:
        run = Run(seconds, _phases(graph, np.diff(times), solver))
    else:
        placed = stage[0]
        where = "host" if placed.device is None else placed.device.id
        run = Run(seconds - placed.preparing, placed.trace, device=where)
    if not traced:
        run = replace(run, trace=Trace({}))
    return value.item(), side, flow, run


def _turned(problem: Problem) -> bool:
    """Return whether less can enter the sink than leave the source: then begin at the sink."""
    graph = problem.graph
    out = problem.capacity[graph.indptr[problem.source] : graph.indptr[problem.source + 1]].sum()
    return bool(problem.capacity[graph.indices == problem.sink].sum() < out)


def _in_rounds(solver: Solver, placed: Placed, threads: int, problem: Problem) -> Solver:
    """Fill the sink by the kernels of rounds; without the device if it fails."""
    from ..kernels.flow.push_relabel import Solver
    from .flow_rounds import FlowRounds

    try:
        rounds = FlowRounds(solver, placed.device, threads)
        rounds.run(placed)
        rounds.arrays.release()
        return solver
    except (DeviceError, TooLargeError) as problem_there:
        placed.lose(problem_there)
    again = Solver(solver.made, problem.source, problem.sink)
    again.begin()
    FlowRounds(again, None, threads).run(placed)
    return again


def _phases(graph: Graph, seconds: np.ndarray, solver: Solver) -> Trace:
    """Return the trace of the sequential method: single paths, then push-relabel."""
    from ..kernels.flow.augmenting import LOOKED, PATHS

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
    from ..kernels.rows import build as csr

    tails = graph.arc_sources()
    places = np.arange(graph.arcs, dtype=np.float64)  # travels with the arcs, as weights do
    indptr, indices, moved = csr.build(
        tails, graph.indices, places, graph.n, tails.dtype, sort=True
    )
    assert moved is not None
    order = moved.astype(np.int64)
    return Rows(indptr, indices), capacity[order], order
