"""The compiled loops that compute an accelerator's values, edge by edge, in its order."""

from __future__ import annotations

import numpy as np

from ...kernels.runtime.atomics import stopped
from ...kernels.runtime.launch import kernel

LOOK = 1 << 14


@kernel
def count_groups(stop, indptr, sources, size, edges, groups):
    """Edges, and targets with at least one edge, of every partition of ``size`` sources.

    ``indptr`` and ``sources`` are the transposed graph with sorted rows; a source is below n, and the
    arrays have one entry for each ``ceil(n / size)`` partitions.
    """
    for v in range(indptr.size - 1):
        if v % LOOK == 0 and stopped(stop):
            return
        last = -1
        for k in range(indptr[v], indptr[v + 1]):
            p = sources[k] // size
            edges[p] += 1
            if p != last:
                groups[p] += 1
                last = p


@kernel
def cut(stop, indptr, sources, weights, cursor, hi, pointers, part, part_weights):
    """The next partition of a transposed graph: sources below ``hi`` that were not cut before.

    Writes rows of n + 1 ``pointers`` and, in order of their targets, the sources (and weights, if there
    are any) to ``part``, which the caller made for as many edges as ``count_groups`` found.
    """
    at = 0
    pointers[0] = 0
    for v in range(indptr.size - 1):
        if v % LOOK == 0 and stopped(stop):
            return
        k = cursor[v]
        while k < indptr[v + 1] and sources[k] < hi:
            part[at] = sources[k]
            if weights.size > 0:
                part_weights[at] = weights[k]
            at += 1
            k += 1
        cursor[v] = k
        pointers[v + 1] = at


@kernel
def compress(stop, pointers, targets, ends):
    """Rows of a partition that are not empty: their targets, and where each row ends."""
    at = 0
    for v in range(pointers.size - 1):
        if v % LOOK == 0 and stopped(stop):
            return
        if pointers[v + 1] > pointers[v]:
            targets[at] = v
            ends[at] = pointers[v + 1]
            at += 1


@kernel
def pull(stop, pointers, sources, step, additive, sent, values, changed):
    """Pull along the rows of a partition, in place; the number of values that changed.

    With ``additive`` values grow by what the sources send, else they are lowered to it plus ``step``
    (``sent`` is then ``values`` itself, so that a change is seen at once).
    """
    many = 0
    for v in range(pointers.size - 1):
        if v % LOOK == 0 and stopped(stop):
            return many
        begin, end = pointers[v], pointers[v + 1]
        if additive:
            total = 0.0
            for k in range(begin, end):
                total += sent[sources[k]]
            values[v] += total
            if begin < end:
                changed[v] = True
                many += 1
        else:
            best = values[v]
            for k in range(begin, end):
                best = min(best, sent[sources[k]] + step)
            if best < values[v]:
                values[v] = best
                changed[v] = True
                many += 1
    return many


@kernel
def scatter(
    stop, ends, sources, weights, step, additive, filtered, active, sent, kept, update, seen
):
    """One update for each group of edges; how many there are.

    A group is all edges up to ``ends[g]``. ``kept`` gets the number of the group, ``update`` what
    arrives, ``seen`` the edges read until then; with ``filtered`` groups without an active source give
    none, and inactive sources nothing. All three have room for every group.
    """
    many, k = 0, 0
    for g in range(ends.size):
        if g % LOOK == 0 and stopped(stop):
            return many
        total, best, some = 0.0, np.inf, not filtered
        while k < ends[g]:
            u = sources[k]
            if active[u] or not filtered:
                some = True
                if additive:
                    total += sent[u] * (weights[k] if weights.size > 0 else 1.0)
                else:
                    best = min(best, sent[u] + (weights[k] if weights.size > 0 else step))
            k += 1
        if some:
            kept[many] = g
            update[many] = total if additive else best
            seen[many] = k
            many += 1
    return many


@kernel
def gather(stop, targets, update, additive, values, changed, wrote):
    """Apply updates in order; ``wrote`` tells which of them changed their vertex."""
    for i in range(targets.size):
        if i % LOOK == 0 and stopped(stop):
            return
        v = targets[i]
        if additive:
            values[v] += update[i]
            wrote[i] = True
        elif update[i] < values[v]:
            values[v] = update[i]
            wrote[i] = True
        if wrote[i]:
            changed[v] = True
