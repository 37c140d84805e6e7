"""Loops that measure a graph by searches, and that predict by regression trees.

``balls`` are small breadth-first searches around a few vertices, to see how fast a graph opens up. A
search ends when it has seen ``limit`` vertices or looked at 32 times as many arcs, so its cost does not
depend on the graph's size. What was seen is kept in a table with open addressing. ``probe`` times
gathers over blocks of rows, with the locality of this graph and the load of this machine, and
``meeting`` what workers take to wait for each other. ``reach`` is a search that only continues from
vertices of certain degrees.
"""

from __future__ import annotations

import math
import time

import numpy as np

from .runtime.atomics import ld, nanoseconds, st, stop_at
from .runtime.launch import kernel, read_only, run, threads_available
from .runtime.team import meet, run_team

LIMIT = 1024  # vertices that a search sees at most, by default
SLOTS_PER_VERTEX = 4  # of the table
ARCS_PER_VERTEX = 32  # that a search looks at, at most
#: Numbers about a search: vertices and arcs seen, levels until an eighth of ``limit`` was seen and in
#: all, arcs that led to vertices seen before, the sum of the bits of the distances between ids that
#: arcs join, and whether everything that can be reached was.
BALL = ("vertices", "arcs", "early", "levels", "closing", "bits", "whole")

PROBED_BLOCKS, PROBED_ARCS = 32, 1024  # which take less than a millisecond
#: For an arc of a block: nanoseconds, the degree of its target, and the lower degree of its ends.
PROBE = ("nanoseconds", "further", "common")
#: How often workers meet to see what it takes, in stretches whose median counts: some 50 µs.
STRETCHES, MEETINGS = 8, 16
KNOWN_SECONDS = 0.25  # for which that is believed: where a virtual machine's cores are may change


@kernel
def grow(stop, indptr, indices, starts, table, queue, found):
    """Fill a row of ``found`` for each of ``starts``.

    A vertex is queued only while ``tail < queue.size``. The size of ``table`` is a power of two and
    larger: it holds what the queue does, so that a search for a free place ends.
    """
    limit = queue.size
    most = ARCS_PER_VERTEX * limit
    mask = table.size - 1
    for i in range(starts.size):
        table[:] = -1
        queue[0] = starts[i]
        table[starts[i] & mask] = starts[i]
        head = np.int64(0)
        tail = np.int64(1)
        begin = np.int64(0)  # of the level
        end = np.int64(1)
        levels = np.int64(0)
        early = np.int64(-1)
        arcs = np.int64(0)
        closing = np.int64(0)
        bits = 0.0
        while head < tail and tail < limit and arcs < most:
            if head == end:
                levels += 1
                begin = end
                end = tail
            v = queue[head]
            head += 1
            for k in range(indptr[v], min(indptr[v + 1], indptr[v] + most)):
                t = np.int64(indices[k])
                arcs += 1
                bits += np.log2(1.0 + abs(t - v))
                place = t & mask
                while table[place] >= 0 and table[place] != t:
                    place = (place + 1) & mask
                if table[place] == t:
                    closing += 1
                elif tail < limit:
                    table[place] = t
                    queue[tail] = t
                    tail += 1
            if early < 0 and tail * 8 >= limit:
                early = levels + 1
        whole = head == tail and tail < limit
        found[i, 0] = tail
        found[i, 1] = arcs
        found[i, 2] = early if early >= 0 else levels + 1
        found[i, 3] = levels + (head - begin) / (end - begin)  # the last level counts in part
        found[i, 4] = closing
        found[i, 5] = bits
        found[i, 6] = whole
    return 0


def balls(
    indptr: np.ndarray, indices: np.ndarray, starts: np.ndarray, limit: int = LIMIT
) -> np.ndarray:
    """A row of ``BALL`` for a search from each of ``starts``; ``limit`` is a power of two."""
    found = np.zeros((starts.size, len(BALL)))
    table, queue = np.empty(SLOTS_PER_VERTEX * limit, np.int64), np.empty(limit, np.int64)
    rows = read_only(indptr), read_only(indices)
    run(grow, [(*rows, starts.astype(np.int64), table, queue, found)], brief=True)
    return found


@kernel
def gather(stop, indptr, indices, firsts, arcs, box, found):
    """Fill a row of ``PROBE`` for each block of ``arcs`` arcs, which begins with row ``firsts[i]``.

    Bounds: ``k`` stays below ``indices.size``, so its row is one of ``indptr``. ``box``: for the clock.
    """
    for i in range(firsts.size):
        u = firsts[i]
        k = indptr[u]
        last = min(k + arcs, indices.size)
        count = last - k
        end = indptr[u + 1]
        further = np.int64(0)
        common = np.int64(0)
        begin = nanoseconds(box)
        while k < last:
            while k >= end:
                u += 1
                end = indptr[u + 1]
            own = end - indptr[u]
            v = np.int64(indices[k])
            degree = indptr[v + 1] - indptr[v]
            further += degree
            common += min(own, degree)
            k += 1
        found[i, 0] = nanoseconds(box) - begin
        found[i, 1] = further
        found[i, 2] = common
        for column in range(found.shape[1]):
            found[i, column] /= max(count, 1)
    return 0


def probe(indptr: np.ndarray, indices: np.ndarray) -> dict[str, float]:
    """Return ``PROBE`` from blocks of arcs all over the graph: median time, mean degrees."""
    if not indices.size:
        return dict.fromkeys(PROBE, 0.0)
    places = np.linspace(0, max(indices.size - PROBED_ARCS, 0), PROBED_BLOCKS).astype(np.int64)
    firsts = np.searchsorted(indptr, places, "right") - 1
    found, box = np.zeros((PROBED_BLOCKS, len(PROBE))), np.zeros(2, np.int64)
    rows = read_only(indptr), read_only(indices)
    run(gather, [(*rows, firsts, PROBED_ARCS, box, found)], brief=True)
    numbers = [np.median(found[:, 0]), *found[:, 1:].mean(axis=0)]
    return dict(zip(PROBE, map(float, numbers), strict=True))


@kernel
def wait_often(team, box, found):
    """Fill ``found`` with the nanoseconds of a meeting, a value for each stretch."""
    for i in range(found.size):
        begin = nanoseconds(box[team.me])
        for _ in range(MEETINGS):
            if not meet(team):
                return 0
        if team.me == 0:
            found[i] = (nanoseconds(box[team.me]) - begin) / MEETINGS
    return 0


_known: dict[int, tuple[float, float]] = {}  # by workers: when it was measured, and what


def meeting() -> float:
    """Return the nanoseconds that workers on all cores take to wait for each other; 0 for one."""
    workers, now = threads_available(), time.monotonic()
    when, taken = _known.get(workers, (-math.inf, 0.0))
    if workers > 1 and now - when > KNOWN_SECONDS:
        found = np.zeros(STRETCHES)
        run_team(wait_often, workers, np.zeros((workers, 16), np.int64), found, brief=True)
        taken = float(np.median(found))
        _known[workers] = now, taken
    return taken


@kernel
def reach(stop, indptr, indices, sources, low, high, limit, seen, queue):
    """Arcs of vertices with ``low`` to ``high`` arcs that are reached through such, up to ``limit``,
    and the hops that takes.

    ``seen`` has an entry for each vertex, all 0 before and after. Bounds: every vertex in the queue
    is a source or has added at least one arc, and nothing is added from ``limit`` on: ``sources.size
    + limit`` slots are enough. Rows that are looked at are those of sources and of counted arcs, so
    this takes microseconds unless a source has very many.
    """
    held = 0
    for i in range(sources.size):
        v = ld(sources, i)
        if ld(seen, v) == 0:
            st(seen, v, 1)
            st(queue, held, v)
            held += 1
    head = 0
    arcs = 0
    hops = 0
    level = 0  # where the level that is looked at ends
    while head < held and arcs < limit:
        if head == level:
            hops += 1
            level = held
        u = ld(queue, head)
        head += 1
        for k in range(ld(indptr, u), ld(indptr, u + 1)):
            v = ld(indices, k)
            degree = ld(indptr, v + 1) - ld(indptr, v)
            if ld(seen, v) or degree == 0 or degree < low or degree > high:
                continue
            st(seen, v, 1)
            st(queue, held, v)
            held += 1
            arcs += degree
            if arcs >= limit:
                break
    for i in range(held):
        st(seen, ld(queue, i), 0)
    return min(arcs, limit), hops


@kernel
def predict(stop, rows, width, roots, feature, value, left, out):
    """Add the trees' values for each of ``rows``, of ``width`` entries each, to ``out``.

    Node i is a leaf if ``feature[i]`` is negative, and then gives ``value[i]``; else a row goes on to
    ``left[i]`` if its entry ``feature[i]`` is at most ``value[i]``, and to ``left[i] + 1`` otherwise.
    ``roots`` are the first nodes of the trees. Bounds: ``decisions.approximation.model`` checks that
    children lie behind their parent and within the arrays, and features within the rows; so every
    walk ends, and every access is valid.
    """
    for i in range(out.size):
        if stop_at(stop, i):
            return
        base = i * width
        total = ld(out, i)
        for t in range(roots.size):
            node = ld(roots, t)
            split = ld(feature, node)
            while split >= 0:
                after = ld(left, node)
                if not ld(rows, base + split) <= ld(value, node):
                    after += 1
                node = after
                split = ld(feature, node)
            total += ld(value, node)
        out[i] = total
