"""Decide the vertices of a part of a graph: ``kernels/independent_set/greedy.py`` explains how."""

from __future__ import annotations

import numpy as np

from ..independent_set.greedy import IN, decide, level_of
from ..runtime.atomics import ld, ld_acquire, st, stopped
from ..runtime.launch import kernel
from ..runtime.nouns import Rows
from . import VERTICES_PER_LOOK

__all__ = ["decide_rows", "first_levels"]


@kernel
def first_levels(stop, lo, hi, order, degrees, state):
    """Write the levels of vertices ``lo:hi``."""
    key, ids = order
    for v in range(lo, hi):
        if v % VERTICES_PER_LOOK == 0 and stopped(stop):
            return
        st(state, v, level_of(key, ld(ids, v), ld(degrees, v)))


@kernel
def decide_rows(stop, lo, hi, indptr, indices, back, own, order, state):
    """Decide the own vertices (``own``: the first and the end) of rows ``lo:hi`` as far as that can be
    known; how many were decided.

    Goes over them until it decides no more; those that wait for vertices of others are left.
    """
    rows = Rows(indptr, indices)
    begin, end = own
    decided = np.int64(0)
    progress = True
    while progress and not stopped(stop):
        progress = False
        for v in range(max(lo, begin), min(hi, end)):
            if ld_acquire(state, v) > IN and decide(order, v, rows, back, state):
                decided += 1
                progress = True
    return decided
