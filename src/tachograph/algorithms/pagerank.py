"""PageRank, and the product of a graph's matrix with a vector."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph.graph import Graph
from ..util.errors import InputError
from .result import Result, Trace
from .verify import check_pagerank, check_product

__all__ = ["pagerank", "spmv"]


def pagerank(
    graph: Graph,
    *,
    damping: float = 0.85,
    tol: float = 1e-6,
    max_iter: int = 100,
    personalization: Any = None,
    threads: int | None = None,
    verify: bool = False,
) -> Result:
    """PageRank: how often a reader who follows arcs at random comes to each vertex.

    Parameters
    ----------
    graph
        Weights, if there are any, say how likely an arc is followed; they must not be negative.
    damping
        With this probability an arc is followed, otherwise the reader jumps.
    tol
        Stop when the scores change by less than this in an iteration, all changes summed: what is left
        to change is then at most ``damping / (1 - damping)`` times as much. One below 2e-16, which
        cannot be reached, asks for ``max_iter`` of the power method.
    max_iter
        Stop after so many in any case; ``converged`` tells which it was.
    personalization
        A number for each vertex, not negative: where the reader jumps to. Default: anywhere. From a
        vertex without arcs the reader jumps, too.
    threads
        How many to use, for this call. The scores do not depend on it.
    verify
        Check the result by its defining properties; raises ``VerificationError``.

    Returns
    -------
    Result
        ``scores`` (float64, sum 1), ``iterations``, ``converged``; the trace has the change and the
        seconds of each iteration.

    Raises
    ------
    InputError
        For parameters outside their range or negative weights.

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
    if not tol > 0:
        raise InputError(f"tol = {tol} must be above 0")
    if max_iter < 1:
        raise InputError(f"max_iter = {max_iter}: at least one is needed")
    if graph.weights is not None and graph.weights.min(initial=0) < 0:
        raise InputError("PageRank needs weights that are not negative")
    jump = _distribution(personalization, graph.n)
    if not graph.n:
        nothing = Trace({"change": [], "seconds": [], "threads": []})
        values = {"scores": jump, "iterations": 0, "converged": True}
        return Result("pagerank", values, seconds=0.0, trace=nothing)
    back = graph.transpose
    out = graph.degrees.astype(np.float64)
    if graph.weights is not None:
        out = kernel.multiply(graph.indptr, graph.indices, graph.weights, np.ones(graph.n))
    with using(threads):
        begin = clock()
        paired = not graph.directed or (graph.weights is None and _same_rows(graph, back))
        scores, deltas, times, workers = kernel.rank_pages(
            back.indptr,
            back.indices,
            back.weights,
            out,
            jump,
            float(damping),
            float(tol),
            int(max_iter),
            paired,
        )
        seconds = clock() - begin
    converged = bool(deltas[-1] < tol)
    if verify:
        check_pagerank(graph, scores, damping, jump, max(tol, float(deltas[-1])))
    trace = Trace(
        {"change": deltas, "seconds": times / 1e9, "threads": np.full(len(times), workers)}
    )
    values = {"scores": scores, "iterations": len(deltas), "converged": converged}
    return Result("pagerank", values, seconds=seconds, trace=trace)


def _same_rows(one: Graph, other: Graph) -> bool:
    return np.array_equal(one.indptr, other.indptr) and np.array_equal(one.indices, other.indices)


def _distribution(given: Any, n: int) -> np.ndarray:
    """The personalisation as probabilities: one for each vertex, or one for all."""
    if given is None:
        return np.full(1, 1 / n) if n else np.empty(0)
    values = np.array(given, np.float64)
    if values.shape != (n,):
        raise InputError(f"personalization has shape {values.shape}, but there are {n} vertices")
    if not np.isfinite(values).all() or values.min(initial=0) < 0 or values.sum() <= 0:
        raise InputError("personalization needs finite numbers, none negative, not all zero")
    probabilities: np.ndarray = values / values.sum()
    return probabilities


def spmv(graph: Graph, vector: Any, *, threads: int | None = None, verify: bool = False) -> Result:
    """The adjacency matrix times a vector: for each vertex the sum over its arcs of weight (or 1)
    times the entry of the arc's target.

    Returns
    -------
    Result
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

    x = np.ascontiguousarray(vector, np.float64)
    if x.shape != (graph.n,):
        raise InputError(f"the vector has shape {x.shape}, but there are {graph.n} vertices")
    with using(threads):
        begin = clock()
        product = kernel.multiply(graph.indptr, graph.indices, graph.weights, x)
        seconds = clock() - begin
        workers = threads_available()
    if verify:
        check_product(graph, x, product)
    trace = Trace({"phase": ["multiply"], "seconds": [seconds], "threads": [workers]})
    return Result("spmv", {"values": product}, seconds=seconds, trace=trace)
