"""Contraction: every part becomes one vertex, and edges between two parts become one edge.

Edges within a part only count for its strength. Rows have their neighbours in the order in which they
are met, which does not depend on the number of threads.
"""

from __future__ import annotations

import numpy as np

from ..runtime.atomics import ld, st, stop_at
from ..runtime.launch import kernel, run, workers_for
from ..runtime.random import BRIEF_BELOW_ITEMS
from ..runtime.team import meet, next_phase, run_team, take
from .table import EMPTY, Level, add, mask_for, new_table

__all__ = ["contract", "numbered"]

CHUNK_PARTS = 64  # that a worker takes at a time


@kernel
def number(stop, label, place, member):
    """Number labels by their order (in ``place``, which is -1 everywhere) and replace them.

    ``member``: how many vertices have each label, later where they begin. Returns how many labels
    there are. Labels are ids of vertices, so all stores are at v < n, and at v + 2 <= n + 1.
    """
    n = label.size
    for v in range(n):
        st(place, np.int64(ld(label, v)), np.int64(0))
    count = np.int64(0)
    for c in range(n):
        if stop_at(stop, c):
            return count
        if ld(place, c) == 0:
            st(place, c, count)
            count += 1
    for v in range(n):
        c = ld(place, np.int64(ld(label, v)))
        st(label, v, c)
        st(member, c + 2, ld(member, c + 2) + 1)
    return count


@kernel
def group(stop, label, begins, order):
    """List the vertices by label. ``begins[c + 1]`` is where c begins, and where c ends afterwards."""
    for v in range(label.size):
        if stop_at(stop, v):
            return
        c = np.int64(ld(label, v)) + 1
        at = ld(begins, c)
        st(order, at, v)
        st(begins, c, at + 1)


@kernel
def walk(team, level, label, members, room, made):
    """Sum the edges of each part. ``room``: where the row of each part may begin."""
    control, me, _ = team
    indptr, indices, weights, strength = level
    begins, order = members
    lengths, targets, sums, totals = made
    parts = lengths.size
    weighted = weights.size > 0
    longest = np.int64(0)
    for c in range(parts):
        longest = max(longest, ld(room, c + 1) - ld(room, c))
    table = new_table(min(longest, parts))
    keys, ties, places = table
    next_phase(control, me, 0)
    while True:
        first, last = take(control, 0, CHUNK_PARTS, parts)
        if first >= last:
            break
        for c in range(first, last):
            out = ld(room, c)
            mask = mask_for(min(ld(room, c + 1) - out, parts))
            used = np.int64(0)
            whole = np.int64(0)
            for i in range(ld(begins, c), ld(begins, c + 1)):
                v = ld(order, i)
                whole += ld(strength, v)
                for j in range(ld(indptr, v), ld(indptr, v + 1)):
                    other = np.int64(ld(label, ld(indices, j)))
                    if other != c:
                        weight = ld(weights, j) if weighted else np.int64(1)
                        used = add(table, mask, used, other, weight)
            st(totals, c, whole)
            st(lengths, c, used)
            for i in range(used):
                at = ld(places, i)
                st(targets, out + i, ld(keys, at))
                st(sums, out + i, ld(ties, at))
                st(keys, at, EMPTY)
    meet(team)


@kernel
def close_up(team, room, indptr, made, indices, weights):
    """Copy rows that have gaps between them."""
    control, me, _ = team
    _, targets, sums, _ = made
    next_phase(control, me, 0)
    while True:
        first, last = take(control, 0, CHUNK_PARTS, indptr.size - 1)
        if first >= last:
            break
        for c in range(first, last):
            shift = ld(room, c) - ld(indptr, c)
            for i in range(ld(indptr, c), ld(indptr, c + 1)):
                st(indices, i, ld(targets, i + shift))
                st(weights, i, ld(sums, i + shift))
    meet(team)


def numbered(label: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Number labels from 0 on by their order, in place; return the vertices by label.

    The first array says where the vertices of each label begin in the second one.
    """
    n = label.size
    begins = np.zeros(n + 2, np.int64)
    place = np.full(n, -1, np.int64)
    brief = n < BRIEF_BELOW_ITEMS
    (count,) = run(number, [(label, place, begins)], brief=brief)
    begins = np.cumsum(begins[: count + 2])
    order = np.empty(n, np.int64)
    run(group, [(label, begins, order)], brief=brief)
    return begins[:-1], order


def contract(level: Level, label: np.ndarray) -> tuple[Level, np.ndarray, np.ndarray]:
    """Make a vertex of each label, which are numbered in place; return also who is where."""
    begins, order = numbered(label)
    parts = begins.size - 1
    degrees = np.diff(level.indptr)
    room = np.concatenate([np.zeros(1, np.int64), np.cumsum(degrees[order])])[begins]
    kind = level.indices.dtype
    lengths, totals = np.empty(parts, np.int64), np.empty(parts, np.int64)
    made = lengths, np.empty(room[-1], kind), np.empty(room[-1], np.int64), totals
    workers, brief = workers_for("communities", label.size + level.indices.size)
    run_team(walk, workers, level, label, (begins, order), room, made, brief=brief)
    indptr = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    indices, weights = np.empty(indptr[-1], kind), np.empty(indptr[-1], np.int64)
    run_team(close_up, workers, room, indptr, made, indices, weights, brief=brief)
    return Level(indptr, indices, weights, totals), begins, order
