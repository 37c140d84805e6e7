"""What a direction policy sees of a breadth-first search, and how it is asked.

The numbers are those of SURF (n_f, m_f, n_u, m_u: vertices and arcs of the frontier and of what is not
visited yet; s_f, c_f: how n_f varies; p_h: how likely a vertex is a hub). The arcs cost nothing: they
are summed while vertices are claimed. Hubs in the frontier have to be counted, if a policy wants them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..runtime.atomics import ask, ld, st, trailing_zeros
from ..runtime.launch import inline, kernel

PUSH, PULL = 0, 1
#: What a policy sees of a level before it is walked, in this order.
STATE = (
    *("n", "arcs", "n_f", "m_f", "n_u", "m_u", "s_f", "c_f", "before", "m_before"),
    *("previous", "pulled", "depth", "hubs_f", "hubs", "p_h", "threads", "directed"),
    *("alone", "near"),
)
N, ALL_ARCS, N_F, M_F, N_U, M_U, S_F, C_F, BEFORE, M_BEFORE = range(10)
PREVIOUS, PULLED, DEPTH, HUBS, ALL_HUBS, P_H, THREADS, DIRECTED, ALONE, NEAR = range(10, len(STATE))


class Chooser(NamedTuple):
    """Who chooses the direction of each level, and what it has to be told."""

    address: int  # of a compiled function of two arrays of float64: the state, and the parameters
    parameters: np.ndarray
    certain: int = 0  # frontiers of at most so many arcs are pushed without asking
    bounded: bool = False  # give up a pull that looks at many more arcs than a push would
    hub: float = -1.0  # count vertices of more arcs than this for it, unless it is negative
    hub_share: float = 0.0  # the probability that a vertex is a hub


class Level(NamedTuple):
    """A level before it is walked, and what is needed of the one before it; all int64."""

    depth: int
    vertices: int  # of the frontier, and arcs out of them:
    edges: int
    unvisited: int  # vertices that are not reached yet, and arcs out of them:
    unseen: int
    before: int  # vertices of the frontier before this one, and arcs out of them:
    edges_before: int
    growth: int  # how many more vertices the frontier before this one had than the one before it


@inline
def first_level(n, arcs, count, edges):
    """The level of ``count`` sources with ``edges`` arcs."""
    none = np.int64(0)
    return Level(none, count, edges, n - count, arcs - edges, none, none, none)


@inline
def next_level(level, found, arcs):
    """The level after this one, in which ``found`` vertices with ``arcs`` arcs were reached."""
    depth, count, edges, unvisited, unseen, before, _, _ = level
    return Level(
        depth + 1, found, arcs, unvisited - found, unseen - arcs, count, edges, count - before
    )


@inline
def tell_constants(state, rows, chooser, workers, directed):
    """Write down what a policy may want to know and no level changes."""
    indptr, indices = rows
    st(state, N, indptr.size - 1)
    st(state, ALL_ARCS, indices.size)
    st(state, P_H, chooser.hub_share)
    st(state, THREADS, workers)
    st(state, DIRECTED, directed)


@kernel
def decide(chooser, state, level, previous):
    """The policy's direction for a level; others write constants, pulls and hubs to ``state``."""
    depth, count, edges, unvisited, unseen, before, edges_before, growth = level
    st(state, N_F, count)
    st(state, M_F, edges)
    st(state, N_U, unvisited)
    st(state, M_U, unseen)
    st(state, S_F, count - before)
    st(state, C_F, count - before - growth)
    st(state, BEFORE, before)
    st(state, M_BEFORE, edges_before)
    st(state, PREVIOUS, previous)
    st(state, DEPTH, depth)
    return ask(chooser.address, state, chooser.parameters)


@inline
def is_hub(v, indptr, hub):
    """Whether ``v`` has more than ``hub`` arcs."""
    return ld(indptr, v + 1) - ld(indptr, v) > hub


@inline
def hubs_among(lo, hi, indptr, hub):
    """How many of the vertices ``lo:hi`` are hubs."""
    found = np.int64(0)
    for v in range(lo, hi):
        found += is_hub(v, indptr, hub)
    return found


@inline
def hubs_in_queue(queue, lo, hi, indptr, hub):
    """How many vertices of ``queue[lo:hi]`` are hubs."""
    found = np.int64(0)
    for i in range(lo, hi):
        found += is_hub(ld(queue, i), indptr, hub)
    return found


@inline
def hubs_in_bitmap(front, lo, hi, indptr, hub):
    """How many vertices in the words ``lo:hi`` of a bitmap are hubs."""
    found = np.int64(0)
    for w in range(lo, hi):
        bits = ld(front, w)
        while bits:
            found += is_hub((w << 6) + np.int64(trailing_zeros(bits)), indptr, hub)
            bits &= bits - np.uint64(1)
    return found
