"""Core numbers: the largest k for which a vertex is in a subgraph where all have k neighbours.

Method: H. Kabir, K. Madduri, "Parallel k-core decomposition on multicore platforms", 2017. For rising
k, vertices with k neighbours left are removed, each by the worker that finds it or takes the last
neighbour away; what a worker still has to look at it keeps in a queue of its own. Each k is the
smallest number that anybody has left. Core numbers do not depend on the order.

Bounds: a vertex enters a queue once, when its count reaches k, so a queue has room for all of them; a
worker's list of vertices that are left never grows.
"""

from __future__ import annotations

import numpy as np

from .runtime.atomics import fetch_add, ld, ld_acquire, st
from .runtime.launch import inline, kernel, workers_for
from .runtime.nouns import Rows
from .runtime.team import least, meet, new_board, part, report, run_team

__all__ = ["core_numbers"]

NOBODY = np.int64(1) << 62  # more neighbours than any vertex has


@inline
def leave(v, k, rows, left, queue, held):
    """Take v away from its neighbours; those that have k left enter the queue."""
    indptr, indices = rows
    for i in range(ld(indptr, v), ld(indptr, v + 1)):
        u = np.int64(ld(indices, i))
        if ld_acquire(left, u) > k:
            before = fetch_add(left, u, -1)
            if before == k + 1:
                st(queue, held, u)
                held += 1
            elif before <= k:  # others were faster
                fetch_add(left, u, 1)
    return held


@kernel
def walk(team, rows, back, directed, left, core, board):
    """What each worker does. ``left``: neighbours that each vertex still has."""
    first, last = part(team, left.size)
    mine = np.arange(first, last)
    many = mine.size
    queue = np.empty(left.size, np.int64)
    notes = np.zeros(1, np.int64)
    phase = np.int64(0)
    while True:
        fewest = NOBODY
        kept = np.int64(0)
        for i in range(many):
            v = ld(mine, i)
            if ld(core, v) < 0:
                fewest = min(fewest, np.int64(ld(left, v)))
                st(mine, kept, v)
                kept += 1
        many = kept
        st(notes, 0, fewest)
        if not report(team, board, phase, notes):
            return
        k = least(board, phase, team.workers, 0)
        phase += 1
        if k == NOBODY:
            return
        held = np.int64(0)
        for i in range(many):
            v = ld(mine, i)
            if ld(left, v) == k:
                st(queue, held, v)
                held += 1
        if not meet(team):  # nobody takes neighbours away while others look for k
            return
        at = np.int64(0)
        while at < held:
            v = ld(queue, at)
            at += 1
            st(core, v, k)
            held = leave(v, k, rows, left, queue, held)
            if directed:
                held = leave(v, k, back, left, queue, held)
        if not meet(team):
            return


def core_numbers(rows: Rows, back: Rows, directed: bool) -> tuple[np.ndarray, int]:
    """The core number of every vertex of a graph without loops, and the number of workers."""
    n = rows.indptr.size - 1
    left = np.diff(rows.indptr).astype(np.int32)
    if directed:
        left += np.diff(back.indptr).astype(np.int32)
    core = np.full(n, -1, np.int32)
    workers, brief = workers_for("cores", n + rows.indices.size)
    if n:
        board = new_board(workers)
        run_team(walk, workers, rows, back, directed, left, core, board, brief=brief)
    return core, workers
