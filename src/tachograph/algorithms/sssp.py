"""Shortest paths from one vertex or several: distances, predecessors, paths."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..decisions.approximation.rules import EXACT, Approximation
from ..devices.choice import DeviceLike, only_host
from ..graph.graph import Graph
from ..kernels.runtime.nouns import WeightedRows
from ..util.errors import InputError, NegativeCycleError
from ..util.limits import was_cut
from ..util.text import did_you_mean
from .audit import audit as check_sample
from .bfs import bfs, one_vertex, vertices
from .budget import Budget
from .result import Lazy, Run, Trace
from .scaling import must_be_finite
from .sssp_result import SsspResult
from .verify import check_sssp

if TYPE_CHECKING:
    from ..kernels.sssp.certificate import Allowance
    from ..kernels.sssp.problem import Limits
    from .sssp_budget import Wanted

__all__ = ["ALGORITHMS", "SsspResult", "audited", "limits_of", "sssp"]

ALGORITHMS = ("auto", "delta-stepping", "bellman-ford", "dijkstra", "hybrid")
PAPER_ALGORITHMS = ("bellman-ford", "dijkstra", "hybrid")
EXACT_BELOW = 2.0**53  # whole distances that float64 holds exactly


def sssp(
    graph: Graph,
    source: ArrayLike,
    *,
    target: int | str | None = None,
    algorithm: str = "auto",
    delta: float | None = None,
    device: DeviceLike | None = None,
    approximation: Approximation | None = None,
    faithful: bool = False,
    max_error: float | None = None,
    confidence: float = 0.9,
    audit: bool = False,
    threads: int | None = None,
    trace: bool = True,
    verify: bool = False,
) -> SsspResult:
    """Find shortest paths from one vertex, or from the nearest of several.

    Parameters
    ----------
    graph
        The graph to search; arcs without weights have length 1.
    source
        The vertex to begin at, or several: then distances count from the nearest.
    target
        Search only as far as this vertex: others that are farther away have the distance inf. By
        default all are searched for, as they are by approximate searches and with negative weights.
    algorithm
        ``delta-stepping``, ``bellman-ford``, ``dijkstra``, ``hybrid``, or ``auto``, which suits the
        weights. That is delta-stepping, for negative weights the hybrid, and without weights a
        breadth-first search. Dijkstra's runs in parallel, by two steps.
    delta
        The width of delta-stepping's buckets; by default it follows from the weights and degrees. It
        is rounded down to a power of two, and is at least a 2**-15th of the mean weight.
    device
        The OpenCL device to run Bellman-Ford on, such as ``"opencl"``; by default the host. There
        approximations are those of the host's Bellman-Ford, and negative weights must be whole.
    approximation
        What may be left out to save time; by default nothing. Distances are then those of paths that
        exist, but maybe not of the shortest ones, or inf for a vertex that could have been reached. A
        negative cycle may not be noticed.
    faithful
        Run Bellman-Ford, Dijkstra's and the hybrid as the paper on approximations has them, which takes
        longer: a mask over all vertices, scans until nothing changes, and thresholds that have to be
        exceeded.
    max_error
        The mean relative error of the distances that is allowed; by default none. The search ends as
        soon as it can prove that the rest is good enough (``budget`` of the result says what was
        proved); where nothing can be proved, or nothing would be gained, it is exact.
    confidence
        The share of such searches for which ``max_error`` is to be kept. No error is ever more than
        half as large again: that much is proved in each case.
    audit
        Compare approximate distances with exact ones on a random sample of vertices.
    threads
        The number of threads; by default all cores. Distances and predecessors do not depend on it,
        except for approximate ones of delta-stepping and Bellman-Ford.
    trace
        Keep a row for each round.
    verify
        Check the result by its defining properties; ``VerificationError`` if it is wrong.

    Returns
    -------
    SsspResult
        ``distances`` (float64, inf if not reached) and ``predecessors`` (sources are their own, -1 if
        not reached; computed when first asked for); ``path(target)``. The trace has phase,
        frontier_vertices, frontier_edges, unvisited, seconds and threads.

    Raises
    ------
    InputError
        For a source or target that does not exist, a negative weight where the algorithm forbids it,
        whole distances beyond 2**53, which would not be exact, others beyond float64, or ``max_error``
        together with an algorithm or approximation.
    NegativeCycleError
        If a cycle of negative weight can be reached: then there are no shortest paths.

    Examples
    --------
    >>> import tachograph as tg
    >>> g = tg.Graph.from_edges([0, 0, 1], [1, 2, 2], [4, 9, 3])
    >>> r = tg.sssp(g, 0)
    >>> r.distances.tolist(), r.path(2).tolist()
    ([0.0, 4.0, 7.0], [0, 1, 2])
    >>> tg.sssp(g, 0, target=1).distances.tolist()
    [0.0, 4.0, inf]
    """
    if algorithm not in ALGORITHMS:
        known = f"choose {', '.join(ALGORITHMS)}{did_you_mean(algorithm, ALGORITHMS)}"
        raise InputError(f"algorithm = {algorithm!r} is unknown: {known}")
    if delta is not None and not 0 < delta < np.inf:
        raise InputError(f"delta = {delta} must be above 0")
    if approximation is not None and not isinstance(approximation, Approximation):
        raise InputError(f"approximation = {approximation!r:.200}: pass a tachograph.Approximation")
    if faithful and algorithm not in PAPER_ALGORITHMS:
        names = " or ".join(map(repr, PAPER_ALGORITHMS))
        raise InputError(f"faithful is for algorithms of the paper: use algorithm={names}")
    if max_error is not None and (algorithm != "auto" or approximation or device is not None):
        raise InputError("max_error chooses algorithm and approximation: give either it or them")
    from ..kernels.runtime.launch import read_only
    from ..kernels.runtime.launch import threads as using

    wanted = None
    if max_error is not None:
        from .sssp_budget import Wanted

        wanted = Wanted(max_error, confidence).checked()
    sources, weights = vertices(graph, source, "source"), graph.weights
    if weights is None:
        weights = read_only(np.ones(graph.arcs, np.int32))
    problem = _Problem(graph, weights, sources, approximation or EXACT, faithful)
    chosen = _choose(graph, algorithm, problem.approximation)
    if target is not None:
        end = one_vertex(graph, target, "target")
        if problem.can_end and wanted is None:
            problem = problem._replace(target=end)
    with using(threads):
        found = None
        if device is not None and not only_host(device):
            found = _on_device(problem, device, algorithm)
            chosen = "bellman-ford"  # if distances do not settle, the host finds the cycle
        elif chosen == "bfs":
            found = _by_hops(problem, trace)
        if found is None:
            found = _on_host(problem, chosen, delta, trace, wanted)
        elif wanted is not None:
            why = "without weights, a breadth-first search is exact and faster than anything else"
            found = replace(found, budget=wanted.exactly(why)).with_run(reason=why)
        exact = found.exact and not was_cut()
        whole = problem.target < 0 or was_cut()
        end_at = np.inf if whole else float(found.distances[problem.target])
        if exact and end_at == np.inf:
            must_be_finite(graph, weights, found.distances)
        if verify:
            tree = found.predecessors
            check_sssp(graph, problem.weights, sources, found.distances, tree, exact, end_at)
    return audited(graph, sources, found, threads) if audit else found


class _Problem(NamedTuple):
    """A graph with the length of each arc, where to begin and to end, and what may be left out."""

    graph: Graph
    weights: np.ndarray
    sources: np.ndarray
    approximation: Approximation
    faithful: bool = False
    target: int = -1  # none

    @property
    def can_end(self) -> bool:
        """Whether paths only get longer, so that nothing beyond a target matters to it."""
        known = self.graph.features.weights
        return self.approximation.exact and (known is None or known["min"] >= 0)

    def ended(self, distances: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the distances up to that of the target; others may not be the shortest."""
        if self.target < 0 or was_cut():
            return distances
        return np.where(distances <= distances[self.target], distances, np.inf)

    @property
    def rows(self) -> WeightedRows:
        return WeightedRows(*self.graph.rows, self.weights)

    def solved(self, distances: NDArray[np.float64], run: Run) -> SsspResult:
        """Return the result, whose tree is computed when it is first asked for."""
        from ..kernels.runtime.launch import read_only, threads_available
        from ..kernels.runtime.launch import threads as using

        threads = threads_available()

        def predecessors() -> np.ndarray:
            from ..kernels.sssp.cycles import shortest_path_tree

            with using(threads):
                return read_only(shortest_path_tree(self.rows, distances, self.sources))

        tree, left_out = Lazy(predecessors), self.approximation
        return SsspResult(
            distances=distances, late_predecessors=tree, approximation=left_out, run=run
        )


def _on_device(problem: _Problem, device: DeviceLike, algorithm: str) -> SsspResult | None:
    """Search on an OpenCL device; return None if distances do not settle."""
    from .sssp_on_device import Question, distances_on

    if algorithm not in ("auto", "bellman-ford"):
        raise InputError(f"{algorithm} runs on the host: on a device there is bellman-ford")
    if problem.faithful:
        raise InputError("faithful variants run on the host: leave the device out")
    given = problem.graph, problem.weights, problem.sources, problem.approximation
    found = distances_on(device, Question(*given))
    return None if found is None else problem.solved(problem.ended(found[0]), found[1])


def audited(
    graph: Graph, source: ArrayLike, result: SsspResult, threads: int | None = None
) -> SsspResult:
    """Return the result with its distances compared with exact ones on a random sample."""
    sources = vertices(graph, source, "source")
    exact = result
    if not result.exact:
        exact = sssp(graph, sources, threads=threads, trace=False)
    return replace(result, audit=check_sample(exact.distances, result.distances, sources))


def _choose(graph: Graph, algorithm: str, approximation: Approximation) -> str:
    """Return the algorithm to run; refuse one that the weights or the approximation forbid."""
    if not approximation.atomic:
        if algorithm == "delta-stepping":
            others = "algorithm='bellman-ford', 'dijkstra' or 'hybrid'"
            raise InputError(f"delta-stepping cannot do without atomics: use {others}")
        algorithm = "bellman-ford" if algorithm == "auto" else algorithm
    if graph.weights is None:
        if algorithm != "auto":
            return algorithm
        return "bfs" if approximation.exact else "delta-stepping"
    known = graph.features.weights
    if known is None or known["min"] >= 0:
        return "delta-stepping" if algorithm == "auto" else algorithm
    if algorithm in ("delta-stepping", "dijkstra"):
        at = int(np.argmin(graph.weights))
        u = int(np.searchsorted(graph.indptr, at, "right")) - 1
        raise InputError(
            f"the arc from {u} to {graph.indices[at]} has weight {graph.weights[at]}, and {algorithm} "
            "needs weights of at least 0: use algorithm='hybrid' or 'bellman-ford'"
        )
    return "hybrid" if algorithm == "auto" else algorithm


def limits_of(a: Approximation) -> Limits:
    """Return what an approximation leaves out, as kernels take it."""
    from ..kernels.sssp.problem import UNLIMITED, Limits

    most, turns = a.max_degree or UNLIMITED, a.iterations or UNLIMITED
    return Limits(a.min_degree, most, a.keep, a.seed, a.atomic, turns)


def _on_host(
    problem: _Problem,
    algorithm: str,
    delta: float | None,
    traced: bool,
    wanted: Wanted | None,
) -> SsspResult:
    """Search by an algorithm that the weights allow, within the budget that is wanted."""
    from ..kernels.runtime.launch import clock
    from ..kernels.sssp import delta_stepping  # noqa: F401 - before the clock runs
    from ..kernels.sssp.bellman_ford import relaxed_distances
    from ..kernels.sssp.problem import COLUMNS, PHASES

    graph, weights, sources, left_out, faithful, _ = problem
    known = graph.features.weights or {"min": 1.0, "mean": 1.0, "max": 1.0}
    limits = limits_of(left_out)
    cycle = budget = None
    begin = clock()
    if algorithm == "delta-stepping":
        distances, rows, workers, budget = _by_buckets(problem, delta, traced, limits, wanted)
    else:
        given = (problem.rows, sources, known["min"], known["max"], traced, limits, faithful)
        distances, rows, workers, cycle = relaxed_distances(algorithm, *given)
        if wanted is not None:
            budget = wanted.exactly("some weights are negative: only exact searches allow for that")
    seconds = clock() - begin
    if cycle is not None:
        raise NegativeCycleError(*cycle)
    distances = problem.ended(distances)
    longest = graph.n * max(known["max"], -known["min"])  # no path is longer
    if weights.dtype.kind == "i" and longest >= EXACT_BELOW and _farthest(distances) >= EXACT_BELOW:
        raise InputError(
            "distances reach beyond 2**53, where not every whole number can be kept: "
            "scale the weights down, or make them float64"
        )

    def columns() -> dict[str, object]:
        made = dict(zip(COLUMNS, rows.T, strict=True))
        made["phase"] = PHASES[made["phase"]]
        made["seconds"] = made.pop("nanoseconds") / 1e9
        return {**made, "threads": workers}

    found = problem.solved(distances, Run(seconds, Trace({}, more=columns)))
    if budget is None:
        return found
    return replace(found, budget=budget).with_run(reason=budget.how)


def _farthest(distances: NDArray[np.float64]) -> float:
    """Return the largest distance, below 0 or above."""
    return float(abs(distances).max(where=np.isfinite(distances), initial=0))


def _by_buckets(
    problem: _Problem,
    delta: float | None,
    traced: bool,
    limits: Limits,
    wanted: Wanted | None,
) -> tuple[NDArray[np.float64], np.ndarray, int, Budget | None]:
    """Search by delta-stepping; return distances, trace, workers, and what became of the budget."""
    from ..kernels.runtime.launch import threads_available
    from ..kernels.sssp.delta_stepping import NOTHING_ALLOWED, Facts, choose, shortest_distances

    graph, features, sources = problem.graph, problem.graph.features, problem.sources
    known = features.weights or {"mean": 1.0, "max": 1.0}
    back = None
    if graph.has_transpose and (behind := graph.transpose).weights is not None:
        back = WeightedRows(*behind.rows, behind.weights)
    allowed: Allowance | str = NOTHING_ALLOWED
    if wanted is not None:
        owned = choose(graph.rows, features.max_degree, threads_available()).owned
        allowed = wanted.allowance(graph, sources, owned, back is not None)
    facts = Facts(known["mean"], known["max"], features.max_degree)
    budgeted = NOTHING_ALLOWED if isinstance(allowed, str) else allowed
    found = shortest_distances(
        problem.rows, back, sources, facts, delta=delta, traced=traced, limits=limits,
        allowed=budgeted, target=problem.target,
    )  # fmt: skip
    if wanted is None:
        budget = None
    elif was_cut():
        budget = wanted.unfinished()
    elif isinstance(allowed, str):
        budget = wanted.exactly(allowed)
    else:
        budget = wanted.report(graph, sources, found.proof, found.distances)
    return found.distances, found.trace, found.workers, budget


def _by_hops(problem: _Problem, trace: bool) -> SsspResult:
    """Search breadth-first, which suffices without weights."""
    end = None if problem.target < 0 else problem.target
    found = bfs(problem.graph, problem.sources, target=end, deterministic=True, trace=trace)
    columns = {
        name.replace("direction", "phase"): found.trace[name] for name in found.trace.columns
    }
    distances = problem.ended(np.where(found.levels < 0, np.inf, found.levels))
    tree, run = Lazy(lambda: found.parents), Run(found.seconds, Trace(columns))
    return SsspResult(distances=distances, late_predecessors=tree, run=run)
