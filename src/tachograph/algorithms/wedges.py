"""Triangles from a sample of wedges: two neighbours of a vertex, which may be neighbours themselves.

C. Seshadhri, A. Pinar, T. Kolda, "Wedge sampling for computing clustering coefficients and triangle
counts on large graphs", Statistical Analysis and Data Mining 7 (2014). The share of closed wedges is
the transitivity; if centres are drawn evenly, it is the mean clustering coefficient of those vertices.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..graph.graph import Graph
from .budget import Budget, check_budget
from .sampled import deviations, relative

__all__ = ["Share", "share_of_closed"]

FEWEST_WEDGES = 4096  # drawn first
FEWEST_CLOSED = 64  # of them, below which the share is not known well enough
SAFETY = 1.1  # more wedges than the estimate asks for, so that one more round is rare
#: If more wedges than this part of the arcs are needed, counting all triangles is as quick.
EXACT_FROM_PART = 0.25


class Share(NamedTuple):
    """An estimate of the share of closed wedges, and the budget: if that is exact, nothing is known."""

    value: float
    budget: Budget


def share_of_closed(
    graph: Graph,
    weights: NDArray[np.float64],
    max_error: float,
    confidence: float,
    seed: int,
) -> Share:
    """Draw wedges whose centres have these weights, until the share of closed ones is known.

    ``graph`` is simple and undirected with sorted rows; weights are 0 where a vertex has no wedge.
    """
    from ..kernels.joined import count_joined

    check_budget(max_error, confidence)
    upto = np.cumsum(weights)
    most = EXACT_FROM_PART * graph.arcs if weights.any() else 0  # no wedge can be drawn from none
    random = np.random.default_rng(seed)
    z = deviations(confidence)
    drawn = closed = 0
    wanted = FEWEST_WEDGES
    while drawn + wanted <= most:
        where = random.random(wanted) * upto[-1]
        centre = np.minimum(np.searchsorted(upto, where, "right"), graph.n - 1)
        degree = graph.degrees[centre].astype(np.int64)
        first = (random.random(wanted) * degree).astype(np.int64)
        second = (random.random(wanted) * (degree - 1)).astype(np.int64)
        second += second >= first
        begin = graph.indptr[centre]
        ends = graph.indices[begin + first], graph.indices[begin + second]
        closed += count_joined(graph.rows, *ends)
        drawn += wanted
        share = closed / drawn
        if closed < FEWEST_CLOSED:
            wanted = 2 * drawn
            continue
        found = relative(z * float(np.sqrt((1 - share) / closed)), 1.0)
        if found <= max_error:
            how = f"the interval of a share of {drawn:,} random wedges"
            seen = {"wedges": float(drawn), "closed": float(closed)}
            return Share(share, Budget(max_error, confidence, found, None, how, seen=seen))
        wanted = int(SAFETY * drawn * ((found / max_error) ** 2 - 1)) + 1
    how = "as many wedges would have been needed as counting all triangles takes"
    return Share(0.0, Budget(max_error, confidence, 0.0, 0.0, how, drawn > 0))
