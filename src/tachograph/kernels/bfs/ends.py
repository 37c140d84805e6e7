"""How a breadth-first search begins; how its parents are made the same for any number of threads."""

from __future__ import annotations

import numpy as np

from ..rows.passes import over_rows
from ..runtime.atomics import fetch_add, ld, st, stopped
from ..runtime.launch import kernel
from ..runtime.team import TAIL, barrier, share

__all__ = ["prepare", "smallest_parents", "start"]

LOOK = 4096  # vertices between two looks at the stop flag


@kernel
def prepare(me, workers, n, indptr, parent, level):
    """Mark every vertex unvisited."""
    limit = np.int64(np.iinfo(parent.dtype).max) - 1
    first, last = share(n, me, workers)
    for v in range(first, last):
        st(parent, v, -min(ld(indptr, v + 1) - ld(indptr, v), limit) - 1)
        st(level, v, -1)


@kernel
def start(control, me, workers, indptr, sources, parent, level, queue):
    """Queue the sources; the number of their arcs, or -1 if the run is to end."""
    if not barrier(control, workers):
        return np.int64(-1)
    edges = np.int64(0)
    for i in range(sources.size):  # every worker sums, one stores
        s = ld(sources, i)
        edges += ld(indptr, s + 1) - ld(indptr, s)
    if not barrier(control, workers):
        return np.int64(-1)
    if me == 0:
        for i in range(sources.size):
            s = ld(sources, i)
            st(parent, s, s)
            st(level, s, 0)
            st(queue, i, s)
        fetch_add(control, TAIL, sources.size)
    if not barrier(control, workers):
        return np.int64(-1)
    return edges


@kernel
def choose_smallest(stop, lo, hi, back_indptr, back_indices, level, parent):
    """Replace the parents of ``lo:hi`` by the smallest neighbours one level up."""
    for v in range(lo, hi):
        if v % LOOK == 0 and stopped(stop):
            return
        if ld(level, v) > 0:
            best = ld(parent, v)
            for k in range(ld(back_indptr, v), ld(back_indptr, v + 1)):
                u = ld(back_indices, k)
                if u < best and ld(level, u) == ld(level, v) - 1:
                    best = u
            st(parent, v, best)


def smallest_parents(
    back_indptr: np.ndarray, back_indices: np.ndarray, level: np.ndarray, parent: np.ndarray
) -> None:
    """Make parents independent of threads: of all possible ones, the smallest id (in place)."""
    over_rows(choose_smallest, back_indptr, back_indices, level, parent)
