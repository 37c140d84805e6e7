"""Maximum flow and minimum cut."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..devices.choice import DeviceLike, parse
from ..graph.graph import Graph
from ..util.arrays import numbers
from ..util.cores import threads as using
from ..util.errors import InputError
from ..util.limits import check_whole
from ..util.text import quoted
from .bfs import bfs, vertices
from .result import Lazy, Result, Run, Trace
from .verify import check_cut, check_flow

if TYPE_CHECKING:
    from ..decisions.placement.rules import Policy

__all__ = ["CutResult", "FlowResult", "Problem", "maximum_flow", "minimum_cut"]

LARGEST_SUM = 2.0**62  # of whole capacities: beyond it sums of int64 could overflow


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
    late_edges: Lazy[NDArray[np.integer]]
    status: str = "optimal"

    @property
    def edges(self) -> NDArray[np.integer]:
        """Both ends of each arc, a row each."""
        return self.late_edges()

    def columns(self) -> dict[str, NDArray[Any]]:
        """Source, target and flow of each arc."""
        source, target = self.named(self.edges).T
        return {"source": source, "target": target, "flow": self.flow}

    def facts(self) -> dict[str, object]:
        """The flow's value, whether it is optimal, and the vertices on the source's side."""
        side = int(np.count_nonzero(self.source_side))
        return {"value": self.value, "status": self.status, "source_side": side}


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class CutResult(Result):
    """The value of a minimum cut, the source's side of it, and the arcs it cuts.

    >>> import tachograph as tg
    >>> found = tg.minimum_cut(tg.Graph.from_edges([0, 1], [1, 2], [5, 3]), 0, 2)
    >>> found.value, found.edges.tolist(), found.capacities.tolist(), found.arcs.tolist()
    (3, [[1, 2]], [3], [1])
    """

    task: ClassVar[str] = "minimum_cut"

    value: int | float
    source_side: NDArray[np.bool_]
    arcs: NDArray[np.int64]
    edges: NDArray[np.integer]
    capacities: NDArray[np.int64] | NDArray[np.float64]
    status: str = "optimal"

    def columns(self) -> dict[str, NDArray[Any]]:
        """Source, target and capacity of each arc that is cut."""
        source, target = self.named(self.edges).T
        return {"source": source, "target": target, "capacity": self.capacities}

    def facts(self) -> dict[str, object]:
        """The cut's value, the number of its arcs, and the vertices on the source's side."""
        side = int(np.count_nonzero(self.source_side))
        made = {"value": self.value, "status": self.status, "arcs": self.arcs.size}
        return {**made, "source_side": side}


def maximum_flow(
    graph: Graph,
    source: int | str | None = None,
    sink: int | str | None = None,
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
        numbers, whole but too large to be summed exactly, or with an infinite sum.
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
    from .flow_solve import solve
    from .placed import Placed

    problem = _problem(graph, source, sink, capacity)
    if problem.endless.size:
        endless = np.where(np.isin(np.arange(graph.arcs), problem.endless), np.inf, 0.0)
        side, run = _unbounded(problem)
        return FlowResult(
            value=np.inf,
            flow=endless,
            source_side=side,
            late_edges=_ends(graph),
            status="unbounded",
            run=run,
        )
    with using(threads):
        chosen = parse(device)
        placed = None if chosen is None else Placed(chosen, placement, FlowResult.task)
        value, side, flow, run = solve(problem, trace, placed)
    if verify:
        check_cut(graph, problem.capacity, problem.source, problem.sink, value, side)
        check_flow(graph, problem.capacity, problem.source, problem.sink, value, flow)
    ends = _ends(graph)
    return FlowResult(value=value, flow=flow, source_side=side, late_edges=ends, run=run)


def minimum_cut(
    graph: Graph,
    source: int | str | None = None,
    sink: int | str | None = None,
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
        each vertex whether it is on the source's side; ``edges``: both ends of each of those arcs, a
        row each; ``capacities``: what each can carry; ``arcs``: their places in ``graph.indices`` and
        ``graph.weights`` (not in ``graph.to_edges()``, which lists an undirected edge once);
        ``status``: ``"optimal"`` or ``"unbounded"``.

    Raises
    ------
    InputError
        As in :func:`maximum_flow`.

    Examples
    --------
    >>> import tachograph as tg
    >>> g = tg.Graph.from_edges([0, 0, 1, 2], [1, 2, 3, 3], [3, 5, 9, 2])
    >>> r = tg.minimum_cut(g, 0, 3)
    >>> r.value, r.source_side.tolist(), r.edges.tolist()
    (5, [True, False, True, False], [[0, 1], [2, 3]])
    """
    from .flow_solve import solve

    problem = _problem(graph, source, sink, capacity)
    if problem.endless.size:
        side, run = _unbounded(problem)
        return _cut(problem, np.inf, side, run, "unbounded")
    with using(threads):
        value, side, _, run = solve(problem, trace, wanted=False)
    if verify:
        check_cut(graph, problem.capacity, problem.source, problem.sink, value, side)
    return _cut(problem, value, side, run)


def _cut(
    problem: Problem, value: float, side: np.ndarray, run: Run, status: str = "optimal"
) -> CutResult:
    """Return the cut with the arcs from the source's side to the other."""
    graph = problem.graph
    out = np.repeat(side, graph.degrees)
    arcs = np.flatnonzero(out & ~side[graph.indices])
    tails = np.searchsorted(graph.indptr, arcs, "right") - 1
    edges = np.stack([tails.astype(graph.indices.dtype), graph.indices[arcs]], axis=1)
    cut = {"arcs": arcs, "edges": edges, "capacities": problem.capacity[arcs]}
    return CutResult(value=value, source_side=side, **cut, status=status, run=run)


def _ends(graph: Graph) -> Lazy[NDArray[np.integer]]:
    """Return both ends of each arc, when they are needed."""
    return Lazy(lambda: np.stack([graph.arc_sources(), graph.indices], axis=1))


def _unbounded(problem: Problem) -> tuple[np.ndarray, Run]:
    """Return side and run for a path without limit: the flow goes along it, and no cut is finite."""
    side = np.zeros(problem.graph.n, bool)
    side[problem.source] = True
    names = ("kernel", "iteration", "device", "work", "seconds")
    return side, Run(0.0, Trace({name: [] for name in names}))


class Problem(NamedTuple):
    """A flow problem with finite capacities: infinite ones are more than can flow."""

    graph: Graph
    capacity: np.ndarray  # of each arc, int64 or float64
    source: int
    sink: int
    endless: np.ndarray  # arcs of a path without limit; empty if there is none


def _problem(
    graph: Graph, source: int | str | None, sink: int | str | None, capacity: ArrayLike | None
) -> Problem:
    """Check the arguments of a call."""
    ends = []
    for what, given in (("source", source), ("sink", sink)):
        found = graph.meta.get(what) if given is None else given
        ids = np.empty(0, np.int64) if found is None else vertices(graph, found, what)
        if ids.size != 1:
            raise InputError(
                f"{what} = {given!r}: name one vertex, or read a file that does (.max)"
            )
        ends.append(int(ids[0]))
    if ends[0] == ends[1]:
        who = ends[0] if graph.names is None else repr(graph.names[ends[0]])
        raise InputError(f"source and sink are the same vertex, {who}")
    limits, path = _limits(graph, capacity), np.empty(0, np.int64)
    if limits.dtype.kind == "f":
        endless = np.isinf(limits)
        if endless.any():
            path = _endless_path(graph, endless, *ends)
        if not path.size:  # then there is a cut without infinite arcs
            limits = _finite(limits, endless)
    return Problem(graph, limits, ends[0], ends[1], path)


def _limits(graph: Graph, capacity: ArrayLike | None) -> np.ndarray:
    """Return the capacity of each arc, int64 or float64; refuse what cannot be one."""
    given = graph.weights if capacity is None else numbers(capacity, "capacity")
    if given is None:
        return np.ones(graph.arcs, np.int64)
    if given.shape != (graph.arcs,):
        raise InputError(
            f"capacity has shape {given.shape}, but there are {graph.arcs:,} arcs: one number for "
            "each entry of graph.indices"
        )
    if given.size and not given.min() >= 0:  # NaN is not, either
        arc = int(np.flatnonzero(~(given >= 0))[0])
        ends = np.array([np.searchsorted(graph.indptr, arc, "right") - 1, graph.indices[arc]])
        named = ends if graph.names is None else graph.names[ends]
        tail, head = map(quoted, named.tolist())
        raise InputError(
            f"the capacity from vertex {tail} to vertex {head} is {given[arc]}: capacities are "
            "numbers from 0 on"
        )
    if given.dtype.kind == "f":
        return given.astype(np.float64, copy=False)
    most = float(given.max()) if given.size else 0.0
    if most * given.size > LARGEST_SUM and float(given.sum(dtype=np.float64)) > LARGEST_SUM:
        raise InputError("whole capacities sum to more than 2**62: scale them, or pass floats")
    return given.astype(np.int64, copy=False)


def _finite(limits: np.ndarray, endless: np.ndarray) -> np.ndarray:
    """Make infinite capacities more than all finite ones; refuse those with an infinite sum."""
    with np.errstate(over="ignore"):
        if endless.any():
            limits = np.where(endless, 2 * limits[~endless].sum() + 1, limits)
        if np.isfinite(limits.sum()):
            return limits
    raise InputError(
        f"capacities sum to more than {np.finfo(np.float64).max:.1e} (an infinite one counts as twice "
        "all finite ones): divide them by a power of 2, and multiply the value by it"
    )


def _endless_path(graph: Graph, endless: np.ndarray, source: int, sink: int) -> np.ndarray:
    """Return arcs of infinite capacity that lead from the source to the sink, if any do."""
    arcs = np.flatnonzero(endless)
    tails = graph.arc_sources()[arcs]
    part = Graph.from_edges(tails, graph.indices[arcs], n=graph.n, directed=True)
    parents = bfs(part, source, target=sink, trace=False).parents
    check_whole()
    if parents[sink] < 0:
        return np.empty(0, np.int64)
    path, at = [], sink
    while at != source:
        before = int(parents[at])
        path.append(int(arcs[(tails == before) & (graph.indices[arcs] == at)][0]))
        at = before
    return np.array(path[::-1])
