"""Whether pairs of vertices are neighbours: each is looked up in the shorter of two sorted rows.

Bounds: reads of rows of existing vertices, by bisection; a store is at i < hi <= the number of pairs.
"""

from __future__ import annotations

import numpy as np

from .rows.passes import search
from .runtime.atomics import ld, stop_at
from .runtime.launch import kernel, over_parts
from .runtime.nouns import Rows

__all__ = ["count_joined"]


@kernel
def count_pairs(stop, lo, hi, indptr, indices, one, other):
    """How many of the pairs ``lo:hi`` are neighbours."""
    found = np.int64(0)
    for i in range(lo, hi):
        if stop_at(stop, i):
            return found
        u = np.int64(ld(one, i))
        v = np.int64(ld(other, i))
        if ld(indptr, u + 1) - ld(indptr, u) > ld(indptr, v + 1) - ld(indptr, v):
            u, v = v, u
        last = ld(indptr, u + 1)
        at = search(indices, ld(indptr, u), last, v)
        found += at < last and ld(indices, at) == v
    return found


def count_joined(rows: Rows, one: np.ndarray, other: np.ndarray) -> int:
    """Count the pairs that are neighbours; rows must be sorted."""
    return int(sum(over_parts(count_pairs, one.size, *rows, one, other)))
