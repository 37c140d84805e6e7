"""Breadth-first search: levels and parents, with the direction chosen at every level."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..devices.choice import DeviceLike, only_host
from ..graph.graph import Graph
from ..util.arrays import numbers
from ..util.cores import threads as using
from ..util.errors import InputError
from ..util.limits import was_cut
from .result import NOT_REACHED, Result, Run, back_to_source
from .verify import check_bfs

if TYPE_CHECKING:
    from ..decisions.direction.model import Policy, State

__all__ = ["BfsResult", "bfs", "distinct_ids", "vertices", "workload"]

DIRECTIONS = np.array(["push", "pull"])
#: What chooses directions: the name of a policy, a policy, or a function of the state.
Direction: TypeAlias = "str | Policy | Callable[[State], object]"


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class BfsResult(Result):
    """Levels and parents of a breadth-first search.

    ``levels`` is -1 where the search did not come; ``parents`` is -1 there, and a source is its own.

    >>> import tachograph as tg
    >>> found = tg.bfs(tg.path(3), 0)
    >>> found.levels.tolist(), found.parents.tolist(), found.facts()
    ([0, 1, 2], [0, 0, 1], {'reached': 3, 'deepest': 2})
    """

    task: ClassVar[str] = "bfs"
    table: ClassVar[tuple[str, ...]] = ("levels", "parents")
    ids: ClassVar[tuple[str, ...]] = ("parents",)

    levels: NDArray[np.int32]
    parents: NDArray[np.integer]

    def facts(self) -> dict[str, object]:
        """How many vertices were reached, and the deepest level."""
        reached = int(np.count_nonzero(self.levels >= 0))
        return {"reached": reached, "deepest": int(self.levels.max(initial=-1))}

    def so_far(self) -> str:
        """Which levels are complete."""
        return f"levels are complete up to {max(int(self.levels.max(initial=0)) - 1, 0)}"

    def path(self, target: object) -> NDArray[Any]:
        """The vertices of a path with the fewest edges to ``target``, both ends included.

        They are names if the graph's vertices have names, and so is ``target``.

        Raises
        ------
        InputError
            If there is no such vertex, or if the search did not reach it.

        Examples
        --------
        >>> import tachograph as tg
        >>> tg.bfs(tg.path(5), 1).path(4).tolist()
        [1, 2, 3, 4]
        """
        end, n = self.vertex(target), self.levels.size
        if not 0 <= end < n:
            raise InputError(f"target: there is no vertex {target}; ids go from 0 to {n - 1}")
        found = None if self.levels[end] < 0 else back_to_source(self.parents, end)
        if found is None:
            raise InputError(f"there is no path to vertex {target!r}: {NOT_REACHED}")
        return self.named(found)


def vertices(graph: Graph, given: ArrayLike, what: str) -> np.ndarray:
    """Return one vertex or several as distinct ids; refuse those that do not exist."""
    if type(given) is int and 0 <= given < graph.n:  # most calls
        return np.array([given], graph.indices.dtype)
    return distinct_ids(graph.n, given, what).astype(graph.indices.dtype)


def one_vertex(graph: Graph, given: ArrayLike, what: str) -> int:
    """Return the id of one vertex; refuse several, of which all but one would be left out."""
    found = vertices(graph, given, what)
    if found.size != 1:
        raise InputError(f"{what} = {given!r:.200}: it is one vertex")
    return int(found[0])


def distinct_ids(n: int, given: ArrayLike, what: str) -> np.ndarray:
    """Return distinct ids of vertices of any graph with ``n`` of them, as :func:`vertices` does."""
    try:
        found = np.unique(numbers(given, what))
    except InputError:
        found = np.empty(0)
    if found.size == 0 or found.dtype.kind not in "iu":
        raise InputError(f"{what} = {given!r} is not a vertex id or a list of them")
    if found[0] < 0 or found[-1] >= n:
        bad = found[0] if found[0] < 0 else found[-1]
        have = f"ids go from 0 to {n - 1}" if n else "the graph is empty"
        raise InputError(f"{what}: there is no vertex {bad}; {have}")
    return found


def bfs(
    graph: Graph,
    source: ArrayLike,
    *,
    direction: str | Policy | Callable[[State], object] = "auto",
    cutoff: int | None = None,
    target: int | str | None = None,
    deterministic: bool = False,
    device: DeviceLike | None = None,
    threads: int | None = None,
    trace: bool = True,
    verify: bool = False,
) -> BfsResult:
    """Search breadth-first from one vertex or several.

    Parameters
    ----------
    graph
        The graph to search. The transpose of a directed graph is built, once, to be able to pull.
    source
        The vertex to begin at, or several: then levels count from the nearest.
    direction
        What chooses between push and pull at every level; ``auto`` predicts the time of both. Others
        are ``surf`` and ``surf-paper``, a rule (``push``, ``pull``, ``hbfs``, ``gunrock``,
        ``enterprise``, ``gapbs``, ``lagraph``, ``cugraph``), a function of the :class:`State` that
        Numba can compile, and ``oracle``, which times both at every level: slow, to learn from.
    cutoff
        Go no further than this level; by default the whole graph is searched.
    target
        Stop as soon as the level of this vertex is known; others may then be missing.
    deterministic
        Make each parent the smallest possible id; by default it is any neighbour one level up.
        Levels never depend on the number of threads.
    device
        The OpenCL device to search on, such as ``"opencl"``; by default the host. The same policies
        choose there.
    threads
        The number of threads; by default all cores.
    trace
        Keep a row for each level.
    verify
        Check the result by its defining properties; ``VerificationError`` if it is wrong.

    Returns
    -------
    BfsResult
        ``levels`` (int32, -1 if not reached) and ``parents`` (sources are their own, -1 if not
        reached); the trace has direction, frontier_vertices, frontier_edges, unvisited, seconds,
        deciding_seconds, threads, and the six features of SURF (m_d, p_h, s_f, c_f, r_f, r_u); with
        ``oracle`` also push_seconds and pull_seconds (NaN where a pull is hopeless and was not timed).

    Raises
    ------
    InputError
        For a source or target that does not exist, a negative cutoff, or an unknown direction.
    DeviceError
        For a device that is not there, or fails.

    Examples
    --------
    >>> import tachograph as tg
    >>> tg.bfs(tg.path(5), 0).levels.tolist()
    [0, 1, 2, 3, 4]
    >>> tg.bfs(tg.path(5), [0, 4]).levels.tolist()
    [0, 1, 2, 1, 0]
    """
    from .bfs_on_host import searched, timed

    if cutoff is not None and cutoff < 0:
        raise InputError(f"cutoff = {cutoff} is negative")
    oracle = isinstance(direction, str) and direction == "oracle"
    sources = vertices(graph, source, "source")
    if device is not None and not only_host(device):
        if oracle and target is not None:
            raise InputError("direction = 'oracle' searches the whole graph: it takes no target")
        with using(threads):
            found = _on_device(device, graph, sources, direction, cutoff, target, deterministic)
    elif oracle:
        if target is not None:
            raise InputError("direction = 'oracle' searches the whole graph: it takes no target")
        with using(threads):
            found = timed(graph, sources, cutoff)
    else:
        end = -1 if target is None else one_vertex(graph, target, "target")
        with using(threads):
            found = searched(graph, sources, direction, cutoff, end, deterministic, trace)
    if verify:
        whole = cutoff is None and target is None and not was_cut()
        check_bfs(graph, sources, found.levels, found.parents, whole)
    return found


def workload(graph: Graph, columns: Mapping[str, object]) -> Callable[[], dict[str, object]]:
    """What computes the six features of SURF at every level; sizes are shares of the vertices."""
    n = max(graph.n, 1)
    degree, hubs = graph.arcs / n, graph.features.hub_probability_sampled  # do not keep the graph

    def features() -> dict[str, object]:
        size = np.asarray(columns["frontier_vertices"]) / n
        growth = np.diff(size, prepend=0.0)
        bend = np.diff(growth, prepend=0.0)
        left = np.asarray(columns["unvisited"]) / n
        return {"m_d": degree, "p_h": hubs, "s_f": growth, "c_f": bend, "r_f": size, "r_u": left}

    return features


def _on_device(
    device: DeviceLike,
    graph: Graph,
    sources: np.ndarray,
    direction: Direction,
    cutoff: int | None,
    target: int | str | None,
    deterministic: bool,
) -> BfsResult:
    """Search on an OpenCL device, in the direction that a policy chooses at every level."""
    from ..decisions.direction.model import policy_named
    from ..kernels.bfs.steps import smallest_parents
    from ..kernels.runtime.launch import clock
    from .bfs_on_device import Query, levels_on, measured_on
    from .bfs_on_host import trace_of_both
    from .on_device import one_device

    end = -1 if target is None else one_vertex(graph, target, "target")
    query = Query(sources, -1 if cutoff is None else cutoff, end)
    if direction == "oracle":
        begin = clock()
        levels, parents, lines, there = measured_on(device, graph, query)
        trace = trace_of_both(graph, lines, max(1, there.threads))
        run = Run(clock() - begin, trace, device=there.id)
    else:
        there = one_device(device)
        policy = policy_named(direction, there.slug)
        levels, parents, run = levels_on(there, graph, query, policy)
    if deterministic:
        smallest_parents(graph.transpose.rows, levels, parents)
    return BfsResult(levels=levels, parents=parents, run=run)
