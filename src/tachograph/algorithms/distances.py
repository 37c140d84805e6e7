"""Distances between many vertices at once: of pairs, or from some vertices to others."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..graph.graph import Graph
from ..util.arrays import numbers
from ..util.errors import InputError
from ..util.memory import require
from .bfs import distinct_ids
from .result import Result, Run, Trace
from .sssp import sssp
from .verify import check_distances

__all__ = ["DistancesResult", "distances"]


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class DistancesResult(Result):
    """Distances of pairs, or a matrix of them with a row for each source and a column for each target.

    >>> import tachograph as tg
    >>> found = tg.distances(tg.path(4), [0, 2], [3, 1], paired=True)
    >>> found.distances.tolist(), found.facts()
    ([3, 1], {'pairs': 2, 'reached': 2, 'longest': 3})
    """

    task: ClassVar[str] = "distances"
    array: ClassVar[str] = "distances"
    table: ClassVar[tuple[str, ...]] = ("source", "target", "distances")
    ids: ClassVar[tuple[str, ...]] = ("source", "target")

    source: NDArray[np.int64]
    target: NDArray[np.int64]
    distances: NDArray[np.int32] | NDArray[np.float64]

    def columns(self) -> dict[str, NDArray[Any]]:
        """Source, target and distance, a row for each pair."""
        if self.distances.ndim == 1:
            return super().columns()
        rows, width = self.distances.shape
        ends = {"source": np.repeat(self.source, width), "target": np.tile(self.target, rows)}
        made = {name: self.named(ids) for name, ids in ends.items()}
        return {**made, "distances": self.distances.ravel()}

    def facts(self) -> dict[str, object]:
        """How many pairs there are, how many of them have a path, and the longest distance."""
        there = self.distances[np.isfinite(self.distances) & (self.distances >= 0)]
        longest = there.max().item() if there.size else 0
        return {"pairs": self.distances.size, "reached": there.size, "longest": longest}


def distances(
    graph: Graph,
    source: ArrayLike,
    target: ArrayLike | None = None,
    *,
    paired: bool = False,
    threads: int | None = None,
    trace: bool = True,
    verify: bool = False,
) -> DistancesResult:
    """Find the distances from several vertices to all or some others, or those of many pairs.

    Without weights 256 searches are made at once, a bit for each (Then et al., "The More the Merrier",
    PVLDB 8, 2014); with weights each core makes searches of its own.

    Parameters
    ----------
    graph
        The graph; weights count if there are any (``graph.without_weights()`` counts arcs).
    source
        The vertices to search from.
    target
        The vertices whose distances are wanted; by default all.
    paired
        Find the distance of the first source to the first target, of the second to the second, and so
        on, instead of all distances.
    threads
        The number of threads; by default all cores. The distances do not depend on it.
    trace
        Keep a row for each group of searches.
    verify
        Search again from one source after the other; ``VerificationError`` if a distance differs.

    Returns
    -------
    DistancesResult
        ``distances``: a matrix with a row for each source and a column for each target; if ``paired``
        one for each pair. Without weights they are int32, and -1 if there is no path; with weights they
        are float64, and ``inf`` if there is none.

    Raises
    ------
    InputError
        If a vertex does not exist, a weight is negative, or pairs are not as many sources as targets.
    TooLargeError
        If the matrix does not fit into memory.

    Examples
    --------
    >>> import tachograph as tg
    >>> tg.distances(tg.path(4), [0, 3], [0, 1]).distances.tolist()
    [[0, 1], [3, 2]]
    >>> tg.distances(tg.path(5), [0, 1], [4, 3], paired=True).distances.tolist()
    [4, 2]
    """
    from ..graph import features  # noqa: F401 - before the clock runs
    from ..kernels.centrality import together  # noqa: F401 - before the clock runs
    from ..kernels.runtime.launch import clock
    from ..kernels.runtime.launch import threads as using
    from ..kernels.sssp import bellman_ford, cycles, delta_stepping  # noqa: F401 - before the clock runs

    weights = graph.weights
    if weights is not None and graph.arcs and not weights.min() >= 0:
        raise InputError("a weight is negative: search from one source at a time with tg.sssp")
    begins = _ids(graph, source, "source")
    ends = np.arange(graph.n) if target is None else _ids(graph, target, "target")
    if paired and (target is None or begins.size != ends.size):
        there = "none" if target is None else f"{ends.size:,}"
        raise InputError(
            f"pairs: the lengths of source ({begins.size:,}) and target ({there}) must agree"
        )
    searches = Searches(graph)
    with using(threads):
        begin = clock()
        found = (searches.of_pairs if paired else searches.all)(begins, ends)
        seconds = clock() - begin
    run = Run(seconds, Trace(searches.columns(), trace))
    made = DistancesResult(source=begins, target=ends, distances=found, run=run)
    if verify:
        check_distances(graph, begins, ends, found)
    return made


def _ids(graph: Graph, given: ArrayLike, what: str) -> NDArray[np.int64]:
    """Return ids of vertices as they are given, one or many; refuse those that do not exist."""
    ids = np.atleast_1d(numbers(given, what))
    if ids.size == 0:
        return np.empty(0, np.int64)
    if ids.ndim != 1:
        raise InputError(f"{what}: a vertex or a list of vertices is needed")
    distinct_ids(graph.n, ids, what)
    return ids.astype(np.int64)


class Searches:
    """Searches from many vertices of one graph, in groups that keep all cores busy."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.kind = np.dtype(np.int32 if graph.weights is None else np.float64)
        self.groups: list[tuple[int, float, int]] = []  # sources, seconds, workers

    def columns(self) -> dict[str, object]:
        """The columns of the trace: a row for each group."""
        sources, seconds, workers = zip(*self.groups, strict=True) if self.groups else ((),) * 3
        return {"sources": sources, "seconds": seconds, "threads": workers}

    def all(self, begins: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[Any]:
        """Return the matrix of distances."""
        sources, row = np.unique(begins, return_inverse=True)
        targets, column = np.unique(ends, return_inverse=True)
        table = self.group(sources, targets)
        in_order = np.array_equal(sources, begins) and np.array_equal(targets, ends)
        return table if in_order else table[np.ix_(row, column)]

    def of_pairs(self, begins: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[Any]:
        """Return the distance of each pair."""
        from ..kernels.centrality.together import LANES
        from ..kernels.runtime.launch import threads_available

        order = np.argsort(begins, kind="stable")
        sources, first = np.unique(begins[order], return_index=True)
        first = np.append(first, begins.size)
        found = np.empty(begins.size, self.kind)
        step = LANES * threads_available()
        for low in range(0, sources.size, step):
            high = min(low + step, sources.size)
            mine = order[first[low] : first[high]]
            targets, column = np.unique(ends[mine], return_inverse=True)
            row = np.repeat(np.arange(high - low), np.diff(first[low : high + 1]))
            found[mine] = self.group(sources[low:high], targets)[row, column]
        return found

    def group(self, sources: NDArray[np.int64], targets: NDArray[np.int64]) -> NDArray[Any]:
        """Return the matrix of a group of sources, whose ids, as those of the targets, rise."""
        from ..kernels.runtime.launch import clock

        size = sources.size * targets.size
        require(2 * size * self.kind.itemsize, "a matrix of distances", "ask for fewer at a time")
        begin = clock()
        search = self._together if self.graph.weights is None else self._one_on_each_core
        table, workers = search(sources, targets)
        self.groups.append((sources.size, clock() - begin, workers))
        return table

    def _together(
        self, sources: NDArray[np.int64], targets: NDArray[np.int64]
    ) -> tuple[NDArray[Any], int]:
        """Count arcs: many searches at once, a bit for each."""
        from ..kernels.centrality.together import Kept, hops

        row_of = np.full(self.graph.n, -1, np.int64)
        row_of[targets] = np.arange(targets.size)
        table = np.full(sources.size * targets.size, -1, self.kind)
        back = self.graph.transpose.rows
        workers = hops(self.graph.rows, back, sources, Kept(row_of, table)) if table.size else 1
        return table.reshape(targets.size, sources.size).T, workers

    def _one_on_each_core(
        self, sources: NDArray[np.int64], targets: NDArray[np.int64]
    ) -> tuple[NDArray[Any], int]:
        """Sum weights: each core searches from one source at a time, so that none waits for others."""
        from ..kernels.runtime.launch import threads_available

        table = np.empty((sources.size, targets.size), self.kind)

        def search(i: int) -> None:
            found = sssp(self.graph, int(sources[i]), threads=1, trace=False).distances
            table[i] = found[targets]

        workers = max(1, min(threads_available(), sources.size))
        with ThreadPoolExecutor(workers) as pool:
            calls = [
                pool.submit(copy_context().run, search, i)
                for i in range(sources.size if targets.size else 0)
            ]
            try:
                for call in calls:
                    call.result()
            finally:  # Ctrl-C, or a limit: only searches that run already go on
                pool.shutdown(wait=False, cancel_futures=True)
        return table, workers
