"""PageRank, and the product of a graph's matrix with a vector."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..devices.choice import DeviceLike, only_host
from ..graph.graph import Graph
from ..util.arrays import numbers
from ..util.errors import InputError, warn
from ..util.limits import due, was_cut
from .budget import Budget, check_budget
from .result import Result, Run, Trace
from .scaling import even, extreme
from .verify import check_pagerank, check_product

__all__ = ["PageRankResult", "SpmvResult", "pagerank", "spmv"]

MOST_ITERATIONS = 1 << 27  # each is told of: its change and its time
#: No sum of float64 scores changes by less than this: a smaller ``tol`` asks for ``max_iter`` rounds.
UNREACHABLE_CHANGE = 2e-16
CERTAIN = 0.999  # the confidence that is stated for what is proved
#: Rounding is less than an eighth of any ``tol``, and counts as a change (``left_to_change``).
CHANGE_AND_ROUNDING = 1.125


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class PageRankResult(Result):
    """A score for each vertex; they sum to 1.

    >>> import tachograph as tg
    >>> found = tg.pagerank(tg.complete(4))
    >>> found.scores.round(6).tolist(), found.converged
    ([0.25, 0.25, 0.25, 0.25], True)
    """

    task: ClassVar[str] = "pagerank"
    array: ClassVar[str] = "scores"
    table: ClassVar[tuple[str, ...]] = ("scores",)

    scores: NDArray[np.float64]
    iterations: int
    converged: bool
    budget: Budget | None = None

    def so_far(self) -> str:
        """How many iterations there were, and by how much the last one changed the scores."""
        last = ""
        if len(self.trace):
            last = f", the last of which changed them by {self.trace['change'][-1]:.1e}"
        return f"scores are those of {self.iterations} iterations{last}"


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class SpmvResult(Result):
    """The product of a graph's matrix with a vector.

    >>> import tachograph as tg
    >>> tg.spmv(tg.path(3), [1, 10, 100]).values.tolist()
    [10.0, 101.0, 10.0]
    """

    task: ClassVar[str] = "spmv"
    array: ClassVar[str] = "values"
    table: ClassVar[tuple[str, ...]] = ("values",)

    values: NDArray[np.float64]

    def facts(self) -> dict[str, object]:
        """The sum of all entries."""
        return {"sum": float(self.values.sum())}


def pagerank(
    graph: Graph,
    *,
    damping: float = 0.85,
    tol: float = 1e-6,
    max_iter: int = 100,
    personalization: ArrayLike | Mapping[Any, float] | None = None,
    max_error: float | None = None,
    device: DeviceLike | None = None,
    threads: int | None = None,
    trace: bool = True,
    verify: bool = False,
) -> PageRankResult:
    """Compute PageRank: how often a reader who follows arcs at random comes to each vertex.

    Parameters
    ----------
    graph
        The graph. Its weights, if it has any, say how likely an arc is followed; none is negative.
    damping
        The probability that the reader follows an arc; otherwise the reader jumps.
    tol
        Stop when the scores change by less than this in an iteration, all changes summed. What is left
        to change is then at most ``1 / (1 - damping)`` times as much. One below 2e-16, which cannot be
        reached, asks for ``max_iter`` iterations of the power method.
    max_iter
        Stop after so many iterations in any case. ``converged`` is then False, and a warning is given.
    personalization
        A number for each vertex, or a dict with some vertices (names, if they have names), not
        negative: where the reader jumps to; by default anywhere. The reader jumps from a vertex
        without arcs, too.
    max_error
        The error that is allowed, all differences from the exact scores summed; then ``tol`` follows
        from it, and ``budget`` says what the last change proves.
    device
        The OpenCL device to run the power method on, such as ``"opencl"``; by default the host, which
        takes fewer iterations. Without double precision there, ``tol`` is at least 1e-6.
    threads
        The number of threads; by default all cores. The scores do not depend on it.
    trace
        Keep a row for each iteration.
    verify
        Check the result by its defining properties; ``VerificationError`` if it is wrong.

    Returns
    -------
    PageRankResult
        ``scores`` (float64, sum 1), ``iterations``, ``converged``; the trace has the change and the
        seconds of each iteration.

    Raises
    ------
    InputError
        For parameters outside their range, negative weights, or ``max_error`` without jumps.

    Examples
    --------
    >>> import tachograph as tg
    >>> tg.pagerank(tg.star(5)).scores.round(3).tolist()
    [0.476, 0.131, 0.131, 0.131, 0.131]
    """
    from ..kernels.pagerank import pull as kernel
    from ..kernels.runtime.launch import clock
    from ..kernels.runtime.launch import threads as using

    if not 0 <= damping <= 1:
        raise InputError(f"damping = {damping} is a probability: from 0 to 1")
    if max_error is not None:
        check_budget(max_error, CERTAIN)
        if damping == 1:
            raise InputError("max_error needs a damping below 1: without jumps nothing is proved")
        tol = max_error * (1 - damping) / CHANGE_AND_ROUNDING
    if not tol > 0:
        raise InputError(f"tol = {tol} must be above 0")
    if not 1 <= max_iter <= MOST_ITERATIONS:
        raise InputError(f"max_iter = {max_iter}: from 1 to {MOST_ITERATIONS:,} are possible")
    if graph.weights is not None and graph.weights.min(initial=0) < 0:
        raise InputError("PageRank needs weights that are not negative")
    if isinstance(personalization, Mapping):
        personalization = _by_vertex(graph, personalization)
    jump = _distribution(personalization, graph.n)
    if (end := due.get()) is not None:
        end.over = True  # iterations see to it, and end as a whole
    if not graph.n:
        nothing = Run(0.0, Trace({"change": [], "seconds": [], "threads": []}))
        return PageRankResult(scores=jump, iterations=0, converged=True, run=nothing)
    linked, out = graph, graph.degrees.astype(np.float64)
    if graph.weights is not None:
        out = kernel.multiply(graph.rows, graph.weights, np.ones(graph.n))
        if extreme(out):
            linked = even(graph)
            out = kernel.multiply(linked.rows, linked.weights, np.ones(graph.n))
    back = linked.transpose
    where, begin = "host", clock()
    if device is not None and not only_host(device):
        from .pagerank_on_device import Question, scores_on

        asked = Question(back, out, jump, float(damping), float(tol), int(max_iter))
        scores, deltas, times, there = scores_on(device, asked)
        where, workers = there.id, max(1, there.threads or there.units)
    else:
        paired = not graph.directed or (graph.weights is None and _same_rows(graph, back))
        with using(threads):
            scores, deltas, times, workers = kernel.rank_pages(
                back.rows,
                back.weights,
                out,
                jump,
                damping=float(damping),
                tolerance=float(tol),
                limit=int(max_iter),
                paired=paired,
            )
    seconds = clock() - begin
    converged = bool(deltas[-1] < tol)
    if verify:
        check_pagerank(linked, scores, damping, jump, max(tol, float(deltas[-1])))
    if not converged and tol > UNREACHABLE_CHANGE and not was_cut():
        warn(
            f"PageRank did not converge: after max_iter = {max_iter} the scores still change by "
            f"{deltas[-1]:.2g} in an iteration, more than tol = {tol}; raise max_iter or tol"
        )
    columns = {"change": deltas, "seconds": times / 1e9, "threads": workers}
    run = Run(seconds, Trace(columns, trace), device=where)
    budget = None
    if max_error is not None:
        left = kernel.left_to_change(float(deltas[-1]), damping, tol)
        proof = f"what can still change after a change of {deltas[-1]:.1e}"
        budget = Budget(max_error, CERTAIN, left, left, proof)
    return PageRankResult(
        scores=scores, iterations=len(deltas), converged=converged, budget=budget, run=run
    )


def _same_rows(one: Graph, other: Graph) -> bool:
    return np.array_equal(one.indptr, other.indptr) and np.array_equal(one.indices, other.indices)


def _by_vertex(graph: Graph, given: Mapping[Any, float]) -> np.ndarray:
    """Return a number for each vertex, 0 for those that were not given."""
    told = numbers(list(given.values()), "personalization")
    try:
        ids = graph.ids_of(list(given))
    except InputError as error:
        raise InputError(f"personalization: {error}") from None
    if told.shape != ids.shape:
        raise InputError("personalization needs one number for each vertex that it names")
    if np.unique(ids).size < ids.size:
        raise InputError("personalization names a vertex twice: by its name and by its id")
    values = np.zeros(graph.n)
    values[ids] = told
    return values


def _distribution(given: ArrayLike | None, n: int) -> np.ndarray:
    """Return the personalisation as probabilities: one for each vertex, or one for all."""
    if given is None:
        return np.full(1, 1 / n) if n else np.empty(0)
    values = numbers(given, "personalization", np.float64)
    if values.shape != (n,):
        raise InputError(f"personalization has shape {values.shape}, but there are {n} vertices")
    most = values.max(initial=0)
    if not np.isfinite(values).all() or values.min(initial=0) < 0 or not most > 0:
        raise InputError("personalization needs finite numbers, none negative, not all zero")
    values = values / most  # so that their sum is neither infinite nor rounded to few digits
    probabilities: np.ndarray = values / values.sum()
    return probabilities


def spmv(
    graph: Graph,
    vector: ArrayLike,
    *,
    threads: int | None = None,
    trace: bool = True,
    verify: bool = False,
) -> SpmvResult:
    """Multiply the adjacency matrix by a vector: for each vertex, sum over its arcs the weight (or 1)
    times the entry of the arc's target.

    Parameters
    ----------
    graph
        The graph whose matrix it is.
    vector
        A number for each vertex.
    threads
        The number of threads; by default all cores. The product does not depend on it.
    trace
        Keep the one row of the trace.
    verify
        Compare the product with SciPy's; ``VerificationError`` if it differs.

    Returns
    -------
    SpmvResult
        ``values``: an entry for each vertex (float64).

    Examples
    --------
    >>> import tachograph as tg
    >>> tg.spmv(tg.path(3), [1, 10, 100]).values.tolist()
    [10.0, 101.0, 10.0]
    """
    from ..kernels.pagerank import pull as kernel
    from ..kernels.runtime.launch import clock, threads_available
    from ..kernels.runtime.launch import threads as using

    x = np.ascontiguousarray(numbers(vector, "vector", np.float64))
    if x.shape != (graph.n,):
        raise InputError(f"the vector has shape {x.shape}, but there are {graph.n} vertices")
    with using(threads):
        begin = clock()
        product = kernel.multiply(graph.rows, graph.weights, x)
        seconds = clock() - begin
        workers = threads_available()
    if verify:
        check_product(graph, x, product)
    columns = {"phase": "multiply", "seconds": seconds, "threads": workers}
    return SpmvResult(values=product, run=Run(seconds, Trace(columns, trace)))
