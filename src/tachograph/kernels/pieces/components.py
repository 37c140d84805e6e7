"""Components of a part of a graph, and what parts tell each other of them (``scale/programs``).

Arrays are those of ``kernels/pieces``: all that have an entry for each vertex have ``indptr.size - 1``
of them, which bounds every access by vertex.
"""

from __future__ import annotations

import numpy as np

from ..components.afforest import link
from ..runtime.atomics import ld, ld_acquire, st, st_release, stopped
from ..runtime.launch import kernel

__all__ = ["find_joined", "hear_labels", "link_rows", "point_to_roots", "tell_labels"]

LOOK = 4096  # vertices between two looks at the stop flag


@kernel
def link_rows(stop, lo, hi, indptr, indices, begin, end, few, skip, ghosts, label):
    """Join the components of the ends of arcs of rows ``lo:hi``: the first ``few`` of each, or all.

    If all, vertices of the component ``skip`` join only ghosts, which are at both ends of their sorted
    rows, and those only if ``ghosts``: any other arc out of it is also one of a vertex outside.
    """
    for v in range(lo, hi):
        if v % LOOK == 0 and stopped(stop):
            return
        first = ld(indptr, v)
        last = ld(indptr, v + 1)
        if few > 0:
            last = min(last, first + few)
        elif ld(label, v) == skip:
            if not ghosts:
                continue
            while first < last and ld(indices, first) < begin:
                if ld(label, ld(indices, first)) != skip:
                    link(v, ld(indices, first), label)
                first += 1
            while first < last and ld(indices, last - 1) >= end:
                last -= 1
                if ld(label, ld(indices, last)) != skip:
                    link(v, ld(indices, last), label)
            continue
        for k in range(first, last):
            link(v, ld(indices, k), label)


@kernel
def point_to_roots(stop, lo, hi, label):
    """Let vertices ``lo:hi`` point to their roots, when nothing is joined any more."""
    for v in range(lo, hi):
        if v % LOOK == 0 and stopped(stop):
            return
        up = ld_acquire(label, v)
        root = ld_acquire(label, up)
        while up != root:
            up = root
            root = ld_acquire(label, up)
        st_release(label, v, root)


@kernel
def find_joined(stop, lo, hi, root, joined):
    """Mark the roots of vertices ``lo:hi`` that have another vertex in their component."""
    for v in range(lo, hi):
        if v % LOOK == 0 and stopped(stop):
            return
        if ld(root, v) != v:
            st(joined, ld(root, v), 1)


@kernel
def tell_labels(
    stop, size, places, first, root, joined, before, by_root, giant, labels, bits, at, values
):
    """Note who of some vertices has a lower label than before; how many have.

    Vertices are ``places[i]``, or ``first + i`` if there are no places. A vertex has the label of its
    root, and had what ``before`` says of its root, or of itself. One that is not joined to any other is
    a ghost, and has its label from its owner. Those of the root ``giant`` get a bit, others an entry in
    ``at`` and ``values``, which have ``size`` entries. Returns the numbers of both.
    """
    in_giant = np.int64(0)
    count = np.int64(0)
    for i in range(size):
        if i % LOOK == 0 and stopped(stop):
            break
        v = np.int64(ld(places, i)) if places.size else first + i
        r = np.int64(ld(root, v))
        new = ld(labels, r)
        if new >= ld(before, r if by_root else v) or not ld(joined, r):
            continue
        if r == giant:
            st(bits, i >> 3, ld(bits, i >> 3) | np.uint8(128 >> (i & 7)))
            in_giant += 1
        else:
            st(at, count, i)
            st(values, count, new)
            count += 1
    return in_giant, count


@kernel
def hear_labels(stop, places, first, root, bits, lowest, at, values, labels):
    """Lower the labels of the roots of those whom ``tell_labels`` has noted, seen from the other side.

    ``lowest`` is the label of the sender's giant. Bits and places come from as many vertices as there
    are here (``scale/piece.py``).
    """
    for k in range(bits.size):
        if k % LOOK == 0 and stopped(stop):
            return
        byte = ld(bits, k)
        for j in range(8 if byte else 0):
            if byte & np.uint8(128 >> j):
                i = 8 * k + j
                r = ld(root, np.int64(ld(places, i)) if places.size else first + i)
                if lowest < ld(labels, r):
                    st(labels, r, lowest)
    for k in range(at.size):
        if k % LOOK == 0 and stopped(stop):
            return
        i = np.int64(ld(at, k))
        r = ld(root, np.int64(ld(places, i)) if places.size else first + i)
        if ld(values, k) < ld(labels, r):
            st(labels, r, ld(values, k))
