"""Weakly connected components by Afforest.

Method: M. Sutton, T. Ben-Nun, A. Barak, "Optimizing Parallel Graph Connectivity Computation via
Subgraph Sampling", IPDPS 2018. Every vertex points to another of its component with an id not above
its own; a root points to itself. Linking two vertices makes the higher of their roots point to the
lower one, and what is passed on the way up to the roots point further up. The first arc of a vertex
takes no linking: the vertex begins by pointing to that neighbour, if its id is lower. After the
second arcs most vertices belong to one large component; the arcs of its vertices need not be looked
at, because an arc that leads out of it is also an arc into a vertex outside.

Roots end as the smallest id of their component, whatever the order of the links, so labels do not
depend on the number of threads.

Bounds: all stores go to ``label[v]`` of an existing vertex.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .runtime.atomics import compare_exchange, ld, ld_acquire, nanoseconds, prefetch, st, st_release
from .runtime.launch import BRIEF_BELOW, inline, kernel, subroutine, workers_for
from .runtime.nouns import Rows
from .runtime.random import draw
from .runtime.team import TAIL, add_to_sums, finish, meet, next_phase, run_team, sums, take

__all__ = ["PHASES", "Labelled", "label_components", "link", "most_frequent"]

PHASES = ("first arcs", "shorten", "second arcs", "shorten", "largest", "other arcs", "shorten")
SAMPLED_VERTICES = 1024  # how many are asked for their component to find the largest
CHUNK_VERTICES = 4096  # that a worker takes at a time; a quarter of it where all arcs are looked at
ARCS_LIKE_A_VERTEX = 64  # arcs that take as long as a vertex: few are looked at after the second
VERTICES_AHEAD = 16  # how far ahead the labels of neighbours are fetched


@inline
def link(u, v, label):
    """Join the components of ``u`` and ``v``."""
    p = ld(label, u)
    q = ld(label, v)
    while p != q:
        high = max(p, q)
        low = min(p, q)
        above = ld_acquire(label, high)
        if above == low or (above == high and compare_exchange(label, high, high, low)):
            break
        p = ld_acquire(label, ld_acquire(label, high))
        if above != high:  # not a root: nobody else sets it but to another above it
            st(label, high, p)
        q = ld_acquire(label, low)


@subroutine
def hook(begin, end, rows, label):
    """Let every vertex point to its first neighbour, if that has a lower id, else to itself."""
    indptr, indices = rows
    for v in range(begin, end):
        k = ld(indptr, v)
        first = v
        if k < ld(indptr, v + 1):
            first = min(v, np.int64(ld(indices, k)))
        st(label, v, first)


@subroutine
def link_second(begin, end, rows, label):
    """Link every vertex with its second neighbour."""
    indptr, indices = rows
    n = label.size
    for v in range(begin, end):
        k = ld(indptr, min(v + VERTICES_AHEAD, n - 1)) + 1
        if k < indices.size:
            prefetch(label, ld(indices, k))
        k = ld(indptr, v) + 1
        if k < ld(indptr, v + 1):
            link(v, ld(indices, k), label)


@subroutine
def link_rest(begin, end, rows, back, directed, label, skip):
    """Link vertices outside the component ``skip`` with all their neighbours."""
    indptr, indices = rows
    back_indptr, back_indices = back
    for v in range(begin, end):
        if ld(label, v) == skip:
            continue
        for k in range(ld(indptr, v), ld(indptr, v + 1)):
            link(v, ld(indices, k), label)
        if directed:
            for k in range(ld(back_indptr, v), ld(back_indptr, v + 1)):
                link(v, ld(back_indices, k), label)


@subroutine
def shorten(begin, end, label):
    """Let every vertex point to its root; how many are roots."""
    roots = np.int64(0)
    for v in range(begin, end):
        up = ld_acquire(label, v)
        root = ld_acquire(label, up)
        while up != root:
            st(label, v, root)
            up = root
            root = ld_acquire(label, up)
        roots += up == v
    return roots


@kernel
def most_frequent(n, label):
    """The label that most of a sample of vertices have."""
    sample = np.empty(SAMPLED_VERTICES, np.int64)
    for i in range(SAMPLED_VERTICES):
        sample[i] = ld(label, np.int64(draw(np.uint64(1), i) % np.uint64(n)))
    sample.sort()
    best = sample[0]
    longest = 0
    length = 0
    for i in range(SAMPLED_VERTICES):
        length = length + 1 if i > 0 and sample[i] == sample[i - 1] else 1
        if length > longest:
            longest = length
            best = sample[i]
    return best


@kernel
def walk(team, rows, back, directed, label, times):
    """What each worker does; worker 0 returns all roots, and stores how long each phase took."""
    control, me, _ = team
    roots = np.int64(0)
    box = np.empty(2, np.int64)
    begin = nanoseconds(box)
    for phase in range(times.size):
        roots = np.int64(0)
        next_phase(control, me, phase)
        if phase == 4 and me == 0:
            st_release(control, TAIL, most_frequent(label.size, label))
        skip = ld_acquire(control, TAIL)
        chunk = CHUNK_VERTICES // 4 if phase == 5 else CHUNK_VERTICES
        while phase != 4:
            first, last = take(control, phase, chunk, label.size)
            if first >= last:
                break
            if phase == 0:
                hook(first, last, rows, label)
            elif phase == 2:
                link_second(first, last, rows, label)
            elif phase == 5:
                link_rest(first, last, rows, back, directed, label, skip)
            else:
                roots += shorten(first, last, label)
        add_to_sums(control, phase, roots, 0)
        if not meet(team):
            return np.int64(0)
        if me == 0:
            now = nanoseconds(box)
            times[phase] = now - begin
            begin = now
    finish(team)
    return sums(control, times.size - 1)[0]


class Labelled(NamedTuple):
    """For each vertex the smallest id of its component; their number; nanoseconds by phase; workers."""

    labels: np.ndarray
    number: int
    times: np.ndarray
    workers: int


def label_components(rows: Rows, back: Rows, directed: bool) -> Labelled:
    """Find components; ``back`` are the rows of the transpose."""
    n = rows.indptr.size - 1
    arcs = rows.indices.size
    workers, _ = workers_for("components", n + arcs // ARCS_LIKE_A_VERTEX)
    label = np.empty(n, rows.indices.dtype)
    times = np.zeros(len(PHASES), np.int64)
    roots = 0
    if n:
        given = (rows, back, directed, label, times)
        roots = run_team(walk, workers, *given, brief=n + arcs < BRIEF_BELOW)[0]
    return Labelled(label, int(roots), times, workers)
