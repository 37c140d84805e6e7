"""Strongly connected components: vertices that reach each other along arcs.

Method: R. Tarjan, "Depth-first search and linear graph algorithms", 1972, in the form of D. Pearce that
needs one number for each vertex, and without recursion. A large component is found before by two
parallel searches from one of its vertices, forwards and backwards (L. Fleischer, B. Hendrickson,
A. Pinar, 2000); its vertices are left out here.

Bounds: a vertex enters the path once, and leaves it before it enters the list of those that wait for
their component; both have room for all vertices.
"""

from __future__ import annotations

import numpy as np

from .rows.passes import over_rows
from .runtime.atomics import ld, st, stop_at
from .runtime.launch import kernel, over_parts, run
from .runtime.nouns import Rows
from .runtime.random import BRIEF_BELOW_ITEMS

__all__ = ["SETTLED", "busiest", "label_rest", "meet_both"]

NEW = -1  # the label of a vertex that was not met
SETTLED = np.int64(1) << 62  # the number of a vertex whose component is known


@kernel
def search(stop, rows, label, low, path, waiting):
    """Label the vertices whose label is -1 with the smallest id of their component.

    ``low`` is 0 for vertices that were not met, ``SETTLED`` for those with a label. ``path``: vertices,
    and behind them the place in the row where each goes on.
    """
    indptr, indices = rows
    n = label.size
    number = np.int64(0)
    waits = np.int64(0)
    steps = np.int64(0)
    for root in range(n):
        if ld(low, root) != 0:
            continue
        depth = np.int64(0)
        number += 1
        st(low, root, number)
        st(path, 0, root)
        st(path, n, ld(indptr, root))
        while depth >= 0:
            steps += 1
            if stop_at(stop, steps):
                return
            v = ld(path, depth)
            at = ld(path, n + depth)
            if at < ld(indptr, v + 1):
                st(path, n + depth, at + 1)
                u = np.int64(ld(indices, at))
                seen = ld(low, u)
                if seen == 0:
                    number += 1
                    st(low, u, number)
                    depth += 1
                    st(path, depth, u)
                    st(path, n + depth, ld(indptr, u))
                elif seen != SETTLED and seen < ld(low, v):
                    st(low, v, seen)
                    st(label, v, 1)  # it reaches somebody before it: not the first of its component
                continue
            depth -= 1
            mine = ld(low, v)
            if ld(label, v) == NEW:  # the first of its component
                smallest = v
                first = waits
                while first > 0 and ld(low, ld(waiting, first - 1)) >= mine:
                    first -= 1
                    smallest = min(smallest, ld(waiting, first))
                for i in range(first, waits):
                    u = ld(waiting, i)
                    st(low, u, SETTLED)
                    st(label, u, smallest)
                waits = first
                st(low, v, SETTLED)
                st(label, v, smallest)
            else:
                st(waiting, waits, v)
                waits += 1
            if depth >= 0:
                above = ld(path, depth)
                if ld(low, v) < ld(low, above):
                    st(low, above, ld(low, v))
                    st(label, above, 1)


@kernel
def busy(stop, lo, hi, indptr, back_indptr):
    """The vertex with the largest product of arcs in and out, among the rows ``lo:hi``."""
    best = np.int64(lo)
    most = np.int64(-1)
    for v in range(lo, hi):
        if stop_at(stop, v):
            break
        product = (ld(indptr, v + 1) - ld(indptr, v)) * (
            ld(back_indptr, v + 1) - ld(back_indptr, v)
        )
        if product > most:
            most = product
            best = v
    return most, -best


@kernel
def both(stop, lo, hi, ahead, behind, label, low):
    """Mark who was reached by both searches; return the smallest of them, n if there is none."""
    smallest = np.int64(label.size)
    for v in range(lo, hi):
        if stop_at(stop, v):
            break
        if ld(ahead, v) >= 0 and ld(behind, v) >= 0:
            st(low, v, SETTLED)
            smallest = min(smallest, v)
    return smallest


def busiest(rows: Rows, back: Rows) -> int:
    """A vertex that is probably in the largest component: many arcs lead to it and from it."""
    return -int(max(over_rows(busy, rows.indptr, back.indptr))[1])


def meet_both(ahead: np.ndarray, behind: np.ndarray, label: np.ndarray, low: np.ndarray) -> None:
    """Label the component of a vertex, given the levels of searches from it in both directions."""
    smallest = min(over_parts(both, label.size, ahead, behind, label, low))
    label[low == SETTLED] = smallest


def label_rest(rows: Rows, label: np.ndarray, low: np.ndarray) -> None:
    """Label the vertices that have no label yet."""
    n = label.size
    path, waiting = np.empty(2 * n, np.int64), np.empty(n, np.int64)
    brief = n + rows.indices.size < BRIEF_BELOW_ITEMS
    run(search, [(rows, label, low, path, waiting)], brief=brief)
