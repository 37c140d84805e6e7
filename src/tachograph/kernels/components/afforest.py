"""Weakly connected components by Afforest.

Method: M. Sutton, T. Ben-Nun, A. Barak, "Optimizing Parallel Graph Connectivity Computation via
Subgraph Sampling", IPDPS 2018. Every vertex points to another of its component with an id not above
its own; a root points to itself. Linking two vertices makes the higher of their roots point to the
lower one, and what is passed on the way up to the roots point further up. The first arc of a vertex
takes no linking: the vertex begins by pointing to that neighbour, if its id is lower. After the
second arcs most vertices belong to one large component; the arcs of its vertices need not be looked
at, because an arc that leads out of it is also an arc into a vertex outside.

Roots end as the smallest id of their component, whatever the order of the links, so labels do not
depend on the number of threads. All stores go to ``label[v]`` of an existing vertex.
"""

from __future__ import annotations

import numpy as np

from ..runtime.atomics import (
    compare_exchange,
    fetch_add,
    ld,
    ld_acquire,
    nanoseconds,
    prefetch,
    st,
    st_release,
    stopped,
)
from ..runtime.launch import inline, kernel, threads_available
from ..runtime.random import draw
from ..runtime.team import TAIL, TICKET, barrier, cell, next_phase, run_team

__all__ = ["PHASES", "label_components", "link", "most_frequent"]

PHASES = ("first arcs", "shorten", "second arcs", "shorten", "largest", "other arcs", "shorten")
SAMPLE = 1024  # vertices asked to find the largest component
CHUNK = 4096
AHEAD = 16  # vertices whose neighbours' labels are fetched ahead
SMALL = 1 << 18  # arcs below which one worker is faster than several


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


@kernel
def hook(control, phase, n, indptr, indices, label):
    """Let every vertex point to its first neighbour, if that has a lower id, else to itself."""
    while True:
        begin = fetch_add(control, cell(TICKET, phase), CHUNK)
        if begin >= n or stopped(control):
            break
        for v in range(begin, min(begin + CHUNK, n)):
            k = ld(indptr, v)
            first = v
            if k < ld(indptr, v + 1):
                first = min(v, np.int64(ld(indices, k)))
            st(label, v, first)


@kernel
def link_second(control, phase, n, indptr, indices, label):
    """Link every vertex with its second neighbour."""
    while True:
        begin = fetch_add(control, cell(TICKET, phase), CHUNK)
        if begin >= n or stopped(control):
            break
        for v in range(begin, min(begin + CHUNK, n)):
            k = ld(indptr, min(v + AHEAD, n - 1)) + 1
            if k < indices.size:
                prefetch(label, ld(indices, k))
            k = ld(indptr, v) + 1
            if k < ld(indptr, v + 1):
                link(v, ld(indices, k), label)


@kernel
def link_rest(control, phase, n, skip, indptr, indices, back_indptr, back_indices, directed, label):
    """Link vertices outside the component ``skip`` with all their neighbours."""
    while True:
        begin = fetch_add(control, cell(TICKET, phase), CHUNK // 4)
        if begin >= n or stopped(control):
            break
        for v in range(begin, min(begin + CHUNK // 4, n)):
            if ld(label, v) == skip:
                continue
            for k in range(ld(indptr, v), ld(indptr, v + 1)):
                link(v, ld(indices, k), label)
            if directed:
                for k in range(ld(back_indptr, v), ld(back_indptr, v + 1)):
                    link(v, ld(back_indices, k), label)


@kernel
def shorten(control, phase, n, label):
    """Let every vertex point to its root."""
    while True:
        begin = fetch_add(control, cell(TICKET, phase), CHUNK)
        if begin >= n or stopped(control):
            break
        for v in range(begin, min(begin + CHUNK, n)):
            up = ld_acquire(label, v)
            root = ld_acquire(label, up)
            while up != root:
                st(label, v, root)
                up = root
                root = ld_acquire(label, up)


@kernel
def most_frequent(n, label):
    """The label that most of a sample of vertices have."""
    sample = np.empty(SAMPLE, np.int64)
    for i in range(SAMPLE):
        sample[i] = ld(label, np.int64(draw(np.uint64(1), i) % np.uint64(n)))
    sample.sort()
    best = sample[0]
    longest = 0
    length = 0
    for i in range(SAMPLE):
        length = length + 1 if i > 0 and sample[i] == sample[i - 1] else 1
        if length > longest:
            longest = length
            best = sample[i]
    return best


@kernel
def walk(team, n, indptr, indices, back_indptr, back_indices, directed, label, times):
    """What each worker does; worker 0 stores when each phase ended."""
    control, me, workers = team
    box = np.empty(2, np.int64)
    begin = nanoseconds(box)
    skip = np.int64(-1)
    for phase in range(times.size):
        next_phase(control, me, phase)
        if phase == 0:
            hook(control, phase, n, indptr, indices, label)
        elif phase == 2:
            link_second(control, phase, n, indptr, indices, label)
        elif phase == 4:
            if me == 0:
                st_release(control, TAIL, most_frequent(n, label))
        elif phase == 5:
            skip = ld_acquire(control, TAIL)
            link_rest(
                control, phase, n, skip, indptr, indices, back_indptr, back_indices, directed, label
            )
        else:
            shorten(control, phase, n, label)
        if not barrier(control, workers):
            return
        if me == 0:
            now = nanoseconds(box)
            times[phase] = now - begin
            begin = now


def label_components(
    indptr: np.ndarray,
    indices: np.ndarray,
    back_indptr: np.ndarray,
    back_indices: np.ndarray,
    directed: bool,
) -> tuple[np.ndarray, np.ndarray, int]:
    """For each vertex the smallest id of its component; nanoseconds by phase; workers."""
    n = indptr.size - 1
    brief = n + indices.size < SMALL
    workers = 1 if brief else threads_available()
    label = np.empty(n, indices.dtype)
    times = np.zeros(len(PHASES), np.int64)
    if n:
        run_team(
            walk, workers, n, indptr, indices, back_indptr, back_indices, directed, label, times,
            brief=brief,
        )  # fmt: skip
    return label, times, workers
