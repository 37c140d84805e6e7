"""Components of a part of a graph, and what parts tell each other of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..components import link
from ..runtime.atomics import ld, ld_acquire, st, st_release, stop_at
from ..runtime.launch import inline, kernel


class Arcs(NamedTuple):
    """Which arcs ``link_rows`` looks at: the first ``few`` of each row, or all if that is 0.

    If all, vertices of the component ``skip`` join only ghosts, which are those outside
    ``begin:end``, and those only if ``ghosts``: any other arc out of that component is also an arc of a
    vertex outside of it.
    """

    begin: int
    end: int
    few: int
    skip: int
    ghosts: bool


class Side(NamedTuple):
    """Vertices that two parts know: ``places[i]``, or ``first + i`` if there are no places."""

    places: np.ndarray
    first: int
    size: int


class Known(NamedTuple):
    """Each vertex's root, whether a root has other vertices in its component, and the giant's root."""

    root: np.ndarray
    joined: np.ndarray
    giant: int


class News(NamedTuple):
    """New labels: a bit for each vertex of the giant, places and values of the others."""

    bits: np.ndarray
    at: np.ndarray
    values: np.ndarray


@inline
def vertex_of(side, i):
    """The ``i``-th vertex of a side."""
    return np.int64(ld(side.places, i)) if side.places.size else side.first + i


@kernel
def link_rows(stop, lo, hi, indptr, indices, arcs, label):
    """Join the components of the ends of arcs of the sorted rows ``lo:hi``."""
    begin, end, few, skip, ghosts = arcs
    for v in range(lo, hi):
        if stop_at(stop, v):
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
        if stop_at(stop, v):
            return
        up = ld_acquire(label, v)
        root = ld_acquire(label, up)
        while up != root:
            up = root
            root = ld_acquire(label, up)
        st_release(label, v, root)


@kernel
def tell_labels(stop, side, known, labels, before, by_root, news):
    """Note which vertices of a side have a lower label than before; how many of the giant, of others.

    A vertex has the label of its root, and had what ``before`` says of its root, or of itself. One that
    is not joined to any other is a ghost, and has its label from its owner. ``news`` has room for all.
    """
    root, joined, giant = known
    bits, at, values = news
    in_giant = np.int64(0)
    count = np.int64(0)
    for i in range(side.size):
        if stop_at(stop, i):
            break
        v = vertex_of(side, i)
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
def hear_labels(stop, side, root, news, lowest, labels):
    """Lower the labels of the roots of those whom ``tell_labels`` has noted, seen from the other side.

    ``lowest`` is the label of the sender's giant. The news are of as many vertices as the side has.
    """
    bits, at, values = news
    for k in range(bits.size):
        if stop_at(stop, k):
            return
        byte = ld(bits, k)
        for j in range(8 if byte else 0):
            if byte & np.uint8(128 >> j):
                r = ld(root, vertex_of(side, 8 * k + j))
                if lowest < ld(labels, r):
                    st(labels, r, lowest)
    for k in range(at.size):
        if stop_at(stop, k):
            return
        r = ld(root, vertex_of(side, np.int64(ld(at, k))))
        if ld(values, k) < ld(labels, r):
            st(labels, r, ld(values, k))
