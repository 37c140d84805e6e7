"""Maximal independent sets."""

from __future__ import annotations

import numpy as np

from ..graph.graph import Graph
from .result import Result, Trace
from .verify import check_independent_set

__all__ = ["maximal_independent_set"]


def maximal_independent_set(
    graph: Graph,
    *,
    seed: int = 0,
    threads: int | None = None,
    verify: bool = False,
) -> Result:
    """A set of vertices without edges between them, to which no vertex can be added.

    Vertices are taken in an order that depends on their degrees and on ``seed``, those with few
    neighbours first; one joins unless a neighbour has.

    Parameters
    ----------
    graph
        Arcs join their ends whatever their direction; for a directed graph the transpose is built,
        once. Loops join nothing.
    seed
        Another seed gives another set; the same seed gives the same set, always.
    threads
        How many to use, for this call. The set does not depend on it.
    verify
        Check the result by its defining properties; raises ``VerificationError``.

    Returns
    -------
    Result
        ``vertices``: the ids of the set, ascending; ``mask``: for each vertex whether it is in it.

    Examples
    --------
    >>> import tachograph as tg
    >>> tg.maximal_independent_set(tg.star(5)).vertices.tolist()
    [1, 2, 3, 4]
    """
    from ..kernels import independent_set as kernel
    from ..kernels.random import key_of
    from ..kernels.runtime import clock
    from ..kernels.runtime import threads as using

    back = graph.transpose
    key = key_of(seed, "independent set")
    with using(threads):
        begin = clock()
        state, workers = kernel.greedy(
            graph.indptr, graph.indices, back.indptr, back.indices, graph.directed, key
        )
        mask = state.view(np.bool_)  # a vertex is OUT (0) or IN (1)
        found = np.flatnonzero(mask).astype(graph.indices.dtype)
        seconds = clock() - begin
    if verify:
        check_independent_set(graph, mask)
    trace = Trace(
        {"kernel": ["greedy"], "iteration": [0], "device": ["host"], "work": [graph.n],
         "seconds": [seconds], "threads": [workers]}
    )  # fmt: skip
    values = {"vertices": found, "mask": mask}
    return Result("mis", values, seconds=seconds, trace=trace)
