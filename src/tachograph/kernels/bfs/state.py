"""What a direction policy sees of a breadth-first search, and how it is asked.

The numbers are those of SURF (n_f, m_f, n_u, m_u: vertices and arcs of the frontier and of what is not
visited yet; s_f, c_f: how n_f varies; p_h: how likely a vertex is a hub). The arcs are free: they are
summed while vertices are claimed. Hubs in the frontier have to be counted, if a policy wants them.
"""

from __future__ import annotations

import numpy as np

from ..runtime.atomics import ask, fetch_add, ld, ld_acquire, st, trailing_zeros
from ..runtime.launch import inline, kernel
from ..runtime.team import SUM, barrier, cell, next_phase, share

# fmt: off
__all__ = ["ALL_HUBS", "DIRECTED", "HUBS", "HUB_SHARE", "PULL", "PULLED", "PUSH", "SIZE",
           "STATE", "THREADS", "count_hubs", "decide", "hubs_among"]

PUSH, PULL = 0, 1
# what a policy sees of a level before it is walked, in this order
STATE = ("n", "arcs", "n_f", "m_f", "n_u", "m_u", "s_f", "c_f", "before", "m_before",
         "previous", "pulled",
         "depth", "hubs_f", "hubs", "p_h", "threads",
         "directed")
# fmt: on
SIZE = len(STATE)
HUBS, ALL_HUBS, HUB_SHARE = STATE.index("hubs_f"), STATE.index("hubs"), STATE.index("p_h")
PULLED, THREADS, DIRECTED = (
    STATE.index("pulled"),
    STATE.index("threads"),
    STATE.index("directed"),
)


@kernel
def decide(
    policy,
    parameters,
    state,
    count,
    edges,
    unvisited,
    unseen,
    before,
    arcs_before,
    slope,
    previous,
    depth,
):
    """The policy's direction for a level; others set constants, pulls and hubs in ``state``."""
    variation = count - before
    st(state, 2, count)
    st(state, 3, edges)
    st(state, 4, unvisited)
    st(state, 5, unseen)
    st(state, 6, variation)
    st(state, 7, variation - slope)
    st(state, 8, before)
    st(state, 9, arcs_before)
    st(state, 10, previous)
    st(state, 12, depth)
    return ask(policy, state, parameters)


@inline
def hubs_among(queue, lo, hi, indptr, hub):
    """How many vertices of ``queue[lo:hi]`` have more than ``hub`` arcs."""
    found = np.int64(0)
    for i in range(lo, hi):
        u = ld(queue, i)
        found += ld(indptr, u + 1) - ld(indptr, u) > hub
    return found


@kernel
def count_hubs(control, me, workers, phase, direction, n, indptr, queue, lo, hi, front, hub):
    """Hubs in the frontier, counted by the team; -1 if the run is to end."""
    next_phase(control, me, phase)
    found = np.int64(0)
    if direction == PUSH:
        first, last = share(hi - lo, me, workers)
        found = hubs_among(queue, lo + first, lo + last, indptr, hub)
    else:
        first, last = share((n + 63) >> 6, me, workers)
        for w in range(first, last):
            bits = ld(front, w)
            while bits:
                u = (w << 6) + np.int64(trailing_zeros(bits))
                found += ld(indptr, u + 1) - ld(indptr, u) > hub
                bits &= bits - np.uint64(1)
    fetch_add(control, cell(SUM, phase), found)
    if not barrier(control, workers):
        return np.int64(-1)
    return ld_acquire(control, cell(SUM, phase))
