"""Parents of a breadth-first search that do not depend on the number of threads."""

from __future__ import annotations

import numpy as np

from ..rows.passes import over_rows
from ..runtime.atomics import ld, st, stop_at
from ..runtime.launch import kernel
from ..runtime.nouns import Rows

__all__ = ["smallest_parents"]


@kernel
def choose_smallest(stop, lo, hi, indptr, indices, levels, parents):
    """Replace the parents of ``lo:hi`` by the smallest neighbours one level up."""
    for v in range(lo, hi):
        if stop_at(stop, v):
            return
        if ld(levels, v) > 0:
            best = ld(parents, v)
            for k in range(ld(indptr, v), ld(indptr, v + 1)):
                u = ld(indices, k)
                if u < best and ld(levels, u) == ld(levels, v) - 1:
                    best = u
            st(parents, v, best)


def smallest_parents(back: Rows, levels: np.ndarray, parents: np.ndarray) -> None:
    """Give every vertex the smallest id among its possible parents, in place."""
    over_rows(choose_smallest, back.indptr, back.indices, levels, parents)
