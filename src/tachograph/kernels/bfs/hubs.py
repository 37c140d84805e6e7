"""The neighbours of each vertex that a search most likely reaches before it: those of highest degree.

A pull looks at them before it looks at the row: they lie side by side for all vertices, and at most
levels that are worth a pull one of them is in the frontier.
"""

from __future__ import annotations

import numpy as np

from ..rows.passes import over_rows
from ..runtime.atomics import ld, st, stop_at
from ..runtime.launch import inline, kernel
from ..runtime.nouns import Rows

EACH = 2  # hubs of each vertex; a third one is seldom the first that is found
NO_HUB, NO_NEIGHBOUR = -1, -2  # nobody else; nobody at all


@kernel
def find(stop, lo, hi, indptr, indices, offsets, hubs):
    """Write the hubs of ``lo:hi``: sources ``indices`` with the most arcs by ``offsets``, distinct.

    Bounds: ``hubs`` has ``EACH`` places for each vertex.
    """
    for v in range(lo, hi):
        if stop_at(stop, v):
            return
        first = np.int64(NO_NEIGHBOUR)
        second = np.int64(NO_HUB)
        most = np.int64(-1)
        more = np.int64(-1)
        for k in range(ld(indptr, v), ld(indptr, v + 1)):
            u = np.int64(ld(indices, k))
            degree = ld(offsets, u + 1) - ld(offsets, u)
            if degree > more and u != first:
                if degree > most:
                    second = first if first >= 0 else second
                    more = most
                    first = u
                    most = degree
                else:
                    second = u
                    more = degree
        st(hubs, EACH * v, first)
        st(hubs, EACH * v + 1, second)


def hubs_of(rows: Rows, back: Rows) -> np.ndarray:
    """For each vertex, those ``EACH`` of its sources (in ``back``) with the most arcs in ``rows``."""
    hubs = np.empty(EACH * (rows.indptr.size - 1), rows.indices.dtype)
    over_rows(find, back.indptr, back.indices, rows.indptr, hubs)
    return hubs


@inline
def in_bitmap(bitmap, v):
    """Whether the bit of ``v`` is set, 1 or 0."""
    return (ld(bitmap, v >> 6) >> np.uint64(v & 63)) & np.uint64(1)


@inline
def hub_in(hubs, v, front):
    """A hub of ``v`` that is in ``front``, or else NO_HUB, or NO_NEIGHBOUR; the former without hubs."""
    if hubs.size == 0:
        return np.int64(NO_HUB)
    first = np.int64(ld(hubs, EACH * v))
    if first < 0 or in_bitmap(front, first):
        return first
    second = np.int64(ld(hubs, EACH * v + 1))
    return second if second >= 0 and in_bitmap(front, second) else np.int64(NO_HUB)
