"""Edges by partitions of their sources, and the loops that compute values along them, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ...graph.graph import Graph
from ...kernels.runtime.atomics import stopped
from ...kernels.runtime.launch import kernel, read_only, run
from ...kernels.runtime.nouns import WeightedRows

ENTRIES_PER_LOOK = 1 << 14  # rows, groups or updates between two looks at the stop flag
BRIEF_BELOW_ENTRIES = 1 << 22  # of arrays that are gone through in less than a second


class Groups(NamedTuple):
    """Edges in groups: group g is all edges up to ``ends[g]``. Weights may be missing."""

    ends: np.ndarray
    sources: np.ndarray
    weights: np.ndarray


class Rule(NamedTuple):
    """What an edge sends: its part of a sum, or its source's value plus ``step`` (or the weight).

    With ``filtered``, groups without an active source make no update, and inactive sources send
    nothing.
    """

    step: float
    additive: bool
    filtered: bool


class Updates(NamedTuple):
    """For each update the number of its group, what arrives, and the edges read until then."""

    kept: np.ndarray
    update: np.ndarray
    seen: np.ndarray


def call(worker: Callable[..., Any], *arguments: Any) -> Any:
    """Run one compiled loop; a long one where Ctrl-C can reach it."""
    arrays = (x for a in arguments for x in (a if isinstance(a, tuple) else (a,)))
    size = sum(a.size for a in arrays if isinstance(a, np.ndarray))
    return run(worker, [arguments], brief=size < BRIEF_BELOW_ENTRIES)[0]


def _ids(array: np.ndarray) -> np.ndarray:
    """Return ids as the loops take them: 32 bits, not to be written."""
    return read_only(np.ascontiguousarray(array, np.int32))


def _counts(back: Graph, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the edges and distinct targets of every partition."""
    parts = max(1, -(-back.n // size)) if size else 1
    edges, groups = np.zeros(parts, np.int64), np.zeros(parts, np.int64)
    call(count_groups, back.indptr, _ids(back.indices), max(1, size), edges, groups)
    return edges, groups


def _cut(back: Graph, size: int, edges: np.ndarray, weights: np.ndarray) -> Iterator[WeightedRows]:
    """Yield the rows of each partition; ``edges`` says how many there are in each."""
    cursor = back.indptr[:-1].copy()
    rows = WeightedRows(back.indptr, _ids(back.indices), weights)
    for p, many in enumerate(edges.tolist()):
        own = np.zeros(many if weights.size else 0)
        part = WeightedRows(np.zeros(back.n + 1, np.int64), np.zeros(many, np.int32), own)
        call(cut, rows, cursor, (p + 1) * size, part)
        yield part


class InRows:
    """The transposed graph, cut into partitions of ``size`` sources, one at a time."""

    def __init__(self, graph: Graph, size: int) -> None:
        self.back, self.size = graph.transpose.sorted, size
        self.edges, _ = _counts(self.back, size)

    def parts(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield each partition's pointers, and its sources in order of targets."""
        if self.edges.size == 1:
            yield self.back.indptr, _ids(self.back.indices)
            return
        for pointers, sources, _ in _cut(self.back, self.size, self.edges, np.zeros(0)):
            yield read_only(pointers), read_only(sources)


def grouped(
    graph: Graph, size: int, merged: bool, weighted: bool
) -> tuple[np.ndarray, list[tuple[np.ndarray, Groups]]]:
    """Return the number of edges of each partition, and these in groups that make one update each.

    With ``merged`` a group is all edges to one target, in order of targets; otherwise every edge is
    one, in order of sources. A partition is the targets of its groups, and the groups.
    """
    back, parts = graph.transpose.sorted, []
    edges, counts = _counts(back, size)
    whole = back if merged else graph
    weights = np.zeros(0)
    if weighted and whole.weights is not None:
        weights = whole.weights.astype(np.float64)
    if merged:
        for many, (pointers, sources, own) in zip(
            counts.tolist(), _cut(back, size, edges, weights), strict=True
        ):
            targets, ends = np.zeros(many, np.int32), np.zeros(many, np.int64)
            call(compress, pointers, targets, ends)
            groups = Groups(read_only(ends), read_only(sources), own)
            parts.append((read_only(targets), groups))
        return edges, parts
    for lo in range(0, max(1, graph.n), max(1, size)):
        hi = min(graph.n, lo + size)
        begin, end = int(graph.indptr[lo]), int(graph.indptr[hi])
        sources = np.repeat(np.arange(lo, hi), np.diff(graph.indptr[lo : hi + 1]))
        ends = read_only(np.arange(1, end - begin + 1))
        groups = Groups(ends, _ids(sources), weights[begin:end])
        parts.append((_ids(graph.indices[begin:end]), groups))
    return edges, parts


@kernel
def count_groups(stop, indptr, sources, size, edges, groups):
    """Edges, and targets with at least one edge, of every partition of ``size`` sources.

    ``indptr`` and ``sources`` are the transposed graph with sorted rows; a source is below n, and the
    arrays have one entry for each ``ceil(n / size)`` partitions.
    """
    for v in range(indptr.size - 1):
        if v % ENTRIES_PER_LOOK == 0 and stopped(stop):
            return
        last = -1
        for k in range(indptr[v], indptr[v + 1]):
            p = sources[k] // size
            edges[p] += 1
            if p != last:
                groups[p] += 1
                last = p


@kernel
def cut(stop, back, cursor, hi, part):
    """The next partition of a transposed graph: sources below ``hi`` that were not cut before.

    Writes the rows of ``part``: n + 1 pointers and, in order of their targets, the sources (and
    weights, if there are any). The caller made room for as many edges as ``count_groups`` found.
    """
    indptr, sources, weights = back
    pointers, part_sources, part_weights = part
    at = 0
    pointers[0] = 0
    for v in range(indptr.size - 1):
        if v % ENTRIES_PER_LOOK == 0 and stopped(stop):
            return
        k = cursor[v]
        while k < indptr[v + 1] and sources[k] < hi:
            part_sources[at] = sources[k]
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
        if v % ENTRIES_PER_LOOK == 0 and stopped(stop):
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
        if v % ENTRIES_PER_LOOK == 0 and stopped(stop):
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
def scatter(stop, groups, rule, active, sent, updates):
    """Make one update for each group of edges; how many there are. ``updates`` has room for all."""
    ends, sources, weights = groups
    step, additive, filtered = rule
    kept, update, seen = updates
    many, k = 0, 0
    for g in range(ends.size):
        if g % ENTRIES_PER_LOOK == 0 and stopped(stop):
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
        if i % ENTRIES_PER_LOOK == 0 and stopped(stop):
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
