"""Sums over rows and over blocks, for PageRank and products with a vector."""

from __future__ import annotations

import numpy as np

from ..runtime.atomics import ld, rolled
from ..runtime.launch import inline

__all__ = ["FEW", "in_order", "jumps", "plain_sum", "short_sum", "weighted_sum"]

FEW = 4  # arcs of a short row
ALMOST = 0.999  # share of jumps to vertices without arcs from which on the others tell nothing


@inline
def in_order(parts, first, count):
    """``count`` entries from ``first`` on, added in their order: the same sum for every worker."""
    total = 0.0
    for i in range(first, first + count):
        total += ld(parts, i)
    return total


@inline
def plain_sum(vector, indices, first, last):
    """The entries of ``vector`` at ``indices[first:last]``, summed."""
    total = 0.0
    k = first
    while k < last:
        rolled()
        total += ld(vector, ld(indices, k))
        k += 1
    return total


@inline
def weighted_sum(vector, indices, weights, first, last):
    """The same of products with ``weights[first:last]``."""
    total = 0.0
    k = first
    while k < last:
        rolled()
        total += ld(vector, ld(indices, k)) * ld(weights, k)
        k += 1
    return total


@inline
def short_sum(vector, indices, weights, first, last):
    """The same for a row of up to ``FEW`` entries; as many are read in any case, and must exist. A
    wrong guess of where a row ends would cost more than all of them. (Without weights, the compiler
    would make a branch of the condition.)
    """
    total = 0.0
    for k in range(first, first + FEW):
        entry = np.float64(ld(vector, np.int64(ld(indices, k))) * ld(weights, k))
        total += entry if k < last else 0.0
    return total


@inline
def jumps(paired, damping, spread, mass, unlinked):
    """What all readers together jump with in an iteration of PageRank, in the unit of the scores.

    ``mass`` is the sum of the scores, ``spread`` that of vertices without out-arcs. If every arc has
    its reverse (``paired``), no score leaves the vertices with arcs but by jumps: in the end they hold
    as much of it as jumps lead to them, which is all but ``unlinked``. So their sum tells the unit, and
    nothing has to settle between them and the others.
    """
    if paired and unlinked < ALMOST:
        return (1.0 - damping) * (mass - spread) / (1.0 - unlinked)
    return damping * spread + (1.0 - damping) * mass
