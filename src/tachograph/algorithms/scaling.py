"""Weights near the ends of float64, scaled so that sums and products of them stay within.

Only powers of two are used, so that scaled weights keep all their digits. Weights of other types are
narrow enough: their squares, and sums of them, are far from the ends.
"""

from __future__ import annotations

import numpy as np

from ..graph.graph import Graph
from ..util.errors import InputError

__all__ = ["LEAST_OUT_WEIGHT", "MOST_OUT_WEIGHT", "comparable", "even", "extreme", "must_be_finite"]

#: Between these, 1 by the weight of a vertex's arcs, and that times a score, lose no digits.
LEAST_OUT_WEIGHT, MOST_OUT_WEIGHT = 2.0**-500, 2.0**500
#: Between these, products of two sums of squares are neither infinite nor 0.
LEAST_SQUARED, MOST_SQUARED = 2.0**-200, 2.0**200
#: Twice the sum of a row must stay below this.
LARGEST_EXPONENT = 1023
LEAST_EXACT = np.finfo(np.float64).tiny  # smaller weights have fewer digits


def extreme(out: np.ndarray) -> bool:
    """Whether PageRank cannot divide by some of these sums of weights (0 is none of them)."""
    return not ((out == 0) | ((out >= LEAST_OUT_WEIGHT) & (out <= MOST_OUT_WEIGHT))).all()


def even(graph: Graph) -> Graph:
    """Return a directed graph with each vertex's weights scaled: the largest is from 0.5 to below 1.

    Quotients of weights of the same vertex stay what they were.
    """
    assert graph.weights is not None
    weights, some = graph.weights.astype(np.float64), graph.degrees > 0
    exponents = np.zeros(graph.n, np.int32)
    if weights.size:
        largest = np.maximum.reduceat(weights, graph.indptr[:-1][some])
        exponents[some] = np.frexp(largest)[1]
    scaled = np.ldexp(weights, -np.repeat(exponents, graph.degrees))
    return graph._replace(weights=scaled, directed=True, m=None)


def comparable(graph: Graph, task: str) -> Graph:
    """Return a graph with weights of the same similarities that can be summed, or squared.

    Raises
    ------
    InputError
        If no factor brings both the largest and the smallest weight into range.
    """
    weights = graph.weights
    if weights is None or weights.dtype != np.float64 or not weights.size:
        return graph
    most = float(weights.max())
    if task == "cosine":
        least = float(np.min(weights, where=weights > 0, initial=np.inf))
        return even(graph) if most > MOST_SQUARED or least < LEAST_SQUARED else graph
    needed = int(np.frexp(most)[1]) + int(graph.degrees.max()).bit_length() + 1
    excess = needed - LARGEST_EXPONENT
    if excess <= 0:
        return graph
    least = float(np.min(weights, where=weights > 0, initial=np.inf))
    if np.ldexp(least, -excess) < LEAST_EXACT:
        raise InputError(
            f"{task} cannot compare weights from {least:g} to {most:g}, because sums of the largest "
            f"exceed {np.finfo(np.float64).max:.1e}: keep weights below {np.ldexp(most, -excess):.0e}, "
            f"or set those below {np.ldexp(LEAST_EXACT, excess):.0e} to 0"
        )
    return graph._replace(weights=np.ldexp(weights, -excess))


def must_be_finite(graph: Graph, weights: np.ndarray, distances: np.ndarray) -> None:
    """Refuse distances beyond float64: they are infinite, as if no path led there."""
    if weights.dtype != np.float64 or not weights.size:
        return
    farthest = distances.max(where=np.isfinite(distances), initial=0.0)
    with np.errstate(over="ignore"):
        if np.isfinite(farthest + weights.max()):
            return
        begins = np.repeat(distances, graph.degrees)
        over = np.isfinite(begins) & np.isinf(begins + weights)
    ends = graph.indices[over]
    if (lost := ends[np.isinf(distances[ends])]).size:
        raise InputError(
            f"paths to vertex {lost[0]} are longer than {np.finfo(np.float64).max:.1e}: divide the "
            "weights by a power of 2, and multiply the distances by it"
        )
